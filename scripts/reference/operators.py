# SPDX-License-Identifier: Apache-2.0
"""Models of many small operators in parallel, each result an output, for TensorFlow Lite's handling of scales, tables
and moves.

Each function returns a .tflite file and its inputs, whose first axis is the sample.
"""

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from scale import Scale
from tflite_writer import TfliteModel

NONE = schema.ActivationFunctionType.NONE


def random_scale(rng, low=1e-3, high=1e1):
    """A random scale of any magnitude between the two, with any zero point."""
    return Scale(float(np.float32(np.exp(rng.uniform(np.log(low), np.log(high))))), int(rng.integers(-128, 128)))


def convolve(model, inputs, outputs):
    """A convolution of stride 1 without padding."""
    model.operator(
        "CONV_2D",
        inputs,
        outputs,
        "Conv2DOptions",
        version=3,
        padding=schema.Padding.VALID,
        strideW=1,
        strideH=1,
        dilationWFactor=1,
        dilationHFactor=1,
        fusedActivationFunction=NONE,
    )


def scales(rng):
    """Products, sums and means whose output scale has any ratio to that of the sum, so that multipliers and shifts of
    all sizes occur."""
    side, channels, samples = 4, 8, 4
    model = TfliteModel()
    shape = (1, side, side, channels)
    source_scales = [random_scale(rng, 1e-2, 1.0) for _ in range(2)]
    inputs = [model.tensor(f"input{i}", shape, scale=scale) for i, scale in enumerate(source_scales)]
    outputs = []

    def result(name, dimensions, scale):
        outputs.append(model.tensor(name, dimensions, scale=scale))
        return [outputs[-1]]

    for index in range(12):
        weight_scales = np.array([random_scale(rng).scale for _ in range(channels)])
        weights = model.constant(
            f"conv{index}/weights", rng.integers(-127, 128, (channels, 1, 1, channels), np.int8), weight_scales
        )
        bias = model.constant(
            f"conv{index}/bias", rng.integers(-20000, 20000, channels, np.int32), source_scales[0].scale * weight_scales
        )
        typical = source_scales[0].scale * float(np.median(weight_scales)) * 74 * 74 * channels**0.5 / 60
        scale = Scale(float(np.float32(typical * np.exp(rng.uniform(-2, 2)))), int(rng.integers(-128, 128)))
        convolve(model, [inputs[0], weights, bias], result(f"conv{index}", shape, scale))
    for index in range(8):
        typical = max(scale.scale for scale in source_scales)
        scale = Scale(float(np.float32(typical * np.exp(rng.uniform(-0.5, 2)))), int(rng.integers(-128, 128)))
        model.operator(
            "ADD", inputs, result(f"add{index}", shape, scale), "AddOptions", version=2, fusedActivationFunction=NONE
        )
    for index in range(8):
        typical = source_scales[0].scale * source_scales[1].scale * 128
        scale = Scale(float(np.float32(typical * np.exp(rng.uniform(-2, 2)))), int(rng.integers(-128, 128)))
        model.operator(
            "MUL", inputs, result(f"mul{index}", shape, scale), "MulOptions", version=2, fusedActivationFunction=NONE
        )
    for index in range(4):
        scale = Scale(
            float(np.float32(source_scales[0].scale * np.exp(rng.uniform(-2, 2)))), int(rng.integers(-128, 128))
        )
        model.operator("QUANTIZE", inputs[:1], result(f"quantize{index}", shape, scale), "QuantizeOptions", version=2)
    axes = model.constant("axes", np.array([1, 2], np.int32))
    for index in range(4):
        scale = Scale(
            float(np.float32(source_scales[0].scale * np.exp(rng.uniform(-1, 1)))), int(rng.integers(-128, 128))
        )
        model.operator(
            "MEAN",
            [inputs[0], axes],
            result(f"mean{index}", (1, channels), scale),
            "ReducerOptions",
            version=2,
            keepDims=False,
        )
    data = [rng.integers(-128, 128, (samples, *shape)).astype(np.int8) for _ in inputs]
    return model.bytes(inputs, outputs), data


