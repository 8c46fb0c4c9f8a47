#!/usr/bin/env python3
"""What differs between Blender's versions is in one module of the add-on, and that module does the right thing with each: tested
against stand-ins for the parts of Blender's API that changed, because only one version is installed here."""
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import zipfile
from pathlib import Path

try:
    import numpy as np
except ImportError:  # Debian's is only for Debian's Python
    other = "/usr/bin/python3"
    if os.path.realpath(sys.executable) != os.path.realpath(other) and shutil.which(other) and \
            subprocess.run([other, "-c", "import numpy"], capture_output=True).returncode == 0:
        os.execv(other, [other, *sys.argv])
    np = None

ROOT = Path(__file__).resolve().parent.parent
ADDON = ROOT / "blender"

# Words of the API that were not always there, or went away
CHANGED = r"use_auto_smooth|calc_normals_split|corner_normals\b(?!\()|\.fcurves|action_slot|channelbag|blend_method|surface_render_method" \
          r"|color_attributes|vertex_colors|ShaderNodeMix|ShaderNodeSeparate|FileHandler|app\.version|(?<!versions)\.use_nodes|id_root"


class Rule(unittest.TestCase):
    def test_only_one_module_knows_versions(self):
        for path in sorted(ADDON.glob("*.py")):
            if path.name != "versions.py":
                self.assertEqual(re.findall(CHANGED, path.read_text()), [], path.name)

    def test_versions_agree(self):
        version = re.search(r'#define STELE_VERSION "(\d+)\.(\d+)\.(\d+)"', (ROOT / "include/stele.h").read_text()).groups()
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, ROOT / "tools/make_blender.py", f"{folder}/x.zip", __file__], check=True, capture_output=True)
            with zipfile.ZipFile(f"{folder}/x.zip") as archive:
                manifest, code = (archive.read(f"io_stele/{name}").decode() for name in ("blender_manifest.toml", "__init__.py"))
        self.assertIn(f'\nversion = "{".".join(version)}"', manifest)
        self.assertIn(f'"version": ({", ".join(version)})', code)
        self.assertIn('"blender": (2, 93, 0)', code)


class Rows:
    """A collection of Blender with foreach_get and foreach_set."""

    def __init__(self, **columns):
        self.columns = {name: np.array(rows, np.float32) for name, rows in columns.items()}
        self.size = len(next(iter(self.columns.values())))

    def __len__(self):
        return self.size

    def foreach_get(self, name, flat):
        flat[:] = self.columns[name].ravel()

    def foreach_set(self, name, flat):
        self.columns[name] = np.array(flat, np.float32)


class Thing(types.SimpleNamespace):
    """An object that has what it is given and nothing else."""


class Named(list):
    def get(self, name):
        return next((item for item in self if item.name == name), None)


def load(version, **kinds):
    """The module as it is in a Blender of this version, with these types."""
    bpy = types.ModuleType("bpy")
    bpy.app, bpy.types = Thing(version=version), Thing(**kinds)
    spec = importlib.util.spec_from_file_location("versions", ADDON / "versions.py")
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get("bpy")
    sys.modules["bpy"] = bpy
    try:
        spec.loader.exec_module(module)
    finally:
        sys.modules.pop("bpy")
        if before is not None:
            sys.modules["bpy"] = before
    return module


