// The page: takes files, asks the worker, shows what it says.
import {CataloguePanel} from './catalogue.js';
import {byId, choice, make, tabs, toggle} from './dom.js';
import {Engine} from './engine.js';
import {filesOfInput, filesOfTransfer, modelsAmong} from './files.js';
import {BytesPanel, ComparePanel, ConvertPanel, FindingsPanel, PartsPanel} from './panels.js';
import {Scene} from './scene.js';
import {texts} from './texts.js';

const still = matchMedia('(prefers-reduced-motion: reduce)');
const straight = {yaw: -29, pitch: 20, distance: 1.25}; // as three.js frames it

class App {
    constructor(start) {
        this.start = start;
        this.state = {ready: false, name: null, format: null, dialect: null, triangles: 0, clips: [], findings: 0, selection: null};
        this.engine = new Engine(start);
        this.makeScene();
        this.makePanels();
        this.makeToolbar();
        this.listen();
    }

    // ---- Making the page

    makeScene() {
        try {
            this.scene = new Scene(byId('canvas'), {onPick: (hit) => this.picked(hit), onTurn: () => this.redraw()});
        } catch {
            this.scene = null;
            this.say(texts.noWebgl);
        }
        byId('canvas').setAttribute('aria-label', texts.canvas);
        byId('canvas').hidden = !this.scene;
        byId('welcome-drop').textContent = texts.welcome;
        byId('welcome-more').textContent = texts.welcomeMore;
        byId('welcome-private').textContent = texts.welcomePrivate;
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
        const {view} = texts;
        this.options = {grid: true, environment: !this.scene?.isSlow};
        this.scene?.apply(this.options);
        const apply = () => { this.scene?.apply(this.options); this.redraw(); };
        const switches = ['skeleton', 'wireframe', 'bounds', 'grid', 'environment'].map((name) =>
            toggle(view[name], Boolean(this.options[name]), (on) => { this.options[name] = on; apply(); }));
        const surface = choice(view.surface, Object.entries(texts.surfaces), (value) => { this.options.surface = value; apply(); });
        this.only = choice(view.only, [['', view.everything]], (value) => { this.showOne(value); apply(); });
        const background = choice(view.background, Object.entries(texts.backgrounds), (value) => { byId('stage').dataset.background = value; });
        this.exact = toggle(view.exact, false, (on) => this.showExact(on));
        byId('toolbar').append(make('button', {type: 'button', title: view.frameHint, onclick: () => this.frame()}, view.frame), ...switches, surface,
            this.only, background, this.exact);
        this.makeTimeline();
    }

    // '', 'primitive 2' or 'material 0'
    showOne(value) {
        const [kind, index] = value.split(' ');
        this.options.only = value ? (data) => (kind === 'primitive' ? data.number : data.material) === Number(index) : null;
    }

    makeTimeline() {
        const {view} = texts;
        this.speed = 1;
        this.loop = true;
        this.play = make('button', {type: 'button', onclick: () => this.playOrPause()}, view.play);
        this.clip = choice(view.clip, [], (value) => this.chooseClip(Number(value)));
        this.time = make('input', {type: 'range', min: 0, max: 1, step: 'any', value: 0, 'aria-label': view.time, oninput: () => this.seek(Number(this.time.value))});
        this.seconds = make('output', {}, texts.seconds(0));
        const speed = choice(view.speed, [['1', '1×'], ['0.5', '½×'], ['0.25', '¼×'], ['2', '2×']], (value) => { this.speed = Number(value); });
        const loop = toggle(view.loop, true, (on) => { this.loop = on; });
        byId('timeline').append(this.play, this.clip, this.time, this.seconds, speed, loop);
    }

    frame() {
        this.scene?.frame();
        this.turn = {...straight};
        this.redraw();
    }

