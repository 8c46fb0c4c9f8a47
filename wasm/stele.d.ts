/** Stele: the model files of small game engines, read, checked, explained, drawn and converted. */

/** A file, or the bytes of one. */
export type Bytes = Uint8Array | ArrayBuffer | ArrayBufferView;

/** How a call ended. `internal` is a mistake of Stele's. */
export type Status = 'ok' | 'damaged' | 'usage' | 'io' | 'unsupported' | 'no-memory' | 'cancelled' | 'lossy' | 'different' | 'exists' | 'internal';

export type Severity = 'note' | 'warning' | 'loss' | 'error';

/** One kind of finding in one place. */
export interface Diagnostic {
    /** Stable, such as `index-out-of-range`. */
    id: string;
    severity: Severity;
    /** Of the first byte concerned. */
    offset: number | null;
    /** The offset counts in the unpacked content of a compressed file. */
    unpacked?: true;
    /** Such as `mesh[2].indices[17]`; empty for the file as a whole. */
    path: string;
    count: number;
    /** For people; may change. */
    text: string;
}

/** What could not be done, and what was found on the way. */
export class SteleError extends Error {
    readonly status: Status;
    readonly diagnostics: Diagnostic[];
}

/** Where `stele.wasm` is, or what it is. Default: beside the module. */
export type Source = string | URL | Response | Bytes | WebAssembly.Module;

/** Loads Stele. Each result has a memory of its own. */
export function load(source?: Source | Promise<Source>): Promise<Stele>;

export interface FormatInfo {
    name: string;
    title: string;
    /** Without dots. */
    extensions: string[];
    capabilities: string[];
    /** Capabilities that a second file beside it adds. */
    beside: string[];
    dialects: { name: string; title: string; read: boolean; write: boolean }[];
    /** What the option `set` decides; the first value is the default. */
    choices: { name: string; title: string; values: string[] }[];
}

export interface OpenOptions {
    /** The file's name: its extension breaks ties, and outputs are named after it. */
    name?: string;
    /** Finds a file that the model refers to by name, such as a texture or an animation; null if there is none. Called at most
     * once a name. It cannot wait: have the files at hand. */
    lookup?: (name: string) => Bytes | null | undefined;
    /** A format's name, to skip detection. */
    format?: string;
    /** `safe` (default): what using the data needs; `structure`: the least; `full`: all that Stele knows. */
    check?: 'safe' | 'structure' | 'full';
    /** With `full`: an engine whose limits are checked too, such as `rayne`. */
    target?: string;
    /** Raises, lowers or silences findings by their ids. */
    severity?: Record<string, Severity | 'off'>;
    /** Decides what a format leaves open, such as `{ 'ctc.bind': 'forward' }`. */
    set?: Record<string, string>;
    /** Frames a second, where the format counts frames. */
    fps?: number;
    /** Take everything literally. */
    noRepair?: boolean;
    /** Follow names that lead out of the model's folder. */
    allowOutside?: boolean;
    /** Remember where everything in the model came from. */
    origins?: boolean;
    /** Most bytes for this file, besides its own. Default: 3 GiB. */
    memoryLimit?: number;
}

export interface Stele {
    readonly version: string;
    readonly formats: FormatInfo[];
    /** Bytes of memory that WebAssembly has. */
    readonly memory: number;
    /** Opens the bytes of a file, which are copied. A damaged or unknown one is opened too: `status` and `diagnostics` say so.
     * Throws if an option makes no sense or there is no memory. */
    open(data: Bytes, options?: OpenOptions): SteleFile;
    /** The pixels of a PNG, JPEG, WebP, TGA, BMP or DDS image, such as a texture in a format that browsers do not know. A TGA is known
     * by its name only. Throws if it is of another kind or damaged. */
    decodePicture(data: Bytes, name?: string): Picture;
}

/** Pixels as ImageData has them, from the top. */
export interface Picture {
    width: number;
    height: number;
    data: Uint8ClampedArray;
}

export interface ConvertOptions {
    dialect?: string;
    /** Name the files of textures (default), put them beside the output, or into it. */
    textures?: 'refer' | 'copy' | 'embed';
    /** Frames a second, where the format counts frames. */
    fps?: number;
    /** Throw if anything would be lost. */
    strict?: boolean;
    /** A static model of a moment of this clip, by number or name. */
    clip?: number | string;
    /** Seconds. */
    time?: number;
    /** Compute normals where there are none. */
    normals?: boolean;
}

