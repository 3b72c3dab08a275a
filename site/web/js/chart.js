// Charts drawn by uPlot: a line with a band, or bars with limits. Each has a text summary and a
// table of the same numbers.

import uPlot from "/vendor/uplot.js";
import { fill, h, table } from "./dom.js";
import { clockZone } from "./zone.js";
import { amount, clock, dateTime, day, number, quantity, t, unitSign } from "./text.js";

const HEIGHT = 200;
/** Dashes of an event's line. */
const DASHES = { restart: [2, 3], clock_lost: [6, 3], radio_lost: [6, 3, 1, 3] };
const ROWS_MAX = 500;
// Minimum width of a marked span, in pixels.
const MARKED_MIN = 8;
const DAY_S = 86_400;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function axes(unit, range) {
    const font = "12px system-ui, sans-serif";
    const common = { stroke: () => colour("soft"), font, ticks: { show: false } };
    const grid = { stroke: () => colour("line"), width: 1 };
    const time = (seconds) => (range > 2 * DAY_S ? day(seconds * 1000) : clock(seconds * 1000));
    return [
        { ...common, grid: { show: false }, space: 64, size: 28, values: (_, at) => at.map(time) },
        {
            ...common, grid, size: 52, label: unitSign(unit) || null, labelSize: 18, labelFont: font,
            values: (_, at) => at.map((value) => number(value)),
        },
    ];
}

/** A figure that holds a chart. `update` sets its data. The chart follows the page's width and
 * colours until the signal aborts. */
