/* Stele for JavaScript against the command: the same documents, files and pictures; and what a program expects of an API.
 * node wasm_api.mjs FOLDER_OF_PACKAGE COMMAND, from the root of the sources. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import zlib from 'node:zlib';

const [folder, command] = process.argv.slice(2).map((p) => path.resolve(p));
const module = pathToFileURL(path.join(folder, 'stele.mjs')).href;
const { load, SteleError } = await import(module);
const stele = await load();

const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'stele-wasm-'));
test.after(() => fs.rmSync(temporary, { recursive: true }));

const extensions = new Set(stele.formats.flatMap((f) => f.extensions));
const samples = ['samples', 'samples/dialects', 'samples/gaps']
    .flatMap((d) => fs.readdirSync(d).map((n) => `${d}/${n}`))
    .filter((p) => extensions.has(p.split('.').pop()));

function beside(file) {
    return (name) => {
        const found = path.join(path.dirname(file), name);
        return fs.existsSync(found) && fs.statSync(found).isFile() ? fs.readFileSync(found) : null;
    };
}

const open = (file, options = {}) => stele.open(fs.readFileSync(file), { name: file, lookup: beside(file), ...options });
const scribe = (options) => open('samples/scribe.sgm', options);

function commandJson(...args) {
    const lines = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28 }).stdout.trim().split('\n');
    return new Map(lines.map((line) => JSON.parse(line)).map((document) => [document.file, document]));
}

/* ---- The same as the command ---- */

test('knows the formats of the command', () => {
    const { formats } = JSON.parse(execFileSync(command, ['formats', '--json'], { encoding: 'utf8' }));
    assert.deepEqual(stele.formats, formats);
    assert.equal(`stele ${stele.version}`, execFileSync(command, ['--version'], { encoding: 'utf8' }).split('\n')[0]);
});

test('says of every sample what the command says', () => {
    const infos = commandJson('info', '--json', ...samples), fields = commandJson('explain', '--json', ...samples);
    assert.ok(samples.length > 50);
    for (const sample of samples) {
        const file = open(sample);
        const { schema, command: verb, file: name, diagnostics, status, error, ...info } = infos.get(sample);
        assert.deepEqual(file.info(), info, sample);
        assert.deepEqual(file.diagnostics, diagnostics, sample);
        assert.deepEqual(file.explain().fields, fields.get(sample).fields, sample);
        assert.deepEqual(file.explain().unpacked, fields.get(sample).unpacked, sample);
        file.close();
    }
});

/* What the command makes of a file, in a folder of its own: names and bytes. */
function commandFiles(...args) {
    const out = fs.mkdtempSync(path.join(temporary, 'out-'));
    spawnSync(command, [...args, '-q', '--out-dir', out]);
    return Object.fromEntries(fs.readdirSync(out).map((name) => [name, fs.readFileSync(path.join(out, name))]));
}

/* What a call gives, or what the command gives where it cannot be done. */
function attempt(call, nothing) {
    try {
        return call();
    } catch (error) {
        if (!(error instanceof SteleError) || error.status === 'internal')
            throw error;
        return nothing;
    }
}

test('converts every sample to every format as the command does', () => {
    let compared = 0;
    for (const sample of samples) {
        const file = open(sample);
        for (const format of stele.formats) {
            const expected = commandFiles('convert', sample, '--to', format.name);
            const made = attempt(() => file.convertToFiles(format.name), []);
            assert.deepEqual(made.map((f) => f.name).sort(), Object.keys(expected).sort(), `${sample} to ${format.name}`);
            for (const { name, bytes } of made)
                assert.equal(Buffer.compare(bytes, expected[name]), 0, `${sample} to ${name}`);
            compared += made.length;
        }
        file.close();
    }
    assert.ok(compared > 300, `${compared} files`);
});

