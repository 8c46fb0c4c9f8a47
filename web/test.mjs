// The page as people use it, in a real browser: node --test web/test.mjs, with STELE the command that has the page in it.
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import {createServer, request} from 'node:http';
import {tmpdir} from 'node:os';
import {dirname, extname, join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {gzipSync} from 'node:zlib';
import {chromium} from 'playwright-core';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stele = process.env.STELE ?? join(root, 'build/stele');
const samples = join(root, 'samples/dialects');
const scratch = mkdtempSync(join(tmpdir(), 'stele-web-'));
const page = join(scratch, 'page.html');
const scribe = ['scribe.sgm', 'scribe.sga', 'scribe.png'].map((name) => join(root, 'samples', name));
const json = (...args) => JSON.parse(execFileSync(stele, args, {encoding: 'utf8', maxBuffer: 1 << 28}));

const quiet = ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
    '--disable-sync'];
const withWebgl = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

let browser;
const browsers = [];
const patience = 120000; // a busy machine without a graphics card

// A tab that must stay silent: no error, and no request to anywhere but the given beginning.
async function openTab(address, {args = null, allowed = 'file:', ...options} = {}) {
    const own = args ? await launch(args) : browser;
    if (args)
        browsers.push(own);
    // no clip plays unless it is asked to, and few pixels: a processor draws them
    const tab = await own.newPage({viewport: {width: 800, height: 500}, reducedMotion: 'reduce', ...options});
    tab.setDefaultTimeout(patience);
    tab.problems = [];
    tab.on('console', (message) => message.type() === 'error' && tab.problems.push(message.text()));
    tab.on('pageerror', (error) => tab.problems.push(error.stack));
    tab.on('request', (r) => !/^(blob|data):/.test(r.url()) && !r.url().startsWith(allowed) && tab.problems.push(`request: ${r.url()}`));
    tab.done = async () => {
        await (args ? own : tab).close();
        assert.deepEqual(tab.problems, []);
    };
    await tab.goto(address);
    await tab.waitForFunction(() => window.stele, null, {timeout: patience});
    return tab;
}

function launch(args) {
    return chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: [...quiet, ...args]});
}

const state = (tab) => tab.evaluate(() => window.stele.state());

async function ready(tab) {
    await tab.waitForFunction(() => window.stele.state().ready, null, {timeout: patience});
    return state(tab);
}

async function give(tab, ...files) {
    await tab.evaluate(() => { window.stele.app.state.ready = false; });
    await tab.setInputFiles('#files', files);
    return ready(tab);
}

// Lets files or a folder fall onto the page, as the system does; a page from disk may not look into folders.
async function drop(tab, ...paths) {
    const cdp = await tab.context().newCDPSession(tab);
    await tab.evaluate(() => { window.stele.app.state.ready = false; });
    for (const type of ['dragEnter', 'dragOver', 'drop'])
        await cdp.send('Input.dispatchDragEvent', {type, x: 300, y: 400, data: {items: [], files: paths, dragOperationsMask: 1}});
    await cdp.detach();
    return ready(tab);
}

const sites = [];

