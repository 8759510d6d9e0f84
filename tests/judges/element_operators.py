# SPDX-License-Identifier: Apache-2.0
"""Element-wise operators, conversions and functions of rows: from OperatorCase to a file and its inputs."""

import numpy as np

from operator_case import SAME, Scale

FIXED = {"LOGISTIC": 256, "TANH": 128}  # one part of the range of an int8 result


def broadcast_shapes(case):
    """Two shapes and that of the result: equal, or with ones in one of them, or shorter."""
    whole = case.shape(largest=12)
    thin = tuple(1 if case.integer(0, 2) == 0 else size for size in whole)
    thin = thin[case.integer(0, len(thin) - 1) :] if case.integer(0, 2) == 0 else thin
    return [(whole, whole), (whole, thin), (thin, whole)][case.integer(0, 2)] + (whole,)


def arithmetic(options):
    def build(case):
        a, b, result = broadcast_shapes(case)
        first, second = case.input(a), case.input(b)
        product = case.kind == "MUL"
        near = first and (first.scale * second.scale * 100 if product else max(first.scale, second.scale))
        case.output(result, quantization=case.scale(near=near))
        activation = {"fusedActivationFunction": case.activation()} if case.kind in ("ADD", "SUB", "MUL") else {}
        if case.kind in ("ADD", "SUB"):
            activation["potScaleInt16"] = False
        return case.finish(options, 2, **activation)

    return build


def extreme_of_two(case):
    a, b, result = broadcast_shapes(case)
    scale = case.input(a)
    case.input(b, quantization=scale)
    case.output(result, quantization=SAME)
    return case.finish("MaximumMinimumOptions", 2)


def below_one(scale):
    """The kernels of comparisons take no other scales."""
    return scale and Scale(min(scale.scale, 0.99), scale.zero_point)


def comparison(options):
    def build(case):
        a, b, result = broadcast_shapes(case)
        for shape in (a, b):
            case.input(shape, quantization=below_one(case.scale()))
        case.plain_output(result, np.bool_)
        return case.finish(options, 2)

    return build


def logic(options):
    def build(case):
        a, b, result = broadcast_shapes(case)
        for shape in (a,) if case.kind == "LOGICAL_NOT" else (a, b):
            case.plain(shape, np.bool_)
        case.plain_output(a if case.kind == "LOGICAL_NOT" else result, np.bool_)
        return case.finish(options)

    return build


def select(case):
    shape = case.shape()
    case.plain(shape, np.bool_)
    scale = case.input(shape)
    case.input(shape, quantization=scale)
    case.output(shape, quantization=SAME)
    return case.finish("SelectV2Options")


def function(options=None, version=1, low=None, high=None, near=None):
    """A function of one element with a free scale of its result."""

    def build(case):
        shape = case.shape()
        scale = case.input(shape, low=low, high=high)
        case.output(shape, quantization=scale and case.scale(near=near or scale.scale))
        attributes = {"alpha": float(np.float32(case.rng.uniform(0.01, 0.9)))} if case.kind == "LEAKY_RELU" else {}
        return case.finish(options, version, **attributes)

    return build


def fixed_range(case):
    """LOGISTIC and TANH: the scale of the result is given by the kernel."""
    shape = case.shape()
    near = {1: 0.05, 2: 1 / 4096}.get(case.dtype.itemsize)
    scale = case.input(shape, quantization=case.scale(near=near))
    if scale and case.dtype.itemsize == 1:
        scale = Scale(1 / FIXED[case.kind], -128 if case.kind == "LOGISTIC" else 0)
    elif scale:
        scale = Scale(1 / 32768, 0)
    case.output(shape, quantization=scale)
    return case.finish(version=2)


def softmax(case):
    shape = case.shape(case.integer(1, 4), 20)
    scale = case.input(shape, quantization=case.scale(near=0.1 if case.dtype.itemsize == 1 else 0.001))
    if case.kind == "LOG_SOFTMAX":
        case.output(shape, quantization=scale and Scale(16 / 256, 127))
        return case.finish("LogSoftmaxOptions")
    fixed = Scale(1 / 256, -128) if case.dtype.itemsize == 1 else Scale(1 / 32768, 0)
    case.output(shape, quantization=scale and fixed)
    return case.finish("SoftmaxOptions", 2, beta=case.choice([1.0, 0.5, 2.0]))


def l2_normalization(case):
    shape = case.shape(4, 12)
    scale = case.input(shape)
    case.output(shape, quantization=scale and Scale(1 / 128, 0))
    return case.finish("L2NormOptions", 2, fusedActivationFunction=0)


def prelu(case):
    shape = case.shape(4)
    scale = case.input(shape)
    slope = case.scale(np.int8, near=0.005) if case.dtype.kind == "i" else None
    if slope and case.dtype.itemsize == 2:
        slope = Scale(slope.scale, 0)
    kind = np.dtype(np.int8) if slope else case.dtype
    case.constant(case.values((1, 1, shape[3]), kind), kind, slope)
    case.output(shape, quantization=scale and case.scale(near=scale.scale))
    return case.finish()


def conversion(source, target):
    """QUANTIZE and DEQUANTIZE between these types."""

    def build(case):
        shape = case.shape()
        scale = case.input(shape, source, low=-3 if source == np.float32 else None)
        near = scale.scale * 2.0 ** (8 * (np.dtype(source).itemsize - np.dtype(target).itemsize)) if scale else 0.02
        case.output(shape, target, case.scale(target, near=near))
        return case.finish("QuantizeOptions" if case.kind == "QUANTIZE" else "DequantizeOptions", 2)

    return build


def cast(source, target):
    def build(case):
        shape = case.shape()
        case.plain(shape, source)
        case.plain_output(shape, target)
        numbers = {np.int32: 2, np.float32: 0, np.int64: 4, np.bool_: 6, np.int8: 9}
        return case.finish("CastOptions", inDataType=numbers[source], outDataType=numbers[target])

    return build
