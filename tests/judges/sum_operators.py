# SPDX-License-Identifier: Apache-2.0
"""Products, convolutions, pools and reductions: from OperatorCase to a file and its inputs."""

import numpy as np

from operator_case import SAME, Scale

SAME_PADDING, VALID_PADDING = 0, 1


def weights(case, shape, axis, channels, in_scale):
    """Appends int8 weights with scales per channel along `axis`, or one for all, and perhaps a bias. Returns the scale
    of a step of the sums."""
    if case.dtype.kind == "f":
        case.constant(case.values(shape, case.dtype), case.dtype)
        case.constant(case.values((channels,), case.dtype), case.dtype)
        return None
    scales = np.exp(np.log(0.005) + case.rng.uniform(-2, 2, channels if case.integer(0, 2) else 1))
    scales = scales.astype(np.float32).astype(np.float64)
    case.constant(case.rng.integers(-127, 128, shape), np.int8, scales, axis)
    wide = np.int32 if case.dtype.itemsize == 1 else np.int64
    case.constant(case.rng.integers(-9000, 9000, channels), wide, in_scale.scale * scales)
    return in_scale.scale * float(np.median(scales))


def result_scale(case, step, terms):
    """A scale of the result of `terms` products that neither saturates all values nor makes them all 0."""
    return step and case.scale(near=step * np.sqrt(terms) * (40 if case.dtype.itemsize == 1 else 10))


def window(case, size, largest=4):
    """Kernel, stride, dilation and size of the result along one dimension, for SAME or VALID padding."""
    kernel, stride = case.integer(1, largest), case.integer(1, 3)
    dilation = case.integer(1, 2) if stride == 1 and size > 2 * kernel else 1
    return kernel, stride, dilation, (size - 1) // stride + 1, (size - (kernel - 1) * dilation - 1) // stride + 1


def sides(case, height, width, largest=4):
    """Windows of both dimensions, the padding of the file and the size of the result."""
    down, across = window(case, height, largest), window(case, width, largest)
    same = case.integer(0, 1) or down[4] < 1 or across[4] < 1
    size = tuple(side[3 if same else 4] for side in (down, across))
    return down, across, SAME_PADDING if same else VALID_PADDING, size


