// What lies beside the model: bytes, findings, conversion, comparison, parts. Each is an object with a panel, and shows the current model.
import {Fields, Hex, bytesTyped, typedOf} from './bytes.js';
import {choice, make} from './dom.js';
import {filesOfInput, save, zipped} from './files.js';
import {texts} from './texts.js';

// ---- Bytes

const mostTyped = 64; // bytes that are offered to be changed at once

export class BytesPanel {
    constructor(app) {
        this.app = app;
        this.files = choice(texts.file, [], (file) => this.showFile(file));
        this.find = make('input', {type: 'search', placeholder: texts.filterFields, 'aria-label': texts.filterFields,
            oninput: () => this.fields.filter(this.find.value)});
        const list = make('div', {className: 'fields', role: 'tree', tabIndex: 0, 'aria-label': texts.fields});
        const grid = make('div', {className: 'hex', role: 'grid', tabIndex: 0, 'aria-label': texts.hex});
        this.selection = make('p', {id: 'selection', role: 'status'});
        this.related = make('p', {className: 'related', hidden: true});
        this.panel = make('section', {}, make('div', {className: 'row'}, this.files, this.find), list, this.selection, this.related, grid, this.makeEditor());
        this.fields = new Fields(list, {onSelect: (node) => this.selectField(node), onHover: (node) => this.hover(node)});
        this.hex = new Hex(grid, {
            fetch: async (begin, end) => (await app.ask('bytes', {file: this.file, begin, end})).bytes,
            onSelect: (offset) => this.selectByte(offset),
            onHover: (offset) => this.hover(offset === null ? null : this.rowAt(offset)),
        });
    }

    makeEditor() {
        this.value = make('input', {type: 'text', id: 'value', title: texts.editHint, disabled: true, onkeydown: (event) => event.key === 'Enter' && this.change()});
        this.valueOf = make('label', {htmlFor: 'value'}, texts.edit);
        this.apply = make('button', {type: 'button', disabled: true, onclick: () => this.change()}, texts.apply);
        this.save = make('button', {type: 'button', hidden: true, onclick: () => this.saveFile()}, texts.savePatched);
        return make('div', {className: 'row editor'}, this.valueOf, this.value, this.apply, this.save);
    }

    async show(model, keep = null) {
        this.model = model;
        this.others = new Map();
        const files = [...model.files, ...(model.content ? [model.content.name] : [])];
        this.files.replaceChildren(...files.map((file) => make('option', {value: file}, nameOf(file))));
        this.relate([]);
        await this.showFile(files.includes(keep) ? keep : model.content?.name ?? model.name);
    }

    async fieldsOf(file) {
        if (file === this.model.name)
            return this.model.fields;
        if (file === this.model.content?.name)
            return this.model.content.fields;
        if (!this.others.has(file))
            this.others.set(file, await this.app.ask('fields', {file}));
        return this.others.get(file);
    }

    async showFile(file) {
        this.file = this.files.value = file;
        const [{size}, fields] = await Promise.all([this.app.ask('bytes', {file, begin: 0, end: 0}), this.fieldsOf(file)]);
        this.fields.set(fields);
        this.hex.set(size, fields);
        this.edit(null);
        this.selection.textContent = '';
        this.save.hidden = !this.model.patched.includes(file);
    }

    // [{file, offset, size}], all of one file as far as they are shown
    async mark(what, ranges, node = null) {
        if (!ranges.length) {
            this.hex.mark([]);
            this.fields.select(null);
            this.edit(null);
            this.app.state.selection = null;
            this.selection.textContent = what ?? '';
            return;
        }
        const {file} = ranges[0];
        if (file !== this.file)
            await this.showFile(file);
        const here = ranges.filter((range) => range.file === file).map((range) => ({...range, size: range.size || this.sizeAt(range)}));
        this.hex.mark(here);
        this.fields.select(node ?? this.hex.fieldAt(here[0].offset));
        this.app.state.selection = {what, file, ranges: here.map(({offset, size}) => ({offset, size}))};
        this.selection.textContent = texts.selected(what, here.map(({offset, size}) => texts.range(offset, size)).slice(0, 6).join('; '));
        await this.edit(here[0]);
    }

