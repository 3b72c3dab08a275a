// Creates the pictures of docs/operator/dashboard.md, from a collector with made-up readings.
//
// usage: node site/web/tests/screenshots.mjs [FOLDER]   (default docs/images)
//
// Run `tools/npm-ci.sh site/web/tests` first.

import { mkdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch, logIn, open, Watch } from "./browser.mjs";
import { Collector, seed } from "./collector.mjs";

const LONGEST = 150_000;
const folder = process.argv[2] ?? fileURLToPath(new URL("../../../docs/images", import.meta.url));
const DESK = { viewport: { width: 1200, height: 800 } };
const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const SHOTS = [
    ["dashboard-stations", "stations", { ...DESK, colorScheme: "light" }, ".card"],
    ["dashboard-station", "station/3f9a01c2", { ...DESK, colorScheme: "dark" }, "figure[data-chart=battery] canvas"],
    ["dashboard-alarms", "alarms", { ...DESK, colorScheme: "light" }, "#rules form"],
    ["dashboard-phone", "station/3f9a01c2", { ...PHONE, colorScheme: "light", locale: "pt-BR" }, "figure[data-chart=battery] canvas"],
    ["dashboard-tls", "exchange", { ...DESK, colorScheme: "light", fullPage: true }, "[data-picture=map] svg"],
    // For inspection only, not for the page: `all` as second argument.
    ["dashboard-phone-dark", "stations", { ...PHONE, colorScheme: "dark" }, ".card"],
    ["dashboard-month", "month/3f9a01d7", { ...DESK, colorScheme: "light", fullPage: true }, "main table"],
    ["dashboard-frames", "frames", { ...DESK, colorScheme: "dark" }, "main table"],
    ["dashboard-settings", "settings", { ...DESK, colorScheme: "light" }, "#tokens table"],
    ["dashboard-devices", "devices", { ...PHONE, colorScheme: "light" }, ".problem"],
    ["dashboard-tls-phone", "exchange", { ...PHONE, colorScheme: "dark", fullPage: true }, "[data-picture=map] svg"],
    ["dashboard-login", "", { ...DESK, colorScheme: "light", anonymous: true }, "input"],
    ["dashboard-station-light", "station/3f9a01c2", { ...DESK, colorScheme: "light", fullPage: true }, "figure[data-chart=battery] canvas"],
    ["dashboard-alarms-phone", "alarms", { ...PHONE, colorScheme: "dark", fullPage: true }, "#rules form"],
];
const shots = process.argv[3] === "all" ? SHOTS : SHOTS.slice(0, 5);

const collector = new Collector();
let browser;
try {
    await collector.start();
    const stations = await seed(collector, { evil: "Creek" });
    const roof = stations["3f9a01d7"];
    await collector.send([roof.reading(Date.now(), { battery: { value: 3.24, unit: "V" } })]);
    browser = await launch();
    mkdirSync(folder, { recursive: true });
    for (const [name, place, { anonymous, fullPage, ...options }, ready] of shots) {
        const page = await open(browser, collector, new Watch(), options);
        if (anonymous) await page.goto("/");
        else await logIn(page, "admin", collector.password);
        await page.goto(`/#/${place}`);
        await page.waitForSelector(ready);
        await page.evaluate(() => document.fonts.ready);
        const path = `${folder}/${name}.png`;
        await page.screenshot({ path, fullPage });
        const { size } = statSync(path);
        console.log(`${path}: ${size} bytes`);
        if (size > LONGEST && process.argv[3] !== "all") throw new Error(`${path} is larger than ${LONGEST} bytes`);
        await page.context().close();
    }
} finally {
    await browser?.close();
    await collector.end();
}