@unittest.skipIf(np is None, "numpy is not there")
class Meshes(unittest.TestCase):
    NORMALS = [[0, 0, 1], [0, 1, 0], [1, 0, 0]]

    def test_normals_until_4_0(self):
        calls = []
        mesh = Thing(loops=Rows(normal=self.NORMALS), calc_normals_split=lambda: calls.append("calc"),
                     free_normals_split=lambda: calls.append("free"), use_auto_smooth=False,
                     normals_split_custom_set_from_vertices=lambda rows: calls.append(("set", mesh.use_auto_smooth)))
        module = load((3, 4, 1))
        self.assertEqual(module.corner_normals(mesh).tolist(), self.NORMALS)
        module.set_normals(mesh, self.NORMALS)
        self.assertEqual(calls, ["calc", "free", ("set", True)])

    def test_normals_since_4_1(self):
        calls = []
        mesh = Thing(loops=[0] * 3, corner_normals=Rows(vector=self.NORMALS), normals_split_custom_set_from_vertices=calls.append)
        module = load((4, 1, 0))
        self.assertEqual(module.corner_normals(mesh).tolist(), self.NORMALS)
        module.set_normals(mesh, self.NORMALS)
        self.assertEqual(calls, [self.NORMALS])
        self.assertFalse(hasattr(mesh, "use_auto_smooth"))

    def test_uvs(self):
        rows = [[0, 0.5], [1, 0.25]]
        for version, layer in (((3, 4, 1), Thing(data=Rows(uv=rows))), ((3, 5, 0), Thing(data=[0, 0], uv=Rows(vector=rows)))):
            module = load(version)
            self.assertEqual(module.uv_rows(layer).tolist(), rows)
            module.set_uv_rows(layer, np.array(rows)[::-1])
            self.assertEqual(module.uv_rows(layer).tolist(), rows[::-1])

    def test_colors_before_3_2_are_bytes_of_corners(self):
        gray = Thing(name="Col", data=Rows(color=[[0.5, 0.5, 0.5, 0.5]]))
        mesh = Thing(attributes=[], vertex_colors=[gray])
        (name, domain, rows), = load((2, 93, 0)).color_layers(mesh)
        self.assertEqual((name, domain), ("Col", "CORNER"))
        self.assertAlmostEqual(float(rows[0][0]), 0.2140411, 5)  # sRGB 0.5
        self.assertEqual(float(rows[0][3]), 0.5)

    def test_the_color_that_is_drawn_comes_first(self):
        layers = [Thing(name=n, data_type="FLOAT_COLOR", domain="POINT", data=Rows(color=[[i, 0, 0, 1]])) for i, n in enumerate("ab")]
        colors = type("Colors", (list,), {"render_color_index": 1})(layers)
        mesh = Thing(attributes=layers + [Thing(name="x", data_type="FLOAT", domain="POINT")], color_attributes=colors)
        self.assertEqual([name for name, _, _ in load((3, 4, 1)).color_layers(mesh)], ["b", "a"])


class Curves(list):
    def new(self, path, index=0, **more):
        self.append(Thing(data_path=path, array_index=index, group=None, **more))
        return self[-1]


class Owner(Thing):
    def animation_data_create(self):
        self.animation_data = Thing(action=None, action_slot=None, use_nla=True)
        return self.animation_data


def owner(kind="Object"):
    return Owner(name="thing", bl_rna=Thing(identifier=kind), animation_data=None)


def layered_action():
    """An action of 4.4 and later, without the curves of its own that 5.0 took away."""
    slots, bags, layers = [], [], Named()

    class Bag(Thing):
        pass

    def channelbag(slot, ensure=False):
        found = next((b for b in bags if b.slot_handle == slot.handle), None)
        if found is None and ensure:
            groups = Named()
            groups.new = lambda name: groups.append(Thing(name=name)) or groups[-1]
            bags.append(Bag(slot_handle=slot.handle, fcurves=Curves(), groups=groups))
            found = bags[-1]
        return found

    def new_slot(kind, name):
        slots.append(Thing(target_id_type=kind, name_display=name, handle=len(slots) + 1))
        return slots[-1]

    strip = Thing(channelbags=bags, channelbag=channelbag)
    strips = type("Strips", (list,), {"new": lambda self, type: self.append(strip) or strip})()
    layers.new = lambda name: layers.append(Thing(name=name, strips=strips)) or layers[-1]
    slot_list = type("Slots", (list,), {"new": staticmethod(new_slot), "__iter__": lambda self: iter(slots), "__len__": lambda self: len(slots)})()
    return Thing(slots=slot_list, layers=layers)


@unittest.skipIf(np is None, "numpy is not there")
class Actions(unittest.TestCase):
    def test_until_4_3(self):
        module = load((4, 3, 0), ActionSlot=object)
        action = Thing(fcurves=Curves())
        module.curve_maker(action, owner())("location", 2, "group")
        self.assertEqual([(c.data_path, c.array_index, c.action_group) for c in module.curves(action, owner())], [("location", 2, "group")])
        self.assertTrue(module.moves(action, owner("Key")))

    def test_since_4_4_curves_belong_to_a_slot(self):
        module = load((5, 0, 0))
        action, one, key = layered_action(), owner(), owner("Key")
        module.curve_maker(action, one)("location", 1, "Place")
        module.curve_maker(action, one)("location", 2, "Place")
        module.curve_maker(action, key)('key_blocks["a"].value', 0, "Keys")
        self.assertEqual([(c.data_path, c.array_index, c.group.name) for c in module.curves(action, one)],
                         [("location", 1, "Place"), ("location", 2, "Place")])
        self.assertEqual(len(module.curves(action, key)), 1)
        self.assertEqual(len(module.curves(action)), 3)
        self.assertEqual([slot.target_id_type for slot in action.slots], ["OBJECT", "KEY"])
        self.assertTrue(module.moves(action, key))
        self.assertFalse(module.moves(layered_action(), key))

    def test_an_assigned_action_gets_its_slot(self):
        module = load((5, 0, 0))
        action, one = layered_action(), owner()
        module.curve_maker(action, one)("location", 0, "Place")
        module.assign(one, action)
        self.assertIs(one.animation_data.action, action)
        self.assertEqual(one.animation_data.action_slot.target_id_type, "OBJECT")
        kept = module.assigned(one)
        one.animation_data.action, one.animation_data.action_slot = None, None
        module.reassign(one, kept)
        self.assertIs(one.animation_data.action, action)
        self.assertIsNotNone(one.animation_data.action_slot)
        strip = Thing(action_slot=None)
        module.assign_strip(strip, action, one)
        self.assertIsNotNone(strip.action_slot)


