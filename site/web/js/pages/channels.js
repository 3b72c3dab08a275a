// Channels: how people are told of alarms, what waits for them, and a test.

import { api } from "../api.js";
import { ask, sure } from "../dialog.js";
import { field, fill, h, select } from "../dom.js";
import { every } from "../every.js";
import { attempt } from "../problem.js";
import { SEVERITIES } from "../severity.js";
import { ago, dateTime, languages, number, t } from "../text.js";
import en from "../lang/en.js";
import pt from "../lang/pt-BR.js";

const NAMES = { en: en.language, "pt-BR": pt.language };
/** The fields of each kind, and those that may stay empty. */
const KINDS = {
    email: ["server", "port", "security", "user", "secret", "from", "to"],
    ntfy: ["server", "topic", "secret"],
    telegram: ["secret", "topic"],
    webhook: ["url", "secret"],
};
const OPTIONAL = { email: ["user", "secret"], ntfy: ["secret"], telegram: [], webhook: ["secret"] };
const PORTS = { tls: 465, starttls: 587, none: 25 };

export const title = () => t("channels.title");

export async function show({ main, signal, app }) {
    const list = h("ul", { class: "cards" });
    const box = h("div");
    const none = h("p", {}, t("channels.none"));
    async function load() {
        const { channels } = await api("/channels", { signal });
        none.hidden = channels.length > 0;
        // A card keeps the result of its test while nothing else changes.
        if (list.dataset.shown === JSON.stringify(channels)) return;
        list.dataset.shown = JSON.stringify(channels);
        fill(list, channels.map((channel) => card(channel)));
    }

    function card(channel) {
        const result = h("div", { role: "status" });
        const test = h("button", { type: "button", onclick: async () => {
            test.disabled = true;
            fill(result, t("channels.testing"));
            await attempt(result, async () => {
                const { refused } = await api(`/channels/${channel.id}/test`, { method: "POST", body: {}, signal });
                fill(result, refused === null ? h("p", { class: "good" }, t("channels.tested")) : partly(refused));
            });
            test.disabled = false;
        } }, t("channels.test"));
        const remove = () => sure(t("channels.sure", { name: channel.name }), () =>
            attempt(box, async () => { await api(`/channels/${channel.id}`, { method: "DELETE", signal }); await load(); }));
        const pair = (name, value) => h("div", {}, h("dt", {}, t(`channels.${name}`)), h("dd", {}, value));
        const failing = channel.reason !== null;
        // The last message was delivered, but not to all.
        const isPartly = failing && channel.sent_at === channel.failed_at;
        const state = !channel.active ? "off" : failing ? "failing" : "working";
        return h("li", { class: "card", "data-channel": channel.id },
            h("h2", {}, channel.name, h("span", { class: `state ${failing ? "silent" : channel.active ? "online" : ""}` }, t(`channels.${state}`))),
            h("p", { class: "soft" }, t(`channel.${channel.kind}`), " · ", whom(channel)),
            h("dl", { class: "values" },
                pair("severity", t(`severity.from.${channel.severity}`)),
                pair("when", channel.after_minutes > 0 ? t("channels.after", { minutes: number(channel.after_minutes) }) : t("channels.atonce")),
                pair("quiet", channel.quiet ? `${channel.quiet.from} – ${channel.quiet.to}` : "–"),
                pair("waiting", number(channel.waiting)),
                pair("sent", channel.sent > 0 ? `${number(channel.sent)}, ${ago(channel.sent_at)}` : "0"),
                channel.dropped > 0 && pair("dropped", number(channel.dropped))),
            isPartly && partly(channel.reason),
            failing && !isPartly && h("p", { class: "bad" }, t("channels.reason", { at: dateTime(channel.failed_at), attempts: number(channel.attempts) }), " ", h("span", { lang: "en" }, channel.reason)),
            failing && channel.next && h("p", { class: "soft" }, t("channels.next", { at: dateTime(channel.next) })),
            result,
            h("div", { class: "buttons foot" }, test,
                h("button", { type: "button", class: "plain", "aria-label": `${t("change")}: ${channel.name}`, onclick: () => edit(channel, load, signal) }, t("change")),
                h("button", { type: "button", class: "plain", "aria-label": `${t("remove")}: ${channel.name}`, onclick: remove }, t("remove"))));
    }

    await load();
    const kinds = Object.keys(KINDS).map((kind) => h("button", { type: "button", "data-kind": kind, onclick: () => edit({ kind }, load, signal) }, t(`channel.${kind}`)));
    fill(main, h("h1", { tabindex: "-1" }, title()), h("p", {}, t("channels.text")),
        h("div", { class: "row", role: "group", "aria-label": t("channels.add") }, h("span", {}, t("channels.add")), kinds, h("a", { href: "#/alarms" }, t("alarms.title"))),
        box, none, list);
    every(5000, signal, () => load().catch(() => {}));
}

