# SPDX-License-Identifier: Apache-2.0
"""Pictures that a small network can learn, as IDX files."""

import random
import struct

SIDE, HALF = 14, 5


def picture(label, rng):
    """A bright bar on noise, its place and direction by the label."""
    bar = 1 + 3 * (label % HALF) - (label % HALF > 3)
    rows = [[rng.randrange(60) for _ in range(SIDE)] for _ in range(SIDE)]
    for at in range(SIDE):
        y, x = (bar, at) if label < HALF else (at, bar)
        rows[y][x] = 255 - rng.randrange(60)
    return bytes(pixel for row in rows for pixel in row)


def write_pictures(folder, name, count, seed):
    rng = random.Random(seed)
    labels = [rng.randrange(2 * HALF) for _ in range(count)]
    images, classes = folder / f"{name}-images", folder / f"{name}-labels"
    images.write_bytes(struct.pack(">4I", 0x803, count, SIDE, SIDE) + b"".join(picture(n, rng) for n in labels))
    classes.write_bytes(struct.pack(">2I", 0x801, count) + bytes(labels))
    return [images, classes]
