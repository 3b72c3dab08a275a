// The login page.

import { api } from "../api.js";
import { field, fill, h } from "../dom.js";
import { attempt } from "../problem.js";
import { t } from "../text.js";

export const title = () => t("login.title");

export function show({ main, app }) {
    const user = h("input", { name: "user", autocomplete: "username", required: true, autocapitalize: "none", spellcheck: "false" });
    const password = h("input", { name: "password", type: "password", autocomplete: "current-password", required: true });
    const box = h("div");
    const button = h("button", { class: "main" }, t("login.go"));
    const submit = async (event) => {
        event.preventDefault();
        button.disabled = true;
        let me;
        const body = { user: user.value, password: password.value };
        const good = await attempt(box, async () => { me = await api("/login", { method: "POST", body }); });
        button.disabled = false;
        if (good) return app.loggedIn(me);
        password.value = "";
        password.focus();
    };
    fill(main, h("h1", {}, title()),
        h("form", { class: "login", onsubmit: submit },
            field(t("login.user"), user), field(t("login.password"), password), box, button,
            h("p", { class: "soft" }, t("login.first"))));
    user.focus();
}
