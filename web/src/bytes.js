// The bytes of a file beside the fields that they are: two lists of which only what is seen exists, so that a gigabyte costs no more than a page.

const rowBytes = 16;
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

export class Fields {
    constructor(box, {onSelect, onHover}) {
        this.rows = new Rows(box, 24, (row) => this.row(row));
        this.box = box;
        this.onSelect = onSelect;
        this.all = this.shown = [];
        box.addEventListener('click', (event) => this.at(event, onSelect));
        box.addEventListener('mouseover', (event) => this.at(event, onHover));
        box.addEventListener('keydown', (event) => this.key(event));
    }

    at(event, tell) {
        const row = event.target.closest('[data-row]');
        if (row)
            tell(this.shown[Number(row.dataset.row)]);
    }

    key(event) {
        const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity};
        if (!(event.key in steps))
            return;
        event.preventDefault();
        event.stopPropagation();
        const now = this.shown.indexOf(this.selected);
        const next = Math.min(Math.max(now + steps[event.key], 0), this.shown.length - 1);
        if (this.shown[next])
            this.onSelect(this.shown[next]);
    }

    set(fields) {
        this.all = fields;
        this.filter('');
    }

    filter(pattern) {
        const wanted = pattern.toLowerCase();
        this.shown = wanted ? this.all.filter(({path}) => path.toLowerCase().includes(wanted)) : this.all;
        this.rows.setCount(this.shown.length);
    }

    select(field) {
        this.selected = field;
        const row = this.shown.indexOf(field);
        if (row >= 0)
            this.rows.show(row);
        this.box.setAttribute('aria-activedescendant', row >= 0 ? `field-${row}` : '');
    }

    row(index) {
        const field = this.shown[index], row = document.createElement('div');
        row.className = 'field';
        row.id = `field-${index}`;
        row.dataset.row = index;
        row.setAttribute('role', 'option');
        row.setAttribute('aria-selected', field === this.selected);
        row.style.setProperty('--hue', hueOf(field.path));
        for (const [name, text] of [['offset', field.offset.toString(16).padStart(6, '0')], ['path', field.path || '—'], ['type', field.type ?? ''],
            ['value', valueOf(field)]]) {
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
        return '';
    const text = typeof value === 'string' ? JSON.stringify(value) : value.columns ? value.columns.map(columnText).join('  ')
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
        box.addEventListener('click', (event) => this.at(event, onSelect));
        box.addEventListener('mouseover', (event) => this.at(event, onHover));
        box.addEventListener('keydown', (event) => {
            const steps = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: rowBytes, ArrowUp: -rowBytes, PageDown: 16 * rowBytes, PageUp: -16 * rowBytes};
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
        this.rows.setCount(Math.ceil(size / rowBytes));
    }

    mark(ranges, scroll = true) {
        this.marked = ranges;
        if (ranges.length && scroll)
            this.rows.show(Math.floor(ranges[0].offset / rowBytes));
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
        const begin = index * rowBytes, block = this.block(begin >> 12), row = document.createElement('div');
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
        for (let at = begin; at < Math.min(begin + rowBytes, this.size); at++) {
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

// ---- Changing a value: what was typed as bytes, or null

const numbers = {
    u8: [1, 'setUint8'], i8: [1, 'setInt8'], u16: [2, 'setUint16'], i16: [2, 'setInt16'], u32: [4, 'setUint32'], i32: [4, 'setInt32'],
    f32: [4, 'setFloat32'], f64: [8, 'setFloat64'], u64: [8, 'setBigUint64'],
};

export function bytesTyped(text, type, size) {
    const trimmed = text.trim();
    if (type in numbers && size === numbers[type][0] && !/^([0-9a-f]{2}\s+)+[0-9a-f]{2}$/i.test(trimmed)) {
        const [length, setter] = numbers[type], view = new DataView(new ArrayBuffer(length));
        const value = type === 'u64' ? attemptBig(trimmed) : Number(trimmed);
        if (value === null || (typeof value === 'number' && (trimmed === '' || Number.isNaN(value))))
            return null;
        view[setter](0, value, true);
        return new Uint8Array(view.buffer);
    }
    const digits = trimmed.replace(/\s+/g, '');
    if (!/^([0-9a-f]{2})+$/i.test(digits) || digits.length / 2 > size)
        return null;
    return Uint8Array.from(digits.match(/../g), (pair) => parseInt(pair, 16));
}

function attemptBig(text) {
    return /^\d+$/.test(text) ? BigInt(text) : null;
}