// The address of a server that has one page.
async function serve(text) {
    const site = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end(text));
    sites.push(site);
    await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${site.address().port}/`;
}

// The page from a server, in a folder of its own.
async function openSite() {
    const address = `${await serve(readFileSync(page))}some/where/`;
    return openTab(address, {allowed: address});
}

// Files of a sample: with what lies beside it under the same name, and the textures.
function withCompanions(path) {
    const stem = path.slice(0, -extname(path).length), companion = {'.sgm': '.sga', '.obj': '.mtl', '.gltf': '.bin'}[extname(path)];
    return readdirSync(dirname(path)).map((name) => join(dirname(path), name))
        .filter((other) => other === path || extname(other) === '.png' || other === stem + companion);
}

before(async () => {
    execFileSync(stele, ['view', '--export', page]);
    browser = await launch(withWebgl);
});

const servers = [];

after(async () => {
    servers.forEach((server) => server.kill('SIGKILL'));
    sites.forEach((site) => site.close());
    await Promise.all([browser, ...browsers].map((one) => one.close()));
    rmSync(scratch, {recursive: true});
});

const models = readdirSync(samples).filter((name) => /\.(twm|sgm|sga|mesh|sff|ctc|glb|gltf|obj)$/.test(name));

test('every sample is shown when it is dropped, and its triangles lead to their bytes', async () => {
    const tab = await openSite();
    for (const name of models) {
        const path = join(samples, name), explained = json('explain', '--json', path);
        const shown = await drop(tab, ...withCompanions(path));
        assert.equal(shown.name, name);
        assert.equal(`.${shown.format}`, extname(name));
        assert.equal(shown.dialect, json('info', '--json', path).dialect, name);
        if (!shown.triangles)
            continue;
        const picked = await tab.evaluate(async () => {
            const {app} = window.stele;
            app.state.picked = null;
            app.scene.camera.matrixWorld.identity(); // as before the first picture
            for (let i = 0; i < 400 && !app.state.picked; i++) // round and round, from the middle outwards
                await app.scene.pickAt(i / 420 * Math.cos(i), i / 420 * Math.sin(i));
            return app.state.picked;
        });
        assert.ok(picked, `${name}: nothing was hit`);
        const vertices = picked.place.vertices.flat().filter(({what}) => what === 'position');
        assert.equal(vertices.length, 3, name);
        checkPositions(name, explained, readFileSync(path), vertices);
        checkIndices(name, readFileSync(path), picked.place);
        await checkParts(tab, name, explained);
        await checkWayBack(tab, name, vertices[0]);
    }
    await tab.done();
});

const contentOf = (name) => `${name} (unpacked)`;

// The byte of a position lights up its vertex, also in what was unpacked.
async function checkWayBack(tab, name, {file, offset}) {
    const shown = await tab.evaluate(async (at) => {
        const {bytes} = window.stele.app.panels;
        await bytes.selectByte(at);
        return bytes.file;
    }, offset);
    assert.equal(shown, file);
    assert.ok((await state(tab)).lit.vertices > 0, name);
}

// The bytes of a position are in a field that explain knows, and are three numbers within its bounds.
function checkPositions(name, explained, bytes, ranges) {
    for (const {file, offset, size, unpacked} of ranges) {
        assert.equal(file, unpacked ? contentOf(name) : name);
        const field = (unpacked ? explained.unpacked : explained.fields).find((one) => offset >= one.offset && offset + size <= one.offset + one.size);
        assert.ok(field, `${name}: no field at ${offset}`);
        if (extname(name) === '.obj') {
            assert.match(bytes.subarray(offset, offset + size).toString(), /^v\s/);
            continue;
        }
        if (extname(name) === '.gltf' || unpacked)
            continue; // base64, or not in this file
        assert.equal(size, 12);
        const column = field.value?.columns?.find((one) => one.name === 'position');
        for (let k = 0; column && k < 3; k++) {
            const value = bytes.readFloatLE(offset + 4 * k);
            assert.ok(value >= column.min[k] - 1e-5 && value <= column.max[k] + 1e-5, `${name}: ${value} at ${offset}`);
        }
    }
}

// The bytes of an index are the number of a vertex, where a vertex has one (in OBJ and CTC it has several).
function checkIndices(name, bytes, {indices, numbers}) {
    const read = indices.filter(({unpacked, size}) => !unpacked && (size === 2 || size === 4) && !/\.(obj|gltf|ctc)$/.test(name))
        .map(({offset, size}) => bytes.readUIntLE(offset, size));
    if (read.length === 3)
        for (const k of [1, 2])
            assert.equal(read[k] - read[0], numbers[k] - numbers[0], name);
}

// What has a place has it in a field of a file: of the model's by its path, which is that of explain.
async function checkParts(tab, name, explained) {
    const places = await tab.evaluate(async () => {
        const {app} = window.stele;
        return Promise.all(app.model.parts.map(async ({part, index}) => ({part, index, place: await app.ask('part', {part, index})})));
    });
    const paths = [...explained.fields, ...explained.unpacked ?? []]; // in a text anything may be a part
    for (const {part, index, place} of places.filter((one) => one.place?.file === name || one.place?.unpacked))
        assert.ok(paths.some(({path, offset, size}) => place.offset >= offset && place.offset < offset + size &&
                (path === place.path || path.startsWith(`${place.path}.`) || place.path.startsWith(`${path}[`) || /^(text|json|chunk.*data)$/.test(path))),
        `${name}: ${part} ${index} at ${place.offset} ${place.path}`);
    assert.ok(places.some(({part, place}) => part === 'primitive' && place), `${name}: no primitive leads to its bytes`);
    for (const part of ['material', 'texture'])
        if (extname(name) === '.obj')
            assert.ok(places.filter((one) => one.part === part).every(({place}) => place.file === 'plain.mtl'), part);
    const joints = places.filter(({part, place}) => part === 'node' && place).length;
    if (explained.format !== 'obj' && (await state(tab)).clips.length && name !== 'v1.sgm')
        assert.ok(joints > 0, `${name}: no joint leads to its bytes`);
}

test('a field lights up what it makes, and a click shows its bytes', async () => {
    const tab = await openTab(pathToFileURL(page).href), path = join(samples, 'v3.sgm');
    await give(tab, ...withCompanions(path), join(samples, 'v1.sga'));
    const {fields} = json('explain', '--json', path), field = (name) => fields.find((one) => one.path === name);
    const lit = async () => (await state(tab)).lit, at = (offset) => tab.evaluate((to) => window.stele.app.panels.bytes.selectByte(to), offset);
    await at(field('mesh[0].indices').offset + 6);
    assert.deepEqual(await lit(), {triangles: 1, vertices: 0, nodes: 0, primitives: 0});
    const vertices = field('mesh[0].vertices');
    await at(vertices.offset + 5 * vertices.value.stride + 1);
    assert.deepEqual(await lit(), {triangles: 0, vertices: 1, nodes: 0, primitives: 0});
    // a mouse over the tree
    await tab.click('#tab-bytes');
    await tab.fill('#panel-bytes input[type=search]', 'material[0].color[0].rgba');
    await tab.hover('.field');
    await tab.waitForFunction(() => window.stele.state().lit.primitives === 1);
    await tab.fill('#panel-bytes input[type=search]', '');
    // a click on the model, and from there to all that made what was hit
    const {x, y, width, height} = await tab.locator('#canvas').boundingBox();
    for (const [right, down] of [[0.5, 0.5], [0.45, 0.45], [0.55, 0.6], [0.5, 0.35]])
        if (!(await state(tab)).picked) {
            await tab.mouse.click(x + right * width, y + down * height);
            await tab.waitForTimeout(500);
        }
    await tab.waitForFunction(() => window.stele.state().picked);
    const texture = tab.locator('.related button', {hasText: 'Texture 0'});
    await texture.click();
    await tab.waitForFunction(() => /texture 0/.test(window.stele.state().selection?.what));
    assert.equal((await state(tab)).selection.ranges[0].offset, field('material[0].id').offset);
    // keys of the animation, which lies in another file
    const node = await tab.evaluate(async () => {
        const {app} = window.stele;
        await app.showPart(app.model.parts.find(({part, name}) => part === 'node' && name === 'head'));
        return app.state.selection;
    });
    assert.equal(node.file, 'v1.sga');
    const bone = json('explain', '--json', join(samples, 'v1.sga')).fields.find((one) => one.path.startsWith('bone[1].'));
    assert.equal(node.ranges[0].offset, bone.offset);
    await tab.done();
});

test('the tree of fields is walked with keys', async () => {
    const tab = await openTab(pathToFileURL(page).href);
    await give(tab, ...withCompanions(join(samples, 'v3.sgm')));
    await tab.focus('.fields');
    const selected = () => tab.locator('.field[aria-selected=true]').getAttribute('title');
    for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowDown'])
        await tab.keyboard.press(key);
    assert.equal(await selected(), 'material[0]');
    const before = await tab.locator('.field').count();
    await tab.keyboard.press('ArrowRight');
    assert.equal(await tab.locator('.field[aria-selected=true]').getAttribute('aria-expanded'), 'true');
    await tab.keyboard.press('ArrowDown');
    assert.equal(await selected(), 'material[0].id');
    await tab.keyboard.press('ArrowLeft');
    await tab.keyboard.press('ArrowLeft');
    assert.equal(await tab.locator('.field').count(), before);
    await tab.done();
});

test('distances to a surface are those of trying all triangles', async () => {
    const {nearestDistances, squareToTriangle} = await import('./src/distance.js');
    let seed = 1;
    const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    const corners = Float32Array.from({length: 9 * 300}, (_, i) => (i % 9 < 3 ? 0 : 0.1) * random() + Math.sin(Math.floor(i / 9) * (i % 3 + 1)));
    const points = Float32Array.from({length: 3 * 200}, () => 4 * random() - 2), found = nearestDistances(points, corners);
    for (let i = 0; i < 200; i++) {
        const all = Array.from({length: 300}, (_, t) => squareToTriangle([...points.subarray(3 * i, 3 * i + 3)], corners, 9 * t));
        assert.ok(Math.abs(found[i] - Math.sqrt(Math.min(...all))) < 1e-6);
    }
    const flat = Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0]);
    const near = nearestDistances(Float32Array.from([0.2, 0.2, 3, -4, 0, 3, 2, 0, 0, 1, 1, 0]), flat);
    [3, 5, 1, Math.SQRT1_2].forEach((distance, i) => assert.ok(Math.abs(near[i] - distance) < 1e-6));
});

test('a changed value changes model, findings and the file that is saved', async () => {
    const tab = await openTab(pathToFileURL(page).href), path = join(samples, 'v3.sgm'), wanted = readFileSync(path);
    await give(tab, ...withCompanions(path));
    const {fields} = json('explain', '--json', path), indices = fields.find((field) => field.path === 'mesh[0].indices');
    const vertices = fields.find((field) => field.path === 'mesh[0].vertices');
    const at = (offset) => tab.evaluate((to) => window.stele.app.panels.bytes.selectByte(to), offset);
    const change = async (value) => {
        await tab.fill('#value', value);
        await tab.press('#value', 'Enter');
        await tab.waitForFunction(() => / changed/.test(document.getElementById('selection').textContent));
    };
    await at(vertices.offset + 5); // a byte of the first vertex: one of its numbers can be changed
    assert.match(await tab.textContent('label[for=value]'), /mesh\[0\]\.vertices\[0\]\.position\[1\] \(f32\)/);
    assert.equal(Math.fround(Number(await tab.inputValue('#value'))), wanted.readFloatLE(vertices.offset + 4));
    await change('7.5');
    wanted.writeFloatLE(7.5, vertices.offset + 4);
    assert.ok(await tab.evaluate(() => window.stele.app.scene.box().max.y) > 7, 'the model follows');
    await at(indices.offset);
    await change('ff ff');
    wanted.writeUInt16LE(0xffff, indices.offset);
    await tab.waitForFunction(() => window.stele.state().findings > 0);
    const [download] = await Promise.all([tab.waitForEvent('download'), tab.click('#panel-bytes button:text-is("Save the changed file")')]);
    assert.deepEqual(readFileSync(await download.path()), wanted);
    assert.match(await tab.textContent('#panel-findings'), /index-out-of-range/);
    await tab.click('#tab-findings'); // a finding leads to its place and byte
    await tab.locator('#panel-findings button', {hasText: 'index-out-of-range'}).first().click();
    await tab.waitForFunction((offset) => window.stele.state().selection?.ranges[0].offset === offset, indices.offset);
    await tab.done();
});

test('what is typed becomes the bytes of its field, or nothing', async () => {
    const {bytesTyped, typedOf} = await import('./src/bytes.js');
    const cases = [['7', 'u8', 1, [7]], ['-2', 'i16', 2, [254, 255]], ['1.5, -2', 'f32[2]', 8, [0, 0, 192, 63, 0, 0, 0, 192]], ['"ab"', 'char[4]', 4, [97, 98, 0, 0]],
        ['"v 1"', 'bytes', 5, [118, 32, 49, 32, 32]], ['0a ff', 'row[2]', 4, [10, 255]], ['18446744073709551615', 'u64', 8, Array(8).fill(255)]];
    for (const [text, type, size, bytes] of cases) {
        assert.deepEqual([...bytesTyped(text, type, size)], bytes, text);
        if (bytes.length === size)
            assert.deepEqual([...bytesTyped(typedOf(Uint8Array.from(bytes), type), type, size)], bytes, `${text} again`);
    }
    for (const [text, type, size] of [['256', 'u8', 1], ['-1', 'u16', 2], ['1.5', 'u32', 4], ['', 'f32', 4], ['1', 'f32[2]', 8], ['"abcde"', 'char[4]', 4], ['xyz', 'row[2]', 4]])
        assert.equal(bytesTyped(text, type, size), null, text);
});

test('losses are said before, and several files come as a zip that others can open', async () => {
    const tab = await openTab(pathToFileURL(page).href), path = join(samples, 'v3.sgm');
    await give(tab, ...withCompanions(path));
    await tab.click('#tab-convert');
    await tab.selectOption('#panel-convert select', 'sff');
    await tab.waitForFunction(() => window.stele.state().losses?.includes('loss-vertex-color'));
    await tab.selectOption('#panel-convert select', 'obj');
    assert.ok(await tab.evaluate(() => { // until it is known what there will be, nothing is given
        document.querySelector('#panel-convert select').dispatchEvent(new Event('change'));
        return document.querySelector('#panel-convert button.main').disabled;
    }));
    await tab.waitForFunction(() => /zip/.test(document.querySelector('#panel-convert button.main').textContent));
    const [download] = await Promise.all([tab.waitForEvent('download'), tab.click('#panel-convert button.main')]);
    const listed = execFileSync('python3', ['-m', 'zipfile', '-t', await download.path()], {encoding: 'utf8'});
    assert.match(listed, /Done testing/);
    await tab.done();
});

test('two models are compared, side by side', async () => {
    const tab = await openTab(pathToFileURL(page).href);
    await give(tab, ...withCompanions(join(samples, 'v3.sgm')));
    await tab.click('#tab-compare');
    const compare = async (path) => {
        await tab.evaluate(() => { window.stele.app.state.differences = null; });
        await tab.setInputFiles('#compare-files', withCompanions(path));
        await tab.waitForFunction(() => window.stele.state().differences !== null);
        const {differences, farthest} = await state(tab);
        return [differences, farthest];
    };
    assert.deepEqual(await compare(join(samples, 'v3.sgm')), [0, 0]);
    // one vertex of the same triangles, moved by 2: the surface says so
    const moved = readFileSync(join(samples, 'v3.sgm')), {offset} = json('explain', '--json', join(samples, 'v3.sgm')).fields.find(({path}) => path === 'mesh[0].vertices');
    moved.writeFloatLE(moved.readFloatLE(offset) + 2, offset);
    writeFileSync(join(scratch, 'moved.sgm'), moved);
    const [differences, farthest] = await compare(join(scratch, 'moved.sgm'));
    assert.ok(differences > 0);
    assert.ok(Math.abs(farthest - 2) < 1e-3, String(farthest));
    const tints = await tab.evaluate(() => window.stele.app.scene.meshes.map(({geometry: {attributes: {color}}}) => [...color.array.slice(0, 6)]));
    assert.deepEqual(tints[0].slice(0, 3), [1, 0, 0]);
    assert.ok(tints[0][3] < 0.3 && tints[0][5] > 0.85, 'what did not move is blue');
    assert.deepEqual(await tab.locator('.captions span').allTextContents(), ['v3.sgm', 'moved.sgm']);
    // other triangles: how far the surfaces are apart
    assert.ok((await compare(join(samples, 'plain.obj')))[1] > 0);
    await tab.click('#panel-compare button:text-is("End")');
    assert.ok(await tab.evaluate(() => !window.stele.app.scene.beside && window.stele.app.scene.meshes.every(({userData, material}) => material === userData.own)));
    await tab.done();
});

test('a clip stands where the library says at a time', async () => {
    const tab = await openTab(pathToFileURL(page).href), folder = join(root, 'samples');
    const shown = await give(tab, ...scribe);
    assert.deepEqual(shown.clips, ['idle', 'walk', 'write']);
    const baked = join(scratch, 'walk.obj');
    execFileSync(stele, ['convert', '-q', join(folder, 'scribe.sgm'), baked, '--pose', 'walk@0.5']);
    const lines = readFileSync(baked, 'utf8').split('\n').filter((line) => line.startsWith('v ')).map((line) => line.split(' ').slice(1, 4).map(Number));
    const box = (rows, k) => [Math.min(...rows.map((row) => row[k])), Math.max(...rows.map((row) => row[k]))];
    const seen = await tab.evaluate(() => {
        const {app} = window.stele;
        app.chooseClip(1);
        app.seek(0.5);
        app.scene.scene.updateMatrixWorld(true);
        const {min, max} = app.scene.box();
        return [[min.x, max.x], [min.y, max.y], [min.z, max.z]];
    });
    for (let k = 0; k < 3; k++)
        for (const end of [0, 1])
            assert.ok(Math.abs(seen[k][end] - box(lines, k)[end]) < 1e-3, `${seen} and ${[0, 1, 2].map((i) => box(lines, i))}`);
    // it plays, faster if that is wanted, and stops at the end without its loop
    await tab.click('#timeline button:text-is("Loop")');
    await tab.selectOption('#timeline select[aria-label=Speed]', '2');
    await tab.click('#timeline button:text-is("Play")');
    const {duration} = await tab.evaluate(() => window.stele.app.model.clips[1]);
    await tab.waitForFunction((end) => window.stele.state().time === end, duration);
    assert.equal(await tab.locator('#timeline button').first().textContent(), 'Play');
    await tab.done();
});

test('a folder is a catalogue, dropped as a folder', async () => {
    const folder = join(scratch, 'folder');
    mkdirSync(join(folder, 'deep'), {recursive: true});
    for (const name of ['v3.sgm', 'v3.sga', 'scribe.png'])
        try { cpSync(join(samples, name), join(folder, name)); } catch { /* not all samples have one */ }
    cpSync(join(samples, 'C2.mesh'), join(folder, 'deep', 'C2.mesh'));
    cpSync(join(samples, 'v3.twm'), join(folder, 'v3.twm'));
    writeFileSync(join(folder, 'broken.sgm'), readFileSync(join(samples, 'v3.sgm')).subarray(0, 600));
    const tab = await openSite();
    await drop(tab, folder);
    await tab.waitForFunction(() => window.stele.state().thumbnails === 4, null, {timeout: patience});
    assert.equal(await tab.locator('.catalogue button').count(), 4);
    await tab.selectOption('#panel-catalogue select', 'triangles');
    const triangles = (await tab.locator('.catalogue small').allTextContents()).map((text) => Number(/([\d,]+) △/.exec(text)[1].replace(',', '')));
    assert.deepEqual(triangles, triangles.toSorted((a, b) => b - a));
    assert.equal(triangles.at(-1), 0, 'nothing is drawn of the broken one');
    await tab.fill('#panel-catalogue input', 'animated twm');
    assert.equal(await tab.locator('.catalogue button').count(), 1);
    await tab.fill('#panel-catalogue input', 'mesh');
    assert.equal(await tab.locator('.catalogue button').count(), 1);
    await tab.fill('#panel-catalogue input', '');
    const first = (await state(tab)).name;
    await tab.locator('#status').click();
    await tab.keyboard.press('ArrowRight');
    await tab.waitForFunction((name) => window.stele.state().ready && window.stele.state().name !== name, first);
    await tab.done();
});

test('every sample is there when all are dropped as a folder', async () => {
    const tab = await openSite(), seen = new Map();
    for (let shown = await drop(tab, samples); !seen.has(shown.name); shown = await state(tab)) {
        seen.set(shown.name, shown);
        await tab.locator('#status').click();
        await tab.keyboard.press('ArrowRight');
        await tab.waitForFunction((name) => window.stele.state().ready && window.stele.state().name !== name, shown.name);
    }
    const alone = models.filter((name) => !(name.endsWith('.sga') && models.includes(name.replace('.sga', '.sgm')))); // others come along
    const told = alone.map((name) => [name, json('info', '--json', join(samples, name))]);
    await tab.done();
    assert.deepEqual([...seen.values()].map(({name, dialect, triangles}) => [name, dialect, triangles]).toSorted(),
        told.map(([name, info]) => [`dialects/${name}`, info.dialect, info.drawn.triangles]).toSorted());
});

test('damaged and hostile files leave the page alive', async () => {
    const tab = await openTab(pathToFileURL(page).href), bytes = readFileSync(join(samples, 'v3.sgm'));
    const cases = {'cut.sgm': bytes.subarray(0, 700), 'empty.sgm': Buffer.alloc(0), 'noise.ctc': Buffer.from(Array.from({length: 4096}, (_, i) => (i * 7919) & 255)),
        'counts.glb': Buffer.from('glTF\x02\0\0\0\xff\xff\xff\x7f', 'latin1'), 'text.twm': Buffer.from('<script>alert(1)</script>'),
        'nothing.gltf': Buffer.from('{"asset":{"version":"2.0"}}')};
    for (const [name, content] of Object.entries(cases)) {
        writeFileSync(join(scratch, name), content);
        const shown = await give(tab, join(scratch, name));
        assert.equal(shown.name, name);
        assert.ok(shown.findings > 0 || name === 'nothing.gltf', name); // which has no scene, and may
    }
    for (const again of ['once', 'the same file again'])
        assert.equal((await give(tab, join(samples, 'v3.twm'))).format, 'twm', again);
    await tab.done();
});

test('files are pasted, and opening can be cancelled', async () => {
    const tab = await openTab(pathToFileURL(page).href), bytes = [...readFileSync(join(samples, 'v3.twm'))];
    const paste = () => tab.evaluate((content) => {
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File([Uint8Array.from(content)], 'pasted.twm'));
        document.body.dispatchEvent(new ClipboardEvent('paste', {clipboardData, bubbles: true}));
    }, bytes);
    await paste();
    assert.equal((await ready(tab)).name, 'pasted.twm');
    await tab.evaluate(() => { // as soon as there is something to cancel
        new MutationObserver(() => document.getElementById('cancel').hidden || document.getElementById('cancel').click())
            .observe(document.getElementById('cancel'), {attributes: true});
    });
    await paste();
    await tab.waitForFunction(() => window.stele.state().name === null && document.body.classList.contains('empty'));
    assert.match(await tab.textContent('#status'), /Cancelled/);
    await tab.done();
});

test('textures that browsers do not know are seen', async () => {
    const tab = await openTab(pathToFileURL(page).href), file = (name, content) => (writeFileSync(join(scratch, name), content), join(scratch, name));
    const tga = Buffer.from([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 24, 0, 0, 0, 255, 0, 255, 0]); // a red and a green pixel
    await give(tab, file('painted.obj', 'mtllib painted.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl a\nf 1/1 2/2 3/3\n'),
        file('painted.mtl', 'newmtl a\nmap_Kd colours.tga\n'), file('colours.tga', tga));
    const pixels = await tab.evaluate(() => {
        const {image} = window.stele.app.scene.meshes[0].userData.own.map, canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        return [...context.getImageData(0, 0, image.width, image.height).data];
    });
    assert.deepEqual(pixels, [255, 0, 0, 255, 0, 255, 0, 255]);
    await tab.done();
});

test('without WebGL Stele draws itself, turns and plays', async () => {
    const tab = await openTab(pathToFileURL(page).href, {args: ['--disable-gpu', '--disable-webgl', '--disable-3d-apis']});
    await give(tab, join(samples, 'v3.twm'));
    await tab.waitForFunction(() => window.stele.state().picture > 0);
    const drawn = () => tab.evaluate(() => {
        const {width, height} = document.getElementById('picture');
        const {data} = document.getElementById('picture').getContext('2d').getImageData(0, 0, width, height);
        return data.reduce((sum, value, i) => (sum + value * (i % 251)) % 1000003, width > 100 ? 0 : NaN);
    });
    const still = await drawn();
    assert.ok(still > 0);
    const another = async (act) => {
        const {picture} = await state(tab);
        await act();
        await tab.waitForFunction((before) => window.stele.state().picture > before, picture);
    };
    await tab.focus('#picture');
    await another(() => tab.keyboard.press('ArrowLeft'));
    assert.notEqual(await drawn(), still);
    await another(() => tab.click('#timeline button:text-is("Play")'));
    await tab.waitForFunction(() => window.stele.state().time > 0);
    await tab.done();
});

test('an exported page shows its model from disk, without a request', async () => {
    const exported = join(scratch, 'out.html');
    execFileSync(stele, ['view', '--export', exported, join(root, 'samples/scribe.sgm')]);
    assert.ok(readFileSync(exported).length < 1.6e6);
    assert.ok(gzipSync(readFileSync(page)).length < 7e5, 'the first load');
    assert.throws(() => execFileSync(stele, ['view', '--export', exported, join(root, 'samples/scribe.sgm')], {stdio: 'pipe'}), /exists already/);
    const tab = await openTab(pathToFileURL(exported).href, {allowed: pathToFileURL(exported).href});
    await tab.context().setOffline(true);
    const shown = await ready(tab);
    assert.equal(shown.name, 'scribe.sgm');
    assert.deepEqual(shown.clips, ['idle', 'walk', 'write']);
    await tab.done();
});

// ---- stele view

function view(...args) {
    const child = spawn(stele, ['view', '--no-open', ...args]);
    servers.push(child);
    const address = new Promise((resolve) => child.stdout.once('data', (text) => resolve(text.toString().trim())));
    const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
    return {child, address, ended};
}

function ask(address, options = {}) {
    const {hostname, port, pathname} = new URL(address);
    return new Promise((resolve, reject) => {
        const r = request({hostname, port, path: options.path ?? pathname, method: options.method ?? 'GET', headers: options.headers}, (answer) => {
            answer.resume();
            answer.on('end', () => resolve(answer));
        });
        r.on('error', reject);
        r.end();
    });
}

// A page from elsewhere gets nothing, even if it knew the address.
async function refusesAnotherPage(base) {
    const tab = await browser.newPage();
    await tab.goto(await serve('<p>Another page'));
    const had = await tab.evaluate(async (address) => {
        const attempts = [{}, {mode: 'no-cors'}].map((options) => fetch(`${address}models.json`, options));
        return (await Promise.allSettled(attempts)).map(({status}) => status);
    }, base);
    assert.deepEqual(had, ['rejected', 'rejected']);
    await tab.close();
}

test('stele view serves just its files, and ends with its page', async () => {
    const path = join(scratch, 'served.sgm');
    cpSync(join(samples, 'v3.sgm'), path);
    const server = view(path), address = await server.address, base = address.replace('?view', '');
    const {port, pathname} = new URL(base);
    assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/\?view$/);
    assert.equal((await ask(base, {path: '/'})).statusCode, 403);
    assert.equal((await ask(base, {path: `/${'0'.repeat(32)}/`})).statusCode, 403);
    assert.equal((await ask(base, {method: 'POST'})).statusCode, 405);
    assert.equal((await ask(base, {headers: {Host: `localhost:${port}`}})).statusCode, 403);
    assert.equal((await ask(base, {headers: {Host: `127.0.0.1:${port}.example.org`}})).statusCode, 403);
    for (const headers of [{Origin: 'http://example.org'}, {Origin: 'null'}, {'Sec-Fetch-Site': 'cross-site'}, {'Sec-Fetch-Site': 'same-site'}])
        assert.equal((await ask(`${base}models.json`, {headers})).statusCode, 403, JSON.stringify(headers));
    for (const path of ['file/9', 'file/../../../../etc/passwd', 'file/-1', 'file/0x', '%2e%2e/x'])
        assert.equal((await ask(base, {path: pathname + path})).statusCode, 404, path);
    const good = await ask(`${base}models.json`);
    assert.equal(good.statusCode, 200);
    assert.equal(good.headers['cross-origin-resource-policy'], 'same-origin');
    assert.equal(good.headers['access-control-allow-origin'], undefined);
    await refusesAnotherPage(base);
    const tab = await openTab(address, {allowed: base});
    assert.equal((await ready(tab)).format, 'sgm');
    await tab.evaluate(() => { window.stele.app.state.ready = false; });
    writeFileSync(path, readFileSync(join(samples, 'v3.twm')));
    utimesSync(path, new Date(), new Date(Date.now() + 5000));
    await tab.waitForFunction(() => window.stele.state().ready && window.stele.state().format === 'twm', null, {timeout: patience});
    await tab.done();
    assert.equal(await server.ended, 0);
});

test('stele view ends when it is interrupted', async () => {
    const server = view(join(samples, 'v3.sgm'));
    await server.address;
    server.child.kill('SIGINT');
    assert.equal(await server.ended, 130);
});

// ---- For everybody

test('nothing keeps people out', async () => {
    const axe = readFileSync(join(root, 'web/node_modules/axe-core/axe.min.js'), 'utf8');
    const tab = await openTab(pathToFileURL(page).href, {bypassCSP: true});
    await tab.evaluate(axe);
    const check = async (what, rules) => {
        const {violations} = await tab.evaluate((only) => window.axe.run(only ? {runOnly: only} : {}), rules);
        const serious = violations.filter(({impact}) => impact === 'serious' || impact === 'critical');
        assert.deepEqual(serious.map(({id, nodes}) => `${what} ${id}: ${nodes[0].html.slice(0, 200)} ${nodes[0].failureSummary}`), []);
    };
    await check('at first');
    await give(tab, ...scribe);
    await tab.evaluate(async () => {
        const {app} = window.stele;
        for (let i = 0; i < 400 && !app.state.picked; i++)
            await app.scene.pickAt(i / 420 * Math.cos(i), i / 420 * Math.sin(i));
    });
    for (const name of ['bytes', 'findings', 'convert', 'compare', 'parts', 'catalogue']) {
        await tab.click(`#tab-${name}`);
        await check(name);
        await tab.emulateMedia({colorScheme: 'dark'});
        await check(`dark ${name}`, ['color-contrast']);
        await tab.emulateMedia({colorScheme: 'light'});
    }
    await tab.setViewportSize({width: 390, height: 780});
    await tab.click('#tab-bytes');
    await check('phone');
    assert.equal(await tab.evaluate(() => document.documentElement.scrollWidth), 390, 'nothing is wider than the phone');
    await tab.done();
});
