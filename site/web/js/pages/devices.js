// The gateway's devices, and pairing: the user types the six digits that the node shows.

import { api } from "../api.js";
import { ask, sure } from "../dialog.js";
import { field, fill, h, select, table } from "../dom.js";
import { every, on } from "../every.js";
import { attempt, problem } from "../problem.js";
import { ago, date, dateTime, t } from "../text.js";

export const title = () => t("devices.title");

export async function show({ main, signal, app }) {
    const pairing = h("section", { id: "pairing" });
    const list = h("section", { id: "devices" });
    const heading = h("h1", { tabindex: "-1" }, title());
    let first;
    try {
        first = await api("/pairing", { signal });
    } catch (error) {
        if (error.status === 401 || error.name === "AbortError") throw error;
        // Without a gateway, show only the error and its hint.
        fill(main, heading, problem(error));
        return;
    }
    fill(main, heading, pairing, list);
    const devices = async () => fill(list, h("h2", {}, t("devices.list")), deviceTable(await api("/devices", { signal }), () => devices().catch(() => {}), signal));
    const desk = makeDesk(pairing, first, signal, () => devices().catch(() => {}));
    await devices().catch((error) => fill(list, problem(error)));
    on(app.live, "pairing", signal, desk);
    every(1000, signal, () => document.visibilityState === "visible" && desk());
}

/** Shows the window's state, and the next step. */
export function makeDesk(section, first, signal, changed) {
    const status = h("div", { role: "status" });
    const box = h("div");
    const work = h("div");
    fill(section, h("h2", {}, t("pairing.title")), status, box, work);
    let shown = "";

    const act = (body) => attempt(box, async () => take(await api("/pairing", { method: "POST", body, signal })));
    const button = (text, body, kind) => h("button", { type: "button", class: kind, onclick: () => act(body) }, t(text));

    function opening() {
        const name = h("input", { maxlength: "64" });
        return h("form", { class: "row", onsubmit: (event) => {
            event.preventDefault();
            act({ action: "open", name: name.value.trim() || null });
        } }, field(t("pairing.name"), name), h("button", { class: "main" }, t("pairing.open")));
    }

    function entering() {
        const typed = h("input", { inputmode: "numeric", autocomplete: "off", pattern: "[0-9]{3} ?[0-9]{3}", required: true, size: "8" });
        return h("form", { onsubmit: (event) => {
            event.preventDefault();
            act({ action: "confirm", digits: typed.value });
        } },
        h("p", {}, t("pairing.compare")), field(t("pairing.typed"), typed),
        h("div", { class: "buttons" }, h("button", { class: "main" }, t("pairing.confirm")), button("pairing.reject", { action: "reject" })));
    }

    /** The form for the current state. It keeps the typed digits while attempts come and go. */
    const stage = (window) => window.state === "open" && window.attempts.some((attempt) => attempt.shows_digits) ? "entering" : window.state;

    function take(window) {
        const now = JSON.stringify(window);
        if (now === shown) return;
        const before = shown && stage(JSON.parse(shown));
        shown = now;
        const texts = { closed: "pairing.closed", open: "pairing.window", paired: "pairing.paired" };
        fill(status, h("p", {}, t(texts[window.state], { left: window.entries_left, device: window.device })),
            ...window.attempts.map((attempt) => h("p", {}, t("pairing.keyed", attempt))),
            ...window.attempts.filter((attempt) => attempt.replaces).map((attempt) => h("p", { class: "warn" }, t("pairing.replaces", attempt))),
            window.why && h("p", { class: "soft" }, t("pairing.why", { why: window.why })));
        if (stage(window) === before) return;
        const close = button("pairing.close", { action: "close" });
        fill(work, stage(window) === "entering" ? entering() : null,
            window.state === "open" ? h("div", { class: "buttons" }, close) : opening());
        if (stage(window) === "entering") work.querySelector("input").focus();
        if (window.state === "paired") changed();
    }

    take(first);
    return () => api("/pairing", { signal }).then(take).catch(() => {});
}

/** A moment in few characters, so that all columns fit. The whole of it shows under the pointer. */
const moment = (time, as) => h("span", { title: time ? dateTime(time) : undefined }, as(time));

function deviceTable({ devices, codecs = [] }, changed, signal) {
    const box = h("div");
    if (devices.length === 0) return h("p", {}, t("devices.none"));
    const heads = ["detail.device", "station.name", "devices.suite", "detail.codec", "devices.created", "devices.quantum", "devices.seen", "devices.state", "devices.label", "change"];
    const code = (device) => h("button", {
        type: "button", class: "plain", "aria-label": t("devices.qr", { device: device.name || device.id }),
        onclick: (event) => label(device, event.target),
    }, "QR");
    const patch = async (device, body) => { await api(`/devices/${encodeURIComponent(device.id)}`, { method: "PATCH", body, signal }); await changed(); };
    const change = (device) => h("button", { type: "button", class: "plain", "aria-label": `${t("change")}: ${device.name || device.id}`, onclick: () => {
        const name = h("input", { name: "name", maxlength: "64", value: device.name ?? "" });
        const known = codecs.includes(device.codec) ? codecs : [device.codec ?? "", ...codecs];
        const codec = select(known.map((one) => [one, one]), device.codec ?? "", { name: "codec" });
        ask(`${t("change")}: ${device.name || device.id}`, [field(t("station.name"), name), field(t("detail.codec"), codec)], t("save"), () =>
            patch(device, { name: name.value, ...(codec.value && codec.value !== device.codec && { codec: codec.value }) }));
    } }, t("change"));
    const revoke = (device) => !device.revoked && h("button", { type: "button", class: "plain", "aria-label": `${t("devices.revoke")}: ${device.name || device.id}`, onclick: () => {
        sure(t("devices.sure", { device: device.name || device.id }), () => attempt(box, () => patch(device, { revoked: true })), t("devices.revoke"));
    } }, t("devices.revoke"));
    return [box, table(t("devices.list"), heads.map((head) => t(head)), devices.map((device) => [
        h("span", { class: "mono" }, device.id), device.name ?? "–", device.suite, device.codec ?? "–",
        moment(device.created, date), moment(device.quantum_safe_since, date), moment(device.last_seen, ago), device.revoked ? t("devices.revoked") : t("devices.valid"), code(device), h("span", { class: "inline" }, change(device), revoke(device)),
    ]), { hideCaption: true })];
}

function label(device, from) {
    const name = device.name || device.id;
    const dialog = h("dialog", { "aria-label": t("devices.qr.alt", { device: name }), onclose: () => { dialog.remove(); from.focus(); } },
        h("img", {
            class: "qr", src: `/api/v1/devices/${encodeURIComponent(device.id)}/qr.svg`, alt: t("devices.qr.alt", { device: name }),
            // The label holds a key, so the server shows it only shortly after a login.
            onerror: (event) => event.target.replaceWith(h("p", { class: "warn" }, t("devices.qr.login"))),
        }),
        h("p", { class: "mono" }, device.id),
        h("button", { type: "button", onclick: () => dialog.close() }, t("close")));
    document.body.append(dialog);
    dialog.showModal();
}
