# SPDX-License-Identifier: Apache-2.0
"""Reads and writes IDX files of unsigned bytes (the format of MNIST), plain or gzip. Standard library only."""

import gzip
import struct
from pathlib import Path

_TYPE_UBYTE = 0x08


def read_idx(path):
    """Returns (shape, bytes); the bytes are in row-major order."""
    path = Path(path)
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    if len(raw) < 4 or raw[0] != 0 or raw[1] != 0 or raw[2] != _TYPE_UBYTE:
        raise ValueError(f"{path}: not an IDX file of unsigned bytes (magic {raw[:4].hex()}, expected 0000 08 rank)")
    rank = raw[3]
    header = 4 + 4 * rank
    if len(raw) < header:
        raise ValueError(f"{path}: {len(raw)} bytes, but a header of rank {rank} needs {header}")
    shape = struct.unpack(f">{rank}I", raw[4:header])
    count = 1
    for extent in shape:
        count *= extent
    if len(raw) != header + count:
        raise ValueError(f"{path}: {len(raw)} bytes, but shape {shape} needs {header + count}")
    return shape, raw[header:]


def write_idx(path, shape, data):
    """Writes a plain IDX file; shape must describe exactly len(data) bytes."""
    count = 1
    for extent in shape:
        count *= extent
    if count != len(data):
        raise ValueError(f"{path}: shape {tuple(shape)} needs {count} bytes, got {len(data)}")
    header = bytes([0, 0, _TYPE_UBYTE, len(shape)]) + struct.pack(f">{len(shape)}I", *shape)
    Path(path).write_bytes(header + bytes(data))