test('draws every sample as the command does', () => {
    let drawn = 0;
    for (const sample of samples) {
        const file = open(sample);
        const [expected] = Object.values(commandFiles('render', sample, '--size', '96x80', '--shadow', '--wireframe'));
        const png = attempt(() => file.png({ width: 96, height: 80, shadow: true, wireframe: true }), undefined);
        assert.equal(png === undefined, expected === undefined, sample);
        assert.ok(!png || Buffer.compare(png, expected) === 0, sample);
        drawn += png ? 1 : 0;
        file.close();
    }
    assert.ok(drawn > 40, `${drawn} pictures`);
});

test('decodes images', () => {
    const file = scribe();
    const drawn = file.render({ width: 40, height: 30, background: 'transparent' });
    assert.deepEqual(stele.decodePicture(file.png({ width: 40, height: 30, background: 'transparent' })), drawn);
    file.close();
    const tga = Uint8Array.from([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 24, 0x20, 1, 2, 3, 4, 5, 6]); // blue, green, red
    assert.deepEqual(stele.decodePicture(tga, 'a.tga'), { width: 2, height: 1, data: Uint8ClampedArray.from([3, 2, 1, 255, 6, 5, 4, 255]) });
    assert.throws(() => stele.decodePicture(tga), { name: 'SteleError', status: 'unsupported' });
    assert.throws(() => stele.decodePicture(tga.subarray(0, 20), 'a.tga'), { status: 'damaged', message: 'a.tga is cut short' });
    assert.throws(() => stele.decodePicture('a.tga'), TypeError);
    const before = stele.memory, large = fs.readFileSync('samples/scribe.png');
    for (let i = 0; i < 100; i++)
        stele.decodePicture(large);
    assert.ok(stele.memory <= before + (16 << 20), 'it is freed');
});

/* ---- A model ---- */

test('gives a model as typed arrays', () => {
    const file = scribe({ origins: true });
    const model = file.model();
    const primitive = model.meshes[0].primitives[0];
    const positions = primitive.attributes.find((a) => a.semantic === 'position').view;
    assert.equal(positions.array.constructor, Float32Array);
    assert.equal(positions.array.length, primitive.vertexCount * 3);
    const { min, max } = file.info().meshes[0].bounds;
    const x = positions.array.filter((_, i) => i % 3 === 0);
    assert.deepEqual([Math.min(...x), Math.max(...x)], [min[0], max[0]].map(Math.fround));
    assert.ok(!positions.packed); // rows of an SGM are interleaved
    assert.equal(new DataView(positions.bytes.buffer, positions.bytes.byteOffset).getFloat32(positions.stride, true), positions.array[3]);
    assert.ok(primitive.indices.array.every((i) => i < primitive.vertexCount));
    assert.equal(model.clips[0].channels[0].times.array[0], 0);
    assert.equal(model.order.length, model.nodes.length);
    file.close();
    assert.throws(() => positions.array, { status: 'usage' });
});

test('names the bytes that numbers came from', () => {
    const bytes = fs.readFileSync('samples/scribe.sgm');
    const file = scribe({ origins: true });
    const { indices } = file.model().meshes[0].primitives[0];
    for (const row of [0, 17, indices.count - 1]) {
        const { offset, size, file: name } = indices.origin(row);
        assert.equal(name, null);
        assert.equal(bytes.readUIntLE(offset, size), indices.array[row]);
    }
    assert.equal(indices.origin(indices.count), null);
    assert.match(file.origin('primitive', 0).path, /^mesh\[0\]/);
    assert.match(file.origin('clip', 0).file, /\.sga$/);
    assert.equal(scribe().model().meshes[0].primitives[0].indices.origin(0), null);
});

