#!/usr/bin/env python3
"""stele render and stele thumbnail as their users see them. The pictures are read by a PNG reader of our own, the movies by their
chunks. `tests/test_render.py --update` writes the hashes of the samples' pictures to tests/golden/pictures.txt; look at the
pictures before."""
import hashlib
import json
import os
import resource
import shutil
import struct
import subprocess
import sys
import time
import unittest
import zlib
from pathlib import Path

from corpus import CORPUS, real_files
from gltf_oracle import Gltf
from png_oracle import Png
from test_cli import (FINDINGS, FINE, NO_IO, SAMPLES, STELE, UNSUPPORTED, USAGE, CliTest, large_model, model_bytes, triangle)
from test_golden import GOLDEN, models
from test_oracle_rayne import Material, Model, write_sgm

SCRIBE = ("scribe.sgm", "scribe.sga", "scribe.png")
PICTURES = GOLDEN / "pictures.txt"
BOTH_SIDES = (0, 1, 2, 0, 2, 1)
LABEL = 16  # pixels of a name on a sheet
PAPER, CLEAR = (250, 250, 248, 255), (0, 0, 0, 0)


def png_chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def corners(picture):
    return {picture[x, y] for x in (0, picture.width - 1) for y in (0, picture.height - 1)}


def middle(picture):
    """The pixels round the middle."""
    x, y = picture.width // 2, picture.height // 2
    return picture.part(x - 2, y - 2, 5, 5)


class Webp:
    """What the chunks of a moving WebP say."""

    def __init__(self, data):
        riff, size, kind = struct.unpack_from("<4sI4s", data)
        if (riff, kind, size) != (b"RIFF", b"WEBP", len(data) - 8):
            raise ValueError("no WebP")
        self.order, self.durations, at = [], [], 12
        while at < len(data):
            kind, size = struct.unpack_from("<4sI", data, at)
            body = data[at + 8:at + 8 + size]
            self.order.append(kind)
            if kind == b"VP8X":
                self.moves, self.alpha = bool(body[0] & 2), bool(body[0] & 16)
                self.size = (int.from_bytes(body[4:7], "little") + 1, int.from_bytes(body[7:10], "little") + 1)
            elif kind == b"ANIM":
                self.loops = struct.unpack_from("<H", body, 4)[0]
            elif kind == b"ANMF":
                self.durations.append(int.from_bytes(body[12:15], "little"))
            at += 8 + size + size % 2


class RenderTest(CliTest):
    def setUp(self):
        super().setUp()
        for name in SCRIBE:
            shutil.copy(SAMPLES / name, self.folder)

    def render(self, *arguments, code=FINE, **options):
        return self.expect(code, "render", *arguments, **options)

    def picture(self, *arguments, size="48", **options):
        """Drawn to standard output."""
        return Png(self.render("-o", "-", "--size", size, *arguments, **options).stdout)

    def bytes_of(self, *arguments):
        return self.render("-o", "-", "--size", "64", *arguments).stdout

    def read(self, name):
        return (self.folder / name).read_bytes()

    def assert_nothing_new(self, *names):
        self.assertEqual(self.names(), sorted([*SCRIBE, *names]))


