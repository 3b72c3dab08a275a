// Groups of markers that would hide each other. Nothing here draws.

/** Pixels of a cell of the grid. */
const CELL = 56;
/** Pixels of the whole world from which nothing is grouped: stations at the same place cannot be
 * parted by a closer look. */
const CLOSEST = 2e7;

/** Divides markers with a place `at` into single ones and groups. The grid belongs to the world,
 * so that a moved view does not change the groups. The markers keep their order; a held one is
 * always single. */
export function grouped(markers, view) {
    if (view.scale >= CLOSEST) return { single: markers, groups: [] };
    const cells = new Map();
    const single = [];
    for (const marker of markers) {
        if (marker.isHeld) { single.push(marker); continue; }
        const cell = marker.at.map((at) => Math.floor(at * view.scale / CELL)).join(" ");
        if (!cells.has(cell)) cells.set(cell, []);
        cells.get(cell).push(marker);
    }
    const groups = [];
    for (const [cell, members] of cells) {
        if (members.length === 1) { single.push(members[0]); continue; }
        const mean = (axis) => members.reduce((sum, { at }) => sum + at[axis], 0) / members.length;
        groups.push({ cell, members, at: [mean(0), mean(1)] });
    }
    return { single, groups };
}
