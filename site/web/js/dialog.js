// Dialogs: a question before an action that cannot be undone, and a small form.

import { h } from "./dom.js";
import { attempt } from "./problem.js";
import { t } from "./text.js";

function open(label, ...children) {
    const from = document.activeElement;
    const dialog = h("dialog", { "aria-label": label, onclose: () => { dialog.remove(); from?.isConnected && from.focus(); } }, children);
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
}

const cancel = () => h("button", { type: "button", onclick: (event) => event.target.closest("dialog").close() }, t("cancel"));

/** Asks for confirmation before an action that cannot be undone. */
export function sure(question, work, verb = t("remove")) {
    const dialog = open(question,
        h("p", {}, question),
        h("div", { class: "buttons" },
            h("button", { type: "button", class: "main", onclick: () => { dialog.close(); work(); } }, verb), cancel()));
}

/** Shows a form. `work` runs when it is sent; the dialog closes if it succeeds. */
export function ask(title, fields, verb, work) {
    const box = h("div");
    const submit = async (event) => {
        event.preventDefault();
        if (await attempt(box, work)) dialog.close();
    };
    const dialog = open(title, h("form", { onsubmit: submit },
        h("h2", {}, title), fields, box, h("div", { class: "buttons" }, h("button", { class: "main" }, verb), cancel())));
}
