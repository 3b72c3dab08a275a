// Tests of small charts, comparison, events on the axis of time, and the site's time zone.

import assert from "node:assert/strict";

export function timelineTests({ test, logged, go, until, becomes, text, collector, stations }) {
    test("a card has a small chart of the last hours, with its numbers as text", async () => {
        const page = await logged();
        await go(page, "stations");
        const spark = page.locator(".card", { hasText: "3f9a01c2" }).locator(".spark");
        const { stations: lines } = await collector().api("/sparklines?name=rain_total");
        const most = Math.max(...lines["site:3f9a01c2"]);
        await until(() => spark.getAttribute("aria-label"), (label) => assert.match(label, new RegExp(`^Rain, last 24 h: 0\\.0.mm to ${most.toFixed(1)}.mm$`)));
        await becomes(() => spark.locator("rect").count(), lines["site:3f9a01c2"].filter((one) => one > 0).length);
    });

    test("two stations are compared in one chart, and the address keeps it", async () => {
        const page = await logged();
        await go(page, "station/3f9a01c2");
        const figure = page.locator("figure[data-chart=temperature]");
        const reddish = () => figure.locator("canvas").evaluate((canvas) => {
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            let count = 0;
            for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 200 && data[at] > 120 && data[at + 1] < 80 && data[at + 2] < 80) count += 1;
            return count;
        });
        assert.equal(await reddish(), 0);
        await page.selectOption("select[name=with]", "site:3f9a01d7");
        await until(reddish, (count) => assert.ok(count > 50, `${count} pixels of the other station`));
        await until(() => figure.locator("figcaption p").innerText(), (words) => assert.match(words, /^dashed: /));
        await page.goto("/#/stations");
        await page.goBack();
        await page.waitForSelector("figure[data-chart=rain] canvas");
        await becomes(() => page.inputValue("select[name=with]"), "site:3f9a01d7");
        await page.selectOption("select[name=with]", "");
        await until(reddish, (count) => assert.equal(count, 0));
    });

    test("a restart is an event of the period", async () => {
        const garden = stations()["3f9a01c2"];
        const reading = { ...garden.reading(Date.now()), session: "0000000112ab34ce", counter: 0 };
        await collector().send([reading]);
        const page = await logged();
        await go(page, "station/3f9a01c2");
        await page.locator("summary", { hasText: "Events in this period: 1" }).click();
        await page.locator(".events li", { hasText: /: restarted$/ }).waitFor();
        // The other tests continue the old session.
        await collector().send([garden.reading(Date.now())]);
    });

    test("days and times are those of the site's time zone", async () => {
        await collector().api("/site", "PATCH", { zone: "America/Sao_Paulo" });
        try {
            const page = await logged();
            const waiting = page.waitForResponse((answer) => answer.url().includes("/rain?") && answer.url().includes("step=day"));
            await go(page, "month/3f9a01d7");
            const { t: times } = await (await waiting).json();
            // Midnight there is 03:00 UTC.
            assert.ok(times.length > 0 && times.every((time) => new Date(time).getUTCHours() === 3), `${times}`);
            await until(() => text(page, "main > p.soft"), (words) => assert.match(words, /days of America\/Sao_Paulo/));
            await go(page, "station/3f9a01c2");
            await page.click("details.dates summary");
            const shown = await page.inputValue("input[name=to]");
            const behind = Date.now() - Date.parse(`${shown}Z`);
            assert.ok(Math.abs(behind - 3 * 3_600_000) < 120_000, `${shown} is ${behind} ms behind`);
        } finally {
            await collector().api("/site", "PATCH", { zone: "UTC" });
        }
    });
}
