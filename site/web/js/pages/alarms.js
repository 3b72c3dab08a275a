// Active and past alarms, and the alarm rules.

import { api } from "../api.js";
import { ask } from "../dialog.js";
import { field, fill, h, select, table } from "../dom.js";
import { on, throttled } from "../every.js";
import { pick } from "../pick.js";
import { attempt } from "../problem.js";
import { byUrgency, SEVERITIES, severityBadge } from "../severity.js";
import { dateTime, shown, t, valueName } from "../text.js";

export const title = () => t("alarms.title");

const KINDS = ["rain", "silent", "battery", "value"];
/** The form fields of each kind of rule. */
const FIELDS = {
    rain: ["over", "limit", "clear"], silent: ["over"], battery: ["limit", "clear"],
    value: ["value", "when", "limit", "clear"],
};

function alarmTable(caption, alarms, app, past) {
    const heads = [t("severity"), t("alarm"), t("alarm.station"), { n: t("alarm.value") }, { n: t("alarm.limit") }, t("alarm.since")];
    if (past) heads.push(t("alarm.cleared"));
    heads.push(t("alarm.acknowledged"));
    const rows = alarms.map((alarm) => [
        severityBadge(alarm.severity), alarm.alarm,
        h("a", { href: `#/station/${encodeURIComponent(alarm.station)}` }, app.stationName(alarm.station)),
        { n: shown(alarm.value, alarm.unit) }, { n: shown(alarm.limit, alarm.unit) }, dateTime(alarm.since),
        ...(past ? [dateTime(alarm.cleared)] : []), acknowledged(alarm, app, past),
    ]);
    return table(caption, heads, rows, { hideCaption: true });
}

/** Who takes care of an alarm, or a button for those who may. */
function acknowledged(alarm, app, past) {
    if (alarm.acknowledged) {
        const { at, person, note } = alarm.acknowledged;
        return h("span", {}, `${person}, ${dateTime(at)}`, note && h("span", { class: "soft note" }, note));
    }
    if (past || !app.operator) return "–";
    const label = t("alarm.acknowledge.of", { alarm: alarm.alarm, station: app.stationName(alarm.station) });
    return h("button", { type: "button", class: "plain", "aria-label": label, onclick: () => {
        const name = h("input", { name: "name", maxlength: "64", value: app.user.user, autocomplete: "name" });
        const note = h("input", { name: "note", maxlength: "500" });
        ask(label, [field(t("alarm.person"), name), field(t("alarm.note"), note)], t("alarm.acknowledge"), () =>
            api(`/alarms/${alarm.id}/acknowledge`, { method: "POST", body: { name: name.value, note: note.value } }));
    } }, t("alarm.acknowledge"));
}

export async function show({ main, signal, app }) {
    const active = h("div");
    const past = h("div");
    async function load() {
        const got = await api("/alarms", { signal });
        got.active.sort(byUrgency);
        fill(active, got.active.length > 0 ? alarmTable(t("alarms.active"), got.active, app, false) : h("p", {}, t("alarms.quiet")));
        fill(past, got.past.length > 0 ? alarmTable(t("alarms.past"), got.past, app, true) : h("p", {}, t("alarms.nopast")));
    }
    const [{ rules }] = await Promise.all([api("/rules", { signal }), load()]);
    fill(main, h("h1", { tabindex: "-1" }, title()),
        h("p", { class: "links" }, h("a", { href: "#/journal" }, t("journal.title")), app.admin && [" · ", h("a", { href: "#/channels" }, t("channels.title"))]),
        h("section", {}, h("h2", {}, t("alarms.active")), active),
        h("section", { id: "rules" }, h("h2", {}, t("rules.title")), app.admin ? editor(rules, app.names, signal) : listed(rules, app)),
        h("section", {}, h("h2", {}, t("alarms.past")), past));
    const soon = throttled(1000, signal, load);
    for (const kind of ["alarm", "acknowledged", "resync"]) on(app.live, kind, signal, soon);
}

