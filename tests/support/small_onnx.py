# SPDX-License-Identifier: Apache-2.0
"""Small ONNX files, written without the onnx package."""

import numpy as np

FLOAT, INT64 = 1, 7


def _number(value):
    """A varint."""
    text = bytearray()
    value &= (1 << 64) - 1
    while value > 0x7F:
        text.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(text) + bytes([value])


def _whole(field, value):
    return _number(field << 3) + _number(value)


def _bytes(field, value):
    value = value.encode() if isinstance(value, str) else value
    return _number(field << 3 | 2) + _number(len(value)) + value


def _attribute(name, value):
    if isinstance(value, int):
        return _bytes(1, name) + _whole(3, value) + _whole(20, 2)
    if isinstance(value, float):
        return _bytes(1, name) + _number(2 << 3 | 5) + np.float32(value).tobytes() + _whole(20, 1)
    return _bytes(1, name) + b"".join(_whole(8, v) for v in value) + _whole(20, 7)


def node(kind, inputs, output, domain="", **attributes):
    text = _bytes(7, domain) if domain else b""
    text += b"".join(_bytes(1, name) for name in inputs) + _bytes(2, output) + _bytes(3, output) + _bytes(4, kind)
    return text + b"".join(_bytes(5, _attribute(name, value)) for name, value in attributes.items())


def _tensor(name, array):
    kind = {np.dtype(np.float32): FLOAT, np.dtype(np.int64): INT64}[array.dtype]
    return b"".join(_whole(1, n) for n in array.shape) + _whole(2, kind) + _bytes(8, name) + _bytes(9, array.tobytes())


def _value(name, shape, kind=FLOAT):
    sizes = b"".join(_bytes(1, _whole(1, size)) for size in shape)
    return _bytes(1, name) + _bytes(2, _bytes(1, _whole(1, kind) + _bytes(2, sizes)))


def model(nodes, constants, inputs, outputs, types=None):
    """Bytes of a file: nodes in order, constants by name, inputs and outputs as {name: shape} of float32; types are
    those of inputs of another type."""
    graph = b"".join(_bytes(1, one) for one in nodes) + _bytes(2, "test")
    graph += b"".join(_bytes(5, _tensor(name, array)) for name, array in constants.items())
    types = types or {}
    graph += b"".join(_bytes(11, _value(name, shape, types.get(name, FLOAT))) for name, shape in inputs.items())
    graph += b"".join(_bytes(12, _value(name, shape)) for name, shape in outputs.items())
    return _whole(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, "") + _whole(2, 17))
