// glTF files of three.js's exporter: node three_export.mjs FOLDER writes them there. Each shows what our own writer does not do.
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(new URL('./npm/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(require.resolve(name)));
// what the exporter expects of a browser
globalThis.FileReader = class {
    readAsArrayBuffer(blob) { blob.arrayBuffer().then((buffer) => { this.result = buffer; this.onloadend(); }); }
    readAsDataURL(blob) {
        blob.arrayBuffer().then((buffer) => {
            this.result = `data:${blob.type || 'application/octet-stream'};base64,${Buffer.from(buffer).toString('base64')}`;
            this.onloadend();
        });
    }
};
const { GLTFExporter } = await load('three/addons/exporters/GLTFExporter.js');
const THREE = await import(new URL('./three.module.js', pathToFileURL(require.resolve('three'))));
const folder = process.argv[2];

async function save(name, scene, options = {}) {
    const result = await new GLTFExporter().parseAsync(scene, { binary: true, ...options });
    await writeFile(join(folder, `${name}.glb`), Buffer.from(result));
    const text = await new GLTFExporter().parseAsync(scene, { binary: false, ...options });
    await writeFile(join(folder, `${name}.gltf`), JSON.stringify(text));
}

// A scene of several primitives, vertex colours, extras, points, lines of all kinds and nested, turned and mirrored nodes.
const scene = new THREE.Scene();
const knot = new THREE.TorusKnotGeometry(1, 0.3, 40, 8);
const colors = new Float32Array(knot.attributes.position.count * 3).map((_, i) => (i % 7) / 6);
knot.setAttribute('color', new THREE.BufferAttribute(colors, 3));
const shiny = new THREE.MeshStandardMaterial({ color: 0x336699, metalness: 0.25, roughness: 0.5, side: THREE.DoubleSide,
    transparent: true, opacity: 0.5, emissive: 0x112233, emissiveIntensity: 3, name: 'shiny' });
const parent = new THREE.Group();
parent.name = 'parent';
parent.position.set(1, 2, 3);
parent.rotation.set(0.1, 0.2, 0.3);
parent.scale.set(1, -2, 0.5);
parent.userData = { team: 'red', lives: 3, path: [1, 2.5], deep: { x: [true, null] } };
parent.add(new THREE.Mesh(knot, shiny));
const box = new THREE.BoxGeometry(1, 2, 3);
parent.add(new THREE.Mesh(box, [0, 1, 2, 3, 4, 5].map((i) => new THREE.MeshBasicMaterial({ color: i * 1000 }))));
const path = [0, 1, 2, 3, 4].map((i) => new THREE.Vector3(i, i * i, 0));
scene.add(parent, new THREE.Points(box, new THREE.PointsMaterial()),
    new THREE.Line(new THREE.BufferGeometry().setFromPoints(path), new THREE.LineBasicMaterial()),
    new THREE.LineLoop(new THREE.BufferGeometry().setFromPoints(path), new THREE.LineBasicMaterial()),
    new THREE.LineSegments(new THREE.EdgesGeometry(box), new THREE.LineBasicMaterial()));
await save('scene', scene);

// An interleaved geometry, unindexed.
const interleaved = new THREE.InterleavedBuffer(new Float32Array([...Array(6 * 9).keys()].map((i) => Math.sin(i))), 6);
const flat = new THREE.BufferGeometry();
flat.setAttribute('position', new THREE.InterleavedBufferAttribute(interleaved, 3, 0));
flat.setAttribute('normal', new THREE.InterleavedBufferAttribute(interleaved, 3, 3));
flat.attributes.normal.data.array.forEach((_, i, a) => { if (i % 6 >= 3) a[i] = i % 6 === 5 ? 1 : 0; });
await save('interleaved', new THREE.Mesh(flat, new THREE.MeshStandardMaterial()));

// Skinned, with morphs, moved by clips of every interpolation.
const tube = new THREE.CylinderGeometry(0.5, 0.5, 4, 8, 12);
const place = tube.attributes.position, joints = [], weights = [];
for (let i = 0; i < place.count; i++) {
    const along = Math.min(Math.max(place.getY(i) + 2, 0), 3.999), joint = Math.floor(along / 2), t = along / 2 - joint;
    joints.push(joint, joint + 1, 0, 0);
    weights.push(1 - t, t, 0, 0);
}
tube.setAttribute('skinIndex', new THREE.Uint16BufferAttribute(joints, 4));
tube.setAttribute('skinWeight', new THREE.Float32BufferAttribute(weights, 4));
const wide = place.clone(), tall = place.clone();
for (let i = 0; i < place.count; i++) {
    wide.setXYZ(i, place.getX(i) * 0.5, 0, place.getZ(i) * 0.5);
    tall.setXYZ(i, 0, i % 3 ? 0 : 0.25, 0);
}
tube.morphAttributes.position = [wide, tall];
tube.morphTargetsRelative = true;
const bones = [new THREE.Bone(), new THREE.Bone(), new THREE.Bone()];
bones.forEach((bone, i) => { bone.name = `bone${i}`; bone.position.y = i ? 2 : -2; if (i) bones[i - 1].add(bone); });
const worm = new THREE.SkinnedMesh(tube, new THREE.MeshStandardMaterial());
worm.name = 'worm';
worm.morphTargetInfluences = [0.25, 0.5];
worm.morphTargetDictionary = { wide: 0, tall: 1 };
const stage = new THREE.Group();
worm.add(bones[0]);
stage.add(worm);
stage.updateMatrixWorld(true);
worm.bind(new THREE.Skeleton(bones));
const turns = [[0, 0, 0], [0.5, 0, 1], [0, 1, 0]].flatMap((e) => new THREE.Quaternion().setFromEuler(new THREE.Euler(...e)).toArray());
const times = [0, 0.5, 2];
const step = new THREE.VectorKeyframeTrack('bone2.scale', times, [1, 1, 1, 2, 1, 1, 1, 1, 3], THREE.InterpolateDiscrete);
const clips = [
    new THREE.AnimationClip('wave', -1, [new THREE.QuaternionKeyframeTrack('bone1.quaternion', times, turns),
        new THREE.VectorKeyframeTrack('bone0.position', times, [0, -2, 0, 1, -2, 0, 0, -2, 1])]),
    new THREE.AnimationClip('grow', -1, [step, new THREE.NumberKeyframeTrack('worm.morphTargetInfluences[wide]', times, [0, 1, 0])]),
];
await save('worm', stage, { animations: clips });
