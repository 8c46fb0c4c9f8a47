// All work on files happens here, off the page's thread: one instance of the library, the open models, and what is asked of them.
import {load} from '../../wasm/stele.mjs';
import {nearestDistances} from './distance.js';

let stele;
let folder = new Map(); // the files that were given, by their paths: read when they are needed
const sessions = new Map();
let lastSession = 0;

// ---- Opening

const filesByPath = (files) => new Map(files.map(({path, file}) => [path, file]));

function bytesOfFile(file) {
    return new Uint8Array(new FileReaderSync().readAsArrayBuffer(file));
}

class Session {
    constructor(files, name) {
        this.files = files;
        this.name = name;
        this.folder = name.slice(0, name.lastIndexOf('/') + 1);
        this.patched = new Map();
        this.open();
    }

    open() {
        this.places_ = new Map();
        this.used = new Set([this.name]);
        this.file = stele.open(this.bytes(this.name), {name: this.name, lookup: (name) => this.find(name), check: 'full', origins: true});
    }

    // A name that the model refers to, seen from its folder.
    find(name) {
        const path = this.folder + name.replaceAll('\\', '/').replace(/^(\.\/)+/, '');
        if (!this.files.has(path))
            return null;
        this.used.add(path);
        return this.bytes(path);
    }

    bytes(path) {
        return this.patched.get(path) ?? bytesOfFile(this.files.get(path));
    }

    // Of a large file only what is looked at.
    piece(path, begin, end) {
        if (path === this.contentName)
            return {size: this.content.length, bytes: this.content.slice(begin, end)};
        const file = this.files.get(path), patched = this.patched.get(path);
        return {size: file.size, bytes: patched ? patched.slice(begin, end) : bytesOfFile(file.slice(begin, end))};
    }

    // What a compressed file contains is shown as a file of its own.
    get contentName() {
        return `${this.name} (unpacked)`;
    }

    get content() {
        return (this.content_ ??= this.file.unpacked());
    }

    pathOf({file, unpacked}) {
        return unpacked ? this.contentName : file === null ? this.name : this.folder + file;
    }

    placed(origin) {
        return origin && {...origin, file: this.pathOf(origin)};
    }

    // Where each part of a kind came from.
    places(part, count) {
        if (!this.places_.has(part))
            this.places_.set(part, Array.from({length: count}, (_, index) => this.placed(this.file.origin(part, index))));
        return this.places_.get(part);
    }

    // The reverse: how a view's rowsAt calls a file.
    askedOf(path) {
        return path === this.contentName ? [null, {unpacked: true}] : [path === this.name ? null : path.slice(this.folder.length), {}];
    }

    patch(path, offset, bytes) {
        const copy = this.bytes(path).slice();
        copy.set(bytes, offset);
        this.patched.set(path, copy);
        this.close();
        this.open();
    }

    close() {
        this.model_ = this.content_ = undefined;
        this.file.close();
    }

