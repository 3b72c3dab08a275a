// Stations that post over TLS 1.3: their measured times by suite, and their positions.

import { api } from "../api.js";
import { field, fill, h, select, table } from "../dom.js";
import { every, on, throttled } from "../every.js";
import { means, milliseconds, Picture, ways } from "../picture.js";
import { attempt } from "../problem.js";
import { ago, dateTime, number, t } from "../text.js";

const HOUR = 3_600_000;
const RANGES = { "1h": HOUR, "24h": 24 * HOUR, "7d": 168 * HOUR, "30d": 720 * HOUR };
const PHASES = ["handshake", "exchange"];

export const title = () => t("exchange.title");

const kind = (unit) => t(unit.resumed ? "exchange.resumed" : "exchange.full");

/** Formats "5.62 ± 0.30 ms" with equal numbers of decimals. */
function withInterval({ mean, high }) {
    const half = high === null ? "" : ` ± ${milliseconds(high - mean, mean)}`;
    return `${milliseconds(mean)}${half}\u00a0ms`;
}

function timesTable(times) {
    const heads = [
        t("exchange.suite"), t("exchange.group"), t("exchange.kind"),
        ...PHASES.flatMap((phase) => [{ n: t(`exchange.${phase}`) }, { n: t("exchange.count") }]),
    ];
    const cells = (summary) => summary === null ? [{ n: "–" }, { n: "0" }] : [{ n: withInterval(summary) }, { n: number(summary.count) }];
    const rows = times.map((unit) => [
        h("span", { class: "mono" }, unit.suite), h("span", { class: "mono" }, unit.group), kind(unit),
        ...PHASES.flatMap((phase) => cells(unit[phase])),
    ]);
    return table(t("exchange.times"), heads, rows, { hideCaption: true });
}

function placesTable(stations, heard) {
    const heads = [
        t("frames.station"), t("exchange.last"), { n: t("exchange.latitude") }, { n: t("exchange.longitude") },
        { n: t("exchange.speed") }, { n: t("exchange.readings") },
    ];
    const rows = stations.map((one) => [
        one.station, heard(one.at), { n: number(one.latitude, 6) },
        { n: number(one.longitude, 6) }, { n: number(one.speed, 2) }, { n: number(one.readings) },
    ]);
    return table(t("exchange.places"), heads, rows, { hideCaption: true });
}

/** Replaces a table and keeps its scroll position and focus. */
function renew(box, table) {
    const before = box.firstElementChild;
    const [left, focused] = [before?.scrollLeft ?? 0, before !== null && before === document.activeElement];
    fill(box, table);
    if (!table) return;
    table.scrollLeft = left;
    if (focused) table.focus({ preventScroll: true });
}

export async function show({ main, signal, app }) {
    let range = "24h";
    const which = select([["", t("all")]], "", { onchange: () => attempt(problems, load) });
    const known = new Set();
    /** Cells that show the time since a moment. */
    const heard = new Map();
    let shown = "";
    const problems = h("div");
    const pictures = Object.fromEntries([...PHASES, "map"].map((name) => {
        const picture = new Picture(signal);
        picture.element.dataset.picture = name;
        return [name, picture];
    }));
    const figures = h("div", { class: "figures" }, PHASES.map((phase) => pictures[phase].element));
    const noTimes = h("p", {}, t("exchange.notimes"), " ", t("exchange.hint"));
    const noPlaces = h("p", {}, t("exchange.noplaces"));
    const newest = h("p", { class: "soft" }, t("exchange.newest"));
    const times = h("div", { class: "told" });
    const places = h("div", { class: "told" });
    const save = (of) => h("a", { download: `${of}.csv`, href: `/api/v1/export?of=${of}` }, t(`exchange.save.${of}`));

    function drawTimes(units, all) {
        noTimes.hidden = units.length > 0;
        figures.hidden = units.length === 0;
        newest.hidden = all;
        renew(times, units.length > 0 && timesTable(units));
        for (const phase of PHASES) {
            const rows = units.filter((unit) => unit[phase] !== null).map((unit) => ({
                name: unit.suite.replace(/^TLS_/, ""), more: `${unit.group}, ${kind(unit)}`, ring: unit.resumed, ...unit[phase],
            }));
            pictures[phase].element.hidden = rows.length === 0;
            if (rows.length === 0) continue;
            const label = rows.map((row) => `${row.name}, ${row.more}: ${milliseconds(row.mean)} ms`).join("; ");
            pictures[phase].update(t(`exchange.${phase}.title`), t("exchange.key"), means(rows, label));
        }
    }

    function drawPlaces(stations, track) {
        noPlaces.hidden = stations.length > 0;
        pictures.map.element.hidden = stations.length === 0;
        heard.clear();
        renew(places, stations.length > 0 && placesTable(stations, (at) => {
            const cell = h("span", { title: dateTime(at) }, ago(at));
            heard.set(cell, at);
            return cell;
        }));
        if (stations.length === 0) return;
        const last = stations.map((one) => ({ ...one, text: `${one.station} · ${number(one.speed, 1)}` }));
        const names = stations.map((one) => one.station).join(", ");
        pictures.map.update(t("exchange.map"), t("exchange.map.key"),
            ways(track, last, t("exchange.map.label", { count: number(stations.length), names })));
    }

    function choices(stations) {
        for (const { station } of stations) {
            if (known.has(station)) continue;
            known.add(station);
            which.append(h("option", { value: station }, station));
        }
    }

    async function load() {
        const from = Date.now() - RANGES[range];
        const got = await api("/exchange", { query: { from, station: which.value }, signal });
        const { times: units, all, stations, track } = got;
        const now = JSON.stringify([units, all, stations, track]);
        if (now === shown) return;
        shown = now;
        choices(stations);
        drawTimes(units, all);
        drawPlaces(stations, track);
    }

    const buttons = Object.keys(RANGES).map((one) => h("button", {
        type: "button", "aria-pressed": String(one === range), "data-range": one,
        onclick: () => {
            range = one;
            buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.range === one)));
            attempt(problems, load);
        },
    }, t(`range.${one}`)));

    fill(main, h("h1", { tabindex: "-1" }, title()), h("p", { class: "soft" }, t("exchange.text")),
        h("div", { class: "tools" },
            h("div", { class: "segments", role: "group", "aria-label": t("station.range") }, buttons),
            field(t("frames.station"), which)),
        problems,
        h("section", {}, h("h2", {}, t("exchange.times")), noTimes, figures, times, newest, h("p", {}, save("times"))),
        h("section", {}, h("h2", {}, t("exchange.places")), noPlaces, pictures.map.element, places, h("p", {}, save("places"))));
    await load();
    // Posts are too frequent for live events, so poll while the page is open.
    const soon = throttled(2000, signal, load);
    every(5000, signal, () => document.visibilityState === "visible" && soon());
    on(app.live, "resync", signal, soon);
    every(5000, signal, () => heard.forEach((at, cell) => { cell.textContent = ago(at); }));
}
