// The bytes of a file beside the fields that they are: two lists of which only what is seen exists, so that a gigabyte costs no more than a page.
import {texts} from './texts.js';

const wideEnough = 560; // pixels, for 16 bytes a row; otherwise there are 8
const mostPixels = 8_000_000; // browsers have an end

// A list of rows of equal height. draw(row) gives an element.
class Rows {
    constructor(box, height, draw) {
        this.box = box;
        this.height = height;
        this.drawRow = draw;
        this.space = document.createElement('div');
        this.space.className = 'space';
        this.space.setAttribute('role', 'presentation');
        box.append(this.space);
        box.addEventListener('scroll', () => this.draw());
        new ResizeObserver(() => this.draw()).observe(box);
        this.count = 0;
    }

    setCount(count) {
        this.count = count;
        this.space.style.height = `${Math.min(count * this.height, mostPixels)}px`;
        this.draw();
    }

    // The scrollbar of a huge file moves by more than one row a pixel.
    get scale() {
        return Math.max(1, this.count * this.height / mostPixels);
    }

    get first() {
        const top = this.box.scrollTop, most = this.space.offsetHeight - this.box.clientHeight;
        const seen = Math.ceil(this.box.clientHeight / this.height);
        if (this.scale === 1)
            return Math.floor(top / this.height);
        return Math.floor(top / Math.max(most, 1) * Math.max(this.count - seen, 0));
    }

    draw() {
        const first = this.first, last = Math.min(this.count, first + Math.ceil(this.box.clientHeight / this.height) + 1);
        const rows = [];
        for (let row = first; row < last; row++) {
            const element = this.drawRow(row);
            element.style.top = this.scale === 1 ? `${row * this.height}px` : `${this.box.scrollTop + (row - first) * this.height}px`;
            rows.push(element);
        }
        this.space.replaceChildren(...rows);
        this.drawn?.();
    }

    show(row) {
        const first = this.first, seen = Math.floor(this.box.clientHeight / this.height);
        if (row >= first + 1 && row < first + seen - 1)
            return this.draw();
        const target = Math.max(0, row - Math.floor(seen / 3));
        this.box.scrollTop = this.scale === 1 ? target * this.height
            : target / Math.max(this.count - seen, 1) * (this.space.offsetHeight - this.box.clientHeight);
        return this.draw();
    }
}

// ---- Fields

// The colour of a field: neighbours differ, the same name has the same one.
export function hueOf(path) {
    let hash = 7;
    for (const c of path.replace(/\[\d+\]/g, ''))
        hash = (hash * 31 + c.codePointAt(0)) % 360;
    return hash;
}

// The tree that paths make: a.b[2].c lies in b[2], which lies in a. What has fields in it has no value of its own.
function treeOf(fields) {
    const root = {children: [], known: new Map(), level: 0, path: ''};
    for (const field of fields) {
        let node = root;
        const names = field.path.split('.');
        names.slice(0, -1).forEach((name) => {
            if (!node.known.has(name)) {
                const path = node.path ? `${node.path}.${name}` : name;
                const inner = {name, path, offset: field.offset, size: 0, level: node.level + 1, parent: node, children: [], known: new Map(), open: false};
                node.known.set(name, inner);
                node.children.push(inner);
            }
            node = node.known.get(name);
            node.size = Math.max(node.size, field.offset + field.size - node.offset);
        });
        node.children.push({...field, name: names.at(-1), field, level: node.level + 1, parent: node});
    }
    return root;
}

function* openRows(node) {
    for (const child of node.children) {
        yield child;
        if (child.open)
            yield* openRows(child);
    }
}

const mostOpen = 24; // a tree of no more than these is shown open

export class Fields {
    constructor(box, {onSelect, onHover}) {
        this.rows = new Rows(box, 24, (row) => this.row(row));
        this.box = box;
        this.onSelect = onSelect;
        this.rows.drawn = () => this.tellSelected();
        this.set([]);
        box.addEventListener('click', (event) => this.click(event));
        box.addEventListener('mouseover', (event) => onHover(this.at(event)));
        box.addEventListener('mouseleave', () => onHover(null));
        box.addEventListener('keydown', (event) => this.key(event));
    }

