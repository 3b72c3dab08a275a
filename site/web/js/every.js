// Work that is repeated or asked for often, until a page is left.

/** Calls every so many milliseconds until the signal aborts. */
export function every(ms, signal, work) {
    const timer = setInterval(work, ms);
    signal.addEventListener("abort", () => clearInterval(timer));
}

/** A function that does the work soon, at most once in so many milliseconds, however often
 * it is called; what fails is tried again at the next call. */
export function throttled(ms, signal, work) {
    let waiting = false;
    let last = -Infinity;
    return () => {
        if (waiting || signal.aborted) return;
        waiting = true;
        setTimeout(async () => {
            last = performance.now();
            waiting = false;
            if (!signal.aborted) await Promise.resolve(work()).catch(() => {});
        }, Math.max(0, last + ms - performance.now()));
    };
}

/** Listens until the signal aborts. */
export const on = (target, kind, signal, work) => target.addEventListener(kind, work, { signal });
