# SPDX-License-Identifier: Apache-2.0
"""Operators of TensorFlow Lite on quantized tensors of 8 and 16 bits, and groups of them."""

import numpy as np

import tflite_moves
from draft import Unfit
from reductions import window
from tflite_draft import NONE, RELU, RELU6, SAME, VALID, emit, image_shape, like, moved, operand, quantized, scale
from tflite_moves import pad


def binary(d):
    kind = d.choices.weighted([("SUB", 30), ("ADD", 30), ("MUL", 20), ("SQUARED_DIFFERENCE", 6)])
    types = ("int8",) if kind == "SQUARED_DIFFERENCE" else d.types
    x = operand(d, types=types, ranks=range(1, 5))
    shape = d[x].shape
    y = like(d, x, shape if d.choices.chance(65) else d.choices.pick((shape[-1:], (1,) * len(shape))))
    options = None if kind == "SQUARED_DIFFERENCE" else kind.title() + "Options"
    fields = {"fusedActivationFunction": d.choices.pick((NONE, NONE, RELU, RELU6))} if options else {}
    if options == "AddOptions" or options == "SubOptions":
        fields["potScaleInt16"] = False
    inputs = [x, y] if d.choices.chance(70) else [y, x]
    return emit(d, kind, inputs, [(d[x].dtype, shape)], options, 2, **fields)


def extreme(d):
    x = operand(d, types=("int8", "uint8"), ranks=range(1, 5))
    y = like(d, x, d[x].shape if d.choices.chance(70) else d[x].shape[-1:], same_scale=True)
    kind = d.choices.pick(("MAXIMUM", "MINIMUM"))
    return moved(d, x, kind, [x, y], d[x].shape, "MaximumMinimumOptions", 2)


def function(d):
    kind = d.choices.weighted([("RELU", 15), ("LOGISTIC", 12), ("TANH", 12), ("LEAKY_RELU", 10), ("HARD_SWISH", 8),
                               ("RELU6", 6), ("SOFTMAX", 12), ("L2_NORMALIZATION", 5), ("ABS", 3)])  # fmt: skip
    narrow = ("HARD_SWISH", "L2_NORMALIZATION", "RELU6", "RELU", "ABS")
    x = operand(d, types=("int8",) if kind in narrow else d.types, ranks=range(1, 5))
    dtype = d[x].dtype
    fixed = {"LOGISTIC": (2.0**-8, -128), "SOFTMAX": (2.0**-8, -128), "TANH": (2.0**-7, 0),
             "L2_NORMALIZATION": (2.0**-7, 0)}.get(kind)  # fmt: skip
    if fixed and dtype == "int16":
        fixed = (2.0**-15, 0)
    elif fixed and dtype == "uint8":
        fixed = (fixed[0], fixed[1] + 128)
    tables = {"SOFTMAX": ("SoftmaxOptions", {"beta": d.choices.pick((1.0, 0.5))}),
              "LEAKY_RELU": ("LeakyReluOptions", {"alpha": d.choices.pick((0.1, 0.5, -0.25, 1.5))}),
              "HARD_SWISH": ("HardSwishOptions", {}), "ABS": ("AbsOptions", {}),
              "L2_NORMALIZATION": ("L2NormOptions", {"fusedActivationFunction": NONE})}  # fmt: skip
    options, fields = tables.get(kind, (None, {})) if kind in tables else (None, {})
    version = 1 if kind == "HARD_SWISH" else 2
    return emit(d, kind, [x], [(dtype, d[x].shape)], options, version, [fixed] if fixed else None, **fields)


def quantize(d):
    x = operand(d)
    to = d.choices.pick([t for t in ("int8", "int16") if t in ("int8", d[x].dtype)])
    return emit(d, "QUANTIZE", [x], [(to, d[x].shape)], "QuantizeOptions", 2)


def weights(d, shape, axis, per_channel=True):
    """A constant of int8 with zero points 0."""
    name = d.fixed("int8", shape, "small")
    count = shape[axis] if per_channel and d.choices.chance(70) else 1
    random = np.random.default_rng(d.choices.integer(0, 2**20))
    d.graph.scales[name] = (np.float32(random.uniform(0.002, 0.02, count)), 0, axis)
    return name


