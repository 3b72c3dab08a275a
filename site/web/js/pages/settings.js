// Language and colours of this browser, and API tokens.

import { api } from "../api.js";
import { ask, sure } from "../dialog.js";
import { field, fill, h, select, table } from "../dom.js";
import { applyTheme, prefer, preference } from "../preferences.js";
import { attempt, problem } from "../problem.js";
import { dateTime, languages, t } from "../text.js";
import { ownPassword, publicDesk, siteDesk, userDesk } from "./people.js";
import en from "../lang/en.js";
import pt from "../lang/pt-BR.js";

const NAMES = { en: en.language, "pt-BR": pt.language };
const ROLES = ["device", "viewer", "operator", "admin"];

export const title = () => t("settings.title");

export async function show({ main, signal, app }) {
    const browser = ["", t("settings.browser")];
    const language = select([browser, ...languages.map((one) => [one, NAMES[one]])], preference("language"), {
        name: "language", onchange: () => { prefer("language", language.value); app.restart(); },
    });
    const theme = select([browser, ...["light", "dark"].map((one) => [one, t(`theme.${one}`)])], preference("theme"), {
        name: "theme", onchange: () => { prefer("theme", theme.value); applyTheme(theme.value); },
    });
    const tokens = h("section", { id: "tokens" }, h("h2", {}, t("tokens.title")));
    const users = h("section", { id: "users", hidden: !app.admin }, h("h2", {}, t("users.title")));
    const site = h("section", { id: "site", hidden: !app.admin }, h("h2", {}, t("site.title")));
    const open = h("section", { id: "public", hidden: !app.admin }, h("h2", {}, t("public.title")));
    fill(main, h("h1", { tabindex: "-1" }, title()),
        h("section", {}, h("h2", {}, t("settings.here")), h("div", { class: "row" }, field(t("settings.language"), language), field(t("settings.theme"), theme), ownPassword(app))), site, open, users,
        h("section", {}, h("h2", {}, t("settings.research")),
            h("ul", {}, ["report", "exchange"].map((page) => h("li", {}, h("a", { href: `#/${page}` }, t(`nav.${page}`)), `: ${t(`${page}.text`)}`)))),
        tokens);
    const desks = [[site, siteDesk], [open, publicDesk], [users, userDesk], [tokens, tokenDesk]];
    if (app.admin) await Promise.all(desks.map(([section, desk]) => desk(section, signal, app).catch((error) => section.append(problem(error)))));
    else tokens.append(h("p", {}, t("tokens.admin")));
}

async function tokenDesk(section, signal) {
    const box = h("div");
    const once = h("div", { role: "status" });
    const list = h("div");
    const name = h("input", { name: "token-name", required: true, maxlength: "32", pattern: "[A-Za-z0-9._\\-]+" });
    const stations = h("input", { name: "token-stations", pattern: "[A-Za-z0-9._\\-* ]*" });
    const role = select(ROLES.map((one) => [one, t(`role.${one}`)]), "device", { name: "token-role" });

    async function load() {
        const { tokens } = await api("/tokens", { signal });
        const heads = [t("tokens.name"), t("tokens.role"), t("tokens.stations"), t("tokens.created"), t("change")];
        const own = (token) => token.stations?.map((one) => one === "*" ? t("tokens.all") : one).join(", ") ?? "–";
        const remove = (token) => h("button", {
            type: "button", class: "plain", "aria-label": t("tokens.remove", { name: token.name }),
            onclick: () => sure(t("tokens.sure", { name: token.name }), () =>
                attempt(box, async () => { await api(`/tokens/${token.id}`, { method: "DELETE", signal }); await load(); })),
        }, t("remove"));
        const change = (token) => h("button", {
            type: "button", class: "plain", "aria-label": `${t("change")}: ${token.name}`,
            onclick: () => {
                const name = h("input", { name: "name", required: true, maxlength: "32", pattern: "[A-Za-z0-9._\\-]+", value: token.name });
                const own = h("input", { name: "stations", pattern: "[A-Za-z0-9._\\-* ]*", value: (token.stations ?? []).join(" ") });
                const fields = [field(t("tokens.name"), name), token.stations && field(t("tokens.stations"), own)];
                ask(`${t("change")}: ${token.name}`, fields, t("save"), async () => {
                    const body = { name: name.value, ...(token.stations && { stations: own.value.split(" ").filter(Boolean) }) };
                    await api(`/tokens/${token.id}`, { method: "PATCH", body, signal });
                    await load();
                });
            },
        }, t("change"));
        fill(list, tokens.length === 0 ? h("p", {}, t("tokens.none")) : table(t("tokens.title"), heads,
            tokens.map((token) => [token.name, t(`role.${token.role}`), own(token), dateTime(token.created), h("span", { class: "inline" }, change(token), remove(token))]), { hideCaption: true }));
    }

    const make = async (event) => {
        event.preventDefault();
        await attempt(box, async () => {
            const named = stations.value.split(" ").filter(Boolean);
            const body = { name: name.value, role: role.value, ...(named.length > 0 && { stations: named }) };
            const made = await api("/tokens", { method: "POST", body, signal });
            fill(once, h("p", { class: "once" }, t("tokens.once"), " ", h("code", {}, made.token)));
            name.value = stations.value = "";
            await load();
        });
    };
    section.append(h("p", {}, t("tokens.text"), " ", t("tokens.scope")),
        h("form", { class: "row", onsubmit: make }, field(t("tokens.name"), name), field(t("tokens.role"), role), field(t("tokens.stations"), stations), h("button", { class: "main" }, t("tokens.make"))),
        box, once, list);
    await load();
}
