// Tests of the dashboard in a browser, with a real collector. Prints one line per test, then "N
// passed, M failed". No test is repeated.
//
// usage: node site/web/tests/run.mjs [WORD]   runs only the tests whose name contains the word

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { peopleTests } from "./people.mjs";
import { publicTests } from "./public.mjs";
import { firstTests } from "./first.mjs";
import { timelineTests } from "./timeline.mjs";
import en from "../js/lang/en.js";
import pt from "../js/lang/pt-BR.js";
import { alarmTests } from "./alarms.mjs";
import { endMany, manyTests } from "./many.mjs";
import { mapTests } from "./map.mjs";
import { launch, logIn, open, Watch } from "./browser.mjs";
import { Collector, said, seed, Station, Up } from "./collector.mjs";

const PAGES = ["stations", "map", "station/3f9a01c2", "month/3f9a01c2", "alarms", "journal", "channels", "frames", "exchange", "devices", "report", "settings"];
const EVIL = "<img src=x onerror=alert(1)>";
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tests = [];
const test = (name, work) => tests.push([name, work]);

const collector = new Collector();
const watch = new Watch();
let browser;
let stations;
let state;
let viewers = 0;

/** A page that is logged in as admin. */
async function logged(options = {}) {
    const page = await open(browser, collector, watch, { storageState: state, ...options });
    return page;
}

/** Opens a page of the dashboard and waits for its data. */
async function go(page, name) {
    await page.goto(`/#/${name}`);
    await settled(page, name);
}

async function settled(page, name) {
    const ready = {
        stations: ".card", map: "svg.map ~ .legend", station: "figure[data-chart=rain] canvas", alarms: "#rules form, #rules table", journal: "main table", channels: "main .row button", frames: "main table", exchange: "[data-picture=map] svg",
        devices: ".problem", report: ".problem", settings: "#tokens", month: "main table",
    };
    await page.waitForSelector(ready[name.split("/")[0]]);
    if (name.startsWith("station/")) await page.waitForSelector("main section table");
}

const text = (page, selector) => page.locator(selector).first().innerText();

/** Polls `read` until `holds` accepts its result, because pages draw asynchronously. After 30
 * seconds the last result is checked once more, which throws. */
async function until(read, holds) {
    const patience = Date.now() + 30_000;
    for (;;) {
        const value = await read();
        try {
            await holds(value);
            return value;
        } catch (error) {
            if (Date.now() > patience) throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, 25));
    }
}

const becomes = (read, wanted, what) => until(read, (value) => assert.deepEqual(value, wanted, what));

test("both languages have every text", () => {
    assert.deepEqual(Object.keys(pt), Object.keys(en));
    for (const [key, english] of Object.entries(en)) {
        const names = (one) => (one.match(/\{\w+\}/g) ?? []).sort();
        assert.deepEqual(names(pt[key]), names(english), key);
    }
});

test("every text used by the code exists, and no text is inserted as markup", () => {
    const folder = fileURLToPath(new URL("../js", import.meta.url));
    const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".js") && !file.includes("lang"));
    assert.ok(files.length > 10);
    for (const file of files) {
        const code = readFileSync(`${folder}/${file}`, "utf8");
        for (const [, key] of code.matchAll(/\bt\("([^"]+)"/g)) assert.ok(key in en, `${file}: ${key}`);
        assert.doesNotMatch(code, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser/, file);
    }
});

test("a wrong password is refused with a reason", async () => {
    const page = await open(browser, collector, watch);
    await page.goto("/");
    await page.fill("input[name=user]", "admin");
    await page.fill("input[name=password]", "wrong");
    await page.click("button.main");
    await page.waitForSelector("[role=alert]");
    await until(() => text(page, "[role=alert]"), (words) => assert.match(words, /Wrong user or password/));
    await until(() => text(page, "[role=alert] .hint"), (words) => assert.match(words, /selo collect user add/));
    assert.equal(await page.isVisible("#nav"), false);
    await becomes(() => page.inputValue("input[name=password]"), "");
});

test("the right password opens the stations", async () => {
    const page = await open(browser, collector, watch);
    await logIn(page, "admin", collector.password);
    await page.waitForSelector(".card");
    await becomes(() => page.locator(".card").count(), 3);
    await becomes(() => page.title(), "Stations · Selo");
    state = await page.context().storageState();
});

test("logging out ends the session", async () => {
    const page = await open(browser, collector, watch);
    await logIn(page, "admin", collector.password);
    await page.click(".who button");
    await page.waitForSelector("input[name=password]");
    await page.goto("/#/settings");
    await page.reload();
    await page.waitForSelector("input[name=password]");
});

