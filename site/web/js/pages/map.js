// The stations on a map, drawn here: no tiles are loaded unless an admin has set their address.

import { api, ask as request, stationPath } from "../api.js";
import { field, fill, h, s, select, table } from "../dom.js";
import { every, on, throttled } from "../every.js";
import { follow } from "../feed.js";
import { grouped } from "../group.js";
import { shownName, worstOnMap } from "../order.js";
import { prefer, preference } from "../preferences.js";
import { project, unproject, View } from "../projection.js";
import { attempt } from "../problem.js";
import { SEVERITIES } from "../severity.js";
import { quantity, t, valueName } from "../text.js";
import { stateBadge } from "./stations.js";
import { groundDesk } from "./ground.js";

const HEIGHT = 460;
const ZOOM = 1.5;
/** Pixels of a step by an arrow key: of the map, and of a station. */
const STEP = 60;
const NUDGE = 4;
/** Pixels around the map in which markers are still drawn. */
const MARGIN = 40;
/** Maximum stations whose table is open, which are not grouped, and whose texts may overlap. */
const LISTED = 50;
/** Maximum stations without a position that are named. */
const NAMED = 20;
/** Half of a group's width. */
const GROUP = 24;
const MINUTE_MS = 60_000;
/** Shapes of the states, so that nobody depends on the colours. */
const SHAPES = {
    critical: "M0 -9L9 0L0 9L-9 0Z", warning: "M0 -9L9 7H-9Z", info: "M-7 -7H7V7H-7Z",
    online: "M-7 0A7 7 0 1 1 7 0A7 7 0 1 1 -7 0Z", silent: "M-7 -7L7 7M7 -7L-7 7", never: "M-7 0A7 7 0 1 1 7 0A7 7 0 1 1 -7 0Z",
};
const NO_VALUE = /^(time|status|.*_total)$/;

export const title = () => t("map.title");

/** The worst alarm of a station, or its state. */
function kindOf(station) {
    return SEVERITIES.find((severity) => station.alarms.some((alarm) => alarm.severity === severity)) ?? station.state;
}

const isPlaced = (station) => station.latitude !== null && station.longitude !== null;

