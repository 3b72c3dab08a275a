// All stations as live cards or as a list, the worst first.

import { api } from "../api.js";
import { field, fill, h, select } from "../dom.js";
import { every, throttled } from "../every.js";
import { follow, PORTION, portions } from "../feed.js";
import { ORDERS, shownName } from "../order.js";
import { attempt } from "../problem.js";
import { prefer, preference } from "../preferences.js";
import { spark } from "../spark.js";
import { ago, dateTime, quantity, t, valueName } from "../text.js";

// Minimum number of stations for the search field.
const FILTER_FROM = 9;
/** Values that are not shown on a card. */
const ASIDE = /^(time|status|.*_total)$/;
const DAY_S = 86_400;
/** Maximum different values in small charts. */
const SPARKS = 4;
/** Age at which a small chart is loaded again. */
const LINE_MS = 300_000;
const MINUTE_MS = 60_000;

export const title = () => t("stations.title");

export const stateBadge = (station) =>
    h("span", { class: `state ${station.state}` }, t(`state.${station.state}`));

const link = (station) => h("a", { href: `#/station/${encodeURIComponent(station.station)}` }, shownName(station));
const values = (station) => Object.entries(station.values).filter(([name]) => !ASIDE.test(name));
const alarmList = (station) => station.alarms.length > 0 && h("ul", { class: "alarms" },
    station.alarms.map((alarm) => h("li", { class: `severity ${alarm.severity}` }, `${t("alarm")}: ${alarm.alarm}`)));

/** A station in one of the views. `build` returns the children of its element. */
class Shown {
    constructor(tag, attributes, build) {
        this.element = h(tag, attributes);
        this.build = build;
    }

    update(station) {
        this.station = station;
        this.heard = h("span");
        // Keep the focus on a link in this element while its numbers change.
        const focused = this.element.contains(document.activeElement);
        fill(this.element, this.build(station, this.heard));
        if (focused) this.element.querySelector("a").focus({ preventScroll: true });
        this.tick();
    }

    tick() {
        this.heard.textContent = t("station.heard", { ago: ago(this.station.last_seen) });
        this.heard.title = dateTime(this.station.last_seen);
    }
}

function cardOf(station, heard) {
    const pair = (name, value, kind) => h("div", { class: kind }, h("dt", {}, name), h("dd", {}, value));
    return [
        h("h2", {}, link(station), stateBadge(station)),
        h("p", { class: "soft mono" }, [station.name && station.device, station.site].filter(Boolean).join(" · ")),
        h("dl", { class: "values" },
            station.rain && [
                pair(t("rain.hour"), quantity(station.rain.hour, station.rain.unit), "big"),
                pair(t("rain.day"), quantity(station.rain.day, station.rain.unit), "big"),
            ],
            values(station).map(([name, { value, unit }]) => pair(valueName(name), quantity(value, unit)))),
        alarmList(station), sparkOf(station),
        h("p", { class: "soft foot" }, heard),
    ];
}

/** The small chart of each station: its value's name and last hours, and when it was loaded. */
const lines = new Map();
/** The value of a station's small chart: rain, or its first value. */
const sparkName = (station) => (station.rain ? "rain_total" : values(station)[0]?.[0]);
function sparkOf(station) {
    const { name, line } = lines.get(station.station) ?? {};
    return line && name === sparkName(station) && spark(name, line, station.rain ? station.rain.unit : station.values[name].unit);
}

/** Loads the small charts that are missing or old. */
async function loadLines(stations, signal) {
    const now = performance.now();
    const wanted = new Map();
    for (const station of stations) {
        const name = sparkName(station);
        if (!name || lines.get(station.station)?.at > now - LINE_MS || !(wanted.has(name) || wanted.size < SPARKS)) continue;
        wanted.set(name, [...wanted.get(name) ?? [], station.station]);
    }
    const pieces = [...wanted].flatMap(([name, ids]) => portions(ids).map((some) => [name, some]));
    await Promise.all(pieces.map(async ([name, ids]) => {
        const got = await api("/sparklines", { query: { name, stations: ids.join(",") }, signal });
        for (const id of ids) lines.set(id, { name, line: got.stations[id], at: now });
    }));
}

function rowOf(station, heard) {
    const rain = (span) => h("td", { class: "n" }, station.rain ? quantity(station.rain[span], station.rain.unit) : "–");
    return [
        h("th", { scope: "row" }, link(station)),
        h("td", {}, stateBadge(station)),
        h("td", {}, alarmList(station) || t("none")),
        rain("hour"), rain("day"),
        h("td", {}, values(station).map(([name, { value, unit }]) => `${valueName(name)} ${quantity(value, unit)}`).join(" · ")),
        h("td", { class: "soft" }, heard),
    ];
}

/** The views. Each has the element that holds the stations, and what to put on the page. */
const VIEWS = {
    cards() {
        const holder = h("ul", { class: "cards" });
        return { holder, whole: holder, make: () => new Shown("li", { class: "card" }, cardOf) };
    },
    list() {
        const heads = ["alarm.station", "devices.state", "alarms.active", "rain.hour", "rain.day", "frames.values", "exchange.last"];
        const holder = h("tbody");
        const whole = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("stations.title") },
            h("table", { class: "stations" },
                h("caption", { class: "visually-hidden" }, t("stations.title")),
                h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col", class: head.startsWith("rain.") && "n" }, t(head))))),
                holder));
        return { holder, whole, make: () => new Shown("tr", {}, rowOf) };
    },
};

