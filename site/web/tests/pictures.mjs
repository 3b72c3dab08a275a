// Pictures of every page, to look at before a change is done: desktop and phone, light and dark,
// both languages.
//
// usage: node site/web/tests/pictures.mjs FOLDER [WORD]   only pages whose name contains the word

import { mkdirSync } from "node:fs";
import { launch, logIn, open, Watch } from "./browser.mjs";
import { Collector, seed } from "./collector.mjs";

const [folder, word = ""] = process.argv.slice(2);
const SIZES = {
    desk: { viewport: { width: 1200, height: 800 } },
    phone: { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true },
};
const PAGES = ["stations", "map", "station/3f9a01c2", "month/3f9a01c2", "alarms", "journal", "channels", "frames", "devices", "settings", "/public", "first"];

mkdirSync(folder, { recursive: true });
const collector = new Collector();
let browser;
try {
    await collector.start();
    const stations = await seed(collector, { evil: "Bridge" });
    await furnish(stations);
    browser = await launch();
    for (const [size, options] of Object.entries(SIZES)) {
        for (const colorScheme of ["light", "dark"]) {
            for (const locale of ["en-GB", "pt-BR"]) {
                const page = await open(browser, collector, new Watch(), { ...options, colorScheme, locale });
                await logIn(page, "admin", collector.password);
                for (const name of PAGES.filter((page) => page.includes(word))) {
                    await page.goto(name.startsWith("/") ? name : `/#/${name}`);
                    await page.waitForTimeout(1200);
                    const path = `${folder}/${name.replace(/^\//, "").split("/")[0]}-${size}-${colorScheme}-${locale.slice(0, 2)}.png`;
                    await page.screenshot({ path, fullPage: true });
                }
                await page.context().close();
            }
        }
    }
} finally {
    await browser?.close();
    await collector.end();
}

/** Alarms, channels and positions, so that no page is empty. */
async function furnish(stations) {
    const roof = stations["3f9a01d7"];
    await collector.send([roof.reading(Date.now(), { battery: { value: 3.1, unit: "V" } })]);
    const channel = { server: "http://127.0.0.1:1", topic: "flood-desk", quiet: { from: "22:00", to: "06:00" } };
    await collector.api("/channels", "POST", { kind: "ntfy", name: "Duty officer", severity: "info", ...channel });
    await collector.api("/channels", "POST", { kind: "email", name: "Civil defence", server: "mail.example.org", from: "selo@example.org", to: ["desk@example.org"], after_minutes: 15, severity: "critical" });
    await collector.api("/public", "PUT", { enabled: true, title: "Rain in the valley", stations: Object.keys(stations).map((device) => `site:${device}`) });
    const { active } = await collector.api("/alarms");
    await collector.api(`/alarms/${active[0].id}/acknowledge`, "POST", { name: "Maria", note: "Batteries are on their way" });
    const places = [[-23.18, -50.65], [-23.19, -50.64], [-23.2, -50.66]];
    for (const [at, device] of Object.keys(stations).entries()) {
        const [latitude, longitude] = places[at];
        await collector.api(`/stations/${device}`, "PATCH", { latitude, longitude });
    }
}