class Stills(RenderTest):
    def test_usual(self):
        result = self.render("scribe.sgm", "-o", "out.png")
        self.assertEqual(result.stderr, b"scribe.sgm -> out.png (800 x 800)\n")
        self.assertEqual(result.stdout, b"")
        self.assertEqual(struct.unpack(">II", self.read("out.png")[16:24]), (800, 800))
        self.assert_nothing_new("out.png")

    def test_something_is_in_the_middle_and_nothing_in_the_corners(self):
        picture = self.picture("scribe.sgm", "--background", "#102030")
        self.assertEqual(corners(picture), {(0x10, 0x20, 0x30, 255)})
        self.assertNotIn((0x10, 0x20, 0x30, 255), middle(picture))
        self.assertGreater(len(set(middle(picture))), 3)

    def test_backgrounds(self):
        for color, wanted in (("transparent", CLEAR), ("white", (255, 255, 255, 255)), ("black", (0, 0, 0, 255)),
                              ("dark", (38, 40, 44, 255)), ("#0a0B0c", (10, 11, 12, 255))):
            with self.subTest(color):
                picture = self.picture("scribe.sgm", "--background", color)
                self.assertEqual(corners(picture), {wanted})
                self.assertEqual({pixel[3] for pixel in middle(picture)}, {255})
        self.assertEqual({c[3] for c in corners(self.picture("scribe.sgm", "--background", "#ffffff80"))}, {0x80})

    def test_edges_are_soft(self):
        picture = self.picture("scribe.sgm", "--background", "transparent")
        self.assertTrue(any(0 < pixel[3] < 255 for pixel in picture.part(0, 0, 48, 48)))

    def test_sizes(self):
        for text, wanted in (("1", (1, 1)), ("64", (64, 64)), ("33x65", (33, 65)), ("65X33", (65, 33)), ("2000x1", (2000, 1))):
            with self.subTest(text):
                picture = self.picture("scribe.sgm", size=text)
                self.assertEqual((picture.width, picture.height), wanted)

    def test_the_model_fits_whatever_the_shape(self):
        for size in ("32x96", "96x32", "64x64"):
            with self.subTest(size):
                picture = self.picture("scribe.sgm", "--background", "transparent", size=size)
                seen = [(x, y) for y in range(picture.height) for x in range(picture.width) if picture[x, y][3]]
                for axis, end in ((0, picture.width - 1), (1, picture.height - 1)):
                    values = [at[axis] for at in seen]
                    self.assertGreaterEqual(min(values), 0.01 * end)
                    self.assertLessEqual(max(values), 0.99 * end)
                    self.assertLess(abs(min(values) + max(values) - end), 0.03 * end)  # in the middle
                wide, tall = (max(at) - min(at) for at in zip(*seen))
                self.assertGreater(max(wide / picture.width, tall / picture.height), 0.85)

    def test_cameras(self):
        usual, front, back, above = (self.bytes_of("scribe.sgm", *camera) for camera in
                                     ([], ["--camera", "0,0"], ["--camera", "180,0"], ["--camera=0,80"]))
        self.assertEqual(len({usual, front, back, above}), 4)
        self.assertEqual(front, self.bytes_of("scribe.sgm", "--camera", "360,0"))
        self.assertEqual(front, self.bytes_of("scribe.sgm", "--camera", "0,0,1"))
        near, far = (sum(pixel[3] > 0 for pixel in
                         self.picture("scribe.sgm", "--background", "transparent", "--camera", f"0,0,{d}").part(0, 0, 48, 48))
                     for d in (1, 3))
        self.assertGreater(near, 4 * far)

    def test_a_turn_is_a_mirror_image_for_a_symmetric_model(self):
        """A flat triangle across the x axis: turned by 30 degrees to one side and to the other."""
        raw = struct.pack("<18f", -1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1)
        self.put("tent.sgm", model_bytes(raw=raw, indices=BOTH_SIDES))
        left, right = (self.picture("tent.sgm", "--background", "transparent", "--camera", f"{yaw},0") for yaw in (30, -30))
        for y in range(48):
            for x in range(48):
                self.assertAlmostEqual(left[x, y][3], right[47 - x, y][3], delta=64)  # a quarter of the samples
        self.assertFalse(left.rows == right.rows)

    def test_up(self):
        """What is tall along y lies down when z is up."""
        raw = struct.pack("<18f", -0.2, 0, 0, 0, 0, 1, 0.2, 0, 0, 0, 0, 1, 0, 4, 0, 0, 0, 1)
        self.put("pole.sgm", model_bytes(raw=raw, indices=BOTH_SIDES))
        tall = {}
        for up in "xyz":
            picture = self.picture("pole.sgm", "--up", up, "--background", "transparent", "--camera", "20,10")
            rows = [y for y in range(48) if any(picture[x, y][3] for x in range(48))]
            tall[up] = len(rows)
        self.assertGreater(tall["y"], 36)
        self.assertLess(tall["x"], 30)
        self.assertLess(tall["z"], 30)

    def test_clips(self):
        rest, start, later = (self.bytes_of("scribe.sgm", *pose) for pose in
                              ([], ["--clip", "walk"], ["--clip", "walk", "--time", "0.5"]))
        self.assertEqual(len({rest, start, later}), 3)
        self.assertEqual(later, self.bytes_of("scribe.sgm", "--clip", "1", "--time", "0.5"))
        self.assertEqual(start, self.bytes_of("scribe.sgm", "--clip", "walk", "--time", "0"))

    def test_a_clip_is_drawn_as_its_baked_pose(self):
        """The skinning of the renderer beside that of convert --pose, from where the camera is told where to stand."""
        self.expect(FINE, "convert", "-q", "scribe.sgm", "baked.glb", "--pose", "walk@0.5")
        posed, baked = (self.picture(*what, "--background", "transparent", "--camera", "0,0")
                        for what in (["scribe.sgm", "--clip", "walk", "--time", "0.5"], ["baked.glb"]))
        differ = sum(abs(a[3] - b[3]) > 96 for a, b in zip(posed.part(0, 0, 48, 48), baked.part(0, 0, 48, 48)))
        self.assertLess(differ, 40)

    def test_overlays_are_seen(self):
        plain = self.bytes_of("scribe.sgm")
        seen = {plain}
        for overlay in ("wireframe", "joints", "show-normals", "uv-checker", "bounds", "grid", "shadow"):
            seen.add(self.bytes_of("scribe.sgm", "--" + overlay))
        self.assertEqual(len(seen), 8)

    def test_formats_agree(self):
        """The same model through other files is the same picture, but for rounding."""
        self.expect(FINE, "convert", "-q", "scribe.sgm", "scribe.glb")
        self.expect(FINE, "convert", "-q", "scribe.sgm", "scribe.obj")
        pictures = [self.picture(name, "--background", "transparent") for name in ("scribe.sgm", "scribe.glb", "scribe.obj")]
        for other in pictures[1:]:
            far = sum(max(abs(a - b) for a, b in zip(p, q)) > 24
                      for p, q in zip(pictures[0].part(0, 0, 48, 48), other.part(0, 0, 48, 48)))
            self.assertLess(far, 48)

    def test_a_skeleton_alone_is_seen(self):
        picture = self.picture("scribe.sga", "--background", "transparent")
        self.assertGreater(sum(pixel[3] > 0 for pixel in picture.part(0, 0, 48, 48)), 20)

    def test_missing_texture(self):
        with_texture = self.bytes_of("scribe.sgm")
        (self.folder / "scribe.png").unlink()
        result = self.render("scribe.sgm", "-o", "out.png", "--size", "64")
        self.assertIn(b"[texture-missing]", result.stderr)
        self.assertNotEqual(self.read("out.png"), with_texture)

    def test_a_texture_that_is_none(self):
        self.put("scribe.png", b"\x89PNG\r\n\x1a\nand then something else")
        result = self.render("scribe.sgm", "-o", "out.png", "--size", "64")
        self.assertIn(b"warning", result.stderr)


