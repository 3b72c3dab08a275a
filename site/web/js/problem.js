// An error as the user sees it: what happened, and what to do.

import { h } from "./dom.js";
import { known, t } from "./text.js";

/** A box that is read out at once; `again` is offered as a button. */
export function problem(error, again) {
    const own = known(`error.${error.code}`);
    // What the API says is English, whatever the page's language is.
    const english = (text) => h("span", { lang: "en" }, text);
    const [before, after] = t("hint", { hint: "\u0000" }).split("\u0000");
    return h("div", { class: "problem", role: "alert" },
        h("p", {}, own ?? english(error.message)),
        error.hint && h("p", { class: "hint" }, before, english(error.hint), after),
        again && h("button", { type: "button", onclick: again }, t("retry")));
}

/** Runs what a button does; an error is shown in the box, a success empties it. */
export async function attempt(box, work) {
    box.replaceChildren();
    try {
        await work();
        return true;
    } catch (error) {
        if (error.name !== "AbortError") box.replaceChildren(problem(error));
        return false;
    }
}
