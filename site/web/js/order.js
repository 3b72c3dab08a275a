// Orders of the stations on the overview, and what is worse than what.

import { SEVERITIES } from "./severity.js";

const collator = new Intl.Collator(undefined, { numeric: true });

export const shownName = (station) => station.name || station.device;
const byName = (a, b) => collator.compare(shownName(a), shownName(b)) || collator.compare(a.device, b.device);
const hourRain = (station) => station.rain?.hour ?? -1;

/** Alarms come first, the worst before others, then silence, then the rest. */
function rank(station) {
    const worst = SEVERITIES.findIndex((severity) => station.alarms.some((alarm) => alarm.severity === severity));
    if (worst >= 0) return worst;
    return SEVERITIES.length + (station.state === "silent" ? 0 : 1);
}

const shownValue = (station) => station.value?.value ?? -Number.MAX_VALUE;

/** The worst first, then the greatest value that the map shows. */
export const worstOnMap = (a, b) => rank(a) - rank(b) || shownValue(b) - shownValue(a) || byName(a, b);

/** How to compare two stations, by the name of the order. */
export const ORDERS = {
    worst: (a, b) => rank(a) - rank(b) || hourRain(b) - hourRain(a) || byName(a, b),
    name: byName,
    rain: (a, b) => hourRain(b) - hourRain(a) || (b.rain?.day ?? -1) - (a.rain?.day ?? -1) || byName(a, b),
    heard: (a, b) => new Date(a.last_seen ?? 0) - new Date(b.last_seen ?? 0) || byName(a, b),
};
