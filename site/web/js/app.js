// The application shell: login state, the current page, and live updates.

import { ApiError, api } from "./api.js";
import { fill, h } from "./dom.js";
import { Live } from "./live.js";
import { Names } from "./names.js";
import { applyTheme, preference } from "./preferences.js";
import { problem } from "./problem.js";
import { setLanguage, t } from "./text.js";
import { setZone } from "./zone.js";
import * as alarms from "./pages/alarms.js";
import * as channels from "./pages/channels.js";
import * as devices from "./pages/devices.js";
import * as exchange from "./pages/exchange.js";
import * as first from "./pages/first.js";
import * as frames from "./pages/frames.js";
import * as journal from "./pages/journal.js";
import * as login from "./pages/login.js";
import * as map from "./pages/map.js";
import * as month from "./pages/month.js";
import * as report from "./pages/report.js";
import * as settings from "./pages/settings.js";
import * as station from "./pages/station.js";
import * as stations from "./pages/stations.js";

const PAGES = { stations, station, map, month, alarms, journal, channels, first, frames, exchange, devices, report, settings, login };
/** The operator's menu. Pages for researchers are linked from the settings. */
const MENU = ["stations", "map", "alarms", "frames", "devices", "settings"];

const element = (id) => document.getElementById(id);
const live = new Live();
/** State shared by the pages. */
const app = { live, user: null, admin: false, operator: false, alarms: new Map(), names: new Names(), show, loggedIn, restart };
let leave = null;

/** The page and its argument, from the URL's hash. */
function place() {
    const [page, argument] = location.hash.replace(/^#\/?/, "").split("?")[0].split("/");
    try {
        return [page || "stations", decodeURIComponent(argument ?? "")];
    } catch {
        return ["", ""];
    }
}

/** The entry of the menu to which a page belongs. */
const PARENTS = { station: "stations", month: "stations", journal: "alarms", channels: "alarms", exchange: "settings", report: "settings" };
const menuOf = (name) => PARENTS[name] ?? name;

/** Shows the page that the URL names, and stops the previous one. */
async function show() {
    leave?.abort();
    const left = new AbortController();
    leave = left;
    const asked = place();
    const [name, argument] = app.user || asked[0] === "first" ? asked : ["login", ""];
    const page = PAGES[name];
    const main = element("main");
    shell(menuOf(name));
    const title = page?.title?.() ?? t("notfound");
    document.title = `${title} · Selo`;
    fill(main, h("h1", { tabindex: "-1" }, title), h("p", { class: "soft" }, page ? t("loading") : ""));
    main.querySelector("h1").focus({ preventScroll: true });
    scrollTo(0, 0);
    if (!page) return;
    try {
        await page.show({ main, argument, signal: left.signal, app });
        // The heading was rebuilt with the data. Focus it, unless the page has set the focus
        // itself.
        if (document.activeElement === document.body) main.querySelector("h1").focus({ preventScroll: true });
    } catch (error) {
        if (left.signal.aborted) return;
        if (error instanceof ApiError && error.status === 401 && app.user) return loggedOut();
        fill(main, h("h1", {}, title), problem(error, show));
        if (!(error instanceof ApiError)) throw error;
    }
}

function shell(current) {
    const skip = element("skip");
    skip.textContent = t("skip");
    const nav = element("nav");
    nav.hidden = app.user === null;
    nav.setAttribute("aria-label", t("nav"));
    if (app.user) {
        const count = app.alarms.size;
        fill(nav, h("ol", {}, MENU.map((name) => h("li", {},
            h("a", { href: `#/${name}`, "aria-current": name === current ? "page" : undefined },
                t(`nav.${name}`),
                name === "alarms" && count > 0 && h("span", { class: "count" }, ` ${count}`))))));
        // If the menu is a scrolling strip, scroll the current page into view.
        const here = nav.querySelector("[aria-current]");
        if (here) nav.scrollLeft = here.offsetLeft - nav.clientWidth / 3;
        fill(element("who"),
            h("span", {}, t("who", { user: app.user.user }), h("span", { class: "role" }, t("who.role", { role: t(`role.${app.user.role}`) }))),
            h("button", { type: "button", class: "plain", onclick: logout }, t("logout")));
    } else {
        fill(nav);
        fill(element("who"));
    }
}

async function loggedIn(user) {
    app.user = user;
    app.admin = user.role === "admin";
    app.operator = app.admin || user.role === "operator";
    await Promise.all([loadAlarms(), api("/site").then(setZone)]).catch(() => {});
    live.start();
    await show();
}

function loggedOut() {
    live.stop();
    app.user = null;
    app.alarms.clear();
    banner(true);
    return show();
}

async function logout() {
    try {
        await api("/logout", { method: "POST" });
    } finally {
        loggedOut();
    }
}

/** Called after a language change. */
function restart() {
    setLanguage(preference("language"));
    return show();
}

// Alarms are announced on every page ----------------------------------------------------

const key = (alarm) => `${alarm.alarm} ${alarm.station}`;
app.stationName = (id) => app.names.of(id);

async function loadAlarms() {
    const [{ active }] = await Promise.all([api("/alarms"), app.names.load()]);
    app.alarms = new Map(active.map((alarm) => [key(alarm), alarm]));
}

live.addEventListener("alarm", ({ detail: alarm }) => {
    if (alarm.active) app.alarms.set(key(alarm), alarm);
    else app.alarms.delete(key(alarm));
    const text = alarm.active ? "alarm.raised" : "alarm.over";
    const values = { alarm: alarm.alarm, station: app.stationName(alarm.station) };
    element("live").textContent = t(text, values);
    const [name] = place();
    const focused = document.activeElement?.closest("#nav a")?.getAttribute("href");
    shell(menuOf(name));
    // The menu was rebuilt, so restore the focus in it.
    const links = [...element("nav").querySelectorAll("a")];
    links.find((link) => link.getAttribute("href") === focused)?.focus();
});
live.addEventListener("resync", () => loadAlarms().catch(() => {}));
live.addEventListener("station", ({ detail }) => app.names.take(detail));
live.addEventListener("reading", ({ detail }) => {
    if (app.names.heard(detail)) live.dispatchEvent(new CustomEvent("new", { detail }));
});

// The connection ------------------------------------------------------------------------

function banner(good) {
    const box = element("banner");
    box.hidden = good;
    box.textContent = good ? "" : t("offline");
}

live.addEventListener("state", ({ detail: good }) => banner(good));
addEventListener("offline", () => app.user && banner(false));
live.addEventListener("refused", async () => {
    // The event source was refused: was the session ended, or is the collector unreachable?
    const error = await api("/me").then(() => null, (error) => error);
    if (error?.status === 401 && app.user) loggedOut();
});

addEventListener("hashchange", show);
element("skip").addEventListener("click", (event) => {
    // The hash belongs to the router, so only move the focus.
    event.preventDefault();
    element("main").focus();
});

setLanguage(preference("language"));
applyTheme();
api("/me").then(loggedIn, (error) => {
    if (error.status === 401) return show();
    fill(element("main"), h("h1", {}, "Selo"), problem(error, () => location.reload()));
});
