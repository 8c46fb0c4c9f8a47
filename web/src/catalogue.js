// A folder as a catalogue: small pictures, drawn by workers of their own while the page goes on.
import {choice, make} from './dom.js';
import {texts} from './texts.js';

const size = 160;

export class CataloguePanel {
    constructor(app, engines) {
        this.app = app;
        this.engines = engines;
        this.entries = [];
        this.search = make('input', {type: 'search', placeholder: texts.search, 'aria-label': texts.searchLabel, oninput: () => this.arrange()});
        this.sort = choice(texts.sort, Object.entries(texts.sorts), () => this.arrange());
        this.number = make('p', {role: 'status', className: 'hint'}, texts.noModels);
        this.grid = make('div', {className: 'catalogue'});
        this.panel = make('section', {}, make('div', {className: 'row'}, this.search, this.sort), this.number, this.grid);
    }

    set(models, files) {
        this.entries = models.map((model) => this.entry(model));
        this.arrange();
        this.round = (this.round ?? 0) + 1;
        this.app.state.thumbnails = 0;
        if (models.length < 2) // which is shown anyway
            return;
        const queue = [...this.entries];
        this.engines().forEach((engine) => this.work(engine, files, queue, this.round));
    }

    entry(model) {
        const canvas = make('canvas', {width: size, height: size, 'aria-hidden': 'true'});
        const facts = make('small', {}, texts.bytes(model.file.size));
        const button = make('button', {type: 'button', title: model.path, onclick: () => this.app.openModel(model)}, canvas,
            make('span', {}, model.path.slice(model.path.lastIndexOf('/') + 1)), facts);
        return {model, canvas, facts, button, size: model.file.size, triangles: -1, findings: -1, words: model.path.toLowerCase()};
    }

    async work(engine, files, queue, round) {
        await engine.ready;
        await engine.give(files);
        for (let entry = queue.shift(); entry && round === this.round; entry = queue.shift()) {
            try {
                this.fill(entry, await engine.ask('thumbnail', {name: entry.model.path, size}));
            } catch (error) { // a worker that failed may be in any state
                entry.facts.textContent = error.message;
                Object.assign(entry, {findings: Infinity, done: true});
                engine.restart();
                await engine.ready;
            }
            if (round === this.round)
                this.app.state.thumbnails = this.entries.filter(({done}) => done).length;
        }
        if (round === this.round)
            this.arrange();
    }

    fill(entry, {format, dialect, triangles, findings, clips, skinned, textured, pixels}) {
        const {properties} = texts, also = [[clips, properties.animated], [skinned, properties.skinned], [textured, properties.textured],
            [findings, properties.findings], [!findings, properties.fine]].filter(([is]) => is).map(([, word]) => word);
        Object.assign(entry, {triangles, findings, done: true});
        entry.words += ` ${format} ${dialect} ${also.join(' ')}`.toLowerCase();
        entry.facts.textContent = texts.facts((format ?? '?').toUpperCase(), entry.size, triangles, findings);
        entry.button.classList.toggle('serious', findings > 0);
        if (pixels)
            entry.canvas.getContext('2d').putImageData(new ImageData(pixels, size, size), 0, 0);
    }

    arrange() {
        const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean), by = this.sort.value || 'name';
        const shown = this.entries.filter((entry) => words.every((word) => entry.words.includes(word)));
        if (by !== 'name')
            shown.sort((a, b) => b[by] - a[by]);
        this.shown = shown;
        this.number.textContent = this.entries.length ? texts.models(shown.length) : texts.noModels;
        this.grid.replaceChildren(...shown.map(({button}) => button));
    }

    current(model) {
        for (const entry of this.entries)
            entry.button.setAttribute('aria-current', String(entry.model === model));
        this.entries.find((entry) => entry.model === model)?.button.scrollIntoView({block: 'nearest'});
    }

    // The one before or after, as they are arranged.
    step(model, by) {
        const now = this.shown.findIndex((entry) => entry.model === model);
        return this.shown[(now + by + this.shown.length) % this.shown.length]?.model ?? null;
    }
}
