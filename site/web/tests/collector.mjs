// A test's own collector in a temporary folder. Its readings are the same in every run except for
// the hour.

import { spawn, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const SELO = process.env.SELO ?? join(ROOT, process.env.SELO_BUILT ?? "target/release", "selo");

const PATIENCE = 120_000;

export class Collector {
    constructor() {
        this.folder = mkdtempSync(join(tmpdir(), "selo-web-"));
        this.http = "127.0.0.1:0";
    }

    /** Starts the collector, at its previous address if it ran before. */
    async start() {
        const { command, options, ready } = this.program();
        this.process = spawn(SELO, [command, "--state", this.folder, "--http", this.http, ...options], {
            stdio: ["ignore", "ignore", "pipe"],
        });
        Object.assign(this, (await said(this.process, ready)).groups);
        this.http = new URL(this.base).host;
        this.password = readFileSync(join(this.folder, "collector/admin-password"), "utf8").trim();
        const answer = await fetch(`${this.base}/api/v1/login`, {
            method: "POST", headers: { "content-type": "application/json" },
            body: JSON.stringify({ user: "admin", password: this.password }),
        });
        if (!answer.ok) throw new Error(`cannot log in: ${await answer.text()}`);
        this.cookie = answer.headers.get("set-cookie").split(";")[0];
    }

    program() {
        return { command: "collect", options: [], ready: /listening on (?<base>http:\/\/\S+)/ };
    }

    addUser(name, role, password) {
        const args = ["collect", "--state", this.folder, "user", "add", name, "--role", role];
        execFileSync(SELO, args, { input: `${password}\n` });
    }

    async api(path, method = "GET", body) {
        const answer = await fetch(`${this.base}/api/v1${path}`, {
            method, headers: { cookie: this.cookie, "content-type": "application/json" },
            body: body && JSON.stringify(body),
        });
        if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
        return answer.json();
    }

    /** Creates a token with role device and this name. */
    async makeToken(name, role = "device") {
        return (await this.api("/tokens", "POST", { name, role })).token;
    }

    /** Posts a station's data about itself: `posts` are [route, body]. */
    async post(token, posts) {
        for (const [route, body] of posts) {
            const answer = await fetch(`${this.base}/api/v1/exchange/${route}`, {
                method: "POST", headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(body),
            });
            if (answer.status !== 204) throw new Error(`${route}: ${await answer.text()}`);
        }
    }

    /** Sends readings of many stations as admin, because a device's token may not set names. */
    async send(messages) {
        this.token ??= await this.makeToken("test", "admin");
        const answer = await fetch(`${this.base}/api/v1/readings`, {
            method: "POST", headers: { authorization: `Bearer ${this.token}` }, body: JSON.stringify(messages),
        });
        const { results } = await answer.json();
        const bad = results?.find((one) => one.result !== "stored");
        if (!answer.ok || bad) throw new Error(`not stored: ${JSON.stringify(bad)}`);
    }

    async stop() {
        this.process.removeAllListeners("exit");
        if (this.process.exitCode !== null) return;
        const gone = new Promise((resolve) => this.process.once("exit", resolve));
        this.process.kill("SIGTERM");
        await gone;
    }

    async end() {
        await this.stop();
        rmSync(this.folder, { recursive: true, force: true });
    }
}

/** A collector with a gateway on the same machine, as `selo up` runs them. */
export class Up extends Collector {
    program() {
        const free = "127.0.0.1:0";
        const ready = /the gateway listens","listen":"(?<gateway>[^"]+)"[^]*everything is up.*"dashboard":"(?<base>[^"]+)"/;
        return { command: "up", options: ["--listen", free, "--broker", free, "--json-log"], ready };
    }

    /** Adds a device with a key of its own, without pairing. */
    addDevice(name) {
        execFileSync(SELO, ["device", "add", "--state", this.folder, "--generate", "--name", name]);
    }

    /** Starts a simulated Uno that pairs with the gateway, then sends this many readings. */
    uno(readings) {
        const options = ["--to", this.gateway, "--readings", readings, "--every", "1s"];
        return spawn(SELO, ["node", "--board", "uno", "--fast", "--project", ROOT, ...options]);
    }
}

/** Waits until a process writes `pattern` to stderr, and returns the match. After a generous
 * timeout the process is killed. */
export function said(process, pattern) {
    let log = "";
    return new Promise((resolve, reject) => {
        const patience = setTimeout(() => process.kill(), PATIENCE);
        process.on("exit", () => clearTimeout(patience));
        process.on("error", reject);
        process.on("exit", (code) => reject(new Error(`${process.spawnargs.join(" ")} ended with ${code}:\n${log}`)));
        process.stderr.on("data", (data) => {
            log += data;
            const found = log.match(pattern);
            if (!found) return;
            clearTimeout(patience);
            resolve(found);
        });
    });
}

/** Pseudo-random numbers in [0, 1), the same for the same seed. */
export function random(seed) {
    let state = seed >>> 0;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 2 ** 32;
    };
}