test("a station's card follows its readings without a reload", async () => {
    const page = await logged();
    await go(page, "stations");
    const garden = page.locator(".card", { hasText: "3f9a01c2" });
    const rain = stations["3f9a01c2"].rain;
    stations["3f9a01c2"].rain = rain + 1.4;
    const before = await collector.api("/stations/3f9a01c2");
    const loaded = watch.requests.filter((url) => url.endsWith("/api/v1/me")).length;
    await collector.send([stations["3f9a01c2"].reading(Date.now(), { temperature: { value: 33.3, unit: "Cel" } })]);
    await garden.getByText("33.3 °C").waitFor();
    const after = await collector.api("/stations/3f9a01c2");
    assert.ok(after.rain.hour > before.rain.hour);
    await garden.getByText(`${after.rain.hour.toFixed(1)} mm`).first().waitFor();
    assert.equal(watch.requests.filter((url) => url.endsWith("/api/v1/me")).length, loaded, "the page was not loaded anew");
});

test("retention paused by a wrong clock is reported, and readings with a wrong time are marked", async () => {
    const page = await logged();
    const answer = (held, behind) => page.route(/\/api\/v1\/overview\?/, async (route) => {
        const told = await (await route.fetch()).json();
        await route.fulfill({ json: { ...told, retention: { held, behind_seconds: behind } } });
    });
    await go(page, "stations");
    await page.locator(".card").first().waitFor();
    assert.equal(await page.locator("p.warn[role=status]").isVisible(), false, "nothing is held back");
    for (const [held, behind, words] of [[true, 0, /not being deleted/], [false, 800 * 86_400, /800 days ahead/]]) {
        await answer(held, behind);
        await go(page, "frames");
        await go(page, "stations");
        await page.locator("p.warn[role=status]", { hasText: words }).waitFor();
        await page.unroute(/\/api\/v1\/overview\?/);
    }
    // A reading from a gateway whose clock was never set.
    await collector.send([stations["3f9a01c2"].reading(1_500_000_000_000, { temperature: { value: 11.7, unit: "Cel" } })]);
    const { frames } = await collector.api("/frames?before=1500000000001");
    const wrong = frames.filter((frame) => !frame.plausible);
    assert.deepEqual(wrong.map((frame) => frame.values.temperature.value), [11.7]);
    await page.route(/\/api\/v1\/frames/, (route) => route.fulfill({ json: { frames: wrong, next: null } }));
    await go(page, "frames");
    await page.locator("tbody th", { hasText: "stored" }).locator("b.warn").waitFor();
    await page.unroute(/\/api\/v1\/frames/);
});

test("a chart of a value is drawn, follows readings, and has a table", async () => {
    const page = await logged();
    await go(page, "station/3f9a01c2");
    await page.click("button[data-range='1h']");
    const figure = page.locator("figure[data-chart=temperature]");
    // Until then the chart still shows the previous range.
    await figure.getByRole("img", { name: /^Temperature, 1 hour: minimum .*\s°C, maximum .*\s°C, last .*\s°C$/ }).waitFor();
    const inked = () => figure.locator("canvas").evaluate((canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        // The teal of the line. Axes and grid do not use it.
        let count = 0;
        for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 200 && data[at] < 40 && data[at + 1] > 90 && data[at + 2] > 90) count += 1;
        return count;
    });
    await until(inked, (count) => assert.ok(count > 50, `${count} pixels of a line`));
    await figure.locator("summary").click();
    const rows = await until(() => figure.locator("tbody tr").count(), (count) => assert.ok(count >= 4, `${count} rows`));
    await collector.send([stations["3f9a01c2"].reading(Date.now(), { temperature: { value: 19.17, unit: "Cel" } })]);
    await page.waitForFunction((rows) => document.querySelectorAll("figure[data-chart=temperature] tbody tr").length === rows + 1, rows);
    await until(() => figure.locator("tbody tr").first().innerText(), (row) => assert.match(row, /19\.2$/));
});

test("every range shows its charts", async () => {
    const page = await logged();
    await go(page, "station/3f9a01c2");
    for (const range of ["1h", "7d", "30d", "24h"]) {
        const answers = ["rain", "temperature", "battery"].map((what) =>
            page.waitForResponse((answer) => answer.url().includes(what === "rain" ? "/rain?" : `name=${what}`)));
        await page.click(`button[data-range='${range}']`);
        for (const answer of await Promise.all(answers)) {
            const { t } = await (answer).json();
            assert.ok(t.length > 1, `${range}: ${answer.url()}`);
        }
        await becomes(() => page.getAttribute(`button[data-range='${range}']`, "aria-pressed"), "true");
    }
    await becomes(() => page.locator("figure canvas").count(), 3);
});

