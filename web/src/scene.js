// The model in three.js: what it looks like, how it moves, what was clicked on. Knows nothing of files or bytes.
import * as THREE from 'three';
import {GLTFLoader} from 'three/examples/jsm/loaders/GLTFLoader.js';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import {RoomEnvironment} from 'three/examples/jsm/environments/RoomEnvironment.js';

const still = matchMedia('(prefers-reduced-motion: reduce)');

function checkerTexture() {
    const size = 16, data = new Uint8Array(size * size * 4);
    for (let y = 0; y < size; y++)
        for (let x = 0; x < size; x++)
            data.set((x + y) % 2 ? [235, 235, 235, 255] : [16 * x, 90, 16 * y, 255], 4 * (y * size + x));
    const texture = new THREE.DataTexture(data, size, size);
    texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
    texture.colorSpace = THREE.SRGBColorSpace;
    texture.needsUpdate = true;
    return texture;
}

// Those that the surface can be shown with instead of its own; each is made once.
const surfaces = {
    normals: () => new THREE.MeshNormalMaterial({side: THREE.DoubleSide}),
    checker: () => new THREE.MeshBasicMaterial({map: checkerTexture(), side: THREE.DoubleSide}),
    colors: () => new THREE.MeshBasicMaterial({vertexColors: true, side: THREE.DoubleSide}),
};

// What is not in the GLB is not there at all: nothing is fetched, and a missing texture is grey.
const grey = 'data:image/gif;base64,R0lGODlhAQABAIAAAMDAwAAAACwAAAAAAQABAAACAkQBADs=';

function parsed(glb) {
    const manager = new THREE.LoadingManager();
    manager.setURLModifier((url) => (/^(blob|data):/.test(url) ? url : grey));
    return new GLTFLoader(manager).parseAsync(glb.buffer.slice(glb.byteOffset, glb.byteOffset + glb.byteLength), '');
}

// Where a vertex is as it is posed; lines and points have no poses.
function placeOf(object, vertex) {
    const place = new THREE.Vector3();
    if (object.isMesh)
        object.getVertexPosition(vertex, place);
    else
        place.fromBufferAttribute(object.geometry.attributes.position, vertex);
    return object.localToWorld(place);
}

function dispose(object) {
    object.traverse((inner) => {
        inner.geometry?.dispose();
        for (const material of [inner.material].flat().filter(Boolean)) {
            Object.values(material).forEach((value) => value?.isTexture && value.dispose());
            material.dispose();
        }
    });
}

export class Scene {
    // Throws where there is no WebGL.
    constructor(canvas, {onPick}) {
        const context = canvas.getContext('webgl2', {antialias: true, alpha: true, preserveDrawingBuffer: true});
        if (!context)
            throw new Error('no WebGL');
        this.canvas = canvas;
        this.onPick = onPick;
        this.renderer = new THREE.WebGLRenderer({canvas, context});
        this.renderer.toneMapping = THREE.NeutralToneMapping;
        this.scene = new THREE.Scene();
        this.camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.addEventListener('change', () => this.invalidate());
        const studio = new THREE.PMREMGenerator(this.renderer);
        this.room = studio.fromScene(new RoomEnvironment(), 0.04).texture;
        studio.dispose();
        this.light = new THREE.DirectionalLight(0xffffff, 1.5);
        this.fill = new THREE.HemisphereLight(0xffffff, 0x666666, 1);
        this.scene.add(this.light, this.fill);
        this.marks = new THREE.Group();
        this.scene.add(this.marks);
        this.made = {};
        this.options = {environment: true, grid: true};
        this.time = 0;
        this.speed = 1;
        this.loop = true;
        this.timer = new THREE.Timer();
        this.listen();
        new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
        this.resize();
    }