def tables(rng):
    """Functions of one byte, at all 256 values."""
    model = TfliteModel()
    shape = (1, 16, 16, 1)
    outputs, inputs = [], []
    for index in range(4):
        scale = random_scale(rng, 5e-3, 0.3)
        source = model.tensor(f"input{index}", shape, scale=scale)
        inputs.append(source)

        def result(name, to):
            outputs.append(model.tensor(f"{name}{index}", shape, scale=to))
            return [outputs[-1]]

        model.operator("LOGISTIC", [source], result("logistic", Scale(1 / 256, -128)), version=2)
        model.operator("TANH", [source], result("tanh", Scale(1 / 128, 0)), version=2)
        model.operator("HARD_SWISH", [source], result("hard_swish", random_scale(rng, 1e-2, 0.2)), "HardSwishOptions")
        model.operator(
            "LEAKY_RELU",
            [source],
            result("leaky_relu", random_scale(rng, 1e-2, 0.3)),
            "LeakyReluOptions",
            version=2,
            alpha=0.1,
        )
        model.operator("RELU", [source], result("relu", scale), version=2)
        model.operator("RELU6", [source], result("relu6", scale), version=2)
    every = np.arange(-128, 128).astype(np.int8).reshape(1, *shape)
    return model.bytes(inputs, outputs), [every] * len(inputs)


def moves(rng):
    """Operators that move bytes."""
    model = TfliteModel()
    shape, scale = (1, 6, 5, 12), Scale(0.05, -3)
    inputs = [model.tensor(f"input{i}", shape, scale=scale) for i in range(2)]
    outputs = []

    def result(name, dimensions):
        outputs.append(model.tensor(name, dimensions, scale=scale))
        return [outputs[-1]]

    def vector(name, values):
        return model.constant(name, np.array(values, np.int32))

    for axis, to in ((1, (1, 12, 5, 12)), (2, (1, 6, 10, 12)), (3, (1, 6, 5, 24))):
        model.operator(
            "CONCATENATION",
            inputs,
            result(f"concat{axis}", to),
            "ConcatenationOptions",
            version=2,
            axis=axis,
            fusedActivationFunction=NONE,
        )
    for index, (begin, size) in enumerate((((0, 1, 2, 3), (1, 4, 3, 5)), ((0, 0, 0, 4), (1, 6, 5, 4)))):
        model.operator(
            "SLICE",
            [inputs[0], vector(f"begin{index}", begin), vector(f"size{index}", size)],
            result(f"slice{index}", size),
            "SliceOptions",
            version=2,
        )
    model.operator(
        "STRIDED_SLICE",
        [inputs[0], vector("first", (0, 0, 1, 0)), vector("last", (1, 6, 5, 12)), vector("step", (1, 2, 2, 3))],
        result("strided_slice", (1, 3, 2, 4)),
        "StridedSliceOptions",
        version=2,
        beginMask=0,
        endMask=0,
        ellipsisMask=0,
        newAxisMask=0,
        shrinkAxisMask=0,
    )
    model.operator(
        "PAD",
        [inputs[0], vector("pads", ((0, 0), (1, 2), (3, 0), (0, 0)))],
        result("pad", (1, 9, 8, 12)),
        "PadOptions",
        version=2,
    )
    model.operator(
        "TRANSPOSE",
        [inputs[0], vector("order", (0, 2, 3, 1))],
        result("transpose", (1, 5, 12, 6)),
        "TransposeOptions",
        version=2,
    )
    model.operator(
        "RESHAPE",
        [inputs[0], vector("shape", (1, 10, 36))],
        result("reshape", (1, 10, 36)),
        "ReshapeOptions",
        newShape=[1, 10, 36],
    )
    model.operator(
        "RESIZE_NEAREST_NEIGHBOR",
        [inputs[0], vector("side", (12, 10))],
        result("resize", (1, 12, 10, 12)),
        "ResizeNearestNeighborOptions",
        version=2,
        alignCorners=False,
        halfPixelCenters=False,
    )
    halves = result("split0", (1, 6, 5, 6)) + result("split1", (1, 6, 5, 6))
    model.operator(
        "SPLIT",
        [model.constant("axis", np.array(3, np.int32)), inputs[0]],
        halves,
        "SplitOptions",
        version=2,
        numSplits=2,
    )
    data = [rng.integers(-128, 128, (2, *shape)).astype(np.int8) for _ in inputs]
    return model.bytes(inputs, outputs), data


