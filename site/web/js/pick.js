// The choice of a station: a list, or with many stations a field that searches.

import { h, select } from "./dom.js";
import { shownName } from "./order.js";

/** Maximum stations of a list. */
const LISTED = 50;

let ids = 0;

/** Builds the control. `none` is the text for no station. `onpick` gets the station or `null`. */
export function pick(stations, chosen, { name, none, onpick }) {
    if (stations.length <= LISTED) {
        const list = select([["", none], ...stations.map((one) => [one.station, shownName(one)])], chosen?.station ?? "", {
            name, onchange: () => onpick(stations.find((one) => one.station === list.value) ?? null),
        });
        return list;
    }
    const names = new Map();
    for (const one of stations) {
        const text = shownName(one);
        // Two stations may have the same name.
        names.set(names.has(text) ? `${text} (${one.station})` : text, one);
    }
    const textOf = (wanted) => [...names].find(([, one]) => one.station === wanted?.station)?.[0] ?? "";
    const options = h("datalist", { id: `pick-${++ids}` }, [...names.keys()].map((value) => h("option", { value })));
    let last = chosen ?? null;
    const input = h("input", {
        name, type: "search", list: options.id, placeholder: none, value: textOf(chosen), autocomplete: "off",
        onchange: () => {
            const text = input.value.trim();
            const wanted = text.toLowerCase();
            const entries = [...names];
            const found = names.get(text)
                ?? entries.find(([name, one]) => [name, one.station, one.device].some((known) => known.toLowerCase() === wanted))?.[1]
                ?? (wanted ? entries.find(([name]) => name.toLowerCase().includes(wanted))?.[1] : undefined);
            // What matches nothing leaves the choice as it was.
            const next = wanted === "" ? null : found ?? last;
            input.value = textOf(next);
            if (next === last) return;
            last = next;
            onpick(next);
        },
    }, options);
    // A list inside of its input is found by its id all the same, and the control stays one element.
    return input;
}
