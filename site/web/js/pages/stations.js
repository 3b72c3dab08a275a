// All stations as live cards.

import { api, stationPath } from "../api.js";
import { fill, h } from "../dom.js";
import { every, on, throttled } from "../every.js";
import { ago, dateTime, quantity, t, valueName } from "../text.js";

// Minimum number of cards for the search field.
const FILTER_FROM = 9;
// Maximum number of changed stations that are loaded individually; above it, all are loaded.
const SINGLY = 4;
/** Values that are not shown on a card. */
const ASIDE = /^(time|status|.*_total)$/;
const DAY_S = 86_400;

export const title = () => t("stations.title");

export const stateBadge = (station) =>
    h("span", { class: `state ${station.state}` }, t(`state.${station.state}`));

class Card {
    constructor() {
        this.element = h("li", { class: "card" });
    }

    update(station) {
        this.station = station;
        const values = Object.entries(station.values).filter(([name]) => !ASIDE.test(name));
        const pair = (name, value, kind) => h("div", { class: kind }, h("dt", {}, name), h("dd", {}, value));
        this.heard = h("span");
        // Keep the focus on a link in this card while its numbers change.
        const focused = this.element.contains(document.activeElement);
        fill(this.element,
            h("h2", {}, h("a", { href: `#/station/${encodeURIComponent(station.station)}` }, station.name || station.device), stateBadge(station)),
            h("p", { class: "soft mono" }, [station.name && station.device, station.site].filter(Boolean).join(" · ")),
            h("dl", { class: "values" },
                station.rain && [
                    pair(t("rain.hour"), quantity(station.rain.hour, station.rain.unit), "big"),
                    pair(t("rain.day"), quantity(station.rain.day, station.rain.unit), "big"),
                ],
                values.map(([name, { value, unit }]) => pair(valueName(name), quantity(value, unit)))),
            station.alarms.length > 0 && h("ul", { class: "alarms" }, station.alarms.map((alarm) =>
                h("li", {}, `${t("alarm")}: ${alarm.alarm}`))),
            h("p", { class: "soft foot" }, this.heard));
        if (focused) this.element.querySelector("a").focus({ preventScroll: true });
        this.tick();
    }

    tick() {
        this.heard.textContent = t("station.heard", { ago: ago(this.station.last_seen) });
        this.heard.title = dateTime(this.station.last_seen);
    }
}

export async function show({ main, signal, app }) {
    const cards = new Map();
    const dirty = new Set();
    const list = h("ul", { class: "cards" });
    const count = h("p", { class: "soft" });
    const empty = h("p", {}, t("stations.empty"), " ", t("stations.empty.hint"));
    const kept = h("p", { class: "warn", role: "status", hidden: true });
    const search = h("input", { type: "search", "aria-label": t("stations.filter"), placeholder: t("stations.filter"), oninput: () => arrange() });

    // Warns when old rows are not deleted because the clock cannot be trusted.
    function tellRetention({ held, behind_seconds: behind }) {
        const days = Math.floor(behind / DAY_S);
        kept.hidden = !held && days < 1;
        kept.textContent = held ? t("retention.held") : t("retention.behind", { days });
    }

    function take(station) {
        app.names.set(station.station, station.name);
        if (!cards.has(station.station)) cards.set(station.station, new Card());
        cards.get(station.station).update(station);
    }

    function arrange() {
        const all = [...cards.values()];
        const name = (card) => card.station.name || card.station.device;
        all.sort((a, b) => name(a).localeCompare(name(b)));
        const wanted = search.value.trim().toLowerCase();
        const text = (card) => `${name(card)} ${card.station.device} ${card.station.site}`.toLowerCase();
        const shown = all.filter((card) => text(card).includes(wanted)).map((card) => card.element);
        const now = [...list.children];
        if (shown.length !== now.length || shown.some((card, at) => card !== now[at])) list.replaceChildren(...shown);
        const online = all.filter((card) => card.station.state === "online").length;
        count.textContent = t("stations.count", { online, all: all.length });
        search.hidden = all.length < FILTER_FROM;
        empty.hidden = all.length > 0;
        count.hidden = all.length === 0;
    }

    async function all() {
        const { stations, retention } = await api("/stations", { signal });
        stations.forEach(take);
        tellRetention(retention);
        arrange();
    }

    const some = throttled(1000, signal, async () => {
        const ids = [...dirty];
        dirty.clear();
        if (ids.length > SINGLY) return all();
        await Promise.all(ids.map(async (id) => take(await api(stationPath(id), { signal }))));
        arrange();
    });

    await all();
    fill(main, h("h1", { tabindex: "-1" }, title()), h("div", { class: "tools" }, count, search), kept, empty, list);
    for (const kind of ["reading", "alarm", "station"]) {
        on(app.live, kind, signal, ({ detail }) => {
            if (!detail.station) return;
            dirty.add(detail.station);
            some();
        });
    }
    on(app.live, "resync", signal, () => all().catch(() => {}));
    every(10_000, signal, () => cards.forEach((card) => card.tick()));
    // A station that falls silent causes no event, so check the time regularly.
    every(60_000, signal, () => all().catch(() => {}));
}
