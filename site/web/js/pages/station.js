// One station: its charts, rain, link data and last frames.

import { api, stationPath } from "../api.js";
import { Chart } from "../chart.js";
import { field, fill, h } from "../dom.js";
import { every, on, throttled } from "../every.js";
import { framesTable } from "../frames-table.js";
import { attempt } from "../problem.js";
import { shownName } from "../order.js";
import { pick } from "../pick.js";
import { ago, dateTime, number, quantity, span as duration, t, valueName } from "../text.js";
import { unwall, wall } from "../zone.js";
import { stateBadge } from "./stations.js";

const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const STEP_MS = { raw: null, minute: MINUTE, hour: HOUR, day: DAY };
/** The ranges that end now. */
const RANGES = { "1h": HOUR, "24h": DAY, "7d": 7 * DAY, "30d": 30 * DAY };
/** Steps of values and of rain for ranges up to a length. */
const STEPS = [
    { upTo: 2 * HOUR, series: "raw", rain: "minute" },
    { upTo: 2 * DAY, series: "minute", rain: "hour" },
    { upTo: 14 * DAY, series: "hour", rain: "hour" },
    { upTo: 100 * DAY, series: "hour", rain: "day" },
    { upTo: Infinity, series: "day", rain: "day" },
];
const stepsOf = (ms) => STEPS.find(({ upTo }) => ms <= upTo);
/** Minimum length of a range. */
const SHORTEST = MINUTE;
const FRAMES = 25;
/** Events that are listed, the newest. */
const EVENTS = 30;
/** Values that are not drawn as lines: the clock, bit fields, and totals (their growth is drawn).
 * */
const NO_LINE = /^(time|status|.*_total)$/;

export const title = () => t("nav.stations");

const UNITS_S = { s: 1, sec: 1, second: 1, m: 60, min: 60, minute: 60, h: 3600, hr: 3600, hour: 3600, d: 86_400, day: 86_400 };

/** Seconds of a duration such as "1h 30m", as in rules. */
export function seconds(text) {
    let sum = 0;
    for (const [, count, unit] of (text ?? "1h").matchAll(/(\d+)\s*([a-z]+)/g)) {
        sum += Number(count) * (UNITS_S[unit.replace(/(?<=..)s$/, "")] ?? NaN);
    }
    return sum;
}

/** A parameter of the address. */
const asked = (name) => new URLSearchParams(location.hash.split("?")[1] ?? "").get(name);

/** The range that the address names, so that a link shows what its sender saw. */
function ofAddress() {
    const [from, to] = ["from", "to"].map((name) => Date.parse(asked(name) ?? ""));
    return to - from >= SHORTEST ? { from, to } : null;
}