    listen() {
        let down = null;
        this.canvas.addEventListener('pointerdown', (event) => { down = [event.clientX, event.clientY]; });
        this.canvas.addEventListener('pointerup', (event) => {
            if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4)
                this.pick(event);
        });
        this.canvas.addEventListener('keydown', (event) => this.key(event));
    }

    key(event) {
        const turns = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
        if (event.key in turns && !event.ctrlKey && !event.metaKey && !event.altKey) {
            const [around, up] = turns[event.key], target = this.controls.target;
            const spherical = new THREE.Spherical().setFromVector3(this.camera.position.clone().sub(target));
            spherical.theta += around * 0.15;
            spherical.phi = Math.min(Math.max(spherical.phi + up * 0.15, 0.05), Math.PI - 0.05);
            this.camera.position.setFromSpherical(spherical).add(target);
            this.controls.update();
        } else if (event.key === '+' || event.key === '-' || event.key === '=') {
            this.camera.position.sub(this.controls.target).multiplyScalar(event.key === '-' ? 1.15 : 1 / 1.15).add(this.controls.target);
            this.controls.update();
        } else if (event.key === 'f') {
            this.frame();
        } else {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
    }

    resize() {
        const {clientWidth: width, clientHeight: height} = this.canvas.parentElement;
        if (!width || !height)
            return;
        this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        this.invalidate();
    }

    // ---- Drawing when something has changed

    invalidate() {
        if (this.pending)
            return;
        this.pending = requestAnimationFrame((now) => {
            this.pending = 0;
            this.timer.update(now);
            this.draw();
        });
    }

    draw() {
        if (this.playing && this.action) {
            const duration = this.action.getClip().duration || 1;
            this.time += Math.min(this.timer.getDelta(), 0.1) * this.speed;
            if (this.time > duration) {
                this.time = this.loop ? this.time % duration : duration;
                this.playing = this.loop;
            }
            this.seek(this.time);
            this.onTime?.(this.time, this.playing);
            this.invalidate();
        }
        this.light.position.copy(this.camera.position);
        this.renderer.render(this.scene, this.camera);
    }

    // ---- The model

    async show(glb) {
        this.clear();
        const gltf = await parsed(glb);
        this.model = gltf.scene;
        this.clips = gltf.animations;
        this.associations = gltf.parser.associations;
        this.scene.add(this.model);
        const {json} = gltf.parser, before = [];
        (json.meshes ?? []).reduce((sum, {primitives}, i) => (before[i] = sum) + primitives.length, 0);
        this.mixer = new THREE.AnimationMixer(this.model);
        this.meshes = [];
        this.nodes = [];
        this.model.traverse((object) => {
            const known = this.associations.get(object);
            if (known?.nodes !== undefined)
                this.nodes[known.nodes] = object;
            if (!object.isMesh && !object.isLine && !object.isPoints)
                return;
            object.frustumCulled = false;
            object.userData.own = object.material;
            object.userData.mesh = known?.meshes ?? 0;
            object.userData.primitive = known?.primitives ?? 0;
            object.userData.number = before[object.userData.mesh] + object.userData.primitive; // through all meshes
            object.userData.material = json.meshes[object.userData.mesh].primitives[object.userData.primitive].material ?? -1;
            this.meshes.push(object);
        });
        this.apply(this.options);
        this.frame();
        if (this.clips.length)
            this.choose(0);
    }

    clear() {
        this.stop();
        for (const object of [this.model, this.extras])
            if (object) {
                this.scene.remove(object);
                dispose(object);
            }
        this.mark([]);
        this.model = this.extras = this.action = null;
        this.meshes = [];
        this.clips = [];
    }

    box() {
        const box = new THREE.Box3();
        for (const mesh of this.meshes) {
            if (mesh.isSkinnedMesh)
                mesh.computeBoundingBox();
            else
                mesh.geometry.computeBoundingBox();
            box.union((mesh.isSkinnedMesh ? mesh.boundingBox : mesh.geometry.boundingBox).clone().applyMatrix4(mesh.matrixWorld));
        }
        if (box.isEmpty() && this.model)
            box.setFromObject(this.model);
        return box.isEmpty() ? new THREE.Box3(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1)) : box;
    }

    frame() {
        this.scene.updateMatrixWorld(true);
        const sphere = this.box().getBoundingSphere(new THREE.Sphere()), radius = Math.max(sphere.radius, 1e-6);
        const angle = THREE.MathUtils.degToRad(this.camera.fov / 2), across = Math.atan(Math.tan(angle) * this.camera.aspect);
        const distance = radius / Math.sin(Math.min(angle, across)) * 1.05;
        this.camera.near = distance / 1000;
        this.camera.far = distance * 100;
        this.camera.updateProjectionMatrix();
        this.camera.position.copy(sphere.center).add(new THREE.Vector3(0.45, 0.35, 0.82).multiplyScalar(distance));
        this.controls.target.copy(sphere.center);
        this.controls.update();
        this.invalidate();
    }

    // ---- How it is shown

    apply(options) {
        this.options = {...options};
        const {surface, wireframe, only} = options;
        if (surface)
            this.made[surface] ??= surfaces[surface]();
        for (const object of this.meshes ?? []) {
            object.material = surface && object.isMesh ? this.made[surface] : object.userData.own;
            object.visible = !only || only(object.userData);
        }
        for (const material of new Set((this.meshes ?? []).map((object) => object.material)))
            if ('wireframe' in material)
                material.wireframe = Boolean(wireframe);
        this.scene.environment = options.environment ? this.room : null;
        this.fill.intensity = options.environment ? 0 : 1.5;
        this.addExtras();
        this.invalidate();
    }

    addExtras() {
        if (this.extras) {
            this.scene.remove(this.extras);
            dispose(this.extras);
        }
        this.extras = new THREE.Group();
        this.scene.add(this.extras);
        if (!this.model)
            return;
        this.scene.updateMatrixWorld(true);
        const box = this.box(), size = box.getSize(new THREE.Vector3());
        if (this.options.grid) {
            const step = 10 ** Math.floor(Math.log10(Math.max(size.x, size.z, 1e-6))), grid = new THREE.GridHelper(20 * step, 20, 0x888888, 0x888888);
            grid.material.transparent = true;
            grid.material.opacity = 0.35;
            grid.position.set(0, Math.min(box.min.y, 0), 0);
            this.extras.add(grid);
        }
        if (this.options.bounds)
            this.extras.add(new THREE.Box3Helper(box, 0xe08a00));
        if (this.options.skeleton) {
            const helper = new THREE.SkeletonHelper(this.model);
            helper.material.depthTest = false;
            this.extras.add(helper);
        }
    }

    // ---- Clips

    choose(index) {
        this.mixer.stopAllAction();
        this.action = index >= 0 ? this.mixer.clipAction(this.clips[index]) : null;
        this.action?.play();
        this.seek(0);
        if (!this.action)
            this.resetPose();
    }

    resetPose() {
        this.mixer.update(0);
        this.invalidate();
    }

    seek(seconds) {
        this.time = seconds;
        if (this.action) {
            this.action.time = seconds;
            this.mixer.update(0);
        }
        this.invalidate();
    }

    play() {
        if (!this.action)
            return;
        if (this.time >= this.action.getClip().duration)
            this.time = 0;
        this.playing = true;
        this.timer.update();
        this.invalidate();
    }

    stop() {
        this.playing = false;
    }

    get mayPlayAtOnce() {
        return !still.matches;
    }

    // ---- Clicking

    pick(event) {
        const rect = this.canvas.getBoundingClientRect();
        this.pickAt(2 * (event.clientX - rect.left) / rect.width - 1, 1 - 2 * (event.clientY - rect.top) / rect.height, event.shiftKey);
    }

    pickAt(x, y, vertex = false) {
        const ray = new THREE.Raycaster();
        this.scene.updateMatrixWorld(true);
        ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
        const joint = this.options.skeleton ? this.jointAt(x, y) : null;
        if (joint !== null)
            return this.onPick({node: joint});
        const [hit] = ray.intersectObjects(this.meshes.filter((object) => object.visible && object.isMesh), false);
        if (!hit)
            return this.onPick(null);
        const {mesh, primitive} = hit.object.userData;
        return this.onPick({mesh, primitive, triangle: hit.faceIndex, vertex: vertex ? this.nearestCorner(hit) : null});
    }

    // Joints are points of a few pixels.
    jointAt(x, y) {
        const half = new THREE.Vector2(this.canvas.clientWidth / 2, this.canvas.clientHeight / 2), place = new THREE.Vector3();
        let nearest = null, least = 8;
        this.nodes.forEach((object, index) => {
            if (!object.isBone)
                return;
            object.getWorldPosition(place).project(this.camera);
            const distance = Math.hypot((place.x - x) * half.x, (place.y - y) * half.y);
            if (distance < least) {
                least = distance;
                nearest = index;
            }
        });
        return nearest;
    }

    nearestCorner(hit) {
        const places = ['a', 'b', 'c'].map((corner) => placeOf(hit.object, hit.face[corner]));
        const distances = places.map((place) => place.distanceTo(hit.point));
        return distances.indexOf(Math.min(...distances));
    }

    // ---- Lighting up what bytes make: [{mesh, primitive, triangles?, vertices?}] and nodes

    mark(elements, nodes = []) {
        dispose(this.marks);
        this.marks.clear();
        for (const element of elements)
            for (const object of (this.meshes ?? []).filter(({userData: d}) => d.mesh === element.mesh && d.primitive === element.primitive))
                this.markIn(object, element);
        const places = nodes.map((index) => this.nodes[index]?.getWorldPosition(new THREE.Vector3())).filter(Boolean);
        if (places.length)
            this.addPoints(places, 12);
        this.invalidate();
    }

    markIn(object, {triangles = [], vertices = []}) {
        const index = object.geometry.index;
        const place = (vertex) => placeOf(object, vertex);
        if (triangles.length) {
            const corners = triangles.flatMap((triangle) => [0, 1, 2].map((k) => place(index ? index.getX(3 * triangle + k) : 3 * triangle + k)));
            const geometry = new THREE.BufferGeometry().setFromPoints(corners);
            this.marks.add(new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({
                color: 0xff5a00, side: THREE.DoubleSide, transparent: true, opacity: 0.75, depthTest: false})));
        }
        if (vertices.length)
            this.addPoints(vertices.map(place), 7);
    }

    addPoints(places, size) {
        this.marks.add(new THREE.Points(new THREE.BufferGeometry().setFromPoints(places),
            new THREE.PointsMaterial({color: 0xff5a00, size, sizeAttenuation: false, depthTest: false})));
    }

    // ---- Comparing: colours the surface by the distance to another model of the same triangles. Returns the greatest, or null.

    async colorByDistance(glb) {
        const other = (await parsed(glb)).scene;
        const meshes = [];
        other.updateMatrixWorld(true);
        other.traverse((object) => object.isMesh && meshes.push(object));
        const own = this.meshes.filter((object) => object.isMesh);
        const alike = meshes.length === own.length &&
            meshes.every((mesh, i) => mesh.geometry.attributes.position.count === own[i].geometry.attributes.position.count);
        const distances = alike ? own.map((mesh, i) => this.distances(mesh, meshes[i])) : [];
        const greatest = Math.max(0, ...distances.map((list) => list.reduce((a, b) => Math.max(a, b), 0)));
        distances.forEach((list, i) => this.tint(own[i], list, greatest));
        dispose(other);
        this.invalidate();
        return alike ? greatest : null;
    }

    distances(a, b) {
        return Float32Array.from({length: a.geometry.attributes.position.count}, (_, i) => placeOf(a, i).distanceTo(placeOf(b, i)));
    }

    tint(mesh, distances, greatest) {
        const colors = new Float32Array(3 * distances.length);
        distances.forEach((distance, i) => {
            const t = greatest ? distance / greatest : 0;
            colors.set([0.25 + 0.75 * t, 0.55 * (1 - t), 0.9 * (1 - t)], 3 * i);
        });
        mesh.geometry.setAttribute('color', new THREE.BufferAttribute(colors, 3));
        mesh.material = this.made.colors ??= surfaces.colors();
    }
}