export interface RenderOptions {
    /** In pixels. Default: 512; the height is as the width. */
    width?: number;
    height?: number;
    /** Degrees round the model and up; a distance of 1 fills the picture. */
    yaw?: number;
    pitch?: number;
    distance?: number;
    /** A moment of a clip, by number or name; otherwise at rest. */
    clip?: number | string;
    time?: number;
    up?: 'x' | 'y' | 'z';
    /** `#rrggbb`, `#rrggbbaa` or `transparent`. */
    background?: string;
    wireframe?: boolean;
    joints?: boolean;
    normals?: boolean;
    uvChecker?: boolean;
    bounds?: boolean;
    grid?: boolean;
    shadow?: boolean;
}

export interface OutputFile {
    name: string;
    bytes: Uint8Array;
}

/** An opened file. It is freed by `close`, or when it is garbage. */
export interface SteleFile {
    /** Such as `sgm`; null if it is of no known format. */
    readonly format: string | null;
    readonly dialect: string | null;
    /** What opening said. */
    readonly status: Status;
    readonly message: string;
    /** All that was found so far, losses of conversions included. */
    readonly diagnostics: Diagnostic[];
    readonly closed: boolean;
    info(): Info;
    explain(options?: { at?: number }): Explanation;
    /** The content of a file that is compressed as a whole, in which fields and origins that are `unpacked` count; null for others. */
    unpacked(): Uint8Array | null;
    /** Throws if the file has errors. */
    model(): Model;
    /** What differs between two models, by what is drawn and how it moves: everything that was compared. */
    diff(other: SteleFile, options?: { tolerance?: number }): Difference[];
    /** Where a part of the model came from, with the option `origins`. Primitives are counted through all meshes. */
    origin(part: 'node' | 'primitive' | 'material' | 'texture' | 'clip', index: number): Origin | null;
    /** The file in another format, as one file. In its own it comes back byte for byte. */
    convert(format: string, options?: ConvertOptions): Uint8Array;
    /** The same as all files that belong to it; the one that was asked for comes first. */
    convertToFiles(format: string, options?: ConvertOptions & { name?: string }): OutputFile[];
    /** The same bytes on every machine. */
    render(options?: RenderOptions): Picture;
    png(options?: RenderOptions): Uint8Array;
    close(): void;
}

export interface Bounds {
    min: [number, number, number];
    max: [number, number, number];
}

/** What is in a file, as `stele info --json` says it. */
export interface Info {
    format: string | null;
    dialect: string | null;
    bytes: number;
    meshes: { vertices: number; indices: number; triangles: number; attributes: string[]; material: number | null; bounds: Bounds | null }[];
    materials: {
        textures: { name: string; role: string; uv_set: number; found: string | null; inside: boolean }[];
        colors: { role: string; rgba: [number, number, number, number] }[];
    }[];
    skeleton: string | null;
    joints: number;
    clips: { name: string; seconds: number; tracks: number; keys: number }[];
    morphs: number;
    attachments: number;
    companions: { role: string; name: string; found: boolean }[];
    bounds: Bounds | null;
}

/** Numbers that are not finite are the strings `NaN`, `Infinity` and `-Infinity`. */
export type FieldNumber = number | 'NaN' | 'Infinity' | '-Infinity';

export interface Field {
    offset: number;
    size: number;
    /** Such as `mesh[0].vertex_count`; empty for a gap. */
    path: string;
    /** `u32`, `char[12]`, `f32x3[66]`, `row[66]`, `bytes[40]` or `gap`. */
    type: string;
    value: FieldNumber | string | FieldNumber[] | FieldSummary | null;
    /** Of an enumerated value, such as `normal map`. */
    meaning?: string;
    /** With `at`: the element of an array that owns the byte. */
    element?: { offset: number; size: number; path: string; type: string; value: FieldNumber };
}

export interface FieldSummary {
    count: number;
    stride: number;
    columns: { name?: string; type: string; components: number; first: FieldNumber[]; min: (FieldNumber | null)[]; max: (FieldNumber | null)[] }[];
}

/** Fields cover every byte exactly once, in order. */
export interface Explanation {
    fields: Field[];
    /** Of a compressed file: the fields of its unpacked content. */
    unpacked?: Field[];
}

