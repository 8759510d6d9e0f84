# SPDX-License-Identifier: Apache-2.0
"""Reductions over axes and over windows."""
import numpy as np

from systole_jax import attributes
from systole_jax.noted_patterns import PoolGradient
from systole_jax.refusal import Refusal
from systole_jax.rules import rule
from systole_jax.program_values import FLOATS, NUMPY, SMALL_FLOATS, count, inverse

#: The bodies of reductions that Systole has.
KINDS = {
    "stablehlo.add": "sum",
    "stablehlo.maximum": "max",
    "stablehlo.minimum": "min",
    "stablehlo.multiply": "product",
}
COMBINE = {"sum": "add", "max": "maximum", "min": "minimum", "product": "multiply"}


def body_of(region):
    """The operator of a region that applies one to its two arguments and returns the result, else None."""
    block = region.blocks[0]
    operations = list(block.operations)
    if len(operations) != 2 or len(operations[0].operands) != 2:
        return None
    operator = operations[0].operation
    arguments = list(block.arguments)
    used = list(operator.operands)
    in_order = used == arguments or (used == arguments[::-1] and operator.name in KINDS)
    return operator.name if in_order and list(operations[1].operands) == list(operator.results) else None


def lowest(type, kind):
    """The number that a maximum, or minimum, begins with."""
    if type in FLOATS:
        return -np.inf if kind == "max" else np.inf
    if type == "bool":
        return kind == "min"
    limits = np.iinfo(NUMPY[type])
    return limits.min if kind == "max" else limits.max


def identity(type, kind):
    """What changes nothing, and stands around and between elements: those of windows there are not combined."""
    return lowest(type, kind) if kind in ("max", "min") else {"sum": 0, "product": 1}[kind]


def is_identity(o, value, kind):
    number = o.number_of(value)
    return number is not None and number == identity(value.type, kind)


@rule("stablehlo.reduce")
def reduce(t, op, x):
    o, axes = t.o, sorted(attributes.numbers(op, "dimensions"))
    half = len(x) // 2
    values, initial = x[:half], x[half:]
    region = op.regions[0]
    shape = tuple(size for axis, size in enumerate(values[0].shape) if axis not in axes)
    if 0 in shape:
        return [o.empty(value.type, shape) for value in values]
    if values[0].is_empty:
        return [o.broadcast_in_dim(start, shape, []) for start in initial]
    kind = KINDS.get(body_of(region)) if half == 1 else None
    if kind is not None and values[0].type != "bool":
        result = o.reduce(kind, values[0], axes)
        if is_identity(o, initial[0], kind):
            return result
        return o.binary(COMBINE[kind], result, o.broadcast_in_dim(initial[0], shape, []))
    return paired(t, region, values, initial, axes, shape)


def paired(t, region, values, initial, axes, shape):
    """Any body, which is associative but may not commute: each element of an axis with its neighbour, and so on."""
    o = t.o
    for axis in axes:
        while (size := values[0].shape[axis]) > 1:
            half = size // 2
            first = [o.part(value, axis, 0, half, 2) for value in values]
            second = [o.part(value, axis, 1, half, 2) for value in values]
            rest = [o.part(value, axis, 2 * half, size % 2) for value in values]
            joined = t.apply(region, first + second)
            values = [o.concat([a, b], axis) if size % 2 else a for a, b in zip(joined, rest)]
    values = [o.reshape(value, shape) for value in values]
    starts = [o.broadcast_in_dim(start, shape, []) for start in initial]
    return t.apply(region, starts + values)