export async function show({ main, signal, app }) {
    const numbers = () => app.names.values.filter((name) => !NO_VALUE.test(name));
    const options = () => [["rain.hour", t("rain.hour")], ["rain.day", t("rain.day")], ...numbers().map((name) => [name, valueName(name)])];
    const choice = () => (options().some(([name]) => name === preference("map")) ? preference("map") : "rain.hour");
    const load = async (query = {}) => {
        const got = await api("/map/stations", { query: { show: choice(), ...query }, signal });
        return got.stations.map((one) => ({ ...one, name: app.names.of(one.station) }));
    };
    let [stations, map] = await Promise.all([load(), api("/map", { signal })]);
    let view = null;
    let ground = null;
    let moving = false;
    const markers = new Map();
    let sorted = [];
    const layers = { tiles: s("g"), ground: s("g", { class: "ground" }), groups: s("g"), stations: s("g") };
    const svg = s("svg", { class: "map", tabindex: "0", role: "group", "aria-label": t("map.label"), height: HEIGHT }, Object.values(layers));
    const problems = h("div");
    const told = h("p", { class: "visually-hidden", role: "status" });
    const missing = h("div");
    const sheet = h("div");

    const which = h("div");
    let offered = 0;
    function chooser() {
        if (offered === options().length) return;
        offered = options().length;
        const chosen = select(options(), choice(), {
            name: "map", onchange: () => { prefer("map", chosen.value); attempt(problems, again); },
        });
        fill(which, field(t("map.show"), chosen));
    }
    const valueText = ({ value }) => (value ? quantity(value.value, value.unit) : "–");

    const place = (station, latitude, longitude) => attempt(problems, async () => {
        const moved = await api(stationPath(station.station), { method: "PATCH", body: { latitude, longitude } });
        put({ ...station, latitude: moved.latitude, longitude: moved.longitude });
        draw();
        told.textContent = t("map.moved", { name: shownName(moved) });
    });
    function put(station) {
        const at = stations.findIndex((one) => one.station === station.station);
        if (at < 0) stations.push(station);
        else stations[at] = station;
    }

    // Stations ----------------------------------------------------------------------------

    function marker(id, made) {
        const shape = s("path");
        const name = s("text", { class: "halo strong", y: "-13", "text-anchor": "middle" });
        const value = s("text", { class: "halo", y: "22", "text-anchor": "middle" });
        const link = s("a", { href: `#/station/${encodeURIComponent(id)}`, draggable: "false" }, s("circle", { class: "rain" }), shape, name, value);
        link.addEventListener("click", (event) => moving && event.preventDefault());
        link.addEventListener("keydown", (event) => nudge(event, made));
        link.addEventListener("pointerdown", (event) => drag(event, made));
        return { link, shape, name, value, rain: link.firstChild };
    }

    function draw() {
        const placed = stations.filter(isPlaced);
        const gone = new Set(markers.keys());
        const most = Math.max(1e-9, ...placed.map(({ value }) => value?.value ?? 0));
        for (const station of placed) {
            gone.delete(station.station);
            if (!markers.has(station.station)) markers.set(station.station, {});
            const at = project(station.longitude, station.latitude);
            Object.assign(markers.get(station.station), { station, at, most, kind: kindOf(station), isOld: true, isHeld: false });
        }
        for (const id of gone) { markers.get(id).link?.remove(); markers.delete(id); }
        sorted = [...markers.values()].sort((a, b) => worstOnMap(a.station, b.station));
        const nowhere = stations.filter((station) => !isPlaced(station));
        fill(missing, nowhere.length > 0 && h("p", {}, t("map.missing"), " ", nowhere.slice(0, NAMED).map((station) => [moving
            ? h("button", { type: "button", class: "plain", onclick: () => place(station, ...centre()) }, t("map.place", { name: shownName(station) }))
            : h("a", { href: `#/station/${encodeURIComponent(station.station)}` }, shownName(station)), " "]), nowhere.length > NAMED && t("map.more", { count: nowhere.length - NAMED })));
        tabled();
        layout();
    }

    /** Builds or renews the element of a marker that is in sight. Of a thousand few are. */
    function renew(made) {
        const { station, kind, most } = made;
        if (!made.link) {
            Object.assign(made, marker(station.station, made));
            layers.stations.append(made.link);
        }
        if (!made.isOld) return;
        made.isOld = false;
        made.link.setAttribute("class", `marker ${kind}`);
        made.shape.setAttribute("d", SHAPES[kind]);
        made.name.textContent = shownName(station);
        made.value.textContent = valueText(station);
        // The area of the ring grows with the value.
        const value = station.value?.value ?? 0;
        made.rain.setAttribute("r", value > 0 ? 9 + 16 * Math.sqrt(value / most) : 0);
        made.link.setAttribute("aria-label", t("map.marker", { name: shownName(station), state: t(`map.${kind}`), value: valueText(station) }));
    }

    // The same as a table. With many stations it is closed at first, and drawn seldom.
    const rows = h("div");
    const fold = h("details", { ontoggle: () => fillTable() }, h("summary", {}, t("map.table")), rows);
    const tabled = () => (stations.length > LISTED ? seldom() : fillTable());
    const seldom = throttled(10_000, signal, () => fillTable());
    function fillTable() {
        const placed = stations.filter(isPlaced).sort(worstOnMap);
        const isLong = placed.length > LISTED;
        if (isLong !== (fold.parentNode === sheet)) fill(sheet, isLong ? fold : rows);
        if (isLong && !fold.open) { fill(rows); return; }
        fill(rows, table(t("map.table"), [t("alarm.station"), t("devices.state"), t("alarms.active"), { n: chosenName() }], placed.map((station) => [
            h("a", { href: `#/station/${encodeURIComponent(station.station)}` }, shownName(station)), stateBadge(station),
            station.alarms.map((alarm) => alarm.alarm).join(", ") || t("none"), { n: valueText(station) },
        ]), { hideCaption: true }));
    }
    const chosenName = () => (choice().startsWith("rain.") ? t(choice()) : valueName(choice()));
    const centre = () => unproject(view.x, view.y).reverse();

    /** Places the markers of the stations that are in sight, and groups those that would hide each
     * other. The texts of the worst come first; where they would overlap, a marker has none, and
     * its link and the table below still have its name. */
    function label() {
        const few = sorted.length <= LISTED;
        const isIn = ([left, top]) => left > -MARGIN && left < view.width + MARGIN && top > -MARGIN && top < view.height + MARGIN;
        const inSight = few ? sorted : sorted.filter(({ at }) => isIn(view.pixel(at)));
        const { single, groups } = few ? { single: sorted, groups: [] } : grouped(inSight, view);
        const taken = groups.map(({ at }) => boxOf(view.pixel(at), GROUP));
        const shown = new Set(single);
        for (const made of sorted) if (made.link && !shown.has(made)) made.link.setAttribute("hidden", "");
        for (const made of single) {
            renew(made);
            made.link.removeAttribute("hidden");
            const pixel = view.pixel(made.at);
            made.link.setAttribute("transform", `translate(${pixel.join(" ")})`);
            const box = boxOf(pixel, Math.max(20, shownName(made.station).length * 3.6));
            const isFree = few || !taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1]);
            if (isFree) taken.push(box);
            made.link.classList.toggle("bare", !isFree);
        }
        drawGroups(groups);
    }

    /** Draws the groups. One that has the focus keeps it. */
    function drawGroups(groups) {
        const focused = layers.groups.contains(document.activeElement) && document.activeElement.dataset.cell;
        // All rings are below all numbers.
        fill(layers.groups, groups.map((group) => ringOf(group, view.pixel(group.at))), groups.map((group) => groupMarker(group, () => {
            const before = view.scale;
            view.fit(group.members.map(({ at }) => at));
            // Stations side by side need a closer look than a single one gets.
            if (view.scale < before * ZOOM) view.zoom(before * ZOOM ** 3 / view.scale);
            layout();
            svg.focus({ preventScroll: true });
        }, view.pixel(group.at))));
        if (focused) [...layers.groups.children].find(({ dataset }) => dataset.cell === focused)?.focus({ preventScroll: true });
    }

    function layout() {
        if (!view) return;
        label();
        fill(layers.tiles, map.tiles && view.tiles().map(([z, x, y, left, top, size]) => s("image", {
            href: map.tiles.replace("{z}", z).replace("{x}", x).replace("{y}", y), x: left, y: top, width: size + 0.5, height: size + 0.5,
        })));
        if (ground) layers.ground.setAttribute("transform", ground.transform(view));
    }

    // Moving stations (operators) ---------------------------------------------------------

    function drag(event, made) {
        if (!moving) return;
        event.preventDefault();
        event.stopPropagation();
        made.link.setPointerCapture(event.pointerId);
        const ended = new AbortController();
        const pixel = (event) => { const box = svg.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
        let has = false;
        on(made.link, "pointermove", ended.signal, (event) => { has = true; made.isHeld = true; made.at = view.point(pixel(event)); layout(); });
        on(made.link, "pointercancel", ended.signal, () => { ended.abort(); draw(); });
        on(made.link, "pointerup", ended.signal, () => { ended.abort(); if (has) drop(made); });
    }

    function drop(made) {
        const [longitude, latitude] = unproject(...made.at);
        return place(made.station, Math.round(latitude * 1e6) / 1e6, Math.round(longitude * 1e6) / 1e6);
    }

    const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    function nudge(event, made) {
        if (!moving) return;
        if (event.key === "Enter") { event.preventDefault(); drop(made); }
        if (event.key === "Escape") draw();
        if (!ARROWS[event.key]) return;
        event.preventDefault();
        event.stopPropagation();
        const [left, top] = view.pixel(made.at);
        const [right, down] = ARROWS[event.key];
        made.isHeld = true;
        made.at = view.point([left + right * NUDGE, top + down * NUDGE]);
        layout();
    }

    // The view ----------------------------------------------------------------------------

    const fit = () => { view.fit([...[...markers.values()].map(({ at }) => at), ...(ground?.corners ?? [])]); layout(); };
    const zoom = (factor, at) => { view.zoom(factor, at); layout(); };
    svg.addEventListener("keydown", (event) => {
        const arrow = ARROWS[event.key];
        if (arrow) view.pan(arrow[0] * STEP, arrow[1] * STEP);
        else if (event.key === "+" || event.key === "=") view.zoom(ZOOM);
        else if (event.key === "-") view.zoom(1 / ZOOM);
        else if (event.key === "0") fit();
        else return;
        event.preventDefault();
        layout();
    });
    svg.addEventListener("wheel", (event) => {
        // Only with Ctrl: a page that is scrolled must not stop at the map.
        if (!event.ctrlKey) return;
        event.preventDefault();
        const box = svg.getBoundingClientRect();
        zoom(event.deltaY < 0 ? ZOOM : 1 / ZOOM, [event.clientX - box.left, event.clientY - box.top]);
    }, { passive: false });
    svg.addEventListener("pointerdown", (event) => {
        if (event.target.closest("a, .group") || event.button !== 0) return;
        svg.setPointerCapture(event.pointerId);
        const ended = new AbortController();
        on(svg, "pointermove", ended.signal, (event) => { view.pan(-event.movementX, -event.movementY); layout(); });
        for (const end of ["pointerup", "pointercancel"]) on(svg, end, ended.signal, () => ended.abort());
    });

    async function loadGround() {
        ground = await groundOf(map.ground, signal);
        fill(layers.ground, ground?.shapes);
    }

    const move = app.operator && h("button", { type: "button", "aria-pressed": "false", onclick: () => {
        moving = !moving;
        move.setAttribute("aria-pressed", String(moving));
        svg.classList.toggle("moving", moving);
        hint.textContent = t(moving ? "map.hint.move" : "map.hint");
        draw();
        changed([]);
    } }, t("map.move"));
    const hint = h("p", { class: "soft" }, t("map.hint"));
    const button = (sign, label, work) => h("button", { type: "button", "aria-label": t(label), onclick: work }, sign);
    const again = async () => { stations = await load(); chooser(); draw(); };
    const some = async (ids) => { (await load({ stations: ids.join(",") })).forEach(put); chooser(); draw(); };

    chooser();
    fill(main, h("h1", { tabindex: "-1" }, title()),
        h("div", { class: "tools" }, which, h("div", { class: "segments zoom" },
            button("+", "map.in", () => zoom(ZOOM)), button("−", "map.out", () => zoom(1 / ZOOM)), button(t("map.all"), "map.fit", fit)), move,
        h("a", { href: "#/stations" }, t("map.list"))),
        problems, told, h("div", { class: "map-box" }, svg, legend()), hint, missing, sheet,
        app.admin && groundDesk(map, signal, async (changed) => { map = changed; await loadGround(); fit(); }));
    view = new View(svg.clientWidth, HEIGHT);
    draw();
    await loadGround();
    fit();
    const sized = new ResizeObserver(() => { view.width = svg.clientWidth; layout(); });
    sized.observe(svg);
    signal.addEventListener("abort", () => sized.disconnect());
    const changed = follow(app.live, signal, { some, all: again, holds: () => moving });
    // A station that falls silent may cause no event.
    every(MINUTE_MS, signal, () => changed(stations.filter(({ state, silent_from: from }) => state === "online" && from <= Date.now()).map(({ station }) => station)));
}