class Outputs(RenderTest):
    def test_standard_output(self):
        self.render("scribe.sgm", "-o", "out.png", "--size", "64")
        result = self.render("scribe.sgm", "-o", "-", "--size", "64")
        self.assertEqual(result.stdout, self.read("out.png"))
        self.assertEqual(result.stderr, b"")

    def test_standard_input(self):
        self.put("a.sgm", model_bytes())
        piped = self.render("-", "-o", "-", "--size", "64", input=self.read("a.sgm")).stdout
        self.assertTrue(piped == self.bytes_of("a.sgm"))

    def test_an_existing_picture_is_kept(self):
        self.put("out.png", b"precious")
        self.put("out.webp", b"precious")
        for arguments in (["-o", "out.png"], ["-o", "out.webp", "--turntable", "--movie-fps", "1"], ["--sheet", "-o", "out.png"],
                          ["--out-dir", "."]):
            with self.subTest(arguments):
                shutil.copy(self.folder / "scribe.sgm", self.folder / "out.sgm")
                result = self.render("out.sgm", "--size", "16", *arguments, code=NO_IO)
                self.assertIn(b"-f", result.stderr)
                self.assertEqual((self.read("out.png"), self.read("out.webp")), (b"precious", b"precious"))
                self.render("-f", "out.sgm", "--size", "16", *arguments)
                for name in ("out.png", "out.webp"):
                    self.put(name, b"precious")
        self.assert_nothing_new("out.sgm", "out.png", "out.webp")

    def test_no_such_folder(self):
        self.render("scribe.sgm", "-o", "gone/out.png", code=NO_IO)
        self.assert_nothing_new()

    @unittest.skipUnless(Path("/dev/full").exists(), "there is no /dev/full here")
    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            self.render("scribe.sgm", "-o", "-", stdout=full, capture_output=False, stderr=subprocess.PIPE, code=NO_IO)

    def test_usage(self):
        wrong = [["--size", size] for size in ("0", "0x9", "9x0", "10x", "x10", "-1x5", "5x5x5", "16385", "4294967297", "big", "")]
        wrong += [["--camera", camera] for camera in ("1", "a,b", "nan,0", "0,inf", "0,0,0", "0,0,-1", "1,2,", "1,2x", "1,2,3,4", "")]
        wrong += [["--background", color] for color in ("red", "#12345", "#12345g", "123456", "#1234567", "")]
        wrong += [["--up", up] for up in ("w", "xy", "")]
        wrong += [["--clip", "walk", "--time", t] for t in ("soon", "-1", "nan")] + [["--time", "1"]]
        wrong += [["--clip", clip] for clip in ("dance", "3", "-1")] + [["--turntable"], ["--sheet", "--turntable"]]
        wrong += [["--sheet", "--out-dir", "x"], ["scribe.sgm"], ["--burn"]]
        for arguments in wrong:
            with self.subTest(arguments):
                result = self.render("scribe.sgm", "-o", "out.png", *arguments, code=USAGE)
                self.assertEqual(result.stdout, b"")
                self.assertNotEqual(result.stderr, b"")
                self.assert_nothing_new()
        for arguments in ([], ["-o", "out.png"], ["scribe.sgm"], ["scribe.sgm", "-o", "out.jpg"],
                          ["scribe.sgm", "-o", "out"], ["-r", ".", "-o", "out.png"], ["scribe.sgm", "--sheet"],
                          ["scribe.sgm", "--sheet", "-o", "out.jpg"], ["scribe.sgm", "--sheet", "-o", "out.webp"]):
            with self.subTest(arguments):
                self.render(*arguments, code=USAGE)
                self.assert_nothing_new()
        for fps in ("0", "-1", "fast", "1001"):
            self.render("scribe.sgm", "-o", "out.webp", "--turntable", "--movie-fps", fps, code=USAGE)
        self.assert_nothing_new()

    def test_no_such_clip_lists_them(self):
        self.assertIn(b"walk", self.render("scribe.sgm", "-o", "out.png", "--clip", "dance", code=USAGE).stderr)

    def test_damage(self):
        data = self.read("scribe.sgm")
        bad = {"cut.sgm": (FINDINGS, data[:-300]), "text.sgm": (UNSUPPORTED, b"hello, world\n"), "empty.sgm": (FINDINGS, b""),
               "index.sgm": (FINDINGS, model_bytes(indices=(0, 1, 9))),
               "nan.sgm": (FINDINGS, model_bytes(raw=struct.pack("<18f", *[float("nan")] * 18)))}
        for name, (code, content) in bad.items():
            self.put(name, content)
            for arguments in (["-o", "out.png"], ["-o", "out.webp", "--turntable"], ["-o", "-"], ["--out-dir", "out"]):
                with self.subTest(name, arguments=arguments):
                    result = self.stele("render", name, *arguments)
                    self.assertIn(result.returncode, (code, FINDINGS, UNSUPPORTED))
                    self.assertNotEqual(result.stderr, b"")
                    self.assertEqual(result.stdout, b"")
                    self.assertEqual([p for p in self.folder.rglob("*") if p.suffix in (".png", ".webp", ".tmp")],
                                     [self.folder / "scribe.png"])
        self.render("missing.sgm", "-o", "out.png", code=NO_IO)

    def test_out_dir(self):
        self.put("in/a/one.sgm", self.read("scribe.sgm"))
        self.put("in/b/two.sgm", model_bytes())
        self.put("in/b/bad.sgm", self.read("scribe.sgm")[:-300])
        self.put("in/notes.txt", b"no model")
        self.render("-r", "in", "--out-dir", "out", "--size", "16", code=FINDINGS)
        made = sorted(str(p.relative_to(self.folder / "out")) for p in (self.folder / "out").rglob("*.*"))
        self.assertEqual(made, ["a/one.png", "b/two.png"])
        for name in made:
            self.assertEqual(Png(self.read("out/" + name)).width, 16)

    def test_json(self):
        said = json.loads(self.render("--json", "scribe.sgm", "-o", "out.png", "--size", "20x30").stdout)
        self.assertEqual((said["schema"], said["command"], said["file"], said["output"], said["width"], said["height"]),
                         (1, "render", "scribe.sgm", "out.png", 20, 30))
        failed = json.loads(self.render("--json", "scribe.sgm", "-o", "out.png", code=NO_IO).stdout)
        self.assertIsNone(failed["output"])
        result = self.render("--json", "scribe.sgm", "-o", "-", "--size", "8")
        self.assertEqual(Png(result.stdout).width, 8)
        self.assertEqual(json.loads(result.stderr)["output"], "-")
        self.put("cut.sgm", self.read("scribe.sgm")[:-300])
        lines = self.render("--json", "--sheet", "scribe.sgm", "cut.sgm", "-o", "sheet.png", code=FINDINGS).stdout.splitlines()
        self.assertEqual([json.loads(line)["output"] for line in lines], ["sheet.png", None])

    def test_help(self):
        for verb, some in (("render", ("--sheet", "--turntable", "--camera")), ("thumbnail", ("--size", "--time-limit"))):
            text = self.expect(FINE, verb, "--help").stdout.decode()
            for option in some:
                self.assertIn(option, text)


