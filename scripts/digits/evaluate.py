# SPDX-License-Identifier: Apache-2.0
"""Evaluates the quantized network in exact integers: classify() in plain Python, classify_many() in numpy.

The two are written separately so that each checks the other; neither knows anything of the machine.
"""

from operator import mul

from fixed_point import requantize


def _dot_rows(patch, layer, rows):
    """All output channels of one position: int32 sums of the patch with each weight row, requantized."""
    params = zip(rows, layer["bias"], layer["multiplier"], layer["shift"])
    zero_point, low, high = layer["output_zero_point"], layer["clamp_min"], layer["clamp_max"]
    return [
        requantize(bias + sum(map(mul, patch, row)), multiplier, shift, zero_point, low, high)
        for row, bias, multiplier, shift in params
    ]


def _weight_rows(layer):
    channels = layer["weights_shape"][0]
    size = len(layer["weights"]) // channels
    return [layer["weights"][n * size : (n + 1) * size] for n in range(channels)]


def _window(layer, out_y, out_x):
    """Input rows and columns of one output position, None where it lies in the padding."""
    height, width = layer["input_shape"][:2]
    first_y = out_y * layer["stride"][0] - layer["padding"][0]
    first_x = out_x * layer["stride"][1] - layer["padding"][2]
    for y in range(first_y, first_y + layer["kernel"][0]):
        for x in range(first_x, first_x + layer["kernel"][1]):
            yield (y * width + x) if 0 <= y < height and 0 <= x < width else None


def _run_spatial(layer, data):
    channels = layer["input_shape"][2]
    pixels = [data[i : i + channels] for i in range(0, len(data), channels)]
    is_conv = layer["type"] == "conv"
    rows = _weight_rows(layer) if is_conv else None
    zero = [0] * channels
    result = []
    if is_conv:
        pixels = [[value - layer["input_zero_point"] for value in pixel] for pixel in pixels]
    for out_y in range(layer["output_shape"][0]):
        for out_x in range(layer["output_shape"][1]):
            places = _window(layer, out_y, out_x)
            if is_conv:  # padding reads the input zero point, that is 0 after subtracting it
                patch = []
                for place in places:
                    patch.extend(zero if place is None else pixels[place])
                result.extend(_dot_rows(patch, layer, rows))
            else:  # padding never wins
                best = map(max, zip(*(pixels[place] for place in places if place is not None)))
                result.extend(max(layer["clamp_min"], min(layer["clamp_max"], value)) for value in best)
    return result


def logits(net, picture):
    """int8 outputs of the last layer for one picture of raw 0..255 bytes."""
    data = [value + net["input_zero_point"] for value in picture]
    for layer in net["layers"]:
        if layer["type"] == "dense":
            data = _dot_rows([value - layer["input_zero_point"] for value in data], layer, _weight_rows(layer))
        else:
            data = _run_spatial(layer, data)
    return data


def classify(net, picture):
    """The digit: index of the greatest output, the first one on a tie."""
    outputs = logits(net, picture)
    return outputs.index(max(outputs))


def _requantize_many(np, acc, layer):
    """requantize() on an int64 array whose last axis is the channel."""
    shift = np.array(layer["shift"], np.int64)
    multiplier = np.array(layer["multiplier"], np.int64)
    shifted = np.clip(acc << np.maximum(shift, 0), -(2**31), 2**31 - 1)
    high = (shifted * multiplier + (1 << 30)) >> 31
    right = np.maximum(-shift, 0)
    mask = (np.int64(1) << right) - 1
    value = (high >> right) + ((high & mask) > (mask >> 1) + (high < 0))
    return np.clip(value + layer["output_zero_point"], layer["clamp_min"], layer["clamp_max"])


def _multiply(np, patches, layer):
    """Matrix product in float64 (fast BLAS): exact, because every partial sum is an integer far below 2^53."""
    weights = np.array(layer["weights"], np.float64).reshape(layer["weights_shape"][0], -1)
    acc = (patches.astype(np.float64) @ weights.T).astype(np.int64) + np.array(layer["bias"], np.int64)
    if acc.min() < -(2**31) or acc.max() > 2**31 - 1:
        raise OverflowError(f"{layer['name']}: a sum leaves int32")
    return acc


def _windows_many(np, layer, data, fill):
    """Array [image, out_y, out_x, ky, kx, channel] of the input windows, padding replaced by fill."""
    top, bottom, left, right = layer["padding"]
    padded = np.pad(data, ((0, 0), (top, bottom), (left, right), (0, 0)), constant_values=fill)
    view = np.lib.stride_tricks.sliding_window_view(padded, tuple(layer["kernel"]), axis=(1, 2))
    view = view[:, :: layer["stride"][0], :: layer["stride"][1]]
    return view.transpose(0, 1, 2, 4, 5, 3)


def logits_many(net, pictures):
    """int8 outputs [image, output] for a numpy array of raw 0..255 pictures [image, height, width]."""
    import numpy as np  # only here: the plain half of this file must work without numpy

    data = pictures.astype(np.int64).reshape(-1, *net["input_shape"]) + net["input_zero_point"]
    for layer in net["layers"]:
        if layer["type"] == "maxpool":
            windows = _windows_many(np, layer, data, -128)
            data = np.clip(windows.max(axis=(3, 4)), layer["clamp_min"], layer["clamp_max"])
            continue
        if layer["type"] == "conv":
            patches = _windows_many(np, layer, data - layer["input_zero_point"], 0)
            patches = patches.reshape(*patches.shape[:3], -1)
        else:
            patches = (data - layer["input_zero_point"]).reshape(len(data), -1)
        data = _requantize_many(np, _multiply(np, patches, layer), layer)
    return data


def classify_many(net, pictures, batch=100):
    """The digit of every picture of a numpy array [image, height, width]."""
    return [
        int(digit)
        for begin in range(0, len(pictures), batch)
        for digit in logits_many(net, pictures[begin : begin + batch]).argmax(axis=1)
    ]
