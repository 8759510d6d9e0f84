# SPDX-License-Identifier: Apache-2.0
"""Products of block floating point in NumPy, written from sim/golden/block_float.md alone. Arrays are float32; images
are [N,H,W,C] and weights [O,KH,KW,C]."""

import numpy as np

BLOCK, NAN_EXPONENT, BIAS = 16, 255, 133
SMALLEST, LIMIT = 2.0**-126, 2.0**128
NAN = np.uint32(0x7FC00000).view(np.float32)


def to_blocks(values):
    """Mantissas [..,B,16] and exponents [..,B] of the numbers along the last axis, by rules 2 and 4 to 6."""
    missing = -values.shape[-1] % BLOCK
    full = np.concatenate([values, np.zeros((*values.shape[:-1], missing), np.float32)], -1)
    full = full.reshape(*values.shape[:-1], -1, BLOCK)
    fields = np.ascontiguousarray(full).view(np.uint32) >> 23 & 0xFF
    exponents = fields.max(-1).astype(np.int64)
    numbers = np.where((fields == 0) | (exponents[..., None] == NAN_EXPONENT), np.float32(0), full).astype(np.float64)
    mantissas = np.clip(np.rint(np.ldexp(numbers, (BIAS - exponents)[..., None])), -127, 127)
    return mantissas.astype(np.int64), exponents


def rounded(exact, lost):
    """The sum exact + lost, where `lost` is less than half of the last bit of `exact`, rounded once to binary32."""
    even = exact.view(np.int64) & 1 == 0
    toward = np.where(lost > 0, np.inf, -np.inf)
    sticky = np.where((lost != 0) & even, np.nextafter(exact, toward), exact)  # odd: a later rounding is right
    significand, exponent = np.frexp(sticky)
    result = np.ldexp(np.rint(np.ldexp(significand, 24)), exponent - 24)
    result = np.where(np.abs(result) >= LIMIT, np.copysign(np.inf, result), result)
    return np.where(np.abs(result) < SMALLEST, 0.0, result)


def add_block(sums, products, exponents):
    """Rules 9 to 12 for one block of every sum: float32, integers, and the sums of both exponents."""
    addend = np.ldexp(products.astype(np.float64), exponents - 2 * BIAS)
    addend = np.where(np.abs(addend) < SMALLEST, 0.0, addend)
    before = sums.astype(np.float64)
    before = np.where(np.abs(before) < SMALLEST, 0.0, before)
    finite = np.where(np.isfinite(before), before, 0.0)
    total = finite + addend
    of_addend = total - finite
    lost = (finite - (total - of_addend)) + (addend - of_addend)
    return np.where(np.isfinite(before), rounded(total, lost), before).astype(np.float32)


def multiply(left, right):
    """[R,C] of blocks of R rows and of C columns, block after block, from +0 on."""
    (a, of_a), (b, of_b) = left, right
    sums = np.zeros((len(a), len(b)), np.float32)
    is_nan = np.zeros(sums.shape, bool)
    for block in range(a.shape[1]):
        exponents = of_a[:, block, None] + of_b[None, :, block]
        is_nan |= (of_a[:, block, None] == NAN_EXPONENT) | (of_b[None, :, block] == NAN_EXPONENT)
        sums = add_block(sums, a[:, block] @ b[:, block].T, exponents)
    return np.where(is_nan, NAN, sums)


def add(a, b):
    """Of binary32: subnormal numbers are zeros of their sign, and there is one NaN."""
    flushed = [np.where(np.abs(x) < SMALLEST, np.copysign(np.float32(0), x), x) for x in (a, b)]
    with np.errstate(invalid="ignore", over="ignore"):
        total = (flushed[0] + flushed[1]).astype(np.float32)
    total = np.where(np.abs(total) < SMALLEST, np.copysign(np.float32(0), total), total)
    return np.where(np.isnan(total), NAN, total).astype(np.float32)


