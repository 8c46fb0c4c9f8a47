// All work on files happens here, off the page's thread: one instance of the library, the open models, and what is asked of them.
import {load} from '../../wasm/stele.mjs';

let stele;
const sessions = new Map();
let lastSession = 0;

// ---- Opening

class Session {
    constructor(files, name) {
        this.files = files;
        this.name = name;
        this.open();
    }

    open() {
        const lookup = (name) => this.find(name);
        this.file = stele.open(this.files.get(this.name), {name: this.name, lookup, check: 'full', origins: true});
    }

    // A name that the model refers to, seen from its folder.
    find(name) {
        const folder = this.name.includes('/') ? this.name.slice(0, this.name.lastIndexOf('/') + 1) : '';
        return this.files.get(folder + name.replaceAll('\\', '/').replace(/^(\.\/)+/, '')) ?? null;
    }

    pathOf(name) {
        return name === null ? this.name
            : (this.name.includes('/') ? this.name.slice(0, this.name.lastIndexOf('/') + 1) : '') + name;
    }

    reopen() {
        this.close();
        this.open();
    }

    close() {
        this.model_ = undefined;
        this.file.close();
    }

    // null if there is none; the reason is in the diagnostics.
    get model() {
        if (this.model_ === undefined) {
            try {
                this.model_ = this.file.model();
            } catch {
                this.model_ = null;
            }
        }
        return this.model_;
    }
}

function attempt(work, otherwise) {
    try {
        return work();
    } catch (error) {
        return otherwise(error);
    }
}

// What the page shows of a model: the GLB that draws it, its fields, what was found.
function describe(id) {
    const session = sessions.get(id), {file} = session;
    const model = session.model;
    const explained = attempt(() => file.explain(), () => ({fields: []}));
    const glb = model ? attempt(() => file.convert('glb', {textures: 'embed'}), () => null) : null;
    const info = attempt(() => file.info(), () => null);
    return {
        session: id, name: session.name, format: file.format, dialect: file.dialect, message: file.message,
        size: session.files.get(session.name).length, diagnostics: file.diagnostics, info, glb,
        fields: explained.fields, unpacked: explained.unpacked ?? null,
        clips: model ? model.clips.map((clip) => ({name: clip.name, duration: clip.duration})) : [],
        triangles: model ? trianglesOf(model) : 0,
        parts: model ? partsOf(model) : [],
        files: [...session.files.keys()],
    };
}

function* primitivesOf(model) {
    let number = 0;
    for (const [mesh, {primitives}] of model.meshes.entries())
        for (const [primitive, p] of primitives.entries())
            yield {mesh, primitive, number: number++, p};
}

// Everything that has bytes of its own, with its name: [{part, index, name}]
function partsOf(model) {
    const named = (part, items) => items.map((item, index) => ({part, index, name: item?.name || item?.file || null}));
    return [...named('primitive', [...primitivesOf(model)].map(({mesh}) => model.meshes[mesh])), ...named('material', model.materials),
        ...named('texture', model.textures), ...named('node', model.nodes), ...named('clip', model.clips)];
}

function cornersOf(p) {
    return p.indices ? p.indices.count : p.vertexCount;
}

function trianglesOf(model) {
    let triangles = 0;
    for (const node of model.nodes)
        for (const p of node.mesh === null ? [] : model.meshes[node.mesh].primitives)
            triangles += p.topology === 'triangles' ? Math.floor(cornersOf(p) / 3) : 0;
    return triangles;
}

// ---- Where things came from

function indexAt(p, corner) {
    return p.indices ? p.indices.array[corner] : corner;
}

function rangesOfVertex(session, p, vertex) {
    return p.attributes.map(({semantic, set, view}) => {
        const origin = view.origin(vertex);
        return origin && {...origin, file: session.pathOf(origin.file), what: set ? `${semantic} ${set}` : semantic};
    }).filter(Boolean);
}

function placeOfTriangle({session: id, mesh, primitive, triangle}) {
    const session = sessions.get(id), p = session.model.meshes[mesh].primitives[primitive];
    const corners = [0, 1, 2].map((k) => 3 * triangle + k);
    const indices = p.indices ? corners.map((corner) => p.indices.origin(corner)).filter(Boolean) : [];
    return {
        indices: indices.map((origin) => ({...origin, file: session.pathOf(origin.file), what: 'index'})),
        vertices: corners.map((corner) => rangesOfVertex(session, p, indexAt(p, corner))),
    };
}