    // null if there is none; the reason is in the diagnostics.
    get model() {
        if (this.model_ === undefined)
            this.model_ = attempt(() => this.file.model(), () => null);
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
async function describe(id, tell) {
    const session = sessions.get(id), {file} = session;
    tell(2);
    const {model} = session;
    tell(3);
    const explained = attempt(() => file.explain(), () => ({fields: []}));
    tell(4);
    const {diagnostics} = file; // before those of the GLB: what it cannot hold is of no concern here
    const glb = model ? attempt(() => file.convert('glb', {textures: 'embed'}), () => null) : null;
    return {
        session: id, name: session.name, format: file.format, dialect: file.dialect, message: file.message, size: session.piece(session.name, 0, 0).size,
        diagnostics, glb, images: model ? await imagesOf(session) : [],
        fields: explained.fields, content: explained.unpacked ? {name: session.contentName, fields: explained.unpacked} : null,
        clips: model ? model.clips.map((clip) => ({name: clip.name, duration: clip.duration})) : [],
        triangles: model ? trianglesOf(model) : 0,
        parts: model ? partsOf(model) : [],
        files: [...session.used], patched: [...session.patched.keys()],
    };
}

// Images that neither a GLB holds nor every browser knows (TGA, DDS, BMP, WebP), as PNG under the name that the GLB has for them.
async function imagesOf(session) {
    const images = [];
    for (const {file} of session.model.textures) {
        const bytes = file && !/\.(png|jpe?g)$/i.test(file) && attempt(() => session.find(file), () => null);
        const picture = bytes && attempt(() => stele.decodePicture(bytes, file), () => null);
        if (!picture)
            continue;
        const canvas = new OffscreenCanvas(picture.width, picture.height);
        canvas.getContext('2d').putImageData(new ImageData(picture.data, picture.width, picture.height), 0, 0);
        images.push({file, blob: await canvas.convertToBlob()});
    }
    return images;
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

// ---- From the model to its bytes

function rangesOfVertex(session, p, vertex) {
    return p.attributes.map(({semantic, set, view}) => {
        const place = session.placed(view.origin(vertex));
        return place && {...place, what: set ? `${semantic} ${set}` : semantic};
    }).filter(Boolean);
}

const getters = {u8: 'getUint8', i8: 'getInt8', u16: 'getUint16', i16: 'getInt16', u32: 'getUint32', f32: 'getFloat32'};

// The numbers of one row, without a copy of all others.
function rowOf(view, row) {
    const {bytes} = view, data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), size = {8: 1, 16: 2, 32: 4}[view.type.slice(1)];
    return Array.from({length: view.components}, (_, k) => data[getters[view.type]](row * view.stride + k * size, true));
}

// The node that moves a vertex most, or null.
function jointOf(model, p, mesh, vertex) {
    const of = (semantic) => p.attributes.find((one) => one.semantic === semantic && !one.set)?.view;
    const joints = of('joints'), weights = of('weights'), skin = model.nodes.find((node) => node.mesh === mesh && node.skin !== null)?.skin;
    if (!joints || !weights || skin === undefined)
        return null;
    const strengths = rowOf(weights, vertex), strongest = strengths.indexOf(Math.max(...strengths));
    return model.skins[skin].joints[rowOf(joints, vertex)[strongest]] ?? null;
}

// A triangle with all that makes it: its indices, its vertices, its material, the textures of that, the joint that moves it.
function placeOfTriangle({session: id, mesh, primitive, triangle}) {
    const session = sessions.get(id), {model} = session, p = model.meshes[mesh].primitives[primitive];
    const corners = [0, 1, 2].map((k) => 3 * triangle + k), numbers = p.indices ? corners.map((corner) => rowOf(p.indices, corner)[0]) : corners;
    const indices = p.indices ? corners.map((corner) => session.placed(p.indices.origin(corner))).filter(Boolean) : [];
    const material = p.material ?? null;
    return {
        indices: indices.map((place) => ({...place, what: 'index'})), numbers, material,
        vertices: numbers.map((vertex) => rangesOfVertex(session, p, vertex)),
        textures: material === null ? [] : [...new Set(model.materials[material].textures.map(({texture}) => texture))],
        joint: jointOf(model, p, mesh, numbers[0]),
    };
}

function placeOfPart({session: id, part, index}) {
    const session = sessions.get(id);
    return session.placed(session.file.origin(part, index));
}

// ---- From bytes to what they make

const mostLit = 20000;

// What views say of bytes: each is asked for its rows in them.
class Finder {
    constructor(session, {file, begin, end, path}) {
        const [name, options] = session.askedOf(file);
        this.rows = (view, most = mostLit) => (view ? view.rowsAt(name, begin, end, most, options) : []);
        this.places = (part, count) => session.places(part, count);
        this.isHere = (place) => place !== null && place.file === file &&
            ((place.offset >= begin && place.offset < end) || isWithin(path, place.path));
    }

    // The numbers of the parts of a kind that are here.
    every(part, count) {
        return new Set(this.places(part, count).map((place, index) => (this.isHere(place) ? index : -1)).filter((index) => index >= 0));
    }
}

// A field belongs to what its path begins with: mesh[0].material to mesh[0].
function isWithin(path, outer) {
    return Boolean(path && outer) && (path === outer || path.startsWith(`${outer}.`));
}

function trianglesAt(finder, p) {
    return p.indices && p.topology === 'triangles' ? [...new Set(Array.from(finder.rows(p.indices), (row) => Math.floor(row / 3)))] : [];
}

function verticesAt(finder, p) {
    const seen = new Set(p.attributes.flatMap(({view}) => [...finder.rows(view)]));
    for (const morph of p.morphs) {
        const own = morph.vertices?.array;
        for (const view of [morph.vertices, morph.position, morph.normal, morph.tangent])
            for (const row of finder.rows(view))
                seen.add(own ? own[row] : row);
    }
    return [...seen];
}

// Joints by what they are and by what binds and moves them.
function nodesAt(finder, model) {
    const nodes = finder.every('node', model.nodes.length);
    for (const {joints, inverseBind} of model.skins)
        for (const row of finder.rows(inverseBind))
            nodes.add(joints[row]);
    for (const {channels} of model.clips)
        for (const {node, times, values} of channels)
            if (!nodes.has(node) && (finder.rows(times, 1).length || finder.rows(values, 1).length))
                nodes.add(node);
    return [...nodes];
}

// The triangles, vertices and nodes that bytes of a file make, and the primitives of which all is theirs.
function elementsAt({session: id, ...where}) {
    const session = sessions.get(id), {model} = session, triangles = [], vertices = [], whole = [];
    if (!model)
        return {triangles, vertices, whole, nodes: []};
    const finder = new Finder(session, where), textures = finder.every('texture', model.textures.length);
    const materials = finder.every('material', model.materials.length), all = [...primitivesOf(model)];
    const primitives = finder.every('primitive', all.length);
    model.materials.forEach((material, index) => material.textures.some(({texture}) => textures.has(texture)) && materials.add(index));
    for (const {mesh, primitive, number, p} of all) {
        const hit = trianglesAt(finder, p), seen = verticesAt(finder, p);
        if (hit.length)
            triangles.push({mesh, primitive, triangles: hit});
        if (seen.length)
            vertices.push({mesh, primitive, vertices: seen});
        if (!hit.length && !seen.length && (materials.has(p.material) || primitives.has(number)))
            whole.push({mesh, primitive, whole: true});
    }
    return {triangles, vertices, whole, nodes: nodesAt(finder, model)};
}

// ---- What can be asked

const operations = {
    async init({wasm}) {
        stele = await load(wasm);
        return {formats: stele.formats, version: stele.version};
    },

    files({files}) {
        folder = filesByPath(files);
    },

    open({name, files}, tell) {
        tell(0);
        const session = new Session(files ? filesByPath(files) : folder, name), id = ++lastSession;
        tell(1);
        sessions.set(id, session);
        return describe(id, tell);
    },

    close({session}) {
        sessions.get(session)?.close();
        sessions.delete(session);
    },

    bytes({session, file, begin, end}) {
        return sessions.get(session).piece(file, begin, end);
    },

    // The fields of a file beside the model, such as its animation: nothing if it is of no format that Stele knows.
    fields({session: id, file: path}) {
        const session = sessions.get(id), other = stele.open(session.bytes(path), {name: path, check: 'structure'});
        const {fields} = attempt(() => other.explain(), () => ({fields: []}));
        other.close();
        return fields;
    },

    // The number that owns a byte: of a row of an array that one of its columns.
    owner({session, file, at}) {
        const {name, file: own} = sessions.get(session);
        return file === name ? own.explain({at}).fields[0]?.element ?? null : null; // of other files only whole rows
    },

    // Writes over bytes of a file and looks at everything again.
    patch({session: id, file, offset, bytes}, tell) {
        sessions.get(id).patch(file, offset, bytes);
        return describe(id, tell);
    },

    whole({session, file}) {
        return sessions.get(session).bytes(file).slice();
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

    distances({points, corners}) {
        return {distances: nearestDistances(points, corners)};
    },

    // A model of a folder, small: opened, drawn, and closed again.
    thumbnail({name, size}) {
        const session = new Session(folder, name), {file, model} = session;
        const result = {
            format: file.format, dialect: file.dialect, triangles: model ? trianglesOf(model) : 0,
            findings: file.diagnostics.filter(({severity}) => severity === 'error' || severity === 'warning').length,
            clips: model ? model.clips.length : 0, skinned: Boolean(model?.skins.length), textured: Boolean(model?.textures.length),
            pixels: model ? attempt(() => file.render({width: size, height: size, background: 'transparent'}).data, () => null) : null,
        };
        session.close();
        return result;
    },

    triangle: placeOfTriangle,
    part: placeOfPart,
    elements: elementsAt,
};

// All of these are made to be given away: whatever has memory of its own is handed over, not copied.
const given = new Set(['open', 'patch', 'bytes', 'whole', 'convert', 'render', 'thumbnail', 'distances']);

function transferable(value, found = []) {
    if (ArrayBuffer.isView(value)) {
        if (value.byteLength === value.buffer.byteLength)
            found.push(value.buffer);
    } else if (value && typeof value === 'object' && !(value instanceof Blob)) {
        Object.values(value).forEach((inner) => transferable(inner, found));
    }
    return found;
}

self.onmessage = async ({data: {id, operation, args}}) => {
    try {
        const result = await operations[operation](args, (progress) => self.postMessage({id, progress}));
        self.postMessage({id, result}, given.has(operation) ? transferable(result) : []);
    } catch (error) {
        self.postMessage({id, error: {message: String(error.message ?? error), diagnostics: error.diagnostics ?? []}});
    }
};
