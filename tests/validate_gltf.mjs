// The Khronos validator on many files: node validate_gltf.mjs FILE... prints a line of JSON for each.
//     {"file": "hat.glb", "errors": [...], "warnings": [...], "infos": [...]}
// A message is "CODE pointer: text". Buffers and images are taken from the folder of the file; an image that is not there is a
// message of its own, MISSING, among the infos: which textures exist is not the writer's to decide.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createRequire } from 'node:module';

const validator = createRequire(new URL('./npm/package.json', import.meta.url))('gltf-validator');

async function validate(file) {
    const report = await validator.validateBytes(new Uint8Array(await readFile(file)), {
        uri: path.basename(file),
        maxIssues: 0,
        externalResourceFunction: async (uri) =>
            new Uint8Array(await readFile(path.join(path.dirname(file), decodeURIComponent(uri)))),
    });
    const result = { file, errors: [], warnings: [], infos: [] };
    const lists = [result.errors, result.warnings, result.infos, result.infos];
    for (const m of report.issues.messages) {
        const gone = m.code === 'IO_ERROR' && m.pointer.startsWith('/images/');
        lists[gone ? 2 : m.severity].push(`${gone ? 'MISSING' : m.code} ${m.pointer ?? ''}: ${m.message}`);
    }
    return result;
}

for (const file of process.argv.slice(2)) {
    try {
        console.log(JSON.stringify(await validate(file)));
    } catch (error) {
        console.log(JSON.stringify({ file, errors: [`NOT_GLTF : ${error}`], warnings: [], infos: [] }));
    }
}
