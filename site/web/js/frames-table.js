// A table of frames, on their own page and on a station's page.

import { h, table } from "./dom.js";
import { dateTime, number, quantity, t, valueName } from "./text.js";

/** `station` returns the name of a station id. It is null if all frames belong to one station. */
export function framesTable(caption, frames, { station }) {
    if (frames.length === 0) return h("p", {}, t("frames.empty"));
    const heads = [
        t("frames.time"), ...(station ? [t("frames.station")] : []), t("frames.session"),
        { n: t("frames.counter") }, { n: t("frames.lost") }, { n: t("frames.rssi") },
        t("frames.sealed"), t("frames.values"), t("frames.payload"),
    ];
    const values = (frame) => h("ul", { class: "inline" }, Object.entries(frame.values).map(([name, { value, unit }]) =>
        h("li", {}, `${valueName(name)} `, h("b", {}, name === "time" ? dateTime(value * 1000) : quantity(value, unit)))));
    const rows = frames.map((frame) => [
        // The gateway's clock was wrong, so show the time of storing instead.
        frame.plausible ? dateTime(frame.received)
            : [h("b", { class: "warn" }, dateTime(frame.received)), h("br"), t("frames.stored", { at: dateTime(frame.stored) })],
        ...(station ? [h("a", { href: `#/station/${encodeURIComponent(frame.station)}` }, station(frame.station))] : []),
        h("span", { class: "mono", title: frame.session }, frame.session.replace(/^0+(?=.)/, "")),
        { n: number(frame.counter) },
        { n: frame.lost_before > 0 ? h("b", { class: "warn" }, number(frame.lost_before)) : "0" },
        { n: frame.rssi === null ? "–" : `${number(frame.rssi)} dBm` },
        frame.authenticated ? t("frames.yes") : h("b", { class: "warn" }, t("frames.open")),
        values(frame),
        h("span", { class: "mono payload" }, frame.payload),
    ]);
    return table(caption, heads, rows, { hideCaption: true });
}
