# SPDX-License-Identifier: Apache-2.0
"""Operators of TensorFlow Lite that only copy elements."""

from draft import Unfit
from tflite_draft import NONE, image_shape, like, moved, operand


def batches(d):
    """SPACE_TO_BATCH_ND with padding, which has the zero point, and its counterpart."""
    x = operand(d, ranks=(4,), shape=lambda: image_shape(d))
    n, h, w, c = d[x].shape
    block = [d.choices.integer(1, 3), d.choices.integer(1, 3)]
    area = block[0] * block[1]
    if n % area == 0 and area > 1 and d.choices.chance(60):
        sizes = [h * block[0], w * block[1]]
        crops = [[d.choices.integer(0, 1), 0] for _ in sizes]
        result = (n // area, *(s - sum(crop) for s, crop in zip(sizes, crops)), c)
        inputs = [x, d.constants(block, "int32"), d.constants(crops, "int32")]
        return moved(d, x, "BATCH_TO_SPACE_ND", inputs, result, "BatchToSpaceNDOptions", 2)
    pads = []
    for size, b in zip((h, w), block):
        before = d.choices.integer(0, 2)
        pads.append([before, -(size + before) % b + b * d.choices.integer(0, 1)])
    result = (n * area, *((s + sum(p)) // b for s, p, b in zip((h, w), pads, block)), c)
    inputs = [x, d.constants(block, "int32"), d.constants(pads, "int32")]
    return moved(d, x, "SPACE_TO_BATCH_ND", inputs, result, "SpaceToBatchNDOptions", 2)


def pad(d, x=None):
    """Of any axes, or of an image's height and width if one is given."""
    image = x is not None
    x = x or operand(d, ranks=range(1, 5))
    most = 1 if image else 2
    pads = [[d.choices.integer(0, most), d.choices.integer(0, most)] for _ in d[x].shape]
    if image:
        pads[0] = pads[3] = [0, 0]
    shape = [s + sum(p) for s, p in zip(d[x].shape, pads)]
    return moved(d, x, "PAD", [x, d.constants(pads, "int32")], shape, "PadOptions", 2)


def slice_(d):
    x = operand(d, ranks=range(1, 5))
    begin, size = [], []
    for length in d[x].shape:
        begin.append(d.choices.integer(0, length - 1) if d.choices.chance(50) else 0)
        size.append(length - begin[-1] - (d.choices.integer(0, length - begin[-1] - 1) if d.choices.chance(50) else 0))
    return moved(d, x, "SLICE", [x, d.constants(begin, "int32"), d.constants(size, "int32")], size, "SliceOptions", 2)


def concatenate(d):
    x = operand(d, types=("int8", "int16"), ranks=range(1, 5))
    axis = d.choices.integer(0, len(d[x].shape) - 1)
    parts = [x] + [like(d, x, None, same_scale=True) for _ in range(d.choices.integer(1, 2))]
    shape = list(d[x].shape)
    shape[axis] = sum(d[part].shape[axis] for part in parts)
    return moved(d, x, "CONCATENATION", parts, shape, "ConcatenationOptions", 2, axis=axis,
                 fusedActivationFunction=NONE)  # fmt: skip


def transpose(d):
    x = operand(d, ranks=range(2, 5))
    order = d.choices.shuffled(range(len(d[x].shape)))
    shape = [d[x].shape[i] for i in order]
    return moved(d, x, "TRANSPOSE", [x, d.constants(order, "int32")], shape, "TransposeOptions", 2)


def reshape(d):
    x = operand(d)
    shape = d.choices.pick(((d[x].count,), (1, d[x].count), (*d[x].shape[:-1], 1, d[x].shape[-1])))
    if len(shape) > 5:
        raise Unfit("rank")
    parameter = d.constants(shape, "int32")
    return moved(d, x, "RESHAPE", [x, parameter], shape, "ReshapeOptions", newShape=[int(s) for s in shape])


def resize(d):
    x = operand(d, ranks=(4,), shape=lambda: image_shape(d), types=("int8",))
    n, h, w, c = d[x].shape
    sizes = [d.choices.integer(1, 2 * h), d.choices.integer(1, 2 * w)]
    half = d.choices.chance(50)
    return moved(d, x, "RESIZE_NEAREST_NEIGHBOR", [x, d.constants(sizes, "int32")], (n, *sizes, c),
                 "ResizeNearestNeighborOptions", 3, alignCorners=False, halfPixelCenters=half)  # fmt: skip


STEPS = [(batches, 6), (pad, 5), (slice_, 6), (concatenate, 5), (transpose, 5), (reshape, 5), (resize, 3)]
