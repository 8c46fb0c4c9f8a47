"""The model files of small game engines, for Python: a thin layer over libstele.

    import stele

    with stele.open("hat.sgm") as file:
        for mesh in file.model.meshes:
            for primitive in mesh.primitives:
                positions = primitive[stele.POSITION]  # a numpy array that lies in the file, nothing is copied
        file.save("hat.glb", overwrite=True)

What the library returns is there under the names of stele.h: nodes, meshes, skins, clips, materials and textures are sequences of its
structs, strings are str, indices of nothing are None. Arrays are views without copies and cannot be written to; each keeps the bytes
that it lies in alive, whatever becomes of the file. What fails raises stele.Error, with the status and all diagnostics.

Node, Mesh, Primitive, Skin, Clip and so on only exist to say what members there are: their types are checked by mypy and known to
editors. docs/python.md shows what can be done.

The library is looked for in STELE_LIBRARY, beside this package, in build/ of its sources, and where the system keeps libraries.
"""
from __future__ import annotations

import ctypes
import ctypes.util
import json
import operator
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Sequence

import numpy

from . import _header
from ._header import *  # noqa: F401,F403 (the constants)

__all__ = ["Attribute", "Channel", "Clip", "Diagnostic", "Error", "File", "Format", "Material", "Mesh", "Model", "Morph", "NoSuchIndex",
           "Node", "Part",
           "Primitive", "Properties", "Property", "Skin", "Texture", "TextureUse", "Transform", "formats", "open", "version"]

_TYPES = {_header.U8: "u1", _header.I8: "i1", _header.U16: "<u2", _header.I16: "<i2", _header.U32: "<u4", _header.F32: "<f4"}
_SEVERITIES = ("off", "note", "warning", "loss", "error")
_MOST_SIDE = 65536  # of a picture, in pixels
_NO_INDEX = {"parent", "mesh", "skin", "material", "skeleton", "texture", "node"}


def _names() -> tuple[str, ...]:
    return ("stele.dll",) if os.name == "nt" else ("libstele.so", "libstele.dylib")


def _find() -> str:
    """The path of the library, or its name for the system."""
    said = os.environ.get("STELE_LIBRARY")
    if said:
        if not Path(said).exists():
            raise ImportError(f"STELE_LIBRARY is {said}, and there is no such file")
        return said
    here = Path(__file__).resolve()
    for folder in (here.parent, here.parents[2] / "build"):
        for name in _names():
            if (folder / name).exists():
                return str(folder / name)
    found = ctypes.util.find_library("stele")
    if not found:
        raise ImportError(f"{_names()[0]} is not found: install Stele (make install), or set STELE_LIBRARY to the path of it")
    return found


class _Whole:
    """A parameter of a whole number, which must be in its range: ctypes itself cuts off what does not fit, and -1 becomes NONE."""

    def __init__(self, kind: type):
        self.kind = kind

    def from_param(self, value: Any) -> Any:
        if isinstance(value, self.kind):
            return value
        made = self.kind(value)
        if made.value != value:
            raise OverflowError(f"{value} is beyond the range of {self.kind.__name__}")
        return made


def _parameters(kinds: Any) -> list[Any]:
    return [_Whole(kind) if type(getattr(kind(), "value", None)) is int else kind for kind in kinds]


def _load() -> ctypes.CDLL:
    place = _find()
    try:
        library = ctypes.CDLL(place)
        for name, (returned, arguments) in _header.FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = returned, _parameters(arguments)
    except OSError as problem:
        raise ImportError(f"{place} cannot be loaded: {problem}") from problem
    except AttributeError as problem:
        raise ImportError(f"{place} is of another version of Stele than this package: {problem}") from problem
    return library


_library = _load()


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _text_or_none(value: bytes | None) -> str | None:
    return None if value is None else _text(value)


def version() -> str:
    return _text(_library.stele_version())


# ---- What can be read and written


@dataclass(frozen=True)
class Format:
    name: str
    title: str
    extensions: tuple[str, ...]
    dialects: tuple[str, ...]


def formats() -> Iterator[Format]:
    """All formats of the library."""
    index = 0
    while info := _library.stele_format_at(index):
        f = info.contents
        yield Format(_text(f.name), _text(f.title), tuple(_text(f.extensions).split()),
                     tuple(_text(f.dialects[i].name) for i in range(f.dialect_count)))
        index += 1


# ---- What went wrong


@dataclass(frozen=True)
class Diagnostic:
    id: str
    severity: str
    offset: int | None
    count: int
    path: str
    text: str


