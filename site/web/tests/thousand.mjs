// The dashboard with many stations: bytes, requests and time of its pages, and of the stream of
// readings. Prints one line for each (wall-clock).
//
// usage: node site/web/tests/thousand.mjs [STATIONS] [FOLDER]   default 1000; FOLDER: for pictures
//
// Run `tools/npm-ci.sh site/web/tests` first.

import { fileURLToPath } from "node:url";
import { launch, logIn, open, Watch } from "./browser.mjs";
import { Collector, Station } from "./collector.mjs";

const DESK = { viewport: { width: 1200, height: 800 }, colorScheme: "light" };
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, colorScheme: "dark" };
/** Stations whose positions are set at the same time. */
const AT_ONCE = 20;
const LIVE_S = 20;

/** Sends one reading of each of many stations, and places all but the last. */
export async function many(collector, count) {
    const stations = Array.from({ length: count }, (_, at) => new Station(`s${String(at).padStart(4, "0")}`, `Station ${String(at).padStart(4, "0")}`, { seed: at + 1, warm: 15 + at % 12 }));
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
    const seen = { requests: 0, bytes: 0, paths: [] };
    page.on("requestfinished", async (request) => {
        const { pathname, search } = new URL(request.url());
        if (!pathname.startsWith("/api/") || pathname.endsWith("/events")) return;
        seen.requests += 1;
        seen.paths.push(pathname + search);
        const { responseBodySize } = await request.sizes();
        seen.bytes += responseBodySize;
    });
    return seen;
}

async function main(count, folder) {
    const collector = new Collector();
    let browser;
    const line = (what, { requests, bytes }, ms) =>
        console.log(`${what}: ${requests} requests, ${Math.round(bytes / 1000)} KB${ms === undefined ? "" : `, ${Math.round(ms)} ms`}`);
    try {
        await collector.start();
        const stations = await many(collector, count);
        browser = await launch();
        const page = await open(browser, collector, new Watch(), DESK);
        await logIn(page, "admin", collector.password);
        const id = `site:${stations[7].device}`;
        const first = await collector.api("/stations");
        console.log(`${first.stations.length} stations, wall-clock`);
        for (const [name, place, ready] of [["overview", "stations", ".card:nth-child(2)"], ["map", "map", "svg.map a"], ["station", `station/${id}`, "figure canvas"], ["alarms", "alarms", "#rules"], ["journal", "journal", "main table, main p"]]) {
            await page.goto("about:blank");
            const seen = counted(page);
            const start = performance.now();
            await page.goto(`/#/${place}`);
            await page.waitForSelector(ready);
            const ms = performance.now() - start;
            await page.waitForLoadState("networkidle").catch(() => {});
            line(name, seen, ms);
            if (folder) await page.screenshot({ path: `${folder}/many-${name}.png` });
        }
        await page.goto("/#/stations");
        await page.waitForSelector(".card:nth-child(2)");
        const start = performance.now();
        await page.fill("input[type=search]", "station 0777");
        await page.waitForFunction(() => document.querySelectorAll(".card").length === 1);
        console.log(`search: ${Math.round(performance.now() - start)} ms`);
        await page.fill("input[type=search]", "");
        await page.waitForTimeout(1500);
        // Each station sends a reading a minute.
        const seen = counted(page);
        const rate = Math.max(1, Math.round(count / 60));
        for (let second = 0; second < LIVE_S; second += 1) {
            const some = Array.from({ length: rate }, (_, at) => stations[(second * rate + at) % count].reading(Date.now()));
            await Promise.all([collector.send(some), page.waitForTimeout(1000)]);
        }
        await page.waitForTimeout(1500);
        line(`live, ${rate} readings a second, ${LIVE_S} s`, seen);
        if (folder) {
            const phone = await open(browser, collector, new Watch(), { ...PHONE, storageState: await page.context().storageState() });
            for (const [name, ready] of [["stations", ".card:nth-child(2)"], ["map", "svg.map a"]]) {
                await phone.goto(`/#/${name}`);
                await phone.waitForSelector(ready);
                await phone.waitForTimeout(500);
                await phone.screenshot({ path: `${folder}/many-phone-${name}.png` });
            }
        }
    } finally {
        await browser?.close();
        await collector.end();
    }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(Number(process.argv[2] ?? 1000), process.argv[3]);
