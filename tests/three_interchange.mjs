// What the loaders of three.js make of other formats: node three_interchange.mjs FILE... prints a line of JSON for each, with the
// triangles and points of all that is drawn at rest, and the points at some times of each clip; of a file without meshes (BVH) the
// points are where the bones are.
//     {"file": "duck.dae", "triangles": 4212, "poses": [{"clip": null, "time": 0, "points": [x, y, z, ...]}, ...]}
// Images are not loaded. FBX is in the metres that its unit makes.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(new URL('./npm/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { DOMParser, Element } = require('@xmldom/xmldom');

// The little of a browser that the loaders look for.
Element.prototype.querySelector = function (name) { return this.getElementsByTagName(name)[0] ?? null; };
Element.prototype.querySelectorAll = function (name) { return Array.from(this.getElementsByTagName(name)); };
globalThis.DOMParser = class {
    parseFromString(text, type) {
        const document = new DOMParser({ onError: () => {} }).parseFromString(text, type);
        document.querySelector = Element.prototype.querySelector;
        return document;
    }
};
globalThis.Request = class {};
globalThis.fetch = () => new Promise(() => {});
globalThis.self = globalThis;
globalThis.window = globalThis;
globalThis.document = { createElementNS: () => ({ addEventListener() {}, removeEventListener() {} }) };
for (const channel of ['log', 'info', 'warn', 'error', 'debug']) console[channel] = () => {};
const print = (line) => process.stdout.write(line + '\n');

const THREE = await import(new URL('./three.module.js', pathToFileURL(require.resolve('three'))));
const LOADERS = { dae: 'Collada', fbx: 'FBX', '3ds': 'TDS', md2: 'MD2', ply: 'PLY', stl: 'STL', bvh: 'BVH' };
const TEXT = new Set(['dae', 'bvh']);
const FRACTIONS = [0, 0.37, 0.5, 1];

async function parse(file) {
    const kind = path.extname(file).slice(1).toLowerCase();
    const module = await load(`three/addons/loaders/${LOADERS[kind]}Loader.js`);
    const loader = new module[LOADERS[kind] + 'Loader']();
    const bytes = await readFile(file);
    const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const made = loader.parse(TEXT.has(kind) ? bytes.toString('utf8') : data, '');
    if (made.skeleton) return { scene: new THREE.Group().add(made.skeleton.bones[0]), animations: [made.clip] };
    if (made.isBufferGeometry) return { scene: new THREE.Group().add(new THREE.Mesh(made)), animations: [] };
    if (made.scene) return { scene: made.scene, animations: made.animations ?? made.scene.animations ?? [] };
    if (kind === 'fbx') made.scale.setScalar(made.userData.unitScaleFactor / 100);
    return { scene: made, animations: made.animations ?? [] };
}

function shown(scene) {
    const points = [], vertex = new THREE.Vector3();
    let triangles = 0, skinned = false;
    scene.updateMatrixWorld(true);
    scene.traverse((object) => { skinned ||= object.isMesh; });
    scene.traverse((object) => {
        if (object.isBone && !skinned) points.push(...object.getWorldPosition(vertex).toArray());
        if (!object.isMesh) return;
        const { position } = object.geometry.attributes, { index } = object.geometry;
        triangles += (index ? index.count : position.count) / 3;
        for (let i = 0; i < position.count; i++) {
            object.getVertexPosition(i, vertex).applyMatrix4(object.matrixWorld);
            points.push(...vertex.toArray().map((n) => Number(n.toPrecision(7))));
        }
    });
    return { triangles, points };
}

function poses({ scene, animations }) {
    const result = [{ clip: null, time: 0, points: shown(scene).points }];
    animations.forEach((animation, clip) => {
        const mixer = new THREE.AnimationMixer(scene);
        const action = mixer.clipAction(animation);
        action.setLoop(THREE.LoopOnce);
        action.clampWhenFinished = true;
        action.play();
        for (const fraction of FRACTIONS) {
            action.reset();
            mixer.setTime(fraction * animation.duration);
            result.push({ clip, time: fraction * animation.duration, points: shown(scene).points });
        }
        action.stop();
    });
    return result;
}

for (const file of process.argv.slice(2)) {
    try {
        const made = await parse(file);
        print(JSON.stringify({ file, triangles: shown(made.scene).triangles, poses: poses(made) }));
    } catch (error) {
        print(JSON.stringify({ file, error: String(error) }));
    }
}
