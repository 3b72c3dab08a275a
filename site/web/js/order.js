// Orders of the stations on the overview, and what is worse than what.

const collator = new Intl.Collator(undefined, { numeric: true });

export const shownName = (station) => station.name || station.device;
const byName = (a, b) => collator.compare(shownName(a), shownName(b));
const hourRain = (station) => station.rain?.hour ?? -1;

/** 0 for an alarm, 1 for silence, 2 for the rest. */
function rank(station) {
    if (station.alarms.length > 0) return 0;
    return station.state === "silent" ? 1 : 2;
}

/** How to compare two stations, by the name of the order. */
export const ORDERS = {
    worst: (a, b) => rank(a) - rank(b) || hourRain(b) - hourRain(a) || byName(a, b),
    name: byName,
    rain: (a, b) => hourRain(b) - hourRain(a) || (b.rain?.day ?? -1) - (a.rain?.day ?? -1) || byName(a, b),
    heard: (a, b) => new Date(a.last_seen ?? 0) - new Date(b.last_seen ?? 0) || byName(a, b),
};