    at(event) {
        const row = event.target.closest('[data-row]');
        return row ? this.shown[Number(row.dataset.row)] : null;
    }

    click(event) {
        const node = this.at(event);
        if (node?.children && (event.target.className === 'twisty' || node === this.selected))
            this.turn(node, !node.open);
        if (node)
            this.onSelect(node);
    }

    key(event) {
        const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity};
        const node = this.selected, sideways = {ArrowRight: true, ArrowLeft: false}[event.key];
        if (sideways !== undefined && node?.children && node.open !== sideways) {
            this.turn(node, sideways);
        } else if (event.key === 'ArrowLeft' && node?.parent?.path) {
            this.onSelect(node.parent);
        } else if (event.key in steps) {
            const next = this.shown[Math.min(Math.max(this.shown.indexOf(node) + steps[event.key], 0), this.shown.length - 1)];
            if (next)
                this.onSelect(next);
        } else if (sideways === undefined) {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
    }

    // What is open stays open as long as it is there.
    set(fields) {
        const before = this.tree ? new Set([...openRows(this.tree)].filter(({open}) => open).map(({path}) => path)) : new Set();
        this.all = fields;
        this.tree = treeOf(fields);
        this.leaves = new Map();
        this.visit(this.tree, (node) => {
            if (node.children)
                node.open = before.has(node.path) || fields.length <= mostOpen;
            else
                this.leaves.set(node.field, node);
        });
        this.filter(this.pattern ?? '');
    }

    visit(node, tell) {
        for (const child of node.children) {
            tell(child);
            if (child.children)
                this.visit(child, tell);
        }
    }

    filter(pattern) {
        this.pattern = pattern;
        const wanted = pattern.toLowerCase();
        this.shown = wanted ? [...this.leaves.values()].filter(({path}) => path.toLowerCase().includes(wanted)) : [...openRows(this.tree)];
        this.rows.setCount(this.shown.length);
    }

    turn(node, open) {
        node.open = open;
        this.filter(this.pattern);
    }

    // A field, or a row of the tree; whatever it lies in is opened.
    select(what) {
        const node = what?.level ? what : this.leaves.get(what) ?? null;
        let closed = false;
        for (let outer = node?.parent; outer?.path; outer = outer.parent) {
            closed ||= !outer.open;
            outer.open = true;
        }
        this.selected = node;
        if (closed && !this.pattern)
            this.filter('');
        const row = this.shown.indexOf(node);
        if (row >= 0)
            this.rows.show(row);
        else
            this.rows.draw();
    }

    // Only of a row that is there.
    tellSelected() {
        const row = this.box.querySelector('[aria-selected=true]');
        if (row)
            this.box.setAttribute('aria-activedescendant', row.id);
        else
            this.box.removeAttribute('aria-activedescendant');
    }

    row(index) {
        const node = this.shown[index], row = document.createElement('div');
        row.className = 'field';
        row.id = `field-${index}`;
        row.dataset.row = index;
        row.title = node.path;
        row.setAttribute('role', 'treeitem');
        row.setAttribute('aria-level', this.pattern ? 1 : node.level);
        row.setAttribute('aria-selected', node === this.selected);
        if (node.children)
            row.setAttribute('aria-expanded', node.open);
        row.style.setProperty('--hue', hueOf(node.path));
        row.style.setProperty('--level', this.pattern ? 0 : node.level - 1);
        for (const [name, text] of [['offset', node.offset.toString(16).padStart(6, '0')], ['twisty', node.children ? (node.open ? '▾' : '▸') : ''],
            ['path', (this.pattern ? node.path : node.name) || '—'], ['type', node.type ?? ''],
            ['value', node.children ? texts.size(node.size) : valueOf(node)]]) {
            const cell = document.createElement('span');
            cell.className = name;
            cell.textContent = text;
            row.append(cell);
        }
        return row;
    }
}

function valueOf(field) {
    const {value, meaning} = field;
    if (value === undefined || value === null)
        return texts.size(field.size);
    const text = typeof value === 'string' ? JSON.stringify(value.replace(/\0+$/, '')) : value.columns ? value.columns.map(columnText).join('  ')
        : Array.isArray(value) ? value.join(', ') : String(value);
    return meaning ? `${text} (${meaning})` : text;
}

