// What lies beside the model: bytes, findings, conversion, comparison, parts. Each is an object with a panel, and shows the current model.
import {Fields, Hex, bytesTyped} from './bytes.js';
import {choice, make} from './dom.js';
import {save, zipped} from './files.js';
import {texts} from './texts.js';

// ---- Bytes

export class BytesPanel {
    constructor(app) {
        this.app = app;
        this.selection = make('p', {id: 'selection', role: 'status'});
        this.files = choice(texts.file, [], (file) => this.showFile(file));
        this.find = make('input', {type: 'search', placeholder: texts.filterFields, 'aria-label': texts.filterFields,
            oninput: () => this.fields.filter(this.find.value)});
        const list = make('div', {className: 'fields', role: 'listbox', tabIndex: 0, 'aria-label': texts.fields});
        const grid = make('div', {className: 'hex', role: 'grid', tabIndex: 0, 'aria-label': texts.hex});
        this.value = make('input', {type: 'text', 'aria-label': texts.edit, title: texts.editHint, placeholder: texts.editHint,
            onkeydown: (event) => event.key === 'Enter' && this.change()});
        this.apply = make('button', {type: 'button', onclick: () => this.change()}, texts.apply);
        this.save = make('button', {type: 'button', hidden: true, onclick: () => this.saveFile()}, texts.savePatched);
        this.panel = make('section', {}, make('div', {className: 'row'}, this.files, this.find), list, this.selection, grid,
            make('div', {className: 'row'}, this.value, this.apply, this.save));
        this.fields = new Fields(list, {onSelect: (field) => this.selectField(field), onHover: (field) => this.hover(field)});
        this.hex = new Hex(grid, {
            fetch: async (begin, end) => (await app.ask('bytes', {file: this.file, begin, end})).bytes,
            onSelect: (offset) => this.selectByte(offset),
            onHover: (offset) => this.hover(this.hex.fieldAt(offset), offset),
        });
    }

    show(model, keep = null) {
        this.model = model;
        this.files.replaceChildren(...model.files.map((file) => make('option', {value: file}, file)));
        this.showFile(keep ?? model.name);
        this.save.hidden = !model.patched;
    }

    // Fields are those of the model's file; others are bytes only.
    async showFile(file) {
        this.file = this.files.value = file;
        const own = file === this.model.name, {size} = await this.app.ask('bytes', {file, begin: 0, end: 0});
        const fields = own ? this.model.fields : [];
        this.fields.set(fields);
        this.hex.set(size, fields);
    }

    // [{file, offset, size}], all of one file as far as they are shown
    async mark(what, ranges) {
        const inside = ranges.some(({unpacked}) => unpacked);
        if (!ranges.length || inside) { // places in unpacked content are none in the file
            this.hex.mark([]);
            this.app.state.selection = null;
            this.selection.textContent = inside ? texts.inside(what) : what ?? '';
            return;
        }
        const {file} = ranges[0];
        if (file !== this.file)
            await this.showFile(file);
        const here = ranges.filter((range) => range.file === file).map((range) => ({...range, size: range.size || this.sizeAt(range.offset)}));
        this.hex.mark(here);
        this.fields.select(this.hex.fieldAt(here[0].offset));
        this.app.state.selection = {what, file, ranges: here.map(({offset, size}) => ({offset, size}))};
        this.selection.textContent = texts.selected(what, here.map(({offset, size}) => texts.range(offset, size)).slice(0, 6).join('; '));
        this.setValue(here[0]);
    }

    // A part has no size of its own: that of its first field.
    sizeAt(offset) {
        const field = this.hex.fieldAt(offset);
        return field ? Math.min(field.offset + field.size - offset, rowOf(field) || field.size) : 1;
    }

    setValue({offset, size}) {
        this.target = {offset, size};
        const field = this.hex.fieldAt(offset);
        this.value.value = field && field.offset === offset && field.size <= 8 && typeof field.value === 'number' ? String(field.value) : '';
    }

    async selectField(field) {
        await this.mark(field.path, [{file: this.file, offset: field.offset, size: field.size}]);
        await this.light(field.offset, field.offset + field.size, true);
    }

    async selectByte(offset) {
        const field = this.hex.fieldAt(offset), row = field ? rowOf(field) : 0;
        const begin = row ? field.offset + Math.floor((offset - field.offset) / row) * row : field ? field.offset : offset;
        const size = row || field?.size || 1;
        await this.mark(field?.path ?? '', [{file: this.file, offset: row || !field?.size || field.size > 64 ? (row ? begin : offset) : begin,
            size: row ? size : field?.size > 64 ? 1 : size}]);
        await this.light(offset, offset + 1, true);
    }

    hover(field, offset = null) {
        if (!field || field === this.hovered)
            return;
        this.hovered = field;
        clearTimeout(this.waiting);
        this.waiting = setTimeout(() => this.light(offset ?? field.offset, offset === null ? field.offset + field.size : offset + 1, false), 60);
    }

    async light(begin, end, say) {
        const found = await this.app.ask('elements', {file: this.file, begin, end});
        this.app.scene?.mark([...found.triangles, ...found.vertices], found.nodes);
        const sum = (list, key) => list.reduce((total, one) => total + one[key].length, 0);
        this.app.state.lit = {triangles: sum(found.triangles, 'triangles'), vertices: sum(found.vertices, 'vertices'), nodes: found.nodes.length};
        if (say)
            this.selection.textContent += ` — ${texts.lit(this.app.state.lit.triangles, this.app.state.lit.vertices, this.app.state.lit.nodes)}`;
    }

    // ---- Changing

