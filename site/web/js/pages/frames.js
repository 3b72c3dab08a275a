// The frame log, newest first.

import { api } from "../api.js";
import { field, fill, h } from "../dom.js";
import { on, throttled } from "../every.js";
import { framesTable } from "../frames-table.js";
import { pick } from "../pick.js";
import { attempt } from "../problem.js";
import { t } from "../text.js";

const PAGE = 50;

export const title = () => t("frames.title");

export async function show({ main, signal, app }) {
    // The device is what the log of a gateway names.
    const stations = app.names.list().map((one) => ({ ...one, name: one.name && `${one.name} (${one.device})` }));
    let of = null;
    const which = pick(stations, of, { none: t("all"), onpick: (station) => { of = station; attempt(problems, load); } });
    const problems = h("div");
    const rows = h("div");
    const more = h("button", { type: "button", onclick: () => attempt(problems, older) }, t("more"));
    const save = h("a", { download: "readings.csv" }, t("frames.export"));
    let frames = [];
    let next = null;

    const get = (before) => api("/frames", { query: { device: of?.station, limit: PAGE, before }, signal });
    const draw = () => {
        fill(rows, framesTable(title(), frames, { station: app.stationName }));
        more.hidden = next === null;
        save.href = `/api/v1/export?${new URLSearchParams(of ? { device: of.station } : {})}`;
    };
    async function load() {
        ({ frames, next } = await get());
        draw();
    }
    async function older() {
        const got = await get(next);
        frames = [...frames, ...got.frames];
        next = got.next;
        draw();
    }

    await load();
    fill(main, h("h1", { tabindex: "-1" }, title()),
        h("div", { class: "tools" }, field(t("frames.station"), which), save), problems, rows, more);
    // Only the first page is live, so that older pages do not move while being read.
    const soon = throttled(2000, signal, () => (frames.length <= PAGE && !rows.contains(document.activeElement) ? load() : null));
    on(app.live, "reading", signal, soon);
    on(app.live, "resync", signal, soon);
}
