/* WebAssembly against the command, each on one thread and taking turns: node wasm.mjs FOLDER_OF_PACKAGE COMMAND BIG.sgm OUT.glb. The
 * command is a process of its own, and maps the file; WebAssembly gets its bytes, and copies them. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, command, big, out] = process.argv.slice(2).map((p) => path.resolve(p));
const { load } = await import(pathToFileURL(path.join(folder, 'stele.mjs')).href);
const wasm = fs.readFileSync(path.join(folder, 'stele.wasm')), bytes = fs.readFileSync(big);
const RUNS = 7;

async function milliseconds(run) {
    const start = performance.now();
    await run();
    return performance.now() - start;
}

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

async function race(mine, peer) {
    const times = [[], []];
    for (let i = 0; i <= RUNS; i++)
        for (const [which, run] of [mine, peer].entries()) {
            const time = await milliseconds(run);
            if (i > 0) // the first does not count
                times[which].push(time);
        }
    return times.map(median);
}

function row(name, mine, peer, ratio, goal, reached) {
    const cells = [name.padEnd(34), mine.padStart(20), ' ', peer.padEnd(32), ratio.padStart(7), goal.padStart(12), '', reached ? 'reached' : 'MISSED'];
    console.log(cells.join(' '));
}

const stele = await load(wasm);

async function compare(name, mine, ...args) {
    const [a, b] = await race(mine, () => execFileSync(command, [...args, '-q', '-j1']));
    row(name, `${a.toFixed(0)} ms`, `stele -j1    ${b.toFixed(0)} ms`, (a / b).toFixed(2), '<= 2.5', a / b <= 2.5);
}

await compare('wasm: full check, SGM, 112 MB', () => stele.open(bytes, { check: 'full' }).close(), 'check', big);
await compare('wasm: SGM -> GLB, 112 MB', () => {
    const file = stele.open(bytes, { check: 'structure' });
    file.convert('glb');
    file.close();
}, 'convert', '-f', big, out);
const [start] = await race(() => load(wasm), () => {});
row('wasm: compile and instantiate', `${start.toFixed(1)} ms`, '', '', '<= 40 ms', start <= 40);
