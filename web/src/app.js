// The page: takes files, asks the worker, shows what it says.
import {CataloguePanel} from './catalogue.js';
import {byId, choice, make, tabs, toggle} from './dom.js';
import {Engine} from './engine.js';
import {besideOf, bytesOf, filesOfInput, filesOfTransfer, modelsAmong} from './files.js';
import {BytesPanel, ComparePanel, ConvertPanel, FindingsPanel, PartsPanel} from './panels.js';
import {Scene} from './scene.js';
import {texts} from './texts.js';

class App {
    constructor(start) {
        this.start = start;
        this.state = {ready: false, name: null, format: null, dialect: null, triangles: 0, clips: [], findings: 0, selection: null};
        this.engine = new Engine(start);
        this.files = [];
        this.makeScene();
        this.makePanels();
        this.makeToolbar();
        this.listen();
    }

    // ---- Making the page

    makeScene() {
        try {
            this.scene = new Scene(byId('canvas'), {onPick: (hit) => this.picked(hit)});
            this.scene.onTime = (time, playing) => this.showTime(time, playing);
        } catch {
            this.scene = null;
            this.say(texts.noWebgl);
        }
        byId('canvas').setAttribute('aria-label', texts.canvas);
        byId('welcome').children[0].textContent = texts.welcome;
        byId('welcome').children[1].textContent = texts.welcomeMore;
    }

    makePanels() {
        this.panels = {
            bytes: new BytesPanel(this), findings: new FindingsPanel(this), convert: new ConvertPanel(this), compare: new ComparePanel(this),
            parts: new PartsPanel(this), catalogue: new CataloguePanel(this, () => this.helpers ??= [new Engine(this.start), new Engine(this.start)]),
        };
        const entries = Object.entries(this.panels).map(([name, {panel}]) => ({name, panel, text: texts.tabs[name]}));
        this.showTab = tabs(byId('tabs'), byId('panels'), entries, (name) => name === 'convert' && this.panels.convert.preview());
        this.showTab('bytes');
    }

    makeToolbar() {
        const view = texts.view, options = {grid: true, environment: true};
        const apply = () => { this.scene?.apply(options); this.redraw(); };
        const switches = ['skeleton', 'wireframe', 'bounds', 'grid', 'environment'].map((name) =>
            toggle(view[name], Boolean(options[name]), (on) => { options[name] = on; apply(); }));
        const surface = choice(view.all, [['', view.all], ['normals', view.normals], ['checker', view.checker], ['colors', view.colors]],
            (value) => { options.surface = value; apply(); });
        this.only = choice(view.only, [['', view.only]], (value) => {
            const [kind, index] = value.split(' ');
            options.only = value ? (data) => (kind === 'primitive' ? data.number === Number(index) : data.material === Number(index)) : null;
            apply();
        });
        const background = choice(view.background, Object.entries(texts.backgrounds), (value) => { byId('stage').dataset.background = value; });
        this.exact = toggle(view.exact, false, (on) => this.showExact(on));
        byId('toolbar').append(make('button', {type: 'button', onclick: () => this.scene?.frame()}, view.frame), ...switches, surface, this.only,
            background, this.exact);
        this.makeTimeline();
    }

    makeTimeline() {
        const view = texts.view;
        this.play = make('button', {type: 'button', onclick: () => this.playOrPause()}, view.play);
        this.clip = choice(view.clip, [], (value) => this.chooseClip(Number(value)));
        this.time = make('input', {type: 'range', min: 0, max: 1, step: 'any', value: 0, 'aria-label': view.time, oninput: () => this.seek(Number(this.time.value))});
        this.seconds = make('output', {}, '0.00 s');
        const speed = choice(view.speed, [['1', '1×'], ['0.5', '½×'], ['0.25', '¼×'], ['2', '2×']], (value) => { if (this.scene) this.scene.speed = Number(value); });
        const loop = toggle(view.loop, true, (on) => { if (this.scene) this.scene.loop = on; });
        byId('timeline').append(this.play, this.clip, this.time, this.seconds, speed, loop);
    }

