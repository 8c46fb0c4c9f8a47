"""What the add-on remembers in a .blend of the files that came in: their bytes, and which of their records each thing was.

The bytes are custom properties of a text datablock, one for each file that was imported. Everything made from it points there, so that
it goes along when things are appended to another .blend, and goes away with the last of them.

Keys of custom properties that begin with `stele.` are the add-on's own; all others are properties of the model, as the file
had them or as the artist added them, and are written to formats that hold such (glTF's extras)."""
import hashlib
import json
import zlib

import bpy
import numpy as np

OWN = "stele."
SOURCE, INDEX, PRINT, NAME, SHOWN = "stele.source", "stele.index", "stele.print", "stele.name", "stele.shown"
EXPLANATION = """This is what Stele keeps of the file that was imported, so that what you do not change keeps its bytes on export.
Without it everything is still exported, but written anew.
"""

# ---- Names ---------------------------------------------------------------------------------------------------------------


def remember_name(item, name):
    """Blender shortens names and makes them unique; the file's own holds as long as nobody renames the thing."""
    if item.name != name:
        item[NAME], item[SHOWN] = name, item.name


def name_of(item):
    return item[NAME] if item.get(SHOWN) == item.name and NAME in item else item.name


# ---- Properties of the model ---------------------------------------------------------------------------------------------

JSON_KEY = "stele.json"  # what Blender's properties cannot hold


def is_numbers(value):
    return isinstance(value, list) and value and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in value)


def set_extras(item, extras):
    rest = {}
    for key, value in extras.items():
        small = not isinstance(value, bool) and isinstance(value, (str, float)) or (isinstance(value, int) and abs(value) < 2**31)
        if len(key.encode()) < 60 and not key.startswith(OWN) and (small or is_numbers(value)):
            # Blender takes a list of whole numbers for integers of 32 bits
            item[key] = [float(v) for v in value] if isinstance(value, list) else value
        else:
            rest[key] = value
    if rest:
        item[JSON_KEY] = json.dumps(rest)


def extras_of(item):
    extras = {}
    for key in item.keys():
        if key.startswith((OWN, "_")) or key in ("cycles", "rna_type"):
            continue
        value = item[key]
        value = list(value) if hasattr(value, "to_list") or type(value).__name__ == "IDPropertyArray" else value
        if isinstance(value, (str, int, float)) or is_numbers(value):
            extras[key] = value if not isinstance(value, float) else plain(value)
            if isinstance(value, list):
                extras[key] = [plain(v) for v in value]
    if JSON_KEY in item:
        try:
            extras.update(json.loads(item[JSON_KEY]))
        except ValueError:
            pass
    return {key: value for key, value in extras.items() if finite(value)}


def finite(value):
    numbers = value if isinstance(value, list) else [value]
    return all(not isinstance(v, float) or np.isfinite(v) for v in numbers)


def plain(value):
    """Whole numbers without a point, as Stele writes them."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


# ---- The source ----------------------------------------------------------------------------------------------------------


def keep_source(path, document, files):
    """`files` are the bytes by name; the first is the one that was asked for."""
    text = bpy.data.texts.new(path.name)
    text.write(EXPLANATION)
    text.use_fake_user = False
    text["stele.file"] = path.name
    text["stele.format"] = document["format"]
    text["stele.dialect"] = document["dialect"] or ""
    text["stele.names"] = json.dumps([name for name, _ in files])
    for i, (_, data) in enumerate(files):
        text[f"stele.bytes{i}"] = zlib.compress(data, 1)
    return text


def source_files(text):
    """[(name, bytes)], or None if somebody removed them."""
    try:
        return [(name, zlib.decompress(bytes(text[f"stele.bytes{i}"]))) for i, name in enumerate(json.loads(text["stele.names"]))]
    except (KeyError, ValueError, TypeError, zlib.error):
        return None


def mark(item, text, index):
    item[SOURCE], item[INDEX] = text, index


def source_of(item):
    text = item.get(SOURCE)
    return text if isinstance(text, bpy.types.Text) and "stele.file" in text else None


def index_of(item):
    return int(item[INDEX]) if source_of(item) is not None and INDEX in item else None


def is_untouched(item, print_now):
    return source_of(item) is not None and item.get(PRINT) == print_now


# ---- Fingerprints --------------------------------------------------------------------------------------------------------


def fingerprint(*parts):
    """Of arrays, numbers and texts. -0 is 0, because a way through Blender may turn one into the other."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            if part.dtype.kind == "f":
                part = part + 0.0
            digest.update(str(part.shape).encode() + np.ascontiguousarray(part).tobytes())
        else:
            digest.update(json.dumps(part, sort_keys=True, ensure_ascii=True).encode())
        digest.update(b"\0")
    return digest.hexdigest()[:32]
