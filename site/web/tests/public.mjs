// Tests of the public page: chosen on the settings page, shown to strangers and in a frame.

import assert from "node:assert/strict";
import { createServer } from "node:http";

export function publicTests({ test, logged, go, becomes, until, collector, open, AXE }) {
    test("an admin makes stations public, strangers see them, and a town's site frames them", async () => {
        const page = await logged();
        await go(page, "settings");
        const stranger = await open();
        const status = async (path) => (await fetch(`${collector().base}${path}`)).status;
        assert.equal(await status("/public"), 404);
        await page.selectOption("select[name=public]", "yes");
        await page.fill("input[name=public-title]", "Rain & <b>river</b>");
        await page.locator("#public label", { hasText: "Garden" }).locator("input").check();
        await page.click("#public .main");
        await page.locator("#public", { hasText: "Saved." }).waitFor();
        for (const [options, words] of [["", /online/], ["?lang=pt", /on-line/]]) {
            await stranger.goto(`/public${options}`);
            await becomes(() => stranger.locator("h1").innerText(), "Rain & <b>river</b>");
            await until(() => stranger.locator("tbody tr").allInnerTexts(), (rows) => { assert.equal(rows.length, 1); assert.match(rows[0], /Garden/); assert.match(rows[0], words); });
            assert.equal(await stranger.locator("script, main img").count(), 0);
        }
        for (const viewport of [{ width: 1200, height: 700 }, { width: 360, height: 700 }]) {
            for (const colorScheme of ["light", "dark"]) {
                await stranger.setViewportSize(viewport);
                await stranger.emulateMedia({ colorScheme });
                assert.ok(await stranger.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${viewport.width}`);
                const { violations } = await stranger.evaluate(`${AXE}; axe.run(document)`);
                assert.deepEqual(violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id }) => id), []);
            }
        }
        // A frame on another origin shows the public page, and not the dashboard.
        const town = createServer((_, response) => response.end(`<iframe id=a src="${collector().base}/public"></iframe><iframe id=b src="${collector().base}/"></iframe>`));
        await new Promise((resolve) => town.listen(0, "127.0.0.1", resolve));
        const context = await stranger.context().browser().newContext();
        try {
            const framed = await context.newPage();
            await framed.goto(`http://127.0.0.1:${town.address().port}/`);
            await framed.frameLocator("#a").locator("tbody tr", { hasText: "Garden" }).waitFor();
            assert.equal(await framed.frameLocator("#b").locator("input[name=password]").count(), 0);
        } finally {
            await context.close();
            town.close();
        }
        // A reverse proxy may serve the page below a path of its own, which it removes.
        const proxy = createServer(async (request, response) => {
            if (!request.url.startsWith("/rain/")) { response.writeHead(404).end(); return; }
            const answer = await fetch(collector().base + request.url.slice("/rain".length), { headers: { accept: request.headers.accept } });
            const kept = ["content-type", "content-security-policy"].map((name) => [name, answer.headers.get(name)]).filter(([, value]) => value);
            response.writeHead(answer.status, Object.fromEntries(kept)).end(Buffer.from(await answer.arrayBuffer()));
        });
        await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
        const beyond = await stranger.context().browser().newContext();
        try {
            const behind = await beyond.newPage();
            await behind.goto(`http://127.0.0.1:${proxy.address().port}/rain/public`);
            await behind.locator("tbody tr", { hasText: "Garden" }).waitFor();
            // The style sheet was loaded too.
            await becomes(() => behind.evaluate(() => [...document.styleSheets].map((sheet) => sheet.cssRules.length > 10)), [true]);
        } finally {
            await beyond.close();
            proxy.close();
        }
        await page.selectOption("select[name=public]", "no");
        await page.click("#public .main");
        await until(() => status("/public"), (now) => assert.equal(now, 404));
    });
}