test("the limit of a rule is drawn across the chart of its value, and told", async () => {
    const page = await logged();
    await go(page, "station/3f9a01c2");
    const battery = page.locator("figure[data-chart=battery]");
    await battery.getByRole("img", { name: /battery-low: below 3\.30.V$/ }).waitFor();
    const red = (figure) => figure.locator("canvas").evaluate((canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 200 && data[at] > 120 && data[at + 1] < 80 && data[at + 2] < 80) count += 1;
        return count;
    });
    await until(() => red(battery), (count) => assert.ok(count > 50, `${count} pixels of a limit`));
    // No rule watches the temperature.
    assert.equal(await red(page.locator("figure[data-chart=temperature]")), 0);
});

test("a span of one's own: by dates, by marking a chart, and by an address", async () => {
    const page = await logged();
    await go(page, "station/3f9a01c2");
    const asked = (what, from, to) => page.waitForResponse((answer) => {
        const query = new URL(answer.url()).searchParams;
        return answer.url().includes(what) && Math.abs(query.get("from") - from) < 60_000 && Math.abs(query.get("to") - to) < 60_000;
    });
    const now = Date.now();
    const [from, to] = [now - 40 * 86_400_000, now - 3 * 86_400_000];
    const local = (ms) => new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    await page.click("details.dates summary");
    await page.fill("input[name=from]", local(from));
    await page.fill("input[name=to]", local(to));
    const rain = asked("/rain?", from, to);
    await page.click("details.dates button");
    assert.equal(new URL((await rain).url()).searchParams.get("step"), "day");
    // The link to the CSV has the same span, and the station alone.
    const csv = await page.getAttribute("a[download]", "href");
    const body = await page.evaluate(async (csv) => (await fetch(csv)).text(), csv);
    const rows = body.trim().split("\n");
    assert.ok(rows.length > 100 && rows.slice(1).every((row) => row.includes("3f9a01c2")), `${rows.length} rows`);
    // The address names the span: another browser shows the same.
    const address = page.url();
    const again = asked("/rain?", from, to);
    await page.goto("/#/stations");
    await page.goto(address);
    await again;
    // A mark across the middle of a chart halves the span.
    const plot = page.locator("figure[data-chart=temperature] .u-over");
    await plot.waitFor();
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    const zoomed = page.waitForResponse((answer) => answer.url().includes("name=temperature") && (() => {
        const query = new URL(answer.url()).searchParams;
        const length = query.get("to") - query.get("from");
        return Math.abs(length - (to - from) / 2) < (to - from) / 20;
    })());
    await page.mouse.move(box.x + box.width / 4, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, box.y + 50, { steps: 5 });
    await page.mouse.up();
    await zoomed;
    // A span that ends before it begins is refused where it was typed.
    await page.fill("input[name=to]", local(from - 3_600_000));
    await page.click("details.dates button");
    assert.equal(await page.locator("input[name=to]").evaluate((input) => input.validity.customError), true);
    await page.click("button[data-range='24h']");
    await until(() => page.url(), (url) => assert.doesNotMatch(url, /from=/));
});

test("the worst stations come first, and the order and the view are kept", async () => {
    const page = await logged();
    const station = (device, more) => ({
        site: "site", device, name: device, gateway: "north", codec: "rain-gauge", state: "online", station: `site:${device}`,
        last_seen: new Date().toISOString(), values: {}, rain: { hour: 0, day: 0, unit: "mm" }, alarms: [], ...more,
    });
    const told = [
        station("calm"), station("pouring", { rain: { hour: 30, day: 31, unit: "mm" } }),
        station("gone", { state: "silent", last_seen: new Date(Date.now() - 9e6).toISOString() }),
        station("flooded", { alarms: [{ alarm: "heavy-rain", severity: "critical" }] }),
    ];
    const answer = { all: told.length, found: told.length, online: 3, stations: told, retention: { held: false, behind_seconds: 0 } };
    await page.route(/\/api\/v1\/overview\?/, (route) => route.fulfill({ json: answer }));
    await go(page, "stations");
    // Not the inner text: a card that has just been moved has none until the browser renders it.
    const names = (selector) => page.locator(selector).allTextContents();
    assert.deepEqual(await names(".card h2 a"), ["flooded", "gone", "pouring", "calm"]);
    await page.selectOption("select[name=order]", "rain");
    await until(() => names(".card h2 a"), ([first]) => assert.equal(first, "pouring"));
    await page.selectOption("select[name=view]", "list");
    await becomes(() => page.locator("tbody tr").count(), 4);
    await page.reload();
    await page.waitForSelector("table.stations");
    assert.deepEqual(await names("tbody th a"), ["pouring", "calm", "flooded", "gone"]);
    await page.evaluate(AXE);
    const { violations } = await page.evaluate(() => axe.run(document));
    assert.deepEqual(violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id }) => id), []);
});

