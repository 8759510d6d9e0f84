#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the twenty digit pictures of the project and, where a network lies beside them, records its answers. Needs
numpy.

The pictures are made as MNIST's are: white on black, the ink scaled into a 20 x 20 box, its centre of mass in the
middle of 28 x 28. All points are this project's own (glyphs.py); nothing is taken from a data set.
"""

import argparse
import math
import random
import struct
import zlib
from pathlib import Path

import numpy as np

import network
from glyphs import GLYPHS
from idx import write_idx
from record import write_network

SIDE, BOX = 28, 20
SEED = 7


def smooth(points, steps=16):
    """A Catmull-Rom curve through the points, as a fine polyline."""
    p = np.array([points[0], *points, points[-1]], float)
    t = np.linspace(0, 1, steps, endpoint=False)[:, None]
    pieces = [
        0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
        for a, b, c, d in zip(p, p[1:], p[2:], p[3:])
    ]
    return np.vstack([*pieces, p[-1:]])


def arc(centre, radii, degrees, steps=48):
    angle = np.radians(np.linspace(*degrees, steps))
    return np.array(centre) + np.array(radii) * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def polyline(stroke):
    kind, *rest = stroke
    if kind == "line":
        return np.array(rest[0], float)
    return smooth(rest[0]) if kind == "curve" else arc(*rest)


def distance_to(line, side):
    """Distance of every pixel centre to the polyline, in pixels."""
    y, x = np.mgrid[0:side, 0:side]
    pixels = np.stack([x, y], axis=-1).astype(float)
    best = np.full((side, side), np.inf)
    for a, b in zip(line, line[1:]):
        along = b - a
        t = np.clip((pixels - a) @ along / max(along @ along, 1e-12), 0, 1)
        best = np.minimum(best, np.linalg.norm(pixels - a - t[..., None] * along, axis=-1))
    return best


def render(lines, radius, offset):
    """Anti-aliased strokes of the given pen radius: full inside, one pixel of fall at the edge."""
    distance = np.min([distance_to(line + offset, SIDE) for line in lines], axis=0)
    return np.clip(radius + 0.5 - distance, 0, 1)


def draw(strokes, radius, slant, rotation, drift):
    """One picture, uint8 [28, 28]. rotation in radians; drift moves the centre of mass off the middle, in pixels."""
    turn = np.array([[math.cos(rotation), math.sin(rotation)], [-math.sin(rotation), math.cos(rotation)]])
    lines = [(polyline(stroke) - 0.5) @ np.array([[1, 0], [-slant, 1]]) @ turn for stroke in strokes]
    points = np.vstack(lines)
    low, high = points.min(axis=0), points.max(axis=0)
    scale = (BOX - 2 * radius) / (high - low).max()
    middle = (SIDE - 1) / 2
    lines = [(line - (low + high) / 2) * scale + middle for line in lines]
    ink = render(lines, radius, np.zeros(2))
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    mass = np.array([(ink * x).sum(), (ink * y).sum()]) / ink.sum()
    return np.round(render(lines, radius, middle - mass + drift) * 255).astype(np.uint8)


def draw_all(seed):
    rng = random.Random(seed)
    pictures = []
    for _, strokes, radius, slant in GLYPHS:
        rotation = math.radians(rng.uniform(-6, 6))
        drift = np.array([rng.uniform(-0.7, 0.7), rng.uniform(-0.7, 0.7)])
        pictures.append(draw(strokes, radius, slant, rotation, drift))
    return np.array(pictures)


def write_sheet(path, pictures, columns=10, zoom=6):
    """All pictures enlarged on one grey PNG, for viewing."""
    rows = [np.hstack([np.pad(p, 1) for p in pictures[i : i + columns]]) for i in range(0, len(pictures), columns)]
    sheet = np.vstack(rows).repeat(zoom, axis=0).repeat(zoom, axis=1)
    height, width = sheet.shape
    raw = b"".join(b"\0" + line.tobytes() for line in sheet)

    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=network.DATA_DIR, help="folder to write to (default: %(default)s)")
    parser.add_argument("--png", type=Path, help="also write all pictures, enlarged, to this PNG file")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    pictures = draw_all(SEED)
    write_idx(args.out / network.PICTURES_NAME, pictures.shape, pictures.tobytes())
    write_idx(args.out / network.LABELS_NAME, (len(GLYPHS),), bytes(glyph[0] for glyph in GLYPHS))
    if args.png:
        write_sheet(args.png, pictures)
    if (args.out / network.JSON_NAME).exists():
        write_network(network.load(args.out), args.out)


if __name__ == "__main__":
    main()
