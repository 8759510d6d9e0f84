# SPDX-License-Identifier: Apache-2.0
"""Products of arrays and convolutions, both of which become products of matrices on the array."""
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from systole_jax import attributes
from systole_jax.refusal import Refusal
from systole_jax.rules import rule
from systole_jax.program_values import FLOATS, SMALL_FLOATS, count, inverse


BYTES = ("int8", "uint8")


def is_exact(t, op):
    """Whether the products are exact: with Precision.HIGHEST, or if the user asked for this everywhere."""
    return t.o.exact or "HIGHEST" in str(
        op.attributes["precision_config"] if "precision_config" in op.attributes else ""
    )


def operands(t, x, result):
    """Both operands in the type that products are computed in: float32, or int8 with sums of int32."""
    if x[0].type in SMALL_FLOATS or x[1].type in SMALL_FLOATS or result in FLOATS:
        return [t.o.convert(value, "float32") for value in x]
    if x[0].type in BYTES and x[1].type in BYTES and result == "int32":
        return list(x)
    return [t.o.convert(value, "int32" if result == "bool" else result) for value in x]


@rule("stablehlo.dot_general")
def dot_general(t, op, x):
    """The axes as [batch, rows, depth] and [batch, depth, columns]."""
    o, (type, shape) = t.o, t.result_type(op)
    d = stablehlo.DotDimensionNumbers(op.attributes["dot_dimension_numbers"])
    if 0 in shape:
        return o.empty(type, shape)
    a, b = operands(t, x, type)
    batch_a, batch_b = list(d.lhs_batching_dimensions), list(d.rhs_batching_dimensions)
    depth_a, depth_b = list(d.lhs_contracting_dimensions), list(d.rhs_contracting_dimensions)
    if count([a.shape[axis] for axis in depth_a]) == 0:
        return o.scalar(type, 0, shape)
    a, rows, transpose_a = as_matrices(o, a, batch_a, depth_a, depth_is_last=True)
    b, columns, transpose_b = as_matrices(o, b, batch_b, depth_b, depth_is_last=False)
    if a.type in ("float32",) + BYTES:
        product = o.product(a, b, transpose_a, transpose_b, is_exact(t, op))
    else:
        product = by_elements(o, a, b, transpose_a, transpose_b)
    return o.convert(moved(o, product, shape), type)


def moved(o, product, shape):
    """A product in another shape, which has the same last axis or is not joined with a sum."""
    result = o.reshape(product, shape)
    if result is not product and shape and shape[-1] == product.shape[-1]:
        result.made_by = product.made_by
    return result


def as_matrices(o, value, batch, depth, depth_is_last):
    """Returns the value as [batch, m, n], the sizes of the free axes, and whether m and n stand the other way."""
    free = [axis for axis in range(len(value.shape)) if axis not in batch + depth]
    size = lambda axes: count([value.shape[axis] for axis in axes])
    wanted, other = (free + depth, depth + free) if depth_is_last else (depth + free, free + depth)
    transposed = batch + wanted != sorted(batch + wanted) and batch + other == sorted(batch + other)
    order = batch + (other if transposed else wanted)
    outer, inner = (free, depth) if (depth_is_last != transposed) else (depth, free)
    shape = ([size(batch)] if batch else []) + [size(outer), size(inner)]
    return o.reshape(o.transpose(o.dense(value), order), shape), [value.shape[axis] for axis in free], transposed


def by_elements(o, a, b, transpose_a, transpose_b):
    """A product of integers that the array does not have: [batch, m, k, 1] times [batch, 1, k, n], summed over k."""
    flip = lambda v: o.transpose(v, list(range(len(v.shape) - 2)) + [len(v.shape) - 1, len(v.shape) - 2])
    a, b = flip(a) if transpose_a else a, flip(b) if transpose_b else b
    batch, (m, k), n = a.shape[:-2], a.shape[-2:], b.shape[-1]
    full, r = batch + (m, k, n), len(batch)
    left = o.broadcast_in_dim(a, full, list(range(r)) + [r, r + 1])
    right = o.broadcast_in_dim(b, full, list(range(r)) + [r + 1, r + 2])
    return o.reduce("sum", o.binary("multiply", left, right), [r + 1])