function listed(rules, app) {
    if (rules.length === 0) return h("p", {}, t("rules.none"));
    const heads = ["name", "kind", "device", "over", "limit", "clear"].map((name) => t(`rules.${name}`)).concat(t("severity"));
    return table(t("rules.title"), heads, rules.map((rule) => [
        rule.name, rule.kind === "value" ? `${valueName(rule.value)} ${t(`when.${rule.when ?? "over"}`)}` : t(`kind.${rule.kind}`),
        rule.device ? app.stationName(rule.device) : t("rules.every"), rule.over ?? "–", rule.limit ?? "–", rule.clear ?? "–", severityBadge(rule.severity),
    ]), { hideCaption: true });
}

/** The rules as forms. The API replaces all rules at once, so they are saved together. */
function editor(rules, known, signal) {
    const list = h("div", { class: "rules" });
    const box = h("div", { role: "status" });
    const names = known.values;
    const stations = known.list();
    // A rule may name a device, and one that has not sent anything yet.
    const stationOf = (id) => stations.find(({ station }) => station === id)
        ?? { station: id, device: id, name: stations.find(({ device }) => device === id)?.name };

    function add(rule) {
        let of = rule.device ? stationOf(rule.device) : null;
        const number = (name) => h("input", { type: "number", step: "any", name, value: rule[name] ?? "" });
        const inputs = {
            name: h("input", { name: "name", required: true, pattern: "[A-Za-z0-9._\\-]+", maxlength: "32", value: rule.name ?? "" }),
            kind: select(KINDS.map((kind) => [kind, t(`kind.${kind}`)]), rule.kind, { name: "kind", onchange: () => fit() }),
            device: pick(of && !stations.includes(of) ? [...stations, of] : stations, of, { name: "device", none: t("rules.every"), onpick: (station) => { of = station; } }),
            value: select(names.concat(rule.value && !names.includes(rule.value) ? [rule.value] : []).map((name) => [name, valueName(name)]), rule.value ?? names[0], { name: "value" }),
            when: select(["over", "under"].map((when) => [when, t(`when.${when}`)]), rule.when ?? "over", { name: "when" }),
            over: h("input", { name: "over", value: rule.over ?? "1h" }),
            limit: number("limit"), clear: number("clear"),
            severity: select(SEVERITIES.map((one) => [one, t(`severity.${one}`)]), rule.severity ?? "warning", { name: "severity" }),
        };
        const legend = h("legend", {}, t("rules.rule", { name: rule.name ?? t("rules.new") }));
        const fields = Object.fromEntries(Object.entries(inputs).map(([name, input]) =>
            [name, field(t(name === "severity" ? name : `rules.${name}`), input, { help: name === "over" && t("rules.over.help") })]));
        const remove = h("button", {
            type: "button", class: "plain", "aria-label": `${t("remove")}: ${legend.textContent}`,
            onclick: () => { element.remove(); more.focus(); },
        }, t("remove"));
        const element = h("fieldset", { class: "rule" }, legend, Object.values(fields), remove);
        const fit = () => {
            for (const name of ["value", "when", "over", "limit", "clear"]) {
                const used = FIELDS[inputs.kind.value].includes(name);
                fields[name].hidden = !used;
                inputs[name].required = used && name !== "clear";
            }
        };
        fit();
        element.read = () => {
            const read = { name: inputs.name.value, kind: inputs.kind.value, device: of?.station ?? null, severity: inputs.severity.value };
            for (const name of FIELDS[read.kind]) {
                const text = inputs[name].value;
                if (text !== "") read[name] = name === "limit" || name === "clear" ? Number(text) : text;
            }
            return read;
        };
        list.append(element);
        return element;
    }

    rules.forEach(add);
    const more = h("button", { type: "button", onclick: () => add({ kind: "rain" }).querySelector("input").focus() }, t("rules.add"));
    const save = async (event) => {
        event.preventDefault();
        const body = { rules: [...list.children].map((element) => element.read()) };
        if (await attempt(box, () => api("/rules", { method: "PUT", body, signal }))) fill(box, h("p", { class: "good" }, t("saved")));
    };
    return h("form", { onsubmit: save }, list, box, h("div", { class: "buttons" }, more, h("button", { class: "main" }, t("rules.save"))));
}