export async function show({ main, signal, app }) {
    const cards = new Map();
    const box = h("div");
    let view;
    // The stations of the page, of those that the search finds, of all.
    let [shown, found, total, online] = [PORTION, 0, 0, 0];
    let turn = 0;
    const count = h("p", { class: "soft" });
    const empty = h("p", {}, t("stations.empty"), " ", t("stations.empty.hint"));
    const kept = h("p", { class: "warn", role: "status", hidden: true });
    const search = h("input", { type: "search", "aria-label": t("stations.filter"), placeholder: t("stations.filter"), oninput: () => { shown = PORTION; filtered(); } });
    const filtered = throttled(200, signal, () => all());
    const nothing = h("p", { hidden: true }, t("stations.nothing"));
    const more = h("button", { type: "button", hidden: true, onclick: () => { shown += PORTION; attempt(problems, all); } });
    const problems = h("div");

    // Warns when old rows are not deleted because the clock cannot be trusted.
    function tellRetention({ held, behind_seconds: behind }) {
        const days = Math.floor(behind / DAY_S);
        kept.hidden = !held && days < 1;
        kept.textContent = held ? t("retention.held") : t("retention.behind", { days });
    }

    const chosen = (name, among) => (Object.hasOwn(among, preference(name)) ? preference(name) : Object.keys(among)[0]);
    const chooser = (name, among) => {
        const options = Object.keys(among).map((one) => [one, t(`${name}.${one}`)]);
        const chooser = select(options, chosen(name, among), {
            name, onchange: () => { prefer(name, chooser.value); if (name === "view") { look(); arrange(); } else attempt(problems, all); },
        });
        return field(t(`stations.${name}`), chooser);
    };

    /** Shows the stations in the chosen view. */
    function look() {
        const known = [...cards.values()].map((card) => card.station);
        cards.clear();
        view = VIEWS[chosen("view", VIEWS)]();
        fill(box, view.whole);
        known.forEach(take);
    }

    function take(station) {
        app.names.take(station);
        if (!cards.has(station.station)) cards.set(station.station, view.make());
        cards.get(station.station).update(station);
    }

    /** Sorts what is shown. The collector sorts in the same way, so that the page has the first. */
    function arrange() {
        const all = [...cards.values()];
        const before = ORDERS[chosen("order", ORDERS)];
        all.sort((a, b) => before(a.station, b.station));
        const wanted = all.map((card) => card.element);
        const now = [...view.holder.children];
        if (wanted.length !== now.length || wanted.some((card, at) => card !== now[at])) place(wanted);
    }

    function tellCount() {
        count.textContent = t("stations.count", { online, all: total });
        search.hidden = total < FILTER_FROM;
        empty.hidden = total > 0;
        count.hidden = total === 0;
        nothing.hidden = found > 0 || total === 0;
        more.hidden = found <= shown;
        more.textContent = t("stations.more", { count: Math.min(PORTION, found - shown) });
    }

    /** Puts the elements in order. A link in one of them keeps the focus. */
    function place(shown) {
        const focused = view.holder.contains(document.activeElement) && document.activeElement;
        view.holder.replaceChildren(...shown);
        if (focused && focused.isConnected) focused.focus({ preventScroll: true });
    }

    async function all() {
        turn += 1;
        const own = turn;
        const query = { order: chosen("order", ORDERS), search: search.value.trim() };
        const starts = Array.from({ length: Math.ceil(shown / PORTION) }, (_, at) => at * PORTION);
        const pages = await Promise.all(starts.map((from) => api("/overview", { query: { ...query, from }, signal })));
        const stations = pages.flatMap((page) => page.stations);
        await loadLines(stations, signal);
        // An answer to an earlier question may come last.
        if (own !== turn) return;
        ({ all: total, online, found } = pages[0]);
        const now = new Set(stations.map(({ station }) => station));
        for (const id of cards.keys()) if (!now.has(id)) cards.delete(id);
        stations.forEach(take);
        tellRetention(pages[0].retention);
        arrange();
        tellCount();
    }

    async function some(ids) {
        const { stations } = await api("/stations", { query: { stations: ids.join(",") }, signal });
        for (const station of stations) if (cards.has(station.station)) take(station);
        arrange();
    }

    look();
    await all();
    fill(main, h("h1", { tabindex: "-1" }, title()),
        h("div", { class: "tools" }, count, search, chooser("order", ORDERS), chooser("view", VIEWS)), kept, problems, empty, nothing, box, more);
    follow(app.live, signal, { some, all, shows: (id) => cards.has(id) });
    // A station that falls silent may cause no event, and rain changes an order.
    every(MINUTE_MS, signal, () => all().catch(() => {}));
    every(10_000, signal, () => cards.forEach((card) => card.tick()));
}
