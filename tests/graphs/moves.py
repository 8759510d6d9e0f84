# SPDX-License-Identifier: Apache-2.0
"""Operators that only copy elements, of any type."""

import numpy as np

from draft import Unfit


def slice_(d):
    """Slice of some axes, also with steps and backwards."""
    x = d.operand(ranks=range(1, 7))
    shape = list(d[x].shape)
    axes = [i for i in range(len(shape)) if d.choices.chance(60)] or [d.choices.integer(0, len(shape) - 1)]
    starts, ends, steps = [], [], []
    for axis in axes:
        size = shape[axis]
        step = d.choices.weighted([(1, 75), (2, 12), (3, 6), (-1, 7)])
        first = d.choices.integer(0, size - 1)
        count = d.choices.integer(1, (size - first + abs(step) - 1) // abs(step))
        if step > 0:
            start, end = first, first + (count - 1) * step + 1
        else:
            start, end = size - 1 - first, size - 1 - first - count
            end = end if end >= 0 else -size - 1
        shape[axis] = count
        starts.append(start)
        ends.append(end)
        steps.append(step)
    parameters = [d.constants(starts), d.constants(ends), d.constants(axes)]
    if any(step != 1 for step in steps) or d.choices.chance(30):
        parameters.append(d.constants(steps))
    return d.add("Slice", [x, *parameters], [(d[x].dtype, shape)])


def concat(d):
    x = d.operand(ranks=range(1, 7))
    shape = list(d[x].shape)
    axis = d.choices.integer(0, len(shape) - 1)
    parts = [x]
    for _ in range(d.choices.integer(1, 3)):
        other = list(shape)
        if d.choices.chance(60):
            other[axis] = d.size(max(1, d.elements * other[axis] // max(1, d[x].count)))
        parts.append(d.like(x, other))
    parts = d.choices.shuffled(parts)
    shape[axis] = sum(d[part].shape[axis] for part in parts)
    axis = axis - len(shape) if d.choices.chance(20) else axis
    return d.add("Concat", parts, [(d[x].dtype, shape)], axis=axis)


def transpose(d):
    x = d.operand(ranks=range(2, 7))
    shape = d[x].shape
    order = d.choices.shuffled(range(len(shape)))
    return d.add("Transpose", [x], [(d[x].dtype, [shape[i] for i in order])], perm=order)


def _factored(d, count):
    """A random shape of so many elements."""
    shape = []
    for _ in range(d.choices.integer(0, 4)):
        divisors = [n for n in range(1, min(count, 100) + 1) if count % n == 0]
        shape.append(d.choices.pick(divisors[::-1]))
        count //= shape[-1]
    if count > 1 or not shape:
        shape.append(count)
    return d.choices.shuffled(shape)


def reshape(d):
    x = d.operand()
    old = list(d[x].shape)
    way = d.choices.integer(0, 3)
    if way == 0 and len(old) > 1:  # neighbours are joined
        i = d.choices.integer(0, len(old) - 2)
        shape = old[:i] + [old[i] * old[i + 1]] + old[i + 2 :]
    elif way == 1 and old and len(old) < 6:  # an axis is divided
        i = d.choices.integer(0, len(old) - 1)
        n = d.choices.pick([n for n in range(1, old[i] + 1) if old[i] % n == 0])
        shape = old[:i] + [n, old[i] // n] + old[i + 1 :]
    else:
        shape = _factored(d, d[x].count)
    if len(shape) > 6:
        raise Unfit("rank")
    given = list(shape)
    if given and d.choices.chance(30):
        given[d.choices.integer(0, len(given) - 1)] = -1
    return d.add("Reshape", [x, d.constants(given)], [(d[x].dtype, shape)])


def squeeze(d):
    x = d.operand(ranks=range(0, 6))
    shape = list(d[x].shape)
    ones = [i for i, size in enumerate(shape) if size == 1]
    if ones and d.choices.chance(50):
        axes = [i for i in ones if d.choices.chance(60)] or ones
        shape = [size for i, size in enumerate(shape) if i not in axes]
        return d.add("Squeeze", [x, d.constants(axes)], [(d[x].dtype, shape)])
    axis = d.choices.integer(0, len(shape))
    shape.insert(axis, 1)
    return d.add("Unsqueeze", [x, d.constants([axis])], [(d[x].dtype, shape)])


def flatten(d):
    x = d.operand()
    shape = d[x].shape
    axis = d.choices.integer(0, len(shape))
    rows = int(np.prod(shape[:axis], dtype=np.int64))
    return d.add("Flatten", [x], [(d[x].dtype, (rows, d[x].count // rows))], axis=axis)


def pad(d):
    x = d.operand(ranks=range(1, 7), accept=lambda t: t.dtype != "bool")
    shape = list(d[x].shape)
    mode = d.choices.weighted([("constant", 60), ("reflect", 20), ("edge", 20)])
    limits = [size - 1 if mode == "reflect" else 3 for size in shape]
    before = [d.choices.integer(0, min(3, limit)) if d.choices.chance(50) else 0 for limit in limits]
    after = [d.choices.integer(0, min(3, limit)) if d.choices.chance(50) else 0 for limit in limits]
    if mode == "constant" and d.choices.chance(15):  # negative: elements are removed
        i = d.choices.integer(0, len(shape) - 1)
        before[i] = -d.choices.integer(0, shape[i] - 1)
    inputs = [x, d.constants(before + after)]
    if mode == "constant" and d.choices.chance(60):
        inputs.append(d.fixed(d[x].dtype, ()))
    shape = [size + b + a for size, b, a in zip(shape, before, after)]
    return d.add("Pad", inputs, [(d[x].dtype, shape)], mode=mode)


def split(d):
    x = d.operand(ranks=range(1, 7), accept=lambda t: max(t.shape) > 1)
    shape = list(d[x].shape)
    axis = d.choices.pick([i for i, size in enumerate(shape) if size > 1])
    first = d.choices.integer(1, shape[axis] - 1)
    sizes = [first, shape[axis] - first]
    if sizes[1] > 1 and d.choices.chance(40):
        second = d.choices.integer(1, sizes[1] - 1)
        sizes[1:] = [second, sizes[1] - second]
    results = [(d[x].dtype, shape[:axis] + [size] + shape[axis + 1 :]) for size in sizes]
    return d.add("Split", [x, d.constants(sizes)], results, axis=axis)


def gather(d):
    """Gather by constant or given indices."""
    x = d.operand(ranks=range(1, 6))
    shape = list(d[x].shape)
    axis = d.choices.integer(0, len(shape) - 1)
    rank = d.choices.pick((1, 0, 2))
    wanted = tuple(d.size(min(12, max(1, d.elements // max(1, d[x].count // shape[axis])))) for _ in range(rank))
    random = np.random.default_rng(d.choices.integer(0, 2**20))
    low = -shape[axis] if d.choices.chance(20) else 0
    dtype = d.choices.pick(("int64", "int32"))
    indices = random.integers(low, shape[axis], wanted).astype(dtype)
    if d.choices.chance(70):
        name = d.constant_of_parameter(np.asarray(indices, dtype))
    else:
        name = d.input(dtype, wanted)
        d.graph.feeds[name] = np.asarray(indices, dtype)
    return d.add("Gather", [x, name], [(d[x].dtype, [*shape[:axis], *wanted, *shape[axis + 1 :]])], axis=axis)


def expand(d):
    x = d.operand(ranks=range(0, 5))
    shape = list(d[x].shape)
    wide = [d.size(max(1, d.elements // max(1, d[x].count))) if size == 1 else size for size in shape]
    if len(wide) < 5 and d.choices.chance(40):
        wide.insert(0, d.choices.integer(1, 3))
    return d.add("Expand", [x, d.constants(wide)], [(d[x].dtype, wide)])


def tile(d):
    x = d.operand(ranks=range(1, 6))
    repeats = [d.choices.integer(1, 3) if d.choices.chance(50) else 1 for _ in d[x].shape]
    shape = [size * n for size, n in zip(d[x].shape, repeats)]
    return d.add("Tile", [x, d.constants(repeats)], [(d[x].dtype, shape)])


def depth_and_space(d):
    block = d.choices.integer(2, 3)

    def shape():
        return (d.choices.integer(1, 3), block * block * d.choices.integer(1, 5), *(block * d.size(4) for _ in "hw"))

    x = d.operand(ranks=(4,), shape=shape)
    n, c, h, w = d[x].shape
    if c % (block * block) == 0 and d.choices.chance(50):
        mode = d.choices.pick(("DCR", "CRD"))
        result = (d[x].dtype, (n, c // (block * block), h * block, w * block))
        return d.add("DepthToSpace", [x], [result], blocksize=block, mode=mode)
    if h % block or w % block:
        raise Unfit("image")
    result = (d[x].dtype, (n, c * block * block, h // block, w // block))
    return d.add("SpaceToDepth", [x], [result], blocksize=block)


def resize(d):
    """Resize by whole factors to the nearest element."""
    x = d.operand(types=("float32", "int8", "uint8"), ranks=(4,))
    shape = list(d[x].shape)
    factors = [1, 1, d.choices.integer(1, 3), d.choices.integer(1, 3)]
    result = [size * factor for size, factor in zip(shape, factors)]
    return d.add(
        "Resize",
        [x, "", d.constants([float(f) for f in factors], "float32")],
        [(d[x].dtype, result)],
        mode="nearest",
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    )


def triangle(d):
    x = d.operand(types=("float32", "float64", "int64", "int32"), ranks=range(2, 5))
    return d.add("Trilu", [x], [(d[x].dtype, d[x].shape)], upper=d.choices.integer(0, 1))


def shuffle_channels(d):
    """Reshape, Transpose, Reshape: how networks shuffle channels and divide heads."""
    x = d.operand(ranks=(3, 4))
    shape = list(d[x].shape)
    axis = d.choices.integer(1, len(shape) - 1)
    groups = d.choices.pick([n for n in range(1, shape[axis] + 1) if shape[axis] % n == 0])
    wide = shape[:axis] + [groups, shape[axis] // groups] + shape[axis + 1 :]
    (x,) = d.add("Reshape", [x, d.constants(wide)], [(d[x].dtype, wide)])
    order = list(range(len(wide)))
    order[axis], order[axis + 1] = order[axis + 1], order[axis]
    (x,) = d.add("Transpose", [x], [(d[x].dtype, [wide[i] for i in order])], perm=order)
    return d.add("Reshape", [x, d.constants(shape)], [(d[x].dtype, shape)])


STEPS = [
    (slice_, 14),
    (concat, 10),
    (transpose, 10),
    (reshape, 10),
    (pad, 7),
    (split, 5),
    (squeeze, 3),
    (flatten, 2),
    (gather, 5),
    (expand, 3),
    (tile, 2),
    (depth_and_space, 2),
    (resize, 2),
    (triangle, 1),
    (shuffle_channels, 2),
]