class Error(Exception):
    """A call that failed: its status (a number of stele_status), its message, and the diagnostics of the file."""

    def __init__(self, status: int, message: str, diagnostics: Sequence[Diagnostic] = ()):
        super().__init__(message)
        self.status, self.message, self.diagnostics = status, message, list(diagnostics)


class NoSuchIndex(Error, IndexError):
    """A number of no clip, skin or texture."""


def _index(number: int, count: int, what: str) -> int:
    if not 0 <= operator.index(number) < count:
        raise NoSuchIndex(_header.USAGE, f"there is no {what} {number}")
    return operator.index(number)


def _uncut(text: bytes) -> bytes:
    if b"\0" in text:
        raise Error(_header.USAGE, f"there is a NUL in {_text(text)!r}, where C would cut it off")
    return text


def _path(path: str | os.PathLike) -> bytes:
    return _uncut(os.fsencode(path))


def _name(name: str) -> bytes:
    return _uncut(name.encode("utf-8", "surrogateescape"))


def _name_or_none(name: str | None) -> bytes | None:
    return _name(name) if name else None


# ---- Models


class _Handle:
    """Closes the file when nobody has anything of it any more: neither the file nor an array."""

    def __init__(self, pointer: int, data: Any = None):
        self.pointer, self.data = pointer, data

    def __del__(self, close=_library.stele_close):
        close(self.pointer)


def _array(view: _header.stele_view, handle: _Handle) -> numpy.ndarray:
    """The rows of a view where they lie."""
    kind = numpy.dtype(_TYPES[view.type])
    if not view.count:
        return numpy.empty((0, view.components), kind)
    size = (view.count - 1) * view.stride + view.components * kind.itemsize
    memory = (ctypes.c_char * size).from_address(view.data)
    memory.handle = handle
    # A write to a mapped file ends the process. frombuffer keeps that this is read-only; ndarray would ask what is behind it.
    read_only = numpy.frombuffer(memoryview(memory).toreadonly(), numpy.uint8)
    return numpy.ndarray((view.count, view.components), kind, read_only, 0, (view.stride, kind.itemsize))


class Part:
    """A struct of stele.h with its members: arrays of structs as lists of parts, views as numpy arrays."""

    def __init__(self, struct: ctypes.Structure, handle: _Handle):
        self._struct, self._handle = struct, handle

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            raise AttributeError(f"{name} cannot be changed: a part is made anew each time, and what is set would be lost")
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return [name for name, _ in self._struct._fields_]

    def __repr__(self) -> str:
        name = getattr(self._struct, "name", None)
        return f"<{type(self._struct).__name__}{'' if name is None else ' ' + repr(_text(name))}>"

    def _count(self, name: str) -> int:
        """How many there are of what a pointer points to: nodes has node_count, indices index_count."""
        known = {"order": "node_count", "first_weight": "node_count", "items": "count"}
        if name == "matrix":
            return 16
        if name in known:
            return getattr(self._struct, known[name])
        for stem in (name[:-1], name, name[:-2] + "y", name[:-3] + "ex", name[:-2]):
            count = getattr(self._struct, f"{stem}_count", None)
            if count is not None:
                return count
        raise AttributeError(f"nobody says how many {name} there are")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._struct, name)
        if isinstance(value, bytes):
            return _text(value)
        if isinstance(value, _header.stele_view):
            return _array(value, self._handle)
        if isinstance(value, ctypes.Structure):
            return _part(value, self._handle)
        if isinstance(value, ctypes.Array):
            return [_part(v, self._handle) if isinstance(v, ctypes.Structure) else v for v in value]
        if isinstance(value, ctypes._Pointer):
            if not value:
                return None if name == "matrix" else []
            items = (value[i] for i in range(self._count(name)))
            return [_part(v, self._handle) if isinstance(v, ctypes.Structure) else v for v in items]
        return None if name in _NO_INDEX and value == _header.NONE else value


class Property(Part):
    """What a format or a file says beyond the model: a key, and one of text, json and numbers."""

    key: str
    text: str | None
    json: str | None
    numbers: list[float]

    @property
    def value(self) -> Any:
        """Whichever it is: a str, what the JSON says, a float, or a list of them unless it is one."""
        if self.text is not None:
            return self.text
        if self.json is not None:
            return json.loads(self.json)
        numbers = self.numbers
        return numbers[0] if len(numbers) == 1 else numbers