    // A part has no size of its own: that of its row in the tree, or of its first field; in a text only its beginning is known.
    sizeAt({offset, path}) {
        const field = this.hex.fieldAt(offset), isText = !field || /^bytes/.test(field.type);
        let size = 0;
        this.fields.visit(this.fields.tree, (node) => { size = node.path === path ? node.size : size; });
        return isText ? 1 : size || Math.min(field.offset + field.size - offset, strideOf(field) || field.size);
    }

    // The field that owns a byte; of an array, the row.
    rowAt(offset) {
        const field = this.hex.fieldAt(offset), stride = field ? strideOf(field) : 0;
        if (stride)
            return {path: field.path, field, offset: field.offset + Math.floor((offset - field.offset) / stride) * stride, size: stride};
        return field && field.size <= mostTyped ? {...field, field} : {path: field?.path ?? '', field, offset, size: 1};
    }

    async selectField(node) {
        await this.mark(node.path || texts.gap, [{file: this.file, offset: node.offset, size: node.size}], node);
        await this.light(node, true);
    }

    async selectByte(offset) {
        const row = this.rowAt(offset);
        await this.mark(row.path || texts.gap, [{file: this.file, offset: row.offset, size: row.size}]);
        await this.light(row, true);
        if (row.field && strideOf(row.field)) // the number of the row that was meant
            await this.edit({offset, size: 1});
    }

    hover(what) {
        const key = what && `${what.path} ${what.offset}`;
        if (key === this.hovered)
            return;
        this.hovered = key;
        clearTimeout(this.waiting);
        this.waiting = setTimeout(() => this.light(what ?? this.kept ?? null, false), 60);
    }

    // What bytes make. Without anything to hover over, what was selected is lit again.
    async light(what, keep) {
        if (keep)
            this.kept = what;
        const found = what ? await this.app.ask('elements', {file: this.file, begin: what.offset, end: what.offset + what.size, path: what.path})
            : {triangles: [], vertices: [], whole: [], nodes: []};
        this.app.scene?.mark([...found.triangles, ...found.vertices, ...found.whole], found.nodes);
        const sum = (list, key) => list.reduce((total, one) => total + one[key].length, 0);
        this.app.state.lit = {triangles: sum(found.triangles, 'triangles'), vertices: sum(found.vertices, 'vertices'), nodes: found.nodes.length,
            primitives: found.whole.length};
        if (keep)
            this.selection.textContent += ` — ${texts.lit(this.app.state.lit)}`;
    }

    // What else belongs to what was clicked: [{text, show, pressed}]
    relate(others) {
        this.related.hidden = !others.length;
        this.related.replaceChildren(...others.map(({text, show, pressed}) =>
            make('button', {type: 'button', 'aria-pressed': String(Boolean(pressed)), onclick: async (event) => {
                for (const button of this.related.children)
                    button.setAttribute('aria-pressed', String(button === event.currentTarget));
                await show();
            }}, text)));
    }

    // ---- Changing

    // {offset, size, type?, path?}: what the value below the bytes is about; of an array, the number that is there
    async edit(range) {
        const field = range && this.hex.fieldAt(range.offset);
        const what = field && !range.type && strideOf(field) ? await this.app.ask('owner', {file: this.file, at: range.offset}) ?? range : range;
        const own = what && this.file !== this.model.content?.name; // what is unpacked cannot be written back
        const type = own ? what.type ?? typeHere(field, what) : null;
        this.target = own && what.size <= mostTyped ? {offset: what.offset, size: what.size, type} : null;
        this.value.disabled = this.apply.disabled = !this.target;
        this.value.placeholder = this.target ? texts.editHint : own === false ? texts.noEdit : texts.chooseEdit;
        this.valueOf.textContent = what?.type && what.path ? texts.editOf(what.path, what.type) : texts.edit;
        const {bytes} = this.target ? await this.app.ask('bytes', {file: this.file, begin: what.offset, end: what.offset + what.size}) : {};
        this.value.value = bytes ? typedOf(bytes, type) : '';
    }