    listen() {
        const stage = document.body;
        byId('label-files').lastElementChild.textContent = texts.openFiles;
        byId('label-folder').lastElementChild.textContent = texts.openFolder;
        byId('files').addEventListener('change', (event) => this.take(filesOfInput(event.target)));
        byId('folder').addEventListener('change', (event) => this.take(filesOfInput(event.target)));
        byId('cancel').textContent = texts.cancel;
        byId('cancel').addEventListener('click', () => this.cancel());
        for (const [id, by] of [['previous', -1], ['next', 1]]) {
            byId(id).setAttribute('aria-label', texts[id]);
            byId(id).addEventListener('click', () => this.step(by));
        }
        stage.addEventListener('dragover', (event) => { event.preventDefault(); byId('stage').classList.add('over'); });
        stage.addEventListener('dragleave', () => byId('stage').classList.remove('over'));
        stage.addEventListener('drop', async (event) => {
            event.preventDefault();
            byId('stage').classList.remove('over');
            try {
                this.take(await filesOfTransfer(event.dataTransfer));
            } catch { // browsers do not let a page from disk look into a folder
                this.say(texts.folderRefused);
            }
        });
        stage.addEventListener('paste', async (event) => {
            if (event.clipboardData.files.length)
                this.take(await filesOfTransfer(event.clipboardData));
        });
        document.addEventListener('keydown', (event) => this.key(event));
        this.listenForTurning();
    }

