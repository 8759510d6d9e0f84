# SPDX-License-Identifier: Apache-2.0
"""Operators that combine elements along axes: reductions, softmax, normalizations, pools."""

import numpy as np

from draft import Unfit

REDUCTIONS = (
    ("ReduceSum", 10), ("ReduceMean", 10), ("ReduceMax", 8), ("ReduceMin", 6), ("ReduceProd", 3), ("ReduceL1", 2),
    ("ReduceL2", 2), ("ReduceLogSum", 1), ("ReduceLogSumExp", 3), ("ReduceSumSquare", 2),
)  # fmt: skip


def reduce(d):
    kind = d.choices.weighted(REDUCTIONS)
    types = ("float32", "float32", "float32", "int32", "int64", "float64")
    if kind in ("ReduceMax", "ReduceMin"):
        types += ("int8", "uint8")
    elif kind != "ReduceSum":
        types = ("float32",)
    x = d.operand(types=types, ranks=range(1, 7))
    shape = d[x].shape
    axes = [i for i in range(len(shape)) if d.choices.chance(45)] or [len(shape) - 1]
    keep = d.choices.integer(0, 1)
    result = [1 if i in axes else size for i, size in enumerate(shape) if keep or i not in axes]
    inputs = [x, d.constants([a - len(shape) if d.choices.chance(15) else a for a in axes])]
    if d.choices.chance(8):
        inputs, result = [x], [1] * len(shape) if keep else []
    return d.add(kind, inputs, [(d[x].dtype, result)], keepdims=keep)


def arg_extreme(d):
    x = d.operand(types=("float32", "float32", "int8", "uint8", "int32"), ranks=range(1, 6))
    shape = list(d[x].shape)
    axis = d.choices.integer(0, len(shape) - 1)
    keep, last = d.choices.integer(0, 1), d.choices.integer(0, 1)
    result = [1 if i == axis else size for i, size in enumerate(shape) if keep or i != axis]
    kind = d.choices.pick(("ArgMax", "ArgMin"))
    return d.add(kind, [x], [("int64", result)], axis=axis, keepdims=keep, select_last_index=last)


def cumulative_sum(d):
    x = d.operand(types=("float32", "int32", "int64"), ranks=range(1, 5))
    axis = d.constant_of_parameter(np.asarray(d.choices.integer(0, len(d[x].shape) - 1), "int64"))
    attributes = {name: d.choices.integer(0, 1) for name in ("exclusive", "reverse")}
    return d.add("CumSum", [x, axis], [(d[x].dtype, d[x].shape)], **attributes)


def softmax(d):
    x = d.operand(types=("float32",), ranks=range(1, 6))
    axis = len(d[x].shape) - 1 if d.choices.chance(65) else d.choices.integer(0, len(d[x].shape) - 1)
    kind = d.choices.weighted([("Softmax", 70), ("LogSoftmax", 20), ("Hardmax", 10)])
    return d.add(kind, [x], [(d[x].dtype, d[x].shape)], axis=axis)


def layer_norm(d):
    x = d.operand(types=("float32",), ranks=range(2, 5))
    shape = d[x].shape
    axis = len(shape) - 1 if d.choices.chance(80) else d.choices.integer(0, len(shape) - 1)
    inputs = [x, d.fixed("float32", shape[axis:], "small")]
    if d.choices.chance(70):
        inputs.append(d.fixed("float32", shape[axis:], "small"))
    return d.add("LayerNormalization", inputs, [("float32", shape)], axis=axis, epsilon=1e-5)


def image_norm(d):
    """Normalizations of images: by instance, by group, by constant statistics, by neighbouring channels."""
    x = d.operand(types=("float32",), ranks=(4,))
    shape = d[x].shape
    channels = shape[1]
    kind = d.choices.pick(("BatchNormalization", "InstanceNormalization", "LRN", "LpNormalization"))
    if kind == "LRN":
        size = d.choices.pick((3, 1, 5))
        return d.add(kind, [x], [("float32", shape)], size=size, alpha=0.01, beta=0.75, bias=1.0)
    if kind == "LpNormalization":
        return d.add(kind, [x], [("float32", shape)], axis=d.choices.integer(0, 3), p=d.choices.integer(1, 2))
    vectors = [d.fixed("float32", (channels,), "small") for _ in range(2)]
    if kind == "BatchNormalization":
        vectors += [d.fixed("float32", (channels,), "small"), d.fixed("float32", (channels,), "positive")]
    return d.add(kind, [x, *vectors], [("float32", shape)], epsilon=1e-3)


def window(d, height, width, dilated=False):
    """Attributes of a window on an image, and the height and width of its results."""
    kernel = [d.choices.integer(1, 3), d.choices.integer(1, 3)]
    if d.choices.chance(10):
        kernel = [min(7, height), min(7, width)]
    strides = [d.choices.integer(1, 2), d.choices.integer(1, 2)] if d.choices.chance(50) else [1, 1]
    dilations = [d.choices.integer(1, 2), d.choices.integer(1, 2)] if dilated and d.choices.chance(25) else [1, 1]
    if d.choices.chance(25):
        strides = list(kernel)
    pads = [d.choices.integer(0, k - 1) for k in (*kernel, *kernel)] if d.choices.chance(50) else [0, 0, 0, 0]
    sizes = []
    for i, size in enumerate((height, width)):
        reach = dilations[i] * (kernel[i] - 1) + 1
        room = size + pads[i] + pads[i + 2] - reach
        if room < 0:
            raise Unfit("window")
        sizes.append(room // strides[i] + 1)
    attributes = {"kernel_shape": kernel, "strides": strides, "pads": pads}
    if dilated:
        attributes["dilations"] = dilations
    return attributes, sizes


def image_shape(d):
    """N, C, H, W of a small image."""
    channels = d.size(max(1, min(48, d.elements)))
    left = max(1, d.elements // channels)
    height = d.size(min(20, left))
    width = d.size(max(1, min(20, left // height)))
    batch = d.choices.integer(1, max(1, min(3, left // (height * width))))
    return batch, channels, height, width


def pool(d):
    kind = d.choices.weighted([("MaxPool", 50), ("AveragePool", 25), ("GlobalAveragePool", 15), ("GlobalMaxPool", 10)])
    types = ("float32", "float32", "int8", "uint8") if kind == "MaxPool" else ("float32",)
    x = d.operand(types=types, ranks=(4,), shape=lambda: image_shape(d))
    n, c, h, w = d[x].shape
    if kind.startswith("Global"):
        return d.add(kind, [x], [(d[x].dtype, (n, c, 1, 1))])
    attributes, sizes = window(d, h, w, dilated=kind == "MaxPool")
    if kind == "AveragePool":
        attributes["count_include_pad"] = d.choices.integer(0, 1)
    return d.add(kind, [x], [(d[x].dtype, (n, c, *sizes))], **attributes)


FLOAT = [(reduce, 14), (arg_extreme, 2), (cumulative_sum, 1), (softmax, 6), (layer_norm, 4), (image_norm, 3), (pool, 8)]
MIXED = [(reduce, 8), (arg_extreme, 3), (cumulative_sum, 2), (pool, 3)]