class Movies(RenderTest):
    def movie(self, *arguments):
        self.render("-f", "-q", "scribe.sgm", "-o", "out.webp", "--size", "40x48", *arguments)
        return Webp(self.read("out.webp"))

    def test_a_clip(self):
        self.expect(FINE, "convert", "-q", "scribe.sgm", "scribe.glb")
        for clip in ("idle", "walk", "write"):
            with self.subTest(clip):
                seconds = Gltf(self.folder / "scribe.glb").duration(clip)
                movie = self.movie("--clip", clip)
                self.assertEqual(movie.order[:2], [b"VP8X", b"ANIM"])
                self.assertEqual(set(movie.order[2:]), {b"ANMF"})
                self.assertTrue(movie.moves)
                self.assertEqual(movie.size, (40, 48))
                self.assertEqual(movie.loops, 0)
                self.assertEqual(len(movie.durations), round(24 * seconds))
                self.assertAlmostEqual(sum(movie.durations) / 1000, seconds, delta=0.0215)  # half a picture, and rounding

    def test_pictures_a_second(self):
        for fps in (5, 7, 30):
            with self.subTest(fps):
                movie = self.movie("--turntable", "--movie-fps", str(fps))
                self.assertEqual(len(movie.durations), 4 * fps)
                self.assertEqual(sum(movie.durations), 4000)
                self.assertLessEqual(max(movie.durations) - min(movie.durations), 1)

    def test_turntable(self):
        movie = self.movie("--turntable", "--movie-fps", "6")
        self.assertEqual((len(movie.durations), sum(movie.durations), movie.loops), (24, 4000, 0))
        self.assertEqual(len(self.movie("--turntable", "--movie-fps", "6", "--clip", "walk").durations), 24)

    def test_transparent(self):
        self.assertTrue(self.movie("--turntable", "--movie-fps", "2", "--background", "transparent").alpha)

    def test_lossless(self):
        self.movie("--turntable", "--movie-fps", "2")
        lossy = self.read("out.webp")
        self.movie("--turntable", "--movie-fps", "2", "--lossless")
        self.assertIn(b"VP8 ", lossy)
        self.assertNotIn(b"VP8 ", self.read("out.webp"))
        self.assertIn(b"VP8L", self.read("out.webp"))

    def test_a_still_one(self):
        for arguments in ([], ["--clip", "walk", "--time", "0.4"]):
            self.render("-f", "-q", "scribe.sgm", "-o", "out.webp", "--lossless", "--size", "40x48", *arguments)
            still = self.read("out.webp")
            self.assertEqual((still[:4], still[8:16]), (b"RIFF", b"WEBPVP8L"))
            size = int.from_bytes(still[21:25], "little")
            self.assertEqual(((size & 0x3fff) + 1, (size >> 14 & 0x3fff) + 1), (40, 48))
        self.render("-f", "-q", "scribe.sgm", "-o", "out.webp", "--size", "40x48")
        self.assertEqual(self.read("out.webp")[12:16], b"VP8 ")
        self.put("out.webp", b"precious")
        self.render("scribe.sgm", "-o", "out.webp", code=NO_IO)
        self.assertEqual(self.read("out.webp"), b"precious")

    def test_one_of_each(self):
        self.put("in/a/b.sgm", self.read("scribe.sgm"))
        self.render("-q", "-r", "in", "--out-dir", "out", "--turntable", "--movie-fps", "2", "--size", "16")
        self.assertEqual(len(Webp(self.read("out/a/b.webp")).durations), 8)

    def test_standard_output(self):
        self.movie("--turntable", "--movie-fps", "2")
        self.assertEqual(self.render("scribe.sgm", "-o", "-", "--turntable", "--movie-fps", "2", "--size", "40x48").stdout, self.read("out.webp"))


