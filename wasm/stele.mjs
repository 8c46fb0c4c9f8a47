/* Stele for JavaScript: the model files of small game engines, read, checked, explained, drawn and converted. One module without
 * dependencies, for browsers, Workers, node and Deno; stele.wasm lies beside it.
 *
 *     import { load } from './stele.mjs';
 *     const stele = await load();
 *     const file = stele.open(bytes, { name: 'hat.sgm', lookup: (name) => files.get(name) ?? null });
 *     const glb = file.convert('glb');
 *     file.close();
 *
 * stele.d.ts describes everything. */

/** What could not be done. `status` is a word such as 'damaged', `diagnostics` what was found on the way. */
export class SteleError extends Error {
    constructor(status, message, diagnostics = [], cause = undefined) {
        super(message, cause === undefined ? undefined : { cause });
        this.name = 'SteleError';
        this.status = status;
        this.diagnostics = diagnostics;
    }
}

const ARRAYS = { u8: Uint8Array, i8: Int8Array, u16: Uint16Array, i16: Int16Array, u32: Uint32Array, f32: Float32Array };
const TYPES = ['u8', 'u16', 'u32', 'u64', 'i32', 'f32', 'f64', 'char', 'bytes', 'i8', 'i16']; // as stele.h numbers them
const PARTS = ['node', 'primitive', 'material', 'texture', 'clip'];
const OVERLAYS = ['wireframe', 'joints', 'normals', 'uvChecker', 'bounds', 'grid', 'shadow'];
const BAD_DESCRIPTOR = 8;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

function bytesOf(data, what) {
    if (data instanceof ArrayBuffer || (typeof SharedArrayBuffer !== 'undefined' && data instanceof SharedArrayBuffer))
        return new Uint8Array(data);
    if (ArrayBuffer.isView(data))
        return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (typeof data?.then === 'function')
        throw new TypeError(`${what} is a promise: wait for it first, lookup cannot wait`);
    throw new TypeError(`${what} must be a Uint8Array or an ArrayBuffer`);
}

/* Pairs of texts, as exports.c reads them. */
function pairs(options) {
    let text = '';
    const add = (key, value) => {
        const word = String(value);
        if (word.includes('\0'))
            throw new TypeError(`${key} has a character that it cannot have`);
        text += `${key}\0${word}\0`;
    };
    for (const [key, value] of Object.entries(options)) {
        if (value === undefined || value === null)
            continue;
        if (typeof value === 'object')
            for (const [name, choice] of Object.entries(value))
                add(key, `${name}=${choice}`);
        else
            add(key, value);
    }
    return text + '\0';
}

/* ---- Views: numbers of a model, where they are ---- */

/** Rows of numbers in Stele's memory. */
class View {
    #file;
    #data;

    constructor(file, { data, count, stride, components, type, normalized }) {
        this.#file = file;
        this.#data = data;
        this.count = count;
        this.stride = stride;
        this.components = components;
        this.type = type;
        this.normalized = normalized;
        Object.freeze(this);
    }

