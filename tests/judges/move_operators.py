# SPDX-License-Identifier: Apache-2.0
"""Operators that move elements, and those that choose some of them: from OperatorCase to a file and its inputs."""

import numpy as np

from operator_case import SAME


def axis_of(case, shape):
    """An axis, counted from the front, and the number for it in the file."""
    axis = case.integer(0, len(shape) - 1)
    return axis, axis - len(shape) if case.integer(0, 1) else axis


def pad(case):
    shape = case.shape(case.integer(2, 4))
    borders = [(case.integer(0, 3), case.integer(0, 3)) for _ in shape]
    scale = case.input(shape)
    case.constant(borders)
    if case.kind == "PADV2":
        case.constant(case.values((), case.dtype).reshape(1), case.dtype, scale)
    case.output([size + sum(border) for size, border in zip(shape, borders)], quantization=SAME)
    return case.finish("PadV2Options" if case.kind == "PADV2" else "PadOptions", 2)


def mirror_pad(case):
    shape = tuple(size + 1 for size in case.shape(case.integer(2, 4)))
    mode = case.integer(0, 1)
    borders = [(case.integer(0, size - 1 + mode), case.integer(0, size - 1 + mode)) for size in shape]
    case.input(shape)
    case.constant(borders)
    case.output([size + sum(border) for size, border in zip(shape, borders)], quantization=SAME)
    return case.finish("MirrorPadOptions", 2, mode=mode)


def reshape(case):
    shape = case.shape()
    to = [int(np.prod(shape[:1])), int(np.prod(shape[1:]))]
    case.input(shape)
    case.constant(to)
    case.output(to, quantization=SAME)
    return case.finish("ReshapeOptions", newShape=to)


def squeeze(case):
    shape = (1, *case.shape(2), 1)
    case.input(shape)
    case.output(shape[1:3], quantization=SAME)
    return case.finish("SqueezeOptions", squeezeDims=[0, 3])


def expand_dims(case):
    shape = case.shape(case.integer(1, 3))
    axis = case.integer(0, len(shape))
    case.input(shape)
    case.constant([axis])
    case.output(shape[:axis] + (1,) + shape[axis:], quantization=SAME)
    return case.finish("ExpandDimsOptions")


def transpose(case):
    shape = case.shape(case.integer(2, 4))
    order = case.rng.permutation(len(shape))
    case.input(shape)
    case.constant(order)
    case.output([shape[axis] for axis in order], quantization=SAME)
    return case.finish("TransposeOptions", 2)


def concatenation(case):
    shape = list(case.shape())
    axis, number = axis_of(case, shape)
    scale, length = None, 0
    for _ in range(case.integer(2, 4)):
        shape[axis] = case.integer(1, 6)
        length += shape[axis]
        scale = case.input(shape, quantization=scale)
    shape[axis] = length
    case.output(shape, quantization=SAME)
    return case.finish("ConcatenationOptions", 2, axis=number, fusedActivationFunction=0)


def pack(case):
    shape = case.shape(case.integer(1, 3))
    axis = case.integer(0, len(shape))
    count, scale = case.integer(1, 4), None
    for _ in range(count):
        scale = case.input(shape, quantization=scale)
    case.output(shape[:axis] + (count,) + shape[axis:], quantization=SAME)
    return case.finish("PackOptions", valuesCount=count, axis=axis)


def unpack(case):
    shape = case.shape(case.integer(2, 4), 5)
    axis, number = axis_of(case, shape)
    case.input(shape)
    for _ in range(shape[axis]):
        case.output(shape[:axis] + shape[axis + 1 :], quantization=SAME)
    return case.finish("UnpackOptions", num=shape[axis], axis=number)


def split(case):
    shape = list(case.shape())
    axis, number = axis_of(case, shape)
    sizes = [case.integer(1, 4) for _ in range(case.integer(1, 4))]
    sizes = sizes if case.kind == "SPLIT_V" else sizes[:1] * len(sizes)
    shape[axis] = sum(sizes)
    if case.kind == "SPLIT":
        case.constant(number)
        case.input(shape)
    else:
        case.input(shape)
        case.constant(sizes)
        case.constant(number)
    for size in sizes:
        case.output([*shape[:axis], size, *shape[axis + 1 :]], quantization=SAME)
    return case.finish("SplitOptions" if case.kind == "SPLIT" else "SplitVOptions", 2, numSplits=len(sizes))


def slice_(case):
    shape = case.shape()
    begin = [case.integer(0, size - 1) for size in shape]
    size = [case.integer(1, whole - first) for whole, first in zip(shape, begin)]
    case.input(shape)
    case.constant(begin)
    case.constant(size)
    case.output(size, quantization=SAME)
    return case.finish("SliceOptions", 2)