test("the report of a month has the API's rain and every day", async () => {
    const page = await logged();
    const waiting = page.waitForResponse((answer) => answer.url().includes("/rain?") && answer.url().includes("step=day"));
    await go(page, "month/3f9a01d7");
    const { total, mm, t: times } = await (await waiting).json();
    const days = new Date().getUTCDate();
    await becomes(() => page.locator("tbody tr").count(), days);
    const cells = await page.locator("tbody tr td:nth-child(2)").allInnerTexts();
    const sum = cells.reduce((sum, cell) => sum + (Number(cell) || 0), 0);
    assert.ok(times.length > 0 && Math.abs(sum - total) < 1e-6, `${sum} of ${total}`);
    await until(() => text(page, "main dl"), (words) => assert.match(words, new RegExp(`${Math.max(...mm).toFixed(1)}.mm`)));
    // On paper there is neither menu nor button.
    await page.emulateMedia({ media: "print" });
    assert.deepEqual(await Promise.all(["#nav", "main button", "input[name=month]"].map((one) => page.isVisible(one))), [false, false, false]);
    assert.ok((await page.pdf()).length > 1000);
});

test("the rain bars add up to the API's total and to the simulated rain", async () => {
    const page = await logged();
    await page.goto("/#/stations");
    for (const range of ["24h", "30d"]) {
        const step = { "24h": "hour", "30d": "day" }[range];
        await go(page, "station/3f9a01d7");
        const waiting = page.waitForResponse((answer) => answer.url().includes("/rain?") && answer.url().includes(`step=${step}`) && answer.url().includes("3f9a01d7"));
        await page.click(`button[data-range='${range}']`);
        const { total, mm } = await (await waiting).json();
        const figure = page.locator("figure[data-chart=rain]");
        await page.waitForFunction((total) => Number(document.querySelector("figure[data-chart=rain]").dataset.total) === total, total);
        if (await figure.locator("details[open]").count() === 0) await figure.locator("summary").click();
        const cells = await until(() => figure.locator("tbody td").allInnerTexts(), (cells) => assert.equal(cells.length, mm.length));
        const sum = cells.reduce((sum, cell) => sum + Number(cell), 0);
        assert.ok(total > 0 && Math.abs(sum - total) < 1e-6, `${range}: bars ${sum}, API ${total}`);
        await until(() => text(page, "figure[data-chart=rain] .badge"), (badge) => assert.match(badge, new RegExp(`^${total.toFixed(1)}.mm in total$`)));
        // All readings of this station are less than 30 days old.
        if (range === "30d") assert.ok(Math.abs(total - Math.round(stations["3f9a01d7"].rain * 5) / 5) < 0.21, `${total} of ${stations["3f9a01d7"].rain}`);
    }
});

test("Portuguese by the browser's language, and by choice", async () => {
    const page = await open(browser, collector, watch, { locale: "pt-BR" });
    await page.goto("/");
    await page.waitForSelector("input[name=password]");
    await becomes(() => text(page, "h1"), "Entrar");
    await becomes(() => page.getAttribute("html", "lang"), "pt-BR");
    await logIn(page, "admin", collector.password);
    await page.waitForSelector(".card");
    await until(() => text(page, ".card dl"), (words) => assert.match(words, /\d,\d\smm/));
    await go(page, "settings");
    await page.selectOption("select[name=language]", "en");
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await becomes(() => page.getAttribute("html", "lang"), "en");
});

test("colours by choice, kept by the browser", async () => {
    const page = await logged({ colorScheme: "light" });
    await go(page, "settings");
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.selectOption("select[name=theme]", "dark");
    const dark = await until(paper, (colour) => assert.notEqual(colour, light));
    await page.reload();
    await settled(page, "settings");
    await becomes(paper, dark);
});

