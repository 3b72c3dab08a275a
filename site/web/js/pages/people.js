// The people who may log in, one's own password, the site's name and time zone, and its public
// page: parts of the settings.

import { api } from "../api.js";
import { ask, sure } from "../dialog.js";
import { field, fill, h, select, table } from "../dom.js";
import { shownName } from "../order.js";
import { LISTED, pick } from "../pick.js";
import { attempt } from "../problem.js";
import { t } from "../text.js";
import { setZone } from "../zone.js";

const ROLES = ["viewer", "operator", "admin"];
/** Minimum length of a password, as the server has it. */
const SHORTEST = 10;

const password = (name, autocomplete = "new-password") => h("input", {
    type: "password", name, autocomplete, required: true, minlength: autocomplete === "new-password" ? SHORTEST : undefined, maxlength: "1024",
});
const roles = (chosen) => select(ROLES.map((one) => [one, t(`role.${one}`)]), chosen, { name: "role" });

/** A button that changes one's own password. */
export function ownPassword(app) {
    return h("button", { type: "button", onclick: () => {
        const [old, wanted] = [password("old", "current-password"), password("new")];
        ask(t("password.own"), [field(t("password.old"), old), field(t("password.new"), wanted, { help: t("password.help", { count: SHORTEST }) })], t("save"), async () => {
            await api("/me/password", { method: "POST", body: { old: old.value, new: wanted.value } });
            // The change has ended this session, too.
            app.loggedIn(await api("/login", { method: "POST", body: { user: app.user.user, password: wanted.value } }));
        });
    } }, t("password.own"));
}

/** The list of users, for admins. */
export async function userDesk(section, signal) {
    const box = h("div");
    const list = h("div");
    const change = (name, body) => api(`/users/${encodeURIComponent(name)}`, { method: "PATCH", body, signal });

    async function load() {
        const { users } = await api("/users", { signal });
        const button = (name, key, work) => h("button", { type: "button", class: "plain", "aria-label": `${t(key)}: ${name}`, onclick: work }, t(key));
        fill(list, table(t("users.title"), [t("users.name"), t("tokens.role"), t("change")], users.map(({ name, role }) => [name, t(`role.${role}`),
            h("span", { class: "inline" },
                button(name, "users.role", () => { const chosen = roles(role); ask(`${t("users.role")}: ${name}`, field(t("tokens.role"), chosen), t("save"), async () => { await change(name, { role: chosen.value }); await load(); }); }),
                button(name, "login.password", () => { const typed = password("password"); ask(`${t("login.password")}: ${name}`, field(t("password.new"), typed), t("save"), () => change(name, { password: typed.value })); }),
                button(name, "remove", () => sure(t("users.sure", { name }), () => attempt(box, async () => { await api(`/users/${encodeURIComponent(name)}`, { method: "DELETE", signal }); await load(); })))),
        ]), { hideCaption: true }));
    }
    const make = () => {
        const name = h("input", { name: "user-name", required: true, maxlength: "32", pattern: "[A-Za-z0-9._\\-]+", autocomplete: "off" });
        const [role, typed] = [roles("viewer"), password("password")];
        ask(t("users.make"), [field(t("users.name"), name), field(t("tokens.role"), role, { help: t("users.roles") }), field(t("login.password"), typed, { help: t("password.help", { count: SHORTEST }) })], t("users.make"), async () => {
            await api("/users", { method: "POST", body: { name: name.value, role: role.value, password: typed.value }, signal });
            await load();
        });
    };
    section.append(h("p", {}, t("users.roles")), h("div", { class: "buttons" }, h("button", { type: "button", class: "main", onclick: make }, t("users.make"))), box, list);
    await load();
}

/** Name and time zone of the site, for admins. */
export async function siteDesk(section, signal) {
    const site = await api("/site", { signal });
    const box = h("div", { role: "status" });
    const name = h("input", { name: "site-name", maxlength: "64", value: site.name });
    const zones = h("datalist", { id: "zones" }, (Intl.supportedValuesOf?.("timeZone") ?? []).map((zone) => h("option", { value: zone })));
    const zone = h("input", { name: "zone", list: "zones", maxlength: "64", value: site.zone_chosen ? site.zone : "", placeholder: "UTC", required: site.zone_chosen });
    const save = async (event) => {
        event.preventDefault();
        // An empty field leaves the zone unset.
        const body = { name: name.value, ...(zone.value && { zone: zone.value }) };
        if (await attempt(box, async () => setZone(await api("/site", { method: "PATCH", body, signal })))) fill(box, h("p", { class: "good" }, t("saved")));
    };
    const browser = Intl.DateTimeFormat().resolvedOptions().timeZone;
    section.append(h("form", { class: "row", onsubmit: save }, field(t("site.name"), name), field(t("site.zone"), zone, { help: t("site.zone.help", { zone: browser }) }), zones, h("button", { class: "main" }, t("save"))), box);
}

/** What of the site is public, for admins. */
export async function publicDesk(section, signal, app) {
    const shown = await api("/public", { signal });
    const stations = app.names.list();
    const box = h("div", { role: "status" });
    const enabled = select([["no", t("channels.off")], ["yes", t("channels.on")]], shown.enabled ? "yes" : "no", { name: "public" });
    const heading = h("input", { name: "public-title", maxlength: "80", value: shown.title });
    const check = (station) => h("label", { class: "check" },
        h("input", { type: "checkbox", value: station.station, checked: shown.stations.includes(station.station) }), " ", shownName(station));
    // Of many stations only the chosen ones are listed, and a field adds others.
    const isLong = stations.length > LISTED;
    const boxes = h("fieldset", { class: "checks" }, h("legend", {}, t("public.stations")),
        stations.filter(({ station }) => !isLong || shown.stations.includes(station)).map(check));
    const inputs = () => [...boxes.querySelectorAll("input")];
    const adding = h("div");
    const offer = () => fill(adding, isLong && field(t("public.add"), pick(stations, null, { name: "public-add", none: t("public.search"), onpick: (station) => {
        if (!inputs().some((input) => input.value === station.station)) boxes.append(check(station));
        inputs().find((input) => input.value === station.station).checked = true;
        offer();
        adding.querySelector("input").focus();
    } })));
    offer();
    const address = `${location.origin}/public`;
    const link = h("p", {}, h("a", { href: "/public", target: "_blank", rel: "noopener" }, address), ". ", t("public.frame"), " ",
        h("code", {}, `<iframe src="${address}" title="Selo" width="100%" height="400"></iframe>`));
    const save = async (event) => {
        event.preventDefault();
        const chosen = inputs().filter((input) => input.checked).map((input) => input.value);
        const body = { enabled: enabled.value === "yes", title: heading.value.trim(), stations: chosen };
        if (!await attempt(box, () => api("/public", { method: "PUT", body, signal }))) return;
        link.hidden = !body.enabled;
        fill(box, h("p", { class: "good" }, t("saved")));
    };
    link.hidden = !shown.enabled;
    section.append(h("p", {}, t("public.text")), h("form", { onsubmit: save },
        h("div", { class: "row" }, field(t("channels.active"), enabled), field(t("public.heading"), heading)),
        boxes, adding, box,
        h("div", { class: "buttons" }, h("button", { class: "main" }, t("save")))), link);
}