def matrix_product(a, b, bias=None):
    """a [..,M,K] by b [..,K,N]."""
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a = np.broadcast_to(a, (*lead, *a.shape[-2:])).reshape(-1, *a.shape[-2:])
    b = np.broadcast_to(b, (*lead, *b.shape[-2:])).reshape(-1, *b.shape[-2:])
    each = [multiply(to_blocks(x), to_blocks(np.ascontiguousarray(y.T))) for x, y in zip(a, b, strict=True)]
    result = np.stack(each).reshape(*lead, a.shape[-2], b.shape[-1])
    return result if bias is None else add(result, bias)


def windows(image, kernel, strides, pads, dilations):
    """[N,OH,OW,KH,KW,C]: what each tap of each position reads, zeros in the padding (top, left, bottom, right)."""
    padded = np.pad(image, ((0, 0), (pads[0], pads[2]), (pads[1], pads[3]), (0, 0)))
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    height, width = ((padded.shape[1 + i] - reach[i]) // strides[i] + 1 for i in range(2))
    taps = np.zeros((len(image), height, width, *kernel, image.shape[3]), np.float32)
    for y in range(kernel[0]):
        for x in range(kernel[1]):
            rows = slice(y * dilations[0], y * dilations[0] + (height - 1) * strides[0] + 1, strides[0])
            columns = slice(x * dilations[1], x * dilations[1] + (width - 1) * strides[1] + 1, strides[1])
            taps[:, :, :, y, x] = padded[:, rows, columns]
    return taps


def convolution(image, weights, bias=None, strides=(1, 1), pads=(0, 0, 0, 0), dilations=(1, 1), groups=1):
    outputs, height, width, channels = weights.shape
    taps = windows(image, (height, width), strides, pads, dilations)
    if groups > 1:
        return grouped(taps, weights, bias, groups)
    positions = int(np.prod(taps.shape[:3]))
    if channels < BLOCK and height * width > 1:
        left, right = to_blocks(taps.reshape(positions, -1)), to_blocks(weights.reshape(outputs, -1))
    else:
        left, right = joined(to_blocks(taps), positions), joined(to_blocks(weights), outputs)
    result = multiply(left, right).reshape(*taps.shape[:3], outputs)
    return result if bias is None else add(result, bias)


def joined(blocks, rows):
    """The blocks of all taps of a row, one after another."""
    return blocks[0].reshape(rows, -1, BLOCK), blocks[1].reshape(rows, -1)


def grouped(taps, weights, bias, groups):
    """In binary64, beginning with the bias, rounded once."""
    outputs, channels = len(weights), weights.shape[3]
    sums = np.zeros((*taps.shape[:3], outputs)) + (0 if bias is None else bias.astype(np.float64))
    for output in range(outputs):
        first = output // (outputs // groups) * channels
        for y in range(weights.shape[1]):
            for x in range(weights.shape[2]):
                for c in range(channels):
                    sums[..., output] += taps[..., y, x, first + c].astype(np.float64) * float(weights[output, y, x, c])
    return sums.astype(np.float32)


def transposed_convolution(image, weights, bias, strides, pads, dilations, output_padding):
    """Weights are [I,KH,KW,O]: those of the convolution whose transposition it is."""
    count, height, width, channels = image.shape
    spread = np.zeros((count, (height - 1) * strides[0] + 1, (width - 1) * strides[1] + 1, channels), np.float32)
    spread[:, :: strides[0], :: strides[1]] = image
    kernel = weights.shape[1:3]
    reach = [(k - 1) * d for k, d in zip(kernel, dilations, strict=True)]
    around = [reach[0] - pads[0], reach[1] - pads[1]]
    around += [reach[0] - pads[2] + output_padding[0], reach[1] - pads[3] + output_padding[1]]
    cut = [max(0, -amount) for amount in around]
    spread = spread[:, cut[0] : spread.shape[1] - cut[2], cut[1] : spread.shape[2] - cut[3]]
    turned = weights[:, ::-1, ::-1].transpose(3, 1, 2, 0)
    return convolution(spread, turned, bias, (1, 1), [max(0, amount) for amount in around], dilations)
