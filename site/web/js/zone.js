// Times of the site's time zone, which may differ from the browser's.

let zone = "UTC";
let isChosen = false;

/** The zone of days. */
export const dayZone = () => zone;

/** The zone of times of the day: the browser's as long as nobody has set the site's. */
export const clockZone = () => (isChosen ? zone : undefined);

/** The zone of the answer of `/site`. A zone that the browser does not know is not used. */
export function setZone(site) {
    try {
        new Intl.DateTimeFormat("en", { timeZone: site.zone });
        zone = site.zone;
        isChosen = site.zone_chosen;
    } catch {
        zone = "UTC";
        isChosen = false;
    }
}

/** "2026-11-25T14:30" of a time in a zone. */
export function wall(ms, timeZone = clockZone()) {
    const format = new Intl.DateTimeFormat("en-CA", {
        timeZone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit",
    });
    const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    return `${part.year}-${part.month}-${part.day}T${part.hour}:${part.minute}`;
}

/** The inverse of `wall`. */
export function unwall(text, timeZone = clockZone()) {
    const asUtc = Date.parse(`${text}Z`);
    const ahead = (ms) => Date.parse(`${wall(ms, timeZone)}Z`) - Math.floor(ms / 60_000) * 60_000;
    const first = asUtc - ahead(asUtc);
    // The zone may have changed its clocks in between.
    return asUtc - ahead(first);
}

/** The day of a time, "2026-11-25". */
export const dayKey = (ms) => wall(ms, zone).slice(0, 10);

/** The days of a month ("2026-11"). */
export function daysOf(month) {
    const days = [];
    for (let day = Date.parse(`${month}-01T00:00Z`); ; day += 86_400_000) {
        const key = new Date(day).toISOString().slice(0, 10);
        if (!key.startsWith(month)) return days;
        days.push(key);
    }
}

/** The start of a day. */
export const startOf = (key) => unwall(`${key}T00:00`, zone);
