// A small chart of the last 24 hours for a card: bars of rain, or a line.

import { s } from "./dom.js";
import { quantity, t, valueName } from "./text.js";

const [WIDTH, HEIGHT] = [240, 36];

/** `values`: one per hour, null without readings. */
export function spark(name, values, unit) {
    const known = values.filter((value) => value !== null);
    if (known.length < 2) return null;
    const bars = name.endsWith("_total");
    const [low, high] = [bars ? 0 : Math.min(...known), Math.max(...known)];
    const label = t("spark.label", { name: bars ? t("rain") : valueName(name), min: quantity(low, unit), max: quantity(high, unit) });
    const step = WIDTH / values.length;
    const top = (value) => HEIGHT - 2 - (high > low ? ((value - low) / (high - low)) * (HEIGHT - 4) : 0);
    const rounded = (number) => number.toFixed(1);
    const shapes = bars
        ? values.map((value, at) => value > 0 && s("rect", { x: rounded(at * step + 1), width: rounded(step - 2), y: rounded(top(value)), height: rounded(HEIGHT - top(value)) }))
        : s("path", { d: values.reduce(({ path, gap }, value, at) => value === null ? { path, gap: true }
            : { path: `${path}${gap ? "M" : "L"}${rounded((at + 0.5) * step)} ${rounded(top(value))}`, gap: false }, { path: "", gap: true }).path });
    return s("svg", { class: "spark", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
        s("path", { class: "base", d: `M0 ${HEIGHT - 0.5}H${WIDTH}` }), shapes);
}
