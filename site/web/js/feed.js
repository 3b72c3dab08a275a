// The stations of a page, kept up to date with few bytes, however many there are: only changed
// ones are loaded again.

import { api } from "./api.js";
import { every, on, throttled } from "./every.js";

/** Maximum stations of one request; the API has the same. */
const PORTION = 100;
const SOON_MS = 1000;
const MINUTE_MS = 60_000;
/** All stations are loaded again every minute for each of this many stations. */
const OF_A_MINUTE = 200;

/** The minutes between two loads of all stations. */
export const minutesBetween = (count) => Math.max(1, Math.ceil(count / OF_A_MINUTE));

/** Calls `take` with the stations that have changed, and `all` when all must be loaded again.
 * `count` returns the number of the stations. While `holds` returns true, nothing is loaded. */
export function follow(live, signal, { take, all, count, holds = () => false }) {
    const changed = new Set();
    const soon = throttled(SOON_MS, signal, async () => {
        if (holds()) return;
        const ids = [...changed].slice(0, PORTION);
        if (ids.length === 0) return;
        for (const id of ids) changed.delete(id);
        try {
            take((await api("/stations", { query: { stations: ids.join(",") }, signal })).stations);
        } catch (error) {
            for (const id of ids) changed.add(id);
            throw error;
        }
        if (changed.size > 0) soon();
    });
    const whole = () => {
        changed.clear();
        return Promise.resolve(all()).catch(() => {});
    };
    for (const kind of ["reading", "alarm", "acknowledged", "station"]) {
        on(live, kind, signal, ({ detail }) => {
            if (!detail.station) return;
            changed.add(detail.station);
            soon();
        });
    }
    on(live, "resync", signal, () => !holds() && whole());
    // A station that falls silent may cause no event.
    let minute = 0;
    every(MINUTE_MS, signal, () => {
        minute += 1;
        if (!holds() && minute % minutesBetween(count()) === 0) whole();
    });
    return soon;
}