function columnText({name, components, min, max}) {
    const range = min?.length === 1 ? `${min[0]} … ${max[0]}` : `${components} numbers`;
    return name ? `${name}: ${range}` : range;
}

// ---- Hexadecimal

const hexDigits = Array.from({length: 256}, (_, byte) => byte.toString(16).padStart(2, '0'));

export class Hex {
    // fetch(begin, end) gives a promise of bytes.
    constructor(box, {fetch, onSelect, onHover}) {
        this.rows = new Rows(box, 22, (row) => this.row(row));
        this.box = box;
        this.fetch = fetch;
        this.blocks = new Map();
        this.marked = [];
        this.size = 0;
        new ResizeObserver(() => this.fit()).observe(box);
        box.addEventListener('click', (event) => this.at(event, onSelect));
        box.addEventListener('mouseover', (event) => this.at(event, onHover));
        box.addEventListener('mouseleave', () => onHover(null));
        box.addEventListener('keydown', (event) => {
            const row = this.rowBytes, steps = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: row, ArrowUp: -row, PageDown: 16 * row, PageUp: -16 * row};
            if (!(event.key in steps))
                return;
            event.preventDefault();
            event.stopPropagation();
            onSelect(Math.min(Math.max((this.marked[0]?.offset ?? 0) + steps[event.key], 0), this.size - 1));
        });
    }

    at(event, tell) {
        const cell = event.target.closest('[data-at]');
        if (cell)
            tell(Number(cell.dataset.at));
    }

    // fields: sorted by offset, of the file that is shown
    set(size, fields) {
        this.size = size;
        this.fields = fields;
        this.blocks.clear();
        this.marked = [];
        this.fit(true);
    }

    // As many bytes a row as there is room for.
    fit(again = false) {
        const rowBytes = this.box.clientWidth && this.box.clientWidth < wideEnough ? 8 : 16;
        if (rowBytes === this.rowBytes && !again)
            return;
        this.rowBytes = rowBytes;
        this.rows.setCount(Math.ceil(this.size / rowBytes));
        if (this.marked.length)
            this.mark(this.marked);
    }

    mark(ranges, scroll = true) {
        this.marked = ranges;
        if (ranges.length && scroll)
            this.rows.show(Math.floor(ranges[0].offset / this.rowBytes));
        else
            this.rows.draw();
    }

    fieldAt(offset) {
        let low = 0, high = this.fields.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.fields[middle].offset <= offset)
                low = middle + 1;
            else
                high = middle;
        }
        const field = this.fields[low - 1];
        return field && offset < field.offset + field.size ? field : null;
    }

    block(number) {
        if (!this.blocks.has(number)) {
            this.blocks.set(number, null);
            const begin = number * 4096;
            this.fetch(begin, Math.min(begin + 4096, this.size)).then((bytes) => {
                this.blocks.set(number, bytes);
                this.rows.draw();
            }, () => this.blocks.delete(number));
        }
        return this.blocks.get(number);
    }

    row(index) {
        const begin = index * this.rowBytes, block = this.block(begin >> 12), row = document.createElement('div');
        row.className = 'hexrow';
        row.setAttribute('role', 'row');
        const offset = document.createElement('span');
        offset.className = 'offset';
        offset.setAttribute('role', 'rowheader');
        offset.textContent = begin.toString(16).padStart(8, '0');
        row.append(offset);
        const text = document.createElement('span');
        text.className = 'ascii';
        text.setAttribute('role', 'gridcell');
        for (let at = begin; at < Math.min(begin + this.rowBytes, this.size); at++) {
            const byte = block?.[at & 4095], cell = document.createElement('span');
            const field = this.fieldAt(at);
            cell.className = this.marked.some((range) => at >= range.offset && at < range.offset + range.size) ? 'byte marked' : 'byte';
            cell.dataset.at = at;
            cell.setAttribute('role', 'gridcell');
            cell.textContent = byte === undefined ? '··' : hexDigits[byte];
            if (field?.path)
                cell.style.setProperty('--hue', hueOf(field.path));
            else
                cell.classList.add('gap');
            row.append(cell);
            text.textContent += byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '·';
        }
        row.append(text);
        return row;
    }
}