    listen() {
        const stage = document.body;
        byId('label-files').lastElementChild.textContent = texts.openFiles;
        byId('label-folder').lastElementChild.textContent = texts.openFolder;
        for (const id of ['files', 'folder'])
            byId(id).addEventListener('change', ({target}) => {
                const files = filesOfInput(target);
                target.value = ''; // so that the same can be chosen again
                if (files.length)
                    this.take(files);
            });
        byId('cancel').textContent = texts.cancel;
        byId('cancel').addEventListener('click', () => this.cancel());
        for (const [id, by] of [['previous', -1], ['next', 1]]) {
            byId(id).setAttribute('aria-label', texts[id]);
            byId(id).addEventListener('click', () => this.step(by));
        }
        stage.addEventListener('dragover', (event) => { event.preventDefault(); byId('stage').classList.add('over'); });
        stage.addEventListener('dragleave', (event) => { if (!event.relatedTarget) byId('stage').classList.remove('over'); });
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
        // who asks of a model that is gone needs no answer
        addEventListener('unhandledrejection', (event) => event.reason?.message === 'cancelled' && event.preventDefault());
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

    // How many of the steps are done; null when there is nothing to do.
    working(step) {
        byId('progress').hidden = byId('cancel').hidden = step === null;
        byId('progress').value = step ?? 0;
    }

    // Nothing of it is left: back to where files are taken.
    cancel() {
        this.engine.restart();
        this.forget();
        this.say(texts.cancelled);
    }

    forget() {
        this.model = this.entry = null;
        this.scene?.clear();
        this.scene?.invalidate();
        this.working(null);
        document.body.classList.add('empty');
        byId('toolbar').hidden = byId('timeline').hidden = byId('picture').hidden = true;
        Object.assign(this.state, {ready: false, name: null, format: null, dialect: null, triangles: 0, clips: [], findings: 0, selection: null});
    }

    // ---- Files

    async take(files, again = false) {
        const {formats} = await this.engine.ready;
        const models = modelsAmong(files, formats), before = again && models.find(({path}) => path === this.entry?.path);
        if (!models.length) {
            this.say(texts.noFile);
            if (files.length !== 1)
                return;
        }
        await this.engine.give(files);
        byId('steps').hidden = models.length < 2;
        this.panels.catalogue.set(models.length ? models : files, files);
        if (models.length > 1 && !again)
            this.showTab('catalogue');
        await this.openModel(before || (models[0] ?? files[0]), Boolean(before));
    }

    // What came first may be done last: only the newest counts.
    async openModel(entry, again = false) {
        this.entry = entry;
        this.state.ready = false;
        this.panels.catalogue.current(entry);
        const before = this.model, model = await this.opened({name: entry.path});
        if (!model)
            return;
        if (this.entry !== entry) {
            await this.engine.ask('close', {session: model.session});
            return;
        }
        await this.showModel(model, {again});
        if (before)
            await this.engine.ask('close', {session: before.session});
    }

    // What the worker says of a file, or null if it could not be had.
    async opened({name, files}) {
        this.say(texts.opening(name));
        this.working(0);
        try {
            return await this.engine.ask('open', {name, files}, (step) => this.working(step));
        } catch (error) {
            if (error.message !== 'cancelled')
                this.say(texts.failure(error.message));
            return null;
        } finally {
            this.working(null);
        }
    }

    async mainOf(files) {
        const {formats} = await this.engine.ready, [main] = modelsAmong(files, formats);
        if (!main)
            this.say(texts.noFile);
        return main ?? null;
    }

    step(by) {
        const next = this.entry && this.panels.catalogue.entries.length > 1 ? this.panels.catalogue.step(this.entry, by) : null;
        if (next)
            this.openModel(next);
    }

    ask(operation, args) {
        if (!this.model)
            return Promise.reject(new Error('cancelled'));
        return this.engine.ask(operation, {session: this.model.session, ...args});
    }

    // ---- The model

    // Again: the same model, changed; what can stay as it was stays.
    async showModel({glb, images, ...model}, {again = false, file = null} = {}) {
        const clip = again ? this.clipIndex : 0, time = again ? this.state.time : 0;
        this.model = {...model, drawn: Boolean(glb)};
        document.body.classList.remove('empty');
        byId('toolbar').hidden = false;
        const {format, dialect, triangles, diagnostics, clips} = model, serious = diagnostics.filter(({severity}) => severity === 'error' || severity === 'warning');
        Object.assign(this.state, {name: model.name, format, dialect, triangles, clips: clips.map(({name}) => name), selection: null, findings: serious.length});
        byId('tab-findings').textContent = texts.tabs.findings + (diagnostics.length ? ` ${diagnostics.length}` : '');
        byId('tab-findings').classList.toggle('serious', serious.length > 0);
        this.showOnly(model);
        const trouble = this.scene && glb ? await this.scene.show({glb, images}, again).then(() => null, (error) => error) : null;
        if (trouble || !glb)
            this.scene?.clear();
        this.showClips(trouble ? [] : clips, clip, time);
        for (const name of ['findings', 'convert', 'compare', 'parts'])
            this.panels[name].show(this.model);
        await this.panels.bytes.show(this.model, file ?? (again ? this.panels.bytes.file : null));
        this.sayWhat();
        if (trouble) // files that are fine for Stele need not be for three.js
            this.say(texts.failure(trouble.message));
        byId('picture').hidden = true;
        await this.redraw();
        this.state.ready = true;
    }

    // What is shown, in one line.
    sayWhat() {
        const {name, format, dialect, triangles, size, drawn, message} = this.model;
        this.say(drawn ? texts.ready(name, [format?.toUpperCase(), dialect].filter(Boolean).join(' '), triangles, texts.bytes(size)) : texts.noModel(name, message));
    }

    showOnly({parts}) {
        const {view} = texts, entries = [['', view.everything]], before = this.only.value;
        for (const {part, index, name} of parts)
            if (part === 'primitive' || part === 'material')
                entries.push([`${part} ${index}`, texts.part(part, index, name)]);
        this.only.replaceChildren(...entries.map(([value, text]) => make('option', {value}, text)));
        this.only.value = entries.some(([value]) => value === before) ? before : '';
        this.showOne(this.only.value);
        this.scene?.apply(this.options);
    }

    showClips(clips, clip, time) {
        byId('timeline').hidden = !clips.length;
        this.clip.replaceChildren(...clips.map(({name}, index) => make('option', {value: index}, `${index} ${name ?? ''}`)));
        this.pause();
        this.clipIndex = 0;
        this.state.time = 0;
        if (!clips.length)
            return;
        this.chooseClip(Math.min(clip ?? 0, clips.length - 1));
        if (time)
            this.seek(Math.min(time, this.duration));
        else if (this.scene && this.model.drawn && !still.matches)
            this.playOrPause();
    }

    get duration() {
        return this.model.clips[this.clipIndex]?.duration || 1;
    }

    // Goes on playing if it does.
    chooseClip(index) {
        this.clipIndex = index;
        this.clip.value = index;
        this.time.max = this.duration;
        this.scene?.choose(index);
        this.showTime(0, this.playing);
        this.redraw();
    }

    playOrPause() {
        if (this.playing) {
            this.pause();
            return;
        }
        if (!this.model?.clips.length)
            return;
        this.playing = true;
        this.showTime(this.state.time >= this.duration ? 0 : this.state.time ?? 0, true);
        this.goOn(performance.now());
    }

    pause() {
        this.playing = false;
        this.play.textContent = texts.view.play;
    }

    // From frame to frame: by three.js where it draws, otherwise picture by picture.
    goOn(before) {
        requestAnimationFrame(async (now) => {
            if (!this.playing)
                return;
            const time = this.state.time + Math.min(Math.max(now - before, 0), 250) / 1000 * this.speed;
            this.playing = this.loop || time < this.duration;
            this.moveTo(time < this.duration ? time : this.loop ? time % this.duration : this.duration);
            if (!this.scene || this.isExact)
                await this.drawExact();
            this.goOn(now);
        });
    }

    seek(seconds) {
        this.pause();
        this.moveTo(seconds);
        this.redraw();
    }

    moveTo(seconds) {
        this.scene?.seek(seconds);
        this.showTime(seconds, this.playing);
    }

    showTime(time, playing) {
        this.state.time = time;
        this.time.value = time;
        this.seconds.textContent = texts.seconds(time);
        this.play.textContent = playing ? texts.view.pause : texts.view.play;
    }

    // ---- Stele's own picture: what there is without WebGL, and the exact one

    get isExact() {
        return this.exact.getAttribute('aria-pressed') === 'true';
    }

    async redraw() {
        if (!this.model?.drawn || (this.scene && !this.isExact))
            return;
        this.stale = true;
        if (this.drawing) // one after the other, and none that nobody waits for
            return;
        this.drawing = true;
        while (this.stale) {
            this.stale = false;
            await this.drawExact().catch((error) => this.say(texts.failure(error.message)));
        }
        this.drawing = false;
    }

    async showExact(on) {
        if (on)
            await this.redraw();
        else if (this.scene)
            byId('picture').hidden = true;
    }

    // With what the toolbar says, as far as the renderer has a word for it.
    get pictured() {
        const {skeleton: joints, wireframe, bounds, grid, surface} = this.options;
        const posed = this.model.clips.length ? {clip: this.clipIndex ?? 0, time: this.state.time ?? 0} : {};
        const {yaw, pitch, distance} = this.scene?.view ?? this.turn;
        return {...posed, yaw, pitch, distance, joints, wireframe, bounds, grid, normals: surface === 'normals', uvChecker: surface === 'checker', background: 'transparent'};
    }

    async drawExact() {
        const image = byId('picture'), {clientWidth, clientHeight} = byId('stage'), {model} = this;
        const {width, height, pixels} = await this.ask('render', {width: Math.max(64, clientWidth), height: Math.max(64, clientHeight), ...this.pictured});
        if (model !== this.model || (this.scene && !this.isExact))
            return;
        image.width = width;
        image.height = height;
        image.getContext('2d').putImageData(new ImageData(pixels, width, height), 0, 0);
        image.setAttribute('aria-label', this.scene ? texts.exactly(model.name) : texts.canvas);
        image.hidden = false;
        image.classList.toggle('alone', !this.scene);
        image.tabIndex = this.scene ? -1 : 0;
        this.state.picture = (this.state.picture ?? 0) + 1;
    }

    // Without WebGL the picture itself is turned: by dragging, by the wheel, by keys.
    listenForTurning() {
        const image = byId('picture'), turn = (yaw, pitch, nearer = 1) => {
            const {turn} = this;
            this.turn = {yaw: turn.yaw + yaw, pitch: Math.min(Math.max(turn.pitch + pitch, -89), 89), distance: Math.min(Math.max(turn.distance * nearer, 0.1), 10)};
            this.redraw();
        };
        this.turn = {...straight};
        image.addEventListener('pointerdown', (event) => image.setPointerCapture(event.pointerId));
        image.addEventListener('pointermove', (event) => event.buttons && turn(-event.movementX / 3, event.movementY / 3));
        image.addEventListener('wheel', (event) => { event.preventDefault(); turn(0, 0, event.deltaY > 0 ? 1.1 : 1 / 1.1); }, {passive: false});
        image.addEventListener('keydown', (event) => {
            const keys = {ArrowLeft: [-10, 0], ArrowRight: [10, 0], ArrowUp: [0, 10], ArrowDown: [0, -10], '+': [0, 0, 1 / 1.15], '=': [0, 0, 1 / 1.15], '-': [0, 0, 1.15]};
            if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey)
                return;
            turn(...keys[event.key]);
            event.preventDefault();
            event.stopPropagation();
        });
    }

