# SPDX-License-Identifier: Apache-2.0
"""Training pictures of digits: the strokes of scripts/digits/glyphs.py in random handwriting, 14 x 14, so that no data
set is needed."""

import math
import random
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "digits"))
from draw import draw  # noqa: E402
from glyphs import GLYPHS  # noqa: E402

SIDE = 14


def halved(picture):
    """Downsamples 28 x 28 to 14 x 14, each pixel the mean of four."""
    return picture.reshape(SIDE, 2, SIDE, 2).mean(axis=(1, 3))


def random_pictures(count, seed):
    """`count` pictures as float32 [count, 14, 14], 0 to 1, and their digits."""
    rng = random.Random(seed)
    pictures, digits = [], []
    for index in range(count):
        digit, strokes, radius, slant = GLYPHS[index % len(GLYPHS)]
        drift = np.array([rng.uniform(-1, 1), rng.uniform(-1, 1)])
        pictures.append(
            halved(
                draw(
                    strokes,
                    radius * rng.uniform(0.8, 1.3),
                    slant + rng.uniform(-0.2, 0.2),
                    math.radians(rng.uniform(-15, 15)),
                    drift,
                )
            )
        )
        digits.append(digit)
    return (np.array(pictures) / 255).astype(np.float32), np.array(digits)
