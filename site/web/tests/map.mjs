// Tests of the map: ground, positions by dragging and by keyboard, rights.

import assert from "node:assert/strict";
import { logIn } from "./browser.mjs";

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const RIVER = JSON.stringify({ type: "FeatureCollection", features: [
    { type: "Feature", properties: { name: "<b>x</b>" }, geometry: { type: "Polygon", coordinates: [[[-50.8, -23.3], [-50.5, -23.3], [-50.5, -23.1], [-50.8, -23.3]]] } },
    { type: "Feature", geometry: { type: "LineString", coordinates: [[-50.7, -23.2], [-50.6, -23.15]] } },
] });

export function mapTests({ test, logged, go, until, becomes, text, collector, stations, open }) {
    const near = (a, b, what) => assert.ok(Math.abs(a - b) < 1e-4, `${what}: ${a} is not ${b}`);
    const position = async (device) => {
        const { latitude, longitude } = await collector().api(`/stations/${device}`);
        return [latitude, longitude];
    };

    test("the map shows stations with a shape and a value, and moves one by dragging", async () => {
        await collector().api("/stations/3f9a01c2", "PATCH", { latitude: -23.18, longitude: -50.65 });
        await collector().api("/stations/3f9a01d7", "PATCH", { latitude: -23.2, longitude: -50.6 });
        const page = await logged();
        await go(page, "map");
        const garden = page.locator("svg.map a", { hasText: "Garden" });
        const { rain } = await collector().api("/stations/3f9a01c2");
        await until(() => garden.getAttribute("aria-label"), (label) => assert.match(label, new RegExp(`^Garden: .+, ${rain.hour.toFixed(1)}.mm$`)));
        // Another value, kept by the browser.
        await page.selectOption("select[name=map]", "temperature");
        await until(() => garden.getAttribute("aria-label"), (label) => assert.match(label, /°C$/));
        // Without the mode, a drag across a station moves nothing.
        await page.getByRole("button", { name: "Move stations" }).click();
        const box = await garden.locator("path").boundingBox();
        const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
        const before = await position("3f9a01c2");
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.mouse.move(x + 50, y - 30, { steps: 4 });
        await page.mouse.up();
        const after = await until(() => position("3f9a01c2"), (now) => assert.notDeepEqual(now, before));
        assert.ok(after[0] > before[0] && after[1] > before[1], `${before} to ${after}`);
        // By keyboard: a step to the left, kept by Enter.
        await garden.focus();
        await page.keyboard.press("ArrowLeft");
        await page.keyboard.press("Enter");
        const left = await until(() => position("3f9a01c2"), (now) => assert.notDeepEqual(now, after));
        assert.ok(left[1] < after[1]);
        near(left[0], after[0], "latitude");
        // A station without a position is placed in the middle.
        await page.getByRole("button", { name: /^Place .+ here$/ }).first().click();
        await until(() => position("5b2c7e10"), ([latitude]) => assert.ok(latitude !== null));
    });

    test("the map is not drawn anew while stations are moved", async () => {
        const page = await logged();
        await page.clock.install();
        await go(page, "map");
        const loads = [];
        page.on("request", (request) => { if (request.url().includes("/api/v1/map/stations?")) loads.push(new URL(request.url()).searchParams.get("stations")); });
        const move = page.getByRole("button", { name: "Move stations" });
        await move.click();
        await page.evaluate(() => { globalThis.heard = new Promise((resolve) => { const source = new EventSource("/api/v1/events"); source.onopen = () => resolve("open"); source.addEventListener("reading", () => { globalThis.told = true; source.close(); }); }); return globalThis.heard; });
        await collector().send([stations()["3f9a01c2"].reading(Date.now())]);
        await page.waitForFunction(() => globalThis.told);
        await page.clock.runFor(62_000);
        assert.deepEqual(loads, []);
        // The reading is shown once the moving has ended, and only its station is loaded.
        await move.click();
        await page.clock.runFor(2_000);
        await until(() => loads, (loads) => assert.deepEqual(loads, ["site:3f9a01c2"]));
    });

    test("the map's keys move and zoom it", async () => {
        const page = await logged();
        await go(page, "map");
        const at = () => page.locator("svg.map a", { hasText: "Garden" }).getAttribute("transform");
        await until(at, (at) => assert.ok(at));
        await page.locator("svg.map").focus();
        let last = await at();
        for (const key of ["ArrowRight", "+", "-", "ArrowUp", "0"]) {
            await page.keyboard.press(key);
            last = await until(at, (now) => assert.notEqual(now, last, key));
        }
    });

    test("the ground is GeoJSON or a picture; other files are refused with a reason", async () => {
        const page = await logged();
        await go(page, "map");
        const use = (name, mimeType, buffer) => page.setInputFiles("input[name=ground]", { name, mimeType, buffer: Buffer.from(buffer) });
        await use("evil.json", "application/json", "<svg onload=alert(1)>");
        await page.click("#ground .main");
        await until(() => text(page, "#ground [role=alert]"), (words) => assert.match(words, /neither a picture nor GeoJSON/));
        await use("river.geojson", "application/geo+json", RIVER);
        await page.click("#ground .main");
        await becomes(() => page.locator("svg.map .area, svg.map .line").count(), 2);
        await use("map.png", "image/png", PNG);
        for (const [name, value] of [["south", -23.3], ["west", -50.8], ["north", -23.1], ["east", -50.5]]) await page.fill(`#ground input[name=${name}]`, String(value));
        await page.click("#ground .main");
        await becomes(() => page.locator("svg.map .ground image").count(), 1);
        await page.getByRole("button", { name: "Remove the ground" }).click();
        await becomes(() => page.locator("svg.map .ground > *").count(), 0);
        // No tiles by default; their server must be plain, because it becomes part of a header.
        for (const bad of ["javascript:alert(1)", "https://a.example;script-src *//{z}/{x}/{y}", "https://a.example/{z}/{x}"]) {
            await page.fill("input[name=tiles]", bad);
            await page.click("#ground form:last-child button");
            await until(() => text(page, "#ground [role=alert]"), (words) => assert.match(words, /tiles are https/));
        }
    });

    test("only operators move stations, and only admins change the ground", async () => {
        for (const [name, role, may] of [["eva", "operator", 1], ["leo", "viewer", 0]]) {
            collector().addUser(name, role, "correct horse battery");
            const page = await open();
            await logIn(page, name, "correct horse battery");
            await go(page, "map");
            assert.equal(await page.getByRole("button", { name: "Move stations" }).count(), may, role);
            assert.equal(await page.locator("#ground").count(), 0, role);
            const status = (method, path, body) => page.evaluate(async ([method, path, body]) =>
                (await fetch(`/api/v1${path}`, { method, body })).status, [method, path, body]);
            for (const [method, path, body] of [["PUT", "/map/ground", RIVER], ["DELETE", "/map/ground"], ["PATCH", "/map", '{"tiles":""}']]) {
                assert.equal(await status(method, path, body), 403, `${role} ${method} ${path}`);
            }
            assert.equal(await status("PATCH", "/stations/3f9a01c2", '{"latitude":-23.19}'), may ? 200 : 403);
            await page.context().close();
        }
    });
}
