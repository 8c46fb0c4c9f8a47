// Files from wherever people have them: dropped, picked, pasted, or a whole folder. Each becomes {path, file}.

async function* entriesBelow(entry, path) {
    if (entry.isFile) {
        yield {path, file: await new Promise((resolve, reject) => entry.file(resolve, reject))};
        return;
    }
    const reader = entry.createReader();
    for (;;) { // a reader gives some hundred at a time
        const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
        if (!entries.length)
            return;
        for (const inner of entries)
            yield* entriesBelow(inner, `${path}/${inner.name}`);
    }
}

export async function filesOfTransfer(transfer) {
    // both lists are empty as soon as this function waits
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const plain = [...transfer.files].map((file) => ({path: file.name, file}));
    if (!entries.some((entry) => entry.isDirectory))
        return plain;
    const found = [];
    for (const entry of entries)
        for await (const one of entriesBelow(entry, entry.name))
            found.push(one);
    return found;
}

export function filesOfInput(input) {
    return [...input.files].map((file) => ({path: file.webkitRelativePath || file.name, file}));
}

// Those that a format claims by its name. What belongs to another of the same name is shown with it: a scribe.sga with its scribe.sgm.
export function modelsAmong(files, formats) {
    const claimed = new Map(formats.flatMap((format) => format.extensions.map((extension) => [extension, format])));
    const extension = (path) => path.slice(path.lastIndexOf('.') + 1).toLowerCase();
    const stem = (path) => path.slice(0, path.lastIndexOf('.'));
    const models = files.filter(({path}) => claimed.has(extension(path)));
    const owned = new Set(models.flatMap(({path}) => claimed.get(extension(path)).companions.map((companion) => `${stem(path)}.${companion}`)));
    // what may accompany others under other names, such as an animation, comes after what it may accompany
    const late = new Set(formats.flatMap((format) => format.companions)), rank = ({path}) => Number(late.has(extension(path)));
    return models.filter(({path}) => !owned.has(`${stem(path)}.${extension(path)}`)).sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
}

export function save(name, bytes, type = 'application/octet-stream') {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([bytes], {type}));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// ---- Several files in one: a zip that only stores

function crcTable() {
    return Uint32Array.from({length: 256}, (_, n) => {
        for (let k = 0; k < 8; k++)
            n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
        return n >>> 0;
    });
}

function crc32(bytes, table = crcTable()) {
    let crc = ~0;
    for (const byte of bytes)
        crc = table[(crc ^ byte) & 255] ^ (crc >>> 8);
    return ~crc >>> 0;
}

function record(signature, fields) {
    const size = fields.reduce((sum, [bytes]) => sum + bytes, 4), view = new DataView(new ArrayBuffer(size));
    let at = 4;
    view.setUint32(0, signature, true);
    for (const [bytes, value] of fields) {
        if (bytes === 2)
            view.setUint16(at, value, true);
        else
            view.setUint32(at, value, true);
        at += bytes;
    }
    return new Uint8Array(view.buffer);
}

export function zipped(files) {
    const parts = [], directory = [];
    let offset = 0;
    for (const {name, bytes} of files) {
        const path = new TextEncoder().encode(name), crc = crc32(bytes);
        // version 2.0, names in UTF-8, stored, the first of January 1980
        const common = [[2, 20], [2, 0x800], [2, 0], [2, 0], [2, 0x21], [4, crc], [4, bytes.length], [4, bytes.length],
            [2, path.length], [2, 0]];
        parts.push(record(0x04034b50, common), path, bytes);
        directory.push(record(0x02014b50, [[2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]]), path);
        offset += 30 + path.length + bytes.length;
    }
    const size = directory.reduce((sum, part) => sum + part.length, 0);
    const end = record(0x06054b50, [[2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, offset], [2, 0]]);
    return new Blob([...parts, ...directory, end]);
}
