// One station: its charts, rain, link data and last frames.

import { api, stationPath } from "../api.js";
import { Chart } from "../chart.js";
import { field, fill, h } from "../dom.js";
import { every, on, throttled } from "../every.js";
import { framesTable } from "../frames-table.js";
import { attempt } from "../problem.js";
import { ago, dateTime, number, quantity, span, t, valueName } from "../text.js";
import { stateBadge } from "./stations.js";

const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const STEP_MS = { raw: null, minute: MINUTE, hour: HOUR, day: DAY };
/** The ranges, with the steps in which values and rain are shown. */
const RANGES = {
    "1h": { ms: HOUR, series: "raw", rain: "minute" },
    "24h": { ms: DAY, series: "minute", rain: "hour" },
    "7d": { ms: 7 * DAY, series: "hour", rain: "hour" },
    "30d": { ms: 30 * DAY, series: "hour", rain: "day" },
};
const FRAMES = 25;
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

export async function show({ main, argument: id, signal, app }) {
    let range = "24h";
    let station = await api(stationPath(id), { signal });
    const { rules } = await api("/rules", { signal });

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
            h("li", {}, `${t("alarm")}: ${alarm.alarm} · ${quantity(alarm.value, alarm.unit)}`))));
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

    async function rain(from, to) {
        const { rain: step } = RANGES[range];
        const got = await api(`${stationPath(id)}/rain`, { query: { from, to, step }, signal });
        const own = rules.filter((rule) => rule.kind === "rain" && (!rule.device || [station.station, station.device].includes(rule.device)));
        const text = (rule) => t("rain.limit", { name: rule.name, limit: quantity(rule.limit, "mm"), over: span(seconds(rule.over)) });
        // A limit for an hour is meaningless next to bars of a day.
        const fits = (rule) => seconds(rule.over) * 1000 === STEP_MS[step];
        const name = t(`rain.${step}.bars`);
        const total = quantity(got.total, got.unit);
        chart("rain", true).update({
            kind: "bars", title: name, unit: got.unit, from, to, step: STEP_MS[step], t: got.t,
            columns: { value: got.mm }, value: "value", badge: t("rain.total", { total }),
            note: own.filter((rule) => !fits(rule)).map(text).join("; "),
            label: t("rain.label", { title: name, total, most: quantity(Math.max(0, ...got.mm), got.unit) }),
            limits: own.filter(fits).map((rule) => ({ text: text(rule), value: rule.limit })),
        });
        chart("rain").element.dataset.total = got.total;
        chart("rain").element.dataset.sum = got.mm.reduce((sum, one) => sum + one, 0);
    }

    async function line(name, from, to) {
        const { series: step } = RANGES[range];
        const got = await api(`${stationPath(id)}/series`, { query: { name, from, to, step }, signal });
        const rolled = step !== "raw";
        const banded = rolled && step !== "minute";
        const columns = banded ? { min: got.min, mean: got.mean, max: got.max } : { value: rolled ? got.mean : got.last };
        const of = (column, reduce) => (column.length > 0 ? quantity(column.reduce((a, b) => reduce(a, b)), got.unit) : "–");
        const newest = station.values[name];
        chart(name).update({
            kind: "line", title: valueName(name), unit: got.unit, from, to, step: STEP_MS[step], t: got.t, columns,
            value: banded ? "mean" : "value",
            badge: newest && quantity(newest.value, newest.unit), note: banded ? t("chart.band") : "",
            label: t("chart.label", {
                name: valueName(name), range: t(`range.${range}`), last: of(got.last.slice(-1), (a) => a),
                min: of(rolled ? got.min : got.last, Math.min), max: of(rolled ? got.max : got.last, Math.max),
            }),
        });
    }

    async function draw() {
        const to = Date.now();
        const from = to - RANGES[range].ms;
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
        type: "button", "aria-pressed": String(one === range), "data-range": one,
        onclick: () => {
            range = one;
            buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.range === one)));
            attempt(problems, draw);
        },
    }, t(`range.${one}`)));
    const problems = h("div");

    head();
    fill(main,
        h("div", { class: "title" }, heading, badge, app.admin && rename()), sub, alarms,
        h("div", { class: "segments", role: "group", "aria-label": t("station.range") }, buttons), problems, figures,
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
