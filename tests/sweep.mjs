/* tests/sweep.c in WebAssembly: node sweep.mjs SWEEP.wasm < LIST prints what build/sweep < LIST prints. All files in the folders of
 * the listed ones are there. */
import fs from 'node:fs';
import path from 'node:path';

const list = fs.readFileSync(0, 'utf8').split('\n').filter(Boolean);
const module = new WebAssembly.Module(fs.readFileSync(process.argv[2]));
const encoder = new TextEncoder(), decoder = new TextDecoder();

/* One instance a folder: what a trap breaks is gone with it, and memory too. */
function sweep(folder, files) {
    const wasi = new Proxy({}, { get: (_, name) => () => (name === 'environ_sizes_get' || name === 'environ_get' ? 0 : 8) });
    const { memory, _initialize, allocate, put, sweep: run, length } =
        new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi, stele: {} }).exports;
    _initialize();
    const give = (bytes) => {
        const at = allocate(bytes.length);
        new Uint8Array(memory.buffer).set(bytes, at);
        return at;
    };
    const text = (string) => give(encoder.encode(string + '\0'));
    const add = (name) => {
        for (const entry of fs.readdirSync(name || '.', { withFileTypes: true })) {
            const inside = name ? `${name}/${entry.name}` : entry.name;
            if (entry.isDirectory() && !entry.name.startsWith('.'))
                add(inside);
            else if (fs.statSync(inside, { throwIfNoEntry: false })?.isFile()) {
                const bytes = fs.readFileSync(inside);
                put(text(inside), give(bytes), bytes.length);
            }
        }
    };
    add(folder);
    for (const file of files) {
        const at = run(text(file));
        process.stdout.write(decoder.decode(new Uint8Array(memory.buffer, at, length())));
    }
}

const folders = new Map();
for (const file of list)
    folders.set(path.posix.dirname(file), [...(folders.get(path.posix.dirname(file)) ?? []), file]);
for (const [folder, files] of folders)
    sweep(folder, files);