/** What a server says of the recipients that it refused. It speaks English, if anything. */
function partly(refused) {
    return h("p", { class: "bad" }, t("channels.partly"), " ", h("span", { lang: "en" }, refused));
}

function whom(channel) {
    if (channel.kind === "email") return channel.to.join(", ");
    if (channel.kind === "webhook") return channel.url;
    return `${channel.topic}${channel.kind === "ntfy" ? ` (${channel.server})` : ""}`;
}

/** A form for a new or an existing channel. Secrets are never sent back, so they are empty. */
function edit(channel, done, signal) {
    const { kind } = channel;
    const isNew = channel.id === undefined;
    const input = (name, more = {}) => h("input", { name, value: channel[name] ?? "", required: !OPTIONAL[kind].includes(name), maxlength: "256", ...more });
    const secret = (name) => input(name, {
        value: "", type: name === "url" ? "url" : "password", autocomplete: "new-password",
        required: isNew && !OPTIONAL[kind].includes(name), placeholder: isNew ? undefined : name === "url" ? channel.url : channel.has_secret ? t("channels.kept") : undefined,
    });
    const of = {
        server: () => input("server", { value: channel.server ?? (kind === "ntfy" ? "https://ntfy.sh" : ""), placeholder: kind === "email" ? "mail.example.org" : undefined }),
        port: () => input("port", { type: "number", min: "1", max: "65535", value: channel.port ?? 465 }),
        security: () => select(["tls", "starttls", "none"].map((one) => [one, t(`security.${one}`)]), channel.security ?? "tls", {
            name: "security", onchange: (event) => { inputs.port.value = PORTS[event.target.value]; },
        }),
        to: () => input("to", { value: (channel.to ?? []).join(", ") }),
        secret: () => secret("secret"), url: () => secret("url"),
    };
    const inputs = Object.fromEntries(KINDS[kind].map((name) => [name, (of[name] ?? (() => input(name)))()]));
    const common = {
        name: h("input", { name: "name", value: channel.name ?? "", required: true, maxlength: "64" }),
        severity: select(SEVERITIES.map((one) => [one, t(`severity.from.${one}`)]), channel.severity ?? "warning", { name: "severity" }),
        after_minutes: h("input", { name: "after_minutes", type: "number", min: "0", max: "1440", value: channel.after_minutes ?? 0 }),
        quiet_from: h("input", { name: "quiet_from", type: "time", value: channel.quiet?.from ?? "" }),
        quiet_to: h("input", { name: "quiet_to", type: "time", value: channel.quiet?.to ?? "" }),
        language: select(languages.map((one) => [one, NAMES[one]]), channel.language ?? document.documentElement.lang, { name: "language" }),
        active: select([["yes", t("channels.on")], ["no", t("channels.off")]], channel.active === false ? "no" : "yes", { name: "active" }),
    };
    const label = (name) => t(kind === "telegram" && name === "topic" ? "channels.chat" : name === "secret" ? `channels.secret.${kind}` : `channels.${name}`);
    const help = { after_minutes: t("channels.after.help"), quiet_from: t("channels.quiet.help"), to: t("channels.to.help") };
    const fields = [["name", common.name], ...Object.entries(inputs), ...Object.entries(common).slice(1)]
        .map(([name, control]) => field(label(name), control, { help: help[name] }));
    const read = () => {
        const text = (name) => inputs[name].value.trim();
        const body = {
            name: common.name.value.trim(), severity: common.severity.value, language: common.language.value,
            after_minutes: Number(common.after_minutes.value), active: common.active.value === "yes",
            quiet: { from: common.quiet_from.value, to: common.quiet_to.value },
        };
        if (!body.quiet.from && isNew) delete body.quiet;
        for (const name of KINDS[kind]) {
            if (name === "to") body.to = text("to").split(",").map((one) => one.trim()).filter(Boolean);
            else if (name === "port") body.port = Number(text("port"));
            else if (text(name) || (name !== "secret" && name !== "url")) body[name] = text(name);
        }
        return isNew ? { kind, ...body } : body;
    };
    ask(isNew ? t("channels.new", { kind: t(`channel.${kind}`) }) : channel.name, h("div", { class: "grid" }, fields), t("save"), async () => {
        await api(isNew ? "/channels" : `/channels/${channel.id}`, { method: isNew ? "POST" : "PATCH", body: read(), signal });
        await done();
    });
}
