// Tests of the alarms: acknowledgement, journal, channels with their outbox.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { logIn } from "./browser.mjs";

/** A server for a channel: `answer(request, response)` decides. Returns its address and the bodies. */
async function receiver(answer) {
    const bodies = [];
    const server = createServer((request, response) => {
        let body = "";
        request.on("data", (data) => { body += data; });
        request.on("end", () => { bodies.push(body); answer(request, response); });
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { url: `http://127.0.0.1:${server.address().port}`, bodies, end: () => server.closeAllConnections() ?? server.close() };
}

export function alarmTests({ test, logged, go, text, until, becomes, collector, stations, open }) {
    const battery = (value) => collector().send([stations()["3f9a01d7"].reading(Date.now(), { battery: { value, unit: "V" } })]);

    test("an alarm is acknowledged with a name and a note, and the journal has it", async () => {
        await battery(3.1);
        const other = await logged();
        await go(other, "alarms");
        const page = await logged();
        await go(page, "alarms");
        const mine = page.getByRole("button", { name: /^Acknowledge battery-low at/ });
        await mine.click();
        await page.locator("dialog input[name=name]").fill("Maria");
        await page.locator("dialog input[name=note]").fill("<b>on the way</b>");
        await page.locator("dialog .main").click();
        await page.locator("dialog").waitFor({ state: "detached" });
        // Both desks see it without a reload.
        for (const one of [page, other]) await one.getByText("Maria (admin),").waitFor();
        await mine.waitFor({ state: "detached" });
        await page.getByText("<b>on the way</b>").waitFor();
        await battery(3.9);
        await go(page, "journal");
        const row = page.locator("tbody tr", { hasText: "Maria (admin)" });
        await until(() => row.innerText(), (words) => assert.match(words, /acknowledged\s+info\s+battery-low/));
        const href = await page.locator("a[download]").getAttribute("href");
        const csv = await page.evaluate(async (href) => (await fetch(href)).text(), href);
        assert.match(csv, /^at,event,alarm,severity,/);
        assert.match(csv, /acknowledged,battery-low,info,site:3f9a01d7,.*,Maria \(admin\),<b>on the way<\/b>/);
        // The past alarm keeps its acknowledgement.
        await go(page, "alarms");
        await page.getByRole("region", { name: "Past" }).getByText("Maria (admin)").first().waitFor();
    });

    test("an operator acknowledges, but sees no channel; a viewer does neither", async () => {
        await battery(3.1);
        for (const [name, role, may] of [["ana", "operator", 1], ["rui", "viewer", 0]]) {
            collector().addUser(name, role, "correct horse battery");
            const page = await open();
            await logIn(page, name, "correct horse battery");
            await go(page, "alarms");
            assert.equal(await page.getByRole("button", { name: /^Acknowledge/ }).count() >= may, true);
            assert.equal(await page.getByRole("button", { name: /^Acknowledge/ }).count() === 0, may === 0);
            assert.equal(await page.getByRole("link", { name: "Channels" }).count(), 0);
            await page.goto("/#/channels");
            await until(() => text(page, "[role=alert]"), (words) => assert.match(words, /not allowed/));
            await page.context().close();
        }
        await battery(3.9);
    });

    test("a channel is added, tested, fails visibly, recovers and is removed", async () => {
        let good = true;
        const server = await receiver((_, response) => { response.writeHead(good ? 200 : 503); response.end(); });
        try {
            const page = await logged();
            await go(page, "channels");
            await page.click("button[data-kind=ntfy]");
            await page.locator("dialog input[name=name]").fill("Duty & <b>desk</b>");
            await page.locator("dialog input[name=server]").fill(server.url);
            await page.locator("dialog input[name=topic]").fill("flood desk");
            await page.locator("dialog input[name=secret]").fill("tk_very_secret");
            await page.selectOption("dialog select[name=severity]", "info");
            await page.locator("dialog .main").click();
            // The server's reason is shown in the dialog, and what was typed stays.
            await page.waitForSelector("dialog [role=alert]");
            await page.locator("dialog input[name=topic]").fill("flood-desk");
            await page.locator("dialog .main").click();
            const card = page.locator("li.card", { hasText: "Duty & <b>desk</b>" });
            await card.waitFor();
            await card.getByRole("button", { name: "Send a test" }).click();
            await card.getByText("The test was sent.").waitFor();
            assert.match(server.bodies[0], /"topic":"flood-desk"/);
            good = false;
            await card.getByRole("button", { name: "Send a test" }).click();
            await until(() => card.locator("[role=alert]").innerText(), (words) => assert.match(words, /503/));
            // An alarm waits, with the reason, and goes out when the server is back.
            await battery(3.1);
            await card.getByText("failing").waitFor();
            await until(() => card.innerText(), (words) => assert.match(words, /Waiting\s+[1-9][\s\S]*it answered 503/));
            good = true;
            await card.getByText("failing").waitFor({ state: "detached" });
            await until(() => card.innerText(), (words) => assert.match(words, /Waiting\s+0/));
            await battery(3.9);
            assert.doesNotMatch(await page.content(), /tk_very_secret/);
            // The secret stays when other things change; another server asks for it again.
            await card.getByRole("button", { name: /^Change/ }).click();
            await page.locator("dialog input[name=server]").fill("http://127.0.0.1:1");
            await page.locator("dialog .main").click();
            await until(() => text(page, "dialog [role=alert]"), (words) => assert.match(words, /secret again/));
            await page.keyboard.press("Escape");
            await card.getByRole("button", { name: /^Remove/ }).click();
            await page.locator("dialog .main").click();
            await card.waitFor({ state: "detached" });
            await becomes(async () => (await collector().api("/channels")).channels.length, 0);
        } finally {
            server.end();
        }
    });
}