    // ---- From the model to its bytes, and back

    async picked(hit) {
        const {bytes} = this.panels;
        if (!hit) {
            this.scene.mark([]);
            bytes.relate([]);
            await bytes.mark(null, []);
            return;
        }
        this.showTab('bytes');
        if (hit.node !== undefined) {
            bytes.relate([]);
            await this.showPart(this.named('node', hit.node));
            return;
        }
        const place = await this.ask('triangle', hit), wanted = hit.vertex === null || hit.vertex === undefined ? 0 : hit.vertex + 1;
        const choices = this.choicesOf(hit, place);
        bytes.relate(choices.map((one, i) => ({...one, pressed: i === wanted})));
        await choices[wanted].show();
        this.state.picked = {...hit, place};
    }

    // What a click may have meant: the triangle, one of its vertices, and what they are made of.
    choicesOf({mesh, primitive, triangle}, place) {
        const {bytes} = this.panels, mark = async (what, ranges, lit) => {
            await bytes.mark(what, ranges);
            bytes.kept = null;
            this.scene.mark([{mesh, primitive, ...lit}]);
        };
        const whole = place.indices.length ? place.indices : place.vertices.flat();
        return [
            {text: texts.chips.triangle(triangle), show: () => mark(texts.triangle(primitive, triangle), whole, {triangles: [triangle]})},
            ...place.numbers.map((vertex, corner) => ({text: texts.chips.vertex(vertex),
                show: () => mark(texts.vertex(primitive, vertex), place.vertices[corner], {vertices: [vertex]})})),
            ...[['node', place.joint], ['material', place.material], ...place.textures.map((texture) => ['texture', texture])]
                .filter(([, index]) => index !== null).map(([part, index]) => this.named(part, index))
                .map((part) => ({text: texts.part(texts.chips[part.part] ?? part.part, part.index, part.name), show: () => this.showPart(part)})),
        ];
    }

