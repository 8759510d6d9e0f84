# SPDX-License-Identifier: Apache-2.0
"""Sorting, by a network of comparisons: in each of its steps every element meets one other."""
import numpy as np

from systole_jax import attributes
from systole_jax.refusal import Refusal
from systole_jax.rules import rule

#: Longest axis that is sorted. A network of n elements has about log2(n)^2 / 2 steps.
MOST = 1 << 14


@rule("stablehlo.sort")
def sort(t, op, x):
    """Stable: of elements of which neither goes before the other, the one with the lower index does. Elements that fill
    the axis up to a power of two go last."""
    o, values = t.o, list(x)
    rank = len(values[0].shape)
    axis = attributes.number(op, "dimension", -1) % rank
    size = values[0].shape[axis]
    if size < 2 or values[0].is_empty:
        return values
    if size > MOST:
        raise Refusal("sorting %d elements; at most %d are sorted" % (size, MOST))
    last = rank - 1
    exchange = list(range(rank))
    exchange[axis], exchange[last] = last, axis
    values = [o.transpose(o.dense(value), exchange) for value in values]
    width = 1 << (size - 1).bit_length()
    index = o.dense(o.iota("int32", values[0].shape, last))
    columns = [padded(o, value, width - size, 0) for value in values] + [padded(o, index, width - size, width)]
    columns = merge_sorted(t, op.regions[0], columns, width)[:-1]
    return [o.transpose(o.part(column, last, 0, size), exchange) for column in columns]


def padded(o, value, more, number):
    return o.pad(value, [0] * len(value.shape), [0] * (len(value.shape) - 1) + [more], None, number)


def goes_before(t, region, a, b, width):
    """Whether elements of `b` go before those of `a`; both end with their indices."""
    o = t.o
    pairs = [value for pair in zip(b[:-1], a[:-1]) for value in pair]
    swapped = [value for pair in zip(a[:-1], b[:-1]) for value in pair]
    less, more = t.apply(region, pairs)[0], t.apply(region, swapped)[0]
    tie = o.binary("and", o.negation(more), o.binary("less", b[-1], a[-1]))
    before = o.binary("or", less, tie)
    fills = lambda index: o.binary("equal", index, o.scalar("int32", width, (1,) * len(index.shape)))
    before = o.binary("and", before, o.negation(fills(b[-1])))
    return o.binary("or", before, o.binary("and", fills(a[-1]), o.negation(fills(b[-1]))))


def merge_sorted(t, region, columns, width):
    """Batcher's bitonic network with all comparisons in one direction: the first step of a merge meets its mirror."""
    size = 2
    while size <= width:
        columns = compare_exchange(t, region, columns, size, mirrored=True, width=width)
        step = size // 4
        while step >= 1:
            columns = compare_exchange(t, region, columns, 2 * step, mirrored=False, width=width)
            step //= 2
        size *= 2
    return columns


def compare_exchange(t, region, columns, size, mirrored, width):
    """In each stretch of `size` elements, those of the first half meet those of the second."""
    o, shape = t.o, columns[0].shape
    half, rank = size // 2, len(shape)
    split = shape[:-1] + (width // size, size)
    stretches = [o.reshape(column, split) for column in columns]
    first = [o.part(stretch, rank, 0, half) for stretch in stretches]
    second = [o.part(stretch, rank, half, half) for stretch in stretches]
    if mirrored and half > 1:
        second = [o.reverse(value, [rank]) for value in second]
    exchange = goes_before(t, region, first, second, width)
    lower = [o.select(exchange, b, a) for a, b in zip(first, second)]
    upper = [o.select(exchange, a, b) for a, b in zip(first, second)]
    if mirrored and half > 1:
        upper = [o.reverse(value, [rank]) for value in upper]
    return [o.reshape(o.concat([a, b], rank), shape) for a, b in zip(lower, upper)]


@rule("chlo.top_k")
def top_k(t, op, x):
    o, value = t.o, x[0]
    type, shape = t.result_type(op)
    if 0 in shape:
        return [o.empty(type, shape), o.empty("int32", shape)]
    wide = o.convert(value, "float32") if value.type in ("float16", "bfloat16") else value
    values, indices = o.b.top_k(o.id(o.dense(wide)), len(shape) - 1, shape[-1], True)
    return [o.convert(o.value(values), type), o.convert(o.value(indices), "int32")]
