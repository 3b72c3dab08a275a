// Tests of the dashboard with many stations: what it loads, and that every station is found. 250
// stations, or 1,000 with SELO_TEST_ALL=1. Nothing here is timed: bytes, requests and elements
// are counted.

import assert from "node:assert/strict";
import { logIn } from "./browser.mjs";
import { Collector, Station } from "./collector.mjs";

export const COUNT = process.env.SELO_TEST_ALL === "1" ? 1000 : 250;
/** Stations of a page of the overview. */
const PORTION = 100;
/** Bytes that a page may load for each of its stations: all details, or a marker. */
const DETAILS = 1200;
const MARKER = 170;
/** Stations whose positions are set at the same time. */
const AT_ONCE = 20;

const name = (at) => `Station ${String(at).padStart(4, "0")}`;

/** Sends one reading of each of many stations, and places all but the last. */
export async function many(collector, count) {
    const stations = Array.from({ length: count }, (_, at) => new Station(`s${String(at).padStart(4, "0")}`, name(at), { seed: at + 1, warm: 15 + at % 12 }));
    const now = Date.now();
    for (let at = 0; at < count; at += 500) await collector.send(stations.slice(at, at + 500).flatMap((station) => {
        station.rain = 1;
        const first = station.reading(now - 1_800_000);
        station.rain += station.random() < 0.3 ? Math.round(station.random() * 100) / 5 : 0;
        return [first, station.reading(now - 60_000)];
    }));
    const places = stations.slice(0, -1);
    while (places.length > 0) {
        await Promise.all(places.splice(0, AT_ONCE).map((station) => collector.api(`/stations/${station.device}`, "PATCH", {
            // Towns along a valley: close to each other, far from the next town.
            latitude: Math.round((-23.2 + Math.floor(station.random() * 12) * 0.08 + (station.random() - 0.5) * 0.03) * 1e5) / 1e5,
            longitude: Math.round((-50.6 + Math.floor(station.random() * 12) * 0.1 + (station.random() - 0.5) * 0.04) * 1e5) / 1e5,
        })));
    }
    return stations;
}

/** Counts a page's answers of the API. */
export function counted(page) {
    const seen = { lost: null, requests: 0, bytes: 0, wire: 0, paths: [] };
    const waiting = [];
    page.on("requestfinished", (request) => {
        const { pathname, search } = new URL(request.url());
        if (!pathname.startsWith("/api/") || pathname.endsWith("/events")) return;
        seen.requests += 1;
        seen.paths.push(pathname + search);
        const read = async () => {
            const { length } = await (await request.response()).body();
            seen.bytes += length;
            seen.wire += (await request.sizes()).responseBodySize;
        };
        // A page that was left has no sizes.
        waiting.push(read().catch((error) => { seen.lost = `${pathname}: ${error.message}`; }));
    });
    seen.all = async () => { await Promise.all(waiting); return seen; };
    return seen;
}

/** Waits until a page asks for nothing more. Its stream of events never ends. */
export async function quiet(page, seen) {
    for (let last = -1; last !== seen.requests;) {
        last = seen.requests;
        await page.waitForTimeout(500);
    }
    return seen.all();
}

/** Opens a page as a browser does that has not been there yet, waits for an element, and then until
 * nothing more is asked for. Returns the counts, and the time until the element was there. */
export async function loaded(page, address, selector) {
    // What the page before has asked for, such as the one after the login, must not count.
    await page.goto("about:blank");
    const seen = counted(page);
    const start = performance.now();
    await page.goto(address);
    await page.waitForSelector(selector);
    seen.ms = performance.now() - start;
    await quiet(page, seen);
    assert.ok(seen.requests > 0 && seen.lost === null, `${seen.paths}: ${seen.lost}`);
    return seen;
}