const MINUTE = 60_000;

/** A station that sends: `send(time, more)` makes its next reading. */
export class Station {
    constructor(device, name, { seed = 1, warm = 22, battery = 4.05, gateway = "north" } = {}) {
        Object.assign(this, { device, name, warm, battery, gateway });
        this.random = random(seed);
        this.counter = 0;
        this.rain = 0;
    }

    reading(time, more = {}) {
        const hour = (time / 3_600_000) % 24;
        const noise = this.random() - 0.5;
        const values = {
            time: { value: Math.round(time / 1000), unit: "s" },
            rain_total: { value: Math.round(this.rain * 5) / 5, unit: "mm" },
            temperature: { value: Math.round((this.warm + 5 * Math.sin((hour - 9) / 24 * 2 * Math.PI) + noise) * 100) / 100, unit: "Cel" },
            battery: { value: Math.round(this.battery * 1000) / 1000, unit: "V" },
            status: { value: 0, unit: "1" },
            ...more,
        };
        const little = Buffer.alloc(16);
        little.writeUInt32LE(values.time.value, 0);
        little.writeUInt32LE(Math.round(values.rain_total.value * 5), 4);
        little.writeInt32LE(Math.round((values.temperature?.value ?? 0) * 100), 8);
        little.writeUInt16LE(Math.round(values.battery.value * 1000), 12);
        const message = {
            schema: "selo.reading/1", device: this.device, name: this.name, session: "0000000112ab34cd",
            counter: this.counter, received: new Date(time).toISOString(), payload: little.toString("hex"),
            source: "192.0.2.7:5000", rssi: -80 - Math.round(this.random() * 20), authenticated: true,
            redelivered: false, gateway: this.gateway, codec: "rain-gauge", values,
        };
        this.counter += 1;
        return message;
    }

    /** Readings of this many days until `until`, one per interval in minutes. Some are lost, and
     * it rains now and then. */
    history(days, minutes, until) {
        const readings = [];
        let shower = 0;
        for (let time = until - days * 1440 * MINUTE; time <= until; time += minutes * MINUTE) {
            if (shower <= 0 && this.random() < 0.012) shower = Math.ceil(this.random() * 12);
            if (shower > 0) {
                this.rain += Math.round(this.random() * 5) / 5 * Math.min(shower, 4) * 0.5;
                shower -= 1;
            }
            this.battery -= 0.00006;
            const reading = this.reading(time);
            if (this.random() > 0.01) readings.push(reading);
        }
        return readings;
    }
}

/** Two moving stations that post their TLS times. */
export async function exchanges(collector) {
    const jitter = random(3);
    for (const [name, speed, turn] of [["bus", 12.5, 1], ["boat", 3.1, -1]]) {
        const token = await collector.makeToken(name);
        const posts = [];
        for (let step = 0; step < 12; step += 1) {
            const latitude = -23.1851 + turn * 0.002 * Math.sin(step / 3);
            posts.push(["reading", { latitude, longitude: -50.6497 + step * 0.0007, speed: speed + step / 10 }]);
        }
        for (const [suite, group, most] of [["TLS_AES_128_GCM_SHA256", "x25519", 4], ["TLS_CHACHA20_POLY1305_SHA256", "x25519mlkem768", 6]]) {
            for (let count = 0; count < 4; count += 1) {
                posts.push(["handshake", { suite, group, resumed: false, seconds: (most + jitter()) / 1000 }]);
                posts.push(["exchange", { suite, group, resumed: false, seconds: (0.8 + jitter() / 5) / 1000 }]);
            }
        }
        await collector.post(token, posts);
    }
}

/** Stations with a month of readings. Returns them by device. */
export async function seed(collector, { now = Date.now(), evil = "<img src=x onerror=alert(1)>" } = {}) {
    const stations = [
        new Station("3f9a01c2", "Garden", { seed: 7 }),
        new Station("3f9a01d7", "Roof", { seed: 21, warm: 24, battery: 3.92 }),
        new Station("5b2c7e10", evil, { seed: 5, warm: 18, gateway: "south" }),
    ];
    const [garden, roof, third] = stations;
    const batches = [garden.history(30, 15, now - MINUTE), roof.history(7, 10, now - 4 * MINUTE), third.history(2, 30, now - 180 * MINUTE)];
    // A shower in the last hours, for pictures and sums.
    for (const minutes of [0.8, 0.6, 0.4, 0.2]) {
        garden.rain += 2.4 * (1 - minutes / 2);
        batches[0].push(garden.reading(now - minutes * MINUTE));
    }
    batches[0].sort((a, b) => a.counter - b.counter);
    for (const batch of batches) {
        for (let at = 0; at < batch.length; at += 1000) await collector.send(batch.slice(at, at + 1000));
    }
    await exchanges(collector);
    return Object.fromEntries(stations.map((station) => [station.device, station]));
}