@rule("stablehlo.reduce_window")
def reduce_window(t, op, x):
    o, half = t.o, len(x) // 2
    values, initial = list(x[:half]), x[half:]
    rank = len(values[0].shape)
    ones = [1] * rank
    window = attributes.numbers(op, "window_dimensions")
    strides = attributes.numbers(op, "window_strides", ones)
    dilations = attributes.numbers(op, "window_dilations", ones)
    spread = attributes.numbers(op, "base_dilations", ones)
    padding = attributes.pairs(op, "padding", [[0, 0]] * rank)
    shape = t.result_type(op)[1]
    if 0 in shape:
        return [o.empty(value.type, shape) for value in values]
    if rank == 0:
        return t.apply(op.regions[0], initial + values)
    body = body_of(op.regions[0]) if half == 1 else None
    kind = KINDS.get(body)
    axes = [axis for axis in range(rank) if window[axis] > 1 or padding[axis] != [0, 0] or spread[axis] > 1]
    plain = kind is not None and spread == ones and is_identity(o, initial[0], kind) and values[0].type != "bool"
    if plain and kind == "max" and values[0].type == "float32" and len(axes) <= 2 and strides_within(strides, axes):
        pooled = max_pool(o, values[0], axes, window, strides, dilations, padding)
        if pooled is not None:
            return pooled
    if plain and kind == "sum" and len(axes) == 1 and strides == ones and dilations == ones:
        axis = axes[0]
        size = values[0].shape[axis]
        whole = values[0].type not in SMALL_FLOATS and window[axis] == size
        if whole and padding[axis] in ([size - 1, 0], [0, size - 1]):
            x = o.dense(values[0])
            return o.value(o.b.cumulative_sum(o.id(x), axis, padding[axis][0] == 0))
    low, high = [list(side) for side in zip(*padding)]
    gaps = [size - 1 for size in spread]
    around = [o.scalar(values[0].type, identity(values[0].type, kind))] if kind is not None else initial
    padded = [padded_with(o, value, start, low, high, gaps) for value, start in zip(values, around)]
    starts = [o.broadcast_in_dim(start, shape, []) for start in initial]
    body = lambda values: t.apply(op.regions[0], values)
    if kind is None and any(low + high + gaps):  # what is around and between elements is not combined
        there = o.pad(o.scalar("bool", True, values[0].shape), low, high, gaps)
        *results, some = windows(t, combined_where_there(o, body), padded + [there], window, strides, dilations, shape)
        return [o.select(some, result, start) for result, start in zip(body(starts + results), starts)]
    results = windows(t, body, padded, window, strides, dilations, shape)
    return results if kind is not None and is_identity(o, initial[0], kind) else body(starts + results)


def combined_where_there(o, body):
    """A body for values that end with whether they are there."""

    def apply(operands):
        half = len(operands) // 2
        (*first, a), (*second, b) = operands[:half], operands[half:]
        both = body(first + second)
        chosen = [o.select(a, o.select(b, c, x), y) for x, y, c in zip(first, second, both)]
        return chosen + [o.binary("or", a, b)]

    return apply


def strides_within(strides, axes):
    return all(stride == 1 for axis, stride in enumerate(strides) if axis not in axes)


def padded_with(o, value, filling, low, high, gaps):
    """A value with the number `filling`, which may be computed, around and between its elements."""
    number = o.number_of(filling)
    if number is not None:
        return o.pad(value, low, high, gaps, number)
    inside = o.pad(o.scalar("bool", True, value.shape), low, high, gaps)
    return o.select(inside, o.pad(value, low, high, gaps), o.broadcast_in_dim(filling, inside.shape, []))


def windows(t, body, values, window, strides, dilations, shape):
    """Combines the windows' elements, one axis after the other."""
    o = t.o
    for axis, size in enumerate(window):
        positions = shape[axis]
        scanned = size > 8 and strides[axis] == 1 and dilations[axis] == 1
        if scanned:
            values = doubled(t, body, values, axis, size)
            values = [o.part(value, axis, 0, positions) for value in values]
            continue
        taps = [
            [o.part(value, axis, k * dilations[axis], positions, strides[axis]) for value in values]
            for k in range(size)
        ]
        values = taps[0]
        for tap in taps[1:]:
            values = body(values + tap)
    return values


def doubled(t, body, values, axis, size):
    """Windows of 1, 2, 4, ... elements; then those of `size` from the binary digits of it."""
    o, done, at, width = t.o, None, 0, 1
    current = values
    while True:
        if size & width:
            piece = [o.part(v, axis, at, v.shape[axis] - at) for v in current]
            done = piece if done is None else cut(t, body, done, piece, axis)
            at += width
        if 2 * width > size:
            return done
        current = cut(t, body, current, [o.part(v, axis, width, v.shape[axis] - width) for v in current], axis)
        width *= 2


def cut(t, body, first, second, axis):
    """The region applied where both have elements."""
    size = min(first[0].shape[axis], second[0].shape[axis])
    return body([t.o.part(v, axis, 0, size) for v in first] + [t.o.part(v, axis, 0, size) for v in second])