    named(part, index) {
        return this.model.parts.find((one) => one.part === part && one.index === index) ?? {part, index, name: null};
    }

    async showPart({part, index, name}) {
        const place = await this.ask('part', {part, index}), what = texts.part(part, index, name), {bytes} = this.panels;
        this.showTab('bytes');
        await bytes.mark(place ? what : texts.nowhere(what), place ? [place] : []);
        if (place)
            await bytes.light({...this.state.selection.ranges[0], path: place.path}, true);
        if (part === 'node')
            this.scene?.mark([], [index]);
    }

    async showPlace({offset, path, unpacked, text}) {
        this.showTab('bytes');
        this.panels.bytes.relate([]);
        const file = unpacked ? this.model.content?.name ?? this.model.name : this.model.name;
        if (offset === null || offset === undefined)
            await this.panels.bytes.mark(texts.nowhere(text), []);
        else
            await this.panels.bytes.mark(path ?? '', [{file, offset, size: 0, path}]);
    }

    async patch(file, {offset, size, type}, bytes) {
        const model = await this.ask('patch', {file, offset, bytes});
        await this.showModel(model, {again: true, file});
        await this.panels.bytes.mark(texts.changed(bytes.length), [{file, offset, size: bytes.length}]);
        await this.panels.bytes.edit({offset, size, type});
    }

    // Below two models that are compared, which is which.
    showCaptions(names) {
        byId('captions').hidden = !names.length;
        byId('captions').replaceChildren(...names.map((name) => make('span', {}, name)));
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
    new EventSource('events').onmessage = async () => app.take(await fetchAll(), true);
    await app.take(await fetchAll());
}

begin().catch((error) => { byId('status').textContent = texts.failure(error.message); });