def bias(d, x, filters, count):
    dtype = "int64" if d[x].dtype == "int16" else "int32"
    random = np.random.default_rng(d.choices.integer(0, 2**20))
    name = d.constant(random.integers(-3000, 3000, count).astype(dtype))
    steps = np.float32(d.graph.scales[x][0]) * np.asarray(d.graph.scales[filters][0], np.float32)
    d.graph.scales[name] = (steps, 0, 0)
    return name


def signed(d):
    """The types of which weighted operators take activations."""
    return [t for t in ("int8", "int16") if t in d.types] or ["int8"]


def convolution(d, x=None):
    x = x or operand(d, types=signed(d), ranks=(4,), shape=lambda: image_shape(d))
    n, h, w, c = d[x].shape
    attributes, _ = window(d, h, w, dilated=True)
    padding = d.choices.pick((VALID, SAME))
    kernel, strides, dilations = (attributes[k] for k in ("kernel_shape", "strides", "dilations"))
    sizes = []
    for i, size in enumerate((h, w)):
        reach = dilations[i] * (kernel[i] - 1) + 1
        sizes.append(-(-size // strides[i]) if padding == SAME else (size - reach) // strides[i] + 1)
    if min(sizes) < 1:
        raise Unfit("window")
    activation = d.choices.pick((NONE, RELU, RELU6))
    common = dict(padding=padding, strideH=strides[0], strideW=strides[1], dilationHFactor=dilations[0],
                  dilationWFactor=dilations[1], fusedActivationFunction=activation)  # fmt: skip
    taps = int(np.prod(kernel))
    if d.choices.chance(35):
        multiplier = d.choices.pick((1, 2))
        d.multiply(n * sizes[0] * sizes[1] * c * multiplier * taps)
        filters = weights(d, (1, *kernel, c * multiplier), 3)
        inputs = [x, filters, bias(d, x, filters, c * multiplier)]
        result = (d[x].dtype, (n, *sizes, c * multiplier))
        return emit(d, "DEPTHWISE_CONV_2D", inputs, [result], "DepthwiseConv2DOptions", 3,
                    depthMultiplier=multiplier, **common)  # fmt: skip
    outputs = d.size(40)
    d.multiply(n * sizes[0] * sizes[1] * c * outputs * taps)
    filters = weights(d, (outputs, *kernel, c), 0)
    inputs = [x, filters, bias(d, x, filters, outputs)]
    return emit(d, "CONV_2D", inputs, [(d[x].dtype, (n, *sizes, outputs))], "Conv2DOptions", 3, **common)


def fully_connected(d, x=None):
    x = x or operand(d, types=signed(d), ranks=(2,))
    rows, depth = d[x].shape
    outputs = d.size(64)
    d.multiply(rows * depth * outputs)
    filters = weights(d, (outputs, depth), 0, per_channel=False)
    inputs = [x, filters, bias(d, x, filters, outputs)]
    return emit(d, "FULLY_CONNECTED", inputs, [(d[x].dtype, (rows, outputs))], "FullyConnectedOptions", 4,
                fusedActivationFunction=d.choices.pick((NONE, RELU)), weightsFormat=0, keepNumDims=False,
                asymmetricQuantizeInputs=False)  # fmt: skip


def batch_matmul(d):
    x = operand(d, types=("int8",), ranks=(2, 3, 4))
    *batch, m, k = d[x].shape
    n = d.size(48)
    d.multiply(int(np.prod(batch, dtype=np.int64)) * m * k * n)
    y = quantized(d, d.input("int8", (*batch, k, n)))
    return emit(d, "BATCH_MATMUL", [x, y], [("int8", (*batch, m, n))], "BatchMatMulOptions", 2, adjX=False, adjY=False,
                asymmetricQuantizeInputs=False)  # fmt: skip


def pool(d):
    x = operand(d, ranks=(4,), shape=lambda: image_shape(d))
    n, h, w, c = d[x].shape
    attributes, _ = window(d, h, w)
    kernel, strides = attributes["kernel_shape"], attributes["strides"]
    padding = d.choices.pick((VALID, SAME))
    sizes = [-(-s // t) if padding == SAME else (s - k) // t + 1 for s, k, t in zip((h, w), kernel, strides)]
    if min(sizes) < 1:
        raise Unfit("window")
    kind = d.choices.pick(("MAX_POOL_2D", "AVERAGE_POOL_2D"))
    return moved(d, x, kind, [x], (n, *sizes, c), "Pool2DOptions", 2, padding=padding, strideH=strides[0],
                 strideW=strides[1], filterHeight=kernel[0], filterWidth=kernel[1],
                 fusedActivationFunction=d.choices.pick((NONE, RELU)))  # fmt: skip


def reduce(d):
    kind = d.choices.pick(("MEAN", "REDUCE_MAX", "REDUCE_MIN"))
    x = operand(d, ranks=range(1, 5))
    shape = d[x].shape
    axes = [i for i in range(len(shape)) if d.choices.chance(45)] or [len(shape) - 1]
    keep = d.choices.chance(50) or len(axes) == len(shape)
    result = [1 if i in axes else size for i, size in enumerate(shape) if keep or i not in axes]
    inputs = [x, d.constants(axes, "int32")]
    to = None if kind == "MEAN" else [d.graph.scales[x]]
    return emit(d, kind, inputs, [(d[x].dtype, result)], "ReducerOptions", 2, to, keepDims=keep)


def image_block(d):
    """Padding, a convolution, tables or a sum, a fully connected layer of the flattened image, some of them."""
    types = signed(d)
    x = quantized(d, d.input(d.choices.pick(types), image_shape(d)))
    if d.choices.chance(65):
        (x,) = pad(d, x)
    (x,) = convolution(d, x)
    if d.choices.chance(40):
        y = quantized(d, d.input(d[x].dtype, d[x].shape))
        (x,) = emit(d, "ADD", [x, y], [(d[x].dtype, d[x].shape)], "AddOptions", 2,
                    fusedActivationFunction=NONE, potScaleInt16=False)  # fmt: skip
    for _ in range(d.choices.integer(0, 2)):
        kind = d.choices.pick(("TANH", "LOGISTIC"))
        to = (2.0**-15, 0) if d[x].dtype == "int16" else (2.0**-7, 0) if kind == "TANH" else (2.0**-8, -128)
        (x,) = emit(d, kind, [x], [(d[x].dtype, d[x].shape)], None, 2, [to])
    if d.choices.chance(60):
        shape = (d[x].shape[0], d[x].count // d[x].shape[0])
        parameter = d.constants(shape, "int32")
        (x,) = moved(d, x, "RESHAPE", [x, parameter], shape, "ReshapeOptions", newShape=[int(s) for s in shape])
        return fully_connected(d, x)
    return [x]


def attention(d):
    """Heads of queries, keys and values brought together, their scores, the shares of the values."""
    count, heads, width = d.choices.pick(((16, 4, 16), (128, 4, 16), (96, 2, 32), (64, 4, 16), (8, 2, 8)))
    d.multiply(2 * heads * count * count * width)
    shape, apart = (1, count, heads, width), (1, heads, count, width)
    symmetric = (0.05, 0)
    order = d.constants((0, 2, 1, 3), "int32")
    operands = []
    for name in ("queries", "keys", "values"):
        x = d.input("int8", shape)
        d.graph.scales[x] = scale(d, "int8") if name == "queries" and d.choices.chance(20) else symmetric
        operands += moved(d, x, "TRANSPOSE", [x, order], apart, "TransposeOptions", 2)
    fields = dict(adjX=False, asymmetricQuantizeInputs=False)
    scores = ("int8", (1, heads, count, count))
    (y,) = emit(d, "BATCH_MATMUL", operands[:2], [scores], "BatchMatMulOptions", 2, adjY=True, **fields)
    (y,) = emit(d, "SOFTMAX", [y], [scores], "SoftmaxOptions", 2, [(2.0**-8, -128)], beta=1.0)
    (y,) = emit(d, "BATCH_MATMUL", [y, operands[2]], [("int8", apart)], "BatchMatMulOptions", 2, adjY=False, **fields)
    return moved(d, y, "TRANSPOSE", [y, order], shape, "TransposeOptions", 2)


STEPS = [(binary, 20), (extreme, 5), (function, 12), (quantize, 5), (convolution, 14), (fully_connected, 6),
         (batch_matmul, 4), (pool, 6), (reduce, 6), *tflite_moves.STEPS,
         (image_block, 22), (attention, 6)]  # fmt: skip