    async change() {
        const bytes = this.target ? bytesTyped(this.value.value, this.target.type, this.target.size) : null;
        if (!bytes) {
            this.app.say(texts.badValue);
            return;
        }
        await this.app.patch(this.file, this.target, bytes);
    }

    async saveFile() {
        save(nameOf(this.file), await this.app.ask('whole', {file: this.file}));
    }
}

// That of the field if it is all of it, and of letters and bytes that of a part, too.
function typeHere(field, {offset, size}) {
    const whole = field?.offset === offset && field.size === size;
    return whole ? field.type : /^(char|bytes)/.exec(field?.type ?? '')?.[0];
}

const nameOf = (path) => path.slice(path.lastIndexOf('/') + 1);

// The bytes of one row, or 0 if the field has none.
function strideOf(field) {
    return field.value?.stride && field.value.count > 1 ? field.value.stride : 0;
}

// ---- Findings

function finding(app, {severity, id, path, text, offset, unpacked, count: times}) {
    const place = [offset === null || offset === undefined ? '' : `0x${offset.toString(16)}`, path ?? ''].filter(Boolean).join(' ');
    return make('li', {}, make('button', {type: 'button', 'data-severity': severity, onclick: () => app.showPlace({path, offset, unpacked, text})},
        make('b', {}, `${texts.severities[severity] ?? severity}: `), `${text}${texts.times(times ?? 1)}`, make('small', {}, `${place} [${id}]`)));
}

export class FindingsPanel {
    constructor(app) {
        this.app = app;
        this.list = make('ul', {className: 'findings'});
        this.none = make('p', {className: 'hint'});
        this.panel = make('section', {}, this.none, this.list);
    }

    show(model) {
        const order = ['error', 'warning', 'loss', 'note'], sorted = model.diagnostics.toSorted((a, b) =>
            order.indexOf(a.severity) - order.indexOf(b.severity));
        this.none.textContent = model.diagnostics.length ? texts.findings(model.diagnostics.length) : texts.noFindings;
        this.list.replaceChildren(...sorted.map((one) => finding(this.app, one)));
    }
}

// ---- Convert

export class ConvertPanel {
    constructor(app) {
        this.app = app;
        this.format = choice(texts.convertTo, [], () => this.preview());
        this.embed = make('input', {type: 'checkbox', checked: true, onchange: () => this.preview()});
        this.outcome = make('p', {role: 'status', className: 'hint'});
        this.list = make('ul', {className: 'findings'});
        this.files = make('p', {className: 'hint'});
        this.button = make('button', {type: 'button', className: 'main', disabled: true, onclick: () => this.download()}, texts.download);
        this.panel = make('section', {}, make('div', {className: 'row'}, make('label', {}, `${texts.convertTo} `, this.format)),
            make('label', {}, this.embed, ` ${texts.embed}`), this.outcome, this.list, this.files, make('div', {className: 'row'}, this.button));
    }

    setFormats(formats) {
        this.format.replaceChildren(...formats.filter((format) => format.writes !== false).map(({name, description}) =>
            make('option', {value: name}, description ? `${name.toUpperCase()} — ${description}` : name.toUpperCase())));
        this.format.value = 'glb';
    }

    show(model) {
        this.model = model;
        this.made = [];
        if (!this.panel.hidden)
            this.preview();
    }

    async preview() {
        const wanted = {format: this.format.value, textures: this.embed.checked ? 'embed' : 'copy'};
        if (!this.model)
            return;
        this.wanted = wanted; // what was made before is not what is chosen now
        this.button.disabled = true;
        const {files, error, diagnostics} = await this.app.ask('convert', wanted);
        if (this.wanted !== wanted)
            return;
        const losses = diagnostics.filter(({severity}) => severity === 'loss' || (error && severity === 'error'));
        this.made = files;
        this.outcome.textContent = error ? `${texts.cannotConvert} ${error}` : losses.length ? texts.losses : texts.noLosses;
        this.list.replaceChildren(...losses.map((one) => finding(this.app, one)));
        this.files.textContent = files.map(({name, bytes}) => `${name} (${texts.bytes(bytes.length)})`).join(', ');
        this.button.disabled = !files.length;
        this.button.textContent = files.length > 1 ? texts.downloadZip(files.length) : texts.download;
        this.app.state.losses = losses.map(({id}) => id);
    }

