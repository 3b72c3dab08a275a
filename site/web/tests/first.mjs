// Tests of the first-run page.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";

export function firstTests({ test, text, until, open, start, AXE }) {
    test("the first run: a password, the site's name, and the window for the first station", async () => {
        const site = await start();
        try {
            const page = await open(site, { locale: "pt-BR", timezoneId: "America/Sao_Paulo" });
            // A wrong code changes nothing.
            await page.goto("/#/first/not-the-code");
            await page.fill("input[name=password]", "correct horse battery");
            await page.fill("input[name=again]", "correct horse batterx");
            await page.click("form .main");
            assert.equal(await page.locator("input[name=again]").evaluate((input) => input.validity.customError), true);
            await page.fill("input[name=again]", "correct horse battery");
            await page.click("form .main");
            await page.waitForSelector("[role=alert]");
            await page.goto("about:blank");
            await page.goto(`/#/first/${site.password}`);
            await page.getByRole("heading", { name: "Bem-vindo ao Selo" }).waitFor();
            await until(() => page.url(), (url) => assert.ok(!url.includes(site.password), "the code is not in the address"));
            const { violations } = await page.evaluate(`${AXE}; axe.run(document)`);
            assert.deepEqual(violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id }) => id), []);
            await page.fill("input[name=password]", "correct horse battery");
            await page.fill("input[name=again]", "correct horse battery");
            await page.fill("input[name=site-name]", "Sítio do Rio");
            // A refused time zone does not lock the person out: the password is set already.
            await page.fill("input[name=zone]", "Mars/Olympus");
            // The answer to the change is lost: the password is new, and the page does not know it.
            await page.route("**/api/v1/me/password", async (route) => { await route.fetch(); await route.abort(); }, { times: 1 });
            await page.click("form .main");
            await page.waitForSelector("[role=alert]");
            await page.click("form .main");
            await page.locator("[role=alert]", { hasText: "Mars/Olympus" }).waitFor();
            await page.waitForSelector("[role=alert]");
            await page.fill("input[name=zone]", "America/Sao_Paulo");
            await page.click("form .main");
            await page.getByRole("heading", { name: "A primeira estação" }).waitFor();
            assert.deepEqual(await page.evaluate(async () => (await fetch("/api/v1/site")).json()), { name: "Sítio do Rio", zone: "America/Sao_Paulo", zone_chosen: true });
            await page.locator("#pairing form .main").click();
            await until(() => text(page, "#pairing [role=status]"), (words) => assert.match(words, /3/));
            // The code and its file are gone.
            assert.equal(existsSync(join(site.folder, "collector/admin-password")), false);
            const login = (password) => fetch(`${site.base}/api/v1/login`, { method: "POST", body: JSON.stringify({ user: "admin", password }) });
            assert.equal((await login(site.password)).status, 401);
            assert.equal((await login("correct horse battery")).status, 200);
        } finally {
            await site.end();
        }
    });
}
