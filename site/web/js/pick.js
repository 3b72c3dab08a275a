// The choice of a station: a list, or with many stations a field that searches.

import { h, select } from "./dom.js";
import { shownName } from "./order.js";

/** Maximum stations of a list. */
export const LISTED = 50;
/** Stations that the field proposes. */
const PROPOSED = 20;

let ids = 0;

/** Builds the control. `none` is the text for no station. `onpick` gets the station or `null`. */
export function pick(stations, chosen, { name, none, onpick }) {
    if (stations.length <= LISTED) {
        const list = select([["", none], ...stations.map((one) => [one.station, shownName(one)])], chosen?.station ?? "", {
            name, onchange: () => onpick(stations.find((one) => one.station === list.value) ?? null),
        });
        return list;
    }
    const named = new Map();
    for (const one of stations) {
        const text = shownName(one);
        // Two stations may have the same name.
        named.set(named.has(text) ? `${text} (${one.station})` : text, one);
    }
    const entries = [...named];
    const textOf = (wanted) => entries.find(([, one]) => one.station === wanted?.station)?.[0] ?? "";
    const fits = (wanted) => ([text, one]) => [text, one.station, one.device].some((known) => known.toLowerCase().includes(wanted));
    const options = h("datalist", { id: `pick-${++ids}` });
    /** A thousand options in each of many choices would be slow, so only a few are built. */
    const propose = () => {
        const some = entries.filter(fits(input.value.trim().toLowerCase())).slice(0, PROPOSED);
        options.replaceChildren(...some.map(([value]) => h("option", { value })));
    };
    let last = chosen ?? null;
    const input = h("input", {
        name, type: "search", list: options.id, placeholder: none, value: textOf(chosen), autocomplete: "off",
        onfocus: propose, oninput: propose,
        onchange: () => {
            const wanted = input.value.trim().toLowerCase();
            const isIt = ([text, one]) => [text, one.station, one.device].some((known) => known.toLowerCase() === wanted);
            const fitting = entries.filter(fits(wanted));
            const only = fitting.length === 1 ? fitting[0] : undefined;
            const found = named.get(input.value.trim()) ?? (entries.find(isIt) ?? only)?.[1];
            // What matches nothing, or several, leaves the choice as it was.
            const next = wanted === "" ? null : found ?? last;
            input.value = textOf(next);
            if (next?.station === last?.station) return;
            last = next;
            onpick(next);
        },
    }, options);
    // A list inside of its input is found by its id all the same, and the control stays one element.
    return input;
}