    async download() {
        if (this.made.length === 1)
            save(this.made[0].name, this.made[0].bytes);
        else
            save(`${this.made[0].name}.zip`, zipped(this.made), 'application/zip');
    }
}

// ---- Compare

export class ComparePanel {
    constructor(app) {
        this.app = app;
        this.known = choice(texts.compareKnown, [], (path) => path && this.with(path));
        this.input = make('input', {type: 'file', multiple: true, id: 'compare-files', onchange: () => this.open()});
        this.stop = make('button', {type: 'button', hidden: true, onclick: () => this.end()}, texts.compareEnd);
        this.outcome = make('p', {role: 'status', className: 'hint'}, texts.compareHint);
        this.farthest = make('span', {});
        this.legend = make('p', {className: 'legend', hidden: true}, make('span', {}, texts.nearest), make('i', {}), this.farthest);
        this.list = make('ul', {className: 'findings'});
        this.panel = make('section', {}, make('div', {className: 'row'}, this.known,
            make('label', {className: 'button'}, this.input, make('span', {}, texts.compareWith)), this.stop), this.outcome, this.legend, this.list);
    }

    show() {
        const others = this.app.panels.catalogue.entries.map(({model}) => model.path).filter((path) => path !== this.app.model.name);
        this.known.hidden = !others.length;
        this.known.replaceChildren(make('option', {value: ''}, texts.compareKnown), ...others.map((path) => make('option', {value: path}, path)));
        this.end();
    }

    // Back to one model.
    end() {
        this.app.scene?.endComparison();
        this.app.showCaptions([]);
        this.known.value = '';
        this.outcome.textContent = texts.compareHint;
        this.legend.hidden = this.stop.hidden = true;
        this.list.replaceChildren();
    }

    async open() {
        const files = filesOfInput(this.input), main = await this.app.mainOf(files);
        this.input.value = '';
        if (main)
            await this.with(main.path, files);
    }

    async with(name, files = undefined) {
        const other = await this.app.opened({name, files});
        if (!other)
            return;
        const differences = await this.app.ask('diff', {other: other.session}).catch((error) => [{path: name, a: null, b: null, error: 0, text: error.message}]);
        const farthest = other.glb && this.app.scene ? await this.app.scene.compare(other, (args) => this.app.engine.ask('distances', args)) : null;
        this.app.showCaptions(farthest === null ? [] : [this.app.model.name, name]);
        this.app.sayWhat();
        this.tell(differences, farthest);
        await this.app.engine.ask('close', {session: other.session});
    }

    tell(differences, farthest) {
        this.outcome.textContent = differences.length ? texts.differences(differences.length) : texts.same;
        this.legend.hidden = farthest === null;
        this.farthest.textContent = farthest ? texts.distance(farthest.toPrecision(3)) : texts.noDistance;
        this.stop.hidden = false;
        this.list.replaceChildren(...differences.map(({path, a, b, error, text}) =>
            make('li', {}, make('b', {}, `${path}: `), text ?? (a === null ? texts.off(error.toPrecision(3)) : texts.differs(a, b)))));
        Object.assign(this.app.state, {differences: differences.length, farthest});
    }
}

// ---- Parts: everything with a name, each leads to its bytes

const mostParts = 500;

export class PartsPanel {
    constructor(app) {
        this.app = app;
        this.box = make('div', {className: 'parts'});
        this.panel = make('section', {}, this.box);
    }

    show({parts}) {
        const kinds = Object.entries(texts.parts).map(([kind, title]) => [title, parts.filter(({part}) => part === kind)]);
        this.box.replaceChildren(...kinds.filter(([, list]) => list.length).flatMap(([title, list]) => [
            make('h2', {}, `${title} (${list.length})`), ...list.slice(0, mostParts).map((one) =>
                make('button', {type: 'button', title: one.name ?? '', onclick: () => this.app.showPart(one)}, `${one.index} ${one.name ?? ''}`)),
            list.length > mostParts ? make('p', {className: 'hint'}, texts.more(list.length - mostParts)) : '',
        ]));
    }
}
