// Severities: a word, a colour and a shape, so that nobody depends on the colour.

import { h } from "./dom.js";
import { t } from "./text.js";

/** Worst first. */
export const SEVERITIES = ["critical", "warning", "info"];

export const severityBadge = (severity) => h("span", { class: `severity ${severity}` }, t(`severity.${severity}`));

/** Sorts alarms: the worst first, then those that nobody has acknowledged, then the newest. */
export function byUrgency(a, b) {
    return SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)
        || Boolean(a.acknowledged) - Boolean(b.acknowledged)
        || b.since.localeCompare(a.since);
}