// ---- Changing a value: as it is typed, and what was typed as bytes

const numbers = {
    u8: [1, 'Uint8'], i8: [1, 'Int8'], u16: [2, 'Uint16'], i16: [2, 'Int16'], u32: [4, 'Uint32'], i32: [4, 'Int32'],
    f32: [4, 'Float32'], f64: [8, 'Float64'], u64: [8, 'BigUint64'],
};

// u16 and f32[4], but neither row[12] nor f32x3[12]: how many numbers of which kind.
function kindOf(type, size) {
    const [, name, count] = /^(\w+?)(?:\[(\d+)\])?$/.exec(type ?? '') ?? [];
    const number = numbers[name];
    return number && size === number[0] * Number(count ?? 1) ? {length: number[0], name: number[1], count: Number(count ?? 1)} : null;
}

const isText = (bytes) => bytes.every((byte) => (byte >= 32 && byte < 127) || byte === 9 || byte === 10 || byte === 13);

// Numbers for numbers, a text in quotes for letters, and otherwise pairs of hexadecimal digits.
export function typedOf(bytes, type) {
    const kind = kindOf(type, bytes.length), view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (kind)
        return Array.from({length: kind.count}, (_, i) => shortest(view[`get${kind.name}`](i * kind.length, true), kind.name)).join(', ');
    const end = bytes.findLastIndex((byte) => byte) + 1;
    if (/^(char|bytes)/.test(type ?? '') && end && isText(bytes.subarray(0, end)))
        return JSON.stringify(String.fromCharCode(...bytes.subarray(0, end)));
    return Array.from(bytes, (byte) => hexDigits[byte]).join(' ');
}

// The fewest digits that give the same number.
function shortest(value, name) {
    if (name !== 'Float32' || !Number.isFinite(value))
        return String(value);
    for (let digits = 1; digits < 9; digits++)
        if (Math.fround(Number(value.toPrecision(digits))) === value)
            return String(Number(value.toPrecision(digits)));
    return String(value);
}

// null if it is no value for such a field.
export function bytesTyped(text, type, size) {
    const trimmed = text.trim(), kind = kindOf(type, size);
    if (trimmed.startsWith('"'))
        return textBytes(trimmed, size, /^char/.test(type ?? '') ? 0 : 32);
    if (kind && !/^([0-9a-f]{2}\s+)+[0-9a-f]{2}$/i.test(trimmed))
        return numberBytes(trimmed.split(','), kind);
    const digits = trimmed.replace(/\s+/g, '');
    if (!/^([0-9a-f]{2})+$/i.test(digits) || digits.length / 2 > size)
        return null;
    return Uint8Array.from(digits.match(/../g), (pair) => parseInt(pair, 16));
}

// As long as what it replaces: filled with zeros in a field of letters, with blanks in a text.
function textBytes(quoted, size, filler) {
    let text;
    try {
        text = new TextEncoder().encode(JSON.parse(quoted));
    } catch {
        return null;
    }
    const bytes = new Uint8Array(size).fill(filler);
    return text.length <= size ? (bytes.set(text), bytes) : null;
}

function numberBytes(words, {length, name, count}) {
    const view = new DataView(new ArrayBuffer(length * count));
    if (words.length !== count)
        return null;
    for (const [i, word] of words.entries()) {
        const value = numberTyped(word.trim(), name, length);
        if (value === null)
            return null;
        view[`set${name}`](i * length, value, true);
    }
    return new Uint8Array(view.buffer);
}

// What the field cannot hold is no value for it.
function numberTyped(word, name, length) {
    if (name === 'BigUint64')
        return /^\d{1,20}$/.test(word) && BigInt(word) < 1n << 64n ? BigInt(word) : null;
    const value = Number(word);
    if (word === '' || (Number.isNaN(value) && word !== 'NaN'))
        return null;
    if (name.startsWith('Float'))
        return value;
    const least = name.startsWith('U') ? 0 : -(2 ** (8 * length - 1)), most = 2 ** (8 * length - (name.startsWith('U') ? 0 : 1)) - 1;
    return Number.isInteger(value) && value >= least && value <= most ? value : null;
}
