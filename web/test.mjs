// The page as people use it, in a real browser: node --test web/test.mjs, with STELE the command that has the page in it.
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import {createServer, request} from 'node:http';
import {tmpdir} from 'node:os';
import {dirname, extname, join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stele = process.env.STELE ?? join(root, 'build/stele');
const samples = join(root, 'samples/dialects');
const scratch = mkdtempSync(join(tmpdir(), 'stele-web-'));
const page = join(scratch, 'page.html');
const json = (...args) => JSON.parse(execFileSync(stele, args, {encoding: 'utf8', maxBuffer: 1 << 28}));

const quiet = ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
    '--disable-sync'];
const withWebgl = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

let browser;
const patience = 120000; // a busy machine without a graphics card

// A tab that must stay silent: no error, and no request to anywhere but the given beginning.
async function openTab(address, {args = null, allowed = 'file:', ...options} = {}) {
    const own = args ? await launch(args) : browser;
    const tab = await own.newPage({viewport: {width: 1200, height: 800}, ...options});
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
    await browser.close();
    rmSync(scratch, {recursive: true});
});

const models = readdirSync(samples).filter((name) => /\.(twm|sgm|sga|mesh|sff|ctc|glb|gltf|obj)$/.test(name));

test('every sample is shown, and its triangles lead to their bytes', async () => {
    const tab = await openTab(pathToFileURL(page).href);
    for (const name of models) {
        const path = join(samples, name), explained = json('explain', '--json', path);
        const shown = await give(tab, ...withCompanions(path));
        assert.equal(shown.name, name);
        assert.equal(`.${shown.format}`, extname(name));
        assert.equal(shown.dialect, json('info', '--json', path).dialect, name);
        if (!shown.triangles)
            continue;
        const picked = await tab.evaluate(async () => {
            const {app} = window.stele;
            app.state.picked = null;
            for (let i = 0; i < 400 && !app.state.picked; i++)
                await app.scene.pickAt(((i * 7) % 20) / 10 - 0.95, Math.floor(i / 20) / 10 - 0.95);
            return app.state.picked;
        });
        assert.ok(picked, `${name}: nothing was hit`);
        const vertices = picked.place.vertices.flat().filter(({what}) => what === 'position');
        assert.equal(vertices.length, 3, name);
        checkPositions(name, explained, readFileSync(path), vertices);
        await checkWayBack(tab, name, vertices[0]);
    }
    await tab.done();
});

// The byte of a position lights up its vertex. In unpacked content there is none, and nothing of the file may be marked for it.
async function checkWayBack(tab, name, {offset, unpacked}) {
    if (unpacked) {
        assert.equal((await state(tab)).selection, null, name);
        return;
    }
    await tab.evaluate((at) => window.stele.app.panels.bytes.selectByte(at), offset);
    assert.ok((await state(tab)).lit.vertices > 0, name);
}

// The bytes of a position are in a field that explain knows, and are three numbers within its bounds.
function checkPositions(name, explained, bytes, ranges) {
    const {fields} = explained;
    for (const {file, offset, size, unpacked} of ranges) {
        assert.equal(file, name);
        if (unpacked)
            continue;
        const field = fields.find((one) => offset >= one.offset && offset + size <= one.offset + one.size);
        assert.ok(field, `${name}: no field at ${offset}`);
        if (extname(name) === '.obj') {
            assert.match(bytes.subarray(offset, offset + size).toString(), /^v\s/);
            continue;
        }
        if (extname(name) === '.gltf')
            continue; // base64
        assert.equal(size, 12);
        const column = field.value?.columns?.find((one) => one.name === 'position');
        for (let k = 0; column && k < 3; k++) {
            const value = bytes.readFloatLE(offset + 4 * k);
            assert.ok(value >= column.min[k] - 1e-5 && value <= column.max[k] + 1e-5, `${name}: ${value} at ${offset}`);
        }
    }
}