test("nothing is wider than a phone's screen", async () => {
    const page = await logged({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
    for (const name of PAGES) {
        await go(page, name);
        const wide = () => page.evaluate(() => [document.documentElement.scrollWidth, document.body.scrollWidth, innerWidth]);
        await becomes(wide, [360, 360, 360], name);
    }
});

test("everything by keyboard alone", async () => {
    const page = await open(browser, collector, watch);
    const focused = () => page.evaluate(() => document.activeElement.textContent.trim());
    const hasFocus = (words) => page.waitForFunction((words) => document.activeElement.textContent.trim() === words, words);
    const tab = async (to, most = 40) => {
        for (let count = 0; count < most; count += 1) {
            await page.keyboard.press("Tab");
            if (await focused() === to) return;
        }
        assert.fail(`Tab never reaches ${to}`);
    };
    await page.goto("/");
    await page.waitForFunction(() => document.activeElement.name === "user");
    await page.keyboard.type("admin");
    await page.keyboard.press("Tab");
    await page.keyboard.type(collector.password);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".card");
    // The focus moves to the new page's heading.
    await hasFocus("Stations");
    await tab("Garden");
    await page.keyboard.press("Enter");
    await page.waitForSelector("figure[data-chart=rain] canvas");
    await tab("7 days");
    await page.keyboard.press("Space");
    await becomes(() => page.getAttribute("button[data-range='7d']", "aria-pressed"), "true");
    await tab("As a table");
    await page.keyboard.press("Enter");
    await page.waitForSelector("figure details[open] table");
    // The skip link passes the menu.
    await page.evaluate(() => document.body.focus());
    await page.locator("#skip").focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement.id === "main");
    await page.locator("#nav a").first().focus();
    await tab("Settings");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#tokens table, #tokens form");
    await hasFocus("Settings");
});

test("a device's name is shown as text, not as markup", async () => {
    const page = await logged();
    for (const [name, heading] of [["stations", "Stations"], ["frames", "Frames"], ["station/5b2c7e10", EVIL], ["alarms", "Alarms"]]) {
        await page.goto(`/#/${name}`);
        await page.getByRole("heading", { level: 1, name: heading }).waitFor();
        await page.getByText(EVIL).first().waitFor({ state: "attached" });
        assert.equal(await page.locator("main img, main script").count(), 0, name);
    }
});

test("an alarm is announced on every page, counted, and cleared", async () => {
    const page = await logged();
    await go(page, "settings");
    const roof = stations["3f9a01d7"];
    const battery = (value) => collector.send([roof.reading(Date.now(), { battery: { value, unit: "V" } })]);
    await battery(3.1);
    await page.waitForFunction(() => document.querySelector("#live").textContent === "Alarm battery-low at Roof");
    await page.locator("#nav a[href='#/alarms']", { hasText: /Alarms\s*[1-9]/ }).waitFor();
    await go(page, "alarms");
    await page.getByRole("link", { name: "Roof" }).first().waitFor();
    await battery(3.9);
    await page.waitForFunction(() => document.querySelector("#live").textContent === "Alarm battery-low at Roof has cleared");
    await page.getByRole("region", { name: "Past" }).getByText("battery-low").first().waitFor();
});

test("rules are edited, and the API's error is shown", async () => {
    const page = await logged();
    await go(page, "alarms");
    const rule = page.locator("fieldset", { hasText: "heavy-rain" });
    await rule.locator("input[name=over]").fill("soon");
    await page.click("#rules .buttons .main");
    await page.waitForSelector("#rules [role=alert]");
    await rule.locator("input[name=over]").fill("1h");
    await rule.locator("input[name=limit]").fill("12.5");
    await page.click("#rules .buttons .main");
    await page.getByText("Saved.").waitFor();
    const { rules } = await collector.api("/rules");
    assert.equal(rules.length, 3);
    assert.equal(rules.find(({ name }) => name === "heavy-rain").limit, 12.5);
});

test("a viewer can read, and gets no controls to change things", async () => {
    const name = `maria${viewers += 1}`;
    collector.addUser(name, "viewer", "correct horse battery");
    const page = await open(browser, collector, watch);
    await logIn(page, name, "correct horse battery");
    await go(page, "alarms");
    assert.equal(await page.locator("#rules form").count(), 0);
    await go(page, "settings");
    await page.locator("#tokens", { hasText: "Only an admin" }).waitFor();
    await go(page, "station/3f9a01c2");
    assert.equal(await page.getByRole("button", { name: "Rename" }).count(), 0);
});

test("a renamed station has its new name on every page", async () => {
    const page = await logged();
    await go(page, "station/3f9a01d7");
    await page.getByRole("button", { name: "Rename" }).click();
    await page.locator("dialog input").fill("Roof & <b>ridge</b>");
    await page.locator("dialog .main").click();
    await page.getByRole("heading", { name: "Roof & <b>ridge</b>" }).waitFor();
    await go(page, "stations");
    await page.getByRole("link", { name: "Roof & <b>ridge</b>" }).waitFor();
});