class Properties(Part):
    """Read like a dict of values, by their keys: properties["sgm.texture"]. items is the list of stele.h."""

    items: list[Property]
    count: int

    def keys(self) -> list[str]:
        return [item.key for item in self.items]

    def get(self, key: str, otherwise: Any = None) -> Any:
        return next((item.value for item in self.items if item.key == key), otherwise)

    def __getitem__(self, key: str) -> Any:
        if key not in self:
            raise KeyError(key)
        return self.get(key)

    def __contains__(self, key: object) -> bool:
        return key in self.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        return f"<stele_properties {dict(self)!r}>"


class Transform(Part):
    translation: list[float]
    rotation: list[float]  # x, y, z, w
    scale: list[float]


class Node(Part):
    name: str | None
    parent: int | None
    local: Transform
    matrix: list[float] | None  # 16, by columns, instead of local
    mesh: int | None
    skin: int | None
    attachment: bool
    properties: Properties

    @property
    def weights(self) -> list[float] | None:
        """Of the morphs of its mesh, without a clip; None: as the mesh says."""
        weights = self._struct.weights
        if not weights or self.mesh is None:
            return None
        model = _library.stele_file_model(self._handle.pointer).contents  # made already: this node is of it
        return weights[:_morph_count(model.meshes[self.mesh])]


class Attribute(Part):
    semantic: int  # POSITION, NORMAL, ...
    set: int
    view: numpy.ndarray


class Morph(Part):
    name: str | None
    vertices: numpy.ndarray  # no rows: all of them
    position: numpy.ndarray
    normal: numpy.ndarray
    tangent: numpy.ndarray


class Primitive(Part):
    """A primitive: primitive[stele.POSITION] and primitive[stele.UV, 1] are its attributes."""

    topology: int  # TRIANGLES, LINES or POINTS
    vertex_count: int
    attributes: list[Attribute]
    indices: numpy.ndarray  # no rows: the vertices follow each other
    material: int | None
    morphs: list[Morph]
    properties: Properties

    def __getitem__(self, which: int | tuple[int, int]) -> numpy.ndarray:
        return _array(self._view(which), self._handle)

    def __contains__(self, which: object) -> bool:
        return self._find(which) is not None

    __iter__ = None  # numbers of attributes are no places in a row

    def _find(self, which: object) -> _header.stele_view | None:
        wanted = which if isinstance(which, tuple) else (which, 0)
        attributes = (self._struct.attributes[i] for i in range(self._struct.attribute_count))
        return next((a.view for a in attributes if (a.semantic, a.set) == wanted), None)

    def _view(self, which: int | tuple[int, int]) -> _header.stele_view:
        view = self._find(which)
        if view is None:
            raise KeyError(which)
        return view

    def floats(self, semantic: int, set: int = 0) -> numpy.ndarray:
        """An attribute as floats, with normalisation applied: a copy."""
        view = self._view((semantic, set))
        out = numpy.empty((view.count, view.components), numpy.float32)
        _library.stele_read_floats(view, out.shape[1], out.ctypes.data_as(ctypes.POINTER(ctypes.c_float)), 0, len(out))
        return out

    def triangles(self) -> numpy.ndarray:
        """Three vertices a row, made where there are no indices: a copy. Lines and points have none."""
        if self.topology != _header.TRIANGLES:
            return numpy.empty((0, 3), numpy.uint32)
        out = numpy.empty(_library.stele_index_count(ctypes.byref(self._struct)), numpy.uint32)
        status = _library.stele_read_indices(ctypes.byref(self._struct), 0, _header.U32, out.ctypes.data, out.nbytes)
        if status != _header.OK:
            raise Error(status, "the indices could not be read")
        return out[:len(out) // 3 * 3].reshape(-1, 3)  # vertices that are left over are not drawn


def _morph_count(mesh: ctypes.Structure) -> int:
    return mesh.primitives[0].morph_count if mesh.primitive_count else 0


class Mesh(Part):
    name: str | None
    primitives: list[Primitive]
    properties: Properties

    @property
    def weights(self) -> list[float]:
        """Of the morphs, without a clip."""
        weights, count = self._struct.weights, _morph_count(self._struct)
        return weights[:count] if weights else [0.0] * count


class Skin(Part):
    name: str | None
    joints: list[int]  # nodes
    inverse_bind: numpy.ndarray  # rows of 16, by columns
    skeleton: int | None
    properties: Properties


class Channel(Part):
    node: int
    path: int  # TRANSLATION, ROTATION, SCALE or MORPH_WEIGHTS
    interpolation: int  # LINEAR, STEP or CUBIC
    times: numpy.ndarray
    values: numpy.ndarray


class Clip(Part):
    name: str | None
    duration: float
    channels: list[Channel]
    properties: Properties


class Texture(Part):
    name: str | None
    file: str | None
    size: int  # of data
    mime_type: str | None  # of data
    wrap_u: int
    wrap_v: int
    mag_filter: int
    min_filter: int
    properties: Properties

    @property
    def data(self) -> bytes | None:
        """An image inside the file, or None; File.texture gives the bytes of any."""
        return ctypes.string_at(self._struct.data, self._struct.size) if self._struct.data else None


class TextureUse(Part):
    texture: int | None
    uv_set: int
    strength: float
    offset: list[float]
    rotation: float
    scale: list[float]


class Material(Part):
    name: str | None
    base_color: list[float]
    metallic: float
    roughness: float
    emissive: list[float]
    emissive_strength: float
    specular: float
    specular_color: list[float]
    textures: list[TextureUse]  # by ROLE_BASE_COLOR, ROLE_NORMAL, ...
    alpha_mode: int  # OPAQUE, MASK or BLEND
    alpha_cutoff: float
    double_sided: bool
    unlit: bool
    properties: Properties


def _floats(array: numpy.ndarray) -> Any:
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_float))


