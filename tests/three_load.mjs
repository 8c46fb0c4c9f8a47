// What three.js makes of .glb files: node three_load.mjs FILE... prints a line of JSON for each, with the box of all that is drawn
// at rest and at some times of each clip.
//     {"file": "hat.glb", "poses": [{"clip": null, "time": 0, "min": [...], "max": [...]}, ...]}
// Images are not decoded: every texture is an empty one.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(new URL('./npm/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(require.resolve(name)));
globalThis.self = globalThis; // GLTFLoader expects a browser's window
const { GLTFLoader } = await load('three/addons/loaders/GLTFLoader.js');
const THREE = await import(new URL('./three.module.js', pathToFileURL(require.resolve('three'))));

const FRACTIONS = [0, 0.37, 0.5, 1];

function stubTextures() {
    return { name: 'STUB_textures', loadTexture: () => Promise.resolve(new THREE.Texture()) };
}

function box(scene) {
    const bounds = new THREE.Box3(), vertex = new THREE.Vector3();
    scene.updateMatrixWorld(true);
    scene.traverse((object) => {
        if (!object.geometry) return;
        const count = object.geometry.attributes.position.count;
        for (let i = 0; i < count; i++) {
            if (object.isMesh) object.getVertexPosition(i, vertex);
            else vertex.fromBufferAttribute(object.geometry.attributes.position, i);
            bounds.expandByPoint(vertex.applyMatrix4(object.matrixWorld));
        }
    });
    return { min: bounds.min.toArray(), max: bounds.max.toArray() };
}

function poses(gltf) {
    const result = [{ clip: null, time: 0, ...box(gltf.scene) }];
    gltf.animations.forEach((animation, clip) => {
        const mixer = new THREE.AnimationMixer(gltf.scene);
        const action = mixer.clipAction(animation);
        action.setLoop(THREE.LoopOnce);
        action.clampWhenFinished = true;
        action.play();
        for (const fraction of FRACTIONS) {
            action.reset();
            mixer.setTime(fraction * animation.duration);
            result.push({ clip, time: fraction * animation.duration, ...box(gltf.scene) });
        }
        action.stop();
    });
    return result;
}

for (const file of process.argv.slice(2)) {
    const bytes = await readFile(file);
    const loader = new GLTFLoader().register(stubTextures);
    const gltf = await loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
    console.log(JSON.stringify({ file, poses: poses(gltf) }));
}
