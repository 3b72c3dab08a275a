// The first run: a password of one's own, the site's name, the first station. The link of `selo up`
// holds the first password after the `#`, which a browser sends to no server.

import { api } from "../api.js";
import { field, fill, h } from "../dom.js";
import { every, on } from "../every.js";
import { attempt } from "../problem.js";
import { t } from "../text.js";
import { makeDesk } from "./devices.js";

const SHORTEST = 10;

/** The code of the link. It is kept here, because the page may be drawn again before it is used. */
let linked = "";
/** True once the code has let somebody in. */
let tried = false;

export const title = () => t("first.title");

export async function show({ main, argument, signal, app }) {
    if (argument) {
        linked = argument;
        // The code need not stay in the address bar and the history.
        history.replaceState(null, "", "#/first");
    }
    if (app.user) return station(main, signal, app);
    const input = (name, more) => h("input", { name, required: true, ...more });
    const secret = { type: "password", autocomplete: "new-password", minlength: SHORTEST, maxlength: "1024" };
    const wanted = input("password", secret);
    const again = input("again", secret);
    const name = input("site-name", { maxlength: "64", required: false });
    const zone = input("zone", { maxlength: "64", value: Intl.DateTimeFormat().resolvedOptions().timeZone });
    const typed = input("code", { value: linked, autocomplete: "off" });
    const box = h("div");
    const button = h("button", { class: "main" }, t("first.go"));
    const log = (password) => api("/login", { method: "POST", body: { user: "admin", password } });

    let me = null;
    /** Returns what `log` returns, or `null` if the password is wrong. */
    const trial = (password) => log(password).catch((error) => { if (error.status === 401) return null; throw error; });
    async function begin() {
        // The code works once. A second try after a refused time zone only names the site.
        if (!me) {
            const code = typed.value.trim();
            // The answer to an earlier try may have been lost after the password was changed.
            const known = tried && await trial(wanted.value);
            if (known) {
                me = known;
            } else {
                await log(code);
                tried = true;
                await api("/me/password", { method: "POST", body: { old: code, new: wanted.value } });
                me = await log(wanted.value);
            }
            linked = "";
            for (const done of [typed, wanted, again]) done.disabled = true;
        }
        await api("/site", { method: "PATCH", body: { name: name.value, zone: zone.value } });
        await app.loggedIn(me);
    }
    const submit = async (event) => {
        event.preventDefault();
        again.setCustomValidity(again.value === wanted.value ? "" : t("first.differ"));
        if (!again.reportValidity()) return;
        button.disabled = true;
        await attempt(box, begin);
        button.disabled = false;
    };
    const hidden = linked ? [] : [field(t("first.code"), typed, { help: t("first.code.help") })];
    fill(main, h("h1", {}, title()), h("form", { class: "login", onsubmit: submit, oninput: () => again.setCustomValidity("") },
        h("p", {}, t("first.text")), hidden,
        field(t("password.new"), wanted, { help: t("password.help", { count: SHORTEST }) }), field(t("first.again"), again),
        field(t("site.name"), name), field(t("site.zone"), zone), box, button,
        h("p", { class: "soft" }, h("a", { href: "#/login" }, t("first.known")))));
    (linked ? wanted : typed).focus();
}

/** The second step: the first station. */
async function station(main, signal, app) {
    const section = h("section", { id: "pairing" });
    const next = h("p", {}, h("a", { class: "button", href: "#/stations" }, t("first.stations")), " ", h("a", { class: "button", href: "#/map" }, t("first.map")));
    fill(main, h("h1", { tabindex: "-1" }, t("first.station")), h("p", {}, t("first.station.text")), section, next);
    try {
        const window = await api("/pairing", { signal });
        const desk = makeDesk(section, window, signal, () => {});
        on(app.live, "pairing", signal, desk);
        every(1000, signal, () => document.visibilityState === "visible" && desk());
    } catch (error) {
        if (error.name === "AbortError") throw error;
        fill(section, h("p", {}, t("stations.empty.hint")));
    }
}