@rule("stablehlo.convolution")
def convolution(t, op, x):
    o, (type, shape) = t.o, t.result_type(op)
    if 0 in shape:
        return o.empty(type, shape)
    if x[0].is_empty or x[1].is_empty:
        return o.scalar(type, 0, shape)
    d = stablehlo.ConvDimensionNumbers(op.attributes["dimension_numbers"])
    image, kernel = operands(t, x, type)
    spatial = len(d.input_spatial_dimensions)
    image = o.transpose(image, [d.input_batch_dimension, *d.input_spatial_dimensions, d.input_feature_dimension])
    kernel = o.transpose(
        kernel, [d.kernel_output_feature_dimension, *d.kernel_spatial_dimensions, d.kernel_input_feature_dimension]
    )
    ones = [1] * spatial
    window = Window(
        attributes.numbers(op, "window_strides", ones),
        attributes.pairs(op, "padding", [[0, 0]] * spatial),
        attributes.numbers(op, "lhs_dilation", ones),
        attributes.numbers(op, "rhs_dilation", ones),
    )
    turned = [i + 1 for i, flag in enumerate(attributes.flags(op, "window_reversal", [False] * spatial)) if flag]
    kernel = o.reverse(kernel, turned) if turned else kernel
    groups, batches = attributes.number(op, "feature_group_count"), attributes.number(op, "batch_group_count")
    if batches > 1:  # the groups of samples become groups of channels
        image = o.reshape(image, (batches, image.shape[0] // batches) + image.shape[1:])
        image = o.transpose(image, list(range(1, len(image.shape) - 1)) + [0, len(image.shape) - 1])
        image = o.reshape(image, image.shape[:-2] + (batches * image.shape[-1],))
        groups = batches
    result = convolved(o, image, kernel, window, groups, is_exact(t, op))
    order = [d.output_batch_dimension, *d.output_spatial_dimensions, d.output_feature_dimension]
    return o.convert(o.transpose(result, inverse(order)), type)


class Window:
    """Strides, padding and dilations of a convolution, by spatial axis."""

    def __init__(self, strides, padding, image_dilation, kernel_dilation):
        self.strides, self.padding = strides, padding
        self.image_dilation, self.kernel_dilation = image_dilation, kernel_dilation


def convolved(o, image, kernel, window, groups, exact):
    """A convolution of [N, spatial..., C] with [O, spatial..., I]."""
    spatial = len(window.strides)
    if spatial > 2:
        return by_planes(o, image, kernel, window, groups, exact)
    # Zeros between pixels, and the padding if a window cannot have it.
    low, high = ([0] + [pair[side] for pair in window.padding] + [0] for side in (0, 1))
    if min(low + high) < 0:
        window = Window(window.strides, [[0, 0]] * spatial, window.image_dilation, window.kernel_dilation)
    else:
        low = high = [0] * len(low)
    image = o.pad(image, low, high, [0] + [size - 1 for size in window.image_dilation] + [0])
    for axis in range(spatial, 2):
        image = o.reshape(image, image.shape[:1] + (1,) + image.shape[1:])
        kernel = o.reshape(kernel, kernel.shape[:1] + (1,) + kernel.shape[1:])
    fill = [1] * (2 - spatial)
    padding = [[0, 0]] * (2 - spatial) + [list(pair) for pair in window.padding]
    strides, dilation = fill + window.strides, fill + window.kernel_dilation
    if image.type not in ("float32",) + BYTES:
        result = by_taps(o, image, kernel, strides, dilation, padding, groups)
        return o.reshape(result, result.shape[:1] + result.shape[3 - spatial :])
    numbers = [*kernel.shape[1:3], *strides, *dilation, *padding[0], *padding[1]]
    operands = [o.id(o.dense(image)), o.id(o.dense(kernel))]
    result = o.weighted(lambda rows: o.b.convolution(operands + rows, numbers, groups, not exact))
    return moved(o, result, result.shape[:1] + result.shape[3 - spatial :])


def by_taps(o, image, kernel, strides, dilation, padding, groups):
    """A convolution of integers that the array does not have: a sum of products, one for each element of the kernel."""
    image = o.pad(image, [0, padding[0][0], padding[1][0], 0], [0, padding[0][1], padding[1][1], 0])
    (batch, height, width, channels), (outputs, rows, columns, depth) = image.shape, kernel.shape
    places = [
        (size - (taps - 1) * apart - 1) // step + 1
        for size, taps, apart, step in zip((height, width), (rows, columns), dilation, strides)
    ]
    sums = [None] * groups
    for y in range(rows):
        for x in range(columns):
            shape = (batch, *places, channels)
            pixels = o.slice(image, [0, y * dilation[0], x * dilation[1], 0], shape, [1, *strides, 1])
            taps = o.reshape(o.slice(kernel, [0, y, x, 0], (outputs, 1, 1, depth)), (outputs, depth))
            for group in range(groups):
                own = o.reshape(o.part(pixels, 3, group * depth, depth), (count(shape[:3]), depth))
                weights = o.part(taps, 0, group * (outputs // groups), outputs // groups)
                product = by_elements(o, own, weights, False, True)
                sums[group] = product if sums[group] is None else o.binary("add", sums[group], product)
    return o.reshape(o.concat(sums, 1), (batch, *places, outputs))


def by_planes(o, image, kernel, window, groups, exact):
    """A convolution over more than two axes: sums of those of the planes of the first."""
    before, after = window.padding[0]
    rest = [0] * (len(image.shape) - 2)
    image = o.pad(image, [0, before, *rest], [0, after, *rest], [0, window.image_dilation[0] - 1, *rest])
    inner = Window(window.strides[1:], window.padding[1:], window.image_dilation[1:], window.kernel_dilation[1:])
    reach = (kernel.shape[1] - 1) * window.kernel_dilation[0] + 1
    positions = (image.shape[1] - reach) // window.strides[0] + 1
    sum = None
    for k in range(kernel.shape[1]):
        planes = o.part(image, 1, k * window.kernel_dilation[0], positions, window.strides[0])
        planes = o.reshape(planes, (planes.shape[0] * positions,) + planes.shape[2:])
        taps = o.part(kernel, 1, k, 1)
        part = convolved(o, planes, o.reshape(taps, taps.shape[:1] + taps.shape[2:]), inner, groups, exact)
        sum = part if sum is None else o.binary("add", sum, part)
    return o.reshape(sum, (image.shape[0], positions) + sum.shape[1:])