def streaming(rng):
    """A network that hears one frame at a time: a window of the last frames and a sum are variables, which live from
    sample to sample. One begins with numbers, the other with zero points; a branch has a constant condition."""
    model = TfliteModel()
    features, taps, channels, samples = 8, 4, 5, 12
    frame, heard, summed = Scale(0.05, -3), Scale(0.08, 7), Scale(0.11, -20)
    source = model.tensor("frame", (1, 1, features), scale=frame)
    model.operator("CALL_ONCE", [], [], "CallOnceOptions", initSubgraphIndex=1)
    window = model.variable("window")
    before = model.tensor("window/before", (1, taps - 1, features), scale=frame)
    model.operator("READ_VARIABLE", [window], [before])
    frames = model.tensor("frames", (1, taps, features), scale=frame)
    model.operator(
        "CONCATENATION",
        [before, source],
        [frames],
        "ConcatenationOptions",
        version=2,
        axis=1,
        fusedActivationFunction=NONE,
    )

    def vector(name, values):
        return model.constant(name, np.array(values, np.int32))

    after = model.tensor("window/after", (1, taps - 1, features), scale=frame)
    model.operator(
        "STRIDED_SLICE",
        [
            frames,
            vector("begin", (0, 1, 0)),
            vector("end", (1, taps, features)),
            vector("step", (1, 1, 1)),
        ],
        [after],
        "StridedSliceOptions",
        version=2,
        beginMask=0,
        endMask=0,
        ellipsisMask=0,
        newAxisMask=0,
        shrinkAxisMask=0,
    )
    model.operator("ASSIGN_VARIABLE", [window, after], [])
    image = model.tensor("image", (1, taps, 1, features), scale=frame)
    model.operator(
        "RESHAPE",
        [frames, vector("image/shape", (1, taps, 1, features))],
        [image],
        "ReshapeOptions",
        newShape=[1, taps, 1, features],
    )
    weight_scales = np.array([random_scale(rng, 1e-3, 1e-2).scale for _ in range(channels)])
    weights = model.constant(
        "conv/weights", rng.integers(-127, 128, (channels, taps, 1, features), np.int8), weight_scales
    )
    bias = model.constant("conv/bias", rng.integers(-2000, 2000, channels, np.int32), frame.scale * weight_scales)
    convolved = model.tensor("conv", (1, 1, 1, channels), scale=heard)
    convolve(model, [image, weights, bias], [convolved])
    always = model.constant("always", np.array([True]))
    limited = model.tensor("limited", (1, 1, 1, channels), scale=heard)
    model.operator("IF", [always, convolved], [limited], "IfOptions", thenSubgraphIndex=2, elseSubgraphIndex=3)
    total = model.variable("total")
    sum_before = model.tensor("total/before", (1, 1, 1, channels), scale=summed)
    model.operator("READ_VARIABLE", [total], [sum_before])
    sum_after = model.tensor("total/after", (1, 1, 1, channels), scale=summed)
    model.operator("ADD", [sum_before, limited], [sum_after], "AddOptions", version=2, fusedActivationFunction=NONE)
    model.operator("ASSIGN_VARIABLE", [total, sum_after], [])
    again = model.tensor("total/again", (1, 1, 1, channels), scale=summed)
    model.operator("READ_VARIABLE", [total], [again])
    output = model.tensor("output", (1, channels), scale=summed)
    model.operator(
        "RESHAPE", [again, vector("output/shape", (1, channels))], [output], "ReshapeOptions", newShape=[1, channels]
    )

    model.subgraph()  # 1
    for name, shape, scale, first in (
        ("window", (1, taps - 1, features), frame, rng.integers(-128, 128, (1, taps - 1, features)).astype(np.int8)),
        ("total", (1, 1, 1, channels), summed, np.full((1, 1, 1, channels), summed.zero_point, np.int8)),
    ):
        handle = model.variable(name)
        model.operator("ASSIGN_VARIABLE", [handle, model.constant(f"{name}/first", first, scale)], [])
    for kind in ("RELU", "LOGISTIC"):  # 2, 3
        model.subgraph()
        given = model.tensor("given", (1, 1, 1, channels), scale=heard)
        made = model.tensor("made", (1, 1, 1, channels), scale=heard if kind == "RELU" else Scale(1 / 256, -128))
        model.operator(kind, [given], [made], version=2)
        model.interface([given], [made])
    data = rng.integers(-128, 128, (samples, 1, 1, features)).astype(np.int8)
    return model.bytes([source], [output, convolved]), [data]


MODELS = {"scales": scales, "tables": tables, "moves": moves, "streaming": streaming}
