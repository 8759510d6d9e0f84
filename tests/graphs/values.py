# SPDX-License-Identifier: Apache-2.0
"""Random contents of tensors, extreme numbers among them."""

import numpy as np

FLOATS = ("float32", "float16", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
ALL_TYPES = FLOATS + INTEGERS + ("bool",)

# In the order of simplicity. "extreme" holds infinities, NaN, subnormals and limits.
STYLES = (("whole", 20), ("small", 45), ("positive", 10), ("wide", 15), ("extreme", 10))


def extremes(dtype):
    """The numbers of a float type at which rules change."""
    info = np.finfo(dtype)
    tiny = float(info.tiny)
    subnormal = float(info.smallest_subnormal)
    numbers = [0.0, -0.0, np.inf, -np.inf, np.nan, tiny, -tiny, subnormal, -subnormal, tiny / 2, float(info.max)]
    return np.array([*numbers, float(info.min), 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, float(info.eps)], dtype)


def floats(random, dtype, shape, style):
    if style == "whole":
        return random.integers(-4, 5, shape).astype(dtype)
    if style == "small":
        return random.normal(0, 1.5, shape).astype(dtype)
    if style == "positive":
        return np.abs(random.normal(1.0, 0.7, shape)).astype(dtype) + np.asarray(0.05, dtype)
    exponents = 6 if dtype == "float16" else 20
    wide = random.normal(0, 1, shape) * np.exp2(random.integers(-exponents, exponents, shape))
    if style == "wide":
        return wide.astype(dtype)
    special = extremes(dtype)
    chosen = special[random.integers(0, len(special), shape)]
    return np.where(random.random(shape) < 0.3, chosen, wide.astype(dtype))


def integers(random, dtype, shape, style):
    info = np.iinfo(dtype)
    if style == "whole":
        return random.integers(max(info.min, -4), 5, shape).astype(dtype)
    if style == "positive":
        return random.integers(1, 8, shape).astype(dtype)
    if style == "small":
        return random.integers(max(info.min, -128), min(info.max, 255), shape, endpoint=True).astype(dtype)
    full = random.integers(info.min, info.max, shape, dtype, endpoint=True)
    if style == "wide":
        return full
    limits = np.array([info.min, info.max, 0, 1, info.max - 1, info.min + 1], dtype)
    return np.where(random.random(shape) < 0.4, limits[random.integers(0, len(limits), shape)], full)


def draw(choices, dtype, shape, style=None):
    """An array of the type and shape; one decision seeds its numbers, another chooses their style."""
    style = style or choices.weighted(STYLES)
    random = np.random.default_rng(choices.integer(0, 2**20))
    if dtype == "bool":
        return np.asarray(random.integers(0, 2, shape), bool)
    draw_numbers = floats if dtype in FLOATS else integers
    return np.asarray(draw_numbers(random, dtype, shape, style), dtype)