def convolution(case):
    depthwise = case.kind == "DEPTHWISE_CONV_2D"
    batch, height, width, depth = case.integer(1, 2), case.integer(1, 9), case.integer(1, 9), case.integer(1, 20)
    down, across, padding, size = sides(case, height, width)
    channels = depth * case.integer(1, 3) if depthwise else case.integer(1, 20)
    in_scale = case.input((batch, height, width, depth))
    shape = (1, down[0], across[0], channels) if depthwise else (channels, down[0], across[0], depth)
    step = weights(case, shape, 3 if depthwise else 0, channels, in_scale)
    terms = down[0] * across[0] * (1 if depthwise else depth)
    case.output((batch, *size, channels), quantization=result_scale(case, step, terms))
    attributes = {"depthMultiplier": channels // depth} if depthwise else {}
    return case.finish(
        "DepthwiseConv2DOptions" if depthwise else "Conv2DOptions",
        3,
        padding=padding,
        strideH=down[1],
        strideW=across[1],
        dilationHFactor=down[2],
        dilationWFactor=across[2],
        fusedActivationFunction=case.activation(),
        **attributes,
    )


def transposed_convolution(case):
    batch, height, width, depth = 1, case.integer(1, 6), case.integer(1, 6), case.integer(1, 9)
    channels, kernel, stride = case.integer(1, 9), case.integer(1, 4), case.integer(1, 3)
    same = case.integer(0, 1)
    size = [side * stride if same else (side - 1) * stride + max(kernel, stride) for side in (height, width)]
    case.constant([batch, *size, channels])
    in_scale = case.scale()
    rows = case.operands
    case.operands = []
    case.input((batch, height, width, depth), quantization=in_scale)
    image, case.operands = case.operands, []
    step = weights(case, (channels, kernel, kernel, depth), 0, channels, in_scale)
    case.operands = rows + case.operands[:1] + image + case.operands[1:]
    case.output((batch, *size, channels), quantization=result_scale(case, step, kernel * kernel * depth / stride**2))
    return case.finish(
        "TransposeConvOptions",
        3,
        padding=SAME_PADDING if same else VALID_PADDING,
        strideH=stride,
        strideW=stride,
        fusedActivationFunction=0,
    )


def fully_connected(case):
    rows, depth, channels = case.integer(1, 5), case.integer(1, 60), case.integer(1, 30)
    in_scale = case.input((rows, depth))
    step = weights(case, (channels, depth), 0, channels, in_scale)
    case.output((rows, channels), quantization=result_scale(case, step, depth))
    return case.finish(
        "FullyConnectedOptions",
        5,
        fusedActivationFunction=case.activation(),
        weightsFormat=0,
        keepNumDims=False,
        asymmetricQuantizeInputs=False,
    )


def batch_matmul(case):
    batch, rows, depth, columns = case.integer(1, 3), case.integer(1, 12), case.integer(1, 30), case.integer(1, 12)
    turned = [bool(case.integer(0, 1)), bool(case.integer(0, 1))]
    a = case.input((batch, depth, rows) if turned[0] else (batch, rows, depth))
    b = case.input((batch, columns, depth) if turned[1] else (batch, depth, columns))
    case.output((batch, rows, columns), quantization=result_scale(case, a and a.scale * b.scale, depth))
    return case.finish("BatchMatMulOptions", 2, adjX=turned[0], adjY=turned[1], asymmetricQuantizeInputs=False)


def pool(case):
    batch, height, width, depth = case.shape(4, 9)
    down, across = (case.integer(1, min(size, 4)) for size in (height, width))
    steps = case.integer(1, 3), case.integer(1, 3)
    same = case.integer(0, 1)
    kernels = (1, 1) if same else (down, across)
    size = [(side - kernel) // step + 1 for side, kernel, step in zip((height, width), kernels, steps)]
    case.input((batch, height, width, depth))
    case.output((batch, *size, depth), quantization=SAME)
    return case.finish(
        "Pool2DOptions",
        3,
        padding=SAME_PADDING if same else VALID_PADDING,
        strideH=steps[0],
        strideW=steps[1],
        filterHeight=down,
        filterWidth=across,
        fusedActivationFunction=case.activation(),
    )


def reduction(case):
    """Over one axis or several; the scale of the result is free, of extremes that of the input."""
    shape = case.shape(case.integer(1, 4))
    axes = sorted(case.rng.choice(len(shape), case.integer(1, len(shape)), replace=False).tolist())
    keep = bool(case.integer(0, 1))
    scale = case.input(shape)
    case.constant(axes)
    kept = [1 if axis in axes else size for axis, size in enumerate(shape)]
    result = kept if keep else [size for axis, size in enumerate(shape) if axis not in axes]
    if case.kind in ("MEAN", "SUM"):
        terms = np.prod([shape[axis] for axis in axes]) if case.kind == "SUM" else 1
        case.output(result, quantization=scale and case.scale(near=scale.scale * float(np.sqrt(terms))))
    else:
        case.output(result, quantization=SAME)
    return case.finish("ReducerOptions", 2, keepDims=keep)


def arg_extreme(case):
    shape = case.shape(case.integer(2, 4), 12)
    axis = case.integer(0, len(shape) - 1)
    case.input(shape)
    case.constant(axis)
    case.plain_output(shape[:axis] + shape[axis + 1 :], np.int32)
    return case.finish("ArgMaxOptions" if case.kind == "ARG_MAX" else "ArgMinOptions", 2, outputType=2)


def cumulative_sum(case):
    shape = case.shape()
    case.input(shape)
    case.constant(case.integer(0, len(shape) - 1))
    case.output(shape, quantization=case.first and Scale(case.first.scale, case.first.zero_point))
    return case.finish("CumsumOptions", exclusive=bool(case.integer(0, 1)), reverse=bool(case.integer(0, 1)))
