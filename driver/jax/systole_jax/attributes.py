# SPDX-License-Identifier: Apache-2.0
"""Attributes and types of MLIR operations as Python's numbers, lists and NumPy's arrays."""
import re

import numpy as np
from jaxlib.mlir import ir

from systole_jax.refusal import Refusal
from systole_jax.program_values import NUMPY, TYPES


#: JAX's names of types that the device does not have.
NAMES = {"f64": "float64", "complex<f32>": "complex64", "complex<f64>": "complex128", "i4": "int4", "ui4": "uint4"}
NAMES.update({"i2": "int2", "ui2": "uint2"})


def type_of(value):
    """The type and shape of a value of MLIR."""
    return type_and_shape(value.type)


def type_and_shape(type):
    if not isinstance(type, ir.RankedTensorType):
        raise Refusal("values of type %s; the device has dense arrays" % type)
    tensor = ir.RankedTensorType(type)
    name = str(tensor.element_type)
    if name not in TYPES:
        advice = "; float32 is what JAX makes unless jax_enable_x64 is set" if name == "f64" else ""
        raise Refusal(
            "elements of %s; the device has float32, float16, bfloat16, integers of 8 to 64 bits and bool%s"
            % (NAMES.get(name, name), advice)
        )
    if not tensor.has_static_shape:
        raise Refusal("an array of unknown size; sizes must be known when the program is compiled")
    return TYPES[name][0], tuple(tensor.shape)


def has(op, name):
    return name in op.attributes


def number(op, name, default=None):
    if name not in op.attributes:
        return default
    return ir.IntegerAttr(op.attributes[name]).value


def numbers(op, name, default=None):
    """A list of integers."""
    if name not in op.attributes:
        return default
    return list(ir.DenseI64ArrayAttr(op.attributes[name]))


def pairs(op, name, default=None):
    """A list of pairs of integers."""
    if name not in op.attributes:
        return default
    attribute = ir.DenseIntElementsAttr(op.attributes[name])
    size = ir.RankedTensorType(attribute.type).shape[0]
    if attribute.is_splat:
        return [[attribute[0]] * 2 for _ in range(size)] if size else []
    return [[attribute[2 * i], attribute[2 * i + 1]] for i in range(size)]


def flags(op, name, default):
    if name not in op.attributes:
        return default
    return list(ir.DenseBoolArrayAttr(op.attributes[name]))


def flag(op, name):
    return name in op.attributes and ir.BoolAttr(op.attributes[name]).value


def word(op, name):
    """The last word of an attribute that is one of a few."""
    return re.search(r"(\w+)\W*$", str(op.attributes[name])).group(1)


def text(op, name):
    return ir.StringAttr(op.attributes[name]).value


def bits_of_bfloat16(attribute):
    """The bits of elements of bfloat16. The bindings do not read them: they are printed, and read as another type."""
    text = str(attribute)
    if '"0x' in text:  # many elements are one string of bits
        return np.array(ir.Attribute.parse(text.replace("bf16>", "i16>"), attribute.context)).view(np.uint16)
    text = re.sub(r"0x([0-9A-F]{4})\b", r"0x\g<1>0000", text)  # infinities and NaNs
    floats = np.array(ir.Attribute.parse(text.replace("bf16>", "f32>"), attribute.context))
    return ((floats.view(np.uint32) + 0x8000) >> 16).astype(np.uint16)  # what is printed is near


def elements(attribute):
    """The elements of a dense attribute, and its type; those of bfloat16 are bits."""
    type, shape = type_and_shape(attribute.type)
    if type == "bfloat16":  # which NumPy does not have
        array = bits_of_bfloat16(attribute)
    else:
        array = np.array(attribute).astype(NUMPY[type], copy=False)
    return np.full(shape, array.reshape(-1)[0]) if attribute.is_splat else array.reshape(shape), type