class Sheets(RenderTest):
    CELL = 48

    def sheet(self, *arguments, code=FINE):
        self.render("-f", "-q", "--sheet", "-o", "sheet.png", "--size", str(self.CELL), *arguments, code=code)
        return Png(self.read("sheet.png"))

    def cell(self, sheet, index):
        """The pixels of a model's picture, and those of its name."""
        columns = sheet.width // self.CELL
        x, y = index % columns * self.CELL, index // columns * (self.CELL + LABEL)
        return sheet.part(x, y, self.CELL, self.CELL), sheet.part(x, y + self.CELL, self.CELL, LABEL)

    def copies(self, count):
        names = [f"{i:02}.sgm" for i in range(count)]
        for name in names:
            self.put(name, self.read("scribe.sgm"))
        return names

    def test_one(self):
        sheet = self.sheet("scribe.sgm")
        self.assertEqual((sheet.width, sheet.height), (self.CELL, self.CELL + LABEL))

    def test_usual_size(self):
        self.render("--sheet", "scribe.sgm", "-o", "sheet.png")
        self.assertEqual(struct.unpack(">II", self.read("sheet.png")[16:24]), (192, 192 + LABEL))

    def test_every_model_and_its_name(self):
        names = self.copies(7)
        sheet = self.sheet(*names)
        columns, rows = sheet.width // self.CELL, sheet.height // (self.CELL + LABEL)
        self.assertEqual((sheet.width % self.CELL, sheet.height % (self.CELL + LABEL)), (0, 0))
        self.assertTrue(columns * (rows - 1) < 7 <= columns * rows, (columns, rows))
        labels = set()
        for i in range(7):
            drawn, label = self.cell(sheet, i)
            self.assertGreater(len(set(drawn)), 50)
            self.assertIn(PAPER, drawn)
            self.assertEqual(drawn, self.cell(sheet, 0)[0])
            labels.add(tuple(label))
        self.assertEqual(len(labels), 7)
        for i in range(7, columns * rows):
            self.assertEqual(set(sum(self.cell(sheet, i), [])), {PAPER})

    def test_a_cell_is_the_picture(self):
        picture = self.picture("scribe.sgm", "--background", "#204060", size=str(self.CELL))
        drawn, label = self.cell(self.sheet("scribe.sgm", "--background", "#204060"), 0)
        self.assertEqual(drawn, picture.part(0, 0, self.CELL, self.CELL))
        self.assertIn((0x20, 0x40, 0x60, 255), label)

    def reds(self, pixels):
        return sum(p[0] > p[1] + 60 for p in pixels)

    def test_what_is_damaged_says_so_in_red(self):
        self.put("bad.sgm", self.read("scribe.sgm")[:-300])
        sheet = self.sheet("scribe.sgm", "bad.sgm", code=FINDINGS)
        for part in (0, 1):
            self.assertTrue(self.reds(self.cell(sheet, 1)[part]))
        self.assertFalse(self.reds(self.cell(sheet, 0)[1]))
        self.CELL = 160
        self.put("text.sgm", b"no model")
        cells = [self.cell(self.sheet("bad.sgm", "text.sgm", code=UNSUPPORTED), i)[0] for i in (0, 1)]
        self.assertNotEqual(*cells)  # each has its own reason
        for drawn in cells:
            self.assertIn(PAPER, drawn)
            self.assertGreater(self.reds(drawn), 40)

    def test_labels_tell_names_apart(self):
        """Names that begin or end alike, in folders of any names, and those that differ in their middle."""
        long = "a_long_name_that_everyone_has_in_common"
        for names in ([f"{c}_{long}.sgm" for c in "abc"], [f"{long}_{c}.sgm" for c in "abc"], [f"{long}{c}{long}.sgm" for c in "abc"],
                      [f"{c}{long}/{long}.sgm" for c in "ab"] + [f"{long}/{c}.sgm" for c in "ab"],
                      ["дом.sgm", "кот.sgm", "ёлка.sgm"], ["模型.sgm", "模样.sgm"], ["é.sgm", "è.sgm", "e.sgm"],
                      ["э" * 30 + ".sgm", "ю" * 30 + ".sgm"]):
            with self.subTest(names):
                shutil.rmtree(self.folder / "in", ignore_errors=True)
                for name in names:
                    self.put("in/" + name, model_bytes())
                sheet = self.sheet("-r", "in")
                labels = {tuple(self.cell(sheet, i)[1]) for i in range(len(names))}
                self.assertEqual(len(labels), len(names))

    def test_names_on_a_dark_sheet(self):
        label = self.cell(self.sheet("scribe.sgm", "--background", "dark"), 0)[1]
        self.assertIn((38, 40, 44, 255), label)
        self.assertGreater(max(sum(p[:3]) for p in label), 500)

    def test_names_do_not_touch(self):
        names = [f"{i}-with-quite-a-long-name.sgm" for i in range(2)]
        for name in names:
            self.put(name, model_bytes())
        sheet = self.sheet(*names)
        self.assertEqual(set(sheet.part(self.CELL - 2, self.CELL, 4, LABEL)), {PAPER})

    def test_folders(self):
        for name in ("in/b.sgm", "in/a/c.sgm", "in/d.txt"):
            self.put(name, model_bytes())
        sheet = self.sheet("-r", "in")
        self.assertEqual((sheet.width // self.CELL) * (sheet.height // (self.CELL + LABEL)), 2)

    def test_those_that_have_the_clip_are_posed(self):
        self.put("still.sgm", model_bytes())
        rest, posed = self.sheet("scribe.sgm", "still.sgm"), self.sheet("scribe.sgm", "still.sgm", "--clip", "0", "--time", "0.5")
        self.assertNotEqual(self.cell(rest, 0), self.cell(posed, 0))
        self.assertEqual(self.cell(rest, 1), self.cell(posed, 1))

    def test_too_large(self):
        names = self.copies(30)
        result = self.render("--sheet", *names, "-o", "sheet.png", "--size", "16384", code=USAGE)
        self.assertIn(b"--size", result.stderr)
        self.assertNotIn("sheet.png", self.names())


class Determinism(RenderTest):
    def test_any_number_of_threads_and_any_run(self):
        for name in ("a.sgm", "b.sgm", "c.sgm"):
            self.put(name, self.read("scribe.sgm"))
        runs = {"still": ["scribe.sgm", "-o", "out.png", "--size", "300x200", "--shadow", "--grid", "--joints"],
                "movie": ["scribe.sgm", "-o", "out.webp", "--clip", "walk", "--size", "64"],
                "sheet": ["--sheet", "a.sgm", "b.sgm", "c.sgm", "scribe.sgm", "-o", "out.png", "--size", "80"]}
        for name, arguments in runs.items():
            with self.subTest(name):
                seen = set()
                for jobs in ("-j1", "-j2", "-j7", "-j2"):
                    self.render("-f", "-q", jobs, *arguments)
                    seen.add(self.read(arguments[arguments.index("-o") + 1]))
                self.assertEqual(len(seen), 1)


class Thumbnails(RenderTest):
    def thumbnail(self, *arguments, code=FINE, **options):
        return self.expect(code, "thumbnail", *arguments, **options)

    def test_sizes(self):
        for arguments, side in (([], 256), (["--size", "128"], 128), (["--size=64"], 64), (["--size=1"], 1)):
            with self.subTest(arguments):
                result = self.thumbnail("scribe.sgm", "out.png", *arguments)
                self.assertEqual((result.stdout, result.stderr), (b"", b""))
                picture = Png(self.read("out.png"))
                self.assertEqual((picture.width, picture.height), (side, side))
                if side > 1:
                    self.assertEqual(corners(picture), {CLEAR})
                    self.assertEqual({pixel[3] for pixel in middle(picture)}, {255})
        self.assert_nothing_new("out.png")

    def test_usage(self):
        for arguments in (["--size", "0"], ["--size", "2049"], ["--size", "big"], ["--size", "-5"], ["--time-limit", "0"], ["--time-limit", "long"],
                          ["third.png"], ["--memory-limit", "lots"]):
            with self.subTest(arguments):
                self.thumbnail("scribe.sgm", "out.png", *arguments, code=USAGE)
        self.thumbnail("scribe.sgm", code=USAGE)
        self.assert_nothing_new()

    def test_into_the_file_that_is_there(self):
        """Tumbler makes the file, and reads it through what it holds open."""
        for old in (b"", b"\x89PNG\r\n\x1a\n" + b"old" * 100000):
            path = self.put("out.png", old)
            with path.open("rb") as held:
                self.thumbnail("scribe.sgm", "-o", "out.png", "--size", "32")
                self.assertEqual(Png(held.read()).width, 32)

    def test_only_pictures_are_replaced(self):
        for name in ("scribe.sgm", "scribe.sga", "notes.txt"):
            path = self.folder / name
            if name == "notes.txt":
                path.write_bytes(b"!")
            old = path.read_bytes()
            with self.subTest(name):
                self.assertIn(b"is no PNG", self.thumbnail("scribe.sgm", name, code=NO_IO).stderr)
                self.assertEqual(path.read_bytes(), old)

    def test_one_model_and_one_picture(self):
        for arguments in (["-r", "."], ["scribe.sgm", "scribe.sga", "scribe.png"], ["scribe.sgm", "a.png", "-o", "b.png"], ["scribe.sgm"]):
            self.thumbnail(*arguments, code=USAGE)
        self.thumbnail(".", "out.png", code=NO_IO)

    def test_standard_output(self):
        self.thumbnail("scribe.sgm", "out.png", "--size", "32")
        result = self.thumbnail("scribe.sgm", "-", "--size", "32", "--json")
        self.assertEqual(result.stdout, self.read("out.png"))
        self.assertEqual(json.loads(result.stderr)["size"], 32)

    def test_json(self):
        said = json.loads(self.thumbnail("--json", "scribe.sgm", "out.png", "--size", "32").stdout)
        self.assertEqual((said["command"], said["output"], said["size"]), ("thumbnail", "out.png", 32))

    def test_alone_in_its_folder(self):
        """A sandbox shows a thumbnailer the one file only."""
        (self.folder / "scribe.sga").unlink()
        (self.folder / "scribe.png").unlink()
        self.thumbnail("scribe.sgm", "out.png")
        self.assertEqual({pixel[3] for pixel in middle(Png(self.read("out.png")))}, {255})

    def test_damage(self):
        data = self.read("scribe.sgm")
        for name, content, code in (("cut.sgm", data[:-300], FINDINGS), ("text.sgm", b"<!doctype book>\n", UNSUPPORTED),
                                    ("empty.sgm", b"", FINDINGS)):
            with self.subTest(name):
                self.put(name, content)
                result = self.stele("thumbnail", name, "out.png")
                self.assertIn(result.returncode, (FINDINGS, UNSUPPORTED) if not content else (code,))
                self.assertNotEqual(result.stderr, b"")
                self.assertNotIn("out.png", self.names())
        self.thumbnail("missing.sgm", "out.png", code=NO_IO)
        self.thumbnail("scribe.sgm", "gone/out.png", code=NO_IO)
        self.put("out.png", b"precious")
        self.thumbnail("cut.sgm", "out.png", code=FINDINGS)
        self.assertEqual(self.read("out.png"), b"precious")

    @unittest.skipUnless(Path("/dev/full").exists(), "there is no /dev/full here")
    def test_full_disk(self):
        result = self.thumbnail("scribe.sgm", "/dev/full", code=NO_IO)
        self.assertIn(b"No space", result.stderr)

    # ---- Within limits

    def limited(self, *arguments):
        """(exit code, what it said, seconds, its largest memory in MiB)"""
        started = time.monotonic()
        process = self.start("thumbnail", *arguments)
        error = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, error, time.monotonic() - started, usage.ru_maxrss / 1024

    def test_a_file_that_claims_much(self):
        data = bytearray(model_bytes())
        at = data.index(struct.pack("<I", 3))
        for claim in (0x7FFFFFFF, 0xFFFFFFFF, 0x10000000):
            struct.pack_into("<I", data, at, claim)
            self.put("claims.sgm", bytes(data))
            code, _, seconds, memory = self.limited("claims.sgm", "out.png")
            self.assertEqual(code, FINDINGS)
            self.assertLess(seconds, 2)
            self.assertLess(memory, 64)
        self.assertNotIn("out.png", self.names())

    def test_a_texture_that_claims_much(self):
        header = struct.pack(">IIBBBBB", 60000, 60000, 8, 6, 0, 0, 0)
        self.put("scribe.png", b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + png_chunk(b"IDAT", zlib.compress(bytes(1 << 24), 9)))
        code, _, seconds, memory = self.limited("scribe.sgm", "out.png")
        self.assertIn(code, (FINE, NO_IO))
        self.assertLess(seconds, 20)
        self.assertLess(memory, 1200)

    def test_time(self):
        """Half a million triangles that each cover the whole picture."""
        raw = struct.pack("<18f", -1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 1)
        mesh = triangle(raw=raw, indices=BOTH_SIDES * 250000)
        self.put("slow.sgm", write_sgm(Model([Material(0, [])], [mesh]), "v3"))
        code, said, seconds, _ = self.limited("slow.sgm", "out.png", "--size", "2048", "--time-limit", "1")
        self.assertEqual(code, NO_IO)
        # by the clock or by the processor's time, whichever comes first: the second ends the process that could say its file
        self.assertRegex(said, rb"^stele: (slow\.sgm: )?the time limit has passed\n$")
        self.assertLess(seconds, 5)
        self.assertEqual(self.names(), sorted([*SCRIBE, "slow.sgm"]))

    def test_a_file_that_does_not_end(self):
        reader, writer = os.pipe()
        started = time.monotonic()
        result = self.thumbnail("-", "out.png", "--time-limit", "1", stdin=reader, code=NO_IO)
        os.close(reader)
        os.close(writer)
        self.assertEqual(result.stderr, b"stele: -: the time limit has passed\n")
        self.assertLess(time.monotonic() - started, 5)
        self.assert_nothing_new()

    def test_memory(self):
        large_model(self.folder / "large.sgm", 1 << 30)  # a hole: it costs no disk
        self.assertIn(self.limited("large.sgm", "out.png", "--memory-limit", "64M", "--time-limit", "30")[0], (FINE, NO_IO))
        self.thumbnail("scribe.sgm", "out.png", "--memory-limit", "1K", code=NO_IO)
        limits = lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 25, 1 << 25))
        result = self.stele("thumbnail", "scribe.sgm", "small.png", preexec_fn=limits)
        self.assertIn(result.returncode, (FINE, NO_IO), result)

    def test_every_limit_is_survived(self):
        for limit in range(1, 3000000, 150001):
            result = self.stele("thumbnail", "scribe.sgm", "out.png", "--size", "32", "--memory-limit", str(limit))
            self.assertIn(result.returncode, (FINE, NO_IO), (limit, result))
            self.assertEqual(result.returncode == FINE, "out.png" in self.names())
            (self.folder / "out.png").unlink(missing_ok=True)

    def test_every_cut_is_survived(self):
        data = (SAMPLES / "dialects/v3.sgm").read_bytes()
        for size in range(0, len(data), len(data) // 25):
            self.put("cut.sgm", data[:size])
            result = self.stele("thumbnail", "cut.sgm", "out.png", "--size", "16")
            self.assertIn(result.returncode, (FINDINGS, UNSUPPORTED), (size, result))
            self.assertNotIn("out.png", self.names())


@unittest.skipUnless(CORPUS.is_dir(), "there is no corpus")
class Corpus(CliTest):
    """Real files. Each is drawn without errors, and something is to be seen."""

    def test_all(self):
        listed = json.loads(self.expect(FINE, "formats", "--json").stdout)["formats"]
        endings = {"." + e for f in listed for e in f["extensions"]}
        files = real_files(*endings)
        for path in files:
            with self.subTest(path.name):
                result = self.expect(FINE, "thumbnail", path, "out.png", "--size", "32")
                self.assertEqual(result.stderr, b"")
                seen = sum(pixel[3] > 0 for pixel in Png((self.folder / "out.png").read_bytes()).part(0, 0, 32, 32))
                self.assertGreater(seen, 10 if path.suffix != ".sga" else 0)  # there are skeletons of one joint
        print(f"# {len(files)} files of the corpus drawn", flush=True)


# ---- The pictures of the samples, by their hashes ----------------------------------------------------------------------

VIEWS = {"wireframe": ["--wireframe"], "joints": ["--joints"], "normals": ["--show-normals"], "uv-checker": ["--uv-checker"],
         "bounds": ["--bounds"], "grid": ["--grid"], "shadow": ["--shadow"], "walk": ["--clip", "walk", "--time", "0.4"],
         "write": ["--clip", "write", "--time", "0.7"], "back": ["--camera", "200,10"], "above": ["--camera", "30,60,1.5"],
         "transparent": ["--background", "transparent"], "sheet": ["--sheet"]}


def hash_of(path, *options):
    """Of the pixels: how they are packed is the business of zlib's version."""
    command = [STELE, "render", "-o", "-", "--size", "96", *options, path.name]
    picture = Png(subprocess.run(command, cwd=path.parent, capture_output=True, check=True).stdout)
    pixels = bytes(value for y in range(picture.height) for x in range(picture.width) for value in picture[x, y])
    return hashlib.sha256(f"{picture.width} {picture.height} ".encode() + pixels).hexdigest()


def pictures():
    """(name, hash) of each."""
    for path in [*sorted(SAMPLES.glob("*.sg?")), *models()]:
        yield path.name, hash_of(path)
    for name, options in VIEWS.items():
        yield f"scribe.sgm {name}", hash_of(SAMPLES / "scribe.sgm", *options)


class Pictures(unittest.TestCase):
    def test_hashes(self):
        self.assertTrue(PICTURES.exists(), "run tests/test_render.py --update and look at the pictures")
        kept = dict(reversed(line.split(" ", 1)) for line in PICTURES.read_text().splitlines())
        drawn = dict(pictures())
        self.assertEqual(set(drawn), set(kept))
        self.assertEqual([name for name, value in drawn.items() if kept[name] != value], [], "these pictures have changed")


def update():
    PICTURES.write_text("".join(f"{value} {name}\n" for name, value in pictures()))
    print("wrote", PICTURES)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        unittest.main()