/** Bytes that something was made of. */
export interface Origin {
    /** null: the file itself; otherwise one that lookup found. */
    file: string | null;
    unpacked: boolean;
    offset: number;
    /** 0 for parts: see what `explain` says of the path. */
    size: number;
    path: string;
}

export type NumberArray = Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Float32Array;

/** One thing that was compared: single values as texts, of many the largest difference. */
export interface Difference {
    readonly path: string;
    readonly a: string | null;
    readonly b: string | null;
    readonly error: number;
    readonly equal: boolean;
}

/** Rows of numbers in Stele's memory. What `array` and `bytes` give without a copy is good until the next call of Stele or the
 * end of the file: ask again then, or take a copy. */
export interface View {
    readonly count: number;
    readonly components: number;
    readonly type: 'u8' | 'i8' | 'u16' | 'i16' | 'u32' | 'f32';
    /** Bytes from row to row. */
    readonly stride: number;
    /** Integers stand for 0 to 1, or -1 to 1. */
    readonly normalized: boolean;
    /** Whether `array` is without a copy. */
    readonly packed: boolean;
    /** All numbers, row by row: where they are if they are packed, and a copy otherwise. */
    readonly array: NumberArray;
    /** All rows as they are, for a GPU that knows strides; never a copy. */
    readonly bytes: Uint8Array;
    copy(): NumberArray;
    /** Which bytes a row was made of, with the option `origins`; null if none. */
    origin(row: number): Origin | null;
    /** Which rows were made of bytes of a file, null being the file itself, from `begin` to before `end`; at most `most`. */
    rowsAt(file: string | null, begin: number, end: number, most?: number, options?: { unpacked?: boolean }): number[];
}

export type Properties = Record<string, unknown>;

/** What a file means, in the shape of glTF 2.0: right-handed, Y up, metres and seconds. Indices are into the other arrays. */
export interface Model {
    name: string | null;
    nodes: Node[];
    /** All nodes, parents before their children. */
    order: number[];
    meshes: Mesh[];
    skins: { name: string | null; joints: number[]; inverseBind: View | null; skeleton: number | null; properties: Properties }[];
    clips: Clip[];
    materials: Material[];
    textures: Texture[];
    properties: Properties;
}

export interface Node {
    name: string | null;
    parent: number | null;
    translation: number[];
    rotation: number[];
    scale: number[];
    /** Instead of the three, if it is there. */
    matrix: number[] | null;
    mesh: number | null;
    skin: number | null;
    weights: number[] | null;
    attachment: boolean;
    properties: Properties;
}

export interface Mesh {
    name: string | null;
    primitives: Primitive[];
    weights: number[] | null;
    properties: Properties;
}

export interface Primitive {
    topology: 'triangles' | 'lines' | 'points';
    vertexCount: number;
    attributes: { semantic: 'position' | 'normal' | 'tangent' | 'uv' | 'color' | 'joints' | 'weights'; set: number; view: View }[];
    /** null: the vertices follow each other. */
    indices: View | null;
    material: number | null;
    morphs: { name: string | null; vertices: View | null; position: View | null; normal: View | null; tangent: View | null }[];
    properties: Properties;
}

export interface Clip {
    name: string | null;
    duration: number;
    channels: {
        node: number;
        path: 'translation' | 'rotation' | 'scale' | 'weights';
        interpolation: 'linear' | 'step' | 'cubic';
        times: View;
        values: View;
    }[];
    properties: Properties;
}

export interface Material {
    name: string | null;
    baseColor: number[];
    metallic: number;
    roughness: number;
    emissive: number[];
    emissiveStrength: number;
    specular: number;
    specularColor: number[];
    textures: { role: string; texture: number; uvSet: number; strength: number; offset: number[]; rotation: number; scale: number[] }[];
    alphaMode: 'opaque' | 'mask' | 'blend';
    alphaCutoff: number;
    doubleSided: boolean;
    unlit: boolean;
    properties: Properties;
}

export interface Texture {
    name: string | null;
    /** What the name stands for beside the model; null if there is no such file. */
    file: string | null;
    /** An image inside the file. */
    data: View | null;
    mimeType: string | null;
    /** As glTF numbers them; 0: not said. */
    wrapU: number;
    wrapV: number;
    magFilter: number;
    minFilter: number;
    properties: Properties;
}
