# SPDX-License-Identifier: Apache-2.0
"""A model in NumPy that implements the page sim/golden/block_float.md, from its text alone.

Matrix products, convolutions and transposed convolutions in block floating point: blocks of 16 int8 mantissas
with one exponent byte, sums in binary32. Numbers in brackets are the rules of the page. Arrays are float32.
"""

import numpy as np

BLOCK = 16
NAN = np.uint32(0x7FC00000).view(np.float32)
LEAST = 2.0**-126  # the least magnitude that is not zero


def _to_blocks(values):
    """[..., depth] as mantissas [..., blocks, 16] (float64, whole numbers) and exponents [..., blocks] (2, 4 to 6)."""
    values = np.asarray(values, np.float32)
    short = -values.shape[-1] % BLOCK
    values = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, short)])
    values = values.reshape(*values.shape[:-1], values.shape[-1] // BLOCK, BLOCK)
    fields = (values.view(np.uint32) >> 23 & 255).astype(np.int32)
    exponents = fields.max(axis=-1)
    valid = (fields > 0) & (exponents < 255)[..., None]
    scaled = np.ldexp(np.where(valid, values, 0).astype(np.float64), 133 - exponents[..., None])
    return np.clip(np.rint(scaled), -127, 127), exponents


def _flushed(values):
    """Zeros of their sign instead of subnormal numbers."""
    return np.where(np.abs(values) < LEAST, np.copysign(np.float32(0), values), values)


def _with_bias(sums, bias):
    """The addition of binary32."""
    return _canonical(_flushed((_flushed(sums) + _flushed(np.asarray(bias, np.float32))).astype(np.float32)))


def _canonical(values):
    """float32 with the one NaN."""
    values = np.asarray(values, np.float32)
    return np.where(np.isnan(values), NAN, values)


def _add(sums, addends):
    """sums + addends as binary32: addends may be float64 beyond its range (10, 11, 12).

    Neither has more than 24 significant bits, so rounding to the 53 of binary64 first does not alter the result. Both
    are multiples of 2^-149, so a sum below 2^-126 is exact.
    """
    first, second = (np.where(np.abs(x) < LEAST, 0, x).astype(np.float64) for x in (sums, addends))
    result = (first + second).astype(np.float32)
    return _canonical(np.where(np.abs(result) < LEAST, np.float32(0), result))


def _product(left, right, bias):
    """left [..., rows, depth] by right [..., columns, depth], block after block (9 to 13)."""
    (left, left_exponents), (right, right_exponents) = _to_blocks(left), _to_blocks(right)
    lead = np.broadcast_shapes(left.shape[:-3], right.shape[:-3])
    sums = np.zeros((*lead, left.shape[-3], right.shape[-3]), np.float32)
    with np.errstate(all="ignore"):
        for block in range(left.shape[-2]):
            integers = left[..., block, :] @ np.swapaxes(right[..., block, :], -1, -2)
            x_left = left_exponents[..., :, None, block]
            x_right = right_exponents[..., None, :, block]
            addends = np.ldexp(integers, x_left + x_right - 266)
            sums = _add(sums, np.where((x_left == 255) | (x_right == 255), np.nan, addends))
        return sums if bias is None else _with_bias(sums, bias)


def matrix_product(a, b, bias=None):
    """a [..., rows, depth] by b [depth, columns] or [..., depth, columns]."""
    return _product(a, np.swapaxes(np.asarray(b, np.float32), -1, -2), bias)


def _surround(image, pads):
    """Zeros around the rows and columns of NHWC: top, left, bottom, right. Negative numbers remove."""
    top, left, bottom, right = pads
    sides = [(0, 0), (top, bottom), (left, right), (0, 0)]
    image = np.pad(image, [(max(before, 0), max(after, 0)) for before, after in sides])
    return image[
        tuple(
            slice(max(-before, 0), max(size - max(-after, 0), 0)) for (before, after), size in zip(sides, image.shape)
        )
    ]


def _windows(image, kernel, strides, dilations):
    """NHWC as [n, oh, ow, kh, kw, c], the image padded before."""
    places = []
    for size, taps, stride, dilation in zip(image.shape[1:3], kernel, strides, dilations):
        outputs = max((size - (taps - 1) * dilation - 1) // stride + 1, 0)
        places.append(np.arange(outputs)[:, None] * stride + np.arange(taps) * dilation)
    rows, columns = places
    return image[:, rows[:, None, :, None], columns[None, :, None, :]]


def _grouped(windows, inside, weights, bias, groups):
    """The sum in binary64, from the bias on, in the order of the weights, without the padding, rounded once."""
    outputs, kernel_rows, kernel_columns, channels = weights.shape
    windows = windows.reshape(*windows.shape[:-1], groups, channels).astype(np.float64)
    weights = weights.reshape(groups, outputs // groups, kernel_rows, kernel_columns, channels).astype(np.float64)
    sums = np.zeros((*windows.shape[:3], groups, outputs // groups))
    if bias is not None:
        sums[:] = np.asarray(bias, np.float32).reshape(groups, outputs // groups)
    with np.errstate(all="ignore"):
        for row, column, channel in np.ndindex(kernel_rows, kernel_columns, channels):
            products = windows[:, :, :, row, column, :, channel, None] * weights[:, :, row, column, channel]
            sums = np.where(inside[:, :, :, row, column, :, None], sums + products, sums)
        return _canonical(sums.astype(np.float32).reshape(*sums.shape[:3], outputs))


def convolution(image, weights, bias=None, strides=(1, 1), pads=(0, 0, 0, 0), dilations=(1, 1), groups=1):
    """image [n, h, w, channels * groups], weights [outputs, kh, kw, channels], pads (top, left, bottom, right)."""
    image, weights = np.asarray(image, np.float32), np.asarray(weights, np.float32)
    outputs, kernel_rows, kernel_columns, channels = weights.shape
    windows = _windows(_surround(image, pads), (kernel_rows, kernel_columns), strides, dilations)
    if groups > 1:
        pixels = _surround(np.ones((*image.shape[:3], 1), bool), pads)
        inside = _windows(pixels, (kernel_rows, kernel_columns), strides, dilations)
        return _grouped(windows, inside, weights, bias, groups)
    if channels >= BLOCK:  # blocks of a tap; otherwise of the whole window, which a single tap is, too
        short = -channels % BLOCK
        windows = np.pad(windows, [(0, 0)] * 5 + [(0, short)])
        weights = np.pad(weights, [(0, 0)] * 3 + [(0, short)])
    depth = int(np.prod(weights.shape[1:]))
    positions = windows.shape[:3]
    result = _product(windows.reshape(int(np.prod(positions)), depth), weights.reshape(outputs, depth), bias)
    return result.reshape(*positions, outputs)


def transposed_convolution(image, weights, bias, strides, pads, dilations, output_padding):
    """image NHWC, weights [channels, kh, kw, outputs]: the convolution with stride 1 that computes ConvTranspose."""
    image, weights = np.asarray(image, np.float32), np.asarray(weights, np.float32)
    samples, rows, columns, channels = image.shape
    spread = np.zeros((samples, (rows - 1) * strides[0] + 1, (columns - 1) * strides[1] + 1, channels), np.float32)
    spread[:, :: strides[0], :: strides[1]] = image
    reach = [(taps - 1) * dilation for taps, dilation in zip(weights.shape[1:3], dilations)]
    around = [
        reach[0] - pads[0],
        reach[1] - pads[1],
        reach[0] - pads[2] + output_padding[0],
        reach[1] - pads[3] + output_padding[1],
    ]
    turned = weights[:, ::-1, ::-1, :].transpose(3, 1, 2, 0)
    return convolution(_surround(spread, around), turned, bias, dilations=dilations)
