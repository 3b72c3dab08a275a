// Queries over five years of readings of many stations. SQLite fills the collector's own tables
// with what the default retention keeps: every hour for five years, readings for 400 days. Then each query is asked through the API, of stations by chance, and the median and
// the 99th percentile are printed (wall-clock).
//
// usage: node site/web/tests/five-years.mjs [STATIONS [QUERIES [FOLDER]]]   default 1000 200
//
// FOLDER holds the database; the default is a temporary one. Run `tools/npm-ci.sh site/web/tests`
// first.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Collector, random } from "./collector.mjs";
import { many } from "./many.mjs";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** What the default retention keeps of each table, in steps. A station sends once an hour. */
const KEPT = { packed_day: [DAY, 5 * 365], packed_hour: [HOUR, 5 * 365 * 24] };
const READINGS = 400 * 24;
const VALUES = ["rain_total", "temperature"];
/** Past alarms of a station: a thousand stations have as many as the collector keeps. */
const ALARMS = 100;
/** A session lasts a month. */
const SESSIONS = 60;

/** The statements that fill the tables until `now`. */
function filling(now) {
    const session = (at) => `(1000 + (${at}) / (30 * ${DAY}))`;
    const rollup = ([table, [step, count]]) => {
        const last = Math.floor(now / step) * step - step;
        return `INSERT OR IGNORE INTO ${table}(station, name, at, count, min, max, sum, amount, last, last_session, last_counter)
            SELECT s.number, v.number, ${last} - (${count - 1} - n.i) * ${step}, 1, 10.5, 21.25, 15.5, 0.2, 15.5, 1000 + n.i / 720, n.i
            FROM one s CROSS JOIN name v CROSS JOIN n WHERE n.i < ${count};`;
    };
    const first = now - READINGS * HOUR;
    return `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; BEGIN;
        CREATE TEMP TABLE n(i INTEGER PRIMARY KEY);
        WITH RECURSIVE r(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r WHERE i < ${KEPT.packed_hour[1]}) INSERT INTO n SELECT i FROM r;
        CREATE TEMP TABLE one(number INTEGER PRIMARY KEY, station TEXT);
        INSERT INTO one SELECT number, station FROM station_number;
        CREATE TEMP TABLE name(number INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO name SELECT number, name FROM quantity_number WHERE name IN (${VALUES.map((name) => `'${name}'`).join(", ")});
        ${Object.entries(KEPT).map(rollup).join("\n")}
        INSERT OR IGNORE INTO session(station, session, first, last, stored)
            SELECT s.station, 1000 + n.i, n.i * 720, n.i * 720 + 719, 719 FROM one s CROSS JOIN n WHERE n.i < ${SESSIONS};
        INSERT OR IGNORE INTO layout(names) VALUES ('battery,rain_total,status,temperature,time');
        INSERT OR IGNORE INTO packed_reading(station, session, counter, received, stored, authenticated, rssi, layout, gateway, payload, data)
            SELECT s.number, ${session(`${first} + n.i * ${HOUR}`)}, n.i, ${first} + n.i * ${HOUR}, ${first} + n.i * ${HOUR}, 1, -90,
                (SELECT number FROM layout WHERE names = 'battery,rain_total,status,temperature,time'), 'north',
                x'00112233445566778899aabbccddeeff', '[4.05,120.2,0.0,15.5,1790000000.0]'
            FROM one s CROSS JOIN n WHERE n.i < ${READINGS};
        INSERT OR IGNORE INTO span(station, at, low_session, low_counter, high_session, high_counter)
            SELECT station, received / ${HOUR} * ${HOUR}, MIN(session), MIN(counter), MAX(session), MAX(counter) FROM packed_reading GROUP BY 1, 2;
        INSERT OR IGNORE INTO grown_minute(station, name, at, amount)
            SELECT r.station, v.number, r.received / 60000 * 60000, 0.2 FROM packed_reading r CROSS JOIN name v WHERE v.name = 'rain_total';
        INSERT INTO alarm(rule, station, since, cleared, value, bound, unit, text, severity)
            SELECT 'rule' || n.i, s.station, ${now} - n.i * ${18 * DAY} - 7200000, ${now} - n.i * ${18 * DAY} - 3600000, 31.5, 30, 'mm', 'heavy rain', 'warning'
            FROM n CROSS JOIN one s WHERE n.i < ${ALARMS};
        INSERT INTO journal(at, alarm, event, person, note, target)
            SELECT a.since + e.i * 60000, a.id, CASE e.i WHEN 0 THEN 'raised' WHEN 1 THEN 'sent' WHEN 2 THEN 'acknowledged' ELSE 'cleared' END, 'Maria', 'seen', NULL
            FROM alarm a CROSS JOIN n e WHERE e.i < 4;
        COMMIT; PRAGMA journal_mode = WAL;`;
}