export function manyTests({ test, open, until, becomes, axe }) {
    test("many stations: the overview loads a hundred, finds all, and shows the worst first", async () => {
        await within(open, async (page, site, stations) => {
            const { bytes, paths } = await loaded(page, "/#/stations", ".card");
            await becomes(() => page.locator(".card").count(), PORTION);
            assert.ok(bytes < PORTION * DETAILS + COUNT * 60, `${bytes} bytes for ${paths}`);
            assert.ok(!paths.some((path) => path.endsWith("/stations")), `${paths}`);
            // The last by its name is found.
            await page.fill("input[type=search]", name(COUNT - 1).toUpperCase());
            await becomes(() => page.locator(".card h2 a").allTextContents(), [name(COUNT - 1)]);
            await page.fill("input[type=search]", "nowhere");
            await page.getByText("No station has this in its name.").waitFor();
            await page.fill("input[type=search]", "");
            await page.selectOption("select[name=order]", "name");
            await until(() => page.locator(".card h2 a").allTextContents(), ([first]) => assert.equal(first, name(0)));
            await page.getByRole("button", { name: /^Show more/ }).click();
            await becomes(() => page.locator(".card").count(), 2 * PORTION);
            // An alarm of a station that is not on the page brings it there.
            await page.selectOption("select[name=order]", "worst");
            await site.api("/rules", "PUT", { rules: [{ name: "flat", kind: "battery", limit: 3.4, clear: 3.5, severity: "critical" }] });
            const last = stations[COUNT - 1];
            await site.send([last.reading(Date.now(), { battery: { value: 3.1, unit: "V" } })]);
            await until(() => page.locator(".card h2 a").allTextContents(), ([first]) => assert.equal(first, name(COUNT - 1)));
            assert.deepEqual(await axe(page), []);
        });
    });

    test("many stations: the stream of readings loads only the changed ones that are shown", async () => {
        await within(open, async (page, site, stations) => {
            await page.goto("/#/stations");
            await page.selectOption("select[name=order]", "name");
            await page.waitForSelector(`.card:nth-child(${PORTION})`);
            const seen = counted(page);
            await quiet(page, seen);
            const before = seen.requests;
            await site.send([...stations.slice(0, 3), ...stations.slice(-20, -1)].map((station) => station.reading(Date.now())));
            const ids = () => [...new Set(seen.paths.slice(before).flatMap((path) => new URL(path, site.base).searchParams.get("stations")?.split(",") ?? []))].sort();
            const wanted = stations.slice(0, 3).map(({ device }) => `site:${device}`);
            await becomes(ids, wanted);
            // The other ones would follow within seconds.
            await page.waitForTimeout(2500);
            assert.deepEqual(ids(), wanted);
        });
    });

    test("many stations: the map is short, groups them, and opens a group", async () => {
        await within(open, async (page, site, stations) => {
            const { bytes, paths } = await loaded(page, "/#/map", "svg.map .group");
            assert.ok(bytes < COUNT * (MARKER + 60) + 2000, `${bytes} bytes for ${paths}`);
            const counts = async () => (await page.locator("svg.map .group text").allTextContents()).map(Number);
            const singles = () => page.locator("svg.map a:not([hidden])").count();
            // The last station has no position.
            const sum = (await counts()).reduce((sum, count) => sum + count, 0) + await singles();
            assert.equal(sum, COUNT - 1);
            assert.ok(await page.locator("svg.map *").count() < 1500);
            assert.deepEqual(await axe(page), []);
            // A group has the shape of its worst station.
            await site.api("/rules", "PUT", { rules: [{ name: "flat", kind: "battery", limit: 3.4, clear: 3.5, severity: "critical" }] });
            await site.send([stations[0].reading(Date.now(), { battery: { value: 3.1, unit: "V" } })]);
            await page.waitForSelector("svg.map .critical path");
            const largest = Math.max(...await counts());
            // By keyboard: groups open, until all stations in sight stand alone.
            const groups = page.locator("svg.map .group");
            for (let step = 0; step < 30 && await groups.count() > 0; step += 1) {
                await groups.first().focus();
                await page.keyboard.press("Enter");
            }
            assert.equal(await groups.count(), 0);
            assert.ok(await singles() > 1);
            await page.getByRole("button", { name: "Show all stations" }).click();
            await until(counts, (counts) => assert.equal(Math.max(...counts), largest));
        });
    });

    test("many stations: a choice proposes a few, and finds one by its device", async () => {
        await within(open, async (page) => {
            await page.goto("/#/journal");
            const field = page.locator("input[name=station]");
            await field.focus();
            const proposed = await page.locator("datalist option").count();
            assert.ok(proposed > 1 && proposed <= 20, `${proposed} stations proposed`);
            // What fits several stations chooses none of them.
            await field.fill("s01");
            await field.press("Tab");
            assert.equal(await field.inputValue(), "");
            const asked = page.waitForRequest((request) => request.url().includes("station=site%3As0123"));
            await field.fill("s0123");
            await field.press("Tab");
            await asked;
            assert.equal(await field.inputValue(), name(123));
            // The public page gets a station by its name.
            await page.goto("/#/settings");
            await page.fill("input[name=public-add]", name(42));
            await page.keyboard.press("Tab");
            await becomes(() => page.locator(".checks input:checked").count(), 1);
            await page.click("#public .main");
            await page.locator("#public", { hasText: "Saved." }).waitFor();
        });
    });
}

let shared;
/** Runs work on a page of a collector with many stations, which the tests share. */
async function within(open, work) {
    shared ??= (async () => {
        const site = new Collector();
        await site.start();
        return { site, stations: await many(site, COUNT) };
    })();
    const { site, stations } = await shared;
    const page = await open(site);
    await logIn(page, "admin", site.password);
    await work(page, site, stations);
}

/** Ends the collector of the tests. */
export const endMany = async () => (await shared?.catch(() => null))?.site.end();
