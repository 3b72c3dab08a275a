// One month of a station, made for printing: rain by day, extremes, and how much was received.

import { api, stationPath } from "../api.js";
import { field, fill, h, table } from "../dom.js";
import { shownName } from "../order.js";
import { attempt } from "../problem.js";
import { amount, day, number, quantity, t, unitSign, valueName } from "../text.js";
import { dayKey, daysOf, dayZone, startOf } from "../zone.js";

const DAY = 86_400_000;
/** Values without a column: the clock, bit fields, and totals (their growth has a column). */
const ASIDE = /^(time|status|.*_total)$/;

export const title = () => t("month.title");

/** The columns of a value. */
const EXTREMES = ["min", "max"];

const thisMonth = () => dayKey(Date.now()).slice(0, 7);

export async function show({ main, argument: id, signal }) {
    const station = await api(stationPath(id), { signal });
    const sheet = h("div");
    const problems = h("div");
    const input = h("input", { type: "month", name: "month", value: thisMonth(), max: thisMonth(), required: true, pattern: "[0-9]{4}-[0-9]{2}" });
    const go = () => input.reportValidity() && attempt(problems, async () => { await load(input.value); });
    input.addEventListener("change", go);

    async function load(month) {
        const days = daysOf(month);
        const span = { from: startOf(days[0]), to: startOf(dayKey(startOf(days.at(-1)) + 1.5 * DAY)), step: "day" };
        const names = Object.keys(station.values).filter((name) => !ASIDE.test(name));
        const hasRain = "rain_total" in station.values;
        const [rain, ...series] = await Promise.all([
            hasRain ? api(`${stationPath(id)}/rain`, { query: span, signal }) : null,
            ...names.map((name) => api(`${stationPath(id)}/series`, { query: { name, ...span }, signal })),
        ]);
        fill(sheet, h("section", {}, h("h2", {}, month), figures(days, rain, series)), h("section", {}, sheetOf(days, rain, series)));
    }

    /** What the month is remembered for. */
    function figures(days, rain, series) {
        const heard = new Set(series.flatMap((one) => one.t.map(dayKey)));
        const known = days.filter((one) => one >= dayKey(Date.parse(station.first_seen)) && one <= dayKey(Date.now()));
        const most = rain && Math.max(0, ...rain.mm);
        const pairs = [
            rain && [t("month.rain"), quantity(rain.total, rain.unit)],
            rain && [t("month.wettest"), most > 0 ? `${quantity(most, rain.unit)}, ${day(rain.t[rain.mm.indexOf(most)])}` : "–"],
            rain && [t("month.wet"), number(rain.mm.filter((mm) => mm > 0).length)],
            ...series.filter((one) => one.t.length > 0).map((one) => [valueName(one.name),
                t("month.between", { min: quantity(Math.min(...one.min), one.unit), max: quantity(Math.max(...one.max), one.unit) })]),
            [t("month.missing"), number(known.filter((one) => !heard.has(one)).length)],
        ];
        return h("dl", { class: "details" }, pairs.filter(Boolean).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
    }

    function sheetOf(days, rain, series) {
        const unit = (one) => (unitSign(one.unit) ? ` (${unitSign(one.unit)})` : "");
        const heads = [t("month.day"), ...(rain ? [{ n: `${t("rain")}${unit(rain)}` }] : []),
            ...series.flatMap((one) => EXTREMES.map((what) => ({ n: `${valueName(one.name)}, ${t(`chart.${what}`).toLowerCase()}${unit(one)}` }))),
            { n: t("month.readings") }];
        const keys = new Map([rain, ...series].filter(Boolean).map((one) => [one, one.t.map(dayKey)]));
        const at = (one, key) => keys.get(one).indexOf(key);
        const rows = days.filter((key) => key <= dayKey(Date.now())).map((time) => [
            day(Date.parse(time), "UTC"),
            ...(rain ? [{ n: at(rain, time) < 0 ? "–" : amount(rain.mm[at(rain, time)], rain.unit) }] : []),
            ...series.flatMap((one) => EXTREMES.map((what) => ({ n: at(one, time) < 0 ? "–" : amount(one[what][at(one, time)], one.unit) }))),
            { n: number(Math.max(0, ...series.map((one) => one.count[at(one, time)] ?? 0))) },
        ]);
        return table(t("month.sheet"), heads, rows, { hideCaption: true });
    }

    fill(main,
        h("h1", { tabindex: "-1" }, `${shownName(station)}: ${t("month.title")}`),
        h("p", { class: "soft" }, [station.name && station.device, station.site, t("month.zone", { zone: dayZone() })].filter(Boolean).join(" · ")),
        h("div", { class: "row tools" }, field(t("month.month"), input),
            h("button", { type: "button", class: "main", onclick: () => print() }, t("month.print")),
            h("a", { href: `#/station/${encodeURIComponent(id)}` }, t("month.back"))),
        problems, sheet);
    await load(input.value);
}