test("a token is shown once, works, and is removed", async () => {
    const page = await logged();
    await go(page, "settings");
    await page.locator("input[name=token-name]").fill("shed");
    await page.selectOption("select[name=token-role]", "viewer");
    await page.click("#tokens form .main");
    const token = await text(page, ".once code");
    const ask = () => fetch(`${collector.base}/api/v1/stations`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal((await ask()).status, 200);
    await page.getByRole("button", { name: "Remove the token shed" }).click();
    await page.locator("dialog .main").click();
    await page.getByRole("button", { name: "Remove the token shed" }).waitFor({ state: "detached" });
    assert.equal((await ask()).status, 401);
});

test("frames of one station with counters, and older frames", async () => {
    const page = await logged();
    await go(page, "frames");
    await becomes(() => page.locator("main tbody tr").count(), 50);
    await page.getByRole("button", { name: "Older" }).click();
    await page.waitForFunction(() => document.querySelectorAll("main tbody tr").length === 100);
    await page.locator("main select").selectOption("site:3f9a01c2");
    await page.waitForFunction(() => [...document.querySelectorAll("main tbody td:nth-child(2)")].every((cell) => cell.textContent === "Garden"));
    const { frames } = await collector.api("/frames?device=3f9a01c2&limit=50");
    const counters = async () => (await page.locator("main tbody td:nth-child(4)").allInnerTexts()).map((one) => Number(one.replaceAll(",", "")));
    await becomes(counters, frames.map(({ counter }) => counter));
    const lost = async () => (await page.locator("main tbody td:nth-child(5)").allInnerTexts()).map(Number);
    await becomes(lost, frames.map(({ lost_before: lost }) => lost));
});

test("stations over TLS: times by suite match the API, positions, one station, and later posts", async () => {
    const page = await logged();
    await go(page, "exchange");
    const { times, stations: there } = await collector.api("/exchange");
    assert.equal(times.length, 2);
    const rows = page.locator("main section").first().locator("tbody tr");
    await becomes(() => rows.count(), 2);
    for (const [at, unit] of times.entries()) {
        const cells = await rows.nth(at).locator("th, td").allInnerTexts();
        assert.deepEqual(cells.slice(0, 3), [unit.suite, unit.group, "full"]);
        const { mean, high, count } = unit.handshake;
        assert.equal(cells[3].replace("\u00a0", " "), `${(mean * 1000).toFixed(2)} ± ${((high - mean) * 1000).toFixed(2)} ms`);
        assert.equal(Number(cells[4]), count);
        assert.equal(count, 8);
    }
    // One dot per mean, further right the longer it took.
    const places = page.locator("main section").nth(1).locator("tbody tr");
    const circles = () => page.locator("[data-picture=handshake] circle").evaluateAll((all) => all.map((one) => Number(one.getAttribute("cx"))));
    const dots = await until(circles, (dots) => assert.equal(dots.length, 2));
    assert.ok(dots[1] > dots[0] + 20, `${dots}`);
    assert.deepEqual(there.map(({ station }) => station), ["boat", "bus"]);
    await until(() => places.allInnerTexts(), (places) => assert.match(places[1], /^bus\s.*-23\.18\d+\s+-50\.642000\s+13\.60\s+12$/s));
    await becomes(() => page.locator("[data-picture=map] polyline").count(), 2);
    await becomes(() => page.locator("[data-picture=map] svg").getAttribute("aria-label"), "2 stations; boat, bus");
    await page.locator("main select").selectOption("boat");
    await becomes(() => page.locator("[data-picture=map] polyline").count(), 1);
    // The page polls by itself.
    const token = await collector.makeToken("plane");
    await page.locator("main select").selectOption("");
    await collector.post(token, [["reading", { latitude: -23.2, longitude: -50.6, speed: 250 }]]);
    await page.getByRole("cell", { name: "250.00", exact: true }).waitFor();
});

test("stations over TLS: a period without posts says so", async () => {
    const page = await logged();
    await page.route(/\/api\/v1\/exchange\?/, (route) => route.fulfill({ json: { from: "", to: "", times: [], all: true, stations: [], track: [] } }));
    await page.goto("/#/exchange");
    await page.getByText("No station reported a time in this period.").waitFor();
    await becomes(() => page.locator("main svg:visible, main table").count(), 0);
});

alarmTests({ test, logged, go, text, until, becomes, collector: () => collector, stations: () => stations, open: () => open(browser, collector, watch) });

timelineTests({ test, logged, go, until, becomes, text, collector: () => collector, stations: () => stations });
peopleTests({ test, logged, go, text, until, becomes, collector: () => collector, open: (at = collector) => open(browser, at, watch), up: async () => {
    const up = new Up();
    await up.start();
    up.addDevice("shed");
    return up;
} });
publicTests({ test, logged, go, becomes, until, collector: () => collector, open: () => open(browser, collector, watch), AXE });
firstTests({ test, text, until, AXE, open: (at, options) => open(browser, at, watch, options), start: async () => {
    const up = new Up();
    await up.start();
    return up;
} });
/** The serious findings of axe on a page. */
async function axe(page) {
    await page.evaluate(AXE);
    const { violations } = await page.evaluate(() => globalThis.axe.run(document));
    return violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
}
manyTests({ test, until, becomes, axe, open: (site) => open(browser, site, new Watch()) });
mapTests({ test, logged, go, until, becomes, text, collector: () => collector, stations: () => stations, open: () => open(browser, collector, watch) });

test("pages without a gateway or a report show a hint", async () => {
    const page = await logged();
    await go(page, "devices");
    await until(() => text(page, ".problem"), (words) => assert.match(words, /No gateway runs with this collector/));
    await until(() => text(page, ".problem .hint"), (words) => assert.match(words, /selo up/));
    await go(page, "report");
    await until(() => text(page, ".problem .hint"), (words) => assert.match(words, /selo lab report/));
});

test("pairing: the operator types the node's digits, and the gateway checks them", async () => {
    const page = await logged();
    // There is no gateway here, so the test simulates its answers in the format of
    // site/collector/src/beside.rs.
    let window = { state: "closed", attempts: [] };
    const asked = [];
    await page.route("**/api/v1/pairing", async (route) => {
        if (route.request().method() === "POST") {
            const body = route.request().postDataJSON();
            asked.push(body);
            if (body.action === "open") window = { state: "open", entries_left: 3, attempts: [] };
            if (body.action === "confirm" && body.digits.replace(" ", "") !== "042917") {
                const error = { code: "gateway", message: "no attempt at this gateway has these digits", hint: null };
                return route.fulfill({ status: 409, json: { error } });
            }
            if (body.action === "confirm") window = { state: "paired", device: "0000000a", attempts: [] };
        }
        return route.fulfill({ json: window });
    });
    await page.route("**/api/v1/devices", (route) => route.fulfill({ json: { devices: [{
        id: "0000000a", name: "shed", suite: "ascon", codec: "rain-gauge", created: 1763800000000, revoked: null, last_seen: null, address: null, quantum_safe_since: 1763800000000,
    }] } }));
    await page.route("**/qr.svg", (route) => route.fulfill({ contentType: "image/svg+xml", body: "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 2 2'><path d='M0 0h1v1z'/></svg>" }));
    await page.goto("/#/devices");
    // Paired with ML-KEM: the date of the pairing stands under "Quantum-safe since", too.
    await page.getByRole("columnheader", { name: "Quantum-safe since" }).waitFor();
    assert.equal(await page.locator("#devices tbody td", { hasText: "2025" }).count(), 2);
    await page.getByLabel("Name of the new device").fill("shed");
    await page.getByRole("button", { name: "Open the pairing window" }).click();
    await page.getByText("entries left: 3").waitFor();
    window = { ...window, attempts: [
        { attempt: 1, device: "0000000b", suite: "ascon", shows_digits: false, replaces: false },
        { attempt: 2, device: "0000000a", suite: "ascon", shows_digits: true, replaces: false },
    ] };
    await page.getByLabel("Digits on the node").fill("111 111");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#pairing [role=alert]");
    await page.getByLabel("Digits on the node").fill("042 917");
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("device 0000000a is paired").waitFor();
    assert.deepEqual(asked[0], { action: "open", name: "shed" });
    assert.deepEqual(asked.at(-1), { action: "confirm", digits: "042 917" });
    await page.getByRole("button", { name: "Show the label of shed" }).click();
    await page.getByRole("img", { name: "QR code of shed" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("img", { name: "QR code of shed" }).waitFor({ state: "detached" });
});

test("pairing with a gateway: the page accepts the digits of a simulated Uno", async () => {
    const up = new Up();
    try {
        await up.start();
        const page = await open(browser, up, watch);
        await logIn(page, "admin", up.password);
        await page.waitForSelector("#nav a");
        await page.goto("/#/devices");
        await page.getByLabel("Name of the new device").fill("shed");
        await page.getByRole("button", { name: "Open the pairing window" }).click();
        await page.getByText("entries left").waitFor();
        const uno = up.uno(3);
        const ended = new Promise((resolve) => uno.once("exit", resolve));
        setTimeout(() => uno.kill(), 120_000).unref();
        const [, digits] = await said(uno, /Digits here: (\d{3} \d{3})/);
        await page.getByLabel("Digits on the node").fill(digits, { timeout: 60_000 });
        await page.getByRole("button", { name: "Confirm" }).click();
        await page.getByText("is paired").waitFor({ timeout: 60_000 });
        uno.stdin.end("yes\n");
        assert.equal(await ended, 0);
        await page.goto("/#/stations");
        await page.locator(".card", { hasText: "shed" }).waitFor();
    } finally {
        await up.end();
    }
});

for (const colorScheme of ["light", "dark"]) {
    test(`accessible by axe, ${colorScheme}`, async () => {
        const page = await logged({ colorScheme, reducedMotion: "reduce" });
        const bad = [];
        for (const name of PAGES) {
            await go(page, name);
            if (name.startsWith("station/")) await page.locator("figure summary").first().click();
            await page.evaluate(AXE);
            const { violations } = await page.evaluate(() => axe.run(document));
            for (const { id, impact, nodes } of violations) {
                if (impact === "serious" || impact === "critical") bad.push(`${name}: ${id}: ${nodes[0].html}`);
            }
        }
        assert.deepEqual(bad, []);
    });
}

test("the whole dashboard weighs less than 300 KB", async () => {
    const page = await logged();
    const sizes = new Map();
    page.on("response", async (answer) => {
        const { pathname } = new URL(answer.url());
        if (!pathname.startsWith("/api/")) sizes.set(pathname, (await answer.body().catch(() => "")).length);
    });
    // With the charts, which only a station's page shows.
    await go(page, "station/3f9a01c2");
    const sum = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    assert.ok(sizes.size > 20 && sizes.has("/vendor/uplot.js"), `${sizes.size} files`);
    assert.ok(sum > 100_000 && sum < 300_000, `${sum} bytes`);
    console.log(`${sum} bytes in ${sizes.size} files`);
});

test("no animation if the browser prefers reduced motion", async () => {
    const moving = async (reducedMotion) => {
        const page = await logged({ reducedMotion });
        await go(page, "settings");
        return page.evaluate(() => [...document.querySelectorAll("*")].some((one) => {
            const { transitionDuration, animationName } = getComputedStyle(one);
            return parseFloat(transitionDuration) > 0 || animationName !== "none";
        }));
    };
    assert.deepEqual([await moving("no-preference"), await moving("reduce")], [true, false]);
});

test("no request left the origin, and no security policy was violated", () => {
    assert.ok(watch.requests.length > 100, "requests were seen");
    assert.deepEqual(watch.strayed, []);
    assert.deepEqual(watch.problems, []);
});

// This test runs last, because it ends the other tests' session.
test("a lost connection to the collector is reported and restored", async () => {
    const page = await logged();
    await go(page, "stations");
    await collector.stop();
    await page.waitForSelector("#banner:not([hidden])");
    await until(() => text(page, "#banner"), (words) => assert.match(words, /No connection to the collector/));
    await collector.start();
    await page.waitForSelector("#banner", { state: "hidden" });
    // The session may have ended with the collector. Then the page asks for a login.
    await page.waitForSelector(".card, input[name=password]");
    if (await page.isVisible("input[name=password]")) await logIn(page, "admin", collector.password);
    await page.waitForSelector(".card");
    await collector.send([stations["3f9a01c2"].reading(Date.now(), { temperature: { value: 12.3, unit: "Cel" } })]);
    await page.locator(".card", { hasText: "3f9a01c2" }).getByText("12.3 °C").waitFor();
});

// The last test, because its station is in no other.
test("a value has its codec's title in the reader's language, and a sign in place of its unit", async () => {
    const pond = new Station("3f9a0999", "Pond");
    const sent = pond.reading(Date.now(), { concentration_3: { value: 400, unit: "[ppm]" }, new_thing: { value: 1, unit: "1" } });
    await collector.send([sent]);
    for (const [locale, words] of [["pt-BR", ["Concentração 3", "400\u00a0ppm"]], ["en-GB", ["Concentration 3", "400\u00a0ppm", "New thing"]]]) {
        const page = await logged({ locale });
        await go(page, "stations");
        const card = page.locator(".card", { hasText: "Pond" });
        await until(() => card.textContent(), (shown) => { for (const word of words) assert.ok(shown.includes(word), `${word}: ${shown}`); });
        await page.context().close();
    }
});

let passed = 0;
let failed = 0;
const word = process.argv[2] ?? "";
try {
    await collector.start();
    stations = await seed(collector, { evil: EVIL });
    browser = await launch();
    // A logged-in session, for the tests that start there.
    const first = await open(browser, collector, watch);
    await logIn(first, "admin", collector.password);
    state = await first.context().storageState();
    await first.context().close();
    for (const [name, work] of tests.filter(([name]) => name.includes(word))) {
        try {
            await work();
            passed += 1;
            console.log(`ok: ${name}`);
        } catch (error) {
            failed += 1;
            console.log(`FAILED: ${name}\n${error.stack}`);
        } finally {
            for (const context of browser.contexts()) await context.close();
        }
    }
} finally {
    await browser?.close();
    await endMany();
    await collector.end();
}
console.log(`web: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
