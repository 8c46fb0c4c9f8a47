"""OBJ with its MTL: every form of index, polygons, lines, and materials with and without a texture."""

from .scribe import low_tablet


def number(x):
    return f"{round(x, 6) + 0.0:.6f}".rstrip("0").rstrip(".")


def line(word, *values):
    return " ".join([word, *(v if isinstance(v, str) else number(v) for v in values)])


def numbered(rows):
    """The rows without repetitions, and for each row its number from 1."""
    unique = list(dict.fromkeys(rows))
    place = {row: i + 1 for i, row in enumerate(unique)}
    return unique, [place[row] for row in rows]


def tablet(mesh):
    """Positions, texture coordinates and normals are numbered on their own, counting from the start."""
    v, vi = numbered([line("v", *p.position) for p in mesh.vertices])
    vt, ti = numbered([line("vt", p.uv[0], 1 - p.uv[1]) for p in mesh.vertices])
    vn, ni = numbered([line("vn", *n) for n in mesh.normals])
    faces = [line("f", *(f"{vi[i]}/{ti[i]}/{ni[i]}" for i in t)) for t in mesh.triangles]
    return ["o tablet", *v, *vt, *vn, "usemtl stone", "s 1", *faces]


def painted(mesh):
    """A smaller one without texture coordinates, with colours, counting back from the end."""
    v = [line("v", *(x / 2 for x in p.position), 1, 0.5, 0.25) for p in mesh.vertices]
    vn = [line("vn", *n) for n in mesh.normals]
    back = len(mesh.vertices)
    faces = [line("f", *(f"{i - back}//{i - back}" for i in t)) for t in mesh.triangles]
    return ["o painted", *v, *vn, "usemtl clay", *faces]


# An arrow in the plane, not convex; its outline; its tip. The face goes on on the next line.
SIGN = """o sign
g arrow
v 0 0 1
v -0.5 -0.25 1
v 0 1 1
v 0.5 -0.25 1
usemtl stone
f -4 -1 -2 \\
  -3
g outline
l -4 -1 -2 -3 -4
p -2""".split("\n")

MTL = """# of the tablets
newmtl stone
Kd 1 1 1
Ka 0 0 0
illum 2
map_Kd scribe.png
newmtl clay
Kd 0.8 0.5 0.3
Ke 0.1 0 0
d 0.75
Pr 0.25
Pm 0
norm -bm 0.5 scribe_n.png
"""


def files():
    text = ["# two tablets and a sign", "mtllib plain.mtl", *tablet(low_tablet()), *painted(low_tablet()), *SIGN, ""]
    return {"dialects/plain.obj": "\n".join(text).encode(), "dialects/plain.mtl": MTL.encode()}
