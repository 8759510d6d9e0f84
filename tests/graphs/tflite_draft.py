# SPDX-License-Identifier: Apache-2.0
"""Tensors of TensorFlow Lite with their quantization, and steps of one operator."""

SCALES = (0.05, 0.1, 0.0123, 0.25, 0.003, 1.0, 0.0371)
NONE, RELU, RELU6 = 0, 1, 3  # ActivationFunctionType
SAME, VALID = 0, 1  # Padding


def image_shape(d):
    """N, H, W, C of a small image."""
    channels = d.size(max(1, min(48, d.elements)))
    left = max(1, d.elements // channels)
    height = d.size(min(20, left))
    width = d.size(max(1, min(20, left // height)))
    return d.choices.integer(1, max(1, min(3, left // (height * width)))), height, width, channels


def scale(d, dtype):
    """A random scale and zero point of the type."""
    if dtype == "int16":
        return d.choices.pick((2.0**-12, 0.0003, 2.0**-15, 0.001)), 0
    low, high = (-128, 127) if dtype == "int8" else (0, 255)
    zero = d.choices.weighted([(0, 25), (low, 10), (high, 10), (None, 55)])
    zero = d.choices.integer(low, high) if zero is None else zero
    return d.choices.pick(SCALES), min(max(zero, low), high)


def quantized(d, name):
    """Gives a tensor a quantization if it has none; the tensor."""
    if name not in d.graph.scales:
        d.graph.scales[name] = scale(d, d[name].dtype)
    return name


def operand(d, types=None, ranks=range(1, 6), shape=None, accept=lambda t: True):
    types = types or d.types
    return quantized(d, d.operand(types=types, ranks=ranks, shape=shape, accept=accept))


def like(d, x, shape=None, same_scale=False):
    """Another operand of the type of x; with its scale too, if that is asked for."""
    name = d.like(x, shape)
    if same_scale and d.graph.scales.get(name, d.graph.scales[x]) != d.graph.scales[x]:
        name = d.input(d[x].dtype, d[name].shape)
    if same_scale:
        d.graph.scales[name] = d.graph.scales[x]
    return quantized(d, name)


def emit(d, kind, inputs, results, options=None, version=1, scales=None, **fields):
    """A step of one operator. `scales`: those of the results; by default random ones."""
    names = d.add(kind, inputs, results, options=options, version=version, **fields)
    for i, name in enumerate(names):
        if d[name].dtype in ("int8", "uint8", "int16"):
            d.graph.scales[name] = scales[i] if scales else scale(d, d[name].dtype)
    return names


def moved(d, x, kind, inputs, shape, options=None, version=1, **fields):
    """A step whose result has the quantization of x."""
    return emit(d, kind, inputs, [(d[x].dtype, shape)], options, version, [d.graph.scales[x]], **fields)
