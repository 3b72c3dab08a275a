// The browser: Debian's Chromium, in its build without windows, which takes half of the time. All its
// requests and errors are recorded for the tests to check.

import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

const TYPES = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml" };

export async function launch() {
    const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell";
    // Chromium's own sandbox does not work as root, such as in a container.
    const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
    return chromium.launch({ executablePath, args: [...args, "--disable-dev-shm-usage"] });
}

/** Requests and errors of all pages of a run. */
export class Watch {
    requests = [];
    /** Requests that left the collector's origin. */
    strayed = [];
    problems = [];
}

/** A separate browser context for one test. `options` are Playwright's. */
export async function open(browser, collector, watch, options = {}) {
    const context = await browser.newContext({ baseURL: collector.base, locale: "en-GB", timezoneId: "UTC", ...options });
    context.setDefaultTimeout(Number(process.env.SELO_TIMEOUT ?? 60_000));
    context.on("request", (request) => {
        const url = request.url();
        watch.requests.push(url);
        if (new URL(url).origin !== collector.base && !/^(data|blob):/.test(url)) watch.strayed.push(url);
    });
    context.on("weberror", (error) => watch.problems.push(String(error.error())));
    await context.addInitScript(() => {
        addEventListener("securitypolicyviolation", (event) =>
            console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
    });
    context.on("console", (message) => message.text().startsWith("policy:") && watch.problems.push(message.text()));
    context.on("dialog", (dialog) => {
        watch.problems.push(`dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
    if (process.env.SELO_WEB) await fromFolder(context, process.env.SELO_WEB);
    return context.newPage();
}

/** For page development: serves the files from a folder, under the collector's own headers. */
async function fromFolder(context, folder) {
    await context.route(/^[^?]*\/(?!api\/|report)[^?]*$/, async (route) => {
        const path = new URL(route.request().url()).pathname;
        const own = path === "/" ? "index.html" : path.slice(1);
        const vendor = { "vendor/uplot.js": "uPlot.esm.js", "vendor/uplot.css": "uPlot.min.css" }[own];
        const file = join(folder, vendor ? `node_modules/uplot/dist/${vendor}` : own);
        if (!existsSync(file) || !statSync(file).isFile()) return route.continue();
        const index = await route.fetch({ url: new URL("/", route.request().url()).href });
        const headers = { ...index.headers(), "content-type": TYPES[own.split(".").pop()] };
        delete headers["content-length"];
        delete headers.etag;
        return route.fulfill({ headers, body: readFileSync(file) });
    });
}

export async function logIn(page, user, password) {
    await page.goto("/");
    await page.fill("input[name=user]", user);
    await page.fill("input[name=password]", password);
    await page.keyboard.press("Enter");
    await page.waitForSelector("#nav:not([hidden])");
}
