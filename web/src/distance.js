// How far points are from a surface of triangles: a grid of cells, searched outwards from each point until nothing can be nearer.

const mostCells = 64; // along the longest side

class Grid {
    // corners: nine numbers a triangle
    constructor(corners) {
        this.corners = corners;
        this.low = [Infinity, Infinity, Infinity];
        const high = [-Infinity, -Infinity, -Infinity];
        corners.forEach((value, i) => {
            this.low[i % 3] = Math.min(this.low[i % 3], value);
            high[i % 3] = Math.max(high[i % 3], value);
        });
        const sides = high.map((value, k) => value - this.low[k]), longest = Math.max(...sides) || 1;
        this.size = longest / Math.min(mostCells, Math.max(1, Math.ceil(Math.cbrt(corners.length / 9) * 2)));
        this.counts = sides.map((side) => Math.floor(side / this.size) + 1);
        this.cells = new Map();
        for (let t = 0; t < corners.length / 9; t++)
            this.add(t);
    }

    cellOf(value, k) {
        return Math.min(Math.max(Math.floor((value - this.low[k]) / this.size), 0), this.counts[k] - 1);
    }

    key(x, y, z) {
        return (z * this.counts[1] + y) * this.counts[0] + x;
    }

    add(triangle) {
        const at = 9 * triangle, ends = [0, 1, 2].map((k) => {
            const values = [this.corners[at + k], this.corners[at + 3 + k], this.corners[at + 6 + k]];
            return [this.cellOf(Math.min(...values), k), this.cellOf(Math.max(...values), k)];
        });
        for (let z = ends[2][0]; z <= ends[2][1]; z++)
            for (let y = ends[1][0]; y <= ends[1][1]; y++)
                for (let x = ends[0][0]; x <= ends[0][1]; x++) {
                    const key = this.key(x, y, z), cell = this.cells.get(key);
                    if (cell)
                        cell.push(triangle);
                    else
                        this.cells.set(key, [triangle]);
                }
    }

    // Shells of cells round the one that is nearest to the point; one that is n cells away is no nearer than n - 1 of them.
    distance(point) {
        const middle = point.map((value, k) => this.cellOf(value, k)), most = Math.max(...this.counts);
        let least = Infinity;
        for (let shell = 0; shell <= most && (shell - 1) * this.size < Math.sqrt(least); shell++)
            least = Math.min(least, this.nearestInShell(point, middle, shell));
        return Math.sqrt(least);
    }

    nearestInShell(point, middle, shell) {
        const [from, to] = [-1, 1].map((side) => middle.map((cell, k) => Math.min(Math.max(cell + side * shell, 0), this.counts[k] - 1)));
        let least = Infinity;
        for (let z = from[2]; z <= to[2]; z++)
            for (let y = from[1]; y <= to[1]; y++)
                for (let x = from[0]; x <= to[0]; x++) {
                    if (Math.max(Math.abs(x - middle[0]), Math.abs(y - middle[1]), Math.abs(z - middle[2])) !== shell)
                        continue;
                    for (const triangle of this.cells.get(this.key(x, y, z)) ?? [])
                        least = Math.min(least, squareToTriangle(point, this.corners, 9 * triangle));
                }
        return least;
    }
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const along = (a, d, t) => [a[0] + t * d[0], a[1] + t * d[1], a[2] + t * d[2]];
const square = (a, b) => dot(minus(a, b), minus(a, b));

function squareToEdge(p, a, b) {
    const d = minus(b, a), length = dot(d, d), t = length ? dot(minus(p, a), d) / length : 0;
    return square(p, along(a, d, Math.min(Math.max(t, 0), 1)));
}

// To its plane if the point is above the triangle, otherwise to the nearest edge.
export function squareToTriangle(p, corners, at) {
    const [a, b, c] = [0, 3, 6].map((k) => [corners[at + k], corners[at + k + 1], corners[at + k + 2]]);
    const ab = minus(b, a), ac = minus(c, a), ap = minus(p, a);
    const d00 = dot(ab, ab), d01 = dot(ab, ac), d11 = dot(ac, ac), area = d00 * d11 - d01 * d01;
    if (area > 0) {
        const v = (d11 * dot(ap, ab) - d01 * dot(ap, ac)) / area, w = (d00 * dot(ap, ac) - d01 * dot(ap, ab)) / area;
        if (v >= 0 && w >= 0 && v + w <= 1)
            return square(p, along(along(a, ab, v), ac, w));
    }
    return Math.min(squareToEdge(p, a, b), squareToEdge(p, b, c), squareToEdge(p, c, a));
}

// points: three numbers each. What is far outside is measured from where it enters the grid's box, which is no nearer than it is.
export function nearestDistances(points, corners) {
    const distances = new Float32Array(points.length / 3);
    if (!corners.length)
        return distances.fill(Infinity);
    const grid = new Grid(corners);
    for (let i = 0; i < distances.length; i++)
        distances[i] = grid.distance([points[3 * i], points[3 * i + 1], points[3 * i + 2]]);
    return distances;
}
