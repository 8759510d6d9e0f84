# SPDX-License-Identifier: Apache-2.0
"""Reads digits.json and digits.bin and checks that they describe a legal network. Standard library only.

The format is documented in README.md beside this file.
"""

import hashlib
import json
import math
import struct
from pathlib import Path

from fixed_point import INT32_MAX, INT32_MIN, quantize_multiplier

FORMAT, VERSION = "systole-digits", 1
JSON_NAME, BLOB_NAME = "digits.json", "digits.bin"
PICTURES_NAME, LABELS_NAME = "pictures-images-idx3-ubyte", "pictures-labels-idx1-ubyte"
DATA_DIR = Path(__file__).resolve().parents[2] / "driver" / "models" / "digits" / "data"

# Blob sections of a layer with weights, in the order in which they lie: name, struct code, bytes an element.
SECTIONS = (("weights", "b", 1), ("bias", "i", 4), ("multiplier", "i", 4), ("shift", "b", 1))


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def section_lengths(layer):
    """Elements of each blob section of a conv or dense layer."""
    weights = math.prod(layer["weights_shape"])
    channels = layer["weights_shape"][0]
    return {"weights": weights, "bias": channels, "multiplier": channels, "shift": channels}


def load(data_dir=DATA_DIR):
    """The description; each layer with weights also has its blob sections as lists of int, under their names."""
    data_dir = Path(data_dir)
    net = json.loads((data_dir / JSON_NAME).read_text(encoding="utf-8"))
    blob = (data_dir / net["blob"]).read_bytes()
    for layer in net["layers"]:
        if layer["type"] == "maxpool":
            continue
        lengths = section_lengths(layer)
        for name, code, size in SECTIONS:
            begin = layer[name + "_offset"]
            end = begin + lengths[name] * size
            if begin < 0 or end > len(blob) or begin % size:
                raise ValueError(
                    f"{layer['name']}.{name}: bytes {begin}..{end} do not fit the blob of {len(blob)} bytes"
                )
            layer[name] = list(struct.unpack(f"<{lengths[name]}{code}", blob[begin:end]))
    return net


def _output_shape(layer):
    """The output shape that the other fields of the layer imply."""
    if layer["type"] == "dense":
        return [layer["weights_shape"][0]]
    height, width, channels = layer["input_shape"]
    top, bottom, left, right = layer["padding"]
    out_height = (height + top + bottom - layer["kernel"][0]) // layer["stride"][0] + 1
    out_width = (width + left + right - layer["kernel"][1]) // layer["stride"][1] + 1
    return [out_height, out_width, layer["weights_shape"][0] if layer["type"] == "conv" else channels]


def _layer_problems(layer):
    name = layer["name"]
    if layer["output_shape"] != _output_shape(layer):
        yield f"{name}: output_shape {layer['output_shape']}, its fields imply {_output_shape(layer)}"
    if not (layer["input_scale"] > 0 and layer["output_scale"] > 0):
        yield f"{name}: scales {layer['input_scale']}, {layer['output_scale']} are not both positive"
        return
    for side in ("input", "output"):
        if not -128 <= layer[side + "_zero_point"] <= 127:
            yield f"{name}: {side}_zero_point {layer[side + '_zero_point']} outside -128..127"
    if not -128 <= layer["clamp_min"] < layer["clamp_max"] <= 127:
        yield f"{name}: clamp {layer['clamp_min']}..{layer['clamp_max']} is not a range within -128..127"
    if layer["type"] == "maxpool":
        if (layer["input_scale"], layer["input_zero_point"]) != (layer["output_scale"], layer["output_zero_point"]):
            yield f"{name}: max pooling cannot change the quantization"
        return
    inputs = math.prod(layer["weights_shape"][1:])
    expected = (
        math.prod(layer["input_shape"])
        if layer["type"] == "dense"
        else math.prod(layer["kernel"]) * layer["input_shape"][2]
    )
    if inputs != expected:
        yield f"{name}: {inputs} weights an output channel, the input needs {expected}"
    if len(layer["weight_scale"]) != len(layer["bias"]):
        yield f"{name}: {len(layer['weight_scale'])} weight scales for {len(layer['bias'])} output channels"
    if min(layer["weights"]) < -127:
        yield f"{name}: weight -128 found, symmetric int8 is -127..127"
    per_channel = zip(layer["weight_scale"], layer["multiplier"], layer["shift"], layer["bias"])
    for channel, (scale, multiplier, shift, bias) in enumerate(per_channel):
        wanted = quantize_multiplier(layer["input_scale"] * scale / layer["output_scale"])
        if (multiplier, shift) != wanted:
            yield f"{name}[{channel}]: multiplier, shift {multiplier, shift}, the scales give {wanted}"
        row = layer["weights"][channel * inputs : (channel + 1) * inputs]
        reach = abs(bias) + 255 * sum(map(abs, row))
        if reach > INT32_MAX or not INT32_MIN <= bias <= INT32_MAX:
            yield f"{name}[{channel}]: the sum can reach {reach}, beyond int32"


def problems(net, data_dir=DATA_DIR):
    """All inconsistencies as sentences; empty for a consistent network."""
    found = []
    if (net["format"], net["version"]) != (FORMAT, VERSION):
        found.append(f"format {net['format']} version {net['version']}, expected {FORMAT} version {VERSION}")
    for name, digest in net["sha256"].items():
        actual = sha256(Path(data_dir) / name)
        if actual != digest:
            found.append(f"{name}: sha256 {actual}, the description says {digest}")
    previous = {
        "output_shape": net["input_shape"],
        "output_scale": net["input_scale"],
        "output_zero_point": net["input_zero_point"],
    }
    for layer in net["layers"]:
        for key in ("shape", "scale", "zero_point"):
            if layer["input_" + key] != previous["output_" + key]:
                found.append(
                    f"{layer['name']}: input_{key} {layer['input_' + key]} differs from its producer's "
                    f"{previous['output_' + key]}"
                )
        found.extend(_layer_problems(layer))
        previous = layer
    return found


def pack_blob(layers):
    """Lays the sections of all layers into one blob, sets their offsets in the layers, and returns the bytes."""
    blob = bytearray()
    for layer in layers:
        if layer["type"] == "maxpool":
            continue
        for name, code, _ in SECTIONS:
            blob.extend(bytes(-len(blob) % 4))  # every section starts on a word
            layer[name + "_offset"] = len(blob)
            blob.extend(struct.pack(f"<{len(layer[name])}{code}", *layer[name]))
    blob.extend(bytes(-len(blob) % 4))
    return bytes(blob)