    key(event) {
        if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey)
            return;
        if (event.key === ' ' && event.target.tagName !== 'BUTTON') {
            event.preventDefault();
            this.playOrPause();
        } else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
            this.step(event.key === 'ArrowLeft' ? -1 : 1);
        }
    }

    say(text) {
        byId('status').textContent = text;
    }

    working(on) {
        byId('progress').hidden = byId('cancel').hidden = !on;
    }

    async cancel() {
        this.engine.restart();
        this.model = null;
        this.working(false);
        this.say(texts.cancelled);
    }

    // ---- Files

    async take(files) {
        const {formats} = await this.engine.ready;
        const models = modelsAmong(files, formats);
        this.files = files;
        if (!models.length) {
            this.say(texts.noFile);
            if (files.length !== 1)
                return;
        }
        byId('steps').hidden = models.length < 2;
        this.panels.catalogue.set(models, files);
        if (models.length > 1)
            this.showTab('catalogue');
        await this.openModel(models[0] ?? files[0]);
    }

    async openModel(entry) {
        this.entry = entry;
        this.state.ready = false;
        this.say(texts.opening(entry.path));
        this.working(true);
        try {
            const files = await Promise.all(besideOf(entry, this.files).map(bytesOf));
            if (this.model)
                await this.engine.ask('close', {session: this.model.session});
            await this.showModel(await this.engine.ask('open', {files, name: entry.path}));
        } catch (error) {
            if (error.message !== 'cancelled')
                this.say(texts.failure(error.message));
        }
        this.working(false);
        this.panels.catalogue.current(entry);
    }

    async openOther(input) {
        const {formats} = await this.engine.ready;
        const files = filesOfInput(input), [main] = modelsAmong(files, formats);
        if (!main) {
            this.say(texts.noFile);
            return null;
        }
        return this.engine.ask('open', {files: await Promise.all(files.map(bytesOf)), name: main.path});
    }

    step(by) {
        const next = this.entry && this.panels.catalogue.entries.length > 1 ? this.panels.catalogue.step(this.entry, by) : null;
        if (next)
            this.openModel(next);
    }

    ask(operation, args) {
        return this.engine.ask(operation, {session: this.model.session, ...args});
    }

    // ---- The model

    async showModel(model, file = null) {
        this.model = model;
        byId('welcome').hidden = true;
        byId('toolbar').hidden = false;
        const {format, dialect, triangles, diagnostics, clips} = model;
        Object.assign(this.state, {name: model.name, format, dialect, triangles, clips: clips.map(({name}) => name), selection: null,
            findings: diagnostics.filter(({severity}) => severity === 'error' || severity === 'warning').length});
        if (this.scene) {
            if (model.glb)
                await this.scene.show(model.glb);
            else
                this.scene.clear();
        }
        this.showClips(clips);
        this.showOnly(model);
        for (const name of ['bytes', 'findings', 'convert', 'compare', 'parts'])
            this.panels[name].show(model, file);
        this.say(model.glb ? texts.ready(model.name, [format?.toUpperCase(), dialect].filter(Boolean).join(' '), triangles)
            : texts.noModel(model.name, model.message));
        await this.redraw();
        this.state.ready = true;
    }

    showOnly({parts}) {
        const view = texts.view, entries = [['', view.only]];
        for (const {part, index, name} of parts)
            if (part === 'primitive' || part === 'material')
                entries.push([`${part} ${index}`, texts.part(part, index, name)]);
        this.only.replaceChildren(...entries.map(([value, text]) => make('option', {value}, text)));
    }

    showClips(clips) {
        byId('timeline').hidden = !clips.length;
        this.clip.replaceChildren(...clips.map(({name}, index) => make('option', {value: index}, `${index} ${name ?? ''}`)));
        if (clips.length) {
            this.chooseClip(0);
            if (this.scene?.mayPlayAtOnce && this.model.glb && !navigator.webdriver)
                this.playOrPause();
        }
    }

    chooseClip(index) {
        this.clipIndex = index;
        this.clip.value = index;
        this.time.max = this.model.clips[index].duration || 1;
        this.scene?.choose(index);
        this.showTime(0, false);
        this.redraw();
    }

    playOrPause() {
        if (!this.scene || !this.model?.clips.length)
            return;
        if (this.scene.playing)
            this.scene.stop();
        else
            this.scene.play();
        this.showTime(this.scene.time, this.scene.playing);
    }

    seek(seconds) {
        this.scene?.stop();
        this.scene?.seek(seconds);
        this.showTime(seconds, false);
        this.redraw();
    }

    showTime(time, playing) {
        this.state.time = time;
        this.time.value = time;
        this.seconds.textContent = `${time.toFixed(2)} s`;
        this.play.textContent = playing ? texts.view.pause : texts.view.play;
    }

    // ---- Stele's own picture: what there is without WebGL, and the exact one

    async redraw() {
        if (this.model && (!this.scene || this.exact.getAttribute('aria-pressed') === 'true'))
            await this.drawExact();
    }

    async showExact(on) {
        byId('picture').hidden = !on && Boolean(this.scene);
        if (on)
            await this.drawExact();
    }

    async drawExact() {
        const image = byId('picture'), {clientWidth, clientHeight} = byId('stage');
        if (!this.model.triangles && !this.model.glb)
            return;
        const posed = this.model.clips.length ? {clip: this.clipIndex ?? 0, time: this.state.time ?? 0} : {};
        const {width, height, pixels} = await this.ask('render', {width: Math.max(64, clientWidth), height: Math.max(64, clientHeight), ...posed, ...this.turn});
        const canvas = make('canvas', {width, height});
        canvas.getContext('2d').putImageData(new ImageData(pixels, width, height), 0, 0);
        const url = URL.createObjectURL(await new Promise((resolve) => canvas.toBlob(resolve)));
        URL.revokeObjectURL(image.src);
        image.src = url;
        image.alt = texts.ready(this.model.name, this.model.format ?? '', this.model.triangles);
        image.hidden = false;
        image.classList.toggle('alone', !this.scene);
        this.state.picture = (this.state.picture ?? 0) + 1;
    }

    listenForTurning() {
        const image = byId('picture');
        let from = null;
        image.addEventListener('pointerdown', (event) => { from = [event.clientX, event.clientY]; event.preventDefault(); });
        image.addEventListener('pointerup', (event) => {
            if (!from || this.scene)
                return;
            const {yaw = 30, pitch = 20} = this.turn ?? {};
            this.turn = {yaw: yaw - (event.clientX - from[0]) / 3, pitch: Math.min(Math.max(pitch + (event.clientY - from[1]) / 3, -89), 89)};
            from = null;
            this.redraw();
        });
    }

    // ---- From the model to its bytes, and back

    async picked(hit) {
        if (!hit) {
            this.scene.mark([]);
            this.panels.bytes.mark(null, []);
            return;
        }
        if (hit.node !== undefined) {
            await this.showPart({part: 'node', index: hit.node, name: this.model.parts.find(({part, index}) => part === 'node' && index === hit.node)?.name});
            this.scene.mark([], [hit.node]);
            return;
        }
        const place = await this.ask('triangle', hit);
        const vertex = hit.vertex === null || hit.vertex === undefined ? null : place.vertices[hit.vertex];
        const ranges = vertex ?? (place.indices.length ? place.indices : place.vertices.flat());
        this.scene.mark([{mesh: hit.mesh, primitive: hit.primitive, triangles: [hit.triangle]}]);
        this.showTab('bytes');
        await this.panels.bytes.mark((vertex ? texts.vertex : texts.triangle)(hit.primitive, vertex ? hit.vertex : hit.triangle), ranges);
        this.state.picked = {...hit, place};
    }

    async showPart({part, index, name}) {
        const place = await this.ask('part', {part, index}), what = texts.part(part, index, name);
        this.showTab('bytes');
        await this.panels.bytes.mark(place ? what : texts.nowhere(what), place ? [place] : []);
        if (part === 'node')
            this.scene?.mark([], [index]);
    }

    async showPlace({offset, path, unpacked}) {
        this.showTab('bytes');
        const size = 1;
        if (offset !== null && offset !== undefined)
            await this.panels.bytes.mark(path ?? '', [{file: this.model.name, offset, size, unpacked}]);
    }

    async patch(file, offset, bytes) {
        const changed = (this.model.patched ?? 0) + bytes.length;
        const model = await this.ask('patch', {file, offset, bytes});
        model.patched = changed;
        await this.showModel(model, file);
        await this.panels.bytes.mark(texts.changed(changed), [{file, offset, size: bytes.length}]);
    }
}

