// The ground of the map, for admins: a GeoJSON file or a picture, and the address of tiles.

import { api, ask as request } from "../api.js";
import { field, fill, h } from "../dom.js";
import { attempt } from "../problem.js";
import { t } from "../text.js";

const CORNERS = ["south", "west", "north", "east"];

/** The forms. `changed` is called with the map after each change. */
export function groundDesk(map, signal, changed) {
    const box = h("div", { role: "status" });
    const file = h("input", { type: "file", name: "ground", required: true, accept: ".json,.geojson,.png,.jpg,.jpeg,.webp", onchange: () => fit() });
    const corners = CORNERS.map((name) => h("input", { name, type: "number", step: "any" }));
    const fields = CORNERS.map((name, at) => field(t(`map.${name}`), corners[at]));
    const tiles = h("input", { name: "tiles", value: map.tiles, maxlength: "256", placeholder: "https://tiles.example.org/{z}/{x}/{y}.png" });
    const isPicture = () => /\.(png|jpe?g|webp)$/i.test(file.files[0]?.name ?? "");
    function fit() {
        for (const [at, input] of corners.entries()) {
            fields[at].hidden = !isPicture();
            input.required = isPicture();
        }
    }
    fit();

    const put = (event) => {
        event.preventDefault();
        return attempt(box, async () => {
            const query = isPicture() ? `?${new URLSearchParams(corners.map((input) => [input.name, input.value]))}` : "";
            const answer = await request(`/api/v1/map/ground${query}`, { method: "PUT", file: file.files[0], signal });
            await changed(await answer.json());
            fill(box, h("p", { class: "good" }, t("saved")));
        });
    };
    const remove = () => attempt(box, async () => {
        await api("/map/ground", { method: "DELETE", signal });
        await changed(await api("/map", { signal }));
    });
    const setTiles = (event) => {
        event.preventDefault();
        return attempt(box, async () => {
            await api("/map", { method: "PATCH", body: { tiles: tiles.value }, signal });
            // The policy of this page does not allow the tiles' server yet.
            location.reload();
        });
    };
    return h("section", { id: "ground" }, h("h2", {}, t("map.ground")), h("p", {}, t("map.ground.text")), box,
        h("form", { class: "row", onsubmit: put }, field(t("map.file"), file), fields, h("button", { class: "main" }, t("map.put")),
            h("button", { type: "button", onclick: remove }, t("map.remove"))),
        h("form", { class: "row", onsubmit: setTiles }, field(t("map.tiles"), tiles, { help: t("map.tiles.help") }), h("button", {}, t("save"))));
}