test('shows what a compressed file contains, and which rows its bytes make', () => {
    const packed = open('samples/dialects/v0.twm', { origins: true });
    const content = packed.unpacked(), { fields, unpacked } = packed.explain();
    assert.equal(content.length, Math.max(...unpacked.map(({ offset, size }) => offset + size)));
    const count = unpacked.find(({ path }) => path === 'mesh[0].vertex_count');
    assert.equal(new DataView(content.buffer).getUint32(count.offset, true), count.value);
    const { view } = packed.model().meshes[0].primitives[0].attributes.find(({ semantic }) => semantic === 'position');
    const { offset, size, unpacked: inside } = view.origin(3);
    assert.ok(inside && fields.length);
    assert.deepEqual([...view.rowsAt(null, offset, offset + size, 9, { unpacked: true })], [3]);
    assert.deepEqual([...view.rowsAt(null, offset, offset + size)], []);
    const [x] = view.copy().subarray(3 * view.components);
    assert.equal(new DataView(content.buffer).getFloat32(offset, true), x);
    assert.equal(scribe().unpacked(), null);
});

test('keeps views good when memory moves', () => {
    const file = scribe();
    const view = file.model().meshes[0].primitives[0].indices;
    const before = view.copy(), size = stele.memory;
    const large = stele.open(new Uint8Array(size)); // more than there is
    assert.ok(stele.memory > size);
    assert.deepEqual(view.array, before);
    large.close();
    file.close();
});

/* ---- Options ---- */

test('takes options as the command does', () => {
    const file = scribe();
    assert.equal(file.dialect, 'v3');
    const older = stele.open(file.convert('sgm', { dialect: 'v2' }));
    assert.equal(older.dialect, 'v2');
    assert.deepEqual(file.convert('sgm'), new Uint8Array(fs.readFileSync('samples/scribe.sgm')));
    assert.throws(() => file.convert('sff', { strict: true }), (e) => e instanceof SteleError && e.status === 'lossy');
    assert.ok(file.diagnostics.some((d) => d.severity === 'loss'));
    const clip = file.model().clips[0].name;
    assert.deepEqual(file.convert('obj', { clip, time: 0.5 }), file.convert('obj', { clip: 0, time: 0.5 }));
    assert.notDeepEqual(file.convert('obj', { clip, time: 0.5 }), file.convert('obj'));
    assert.throws(() => file.convert('obj', { clip: 'nobody' }), { status: 'usage' });
    assert.deepEqual(file.convertToFiles('gltf', { name: 'folder/writer.x' }).map((f) => f.name), ['writer.gltf', 'writer.bin']);
    assert.ok(file.convert('glb', { textures: 'embed' }).length > file.convert('glb').length);
    const { data, width, height } = file.render({ width: 40, height: 30, background: '#ff8000' });
    assert.deepEqual([width, height, data.length, ...data.slice(0, 4)], [40, 30, 4800, 255, 128, 0, 255]);
    assert.equal(file.render({ width: 8, background: 'transparent' }).data[3], 0);
    assert.throws(() => file.render({ background: 'mauve' }), TypeError);
    assert.throws(() => file.convert('nothing'), { status: 'usage' });
    assert.throws(() => scribe({ set: { 'no.such': 'choice' } }), { status: 'usage' });
    assert.throws(() => stele.open('text'), TypeError);
});

test('checks as much as it is told to', () => {
    const bytes = fs.readFileSync('samples/scribe.sgm');
    const noise = Uint8Array.from(bytes);
    const { offset, size } = scribe({ origins: true }).model().meshes[0].primitives[0].indices.origin(17);
    noise.fill(0xff, offset, offset + size);
    const safe = stele.open(noise), structure = stele.open(noise, { check: 'structure' });
    assert.equal(structure.status, 'ok');
    assert.equal(safe.status, 'damaged');
    assert.equal(safe.diagnostics.find((d) => d.severity === 'error').id, 'index-out-of-range');
    const quiet = stele.open(noise, { severity: { 'index-out-of-range': 'off' } });
    assert.ok(!quiet.diagnostics.some((d) => d.id === 'index-out-of-range'));
});

/* ---- Bad input ---- */