@unittest.skipIf(np is None, "numpy is not there")
class Materials(unittest.TestCase):
    def test_sockets_were_renamed_in_4_0(self):
        module = load((4, 0, 0))
        for names in ({"Emission": 1, "Specular": 2}, {"Emission Color": 1, "Specular IOR Level": 2}):
            node = Thing(inputs=names)
            self.assertEqual(module.socket(node, "Emission Color"), 1)
            self.assertEqual(module.socket(node, "Specular IOR Level"), 2)

    def tree(self):
        made = []

        def new(kind):
            made.append(Thing(kind=kind, inputs=[Thing(default_value=0) for _ in range(8)], outputs=[f"out{i}" for i in range(3)]))
            return made[-1]

        return Thing(nodes=Thing(new=new)), made

    def test_multiply(self):
        tree, made = self.tree()
        node, first, second, result = load((3, 3, 0)).new_multiply(tree)
        self.assertEqual((made[0].kind, result), ("ShaderNodeMixRGB", "out0"))
        self.assertIs(first, node.inputs[1])
        tree, made = self.tree()
        node, first, second, result = load((3, 4, 0), ShaderNodeMix=object).new_multiply(tree)
        self.assertEqual((made[0].kind, node.data_type, result), ("ShaderNodeMix", "RGBA", "out2"))
        self.assertIs(second, node.inputs[7])

    def test_nodes_are_always_used_since_5_0(self):
        self.assertIsNone(load((3, 4, 1)).node_tree(Thing(use_nodes=False, node_tree="tree")))
        self.assertEqual(load((5, 0, 0)).node_tree(Thing(node_tree="tree")), "tree")
        load((5, 0, 0)).use_nodes(Thing())

    def test_alpha(self):
        old = load((3, 4, 1))
        material = Thing(blend_method="OPAQUE", alpha_threshold=0.5)
        old.set_alpha(material, "MASK", 0.3)
        self.assertEqual(old.alpha(material, True), ("MASK", 0.3))
        new = load((4, 2, 0))
        material = Thing(surface_render_method="DITHERED")
        new.set_alpha(material, "BLEND", 0.5)
        self.assertEqual(material.surface_render_method, "BLENDED")
        self.assertEqual(new.alpha(material, True)[0], "BLEND")
        self.assertEqual(new.alpha(material, False)[0], "OPAQUE")


@unittest.skipIf(np is None, "numpy is not there")
class Interface(unittest.TestCase):
    def test_drag_and_drop_since_4_1(self):
        self.assertIsNone(load((3, 4, 1)).file_handler("import_scene.stele", ["sgm"]))
        handler = load((4, 1, 0), FileHandler=type("FileHandler", (), {})).file_handler("import_scene.stele", ["sgm", "sga"])
        self.assertEqual((handler.bl_import_operator, handler.bl_file_extensions), ("import_scene.stele", ".sgm;.sga"))
        self.assertTrue(handler.poll_drop(Thing(area=Thing(type="VIEW_3D"))))

    def test_bones_are_selected_in_the_pose_since_5_0(self):
        for version, bone, pose in (((3, 4, 1), Thing(select=False), Thing()), ((5, 0, 0), Thing(), Thing(select=False))):
            obj = Thing(data=Thing(bones={"a": bone}), pose=Thing(bones={"a": pose}))
            load(version).select_bone(obj, "a", True)
            self.assertTrue(getattr(bone, "select", False) or getattr(pose, "select", False))


if __name__ == "__main__":
    unittest.main()
