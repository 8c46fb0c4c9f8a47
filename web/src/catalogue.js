// A folder as a catalogue: small pictures, drawn by workers of their own while the page goes on.
import {choice, make} from './dom.js';
import {besideOf, bytesOf} from './files.js';
import {texts} from './texts.js';

const size = 160;

export class CataloguePanel {
    constructor(app, engines) {
        this.app = app;
        this.engines = engines;
        this.entries = [];
        this.search = make('input', {type: 'search', placeholder: texts.search, 'aria-label': texts.search, oninput: () => this.arrange()});
        this.sort = choice(texts.sort, Object.entries(texts.sorts), () => this.arrange());
        this.number = make('p', {role: 'status'});
        this.grid = make('div', {className: 'catalogue'});
        this.panel = make('section', {}, make('div', {className: 'row'}, this.search, this.sort), this.number, this.grid);
    }

    set(models, files) {
        this.files = files;
        this.entries = models.map((model) => this.entry(model));
        this.arrange();
        this.round = (this.round ?? 0) + 1;
        const queue = [...this.entries];
        this.engines().forEach((engine) => this.work(engine, queue, this.round));
    }

    entry(model) {
        const canvas = make('canvas', {width: size, height: size, 'aria-hidden': 'true'});
        const facts = make('small', {}, texts.bytes(model.file.size));
        const button = make('button', {type: 'button', onclick: () => this.app.openModel(model)}, canvas,
            model.path.slice(model.path.lastIndexOf('/') + 1), facts);
        return {model, canvas, facts, button, size: model.file.size, triangles: -1, findings: -1, words: model.path.toLowerCase()};
    }

    async work(engine, queue, round) {
        await engine.ready;
        for (let entry = queue.shift(); entry && round === this.round; entry = queue.shift()) {
            const files = await Promise.all(besideOf(entry.model, this.files).slice(0, 64).map(bytesOf));
            try {
                this.fill(entry, await engine.ask('thumbnail', {files, name: entry.model.path, size}));
            } catch (error) {
                entry.facts.textContent = error.message;
                entry.findings = Infinity;
                engine.restart();
                await engine.ready;
            }
        }
        this.arrange();
    }

    fill(entry, {format, triangles, findings, clips, pixels}) {
        Object.assign(entry, {triangles, findings, done: true});
        entry.words += ` ${format} ${clips ? 'animated' : ''} ${findings ? 'findings' : ''}`;
        entry.facts.textContent = `${(format ?? '?').toUpperCase()}, ${texts.bytes(entry.size)}, ${triangles.toLocaleString('en')} △`;
        if (pixels)
            entry.canvas.getContext('2d').putImageData(new ImageData(pixels, size, size), 0, 0);
        this.app.state.thumbnails = this.entries.filter(({done}) => done).length;
    }

    arrange() {
        const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean), by = this.sort.value || 'name';
        const shown = this.entries.filter((entry) => words.every((word) => entry.words.includes(word)));
        if (by !== 'name')
            shown.sort((a, b) => b[by] - a[by]);
        this.shown = shown;
        this.number.textContent = texts.models(shown.length);
        this.grid.replaceChildren(...shown.map(({button}) => button));
    }

    current(model) {
        for (const entry of this.entries)
            entry.button.setAttribute('aria-current', String(entry.model === model));
    }

    // The one before or after, as they are arranged.
    step(model, by) {
        const now = this.shown.findIndex((entry) => entry.model === model);
        return this.shown[(now + by + this.shown.length) % this.shown.length]?.model ?? null;
    }
}
