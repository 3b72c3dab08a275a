// Tests of users, one's own password, tokens, devices and the site's settings on the page.

import assert from "node:assert/strict";
import { logIn } from "./browser.mjs";

export function peopleTests({ test, logged, go, text, until, becomes, collector, open, up }) {
    test("a user is added, changes the own password, gets another role, and is removed", async () => {
        const page = await logged();
        await go(page, "settings");
        await page.getByRole("button", { name: "Add a user" }).click();
        await page.locator("dialog input[name=user-name]").fill("bia");
        await page.selectOption("dialog select[name=role]", "operator");
        await page.locator("dialog input[name=password]").fill("correct horse battery");
        await page.locator("dialog .main").click();
        await page.locator("#users tbody tr", { hasText: "bia" }).getByText("operator").waitFor();
        const own = await open();
        await logIn(own, "bia", "correct horse battery");
        await go(own, "settings");
        assert.equal(await own.locator("#users:visible, #site:visible").count(), 0);
        await own.getByRole("button", { name: "Change my password" }).click();
        await own.locator("dialog input[name=old]").fill("wrong horse battery");
        await own.locator("dialog input[name=new]").fill("another long password");
        await own.locator("dialog .main").click();
        await until(() => text(own, "dialog [role=alert]"), (words) => assert.match(words, /Wrong user or password/));
        await own.locator("dialog input[name=old]").fill("correct horse battery");
        await own.locator("dialog .main").click();
        await own.locator("dialog").waitFor({ state: "detached" });
        await becomes(async () => (await own.evaluate(async () => (await fetch("/api/v1/me")).json())).user, "bia");
        await page.getByRole("button", { name: "Role: bia" }).click();
        await page.selectOption("dialog select[name=role]", "viewer");
        await page.locator("dialog .main").click();
        await page.locator("#users tbody tr", { hasText: "bia" }).getByText("viewer").waitFor();
        // The last admin stays.
        await page.getByRole("button", { name: "Remove: admin" }).click();
        await page.locator("dialog .main").click();
        await until(() => text(page, "#users [role=alert]"), (words) => assert.match(words, /last admin/));
        await page.getByRole("button", { name: "Remove: bia" }).click();
        await page.locator("dialog .main").click();
        await page.locator("#users tbody tr", { hasText: "bia" }).waitFor({ state: "detached" });
        assert.equal(await own.evaluate(async () => (await fetch("/api/v1/me")).status), 401);
    });

    test("a token is renamed and gets other stations", async () => {
        await collector().api("/tokens", "POST", { name: "weir", role: "device" });
        const page = await logged();
        await go(page, "settings");
        await page.getByRole("button", { name: "Change: weir" }).click();
        await page.locator("dialog input[name=name]").fill("weir-2");
        await page.locator("dialog input[name=stations]").fill("weir dam");
        await page.locator("dialog .main").click();
        const row = page.locator("#tokens tbody tr", { hasText: "weir-2" });
        await until(() => row.innerText(), (words) => assert.match(words, /dam, weir/));
    });

    test("the site's name and time zone are set, and a wrong zone is refused", async () => {
        const page = await logged();
        await go(page, "settings");
        await page.fill("input[name=site-name]", "Farm & <b>river</b>");
        await page.fill("input[name=zone]", "Atlantis/Capital");
        await page.click("#site .main");
        await until(() => text(page, "#site [role=alert]"), (words) => assert.match(words, /not a known time zone/));
        await page.fill("input[name=zone]", "UTC");
        await page.click("#site .main");
        await page.locator("#site", { hasText: "Saved." }).waitFor();
        assert.deepEqual(await collector().api("/site"), { name: "Farm & <b>river</b>", zone: "UTC", zone_chosen: true });
        await collector().api("/site", "PATCH", { name: "" });
    });

    test("a device of the gateway is renamed, gets a codec, and is revoked", async () => {
        const site = await up();
        try {
            const page = await open(site);
            await logIn(page, "admin", site.password);
            await page.waitForSelector("#nav a");
            await page.goto("/#/devices");
            await page.getByRole("button", { name: "Change: shed" }).click();
            await page.locator("dialog input[name=name]").fill("weir");
            await page.selectOption("dialog select[name=codec]", "cayenne-lpp");
            await page.locator("dialog .main").click();
            const row = page.locator("#devices tbody tr", { hasText: "weir" });
            await until(() => row.innerText(), (words) => assert.match(words, /cayenne-lpp[\s\S]*valid/));
            await page.getByRole("button", { name: "Revoke: weir" }).click();
            await page.locator("dialog .main").click();
            await until(() => row.innerText(), (words) => assert.match(words, /revoked/));
            assert.equal(await page.getByRole("button", { name: /^Revoke/ }).count(), 0);
            const devices = await site.api("/devices");
            assert.deepEqual(devices.devices.map(({ name, codec, revoked }) => [name, codec, revoked !== null]), [["weir", "cayenne-lpp", true]]);
            await assert.rejects(site.api("/devices/0000000a", "PATCH", { codec: "no-such" }), /no such codec|404|no device/);
        } finally {
            await site.end();
        }
    });
}