    get #rowSize() {
        return ARRAYS[this.type].BYTES_PER_ELEMENT * this.components;
    }

    /** All rows with what lies between them, without a copy. */
    get bytes() {
        return new Uint8Array(this.#file._memory(), this.#data, (this.count - 1) * this.stride + this.#rowSize);
    }

    /** Whether `array` can be had without a copy. */
    get packed() {
        return this.stride === this.#rowSize && this.#data % ARRAYS[this.type].BYTES_PER_ELEMENT === 0;
    }

    /** All numbers, row by row: where they are if they are packed, and a copy otherwise. */
    get array() {
        return this.packed ? new ARRAYS[this.type](this.#file._memory(), this.#data, this.count * this.components) : this.copy();
    }

    /** All numbers, row by row, in memory of their own. */
    copy() {
        const type = ARRAYS[this.type];
        const from = this.bytes;
        const to = new Uint8Array(this.count * this.#rowSize);
        if (this.stride === this.#rowSize)
            to.set(from);
        else
            for (let row = 0; row < this.count; row++)
                to.set(from.subarray(row * this.stride, row * this.stride + this.#rowSize), row * this.#rowSize);
        return new type(to.buffer);
    }

    /** Which bytes a row was made of, or null; needs the option `origins`. */
    origin(row) {
        if (!(row >= 0 && row < this.count))
            return null;
        return this.#file._origin('row_origin', this.#data, this.stride, this.components, TYPES.indexOf(this.type), row);
    }

    /** The reverse: which rows were made of bytes of a file, null being the file itself, from `begin` to before `end`. At most
     * `most` of them. With `unpacked` the bytes are those of a compressed file's content. */
    rowsAt(file, begin, end, most = this.count, { unpacked = false } = {}) {
        return this.#file._rows(file, begin, end, most, unpacked, this.#data, this.stride, this.components, TYPES.indexOf(this.type), this.count);
    }
}

/* ---- A file ---- */

class SteleFile {
    #stele;
    #held; // what is to be freed: shared with the registry, which outlives the file
    #description;
    #diagnostics;
    #model = null;
    #info = null;

    constructor(stele, held, description) {
        this.#stele = stele;
        this.#held = held;
        this.#description = description;
        this.#diagnostics = description.diagnostics;
        stele._registry.register(this, held, this);
    }

    get #handle() {
        if (!this.#held.handle)
            throw new SteleError('usage', 'the file is closed');
        return this.#held.handle;
    }

    /** The format's name, such as 'sgm'; null if it is of no known format. */
    get format() { return this.#description.format; }
    get dialect() { return this.#description.dialect; }
    /** What opening said: 'ok', 'damaged', 'unsupported', ... */
    get status() { return this.#description.status; }
    get message() { return this.#description.message; }
    /** All that was found so far, losses of conversions included. */
    get diagnostics() { return this.#diagnostics; }
    get closed() { return !this.#held.handle; }

    /** What is in the file, as `stele info --json` says it. */
    info() {
        if (!this.#info)
            this.#info = this.#ask('info', []);
        return this.#info;
    }

    /** Every byte: fields with offset, size, path, type and value, as `stele explain --json` lists them. With `at` only the field
     * that owns that byte. */
    explain({ at = -1 } = {}) {
        const { fields, unpacked } = this.#stele._call('explain', this.#handle, at);
        return unpacked ? { fields, unpacked } : { fields };
    }

    /** The content of a file that is compressed as a whole, in which fields and origins that are `unpacked` count; null for others. */
    unpacked() {
        const { data, size } = this.#stele._call('unpacked', this.#handle);
        return size ? new Uint8Array(this._memory()).slice(data, data + size) : null;
    }

    /** What the file means, in the shape of glTF. Numbers are views. */
    model() {
        if (this.#model)
            return this.#model;
        const { model } = this.#ask('model', []);
        const file = this;
        const view = (v) => (v ? new View(file, v) : null);
        for (const mesh of model.meshes)
            for (const p of mesh.primitives) {
                for (const attribute of p.attributes)
                    attribute.view = view(attribute.view);
                p.indices = view(p.indices);
                for (const morph of p.morphs)
                    for (const key of ['vertices', 'position', 'normal', 'tangent'])
                        morph[key] = view(morph[key]);
            }
        for (const skin of model.skins)
            skin.inverseBind = view(skin.inverseBind);
        for (const clip of model.clips)
            for (const channel of clip.channels) {
                channel.times = view(channel.times);
                channel.values = view(channel.values);
            }
        for (const texture of model.textures)
            texture.data = view(texture.data);
        return (this.#model = model);
    }

    /** Where a part of the model came from: 'node', 'primitive' (counted through all meshes), 'material', 'texture' or 'clip'. */
    origin(part, index) {
        const number = PARTS.indexOf(part);
        if (number < 0)
            throw new TypeError(`'${part}' is no part: ${PARTS.join(', ')}`);
        return this._origin('part_origin', number, index);
    }

    /** What differs between this model and another: [{ path, a, b, error, equal }], everything that was compared. */
    diff(other, { tolerance = 0 } = {}) {
        return this.#ask('diff', [other.#handle, tolerance]).compared;
    }

    /** The file in another format or dialect, as one file: what would be a second one goes into it, or is lost. */
    convert(format, options = {}) {
        return this.#convert(format, '', options)[0].bytes;
    }

    /** The same as all files that belong to it, the one that was asked for first: [{ name, bytes }]. */
    convertToFiles(format, options = {}) {
        const { name, ...others } = options;
        const stem = (name ?? this.#held.name ?? 'model').replace(/^.*[/\\]/, '').replace(/\.[^.]*$/, '') || 'model';
        const extension = this.#stele.formats.find((f) => f.name === format)?.extensions[0] ?? format;
        return this.#convert(format, `${stem}.${extension}`, others);
    }

    /** A picture: { width, height, data }, with data as ImageData has it. */
    render(options = {}) {
        const { width, height, bytes } = this.#render(options, false);
        return { width, height, data: new Uint8ClampedArray(bytes.buffer) };
    }

    /** The same picture as a .png. */
    png(options = {}) {
        return this.#render(options, true).bytes;
    }

    /** Frees everything. Views of its model are gone then. */
    close() {
        this.#stele._registry.unregister(this);
        this.#stele._free(this.#held);
    }

    [Symbol.dispose ?? Symbol.for('Symbol.dispose')]() {
        this.close();
    }

    /* ---- Not for callers ---- */

    _memory() {
        return this.#handle && this.#stele._exports.memory.buffer;
    }

    _rows(file, begin, end, most, unpacked, ...view) {
        const name = this.#stele._put(encoder.encode(`${file ?? ''}\0`));
        try {
            return this.#stele._call('rows_at', this.#handle, ...view, name, begin, end, most, unpacked ? 1 : 0).rows;
        } finally {
            this.#stele._exports.release(name);
        }
    }

    _origin(name, ...rest) {
        const { known, ...origin } = this.#stele._call(name, this.#handle, ...rest);
        return known ? origin : null;
    }

    /* A document, or an exception. */
    #ask(name, rest) {
        const { status, message, diagnostics, ...answer } = this.#stele._call(name, this.#handle, ...rest);
        this.#diagnostics = diagnostics;
        if (status !== 'ok' && !(name === 'info' && answer.meshes))
            throw new SteleError(status, message, diagnostics);
        return answer;
    }

    /* Clips have names too. */
    #clip(clip) {
        if (clip === undefined || clip === null || typeof clip === 'number')
            return clip;
        const index = this.model().clips.findIndex((c) => c.name === clip);
        if (index < 0)
            throw new SteleError('usage', `there is no clip '${clip}'`);
        return index;
    }

    #convert(format, name, { clip, ...options }) {
        const stele = this.#stele;
        const texts = [name + '\0', pairs({ ...options, format, clip: this.#clip(clip) })].map((t) => stele._put(encoder.encode(t)));
        try {
            return this.#ask('convert', texts).files.map((f) => ({ name: f.name, bytes: stele._take(f) }));
        } finally {
            texts.forEach((t) => stele._exports.release(t));
        }
    }

    #render({ width = 512, height = width, clip, background, ...options }, png) {
        const stele = this.#stele;
        let overlays = 0;
        OVERLAYS.forEach((name, bit) => {
            overlays |= options[name] ? 1 << bit : 0;
            delete options[name];
        });
        const text = stele._put(encoder.encode(pairs({ ...options, overlays, png, clip: this.#clip(clip), background: color(background) })));
        try {
            const answer = stele._call('render', this.#handle, width, height, text);
            this.#diagnostics = answer.diagnostics;
            const bytes = stele._take(answer);
            if (answer.status !== 'ok')
                throw new SteleError(answer.status, answer.message, answer.diagnostics);
            return { width, height, bytes };
        } finally {
            stele._exports.release(text);
        }
    }
}

/* '#rrggbb', '#rrggbbaa' or 'transparent', as #rrggbbaa. */
function color(text) {
    if (text === undefined || text === null)
        return undefined;
    const full = text === 'transparent' ? '#00000000' : text.length === 7 ? text + 'ff' : text;
    if (!/^#[0-9a-f]{8}$/i.test(full))
        throw new TypeError(`'${text}' is no colour: #rrggbb, #rrggbbaa or transparent`);
    return full;
}

/* ---- The module ---- */

class Stele {
    #lookups = new Map(); // by the number of a file: what it asks for others, and what it was given
    #next = 1;
    #thrown = null;

    constructor(module) {
        this._registry = new FinalizationRegistry((held) => this._free(held));
        this._exports = new WebAssembly.Instance(module, this.#imports()).exports;
        this._exports._initialize();
        const { version, formats } = this._call('formats');
        this.version = version;
        this.formats = formats;
    }

    /** Opens the bytes of a file, which are copied. A damaged or unknown one is opened too: status and diagnostics say so. */
    open(data, { lookup = null, ...options } = {}) {
        const bytes = bytesOf(data, 'the file');
        this.#checkChoices(options.set ?? {});
        const held = { handle: 0, id: this.#next++, name: options.name, memory: [] };
        this.#lookups.set(held.id, { lookup, held, found: new Map() });
        try {
            const place = this._put(bytes);
            held.memory.push(place);
            const text = this._put(encoder.encode(pairs(options)));
            held.memory.push(text);
            held.handle = this.#run('open', place, bytes.length, text, held.id);
            if (!held.handle)
                throw new SteleError('no-memory', 'there is not enough memory');
            const description = this._call('describe', held.handle);
            if (description.status === 'usage' || description.status === 'no-memory')
                throw new SteleError(description.status, description.message, description.diagnostics);
            return new SteleFile(this, held, description);
        } catch (error) {
            this._free(held);
            throw error;
        }
    }

    /** The pixels of a PNG, JPEG, WebP, TGA, BMP or DDS image: { width, height, data }, with data as ImageData has it. A TGA is known
     * by its name only. */
    decodePicture(data, name = '') {
        const bytes = bytesOf(data, 'the image');
        const places = [];
        try {
            for (const part of [bytes, encoder.encode(name + '\0')])
                places.push(this._put(part));
            const { status, message, width, height, ...made } = this._call('decode_picture', places[0], bytes.length, places[1]);
            const pixels = this._take(made);
            if (status !== 'ok')
                throw new SteleError(status, `${name || 'the image'} ${message}`);
            return { width, height, data: new Uint8ClampedArray(pixels.buffer) };
        } finally {
            places.forEach((place) => this._exports.release(place));
        }
    }

    /** Bytes of memory that WebAssembly has, which never become fewer. */
    get memory() {
        return this._exports.memory.buffer.byteLength;
    }

    /* ---- Not for callers ---- */

    /* Calls an export whose result is a document. */
    _call(name, ...rest) {
        const place = this.#run(name, ...rest);
        return JSON.parse(decoder.decode(new Uint8Array(this._exports.memory.buffer, place, this._exports.document_length())));
    }

    _put(bytes) {
        const place = this._exports.allocate(bytes.length);
        if (!place)
            throw new SteleError('no-memory', 'there is not enough memory');
        new Uint8Array(this._exports.memory.buffer).set(bytes, place);
        return place;
    }

    /* A copy of what was made, which is freed. */
    _take({ data, size }) {
        const bytes = new Uint8Array(this._exports.memory.buffer).slice(data, data + size);
        this._exports.release(data);
        return bytes;
    }

    _free(held) {
        if (held.handle)
            this._exports.close(held.handle);
        held.handle = 0;
        held.memory.forEach((place) => this._exports.release(place));
        held.memory = [];
        this.#lookups.delete(held.id);
    }

    #checkChoices(set) {
        const choices = this.formats.flatMap((f) => f.choices);
        for (const [name, value] of Object.entries(set))
            if (!choices.some((c) => c.name === name && c.values.includes(value)))
                throw new SteleError('usage', `there is no choice ${name}=${value}`);
    }

    #run(name, ...rest) {
        let result;
        try {
            result = this._exports[name](...rest) >>> 0;
        } catch (error) {
            throw new SteleError('internal', `a mistake of Stele's: ${error.message}`, [], error);
        }
        const thrown = this.#thrown;
        this.#thrown = null;
        if (thrown)
            throw thrown.error;
        return result;
    }

    /* Once a name: what was found is kept until the file is closed. */
    #find(id, name) {
        const files = this.#lookups.get(id);
        if (!files?.lookup)
            return null;
        if (!files.found.has(name)) {
            const data = files.lookup(name);
            const bytes = data === null || data === undefined ? null : bytesOf(data, `what lookup returns for ${name}`);
            const place = bytes && this._put(bytes);
            if (place)
                files.held.memory.push(place);
            files.found.set(name, bytes && { place, size: bytes.length });
        }
        return files.found.get(name);
    }

    #imports() {
        const memory = () => this._exports.memory.buffer;
        const lookup = (id, name, data, size) => {
            try {
                const bytes = new Uint8Array(memory());
                const found = this.#find(id, decoder.decode(bytes.subarray(name, bytes.indexOf(0, name))));
                if (found && data)
                    new DataView(memory()).setUint32(data, found.place, true);
                if (found && size)
                    new DataView(memory()).setUint32(size, found.size, true);
                return found ? 1 : 0;
            } catch (error) { // thrown once WebAssembly has returned
                this.#thrown ??= { error };
                return 0;
            }
        };
        const nothing = () => BAD_DESCRIPTOR;
        const wasi = {
            environ_sizes_get: (count, size) => {
                const view = new DataView(memory());
                view.setUint32(count, 0, true);
                view.setUint32(size, 0, true);
                return 0;
            },
            environ_get: () => 0,
            fd_close: nothing,
            fd_seek: nothing,
            fd_write: nothing,
            proc_exit: (code) => { throw new Error(`exit with ${code}`); },
        };
        return { stele: { lookup }, wasi_snapshot_preview1: wasi };
    }
}

async function compile(source) {
    const from = await (source ?? new URL('stele.wasm', import.meta.url));
    if (from instanceof WebAssembly.Module)
        return from;
    if (from instanceof ArrayBuffer || ArrayBuffer.isView(from))
        return WebAssembly.compile(from);
    if (typeof Response !== 'undefined' && from instanceof Response)
        return WebAssembly.compile(await from.arrayBuffer());
    const url = new URL(from, import.meta.url);
    if (url.protocol === 'file:' && globalThis.process?.versions?.node) {
        const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ 'node:fs/promises');
        return WebAssembly.compile(await readFile(url));
    }
    const response = await fetch(url);
    if (!response.ok)
        throw new Error(`${url}: ${response.status} ${response.statusText}`);
    return response.headers.get('content-type') === 'application/wasm' ? WebAssembly.compileStreaming(response)
                                                                       : WebAssembly.compile(await response.arrayBuffer());
}

/** Loads stele.wasm: from beside this module, or from a URL, a Response, its bytes or a WebAssembly.Module (or a promise of
 * one). Each result has a memory of its own. */
export async function load(source) {
    return new Stele(await compile(source));
}