/** The rectangle of a marker with its texts. */
const boxOf = ([left, top], half) => [left - half, top - 26, left + half, top + 26];

const radiusOf = ({ members }) => 11 + 2 * Math.log2(members.length);

/** The ring of a group: the greatest value of its stations. */
function ringOf(group, [left, top]) {
    const value = Math.max(0, ...group.members.map(({ station }) => station.value?.value ?? 0));
    const { most } = group.members[0];
    return value > 0 && s("circle", { class: "ring", cx: left, cy: top, r: radiusOf(group) + 12 * Math.sqrt(value / most) });
}

/** A group of stations: their number, and the shape of the worst if it needs a look. */
function groupMarker(group, onopen, [left, top]) {
    const { cell, members } = group;
    const { kind } = members[0];
    const count = members.length;
    const radius = radiusOf(group);
    const open = (event) => {
        if (event.type === "keydown" && ![" ", "Enter"].includes(event.key)) return;
        event.preventDefault();
        event.stopPropagation();
        onopen();
    };
    return s("g", {
        class: `marker group ${kind}`, transform: `translate(${left} ${top})`, tabindex: "0", role: "button", "data-cell": cell,
        "aria-label": t("map.group", { count, state: t(`map.${kind}`) }), onclick: open, onkeydown: open,
    }, s("circle", { r: radius }), s("text", { "text-anchor": "middle", y: "4" }, count),
    kind !== "online" && s("path", { d: SHAPES[kind], transform: `translate(${radius * 0.75} ${-radius * 0.75})` }));
}

