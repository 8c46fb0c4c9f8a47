"""Reads PNG files without any library of ours: chunks, zlib and the five filters, for 8 bits a channel."""
import struct
import zlib

CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}


def chunks(data):
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("no PNG")
    at = 8
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + size]
        if zlib.crc32(kind + body) != struct.unpack_from(">I", data, at + 8 + size)[0]:
            raise ValueError(f"{kind} is damaged")
        yield kind, body
        at += size + 12


def paeth(a, b, c):
    distances = [abs(b - c), abs(a - c), abs(a + b - 2 * c)]
    return (a, b, c)[distances.index(min(distances))]


def unfilter(kind, row, above, step):
    for i, byte in enumerate(row):
        left = row[i - step] if i >= step else 0
        corner = above[i - step] if i >= step else 0
        guess = (0, left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner) if kind == 4 else 0)[kind]
        row[i] = (byte + guess) & 255
    return row


class Png:
    """.width, .height, and [x, y] as (red, green, blue, alpha)."""

    def __init__(self, data):
        parts = list(chunks(data))
        self.width, self.height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", dict(parts)[b"IHDR"])
        if depth != 8 or interlaced or color not in CHANNELS:
            raise ValueError("a PNG that this reader does not know")
        self.step = CHANNELS[color]
        self.text = dict(body.split(b"\0", 1) for kind, body in parts if kind == b"tEXt")
        raw = zlib.decompress(b"".join(body for kind, body in parts if kind == b"IDAT"))
        line = self.width * self.step
        if len(raw) != (line + 1) * self.height or parts[-1][0] != b"IEND":
            raise ValueError("the pixels are not complete")
        self.rows, above = [], bytearray(line)
        for y in range(self.height):
            start = y * (line + 1)
            above = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + line]), above, self.step)
            self.rows.append(above)

    def __getitem__(self, at):
        x, y = at
        pixel = tuple(self.rows[y][x * self.step:(x + 1) * self.step])
        if self.step < 3:
            pixel = pixel[:1] * 3 + pixel[1:]
        return pixel if len(pixel) == 4 else pixel + (255,)

    def part(self, left, top, width, height):
        """The pixels of a rectangle, row by row."""
        return [self[x, y] for y in range(top, top + height) for x in range(left, left + width)]