def strided_slice(case):
    shape = case.shape()
    step = [case.choice([1, 1, 2, 3, -1, -2]) for _ in shape]
    begin = [case.integer(0, size - 1) for size in shape]
    end = [first + case.choice([1, 2, 4]) * (1 if by > 0 else -1) for first, by in zip(begin, step)]
    end = [min(last, size) if by > 0 else max(last, -1 - size) for last, size, by in zip(end, shape, step)]
    end = [last if last >= 0 or by > 0 else last - size for last, size, by in zip(end, shape, step)]
    case.input(shape)
    for numbers in (begin, end, step):
        case.constant(numbers)
    cuts = tuple(slice(first, None if last < 0 and by < 0 else last, by) for first, last, by in zip(begin, end, step))
    case.output(np.zeros(shape)[cuts].shape, quantization=SAME)
    masks = ("beginMask", "endMask", "ellipsisMask", "newAxisMask", "shrinkAxisMask")
    return case.finish("StridedSliceOptions", 2, **dict.fromkeys(masks, 0))


def reverse(case):
    shape = case.shape()
    case.input(shape)
    case.constant([case.integer(0, len(shape) - 1)])
    case.output(shape, quantization=SAME)
    return case.finish("ReverseV2Options", 2)


def tile(case):
    shape = case.shape(None, 4)
    times = [case.integer(1, 3) for _ in shape]
    case.input(shape)
    case.constant(times)
    case.output([size * count for size, count in zip(shape, times)], quantization=SAME)
    return case.finish("TileOptions", 2)


def broadcast_to(case):
    shape = case.shape(case.integer(2, 4), 5)
    to = [case.integer(1, 5) if size == 1 else size for size in shape]
    case.input(shape)
    case.constant(to)
    case.output(to, quantization=SAME)
    return case.finish("BroadcastToOptions", 2)


def gather(case):
    shape = case.shape()
    axis, number = axis_of(case, shape)
    positions = case.integer(1, 6)
    case.input(shape)
    case.constant([case.integer(0, shape[axis] - 1) for _ in range(positions)])
    case.output(shape[:axis] + (positions,) + shape[axis + 1 :], quantization=SAME)
    return case.finish("GatherOptions", 2, axis=number, batchDims=0)


def gather_nd(case):
    shape = case.shape(3)
    count = case.integer(1, 5)
    case.input(shape)
    case.constant([[case.integer(0, shape[0] - 1), case.integer(0, shape[1] - 1)] for _ in range(count)])
    case.output((count, shape[2]), quantization=SAME)
    return case.finish("GatherNdOptions")


def depth_and_space(case):
    batch, height, width, depth = case.shape(4, 4)
    block = case.integer(2, 3)
    wide, deep = (batch, height * block, width * block, depth), (batch, height, width, depth * block * block)
    source, target = (deep, wide) if case.kind == "DEPTH_TO_SPACE" else (wide, deep)
    case.input(source)
    case.output(target, quantization=SAME)
    return case.finish("DepthToSpaceOptions" if source == deep else "SpaceToDepthOptions", blockSize=block)


def space_to_batch(case):
    """With borders, which are filled with the zero point, and for BATCH_TO_SPACE_ND cut away."""
    batch, height, width, depth = case.shape(4, 5)
    blocks = [case.integer(1, 3), case.integer(1, 3)]
    borders = []
    for size, block in zip((height, width), blocks):
        before = case.integer(0, 2)
        borders.append([before, case.integer(0, 1) * block + -(size + before) % block])
    padded = [size + sum(border) for size, border in zip((height, width), borders)]
    deep = (batch * blocks[0] * blocks[1], padded[0] // blocks[0], padded[1] // blocks[1], depth)
    into = case.kind == "SPACE_TO_BATCH_ND"
    case.input((batch, height, width, depth) if into else deep)
    case.constant(blocks)
    case.constant(borders)
    case.output(deep if into else (batch, height, width, depth), quantization=SAME)
    return case.finish("SpaceToBatchNDOptions" if into else "BatchToSpaceNDOptions", 2)


def resize(case):
    batch, height, width, depth = case.shape(4, 6)
    to = [case.integer(1, 9), case.integer(1, 9)]
    mode = case.integer(0, 2)
    case.input((batch, height, width, depth))
    case.constant(to)
    case.output((batch, *to, depth), quantization=SAME)
    options = "ResizeBilinearOptions" if case.kind == "RESIZE_BILINEAR" else "ResizeNearestNeighborOptions"
    return case.finish(options, 3, alignCorners=mode == 1, halfPixelCenters=mode == 2)