function legend() {
    return h("ul", { class: "legend" }, Object.entries(SHAPES).map(([kind, path]) => h("li", {},
        s("svg", { viewBox: "-11 -11 22 22", width: "18", height: "18", class: `marker ${kind}`, "aria-hidden": "true" }, s("path", { d: path })), t(`map.${kind}`))));
}

/** The ground as shapes in units of its own, and the transform of a view. */
async function groundOf(told, signal) {
    if (!told) return null;
    const path = `/api/v1/map/ground?${told.tag}`;
    const parts = [];
    let corners;
    const UNITS = 1000;
    if (told.bounds) {
        const [south, west, north, east] = told.bounds;
        corners = [project(west, north), project(east, south)];
    } else {
        const { lines, areas } = await (await request(path, { signal })).json();
        parts.push(...areas.map((line) => [line, "area"]), ...lines.map((line) => [line, "line"]));
        const points = parts.flatMap(([line]) => line.map(([longitude, latitude]) => project(longitude, latitude)));
        const ends = (at, pick) => points.reduce((end, point) => pick(end, point[at]), points[0][at]);
        corners = [[ends(0, Math.min), ends(1, Math.min)], [ends(0, Math.max), ends(1, Math.max)]];
    }
    const [[west, north], [east, south]] = corners;
    // Units of the ground's own width: a browser's numbers would be too coarse for those of the world.
    const unit = Math.max(east - west, south - north, 1e-9) / UNITS;
    const path2d = (line) => line.map(([longitude, latitude], at) => {
        const [x, y] = project(longitude, latitude);
        return `${at === 0 ? "M" : "L"}${((x - west) / unit).toFixed(2)} ${((y - north) / unit).toFixed(2)}`;
    }).join("");
    const shapes = told.bounds
        ? [s("image", { href: path, width: (east - west) / unit, height: (south - north) / unit, preserveAspectRatio: "none" })]
        : parts.map(([line, kind]) => s("path", { class: kind, d: path2d(line) + (kind === "area" ? "Z" : "") }));
    return { shapes, corners, transform: (view) => { const [left, top] = view.pixel([west, north]); return `translate(${left} ${top}) scale(${unit * view.scale})`; } };
}
