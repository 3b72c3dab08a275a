// The dashboard with many stations, on a desktop and on a phone: bytes, requests and time of its
// pages, and of the stream of readings. Prints one line for each (wall-clock).
//
// usage: node site/web/tests/thousand.mjs [STATIONS] [FOLDER]   default 1000; FOLDER: for pictures
//
// Run `tools/npm-ci.sh site/web/tests` first.

import { fileURLToPath } from "node:url";
import { launch, logIn, open, Watch } from "./browser.mjs";
import { Collector } from "./collector.mjs";
import { counted, loaded, many, quiet } from "./many.mjs";

const SIZES = {
    desktop: { viewport: { width: 1200, height: 800 } },
    phone: { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true },
};
const THEMES = ["light", "dark"];
const LIVE_S = 20;
/** The pages, and what shows that one is usable. */
const PAGES = [["stations", ".card:nth-child(2)"], ["map", "svg.map .group, svg.map a"], ["station", "figure canvas"], ["alarms", "#rules form"], ["journal", "main table, main p"]];

async function main(count, folder) {
    const collector = new Collector();
    let browser;
    const line = (what, { requests, bytes, wire, lost }, ms) =>
        console.log(`${lost ? `not counted: ${lost}\n` : ""}${what}: ${requests} requests, ${Math.round(bytes / 1000)} KB, ${Math.round(wire / 1000)} KB on the wire${ms === undefined ? "" : `, ${Math.round(ms)} ms`}`);
    try {
        await collector.start();
        const stations = await many(collector, count);
        await rainy(collector, stations);
        browser = await launch();
        console.log(`${(await collector.api("/names")).stations.length} stations, wall-clock`);
        let last;
        for (const [size, options] of Object.entries(SIZES)) {
            for (const colorScheme of THEMES) {
                last = await open(browser, collector, new Watch(), { ...options, colorScheme });
                await logIn(last, "admin", collector.password);
                await look(last, stations, (name, seen, ms) => line(`${name}, ${size}, ${colorScheme}`, seen, ms), (name) => folder && last.screenshot({ path: `${folder}/many-${size}-${colorScheme}-${name}.png` }));
            }
        }
        line(`live, ${Math.round(count / 60)} readings a second, ${LIVE_S} s`, await live(last, collector, stations));
    } finally {
        await browser?.close();
        await collector.end();
    }
}

/** Alarms of a few stations, so that the pages look as on a rainy day. */
async function rainy(collector, stations) {
    await collector.api("/rules", "PUT", { rules: [
        { name: "flat", kind: "battery", limit: 3.4, clear: 3.5, severity: "warning" },
        { name: "hot", kind: "value", value: "temperature", when: "over", limit: 40, clear: 39, severity: "critical" },
    ] });
    const low = stations.filter((_, at) => at % 90 === 7).map((station) => station.reading(Date.now(), { battery: { value: 3.2, unit: "V" } }));
    const hot = stations.filter((_, at) => at % 300 === 11).map((station) => station.reading(Date.now(), { temperature: { value: 41.5, unit: "Cel" } }));
    await collector.send([...low, ...hot]);
}

/** Opens each page, and searches. */
async function look(page, stations, line, picture) {
    for (const [name, ready] of PAGES) {
        const seen = await loaded(page, `/#/${name === "station" ? `station/site:${stations[7].device}` : name}`, ready);
        line(name, seen, seen.ms);
        await picture(name);
    }
    await page.goto("/#/stations");
    await page.waitForSelector(".card:nth-child(2)");
    const seen = counted(page);
    const start = performance.now();
    await page.fill("input[type=search]", "station 0123");
    await page.waitForFunction(() => document.querySelectorAll(".card").length === 1);
    const ms = performance.now() - start;
    line("search", await quiet(page, seen), ms);
    await page.fill("input[type=search]", "");
}

/** Each station sends a reading a minute, while the page shows the overview. */
async function live(page, collector, stations) {
    await page.waitForSelector(".card:nth-child(2)");
    await page.waitForTimeout(1500);
    const seen = counted(page);
    const rate = Math.max(1, Math.round(stations.length / 60));
    for (let second = 0; second < LIVE_S; second += 1) {
        const some = Array.from({ length: rate }, (_, at) => stations[(second * rate + at) % stations.length].reading(Date.now()));
        await Promise.all([collector.send(some), page.waitForTimeout(1000)]);
    }
    return quiet(page, seen);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(Number(process.argv[2] ?? 1000), process.argv[3]);
