#!/usr/bin/env python3
"""What stele info says of models: where they are and how much of them is drawn, computed here from the numbers that went in."""
import base64
import itertools
import json
import shutil
import struct
import unittest
import zlib

from test_cli import FINE, SAMPLES, CliTest

CUBE = list(itertools.product((-1.0, 1.0), (-2.0, 2.0), (-3.0, 3.0)))


def png(width, height):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = b"".join(b"\0" + b"\x80" * 3 * width for _ in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def gltf(primitives, nodes, scenes, **more):
    """primitives: a list for each mesh of (mode, positions)."""
    data, views, accessors, meshes = b"", [], [], []
    for mesh in primitives:
        made = []
        for mode, rows in mesh:
            views.append({"buffer": 0, "byteOffset": len(data), "byteLength": 12 * len(rows)})
            data += b"".join(struct.pack("<3f", *row) for row in rows)
            accessors.append({"bufferView": len(views) - 1, "componentType": 5126, "count": len(rows), "type": "VEC3",
                              "min": [min(c) for c in zip(*rows)], "max": [max(c) for c in zip(*rows)]})
            made.append({"attributes": {"POSITION": len(accessors) - 1}, "mode": mode})
        meshes.append({"primitives": made})
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    return json.dumps({"asset": {"version": "2.0"}, "buffers": [{"byteLength": len(data), "uri": uri}], "bufferViews": views,
                       "accessors": accessors, "meshes": meshes, "nodes": nodes, "scenes": scenes, "scene": 0} | more).encode()


class Info(CliTest):
    def info(self, *arguments):
        return json.loads(self.expect(FINE, "info", "--json", *arguments).stdout)

    def text(self, *arguments):
        return self.expect(FINE, "info", *arguments).stdout.decode()

    def assert_bounds(self, said, low, high):
        for got, wanted in zip(said["min"] + said["max"], [*low, *high], strict=True):
            self.assertAlmostEqual(got, wanted, places=5)

    def test_bounds_are_in_the_space_of_the_model(self):
        """A box that is turned by 45 degrees about z below one that moves it and makes it larger: all corners by hand."""
        half = 2 ** -0.5
        turned = [{"children": [1], "translation": [10, 20, 30], "scale": [2, 2, 2]},
                  {"mesh": 0, "rotation": [0, 0, 0.5 * (2 - 2 ** 0.5) ** 0.5, 0.5 * (2 + 2 ** 0.5) ** 0.5]}]
        path = self.put("turned.gltf", gltf([[(4, CUBE[:6])]], turned, [{"nodes": [0]}]))
        corners = [(10 + 2 * half * (x - y), 20 + 2 * half * (x + y), 30 + 2 * z) for x, y, z in CUBE[:6]]
        drawn = self.info(path)["drawn"]
        self.assert_bounds(drawn["bounds"], map(min, zip(*corners)), map(max, zip(*corners)))
        said = self.info(path)["bounds"]  # the numbers of the file are still there
        self.assert_bounds(said, map(min, zip(*CUBE[:6])), map(max, zip(*CUBE[:6])))
        self.assertIn("bounds     (5.757, 15.76, 24) to", self.text(path))

    def test_axes_that_are_swapped(self):
        """z up: a quarter turn, which makes a box of a box."""
        path = self.put("swap.gltf", gltf([[(4, CUBE)]], [{"mesh": 0, "matrix": [0, 1, 0, 0, 0, 0, 1, 0, -3, 0, 0, 0, 5, 6, 7, 1]}],
                                          [{"nodes": [0]}]))
        self.assert_bounds(self.info(path)["drawn"]["bounds"], (5 - 9, 6 - 1, 7 - 2), (5 + 9, 6 + 1, 7 + 2))

    def test_what_is_drawn_counts_as_often_as_it_is(self):
        """A mesh at three nodes; one that no node has; and one in another scene."""
        meshes = [[(4, CUBE[:6])], [(4, CUBE[:3])], [(4, CUBE[:3])]]
        nodes = [{"mesh": 0}, {"mesh": 0, "translation": [100, 0, 0]}, {"mesh": 0}, {"mesh": 2, "translation": [0, 999, 0]}]
        path = self.put("often.gltf", gltf(meshes, nodes, [{"nodes": [0, 1, 2]}, {"nodes": [3]}]))
        info = json.loads(self.stele("info", "--json", path).stdout)
        drawn = info["drawn"]
        self.assertEqual((drawn["meshes"], drawn["vertices"], drawn["triangles"]), (3, 18, 6))
        self.assertEqual(sum(mesh["triangles"] for mesh in info["meshes"]), 4)
        self.assertEqual((drawn["bounds"]["max"][0], drawn["bounds"]["max"][1]), (101, 2))
        self.assertIn("drawn      3 nodes: 18 vertices, 6 triangles", self.stele("info", path).stdout.decode())

    def test_lines_and_points(self):
        path = self.put("thin.gltf", gltf([[(1, CUBE), (0, CUBE), (3, CUBE), (2, CUBE)]], [{"mesh": 0}], [{"nodes": [0]}]))
        info = self.info(path)
        self.assertEqual([(m["triangles"], m["lines"], m["points"]) for m in info["meshes"]],
                         [(0, 4, 0), (0, 0, 8), (0, 7, 0), (0, 8, 0)])
        self.assertEqual((info["drawn"]["lines"], info["drawn"]["points"]), (19, 8))
        text = self.text(path)
        self.assertIn("8 vertices, 4 lines: position", text)
        self.assertNotIn("triangle", text)

    def test_skinned_and_morphed(self):
        """The scribe at rest is where its picture shows it: its vertices, moved by no bone."""
        for name in ("scribe.sgm", "scribe.sga", "scribe.png"):
            shutil.copy(SAMPLES / name, self.folder)
        drawn = self.info("scribe.sgm")["drawn"]
        low, high = self.info("scribe.sgm")["bounds"].values()  # of an SGM, which faces -z
        self.assert_bounds(drawn["bounds"], (-high[0], low[1], -high[2]), (-low[0], high[1], -low[2]))
        more = json.loads(gltf([[(4, CUBE[:3])]], [{"mesh": 0}], [{"nodes": [0]}]))
        primitive = more["meshes"][0]["primitives"][0]
        primitive["targets"] = [{"POSITION": primitive["attributes"]["POSITION"]}]
        more["meshes"][0]["weights"] = [2]
        path = self.put("morph.gltf", json.dumps(more).encode())
        self.assert_bounds(self.info(path)["drawn"]["bounds"], [3 * min(c) for c in zip(*CUBE[:3])], [3 * max(c) for c in zip(*CUBE[:3])])

    def test_sizes_of_textures(self):
        for name in ("scribe.sgm", "scribe.sga"):
            shutil.copy(SAMPLES / name, self.folder)
        self.put("scribe.png", png(17, 5))
        texture, = self.info("scribe.sgm")["materials"][0]["textures"]
        self.assertEqual((texture["width"], texture["height"], texture["bytes"]), (17, 5, len(png(17, 5))))
        self.assertIn(f"(found, 17 x 5, {len(png(17, 5))} bytes)", self.text("scribe.sgm"))
        self.expect(FINE, "convert", "-q", "--embed-textures", "scribe.sgm", "inside.glb")
        texture, = self.info("inside.glb")["materials"][0]["textures"]
        self.assertEqual((texture["width"], texture["height"], texture["bytes"]), (17, 5, len(png(17, 5))))
        self.assertIn("(inside the file, 17 x 5", self.text("inside.glb"))
        self.put("scribe.png", b"no picture at all")
        texture, = self.info("scribe.sgm")["materials"][0]["textures"]
        self.assertEqual((texture["bytes"], "width" in texture), (17, False))
        (self.folder / "scribe.png").unlink()
        texture, = self.info("scribe.sgm")["materials"][0]["textures"]
        self.assertFalse({"bytes", "width", "height"} & set(texture))
        self.assertIn("(not found)", self.text("scribe.sgm"))


if __name__ == "__main__":
    unittest.main()