    async change() {
        const field = this.target && this.hex.fieldAt(this.target.offset);
        const bytes = this.target ? bytesTyped(this.value.value, field?.type, this.target.size) : null;
        if (!bytes) {
            this.app.say(texts.badValue);
            return;
        }
        await this.app.patch(this.file, this.target.offset, bytes);
    }

    async saveFile() {
        save(this.file.slice(this.file.lastIndexOf('/') + 1), await this.app.ask('whole', {file: this.file}));
    }
}

// The bytes of one row, or 0 if the field has none.
function rowOf(field) {
    return field.value?.stride && field.value.count > 1 ? field.value.stride : 0;
}

// ---- Findings

function finding(app, {severity, id, path, text, offset, unpacked, count: times}) {
    const place = offset === null || offset === undefined ? path : `0x${offset.toString(16)} ${path ?? ''}`;
    return make('li', {}, make('button', {type: 'button', 'data-severity': severity,
        onclick: () => app.showPlace({path, offset, unpacked})},
        make('b', {}, `${texts.severities[severity] ?? severity}: `), `${text}${texts.times(times ?? 1)}`,
        make('small', {}, `${place} [${id}]`)));
}

export class FindingsPanel {
    constructor(app) {
        this.app = app;
        this.list = make('ul', {className: 'findings'});
        this.none = make('p', {});
        this.panel = make('section', {}, this.none, this.list);
    }

    show(model) {
        this.none.textContent = model.diagnostics.length ? '' : texts.noFindings;
        this.list.replaceChildren(...model.diagnostics.map((one) => finding(this.app, one)));
    }
}

// ---- Convert

export class ConvertPanel {
    constructor(app) {
        this.app = app;
        this.format = choice(texts.convertTo, [], () => this.preview());
        this.embed = make('input', {type: 'checkbox', checked: true, onchange: () => this.preview()});
        this.outcome = make('p', {role: 'status'});
        this.list = make('ul', {className: 'findings'});
        this.button = make('button', {type: 'button', disabled: true, onclick: () => this.download()}, texts.download);
        this.panel = make('section', {}, make('div', {className: 'row'}, make('label', {}, `${texts.convertTo} `, this.format), this.button),
            make('label', {}, this.embed, ` ${texts.embed}`), this.outcome, this.list);
    }

    setFormats(formats) {
        this.format.replaceChildren(...formats.filter((format) => format.writes !== false).map(({name, description}) =>
            make('option', {value: name}, description ? `${name.toUpperCase()} — ${description}` : name.toUpperCase())));
        this.format.value = 'glb';
    }

    show(model) {
        this.model = model;
        this.files = null;
        if (!this.panel.hidden)
            this.preview();
    }

    async preview() {
        if (!this.model)
            return;
        const {files, error, diagnostics} = await this.app.ask('convert', {format: this.format.value, textures: this.embed.checked ? 'embed' : 'copy'});
        const losses = diagnostics.filter(({severity}) => severity === 'loss' || (error && severity === 'error'));
        this.files = files;
        this.outcome.textContent = error ? `${texts.cannotConvert} ${error}` : losses.length ? texts.losses : texts.noLosses;
        this.list.replaceChildren(...losses.map((one) => finding(this.app, one)));
        this.button.disabled = !files.length;
        this.button.textContent = files.length > 1 ? texts.downloadZip(files.length) : texts.download;
        this.app.state.losses = losses.map(({id}) => id);
    }

    async download() {
        if (this.files.length === 1)
            save(this.files[0].name, this.files[0].bytes);
        else
            save(`${this.files[0].name}.zip`, zipped(this.files), 'application/zip');
    }
}

// ---- Compare

export class ComparePanel {
    constructor(app) {
        this.app = app;
        this.input = make('input', {type: 'file', multiple: true, id: 'compare-files', onchange: () => this.open()});
        this.outcome = make('p', {role: 'status'}, texts.compareHint);
        this.list = make('ul', {className: 'findings'});
        this.panel = make('section', {}, make('label', {className: 'button'}, this.input, make('span', {}, texts.compareWith)), this.outcome, this.list);
    }

    show() {
        this.outcome.textContent = texts.compareHint;
        this.list.replaceChildren();
    }

    async open() {
        const other = await this.app.openOther(this.input);
        if (!other)
            return;
        const differences = await this.app.ask('diff', {other: other.session});
        const farthest = other.glb && this.app.scene ? await this.app.scene.colorByDistance(other.glb) : null;
        this.outcome.textContent = `${differences.length ? '' : texts.same} ${farthest === null ? texts.sameTopology : texts.distance(farthest.toPrecision(3))}`;
        this.list.replaceChildren(...differences.map(({path, a, b, error}) =>
            make('li', {}, make('b', {}, `${path}: `), a === null ? error.toPrecision(3) : texts.differs(a, b))));
        this.app.state.differences = differences.length;
        await this.app.engine.ask('close', {session: other.session});
    }
}

// ---- Parts: everything with a name, each leads to its bytes

const mostParts = 500;

export class PartsPanel {
    constructor(app) {
        this.app = app;
        this.panel = make('section', {});
        this.box = make('div', {className: 'parts'});
        this.panel.append(this.box);
    }

    show({parts}) {
        const kinds = Object.entries(texts.parts).map(([kind, title]) => [title, parts.filter(({part}) => part === kind)]);
        this.box.replaceChildren(...kinds.filter(([, list]) => list.length).flatMap(([title, list]) => [
            make('h2', {}, title), ...list.slice(0, mostParts).map((one) => make('button', {type: 'button', onclick: () => this.app.showPart(one)},
                `${one.index} ${one.name ?? ''}`)),
        ]));
    }
}
