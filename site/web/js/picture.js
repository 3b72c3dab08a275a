// SVG pictures drawn at their current width and redrawn when it changes: means with their
// intervals, and paths of stations. A table on the page shows the same data.

import { fill, h, s } from "./dom.js";
import { number, t } from "./text.js";

/** Below this width, the text of a row takes two lines. */
const NARROW = 480;
const COLOURS = 5;
/** Approximate width of a letter. */
const LETTER = 6.7;

/** Round axis steps from 0, at most this many. */
export function steps(most, count) {
    const rough = (most || 1) / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
    return { step, top: Math.max(1, Math.ceil(most / step - 1e-9)) * step };
}

/** Formats milliseconds with the number of digits suitable for a time like `as`. */
export const milliseconds = (seconds, as = seconds) => {
    const ms = as * 1000;
    return number(seconds * 1000, ms < 10 ? 2 : ms < 100 ? 1 : 0);
};

/** A figure whose picture is drawn by `draw(width)`. */
export class Picture {
    #width = 0;
    #draw = null;

    constructor(signal) {
        this.box = h("div");
        this.caption = h("figcaption");
        this.element = h("figure", {}, this.caption, this.box);
        const observer = new ResizeObserver(() => this.#again());
        observer.observe(this.box);
        signal.addEventListener("abort", () => observer.disconnect());
    }

    update(title, note, draw) {
        fill(this.caption, h("b", {}, title), h("p", {}, note));
        this.#draw = draw;
        this.#width = 0;
        this.#again();
    }

    #again() {
        const width = Math.floor(this.box.clientWidth);
        if (width === this.#width || width === 0 || !this.#draw) return;
        this.#width = width;
        fill(this.box, this.#draw(width));
    }
}

const canvas = (width, height, label, ...children) =>
    s("svg", { class: "picture", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label }, ...children);

/** Means with their intervals, one per row: {name, more, ring, mean, low, high}, in seconds. */
export function means(rows, label) {
    return (width) => {
        const narrow = width < NARROW;
        const row = narrow ? 54 : 40;
        const [left, right, foot] = [8, 14, 26];
        const height = rows.length * row + foot;
        const { step, top } = steps(Math.max(...rows.map((one) => one.high ?? one.mean)) * 1000, narrow ? 3 : 5);
        const x = (seconds) => left + (seconds * 1000 / top) * (width - left - right);
        const digits = step < 1 ? Math.ceil(-Math.log10(step)) : 0;
        const grid = [];
        for (let at = 0; at <= top + step / 2; at += step) {
            const end = at === 0 ? "" : at + step > top ? "end" : "middle";
            const text = at + step > top ? `${number(at, digits)} ms` : number(at, digits);
            grid.push(s("line", { class: "grid", x1: x(at / 1000), x2: x(at / 1000), y1: 0, y2: height - foot + 4 }),
                s("text", { class: `soft ${end}`, x: end === "end" ? x(at / 1000) + right - 2 : x(at / 1000), y: height - 8 }, text));
        }
        const marks = rows.map((one, at) => {
            const y = at * row;
            const middle = y + row - 11;
            return s("g", { class: "s0" },
                s("text", { x: left, y: y + 15, class: "halo" }, narrow ? one.name : `${one.name}, ${one.more}`),
                narrow && s("text", { x: left, y: y + 31, class: "soft halo" }, one.more),
                s("text", { x: width - 2, y: y + (narrow ? 31 : 15), class: "end strong halo" }, `${milliseconds(one.mean)} ms`),
                one.low !== null && s("line", { class: "span", x1: Math.max(left, x(one.low)), x2: x(one.high), y1: middle, y2: middle }),
                s("circle", { class: one.ring ? "mark ring" : "mark", cx: x(one.mean), cy: middle, r: 4 }));
        });
        return canvas(width, height, label, grid, marks);
    };
}

const METRES = 111_320; // of a degree of latitude

/** Paths of stations. `track` has {station, latitude, longitude}, newest first. `last` has a name
 * for each station's dot. */
export function ways(track, last, label) {
    return (width) => {
        const height = Math.round(Math.min(420, Math.max(230, width * 0.5)));
        const latitudes = [...track, ...last].map((one) => one.latitude);
        const longitudes = [...track, ...last].map((one) => one.longitude);
        const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)];
        const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)];
        // A degree of longitude gets shorter towards the poles. The bound avoids a division by
        // zero there.
        const shrink = Math.max(0.05, Math.cos((south + north) / 2 * Math.PI / 180));
        const pad = { x: 46, y: 38 };
        const least = 200 / METRES;
        const scale = Math.min((width - 2 * pad.x) / Math.max((east - west) * shrink, least), (height - 2 * pad.y) / Math.max(north - south, least));
        const place = ({ latitude, longitude }) => [
            width / 2 + (longitude - (west + east) / 2) * shrink * scale,
            height / 2 - (latitude - (south + north) / 2) * scale,
        ].map((one) => Math.round(one * 10) / 10);
        const names = last.map((one) => one.station);
        const colour = (station) => `s${names.indexOf(station) % COLOURS}`;
        const paths = names.map((station) => {
            const points = track.filter((one) => one.station === station).map((one) => place(one).join(","));
            return points.length > 1 && s("polyline", { class: `way ${colour(station)}`, points: points.join(" ") });
        });
        // Leave out names that would overlap; the table has them.
        const taken = [];
        const dots = last.map((one) => {
            const [x, y] = place(one);
            const end = x > width / 2;
            const room = one.text.length * LETTER + 10;
            const box = { left: end ? x - room : x, right: end ? x : x + room, y };
            const free = taken.every((other) => Math.abs(other.y - y) > 15 || other.left > box.right || other.right < box.left);
            if (free) taken.push(box);
            return s("g", { class: colour(one.station) },
                s("circle", { class: "mark", cx: x, cy: y, r: 4.5 }),
                free && s("text", { class: end ? "end halo paper" : "halo paper", x: x + (end ? -10 : 10), y: y + 4 }, one.text));
        });
        // The longest round distance that fits a quarter of the width.
        const most = width / 4 / scale * METRES;
        const power = 10 ** Math.floor(Math.log10(most));
        const metres = [5, 2, 1].map((one) => one * power).find((one) => one <= most);
        const bar = metres / METRES * scale;
        const foot = height - 14;
        return canvas(width, height, label,
            s("rect", { class: "frame", x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 4 }),
            paths, dots,
            s("path", { class: "rule", d: `M12 ${foot - 5}v5h${bar}v-5` }),
            s("text", { class: "halo paper", x: 18 + bar, y: foot + 1 }, metres >= 1000 ? `${number(metres / 1000)} km` : `${number(metres)} m`),
            s("path", { class: "rule", d: `M${width - 16} 30v-18m-4 6l4-6l4 6` }),
            s("text", { class: "middle", x: width - 16, y: 44 }, t("exchange.north")));
    };
}
