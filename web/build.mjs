// The page as one file, but for stele.wasm, which the command puts into it: node build.mjs OUT.html
import {createHash} from 'node:crypto';
import {readFile, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import {build} from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const [, , out] = process.argv;

async function bundled(entry, format) {
    const {outputFiles} = await build({entryPoints: [join(here, 'src', entry)], bundle: true, minify: true, write: false, format, target: 'es2022',
        external: ['node:*'], legalComments: 'inline', logLevel: 'error'});
    return outputFiles[0].text;
}

// Packed, because a page is read more often than it is written.
function block(id, bytes) {
    return `<script type="text/plain" id="${id}">${gzipSync(bytes, {level: 9}).toString('base64')}</script>\n`;
}

const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const style = await readFile(join(here, 'style.css'), 'utf8');
const app = (await bundled('app.js', 'esm')).replaceAll('</script', '<\\/script');
const worker = await bundled('worker.js', 'iife');
const policy = `default-src 'none'; script-src ${hashOf(app)} 'wasm-unsafe-eval'; style-src ${hashOf(style)}; img-src blob: data:; ` +
    `worker-src blob:; connect-src 'self' blob: data:; base-uri 'none'; form-action 'none'`;
const page = (await readFile(join(here, 'index.html'), 'utf8'))
    .replace('<meta charset="utf-8">', () => `<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replace('</head>', () => `<style>${style}</style>\n</head>`)
    .replace('</body>', () => `${block('worker', worker)}<script type="module">${app}</script>\n</body>`);
await writeFile(out, page);
