# SPDX-License-Identifier: Apache-2.0
"""Post-training quantization of a float network to int8, TensorFlow Lite's scheme. Needs numpy."""

import numpy as np

from fixed_point import quantize_multiplier, round_half_away


def activation_params(low, high):
    """Scale and zero point of an int8 tensor that holds [low, high]; 0.0 is always exact."""
    low, high = min(float(low), 0.0), max(float(high), 0.0)
    scale = float(np.float32((high - low) / 255.0))
    zero_point = round_half_away(-128 - low / scale)
    return scale, max(-128, min(127, zero_point))


def quantize_layer(layer, weights, bias):
    """Adds weights, bias, multiplier, shift and weight_scale to a conv or dense layer that has its scales already.

    weights: float array, output channel first, the rest in the order of the blob.
    """
    rows = np.asarray(weights, np.float64).reshape(len(weights), -1)
    layer["weights_shape"] = list(np.shape(weights))
    layer["weight_scale"], layer["weights"], layer["bias"] = [], [], []
    layer["multiplier"], layer["shift"] = [], []
    for row, offset in zip(rows, np.asarray(bias, np.float64)):
        peak = float(np.abs(row).max())
        scale = float(np.float32(peak / 127.0)) if peak > 0 else 1.0
        multiplier, shift = quantize_multiplier(layer["input_scale"] * scale / layer["output_scale"])
        layer["weight_scale"].append(scale)
        layer["weights"].extend(max(-127, min(127, round_half_away(value / scale))) for value in row)
        layer["bias"].append(round_half_away(offset / (layer["input_scale"] * scale)))
        layer["multiplier"].append(multiplier)
        layer["shift"].append(shift)
