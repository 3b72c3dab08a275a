// When the pages first show something on a slow machine: Chromium with a slower processor and a slower
// network. Prints for each page the first paint, the first content and the largest content (wall-clock,
// the median and the extremes of several loads), and the kilobytes that travelled.
//
// usage: node site/web/tests/paint.mjs [SLOWER] [LOADS]
//        SLOWER: how many times slower the processor is (default 6); LOADS of each page (default 9)
//
// Run `tools/npm-ci.sh site/web/tests` first.

import { launch, logIn, open, Watch } from "./browser.mjs";
import { Collector, seed } from "./collector.mjs";

const [slower, loads] = [Number(process.argv[2] ?? 6), Number(process.argv[3] ?? 9)];
/** 10 Mbit/s each way and 40 ms there and back, as a radio link of a small board. */
const NETWORK = { offline: false, latency: 40, downloadThroughput: 10e6 / 8, uploadThroughput: 10e6 / 8 };
const PAGES = { "log in": "/", overview: "/#/stations", station: "/#/station/3f9a01c2", alarms: "/#/alarms", map: "/#/map", "public page": "/public" };

if (!(slower >= 1 && loads >= 1)) {
    console.error("paint: SLOWER and LOADS are numbers from 1");
    process.exit(2);
}

/** Loads a page with an empty cache. Returns milliseconds from the start of the navigation, and bytes. */
async function load(page, path) {
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.setCacheDisabled", { cacheDisabled: true });
    await session.send("Network.emulateNetworkConditions", NETWORK);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slower });
    let bytes = 0;
    session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
    // Another document first: a change of the fragment alone would not load the page again.
    await page.goto("about:blank");
    await page.goto(path, { waitUntil: "load" });
    await page.waitForTimeout(1500);
    const paint = await page.evaluate(() => new Promise((found) => {
        const of = (name) => performance.getEntriesByName(name)[0]?.startTime;
        const first = { paint: of("first-paint"), content: of("first-contentful-paint") };
        new PerformanceObserver((list) => found({ ...first, largest: list.getEntries().at(-1).startTime })).observe({ type: "largest-contentful-paint", buffered: true });
        setTimeout(() => found(first), 1000);
    }));
    await session.detach();
    return { ...paint, bytes };
}

const shown = (values) => {
    const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b).map(Math.round);
    return sorted.length ? `${sorted[sorted.length >> 1]} (${sorted[0]} to ${sorted.at(-1)})` : "none";
};

const collector = new Collector();
let browser;
try {
    await collector.start();
    const stations = await seed(collector);
    await collector.api("/public", "PUT", { enabled: true, title: "Rain in the valley", stations: Object.keys(stations).map((device) => `site:${device}`) });
    browser = await launch();
    console.log(`processor ${slower} times slower, 10 Mbit/s, 40 ms; ${loads} loads of each page without a cache; milliseconds, wall-clock`);
    console.log("| page | first paint | first content | largest content | KB |\n|:--|--:|--:|--:|--:|");
    for (const [name, path] of Object.entries(PAGES)) {
        const page = await open(browser, collector, new Watch(), { viewport: { width: 1200, height: 800 } });
        if (!["log in", "public page"].includes(name)) await logIn(page, "admin", collector.password);
        const seen = [];
        for (let time = 0; time < loads; time++) seen.push(await load(page, path));
        const of = (what) => shown(seen.map((one) => one[what]));
        console.log(`| ${name} | ${of("paint")} | ${of("content")} | ${of("largest")} | ${Math.round(Math.max(...seen.map((one) => one.bytes)) / 1000)} |`);
        await page.context().close();
    }
} finally {
    await browser?.close();
    await collector.end();
}