test('a field lights up what it makes', async () => {
    const tab = await openTab(pathToFileURL(page).href), path = join(samples, 'v3.sgm');
    await give(tab, ...withCompanions(path));
    const {fields} = json('explain', '--json', path), indices = fields.find((field) => field.path === 'mesh[0].indices');
    await tab.evaluate((at) => window.stele.app.panels.bytes.selectByte(at), indices.offset + 6);
    assert.deepEqual((await state(tab)).lit, {triangles: 1, vertices: 0, nodes: 0});
    const vertices = fields.find((field) => field.path === 'mesh[0].vertices');
    await tab.evaluate((at) => window.stele.app.panels.bytes.selectByte(at), vertices.offset + 5 * vertices.value.stride + 1);
    assert.deepEqual((await state(tab)).lit, {triangles: 0, vertices: 1, nodes: 0});
    await tab.done();
});

test('a changed value changes model, findings and the file that is saved', async () => {
    const tab = await openTab(pathToFileURL(page).href), path = join(samples, 'v3.sgm');
    await give(tab, ...withCompanions(path));
    const {fields} = json('explain', '--json', path), indices = fields.find((field) => field.path === 'mesh[0].indices');
    await tab.evaluate((at) => window.stele.app.panels.bytes.selectByte(at), indices.offset);
    await tab.fill('#panel-bytes input[type=text]', 'ff ff');
    await tab.click('#panel-bytes button:text-is("Change")');
    await tab.waitForFunction(() => window.stele.state().findings > 0);
    const [download] = await Promise.all([tab.waitForEvent('download'), tab.click('#panel-bytes button:text-is("Save the changed file")')]);
    const patched = readFileSync(await download.path()), wanted = readFileSync(path);
    wanted.writeUInt16LE(0xffff, indices.offset);
    assert.deepEqual(patched, wanted);
    assert.match(await tab.textContent('#panel-findings'), /index-out-of-range/);
    await tab.done();
});

test('losses are said before, and several files come as a zip that others can open', async () => {
    const tab = await openTab(pathToFileURL(page).href), path = join(samples, 'v3.sgm');
    await give(tab, ...withCompanions(path));
    await tab.click('#tab-convert');
    await tab.selectOption('#panel-convert select', 'sff');
    await tab.waitForFunction(() => window.stele.state().losses?.includes('loss-vertex-color'));
    await tab.selectOption('#panel-convert select', 'obj');
    await tab.waitForFunction(() => /zip/.test(document.querySelector('#panel-convert button').textContent));
    const [download] = await Promise.all([tab.waitForEvent('download'), tab.click('#panel-convert button')]);
    const listed = execFileSync('python3', ['-m', 'zipfile', '-t', await download.path()], {encoding: 'utf8'});
    assert.match(listed, /Done testing/);
    await tab.done();
});

test('two models are compared', async () => {
    const tab = await openTab(pathToFileURL(page).href);
    await give(tab, ...withCompanions(join(samples, 'v3.sgm')));
    await tab.click('#tab-compare');
    await tab.setInputFiles('#compare-files', withCompanions(join(samples, 'v3.sgm')));
    await tab.waitForFunction(() => window.stele.state().differences === 0);
    await tab.setInputFiles('#compare-files', withCompanions(join(samples, 'v2.sgm')));
    await tab.waitForFunction(() => window.stele.state().differences > 0);
    await tab.done();
});

