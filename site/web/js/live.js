// Live events. The browser reconnects by itself and sends the id of the last event. If the
// collector refuses (restarted, logged out), a new source is opened, with increasing pauses.

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
const KINDS = ["reading", "alarm", "acknowledged", "station", "pairing"];

export class Live extends EventTarget {
    #source = null;
    #timer = 0;
    #pause = FIRST_PAUSE_MS;
    #was = false;

    start() {
        if (this.#source !== null) return;
        const source = new EventSource("/api/v1/events");
        this.#source = source;
        source.addEventListener("open", () => {
            this.#pause = FIRST_PAUSE_MS;
            this.#tell("state", true);
            // Events during the interruption were missed, so reload the data.
            if (this.#was) this.#tell("resync");
            this.#was = true;
        });
        source.addEventListener("error", () => {
            this.#tell("state", false);
            if (source.readyState === EventSource.CLOSED) this.#again();
        });
        for (const kind of KINDS) {
            source.addEventListener(kind, (event) => this.#tell(kind, JSON.parse(event.data)));
        }
        source.addEventListener("resync", () => this.#tell("resync"));
    }

    stop() {
        clearTimeout(this.#timer);
        this.#source?.close();
        this.#source = null;
        this.#was = false;
        this.#pause = FIRST_PAUSE_MS;
    }

    #again() {
        this.#source = null;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
            this.#tell("refused");
            this.start();
        }, this.#pause * (0.5 + Math.random() / 2));
        this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MS);
    }

    #tell(kind, detail) {
        this.dispatchEvent(new CustomEvent(kind, { detail }));
    }
}
