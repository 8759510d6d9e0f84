# SPDX-License-Identifier: Apache-2.0
"""Groups of operators that networks have, which the compiler recognizes: parts of attention, of training steps, of
images in blocks. Random steps would seldom make them."""

import numpy as np

from draft import Unfit

LANES = 32  # of the widest array; rows of language models are multiples of it


def rotation(d):
    """A row times a number, and its exchanged halves, each times a row: how a head's position is written into it. Then
    perhaps the products of each head with the rows of a constant."""
    half = d.choices.pick((LANES // 2, LANES))
    heads = d.choices.pick((1, 2, 5, 6, 8))  # few exchanges are slices
    width = 2 * half * heads
    shape = ("float32", (1, width))
    (x,) = d.add("Mul", [d.input("float32", (1, width)), d.input("float32", (1, 1))], [shape])
    order = np.arange(width).reshape(-1, 2, half)[:, ::-1].reshape(-1)
    indices = d.constant_of_parameter(np.ascontiguousarray(order).astype("int32"))
    (a,) = d.add("Mul", [x, d.input("float32", (1, width))], [shape])
    (exchanged,) = d.add("Gather", [x, indices], [shape], axis=1)
    (b,) = d.add("Mul", [exchanged, d.input("float32", (1, width))], [shape])
    (y,) = d.add("Add", [a, b], [shape])
    if d.choices.chance(50):
        rows = d.choices.integer(1, 6)
        wide = (heads, 1, 2 * half)
        (y,) = d.add("Reshape", [y, d.constants(wide)], [("float32", wide)])
        return d.add("Mul", [y, d.fixed("float32", (rows, 2 * half))], [("float32", (heads, rows, 2 * half))])
    return [y]


def picked_columns(d):
    """A sum of two matrices, of whose columns each comes from one row: what each head keeps."""
    rows, groups, width = d.choices.integer(1, 3), d.choices.integer(1, 8), LANES * d.choices.integer(1, 2)
    shape = ("float32", (rows * groups, width))
    (sum_,) = d.add("Add", [d.input(*shape), d.input(*shape)], [shape])
    (flat,) = d.add("Reshape", [sum_, d.constants([-1])], [("float32", (rows * groups * width,))])
    row = np.sort([d.choices.integer(0, rows - 1) for _ in range(width)])
    elements = [(group * rows + row) * width + np.arange(width) for group in range(groups)]
    indices = d.constant_of_parameter(np.concatenate(elements).astype("int32"))
    return d.add("Gather", [flat, indices], [("float32", (groups * width,))], axis=0)


def outer_product(d):
    """A column of a matrix times a row, which is a product with a number."""
    rows, width = d.choices.integer(1, 12), LANES * d.choices.integer(1, 2)
    matrix = d.input("float32", (rows, d.choices.pick((48, 32, 33))))
    columns = d[matrix].shape[1]
    first = d.choices.integer(0, columns - 2)
    results = [("float32", (rows, n)) for n in (first, 1, columns - first - 1) if n]
    sizes = d.constants([shape[1] for _, shape in results])
    parts = d.add("Split", [matrix, sizes], results, axis=1)
    column = parts[1 if first else 0]
    (row,) = d.add("Mul", [d.input("float32", (1, width)), d.input("float32", (1, 1))], [("float32", (1, width))])
    return d.add("Mul", [column, row], [("float32", (rows, width))])


def rows(d):
    """A mean of products, a softmax of sums, a normalization by the root of the mean of squares."""
    count, width = d.choices.integer(1, 16), d.size(96)
    x = d.operand(types=("float32",), ranks=(2,), shape=lambda: (count, width))
    count, width = d[x].shape
    shape = ("float32", (count, width))
    column = ("float32", (count, 1))
    kind = d.choices.integer(0, 2)
    if kind == 0:
        (y,) = d.add("Add", [x, d.like(x, (1, width))], [shape])
        return d.add("Softmax", [y], [shape], axis=-1)
    if kind == 1:
        (y,) = d.add("Mul", [x, d.like(x, (1, width))], [shape])
        return d.add("ReduceMean", [y, d.constants([1])], [column], keepdims=1)
    (squares,) = d.add("Mul", [x, x], [shape])
    (mean,) = d.add("ReduceMean", [squares, d.constants([1])], [column], keepdims=1)
    (mean,) = d.add("Add", [mean, d.constant(np.asarray(1e-5, "float32"))], [column])
    (root,) = d.add("Sqrt", [mean], [column])
    (root,) = d.add("Reciprocal", [root], [column])
    (y,) = d.add("Mul", [x, root], [shape])
    if d.choices.chance(60):
        (y,) = d.add("Mul", [y, d.fixed("float32", (width,))], [shape])
    if d.choices.chance(60):
        columns = d.size(48)
        d.multiply(count * width * columns)
        return d.add("MatMul", [y, d.fixed("float32", (width, columns))], [("float32", (count, columns))])
    return [y]


def momentum(d):
    """A sum, and a difference that reads it, both results of the graph: a step of an optimizer."""
    shape = (d.choices.pick((64, 40, 33)), d.choices.pick((40, 64, 17)))
    a, b, c = (d.input("float32", shape) for _ in "abc")
    (a,) = d.add("Mul", [a, d.constant(np.asarray(0.9, "float32"))], [("float32", shape)])
    (sum_,) = d.add("Add", [a, b], [("float32", shape)])
    d.graph.outputs.append(sum_)
    rate = d.constant(np.asarray(0.25, "float32")) if d.choices.chance(50) else d.input("float32", ())
    (step,) = d.add("Mul", [sum_, rate], [("float32", shape)])
    return d.add("Sub", [c, step], [("float32", shape)])


def row_product(d):
    """A single row times a constant one, before a product: a normalized token. A product with constants would take
    the row into them."""
    width, columns = LANES * d.choices.integer(1, 4), d.size(64)
    d.multiply(width * columns)
    x = d.input("float32", (1, width))
    (y,) = d.add("Mul", [x, d.fixed("float32", (width,))], [("float32", (1, width))])
    right = d.fixed if d.choices.chance(25) else d.input
    return d.add("MatMul", [y, right("float32", (width, columns))], [("float32", (1, columns))])


def wide_product(d):
    """More rows than the scratchpad keeps beside others."""
    rows, depth, columns = d.choices.pick((256, 160, 384)), d.choices.pick((64, 128, 40)), d.choices.pick((16, 32, 8))
    d.multiply(rows * depth * columns)
    x = d.input("float32", (rows, depth))
    return d.add("MatMul", [x, d.fixed("float32", (depth, columns))], [("float32", (rows, columns))])


def first_maxima(d):
    """A convolution of an image of few channels, and maxima that tile its results."""
    n, side = d.choices.pick(((1, 24), (1, 32), (2, 24), (3, 20)))
    x = d.input("float32", (n, d.choices.pick((1, 3)), side, side))
    y = _convolved(d, x, d.choices.pick((16, 32)) if n < 3 else 16)
    pooled = ("float32", (n, d[y].shape[1], side // 2, side // 2))
    return d.add("MaxPool", [y], [pooled], kernel_shape=[2, 2], strides=[2, 2])


def turned_concatenation(d):
    """A concatenation whose axis a transposition brings to the front."""
    x = d.operand(ranks=range(2, 5))
    shape = list(d[x].shape)
    axis = d.choices.integer(1, len(shape) - 1)
    parts = [x, d.like(x)]
    shape[axis] *= 2
    (y,) = d.add("Concat", parts, [(d[x].dtype, shape)], axis=axis)
    order = [axis, *d.choices.shuffled([i for i in range(len(shape)) if i != axis])]
    return d.add("Transpose", [y], [(d[x].dtype, [shape[i] for i in order])], perm=order)


def _convolved(d, x, outputs, kernel=3):
    n, c, h, w = d[x].shape
    d.multiply(n * h * w * c * outputs * kernel * kernel)
    pad = kernel // 2
    inputs = [x, d.fixed("float32", (outputs, c, kernel, kernel)), d.fixed("float32", (outputs,))]
    result = [("float32", (n, outputs, h, w))]
    return d.add("Conv", inputs, result, kernel_shape=[kernel, kernel], pads=[pad] * 4)[0]


def convolution_and_maxima(d):
    """Convolutions with a rectifier, a sum and maxima behind them, in one order or the other."""
    side = d.choices.pick((8, 16, 6, 12))
    channels = d.choices.pick((16, 32, 1, 3, 20))
    x = d.operand(types=("float32",), ranks=(4,), shape=lambda: (1, channels, side, side),
                  accept=lambda t: t.shape[2] > 1 and t.shape[3] > 1 and t.count <= 1 << 13)  # fmt: skip
    outputs = d.choices.pick((16, 32, 8))
    y = _convolved(d, x, outputs, d.choices.pick((3, 1)))
    n, _, h, w = d[y].shape
    shape = ("float32", (n, outputs, h, w))
    limited = d.choices.chance(30)
    if limited:
        (y,) = d.add("Relu", [y], [shape])
    if d.choices.chance(25):
        z = _convolved(d, y, outputs)
        (y,) = d.add("Add", [z, y], [shape])
    if not limited or d.choices.chance(60):
        pooled = ("float32", (n, outputs, h // 2, w // 2))
        (y,) = d.add("MaxPool", [y], [pooled], kernel_shape=[2, 2], strides=[2, 2])
        if d.choices.chance(80):
            (y,) = d.add("Relu", [y], [pooled])
    return [y]


def pool_gradient(d):
    """Comparisons and selections for each tap of a maximum pool: its gradient, as training steps have it."""
    return [_pool_gradient(d, d.choices.pick((1, 2, 16, 3)))]


def filter_gradient(d):
    """The convolution of images by the gradient of their results, which come from a maximum pool."""
    gradient = _pool_gradient(d, 16)
    n, h, w, c = d[gradient].shape
    channels = d.choices.pick((1, 4, 8))
    d.multiply(9 * n * h * w * c * channels)
    (filters,) = d.add("Transpose", [gradient], [("float32", (c, n, h, w))], perm=[3, 0, 1, 2])
    images = d.input("float32", (channels, n, h + 2, w + 2))
    return d.add("Conv", [images, filters], [("float32", (channels, c, 3, 3))])


def _pool_gradient(d, n):
    kernel = [d.choices.integer(1, 3), d.choices.integer(1, 3)]
    if kernel == [1, 1]:
        kernel[1] = 2
    c = d.choices.pick((4, 16, 1, 20))
    height, width = d.choices.integer(1, 5), d.choices.integer(1, 5)
    image = ("float32", (n, height * kernel[0], width * kernel[1], c))
    if n * c * height * width > 4096:
        raise Unfit("image")
    x = d.input(*image)
    turned = (n, c, image[1][1], image[1][2])
    small = (n, height, width, c)
    (t,) = d.add("Transpose", [x], [("float32", turned)], perm=[0, 3, 1, 2])
    (t,) = d.add("MaxPool", [t], [("float32", (n, c, height, width))], kernel_shape=kernel, strides=kernel)
    (maxima,) = d.add("Transpose", [t], [("float32", small)], perm=[0, 2, 3, 1])
    zero = d.constant(np.zeros((), "float32"))
    left = d.input("float32", small)
    if d.choices.chance(40):  # that of a rectifier behind the pool
        (above,) = d.add("Greater", [maxima, zero], [("bool", small)])
        (left,) = d.add("Where", [above, left, zero], [("float32", small)])
    lines = []
    for row in range(kernel[0]):
        taps = []
        for column in range(kernel[1]):
            left, tap = _tap(d, x, maxima, zero, left, (row, column), kernel)
            taps.append(tap)
        shape = (n, height, 1, width, kernel[1], c)
        lines.append(taps[0] if len(taps) == 1 else d.add("Concat", taps, [("float32", shape)], axis=4)[0])
    shape = (n, height, kernel[0], width, kernel[1], c)
    whole = lines[0] if len(lines) == 1 else d.add("Concat", lines, [("float32", shape)], axis=2)[0]
    return d.add("Reshape", [whole, d.constants(image[1])], [image])[0]


def _tap(d, x, maxima, zero, left, place, kernel):
    """The gradient that a tap has, and what is left for those behind it."""
    small = d[maxima].shape
    n, height, width, c = small
    begin = [0, *place, 0]
    end = [n, d[x].shape[1], d[x].shape[2], c]
    parameters = [d.constants(begin), d.constants(end), d.constants([0, 1, 2, 3]), d.constants([1, *kernel, 1])]
    (tap,) = d.add("Slice", [x, *parameters], [("float32", small)])
    (equal,) = d.add("Equal", [tap, maxima], [("bool", small)])
    (value,) = d.add("Where", [equal, left, zero], [("float32", small)])
    if place != (kernel[0] - 1, kernel[1] - 1):
        (left,) = d.add("Where", [equal, zero, left], [("float32", small)])
    shape = (n, height, 1, width, 1, c)
    (value,) = d.add("Reshape", [value, d.constants(shape)], [("float32", shape)])
    return left, value


def tokens(d):
    """An attention of 64 tokens and more, whose scores fill much of the scratchpad."""
    count, width = d.choices.pick((64, 80, 96)), d.choices.pick((16, 8, 24))
    shape = (1, count, width)
    d.multiply(2 * count * count * width)
    q, k, v = (d.input("float32", shape, "small") for _ in "qkv")
    (turned,) = d.add("Transpose", [k], [("float32", (1, width, count))], perm=[0, 2, 1])
    (scores,) = d.add("MatMul", [q, turned], [("float32", (1, count, count))])
    (shares,) = d.add("Softmax", [scores], [("float32", (1, count, count))], axis=-1)
    return d.add("MatMul", [shares, v], [("float32", shape)])


FLOAT = [(rotation, 3), (picked_columns, 2), (outer_product, 5), (momentum, 5), (pool_gradient, 4),
         (turned_concatenation, 6)]  # fmt: skip
BLOCKS = [(rows, 3), (convolution_and_maxima, 13), (pool_gradient, 4), (filter_gradient, 11), (tokens, 1),
          (row_product, 9), (wide_product, 3), (first_maxima, 6), (momentum, 2)]  # fmt: skip