export async function show({ main, argument: id, signal, app }) {
    // One of RANGES, or null for the span `own`.
    let own = ofAddress();
    let range = own ? null : "24h";
    let station = await api(stationPath(id), { signal });
    const { rules } = await api("/rules", { signal });
    const others = app.names.list().filter((one) => one.station !== station.station);
    // The station whose values are drawn beside this one's.
    let other = null;
    await compareWith(others.find((one) => one.station === asked("with")) ?? null);
    let events = [];

    const heading = h("h1", { tabindex: "-1" });
    const badge = h("span");
    const sub = h("p", { class: "soft" });
    const alarms = h("div");
    const details = h("dl", { class: "details" });
    const figures = h("div", { class: "figures" });
    const frames = h("div");
    const charts = new Map();

    function chart(name, wide = false) {
        if (!charts.has(name)) {
            const made = new Chart(signal);
            made.element.dataset.chart = name;
            if (wide) made.element.classList.add("wide-figure");
            charts.set(name, made);
            figures.append(made.element);
        }
        return charts.get(name);
    }

    function head() {
        heading.textContent = station.name || station.device;
        document.title = `${heading.textContent} · Selo`;
        fill(badge, stateBadge(station));
        fill(sub, h("span", { class: "mono" }, station.device), " · ", t("station.heard", { ago: ago(station.last_seen) }));
        fill(alarms, station.alarms.length > 0 && h("ul", { class: "alarms" }, station.alarms.map((alarm) =>
            h("li", { class: `severity ${alarm.severity}` }, `${t("alarm")}: ${alarm.alarm} · ${quantity(alarm.value, alarm.unit)}`))));
        const rows = {
            site: station.site, gateway: station.gateway, codec: station.codec,
            first: dateTime(station.first_seen), last: dateTime(station.last_seen),
            session: station.session, counter: number(station.counter),
            received: number(station.received), lost: number(station.lost), duplicates: number(station.duplicates),
            implausible: number(station.implausible), rssi: station.rssi === null ? null : `${number(station.rssi)} dBm`,
        };
        fill(details, Object.entries(rows).map(([name, value]) =>
            h("div", {}, h("dt", {}, t(`detail.${name}`)), h("dd", {}, value ?? "–"))));
    }

    /** The rules that watch this station. */
    const ofStation = () => rules.filter(({ device }) => !device || [station.station, station.device].includes(device));

    /** The limits of a value, which are drawn across its chart. */
    function limitsOf(name) {
        const watched = (rule) => (rule.kind === "battery" ? "battery" : rule.kind === "value" && rule.value) === name;
        const unit = station.values[name]?.unit;
        return ofStation().filter(watched).map(({ name: rule, kind, when, limit }) => ({
            text: t(`chart.limit.${kind === "battery" ? "under" : when ?? "over"}`, { name: rule, limit: quantity(limit, unit) }), value: limit,
        }));
    }

    async function rain(from, to) {
        const { rain: step } = stepsOf(to - from);
        const got = await api(`${stationPath(id)}/rain`, { query: { from, to, step }, signal });
        const ofRain = ofStation().filter((rule) => rule.kind === "rain");
        const text = (rule) => t("rain.limit", { name: rule.name, limit: quantity(rule.limit, "mm"), over: duration(seconds(rule.over)) });
        // A limit for an hour is meaningless next to bars of a day.
        const fits = (rule) => seconds(rule.over) * 1000 === STEP_MS[step];
        const name = t(`rain.${step}.bars`);
        const total = quantity(got.total, got.unit);
        const beside = await besideOf("rain", "rain_total", { from, to, step }, "mm");
        chart("rain", true).update({
            kind: "bars", events, other: beside, title: name, unit: got.unit, from, to, step: STEP_MS[step], t: got.t,
            columns: { value: got.mm }, value: "value", badge: t("rain.total", { total }),
            note: beside ? t("compare.key", { name: beside.name }) : ofRain.filter((rule) => !fits(rule)).map(text).join("; "),
            label: t("rain.label", { title: name, total, most: quantity(Math.max(0, ...got.mm), got.unit) }),
            zoom, limits: ofRain.filter(fits).map((rule) => ({ text: text(rule), value: rule.limit })),
        });
        chart("rain").element.dataset.total = got.total;
        chart("rain").element.dataset.sum = got.mm.reduce((sum, one) => sum + one, 0);
    }

    async function line(name, from, to) {
        const { series: step } = stepsOf(to - from);
        const got = await api(`${stationPath(id)}/series`, { query: { name, from, to, step }, signal });
        const rolled = step !== "raw";
        const banded = rolled && step !== "minute";
        const columns = banded ? { min: got.min, mean: got.mean, max: got.max } : { value: rolled ? got.mean : got.last };
        const of = (column, reduce) => (column.length > 0 ? quantity(column.reduce((a, b) => reduce(a, b)), got.unit) : "–");
        const newest = station.values[name];
        const beside = await besideOf("series", name, { name, from, to, step }, rolled ? "mean" : "last");
        chart(name).update({
            kind: "line", events, other: beside, title: valueName(name), unit: got.unit, from, to, step: STEP_MS[step], t: got.t, columns,
            value: banded ? "mean" : "value", zoom, limits: limitsOf(name),
            badge: newest && quantity(newest.value, newest.unit), note: beside ? t("compare.key", { name: beside.name }) : banded ? t("chart.band") : "",
            label: t("chart.label", {
                name: valueName(name), range: range ? t(`range.${range}`) : t("range.own", { from: dateTime(from), to: dateTime(to) }), last: of(got.last.slice(-1), (a) => a),
                min: of(rolled ? got.min : got.last, Math.min), max: of(rolled ? got.max : got.last, Math.max),
            }),
        });
    }

    /** Loads the other station: its values are not among the names. */
    async function compareWith(chosen) {
        other = chosen && await api(stationPath(chosen.station), { signal });
    }

    /** The same value of the other station, if it has it. */
    async function besideOf(what, name, query, column) {
        if (!other || !(name in other.values)) return null;
        const got = await api(`${stationPath(other.station)}/${what}`, { query, signal });
        return { name: shownName(other), t: got.t, column: got[column] };
    }

    /** Restarts and lost clocks, as lines in the charts and as a list. */
    async function happened(from, to) {
        ({ events } = await api(`${stationPath(id)}/events`, { query: { from, to }, signal }));
        const shown = events.slice(-EVENTS).reverse();
        fill(happenings, events.length > 0 && h("details", {},
            h("summary", {}, t("events.title", { count: number(events.length) })),
            h("ul", { class: "events" }, shown.map(({ at, event }) => h("li", {}, `${dateTime(at)}: ${t(`events.${event}`)}`)))));
    }

    async function draw() {
        const { from, to } = own ?? { from: Date.now() - RANGES[range], to: Date.now() };
        csv.href = `/api/v1/export?${new URLSearchParams({ device: station.station, from, to, format: "csv" })}`;
        await happened(from, to);
        const names = Object.keys(station.values);
        const wanted = names.filter((name) => !NO_LINE.test(name));
        const work = wanted.map((name) => () => line(name, from, to));
        if (names.includes("rain_total")) work.unshift(() => rain(from, to));
        // Created in display order.
        if (names.includes("rain_total")) chart("rain", true);
        wanted.forEach((name) => chart(name));
        await Promise.all(work.map((one) => one()));
    }

    async function log() {
        const got = await api("/frames", { query: { device: station.station, limit: FRAMES }, signal });
        fill(frames, framesTable(t("frames.log"), got.frames, { station: null }));
    }

    const again = async () => {
        station = await api(stationPath(id), { signal });
        head();
        await Promise.all([draw(), log()]);
    };
    const soon = throttled(2000, signal, again);

    const buttons = Object.keys(RANGES).map((one) => h("button", {
        type: "button", "data-range": one, onclick: () => choose(one),
    }, t(`range.${one}`)));
    const [since, until] = ["from", "to"].map((name) => h("input", { type: "datetime-local", name, required: true }));
    const csv = h("a", { download: true }, t("station.csv"));
    const month = h("a", { href: `#/month/${encodeURIComponent(id)}` }, t("station.month"));

    /** Shows a range that ends now (`key`), or the span between two times. */
    function choose(key, span = null) {
        range = key;
        own = span;
        const parts = { ...(own && { from: new Date(own.from).toISOString(), to: new Date(own.to).toISOString() }), ...(other && { with: other.station }) };
        const query = own || other ? `?${new URLSearchParams(parts)}` : "";
        history.replaceState(null, "", `#/station/${encodeURIComponent(id)}${query}`);
        mark();
        return attempt(problems, draw);
    }

    function mark() {
        for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.range === range));
        const { from, to } = own ?? { from: Date.now() - RANGES[range], to: Date.now() };
        since.value = wall(from);
        until.value = wall(to);
    }

    /** Shows the span that was marked in a chart. */
    function zoom(from, to) {
        if (to - from >= SHORTEST) choose(null, { from, to });
    }

    const span = h("form", { class: "span", onsubmit: (event) => {
        event.preventDefault();
        const [from, to] = [since, until].map((input) => unwall(input.value));
        until.setCustomValidity(to - from >= SHORTEST ? "" : t("range.order"));
        if (until.reportValidity()) choose(null, { from, to });
    }, oninput: () => until.setCustomValidity("") },
    field(t("range.from"), since), field(t("range.to"), until), h("button", {}, t("range.show")));
    const dates = h("details", { class: "dates", open: Boolean(own) }, h("summary", {}, t("range.dates")), span);
    const problems = h("div");
    const happenings = h("div");
    const compare = pick(others, other, {
        name: "with", none: t("compare.none"), onpick: async (station) => { if (await attempt(problems, () => compareWith(station))) choose(range, own); },
    });

    head();
    mark();
    fill(main,
        h("div", { class: "title" }, heading, badge, app.admin && rename()), sub, alarms,
        h("div", { class: "spans" },
            h("div", { class: "segments", role: "group", "aria-label": t("station.range") }, buttons), others.length > 0 && field(t("compare.with"), compare), dates),
        h("p", { class: "soft" }, t("range.zoom"), " ", csv, " · ", month), problems, happenings, figures,
        h("section", {}, h("h2", {}, t("detail.title")), details),
        h("section", {}, h("h2", {}, t("frames.log")), frames));
    await Promise.all([draw(), log()]);

    function rename() {
        const box = h("div");
        const input = h("input", { maxlength: "64", required: true });
        const dialog = h("dialog", { "aria-label": t("station.rename") },
            h("form", { onsubmit: async (event) => {
                event.preventDefault();
                const body = { name: input.value.trim() };
                const good = await attempt(box, async () => { station = await api(stationPath(id), { method: "PATCH", body }); });
                if (good) { dialog.close(); head(); }
            } },
            field(t("station.name"), input), box,
            h("div", { class: "buttons" },
                h("button", { class: "main" }, t("save")),
                h("button", { type: "button", onclick: () => dialog.close() }, t("cancel")))));
        const open = () => { input.value = station.name ?? ""; dialog.showModal(); };
        return [h("button", { type: "button", class: "plain", onclick: open }, t("station.rename")), dialog];
    }

    for (const kind of ["reading", "alarm", "station"]) {
        on(app.live, kind, signal, ({ detail }) => detail.station === station.station && soon());
    }
    on(app.live, "resync", signal, soon);
    every(60_000, signal, soon);
}
