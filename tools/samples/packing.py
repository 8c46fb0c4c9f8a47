"""Little-endian bytes."""

import struct


def u8(*values):
    return struct.pack(f"<{len(values)}B", *values)


def u16(*values):
    return struct.pack(f"<{len(values)}H", *values)


def u32(*values):
    return struct.pack(f"<{len(values)}I", *values)


def u64(*values):
    return struct.pack(f"<{len(values)}Q", *values)


def f64(*values):
    return struct.pack(f"<{len(values)}d", *(round(v, 6) + 0.0 for v in values))


def f32(*values):
    # Six decimals hide the last bits in which C libraries differ; + 0.0 turns -0 into 0.
    return struct.pack(f"<{len(values)}f", *(round(v, 6) + 0.0 for v in values))
