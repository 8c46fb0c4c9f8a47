// The model in three.js: what it looks like, how it moves, what was clicked on. Knows nothing of files or bytes.
import * as THREE from 'three';
import {GLTFLoader} from 'three/examples/jsm/loaders/GLTFLoader.js';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import {RoomEnvironment} from 'three/examples/jsm/environments/RoomEnvironment.js';

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
    plain: () => new THREE.MeshBasicMaterial({color: 0xbbbbbb, side: THREE.DoubleSide}), // where there are no colours
};

// What is not in the GLB is not there at all: nothing is fetched, and a missing texture is grey.
const grey = 'data:image/gif;base64,R0lGODlhAQABAIAAAMDAwAAAACwAAAAAAQABAAACAkQBADs=';

// images: [{file, blob}], those that a GLB only names
async function parsed({glb, images}) {
    const manager = new THREE.LoadingManager(), known = new Map(images.map(({file, blob}) => [file, URL.createObjectURL(blob)]));
    manager.setURLModifier((url) => (/^(blob|data):/.test(url) ? url : known.get(decodeURIComponent(url)) ?? grey));
    const whole = glb.byteLength === glb.buffer.byteLength ? glb.buffer : glb.slice().buffer;
    const gltf = await new GLTFLoader(manager).parseAsync(whole, '');
    known.forEach((url) => URL.revokeObjectURL(url));
    gltf.scene ??= gltf.scenes[0] ?? new THREE.Group(); // a file need not have one
    return gltf;
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

const lit = {color: 0xff5a00, side: THREE.DoubleSide, transparent: true, opacity: 0.75, depthTest: false};

function dispose(object) {
    object.traverse((inner) => {
        if (!inner.userData.shared)
            inner.geometry?.dispose();
        for (const material of [inner.material].flat().filter(Boolean)) {
            Object.values(material).forEach((value) => value?.isTexture && value.dispose());
            material.dispose();
        }
    });
}

export class Scene {
    // Throws where there is no WebGL.
    constructor(canvas, {onPick, onTurn}) {
        const context = canvas.getContext('webgl2', {antialias: true, alpha: true, preserveDrawingBuffer: true});
        if (!context)
            throw new Error('no WebGL');
        this.canvas = canvas;
        Object.assign(this, {onPick, onTurn});
        this.renderer = new THREE.WebGLRenderer({canvas, context});
        this.renderer.toneMapping = THREE.NeutralToneMapping;
        this.scene = new THREE.Scene();
        this.camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.addEventListener('change', () => this.invalidate());
        this.controls.addEventListener('end', () => this.onTurn());
        this.light = new THREE.DirectionalLight(0xffffff, 1.5);
        this.fill = new THREE.HemisphereLight(0xffffff, 0x666666, 1);
        this.scene.add(this.light, this.fill);
        this.marks = new THREE.Group();
        this.scene.add(this.marks);
        this.made = {};
        this.options = {};
        this.listen();
        new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
        this.resize();
    }

    // Whether a processor draws.
    get isSlow() {
        const gl = this.renderer.getContext(), more = gl.getExtension('WEBGL_debug_renderer_info');
        return /swiftshader|llvmpipe|software|basic render/i.test(gl.getParameter(more ? more.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
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
            this.onTurn();
        } else if (event.key === '+' || event.key === '-' || event.key === '=') {
            this.camera.position.sub(this.controls.target).multiplyScalar(event.key === '-' ? 1.15 : 1 / 1.15).add(this.controls.target);
            this.controls.update();
            this.onTurn();
        } else if (event.key === 'f' || event.key === 'F') {
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
        this.setAspect();
    }

    setAspect() {
        const {clientWidth: width, clientHeight: height} = this.canvas.parentElement;
        this.camera.aspect = width / height / (this.beside ? 2 : 1);
        this.camera.updateProjectionMatrix();
        this.invalidate();
    }

    // ---- Drawing when something has changed

    invalidate() {
        if (this.pending)
            return;
        this.pending = requestAnimationFrame(() => {
            this.pending = 0;
            this.draw();
        });
    }

    draw() {
        this.light.position.copy(this.camera.position);
        if (this.beside)
            this.drawBoth();
        else
            this.renderer.render(this.scene, this.camera);
    }

    // Two models seen from the same place, each in its half.
    drawBoth() {
        const {clientWidth: width, clientHeight: height} = this.canvas.parentElement, half = width / 2;
        this.renderer.setScissorTest(true);
        for (const side of [0, 1]) {
            this.model.visible = this.marks.visible = side === 0;
            this.beside.model.visible = side === 1;
            this.renderer.setViewport(side * half, 0, half, height);
            this.renderer.setScissor(side * half, 0, half, height);
            this.renderer.render(this.scene, this.camera);
        }
        this.model.visible = this.marks.visible = true;
        this.renderer.setScissorTest(false);
        this.renderer.setViewport(0, 0, width, height);
    }

    // ---- The model

    // From the same place as before if that is wanted: of a model that has only changed.
    async show(drawing, keepView = false) {
        const gltf = await parsed(drawing);
        this.clear();
        this.model = gltf.scene;
        this.clips = gltf.animations;
        this.scene.add(this.model);
        this.mixer = new THREE.AnimationMixer(this.model);
        this.meshes = this.meshesOf(gltf);
        this.nodes = [];
        this.model.traverse((object) => {
            const number = gltf.parser.associations.get(object)?.nodes;
            if (number !== undefined)
                this.nodes[number] = object;
        });
        this.apply(this.options);
        if (!keepView)
            this.frame();
        if (this.clips.length)
            this.choose(0);
    }

    // All that is drawn, and as what the GLB knows it.
    meshesOf({scene, parser: {json, associations}}) {
        const meshes = [], before = [];
        (json.meshes ?? []).reduce((sum, {primitives}, i) => (before[i] = sum) + primitives.length, 0);
        scene.traverse((object) => {
            if (!object.isMesh && !object.isLine && !object.isPoints)
                return;
            const {meshes: mesh = 0, primitives: primitive = 0} = associations.get(object) ?? {};
            object.frustumCulled = false;
            Object.assign(object.userData, {own: object.material, mesh, primitive, number: before[mesh] + primitive, // through all meshes
                material: json.meshes[mesh].primitives[primitive].material ?? -1});
            meshes.push(object);
        });
        return meshes;
    }

    clear() {
        this.endComparison();
        for (const object of [this.model, this.extras])
            if (object) {
                this.scene.remove(object);
                dispose(object);
            }
        this.meshes = [];
        this.clips = [];
        this.nodes = [];
        this.model = this.extras = this.action = null;
        this.mark([]);
    }

    box() {
        const box = new THREE.Box3();
        for (const mesh of this.meshes) {
            if (mesh.isSkinnedMesh)
                mesh.computeBoundingBox();
            else if (!mesh.geometry.boundingBox) // the GLB says it
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
        const distance = this.framed = radius / Math.sin(Math.min(angle, across)) * 1.05;
        this.camera.near = distance / 1000;
        this.camera.far = distance * 100;
        this.camera.updateProjectionMatrix();
        this.camera.position.copy(sphere.center).add(new THREE.Vector3(0.45, 0.35, 0.82).multiplyScalar(distance));
        this.controls.target.copy(sphere.center);
        this.controls.update();
        this.invalidate();
        this.onTurn();
    }

    // From where it is seen, as Stele's own pictures take it.
    get view() {
        const {x, y, z} = this.camera.position.clone().sub(this.controls.target), degrees = THREE.MathUtils.radToDeg;
        return {yaw: degrees(Math.atan2(-x, z)), pitch: degrees(Math.atan2(y, Math.hypot(x, z))), distance: 1.25 * Math.hypot(x, y, z) / (this.framed || 1)};
    }

    // ---- How it is shown

    apply(options) {
        this.options = {...options};
        const {surface, wireframe, only} = options;
        for (const object of this.meshes ?? []) {
            object.material = this.materialOf(object, surface);
            object.visible = !only || only(object.userData);
        }
        for (const material of new Set((this.meshes ?? []).map((object) => object.material)))
            if ('wireframe' in material)
                material.wireframe = Boolean(wireframe);
        this.scene.environment = options.environment && this.model ? this.room : null;
        this.fill.intensity = options.environment ? 0 : 2.5;
        this.addExtras();
        this.invalidate();
    }

    // Made when it is first needed: without a graphics card that takes seconds.
    get room() {
        if (!this.room_) {
            const studio = new THREE.PMREMGenerator(this.renderer);
            this.room_ = studio.fromScene(new RoomEnvironment(), 0.04).texture;
            studio.dispose();
        }
        return this.room_;
    }

    // Compared models have their colours, whatever else is wanted.
    materialOf(object, surface) {
        const missing = surface === 'colors' && !object.geometry.attributes.color, name = this.beside ? 'colors' : missing ? 'plain' : surface;
        return name && object.isMesh ? (this.made[name] ??= surfaces[name]()) : object.userData.own;
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
        if (this.action) {
            this.action.time = seconds;
            this.mixer.update(0);
        }
        this.invalidate();
    }

    // ---- Clicking

    pick(event) {
        const rect = this.canvas.getBoundingClientRect();
        this.pickAt(2 * (event.clientX - rect.left) / rect.width - 1, 1 - 2 * (event.clientY - rect.top) / rect.height, event.shiftKey);
    }

    pickAt(place, y, vertex = false) {
        if (this.beside && place > 0)
            return null; // the other model
        const x = this.beside ? 2 * place + 1 : place; // of its half
        const ray = new THREE.Raycaster();
        this.scene.updateMatrixWorld(true);
        this.camera.updateMatrixWorld(); // it may not have drawn yet
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

    // All of a mesh, as it is posed: a second one of the same geometry.
    overlay(object) {
        const twin = object.clone(false);
        twin.material = new THREE.MeshBasicMaterial({...lit, opacity: 0.4, depthTest: true, polygonOffset: true, polygonOffsetFactor: -1});
        twin.matrixAutoUpdate = twin.matrixWorldAutoUpdate = false;
        twin.matrixWorld.copy(object.matrixWorld);
        twin.userData = {shared: true}; // its geometry is the model's
        return twin;
    }

    markIn(object, {triangles = [], vertices = [], whole = false}) {
        const index = object.geometry.index;
        const place = (vertex) => placeOf(object, vertex);
        if (whole)
            this.marks.add(this.overlay(object));
        if (triangles.length) {
            const corners = triangles.flatMap((triangle) => [0, 1, 2].map((k) => place(index ? index.getX(3 * triangle + k) : 3 * triangle + k)));
            const geometry = new THREE.BufferGeometry().setFromPoints(corners);
            this.marks.add(new THREE.Mesh(geometry, new THREE.MeshBasicMaterial(lit)));
        }
        if (vertices.length)
            this.addPoints(vertices.map(place), 7);
    }

    addPoints(places, size) {
        this.marks.add(new THREE.Points(new THREE.BufferGeometry().setFromPoints(places),
            new THREE.PointsMaterial({color: 0xff5a00, size, sizeAttenuation: false, depthTest: false})));
    }

    // ---- Comparing: the other model beside this one, both coloured by how far they are from each other. Returns the greatest distance.

    // measure({points, corners}) gives a promise of {distances}.
    async compare(drawing, measure) {
        const gltf = await parsed(drawing);
        this.endComparison();
        this.beside = {model: gltf.scene, meshes: this.meshesOf(gltf)};
        this.scene.add(gltf.scene);
        this.mixer.stopAllAction(); // both as they stand
        this.scene.updateMatrixWorld(true);
        const lists = await distancesBetween(this.meshes, this.beside.meshes, measure);
        const greatest = lists.flat().reduce((most, list) => list.reduce((a, b) => (Number.isFinite(b) ? Math.max(a, b) : a), most), 0);
        [this.meshes, this.beside.meshes].forEach((meshes, side) =>
            meshes.filter(({isMesh}) => isMesh).forEach((mesh, i) => tint(mesh, lists[side][i], greatest)));
        this.action?.play();
        for (const mesh of this.beside.meshes)
            mesh.material = this.materialOf(mesh);
        this.apply(this.options);
        this.setAspect();
        this.frame();
        return greatest;
    }

    endComparison() {
        if (!this.beside)
            return;
        this.scene.remove(this.beside.model);
        for (const mesh of this.beside.meshes)
            mesh.material = mesh.userData.own;
        dispose(this.beside.model);
        this.beside = null;
        for (const mesh of this.meshes.filter(({userData}) => userData.geometry)) {
            mesh.geometry.dispose();
            mesh.geometry = mesh.userData.geometry;
        }
        this.apply(this.options);
        this.setAspect();
        this.frame();
    }
}

// Where all vertices of a mesh are.
function placesOf(mesh) {
    const places = new Float32Array(3 * mesh.geometry.attributes.position.count);
    for (let i = 0; i < places.length / 3; i++)
        placeOf(mesh, i).toArray(places, 3 * i);
    return places;
}

function cornersOf(mesh, places) {
    const {index} = mesh.geometry, count = index ? index.count : places.length / 3, corners = new Float32Array(3 * count);
    for (let i = 0; i < count; i++) {
        const vertex = index ? index.getX(i) : i;
        corners.set(places.subarray(3 * vertex, 3 * vertex + 3), 3 * i);
    }
    return corners;
}

function joined(lists) {
    const all = new Float32Array(lists.reduce((sum, {length}) => sum + length, 0));
    lists.reduce((at, list) => (all.set(list, at), at + list.length), 0);
    return all;
}

// Of every vertex of both: from its counterpart if both have the same triangles, otherwise from the other surface. [[a list a mesh], [...]]
async function distancesBetween(one, other, measure) {
    const sides = [one, other].map((meshes) => meshes.filter(({isMesh}) => isMesh)), places = sides.map((meshes) => meshes.map(placesOf));
    const corners = sides.map((meshes, side) => meshes.map((mesh, i) => cornersOf(mesh, places[side][i])));
    if (sides[0].length === sides[1].length && sides[0].every((mesh, i) => sameTriangles(mesh.geometry, sides[1][i].geometry))) {
        const lists = places[0].map((list, mesh) => Float32Array.from({length: list.length / 3}, (_, i) =>
            Math.hypot(...[0, 1, 2].map((k) => list[3 * i + k] - places[1][mesh][3 * i + k]))));
        return [lists, lists];
    }
    const surfaces = corners.map(joined);
    return Promise.all(places.map((lists, side) => Promise.all(lists.map(async (points) =>
        (await measure({points, corners: surfaces[1 - side]})).distances))));
}

function sameTriangles(a, b) {
    const alike = (x, y) => x.count === y.count && x.array.length === y.array.length && x.array.every((value, i) => value === y.array[i]);
    return a.attributes.position.count === b.attributes.position.count && (a.index && b.index ? alike(a.index, b.index) : a.index === b.index);
}

// From blue, where nothing differs, to red.
function tint(mesh, distances, greatest) {
    const colors = new Float32Array(3 * distances.length);
    distances.forEach((distance, i) => {
        const t = greatest ? Math.min(distance / greatest, 1) : 0;
        colors.set([0.25 + 0.75 * t, 0.55 * (1 - t), 0.9 * (1 - t)], 3 * i);
    });
    const {index, attributes, morphAttributes, morphTargetsRelative} = mesh.userData.geometry = mesh.geometry; // others may share it
    mesh.geometry = Object.assign(new THREE.BufferGeometry(), {index, attributes: {...attributes}, morphAttributes, morphTargetsRelative});
    mesh.geometry.setAttribute('color', new THREE.BufferAttribute(colors, 3));
}