/** The queries of the operator's pages, of a station and of all. */
function asked(station, now) {
    const of = `/stations/${encodeURIComponent(station)}`;
    const span = (days) => `from=${now - days * DAY}&to=${now}`;
    return {
        "names": "/names",
        "overview, worst first": "/overview",
        "overview, by rain": "/overview?order=rain",
        "overview, a search": "/overview?search=7",
        "the map": "/map/stations",
        "100 small charts": `/sparklines?name=rain_total&stations=${Array.from({ length: 100 }, (_, at) => `site:s${String(at).padStart(4, "0")}`).join(",")}`,
        "one station": of,
        "five years by day": `${of}/series?name=temperature&step=day&${span(1825)}`,
        "five years of rain by day": `${of}/rain?step=day&${span(1825)}`,
        "100 days by hour": `${of}/series?name=temperature&step=hour&${span(100)}`,
        "five years by hour": `${of}/series?name=temperature&step=hour&${span(1825)}`,
        "a day by minute": `${of}/series?name=temperature&step=minute&${span(1)}`,
        "400 days of readings": `${of}/series?name=temperature&step=raw&${span(400)}`,
        "five years of restarts": `${of}/events?${span(1825)}`,
        "frames of all": "/frames?limit=50",
        "frames of a station": `/frames?limit=50&device=${encodeURIComponent(station)}`,
        "the alarms": "/alarms",
        "a year of the journal": `/journal?limit=100&from=${now - 365 * DAY}`,
        "five years of a station's journal": `/journal?limit=100&station=${encodeURIComponent(station)}&from=${now - 1825 * DAY}`,
    };
}

async function main(count, queries, folder) {
    const collector = new Collector();
    if (folder) collector.folder = folder;
    try {
        await collector.start();
        if ((await collector.api("/names")).stations.length < count) {
            await many(collector, count);
            await collector.stop();
            const start = performance.now();
            execFileSync("sqlite3", [join(collector.folder, "collector/readings.db")], { input: filling(Date.now()), stdio: ["pipe", "ignore", "inherit"] });
            console.log(`filled in ${Math.round((performance.now() - start) / 1000)} s`);
            await collector.start();
        }
        const chance = random(1);
        const times = new Map();
        const now = Date.now();
        for (let turn = 0; turn < queries; turn += 1) {
            const station = `site:s${String(Math.floor(chance() * count)).padStart(4, "0")}`;
            for (const [name, path] of Object.entries(asked(station, now))) {
                const start = performance.now();
                const size = JSON.stringify(await collector.api(path)).length;
                times.set(name, [...times.get(name) ?? [], [performance.now() - start, size]]);
            }
        }
        console.log(`| query | median ms | p99 ms | most ms | KB |\n|:--|--:|--:|--:|--:|`);
        for (const [name, all] of times) {
            const sorted = all.map(([ms]) => ms).sort((a, b) => a - b);
            const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))].toFixed(0);
            console.log(`| ${name} | ${at(0.5)} | ${at(0.99)} | ${at(1)} | ${Math.round(Math.max(...all.map(([, size]) => size)) / 1000)} |`);
        }
    } finally {
        if (folder) await collector.stop();
        else await collector.end();
    }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(Number(process.argv[2] ?? 1000), Number(process.argv[3] ?? 200), process.argv[4]);
