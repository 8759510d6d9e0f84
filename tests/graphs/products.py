# SPDX-License-Identifier: Apache-2.0
"""Matrix products and convolutions of float32, and the blocks of layers that networks make of them."""

import numpy as np

from draft import Unfit
from reductions import image_shape, window

# A product of float32 of more multiplications has no rule on the device, and the host computes it.
DEVICE_MULTIPLICATIONS = 1 << 18


def weights(d, shape):
    """The right operand of a product: most often a constant."""
    if d.choices.chance(75):
        return d.fixed("float32", shape)
    fitting = [n for n, t in d.readable() if t.dtype == "float32" and t.shape == tuple(shape)]
    return d.choices.pick(fitting[::-1]) if fitting else d.input("float32", shape)


def columns(d, rows, depth):
    """The number of columns of a product of so many rows and such a depth."""
    limit = DEVICE_MULTIPLICATIONS // max(1, rows * depth)
    if limit < 1:
        raise Unfit("product")
    return d.size(min(100, limit))


def matmul(d):
    x = d.operand(types=("float32",), ranks=range(2, 5))
    *batch, m, k = d[x].shape
    rows = int(np.prod(batch, dtype=np.int64)) * m
    n = columns(d, rows, k)
    d.multiply(rows * k * n)
    right = [*batch, k, n] if batch and d.choices.chance(35) else [k, n]
    return d.add("MatMul", [x, weights(d, right)], [("float32", [*batch, m, n])])


def gemm(d):
    x = d.operand(types=("float32",), ranks=(2,))
    transposed = d.choices.chance(25)
    k, m = d[x].shape if transposed else d[x].shape[::-1]
    n = columns(d, m, k)
    d.multiply(m * k * n)
    trans_b = d.choices.integer(0, 1)
    inputs = [x, weights(d, (n, k) if trans_b else (k, n))]
    attributes = {"transA": int(transposed), "transB": trans_b}
    if d.choices.chance(70):
        inputs.append(d.fixed("float32", d.choices.pick(((n,), (1, n), (m, n), (m, 1), ()))))
    if d.choices.chance(25):
        attributes.update(alpha=0.5, beta=d.choices.pick((1.0, 2.0)))
    return d.add("Gemm", inputs, [("float32", (m, n))], **attributes)


def conv(d):
    x = d.operand(types=("float32",), ranks=(4,), shape=lambda: image_shape(d))
    n, c, h, w = d[x].shape
    attributes, sizes = window(d, h, w, dilated=True)
    group = d.choices.weighted([(1, 70), (c, 20), (2 if c % 2 == 0 else 1, 10)])
    taps = int(np.prod(attributes["kernel_shape"]))
    outputs = columns(d, n * int(np.prod(sizes)), c // group * taps)
    outputs = max(1, outputs // group) * group
    d.multiply(n * int(np.prod(sizes)) * c // group * taps * outputs)
    inputs = [x, weights(d, (outputs, c // group, *attributes["kernel_shape"]))]
    if d.choices.chance(60):
        inputs.append(d.fixed("float32", (outputs,)))
    return d.add("Conv", inputs, [("float32", (n, outputs, *sizes))], group=group, **attributes)


def conv_sequence(d):
    """A convolution along one axis."""
    x = d.operand(types=("float32",), ranks=(3,))
    n, c, length = d[x].shape
    kernel, pad = d.choices.integer(1, 4), d.choices.integer(0, 1)
    size = length + 2 * pad - kernel + 1
    if size < 1:
        raise Unfit("window")
    outputs = columns(d, n * size, c * kernel)
    d.multiply(n * size * c * kernel * outputs)
    inputs = [x, weights(d, (outputs, c, kernel))]
    return d.add("Conv", inputs, [("float32", (n, outputs, size))], pads=[pad, pad])


def conv_transpose(d):
    x = d.operand(types=("float32",), ranks=(4,), shape=lambda: image_shape(d))
    n, c, h, w = d[x].shape
    kernel, stride = [d.choices.integer(1, 3) for _ in "hw"], [d.choices.integer(1, 2) for _ in "hw"]
    sizes = [(size - 1) * s + k for size, s, k in zip((h, w), stride, kernel)]
    outputs = columns(d, n * int(np.prod(sizes)), c * int(np.prod(kernel)))
    d.multiply(n * int(np.prod(sizes)) * c * int(np.prod(kernel)) * outputs)
    inputs = [x, d.fixed("float32", (c, outputs, *kernel))]
    return d.add("ConvTranspose", inputs, [("float32", (n, outputs, *sizes))], kernel_shape=kernel, strides=stride)


def attention(d):
    """Scores of queries and keys, softmax, their product with the values; heads divided by moves or not."""
    x = d.operand(types=("float32",), ranks=(3, 4))
    *batch, rows, width = d[x].shape
    count = int(np.prod(batch, dtype=np.int64))
    if 2 * count * rows * rows * width > DEVICE_MULTIPLICATIONS * 2:
        raise Unfit("attention")
    d.multiply(2 * count * rows * rows * width)
    order = [*range(len(batch)), len(batch) + 1, len(batch)]
    (keys,) = d.add("Transpose", [d.like(x)], [("float32", [*batch, width, rows])], perm=order)
    (scores,) = d.add("MatMul", [x, keys], [("float32", [*batch, rows, rows])])
    if d.choices.chance(60):
        scale = d.constant(np.asarray(width**-0.5, "float32"))
        (scores,) = d.add("Mul", [scores, scale], [("float32", [*batch, rows, rows])])
    (shares,) = d.add("Softmax", [scores], [("float32", [*batch, rows, rows])], axis=-1)
    return d.add("MatMul", [shares, d.like(x)], [("float32", [*batch, rows, width])])


def residual(d):
    """A product, its bias, the sum with its operand, an activation: what is joined in blocks."""
    x = d.operand(types=("float32",), ranks=(2, 3))
    shape = d[x].shape
    width = shape[-1]
    if d[x].count * width > DEVICE_MULTIPLICATIONS:
        raise Unfit("product")
    d.multiply(d[x].count * width)
    (y,) = d.add("MatMul", [x, d.fixed("float32", (width, width))], [("float32", shape)])
    if d.choices.chance(70):
        (y,) = d.add("Add", [y, d.fixed("float32", (width,))], [("float32", shape)])
    if d.choices.chance(60):
        (y,) = d.add("Add", [y, x], [("float32", shape)])
    if d.choices.chance(60):
        (y,) = d.add("Relu", [y], [("float32", shape)])
    return [y]


def conv_block(d):
    """Convolution, activation, maximum pool."""
    (x,) = conv(d)
    if d.choices.chance(70):
        (x,) = d.add("Relu", [x], [("float32", d[x].shape)])
    n, c, h, w = d[x].shape
    kernel = [min(d.choices.integer(1, 3), h), min(d.choices.integer(1, 3), w)]
    sizes = [(size - k) // k + 1 for size, k in zip((h, w), kernel)]
    return d.add("MaxPool", [x], [("float32", (n, c, *sizes))], kernel_shape=kernel, strides=kernel)


STEPS = [(matmul, 10), (gemm, 7), (conv, 8), (conv_sequence, 2), (conv_transpose, 2), (attention, 3), (residual, 3),
         (conv_block, 3)]  # fmt: skip
