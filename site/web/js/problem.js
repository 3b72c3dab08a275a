// Shows an error to the user: what happened, and what to do.

import { h } from "./dom.js";
import { known, t } from "./text.js";

/** A box that screen readers announce at once. If `again` is given, it has a retry button. */
export function problem(error, again) {
    const own = known(`error.${error.code}`);
    // The API's messages are English, whatever the page's language.
    const english = (text) => h("span", { lang: "en" }, text);
    const [before, after] = t("hint", { hint: "\u0000" }).split("\u0000");
    return h("div", { class: "problem", role: "alert" },
        h("p", {}, own ?? english(error.message)),
        error.hint && h("p", { class: "hint" }, before, english(error.hint), after),
        again && h("button", { type: "button", onclick: again }, t("retry")));
}

/** Runs a button's action. An error is shown in the box; a success clears it. */
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
