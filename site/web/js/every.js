// Repeated and throttled work that stops when a page is left.

/** Calls a function at this interval in milliseconds until the signal aborts. */
export function every(ms, signal, work) {
    const timer = setInterval(work, ms);
    signal.addEventListener("abort", () => clearInterval(timer));
}

/** Returns a function that runs the work soon, but at most once per this many milliseconds. After
 * a failure, the next call tries again. */
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

/** Adds a listener until the signal aborts. */
export const on = (target, kind, signal, work) => target.addEventListener(kind, work, { signal });
