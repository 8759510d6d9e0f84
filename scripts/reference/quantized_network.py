# SPDX-License-Identifier: Apache-2.0
"""Post-training quantization of a trained network to int8, by the rules of TensorFlow Lite's specification."""

import numpy as np
import torch

from networks import forward
from scale import Scale


def float32(value):
    return float(np.float32(value))


def activation_scale(low, high):
    """int8 over [low, high], widened to include zero."""
    low, high = min(low, 0.0), max(high, 0.0)
    scale = float32((high - low) / 255)
    return Scale(scale, int(np.clip(round(-128 - low / scale), -128, 127)))


def quantized(values, scale, zero_point, low=-128, high=127, kind=np.int8):
    return np.clip(np.rint(np.asarray(values, np.float64) / scale) + zero_point, low, high).astype(kind)


def activation_scales(layers, pictures):
    """Scale of every tensor by name, from its range over the pictures."""
    tensors = {}
    with torch.no_grad():
        forward(layers, torch.from_numpy(pictures[:, None]), tensors)
    scales = {name: activation_scale(values.min().item(), values.max().item()) for name, values in tensors.items()}
    for layer in layers:
        if layer.kind == "flatten":  # moves bytes
            scales[layer.name] = scales[layer.inputs[0]]
    return scales


def quantize_weights(layer, input_scale):
    """int8 weights, their scales (one per output channel, one for dense layers), and the int32 bias."""
    weight, bias = (layer.values[name].numpy().astype(np.float64) for name in ("weight", "bias"))
    rows = np.abs(weight.reshape(len(weight), -1))
    largest = rows.max(axis=1) if layer.kind != "dense" else np.full(1, rows.max())
    scales = np.array([float32(value / 127) for value in np.maximum(largest, 1e-6)])
    spread = scales.reshape(-1, *[1] * (weight.ndim - 1))
    return (
        quantized(weight, spread, 0, -127),
        scales,
        quantized(bias, input_scale * scales, 0, -(2**31), 2**31 - 1, np.int32),
    )