export class Chart {
    constructor(signal) {
        this.title = h("strong");
        this.badge = h("span", { class: "badge" });
        this.note = h("p");
        this.canvas = h("div", { class: "plot", role: "img" });
        this.rows = h("div");
        const details = h("details", { ontoggle: () => this.#table() },
            h("summary", {}, t("chart.table")), this.rows);
        this.details = details;
        this.element = h("figure", {},
            h("figcaption", {}, this.title, " ", this.badge, this.note), this.canvas, details);
        this.plot = null;
        this.given = null;
        const observer = new ResizeObserver(() => this.#resize());
        observer.observe(this.canvas);
        addEventListener("themechange", () => this.plot?.redraw(), { signal });
        signal.addEventListener("abort", () => {
            observer.disconnect();
            this.plot?.destroy();
        });
    }

    /** `given`: {kind: "line"|"bars", title, note, badge, label, unit, from, to (ms), step (ms),
     * t: [ms], columns: {name: [..]}, value: name of the drawn column, limits: [{text, value}],
     * events: [{at (ms), event}], other: {name, t, column} of another station,
     * zoom: called with the ends of a span that was marked with the pointer (ms)} */
    update(given) {
        const shape = (g) => g && JSON.stringify([g.kind, g.to - g.from, g.step, g.unit, Object.keys(g.columns), g.other?.name]);
        const same = shape(given) === shape(this.given);
        this.given = given;
        this.title.textContent = given.title;
        this.badge.textContent = given.badge ?? "";
        this.badge.hidden = !given.badge;
        this.note.textContent = given.note ?? "";
        this.note.hidden = !given.note;
        const limits = (given.limits ?? []).map((limit) => limit.text);
        this.canvas.setAttribute("aria-label", [given.label, ...limits].join("; "));
        this.#table();
        if (given.t.length === 0 && !given.other?.t.length) {
            this.plot?.destroy();
            this.plot = null;
            fill(this.canvas, h("p", { class: "nothing" }, t("chart.none")));
        } else if (same && this.plot) {
            this.plot.setData(this.#data(), true);
        } else {
            this.#draw();
        }
    }

    #data() {
        const { kind, t: times, columns, value, other } = this.given;
        const names = kind === "line" && columns.min ? ["min", "max", value] : [value];
        const data = [[], ...names.map(() => [])];
        const gap = this.#gap();
        times.forEach((time, at) => {
            // Do not draw a line across a gap in the data.
            if (kind === "line" && at > 0 && time - times[at - 1] > gap) {
                data[0].push((times[at - 1] + 1) / 1000);
                for (const column of data.slice(1)) column.push(null);
            }
            data[0].push(time / 1000);
            names.forEach((name, column) => data[column + 1].push(columns[name][at]));
        });
        return other ? uPlot.join([data, [other.t.map((time) => time / 1000), other.column]]) : data;
    }

    #gap() {
        const { t: times, step } = this.given;
        const gaps = times.slice(1).map((time, at) => time - times[at]).sort((a, b) => a - b);
        return Math.max(3 * (step ?? 0), 4 * (gaps[gaps.length >> 1] ?? 0));
    }

    #draw() {
        this.plot?.destroy();
        fill(this.canvas);
        const { kind, unit, from, to, columns, limits = [] } = this.given;
        const bars = kind === "bars";
        const band = !bars && columns.min;
        const stroke = () => colour("s0");
        const dot = (plot, series) => plot.data[series].length < 60;
        const line = { stroke, width: 1.75, points: { show: dot, size: 4 }, spanGaps: false };
        const edge = { stroke: "transparent", width: 0, points: { show: false } };
        const step = (this.given.step ?? 0) / 1000;
        const series = bars
            ? [{}, { stroke, fill: stroke, width: 0, points: { show: false }, paths: this.#bars(step) }]
            : band ? [{}, edge, edge, line] : [{}, line];
        if (this.given.other) {
            const paths = bars ? uPlot.paths.stepped({ align: 1 }) : undefined;
            series.push({ stroke: () => colour("wax"), width: 1.75, dash: [6, 3], points: { show: false }, paths });
        }
        const most = Math.max(0, ...limits.map((limit) => limit.value));
        const options = {
            width: this.#width(), height: HEIGHT, series,
            tzDate: (seconds) => (clockZone() ? uPlot.tzDate(new Date(seconds * 1000), clockZone()) : new Date(seconds * 1000)),
            axes: axes(unit, (to - from) / 1000),
            scales: {
                x: { time: true, range: () => this.#span() },
                y: bars
                    ? { range: (_, __, max) => [0, Math.max(1, max, most) * 1.08] }
                    : { range: (_, min, max) => this.#room(min, max) },
            },
            bands: band ? [{ series: [2, 1], fill: () => `color-mix(in srgb, ${colour("s0")} 18%, transparent)` }] : [],
            legend: { show: false },
            cursor: { drag: { x: Boolean(this.given.zoom), y: false, setScale: false }, points: { show: !bars }, y: false },
            padding: [8, 20, 0, 0],
            hooks: { draw: [(plot) => this.#limits(plot), (plot) => this.#events(plot)], setCursor: [(plot) => this.#read(plot)], setSelect: [(plot) => this.#marked(plot)] },
        };
        this.plot = new uPlot(options, this.#data(), this.canvas);
        this.tip = h("div", { class: "tip", hidden: true });
        this.plot.over.append(this.tip);
    }

    /** Hands on the span that was marked. A click marks a few pixels, which is not meant. */
    #marked(plot) {
        const { left, width } = plot.select;
        if (width < MARKED_MIN) return;
        const time = (at) => Math.round(plot.posToVal(at, "x") * 1000);
        const span = [time(left), time(left + width)];
        plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        this.given.zoom(...span);
    }

    /** Bars that reach from their time to the end of their step. */
    #bars(step) {
        return (plot, series, from, to) => {
            const path = new Path2D();
            const [times, values] = [plot.data[0], plot.data[series]];
            const base = plot.valToPos(0, "y", true);
            for (let at = from; at <= to; at += 1) {
                if (!(values[at] > 0)) continue;
                const left = plot.valToPos(times[at], "x", true);
                const right = plot.valToPos(times[at] + step, "x", true);
                const top = plot.valToPos(values[at], "y", true);
                const space = Math.min(2, (right - left) / 6);
                path.rect(left + space, top, Math.max(1, right - left - 2 * space), base - top);
            }
            return { stroke: null, fill: path, clip: null, flags: 1 };
        };
    }

    /** Extends the range so that the first and the last bar are shown whole. */
    #span() {
        const { kind, from, to, step, t: times } = this.given;
        const whole = kind === "bars" ? step : 1;
        // Days begin at midnight of the site's time zone.
        const start = (times[0] ?? 0) % whole;
        const snap = (time, round) => round((time - start) / whole) * whole + start;
        return [snap(from, Math.floor) / 1000, snap(to, Math.ceil) / 1000];
    }

    #room(min, max) {
        if (min === null || max === null) return [0, 1];
        for (const { value } of this.given.limits ?? []) [min, max] = [Math.min(min, value), Math.max(max, value)];
        const space = Math.max((max - min) * 0.1, Math.abs(max) * 0.005, 0.05);
        return [min - space, max + space];
    }

    #limits(plot) {
        const { ctx, bbox } = plot;
        ctx.save();
        ctx.strokeStyle = ctx.fillStyle = colour("bad");
        ctx.lineWidth = devicePixelRatio;
        ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
        ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
        ctx.textBaseline = "bottom";
        ctx.textAlign = "left";
        for (const limit of this.given.limits ?? []) {
            const y = plot.valToPos(limit.value, "y", true);
            ctx.beginPath();
            ctx.moveTo(bbox.left, y);
            ctx.lineTo(bbox.left + bbox.width, y);
            ctx.stroke();
            ctx.fillText(limit.text, bbox.left + 4 * devicePixelRatio, y - 2 * devicePixelRatio);
        }
        ctx.restore();
    }

    /** Draws a line at each event, in the dashes of its kind. */
    #events(plot) {
        const { ctx, bbox } = plot;
        ctx.save();
        ctx.strokeStyle = colour("soft");
        ctx.lineWidth = devicePixelRatio;
        for (const { at, event } of this.given.events ?? []) {
            const x = plot.valToPos(at / 1000, "x", true);
            if (x < bbox.left || x > bbox.left + bbox.width) continue;
            ctx.setLineDash(DASHES[event].map((dash) => dash * devicePixelRatio));
            ctx.beginPath();
            ctx.moveTo(x, bbox.top);
            ctx.lineTo(x, bbox.top + bbox.height);
            ctx.stroke();
        }
        ctx.restore();
    }

    /** Shows the values under the pointer. */
    #read(plot) {
        const { idx: at, left } = plot.cursor;
        const drawn = plot.data[plot.data.length - (this.given.other ? 2 : 1)][at] ?? null;
        this.tip.hidden = at === null || at === undefined || left < 0 || drawn === null;
        if (this.tip.hidden) return;
        this.tip.textContent = `${dateTime(plot.data[0][at] * 1000)}  ${quantity(drawn, this.given.unit)}`;
    }

    #width() {
        return Math.max(200, Math.floor(this.canvas.clientWidth || 600));
    }

    #resize() {
        if (this.plot && this.plot.width !== this.#width()) {
            this.plot.setSize({ width: this.#width(), height: HEIGHT });
        }
    }

    #table() {
        if (!this.details.open || !this.given) return;
        const { t: times, columns, unit, title } = this.given;
        const names = Object.keys(columns);
        const head = (name) => ({ n: `${t(`chart.${name}`)}${unitSign(unit) ? ` (${unitSign(unit)})` : ""}` });
        const order = times.map((_, at) => at).slice(-ROWS_MAX).reverse();
        const rows = order.map((at) => [
            dateTime(times[at]), ...names.map((name) => ({ n: amount(columns[name][at], unit) })),
        ]);
        fill(this.rows, table(title, [t("chart.time"), ...names.map(head)], rows, { hideCaption: true }),
            times.length > ROWS_MAX && h("p", { class: "soft" }, t("chart.newest", { shown: ROWS_MAX, all: times.length })));
    }
}
