// The journal of alarms: what was raised, told, acknowledged and cleared, newest first.

import { api } from "../api.js";
import { field, fill, h, select, table } from "../dom.js";
import { on, throttled } from "../every.js";
import { pick } from "../pick.js";
import { attempt } from "../problem.js";
import { severityBadge } from "../severity.js";
import { dateTime, shown, t } from "../text.js";

const PAGE = 100;
const DAY = 86_400_000;
const SPANS = { 1: "range.24h", 7: "range.7d", 30: "range.30d", 365: "journal.year" };

export const title = () => t("journal.title");

export async function show({ main, signal, app }) {
    const reload = () => attempt(problems, load);
    let of = null;
    const which = pick(app.names.list(), of, { name: "station", none: t("all"), onpick: (station) => { of = station; reload(); } });
    const days = select(Object.entries(SPANS).map(([days, key]) => [days, t(key)]), "30", { name: "days", onchange: reload });
    const problems = h("div");
    const rows = h("div");
    const more = h("button", { type: "button", onclick: () => attempt(problems, older) }, t("more"));
    const save = h("a", { download: "journal.csv" }, t("journal.csv"));
    let events = [];
    let next = null;

    const from = () => Date.now() - Number(days.value) * DAY;
    const get = (before) => api("/journal", { query: { station: of?.station, from: from(), limit: PAGE, before }, signal });

    function draw() {
        const heads = ["journal.at", "journal.event", "severity", "alarm", "alarm.station", "journal.what", "journal.person", "journal.note"];
        fill(rows, events.length === 0 ? h("p", {}, t("journal.none")) : table(title(), heads.map((head) => t(head)), events.map((event) => [
            dateTime(event.at), t(`event.${event.event}`), severityBadge(event.severity), event.alarm,
            h("a", { href: `#/station/${encodeURIComponent(event.station)}` }, event.name ?? event.device),
            event.event === "raised" ? t("journal.of", { value: shown(event.value, event.unit), limit: shown(event.limit, event.unit) }) : "–",
            event.person ?? "–", event.note ?? "–",
        ]), { hideCaption: true }));
        more.hidden = next === null;
        save.href = `/api/v1/export?${new URLSearchParams({ of: "journal", from: from(), ...(of && { station: of.station }) })}`;
    }
    async function load() {
        ({ events, next } = await get());
        draw();
    }
    async function older() {
        const got = await get(next);
        events = [...events, ...got.events];
        next = got.next;
        draw();
    }

    await load();
    fill(main, h("h1", { tabindex: "-1" }, title()),
        h("div", { class: "tools" }, field(t("alarm.station"), which), field(t("station.range"), days), save, h("a", { href: "#/alarms" }, t("alarms.title"))),
        problems, rows, more);
    const soon = throttled(2000, signal, () => (events.length <= PAGE ? load() : null));
    for (const kind of ["alarm", "acknowledged", "resync"]) on(app.live, kind, signal, soon);
}