class Images:
    """Arrays as images, in which a window moves along the two axes in the middle."""

    def __init__(self, shape, axes):
        rank = len(shape)
        self.shape = shape
        last = [rank - 1] if rank - 1 not in axes else []
        self.order = [axis for axis in range(rank) if axis not in axes and axis not in last] + axes + last
        sizes = [shape[axis] for axis in self.order]
        middle = len(self.order) - len(last) - len(axes)
        moved = sizes[middle : middle + len(axes)]
        self.images = [count(sizes[:middle])] + [1] * (2 - len(axes)) + moved + [sizes[-1] if last else 1]
        self.axes = axes

    def of(self, o, value):
        return o.reshape(o.transpose(o.dense(value), self.order), self.images)

    def back(self, o, value, shape):
        """A value of images as the array of this shape."""
        return o.transpose(o.reshape(value, [shape[axis] for axis in self.order]), inverse(self.order))

    def window(self, window, strides, dilations, padding):
        """In the order of Systole's windows."""
        fill = [1] * (2 - len(self.axes))
        pick = lambda sizes: fill + [sizes[axis] for axis in self.axes]
        pads = [[0, 0]] * len(fill) + [padding[axis] for axis in self.axes]
        return [*pick(window), *pick(strides), *pick(dilations), *pads[0], *pads[1]]


def max_pool(o, value, axes, window, strides, dilations, padding):
    """A maximum over windows by a pool, None if its window cannot be that of one."""
    images = Images(value.shape, axes)
    numbers = images.window(window, strides, dilations, padding)
    if not fits(images, numbers):
        return None
    pooled = o.value(o.b.max_pool(o.id(images.of(o, value)), numbers))
    shape = list(value.shape)
    for axis, size in zip(axes, pooled.shape[3 - len(axes) : 3]):
        shape[axis] = size
    return images.back(o, pooled, shape)


def fits(images, numbers):
    """No padding below 0, and no window that is in the padding alone."""
    height, width = images.images[1:3]
    kernel, strides, dilations, pads = numbers[:2], numbers[2:4], numbers[4:6], [numbers[6:8], numbers[8:10]]
    if max(kernel + strides + dilations) > 255 or min(pads[0] + pads[1]) < 0:
        return False
    for size, k, stride, dilation, (before, after) in zip((height, width), kernel, strides, dilations, pads):
        reach = (k - 1) * dilation + 1
        last = (size + before + after - reach) // stride * stride - before
        if before >= reach or last >= size or dilation > 1:
            return False
    return True


@rule("stablehlo.select_and_scatter")
def select_and_scatter(t, op, x):
    """The gradient of a maximum pool."""
    o, (value, source, start) = t.o, x
    rank = len(value.shape)
    window = attributes.numbers(op, "window_dimensions", [1] * rank)
    strides = attributes.numbers(op, "window_strides", [1] * rank)
    padding = attributes.pairs(op, "padding", [[0, 0]] * rank)
    chooses = [o_.operation for o_ in op.regions[0].blocks[0].operations][0]
    direction = attributes.word(chooses, "comparison_direction") if chooses.name == "stablehlo.compare" else ""
    adds = body_of(op.regions[1]) == "stablehlo.add" and is_identity(o, start, "sum")
    axes = [axis for axis in range(rank) if window[axis] > 1 or strides[axis] > 1]
    if direction != "GE" or not adds or value.type not in FLOATS or len(axes) > 2:
        raise Refusal("select_and_scatter other than the gradient of a maximum over at most two axes")
    images = Images(value.shape, axes or [0])
    numbers = images.window(window, strides, [1] * rank, padding)
    if not fits(images, numbers):
        raise Refusal("select_and_scatter with windows that are in the padding alone")
    pooled = images.of(o, o.convert(value, "float32"))
    maxima = o.value(o.b.max_pool(o.id(pooled), numbers))
    gradient = o.reshape(o.transpose(o.dense(o.convert(source, "float32")), images.order), maxima.shape)
    found = PoolGradient(value, images, numbers, (o.id(pooled), o.id(maxima), o.id(gradient)), value.shape)
    result = found.result(o)
    if value.type == "float32":
        result.made_by = found
    return o.convert(result, value.type)
