// The projection of the map: Web Mercator, in units of the whole world, and the view of a part of
// it. Nothing here draws.

const RADIANS = Math.PI / 180;

/** [0 to 1 eastward, 0 to 1 southward]. */
export function project(longitude, latitude) {
    const sine = Math.sin(Math.max(-85, Math.min(85, latitude)) * RADIANS);
    return [(longitude + 180) / 360, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
}

/** The inverse of `project`: [longitude, latitude]. */
export function unproject(x, y) {
    return [x * 360 - 180, (2 * Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) - Math.PI / 2) / RADIANS];
}

/** Pixels of the whole world: a metre is a pixel at most, and the world fills a phone at least. */
const LARGEST = 4e7;
const SMALLEST = 256;

/** A part of the world in a rectangle of pixels. */
export class View {
    constructor(width, height) {
        Object.assign(this, { width, height, x: 0.5, y: 0.5, scale: SMALLEST });
    }

    /** The pixel of a projected point. */
    pixel([x, y]) {
        return [(x - this.x) * this.scale + this.width / 2, (y - this.y) * this.scale + this.height / 2];
    }

    /** The projected point of a pixel. */
    point([left, top]) {
        return [(left - this.width / 2) / this.scale + this.x, (top - this.height / 2) / this.scale + this.y];
    }

    pan(left, top) {
        this.x = Math.max(0, Math.min(1, this.x + left / this.scale));
        this.y = Math.max(0, Math.min(1, this.y + top / this.scale));
    }

    /** Zooms by a factor, with a pixel staying in its place. */
    zoom(factor, at = [this.width / 2, this.height / 2]) {
        const [x, y] = this.point(at);
        this.scale = Math.max(SMALLEST, Math.min(LARGEST, this.scale * factor));
        const [left, top] = this.pixel([x, y]);
        this.pan(left - at[0], top - at[1]);
    }

    /** Shows all projected points, with a margin. */
    fit(points) {
        if (points.length === 0) return;
        const span = (of) => [Math.min(...points.map(of)), Math.max(...points.map(of))];
        const [[west, east], [north, south]] = [span(([x]) => x), span(([, y]) => y)];
        this.x = (west + east) / 2;
        this.y = (north + south) / 2;
        // A single station is shown with a few kilometres around it.
        const fits = (pixels, size) => (pixels * 0.8) / Math.max(size, 1e-4);
        this.scale = Math.max(SMALLEST, Math.min(LARGEST, fits(this.width, east - west), fits(this.height, south - north)));
    }

    /** The tiles that cover the view: [z, x, y, left, top, size]. */
    tiles() {
        const z = Math.max(0, Math.min(19, Math.round(Math.log2(this.scale / 256))));
        const count = 2 ** z;
        const [west, north] = this.point([0, 0]);
        const [east, south] = this.point([this.width, this.height]);
        const within = (at) => Math.max(0, Math.min(count - 1, Math.floor(at * count)));
        const tiles = [];
        for (let x = within(west); x <= within(east); x += 1) {
            for (let y = within(north); y <= within(south); y += 1) {
                const [left, top] = this.pixel([x / count, y / count]);
                tiles.push([z, x, y, left, top, this.scale / count]);
            }
        }
        return tiles;
    }
}