function placeOfPart({session: id, part, index}) {
    const session = sessions.get(id), origin = session.file.origin(part, index);
    return origin && {...origin, file: session.pathOf(origin.file)};
}

const mostLit = 20000;

// The triangles, vertices and nodes that bytes of a file make.
function elementsAt({session: id, file, begin, end}) {
    const session = sessions.get(id), model = session.model;
    if (!model)
        return {triangles: [], vertices: [], nodes: []};
    const from = file === session.name ? null : file.slice(file.lastIndexOf('/') + 1);
    const triangles = [], vertices = [];
    for (const {mesh, primitive, p} of primitivesOf(model)) {
        if (p.indices && p.topology === 'triangles') {
            const rows = p.indices.rowsAt(from, begin, end, mostLit);
            const hit = [...new Set(Array.from(rows, (row) => Math.floor(row / 3)))];
            if (hit.length)
                triangles.push({mesh, primitive, triangles: hit});
        }
        const seen = new Set();
        for (const {view} of p.attributes)
            for (const row of view.rowsAt(from, begin, end, mostLit))
                seen.add(row);
        if (seen.size)
            vertices.push({mesh, primitive, vertices: [...seen]});
    }
    const nodes = [];
    for (let i = 0; i < model.nodes.length; i++) {
        const origin = session.file.origin('node', i);
        if (origin && session.pathOf(origin.file) === file && origin.offset >= begin && origin.offset < end)
            nodes.push(i);
    }
    return {triangles, vertices, nodes};
}

// ---- What can be asked

const operations = {
    async init({wasm}) {
        stele = await load(wasm);
        return {formats: stele.formats, version: stele.version};
    },

    open({files, name}) {
        const id = ++lastSession;
        sessions.set(id, new Session(new Map(files.map(({name: path, bytes}) => [path, bytes])), name));
        return describe(id);
    },

    close({session}) {
        sessions.get(session)?.close();
        sessions.delete(session);
    },

    bytes({session, file, begin, end}) {
        const bytes = sessions.get(session).files.get(file);
        return {size: bytes.length, bytes: bytes.slice(begin, end)};
    },

    // Writes over bytes of a file and looks at everything again.
    patch({session: id, file, offset, bytes}) {
        const session = sessions.get(id), copy = session.files.get(file).slice();
        copy.set(bytes, offset);
        session.files.set(file, copy);
        session.reopen();
        return describe(id);
    },

    whole({session, file}) {
        return sessions.get(session).files.get(file).slice();
    },

    convert({session, format, textures}) {
        const {file} = sessions.get(session);
        return attempt(() => ({files: file.convertToFiles(format, {textures}), diagnostics: file.diagnostics}),
            (error) => ({files: [], error: error.message, diagnostics: error.diagnostics ?? []}));
    },

    render({session, width, height, ...options}) {
        return {width, height, pixels: sessions.get(session).file.render({width, height, ...options}).data};
    },

    diff({session, other}) {
        return sessions.get(session).file.diff(sessions.get(other).file, {tolerance: 1e-5}).filter(({equal}) => !equal);
    },

    // A model of a folder, small: opened, drawn, and closed again.
    thumbnail({files, name, size}) {
        const session = new Session(new Map(files.map(({name: path, bytes}) => [path, bytes])), name);
        const {file} = session;
        const result = {
            format: file.format, triangles: session.model ? trianglesOf(session.model) : 0,
            findings: file.diagnostics.filter(({severity}) => severity === 'error' || severity === 'warning').length,
            clips: session.model ? session.model.clips.length : 0,
            pixels: session.model ? attempt(() => file.render({width: size, height: size}).data, () => null) : null,
        };
        session.close();
        return result;
    },

    triangle: placeOfTriangle,
    part: placeOfPart,
    elements: elementsAt,
};

function transferable(value, found = []) {
    if (ArrayBuffer.isView(value)) {
        if (value.byteLength === value.buffer.byteLength)
            found.push(value.buffer);
    } else if (value && typeof value === 'object') {
        Object.values(value).forEach((inner) => transferable(inner, found));
    }
    return found;
}

self.onmessage = async ({data: {id, operation, args}}) => {
    try {
        const result = await operations[operation](args);
        self.postMessage({id, result}, transferable(operation === 'bytes' || operation === 'whole' || result?.glb || result?.files ||
            result?.pixels ? result : null));
    } catch (error) {
        self.postMessage({id, error: {message: String(error.message ?? error), diagnostics: error.diagnostics ?? []}});
    }
};