class Model(Part):
    name: str | None
    nodes: list[Node]
    order: list[int]  # of all nodes, parents before their children
    meshes: list[Mesh]
    skins: list[Skin]
    clips: list[Clip]
    materials: list[Material]
    textures: list[Texture]
    properties: Properties

    def _clip(self, clip: int | str | None) -> int:
        if clip is None:
            return _header.NONE
        if not isinstance(clip, str):
            return _index(clip, self._struct.clip_count, "clip")
        found = _library.stele_find_clip(ctypes.byref(self._struct), _name(clip))
        if found == _header.NONE:
            raise Error(_header.USAGE, f"there is no clip {clip!r}")
        return found

    def _matrices(self, clip: int | str | None, seconds: float) -> numpy.ndarray:
        """By columns, as the library has them."""
        count = self._struct.node_count
        locals_ = (_header.stele_transform * max(count, 1))()
        pose = _header.stele_pose(locals_, count, None, 0)
        out = numpy.empty((count, 4, 4), numpy.float32)
        status = _library.stele_sample(ctypes.byref(self._struct), self._clip(clip), seconds, None, 0, ctypes.byref(pose))
        if status == _header.OK:
            status = _library.stele_node_matrices(ctypes.byref(self._struct), ctypes.byref(pose), _floats(out), count)
        if status != _header.OK:
            raise Error(status, "the matrices of the nodes could not be made")
        return out

    def node_matrices(self, clip: int | str | None = None, seconds: float = 0) -> numpy.ndarray:
        """A matrix for each node at a time of a clip, to be multiplied with columns: shape (nodes, 4, 4)."""
        return self._matrices(clip, seconds).transpose(0, 2, 1)

    def skin_matrices(self, skin: int = 0, clip: int | str | None = None, seconds: float = 0) -> numpy.ndarray:
        """The same for each joint of a skin, from vertices as they are in the file to the model: shape (joints, 4, 4)."""
        skin = _index(skin, self._struct.skin_count, "skin")
        nodes, count = self._matrices(clip, seconds), self._struct.skins[skin].joint_count
        out = numpy.empty((count, 4, 4), numpy.float32)
        status = _library.stele_skin_matrices(ctypes.byref(self._struct), skin, _floats(nodes), len(nodes), 16, _floats(out), count)
        if status != _header.OK:
            raise Error(status, "the matrices of the skin could not be made")
        return out.transpose(0, 2, 1)


def _part(struct: ctypes.Structure, handle: _Handle) -> Part:
    return _KINDS.get(type(struct), Part)(struct, handle)


_KINDS: dict[type, type[Part]] = {
    _header.stele_attribute: Attribute, _header.stele_channel: Channel, _header.stele_clip: Clip, _header.stele_material: Material,
    _header.stele_mesh: Mesh, _header.stele_model: Model, _header.stele_morph: Morph, _header.stele_node: Node,
    _header.stele_primitive: Primitive, _header.stele_properties: Properties, _header.stele_property: Property,
    _header.stele_skin: Skin, _header.stele_texture: Texture, _header.stele_texture_use: TextureUse,
    _header.stele_transform: Transform}