test('a clip stands where the library says at a time', async () => {
    const tab = await openTab(pathToFileURL(page).href), folder = join(root, 'samples');
    const shown = await give(tab, join(folder, 'scribe.sgm'), join(folder, 'scribe.sga'), join(folder, 'scribe.png'));
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
    const site = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end(readFileSync(page)));
    await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${site.address().port}/some/where/`;
    const tab = await openTab(address, {allowed: address}), cdp = await tab.context().newCDPSession(tab);
    for (const type of ['dragEnter', 'dragOver', 'drop'])
        await cdp.send('Input.dispatchDragEvent', {type, x: 300, y: 400, data: {items: [], files: [folder], dragOperationsMask: 1}});
    await ready(tab);
    await tab.waitForFunction(() => window.stele.state().thumbnails === 4, null, {timeout: patience});
    assert.equal(await tab.locator('.catalogue button').count(), 4);
    await tab.fill('#panel-catalogue input', 'mesh');
    assert.equal(await tab.locator('.catalogue button').count(), 1);
    await tab.fill('#panel-catalogue input', '');
    const first = (await state(tab)).name;
    await tab.locator('#status').click();
    await tab.keyboard.press('ArrowRight');
    await tab.waitForFunction((name) => window.stele.state().ready && window.stele.state().name !== name, first);
    await tab.done();
    site.close();
});

test('damaged and hostile files leave the page alive', async () => {
    const tab = await openTab(pathToFileURL(page).href), bytes = readFileSync(join(samples, 'v3.sgm'));
    const cases = {'cut.sgm': bytes.subarray(0, 700), 'empty.sgm': Buffer.alloc(0), 'noise.ctc': Buffer.from(Array.from({length: 4096}, (_, i) => (i * 7919) & 255)),
        'counts.glb': Buffer.from('glTF\x02\0\0\0\xff\xff\xff\x7f', 'latin1'), 'text.twm': Buffer.from('<script>alert(1)</script>')};
    for (const [name, content] of Object.entries(cases)) {
        writeFileSync(join(scratch, name), content);
        const shown = await give(tab, join(scratch, name));
        assert.equal(shown.name, name);
        assert.ok(shown.findings > 0, name);
    }
    assert.equal((await give(tab, join(samples, 'v3.twm'))).format, 'twm');
    await tab.done();
});

test('without WebGL Stele draws itself', async () => {
    const tab = await openTab(pathToFileURL(page).href, {args: ['--disable-gpu', '--disable-webgl', '--disable-3d-apis']});
    await give(tab, join(samples, 'v3.twm'));
    await tab.waitForFunction(() => window.stele.state().picture > 0);
    assert.ok(await tab.evaluate(() => document.getElementById('picture').naturalWidth > 100));
    await tab.done();
});

test('an exported page shows its model from disk, without a request', async () => {
    const exported = join(scratch, 'out.html');
    execFileSync(stele, ['view', '--export', exported, join(root, 'samples/scribe.sgm')]);
    assert.ok(readFileSync(exported).length < 1.6e6);
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
    for (const path of ['file/9', 'file/../../../../etc/passwd', 'file/-1', 'file/0x', '%2e%2e/x'])
        assert.equal((await ask(base, {path: pathname + path})).statusCode, 404, path);
    const good = await ask(`${base}models.json`);
    assert.equal(good.statusCode, 200);
    assert.equal(good.headers['cross-origin-resource-policy'], 'same-origin');
    assert.equal(good.headers['access-control-allow-origin'], undefined);
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
    for (const options of [{colorScheme: 'light'}, {colorScheme: 'dark'}, {viewport: {width: 390, height: 780}}]) {
        const tab = await openTab(pathToFileURL(page).href, {bypassCSP: true, ...options});
        await give(tab, join(root, 'samples/scribe.sgm'), join(root, 'samples/scribe.sga'), join(root, 'samples/scribe.png'));
        for (const name of ['bytes', 'findings', 'convert', 'parts', 'catalogue']) {
            await tab.click(`#tab-${name}`);
            await tab.evaluate(axe);
            const {violations} = await tab.evaluate(() => window.axe.run());
            const serious = violations.filter(({impact}) => impact === 'serious' || impact === 'critical');
            assert.deepEqual(serious.map(({id, nodes}) => `${name} ${id}: ${nodes[0].html.slice(0, 200)} ${nodes[0].failureSummary}`), []);
        }
        await tab.done();
    }
});
