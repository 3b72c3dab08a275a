// The stations of a page, kept up to date with few bytes, however many there are: only changed
// ones are loaded again.

import { on, throttled } from "./every.js";

/** Maximum stations of one request; the API has the same. */
export const PORTION = 100;
const SOON_MS = 1000;

/** The ids in pieces that one request may name. */
export const portions = (ids) => Array.from({ length: Math.ceil(ids.length / PORTION) }, (_, at) => ids.slice(at * PORTION, (at + 1) * PORTION));

/** Loads the stations that have changed with `some(ids)`, at most a portion at a time, and all
 * with `all` when events were missed. `shows(id)` tells whether the page shows a station. A change
 * of another one's alarms or name, and a new station, call `all`: it may belong on the page now.
 * While `holds` returns true, nothing is loaded. Returns a function that takes ids
 * of changed stations, and that must be called when `holds` has ended. */
export function follow(live, signal, { some, all, shows = () => true, holds = () => false }) {
    const changed = new Set();
    const soon = throttled(SOON_MS, signal, async () => {
        if (holds()) return;
        const ids = [...changed].slice(0, PORTION);
        if (ids.length === 0) return;
        for (const id of ids) changed.delete(id);
        try {
            await some(ids);
        } catch (error) {
            for (const id of ids) changed.add(id);
            throw error;
        }
        if (changed.size > 0) soon();
    });
    let isDue = false;
    const whole = throttled(SOON_MS, signal, async () => {
        isDue = holds();
        if (isDue) return;
        changed.clear();
        await all();
    });
    const take = (ids) => {
        for (const id of ids) changed.add(id);
        if (isDue) whole();
        else if (changed.size > 0) soon();
    };
    for (const kind of ["reading", "alarm", "acknowledged", "station", "new"]) {
        on(live, kind, signal, ({ detail: { station } }) => {
            if (!station) return;
            if (shows(station)) take([station]);
            else if (kind !== "reading") whole();
        });
    }
    on(live, "resync", signal, whole);
    return take;
}