# ---- Files


class File:
    """An opened file. Closed at the end of a with; arrays of it stay good."""

    def __init__(self, pointer: int | None, data: Any = None):
        if not pointer:
            raise MemoryError
        self._handle: _Handle | None = _Handle(pointer, data)

    def __enter__(self) -> "File":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._handle = None

    @property
    def _open(self) -> _Handle:
        if self._handle is None:
            raise ValueError("the file is closed")
        return self._handle

    @property
    def _pointer(self) -> int:
        return self._open.pointer

    def _check(self, status: int) -> None:
        if status != _header.OK:
            raise Error(status, _text(_library.stele_file_message(self._pointer)), self.diagnostics)

    @property
    def format(self) -> str | None:
        return _text_or_none(_library.stele_file_format(self._pointer))

    @property
    def dialect(self) -> str | None:
        return _text_or_none(_library.stele_file_dialect(self._pointer))

    @property
    def diagnostics(self) -> list[Diagnostic]:
        count = ctypes.c_size_t()
        items = _library.stele_file_diagnostics(self._pointer, ctypes.byref(count))
        return [Diagnostic(_text(d.id), _SEVERITIES[d.severity], None if d.offset == _header.NOWHERE else d.offset, d.count,
                           _text(d.path), _text(d.text)) for d in (items[i] for i in range(count.value))]

    @property
    def model(self) -> Model:
        model = _library.stele_file_model(self._pointer)
        if not model:
            self._check(_library.stele_file_status(self._pointer))
        return Model(model.contents, self._open)

    def texture(self, index: int) -> bytes:
        """The image file of a texture."""
        size = ctypes.c_size_t()
        texture = _index(index, self.model._struct.texture_count, "texture")
        data = _library.stele_texture_bytes(self._pointer, texture, ctypes.byref(size))
        if not data:
            self._check(_library.stele_file_status(self._pointer))
        return ctypes.string_at(data, size.value)

    def pixels(self, index: int) -> numpy.ndarray:
        """A texture decoded: rows of pixels of red, green, blue and alpha, from the top."""
        data, message, picture = self.texture(index), ctypes.create_string_buffer(200), _header.stele_picture()
        texture = self.model.textures[index]
        name = _name_or_none(texture.file or texture.name)

        def decode() -> None:
            status = _library.stele_decode_picture(data, len(data), name, ctypes.byref(picture), message, len(message))
            if status != _header.OK:
                raise Error(status, _text(message.value))

        decode()  # its size
        pixels = numpy.zeros((picture.height, picture.width, 4), numpy.uint8)
        picture.rgba = pixels.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8))
        decode()
        return pixels

    def render(self, width: int = 512, height: int = 512) -> numpy.ndarray:
        """A picture: rows of pixels of red, green, blue and alpha."""
        for side in (width, height):
            if not 0 < operator.index(side) <= _MOST_SIDE:
                raise Error(_header.USAGE, f"a side of a picture has 1 to {_MOST_SIDE} pixels, not {side}")
        pixels = numpy.zeros((height, width, 4), numpy.uint8)
        picture = _header.stele_picture(width, height, pixels.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8)))
        self._check(_library.stele_render(self._pointer, ctypes.byref(picture), None))
        return pixels

    def save(self, path: str | os.PathLike, format: str | None = None, dialect: str | None = None, overwrite: bool = False,
             strict: bool = False) -> list[Diagnostic]:
        """Writes it in any format, by the extension of the path; returns what was lost."""
        options = _header.stele_save_options()
        options.format = _name_or_none(format)
        options.dialect = _name_or_none(dialect)
        options.overwrite, options.strict = overwrite, strict
        self._check(_library.stele_file_save(self._pointer, _path(path), ctypes.byref(options)))
        return [d for d in self.diagnostics if d.severity == "loss"]


def open(source: str | os.PathLike | bytes, name: str | None = None, full: bool = False) -> File:
    """Opens a path, or the bytes of a file; full looks for everything that may be wrong. A file that cannot be used raises Error."""
    options = _header.stele_options()
    options.check = _header.CHECK_FULL if full else _header.CHECK_SAFE
    options.name = _name_or_none(name)
    if isinstance(source, bytes):
        data = ctypes.create_string_buffer(source, len(source))
        file = File(_library.stele_open_memory(data, len(source), ctypes.byref(options)), data)
    else:
        file = File(_library.stele_open(_path(source), ctypes.byref(options)))
    file._check(_library.stele_open_status(file._pointer))
    return file