test('opens what is damaged or unknown, and says so', () => {
    const bytes = fs.readFileSync('samples/scribe.sgm');
    const cut = stele.open(bytes.subarray(0, 1000), { name: 'scribe.sgm' });
    assert.equal(cut.format, 'sgm');
    assert.equal(cut.status, 'damaged');
    assert.equal(cut.explain().fields.reduce((sum, f) => sum + f.size, 0), 1000);
    for (const call of [() => cut.model(), () => cut.convert('glb'), () => cut.render()])
        assert.throws(call, (e) => e instanceof SteleError && e.status === 'damaged' && e.diagnostics.length > 0 && e.message.length > 5);
    const unknown = stele.open(new TextEncoder().encode('nothing at all'));
    assert.deepEqual([unknown.format, unknown.dialect, unknown.status], [null, null, 'unsupported']);
    assert.equal(stele.open(new Uint8Array(0)).status, 'unsupported');
});

test('passes on what lookup throws, and refuses promises', () => {
    const bytes = fs.readFileSync('samples/scribe.sgm');
    const thrown = new Error('no network');
    assert.throws(() => stele.open(bytes, { lookup: () => { throw thrown; } }).model(), (e) => e === thrown);
    assert.throws(() => stele.open(bytes, { lookup: async () => null }).model(), TypeError);
    const asked = [];
    const file = stele.open(bytes, { lookup: (name) => (asked.push(name), null) });
    file.model();
    file.info();
    assert.ok(asked.length > 0);
    assert.equal(new Set(asked).size, asked.length); // each once
});

test('survives damaged images', () => {
    const image = fs.readFileSync('samples/scribe.png');
    for (let at = 8; at < image.length; at += 4999) {
        const broken = Uint8Array.from(image);
        broken[at] ^= 0x55;
        const file = scribe({ lookup: (name) => (name.endsWith('.png') ? broken : beside('samples/scribe.sgm')(name)) });
        file.render({ width: 16 });
        file.close();
    }
});

/* ---- Memory ---- */

test('frees what is closed', () => {
    for (let i = 0; i < 20; i++)
        scribe().close();
    const before = stele.memory;
    for (let i = 0; i < 200; i++) {
        const file = scribe();
        file.model();
        file.convert('glb');
        file.close();
        file.close(); // twice is fine
        assert.ok(file.closed);
        assert.throws(() => file.info(), { status: 'usage' });
    }
    assert.ok(stele.memory <= before + (1 << 20), `${stele.memory - before} bytes more`);
});

test('frees what is forgotten', async () => {
    const own = await load();
    const bytes = new Uint8Array(4 << 20);
    for (let i = 0; i < 100; i++) {
        own.open(bytes);
        if (i % 10 === 9) {
            globalThis.gc();
            await new Promise((resolve) => setTimeout(resolve, 5));
        }
    }
    assert.ok(own.memory < 200 << 20, `${own.memory >> 20} MB`);
});

/* ---- Loading ---- */

test('loads from bytes, modules and URLs, and in a Worker', async () => {
    const bytes = fs.readFileSync(path.join(folder, 'stele.wasm'));
    const compiled = await WebAssembly.compile(bytes);
    for (const source of [bytes, compiled, pathToFileURL(path.join(folder, 'stele.wasm')), new Response(bytes), Promise.resolve(bytes)])
        assert.equal((await load(source)).version, stele.version);
    const code = `import { parentPort, workerData } from 'node:worker_threads';
        const { load } = await import(workerData.module);
        parentPort.postMessage((await load(workerData.compiled)).version);`;
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), { workerData: { module, compiled } });
    const answer = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    assert.equal(answer, stele.version);
});

test('is small', () => {
    const bytes = fs.readFileSync(path.join(folder, 'stele.wasm'));
    const size = zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_LGWIN]: 24 } }).length;
    console.log(`# stele.wasm: ${bytes.length} bytes, ${size} with brotli`);
    assert.ok(size <= 340000, `${size} bytes`);
});
