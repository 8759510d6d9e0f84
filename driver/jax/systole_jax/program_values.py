# SPDX-License-Identifier: Apache-2.0
"""The values of a program while it is translated, and the parts that become graphs."""
import numpy as np

from systole._systole import JaxBuilder

#: The types of StableHLO that the device has, with Systole's and NumPy's names. NumPy has no bfloat16; its bits are
#: kept.
TYPES = {
    "f32": ("float32", np.float32),
    "f16": ("float16", np.float16),
    "bf16": ("bfloat16", np.uint16),
    "i1": ("bool", np.bool_),
    "i8": ("int8", np.int8),
    "i16": ("int16", np.int16),
    "i32": ("int32", np.int32),
    "i64": ("int64", np.int64),
    "ui8": ("uint8", np.uint8),
    "ui16": ("uint16", np.uint16),
    "ui32": ("uint32", np.uint32),
    "ui64": ("uint64", np.uint64),
}
NUMPY = dict(TYPES.values())
SMALL_FLOATS = ("float16", "bfloat16")
FLOATS = ("float32",) + SMALL_FLOATS


def count(shape):
    """The number of elements."""
    return int(np.prod(shape, dtype=np.int64))


def inverse(order):
    """The permutation that undoes a transposition: the place of each axis in `order`."""
    return [int(at) for at in np.argsort(order)]


def bits(type):
    return 16 if type in SMALL_FLOATS else 8 * np.dtype(NUMPY[type]).itemsize


class Value:
    """A tensor of a routine. It is in a block, under `id`, or in a register, or both. There, an axis may have size 1
    that has another size in `shape`: its elements are the same for all indices of the axis."""

    def __init__(self, routine, type, shape, block=None, id=None, register=None, held=None):
        self.routine, self.type, self.shape = routine, type, tuple(shape)
        self.block, self.id, self.register = block, id, register
        self.held = tuple(shape) if held is None else tuple(held)
        self.made_by = None  # a pattern that a later rule looks for
        self.rectified = None  # max(value, 0), if the program has computed it

    @property
    def is_empty(self):
        return 0 in self.shape

    @property
    def is_constant(self):
        """Whether its elements are known now."""
        return self.block is not None and self.block.builder.is_constant(self.id)

    def copied_to(self, routine):
        """A constant, in the current block of a routine."""
        block = routine.current_block()
        id = block.builder.constant(self.type, list(self.held), self.block.builder.elements(self.id))
        return Value(routine, self.type, self.shape, block, id, None, self.held)


class Block:
    """A graph in the making. Its inputs and outputs are registers of its routine."""

    def __init__(self, routine, name):
        self.routine = routine
        self.builder = JaxBuilder(name)
        self.inputs, self.outputs = {}, {}  # id of a tensor by register, and register by id of a tensor

    def id_of(self, value):
        """The tensor of a value of the routine in this block."""
        if value.block is self:
            return value.id
        if value.is_constant:
            return value.copied_to(self.routine).id
        register = value.routine.register_of(value)
        if register not in self.inputs:
            self.inputs[register] = self.builder.input("in%d" % register, value.type, list(value.held))
        return self.inputs[register]

    def output(self, id, register):
        """Gives the tensor to a register."""
        self.outputs[register] = id