// ---- Starting: everything the page needs is in it

async function unpacked(id) {
    const bytes = Uint8Array.from(atob(byId(id).textContent), (c) => c.charCodeAt(0));
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
}

async function bytesAt(address) {
    return new Uint8Array(await (await fetch(address)).arrayBuffer());
}

async function begin() {
    const served = location.search === '?view'; // by `stele view`
    const [wasm, worker] = await Promise.all([served ? bytesAt('stele.wasm') : unpacked('wasm'), unpacked('worker')]);
    const url = URL.createObjectURL(new Blob([worker], {type: 'text/javascript'}));
    const app = new App({wasm, worker: () => new Worker(url)});
    const {formats} = await app.engine.ready;
    app.panels.convert.setFormats(formats);
    window.stele = {state: () => structuredClone(app.state), app};
    if (byId('models'))
        await app.take(await enclosed());
    else if (served)
        await beServed(app);
    return app;
}

// Models that are in the page itself.
async function enclosed() {
    return Promise.all(JSON.parse(byId('models').textContent).map(async ({name, id}) =>
        ({path: name, file: new File([await unpacked(id)], name)})));
}

// The files that were given, and again whenever one of them changes.
async function beServed(app) {
    const fetchAll = async () => Promise.all((await (await fetch('models.json')).json()).map(async (name, number) =>
        ({path: name, file: new File([await bytesAt(`file/${number}`)], name)})));
    new EventSource('events').onmessage = async () => app.take(await fetchAll());
    await app.take(await fetchAll());
}

begin().catch((error) => { byId('status').textContent = texts.failure(error.message); });
