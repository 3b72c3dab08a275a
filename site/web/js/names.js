// The names of all stations and values: what a choice shows. They are loaded once, and kept
// current by the live events.

import { api } from "./api.js";
import { setTitles } from "./text.js";

export class Names {
    #stations = new Map();
    /** The names of all values. */
    values = [];

    async load() {
        const { stations, values, titles } = await api("/names");
        setTitles(titles);
        this.#stations = new Map(stations.map(([station, name, device]) => [station, { station, name, device }]));
        this.values = values;
    }

    /** Takes what a live event or an answer says about a station. */
    take({ station, name, device }) {
        this.#stations.set(station, { station, name, device });
    }

    /** Takes a reading, and returns true if its station is new. The name of a reading may not be
     * the one that a person gave. */
    heard(reading) {
        const isNew = !this.#stations.has(reading.station);
        if (isNew) this.take({ ...reading, name: reading.name ?? null });
        for (const name of Object.keys(reading.values)) if (!this.values.includes(name)) this.values = [...this.values, name].sort();
        return isNew;
    }

    of(id) {
        return this.#stations.get(id)?.name || id.split(":").pop();
    }

    /** All stations as `{ station, name, device }`. */
    list() {
        return [...this.#stations.values()];
    }

    get size() {
        return this.#stations.size;
    }
}
