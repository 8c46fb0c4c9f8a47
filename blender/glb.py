"""GLB between bytes and numpy: what the add-on and the `stele` command hand each other. Knows nothing of Blender.

Only files that Stele wrote are read, so references and counts are right. What has no bytes of its own can still be large."""
import json
import struct

import numpy as np

MAGIC, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942
TYPES = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
CODES = {np.dtype(dtype): code for code, dtype in TYPES.items()}
COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
NAMES = {size: name for name, size in COMPONENTS.items()}
MOST_MADE = 2**28  # numbers that are made of nothing
VERTICES, INDICES = 34962, 34963  # what a bufferView is for


class Glb:
    """A file that was read. `json` is the document; a missing list of it reads as an empty one."""

    def __init__(self, data):
        magic, _, size = struct.unpack_from("<III", data)
        if magic != MAGIC:
            raise ValueError("not a GLB")
        self.json, self.binary, at = {}, b"", 12
        while at + 8 <= min(size, len(data)):
            length, kind = struct.unpack_from("<II", data, at)
            chunk = memoryview(data)[at + 8:at + 8 + length]
            if kind == JSON_CHUNK:
                self.json = json.loads(bytes(chunk))
            elif kind == BINARY_CHUNK:
                self.binary = chunk
            at += 8 + length

    def list(self, name):
        return self.json.get(name, [])

    def view_bytes(self, index):
        view = self.json["bufferViews"][index]
        start = view.get("byteOffset", 0)
        return self.binary[start:start + view["byteLength"]]

    def _rows(self, view, offset, dtype, count, components):
        described = self.json["bufferViews"][view]
        start = described.get("byteOffset", 0) + offset
        size = np.dtype(dtype).itemsize
        stride = described.get("byteStride", size * components)
        return np.ndarray((count, components), dtype, self.binary, start, (stride, size))

    def array(self, index, dtype=np.float32):
        """The rows of an accessor; normalised integers become floats."""
        accessor = self.json["accessors"][index]
        count, components = accessor["count"], COMPONENTS[accessor["type"]]
        stored = TYPES[accessor["componentType"]]
        if "bufferView" in accessor:
            rows = self._rows(accessor["bufferView"], accessor.get("byteOffset", 0), stored, count, components)
        elif count * components > MOST_MADE:
            raise MemoryError(f"accessor {index} has {count} rows without bytes")
        else:
            rows = np.zeros((count, components), stored)
        if "sparse" in accessor:
            rows = rows.copy()
            sparse = accessor["sparse"]
            where, what = sparse["indices"], sparse["values"]
            at = self._rows(where["bufferView"], where.get("byteOffset", 0), TYPES[where["componentType"]], sparse["count"], 1)
            rows[at[:, 0]] = self._rows(what["bufferView"], what.get("byteOffset", 0), stored, sparse["count"], components)
        if accessor.get("normalized") and np.dtype(stored).kind in "iu":
            rows = np.maximum(rows.astype(np.float64) / np.iinfo(stored).max, -1)
        return np.array(rows, dtype, order="C")


class Builder:
    """A file that is being made: `json` is filled by the caller, arrays are added here."""

    def __init__(self, generator):
        self.json = {"asset": {"version": "2.0", "generator": generator}}
        self.parts, self.size = [], 0

    def add(self, name, item):
        """Appends to a list of the document; gives the item's number."""
        self.json.setdefault(name, []).append(item)
        return len(self.json[name]) - 1

    def add_bytes(self, data, **more):
        view = self.add("bufferViews", {"buffer": 0, "byteOffset": self.size, "byteLength": len(data), **more})
        padding = -len(data) % 4
        self.parts += [data, b"\0" * padding]
        self.size += len(data) + padding
        return view

    def add_array(self, rows, target=None, bounds=False):
        rows = np.ascontiguousarray(rows)
        rows = rows.reshape(len(rows), -1)
        accessor = {"componentType": CODES[rows.dtype], "count": len(rows), "type": NAMES[rows.shape[1]]}
        if len(rows):
            accessor["bufferView"] = self.add_bytes(rows.tobytes(), **({"target": target} if target else {}))
            if bounds:
                accessor["min"], accessor["max"] = rows.min(axis=0).tolist(), rows.max(axis=0).tolist()
        return self.add("accessors", accessor)

    def bytes(self):
        if self.size:
            self.json["buffers"] = [{"byteLength": self.size}]
        text = json.dumps(self.json, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        binary = b"".join(self.parts)
        chunks = struct.pack("<II", len(text), JSON_CHUNK) + text
        if binary:
            chunks += struct.pack("<II", len(binary), BINARY_CHUNK) + binary
        return struct.pack("<III", MAGIC, 2, 12 + len(chunks)) + chunks
