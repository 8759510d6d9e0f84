# SPDX-License-Identifier: Apache-2.0
"""What the rules for StableHLO are written in: operators on values, appended to the current block of a routine."""
import numpy as np

from systole_jax.noted_patterns import Product
from systole_jax.program_values import FLOATS, NUMPY, SMALL_FLOATS, Value, count

NARROW = ("int8", "uint8", "int16", "uint16")


class Operators:
    """Operands of one operator have shapes of one rank that NumPy would broadcast, or rank 0."""

    def __init__(self, routine, exact):
        self.routine = routine
        self.exact = exact  # whether products of floats are not in blocks

    @property
    def b(self):
        return self.routine.current_block().builder

    def id(self, value):
        """The tensor of a value, in which axes may have size 1 for a larger one."""
        return self.routine.current_block().id_of(self.routine.own(value))

    def value(self, id, shape=None):
        """The value of a tensor of the current block."""
        held = tuple(self.b.shape(id))
        block = self.routine.current_block()
        return Value(self.routine, self.b.type(id), held if shape is None else shape, block, id, None, held)

    # Constants.

    def constant(self, array, type=None):
        """A value with the elements of an array; for bfloat16, with these bits."""
        array = np.asarray(array)
        type = str(array.dtype) if type is None else type
        elements = np.ascontiguousarray(array, NUMPY[type])
        held = array.shape
        if array.size > 1:
            raw = elements.reshape(-1).view(np.uint8).reshape(array.size, -1)
            if (raw == raw[0]).all():
                held, elements = (1,) * array.ndim, elements.reshape(-1)[:1]
        return self.value(self.b.constant(type, list(held), elements.tobytes()), array.shape)

    def empty(self, type, shape):
        return self.constant(np.zeros(shape, NUMPY[type]), type)

    def scalar(self, type, number, shape=()):
        """A value with the same number everywhere."""
        if type == "bfloat16":
            elements = (np.asarray(number, np.float32).reshape(1).view(np.uint32) >> 16).astype(np.uint16)
        else:
            elements = np.asarray(number).astype(NUMPY[type])
        if 0 in shape:
            return self.empty(type, shape)
        return self.value(self.b.constant(type, [1] * len(shape), elements.tobytes()), shape)

    def elements_of(self, value):
        """The elements of a value that are known now, as an array of `value.held`, else None."""
        id = self.id(value)
        if not self.b.is_constant(id):
            return None
        return np.frombuffer(self.b.elements(id), NUMPY[value.type]).reshape(value.held)

    def number_of(self, value):
        """The number that a value is everywhere, if it is known now, else None."""
        if value.is_empty or count(value.held) != 1 or value.type == "bfloat16":
            return None
        elements = self.elements_of(value)
        return None if elements is None else elements.reshape(-1)[0]

    # Element by element.

    def _elementwise(self, append, values, type=None):
        shape = np.broadcast_shapes(*(value.shape for value in values))
        if 0 in shape:
            return self.empty(type or values[-1].type, shape)
        return self.value(append(*map(self.id, values)), shape)

    def unary(self, kind, x, alpha=0.0, beta=0.0):
        if x.type in SMALL_FLOATS and kind not in ("is nan", "is infinite"):
            return self.convert(self.unary(kind, self.convert(x, "float32"), alpha, beta), x.type)
        tests = "bool" if kind in ("is nan", "is infinite") else None
        return self._elementwise(lambda id: self.b.unary(kind, id, alpha, beta), [x], tests)

    def binary(self, kind, x, y):
        if x.type in SMALL_FLOATS:
            result = self.binary(kind, self.convert(x, "float32"), self.convert(y, "float32"))
            return result if result.type == "bool" else self.convert(result, x.type)
        compares = "bool" if kind in ("equal", "less", "less or equal") else None
        return self._elementwise(lambda a, b: self.b.binary(kind, a, b), [x, y], compares)

    def select(self, condition, a, b):
        return self._elementwise(self.b.select, [condition, a, b])

    def convert(self, x, type):
        if x.type == type:
            return x
        if type == "bool":
            zero = self.scalar(x.type, 0, (1,) * len(x.shape))
            return self.negation(self.binary("equal", x, zero))
        if x.type in FLOATS and type in NARROW:  # the device rounds to these types with a scale only
            limits = np.iinfo(NUMPY[type])
            whole = self.with_number("maximum", self.convert(x, "int32"), limits.min)
            return self.convert(self.with_number("minimum", whole, limits.max), type)
        if x.type in FLOATS and type in ("uint32", "uint64"):  # below 0 there is 0
            x = self.with_number("maximum", x, 0)
        if x.type in NARROW and type in FLOATS:
            return self.convert(self.convert(x, "int32"), type)
        return self._elementwise(lambda id: self.b.convert(id, type), [x], type)

    def reinterpret(self, x, type):
        """The same bits as elements of another type of the same size."""
        return x if x.type == type else self._elementwise(lambda id: self.b.reinterpret(id, type), [x], type)

    def negation(self, x):
        return self.unary("not", x)

    def with_number(self, kind, x, number):
        """A function of a value and a number."""
        return self.binary(kind, x, self.scalar(x.type, number, (1,) * len(x.shape)))

    # Moves.

    def dense(self, x):
        """The same value, all of whose elements are in its tensor."""
        if x.held == x.shape:
            return x
        if x.is_empty:
            return self.empty(x.type, x.shape)
        elements = self.elements_of(x)
        if elements is not None:
            full = np.ascontiguousarray(np.broadcast_to(elements, x.shape))
            return self.value(self.b.constant(x.type, list(x.shape), full.tobytes()))
        id = self.id(x)
        for axis, (held, size) in enumerate(zip(x.held, x.shape)):
            if held != size:
                zeros = self.b.constant("int32", [size], np.zeros(size, np.int32).tobytes())
                id = self.b.gather(id, zeros, axis)
        return self.value(id)

    def reshape(self, x, shape):
        shape = tuple(shape)
        if x.shape == shape:
            return x
        if x.is_empty:
            return self.empty(x.type, shape)
        if count(x.held) == 1:
            return self.value(self.b.reshape(self.id(x), [1] * len(shape)), shape)
        if x.held != x.shape:  # axes of size 1 come and go around those that are held
            kept = [(h, s) for h, s in zip(x.held, x.shape) if s != 1]
            target = [s for s in shape if s != 1]
            if [s for _, s in kept] == target:
                rest = iter(kept)
                held = [1 if s == 1 else next(rest)[0] for s in shape]
                return self.value(self.b.reshape(self.id(x), held), shape)
        return self.value(self.b.reshape(self.id(self.dense(x)), list(shape)))

    def transpose(self, x, permutation):
        permutation = list(permutation)
        shape = tuple(x.shape[axis] for axis in permutation)
        if permutation == sorted(permutation):
            return x
        if x.is_empty:
            return self.empty(x.type, shape)
        held = [x.held[axis] for axis in permutation]
        if [axis for axis in permutation if x.held[axis] != 1] == [a for a in range(len(held)) if x.held[a] != 1]:
            return self.value(self.b.reshape(self.id(x), held), shape)
        return self.value(self.b.transpose(self.id(x), permutation), shape)

    def broadcast_in_dim(self, x, shape, dims):
        """Axis i of x becomes axis dims[i]; the others are new, and axes of size 1 stand for any size."""
        shape = tuple(shape)
        if 0 in shape:
            return self.empty(x.type, shape)
        order = sorted(range(len(dims)), key=lambda i: dims[i])
        x = self.transpose(x, order)
        held = [1] * len(shape)
        for at, axis in enumerate(order):
            held[dims[axis]] = x.held[at]
        return self.value(self.b.reshape(self.id(x), held), shape)

    def slice(self, x, begin, shape, step=None):
        step = [1] * len(shape) if step is None else list(step)
        shape = tuple(shape)
        if 0 in shape:
            return self.empty(x.type, shape)
        if shape == x.shape and all(s == 1 for s in step):
            return x
        begin = [0 if h == 1 else at for h, at in zip(x.held, begin)]
        step = [1 if h == 1 else s for h, s in zip(x.held, step)]
        held = [1 if h == 1 else size for h, size in zip(x.held, shape)]
        return self.value(self.b.slice(self.id(x), begin, step, held), shape)

    def part(self, x, axis, begin, size, step=1):
        """Every `step`-th of the slices of an axis."""
        at, shape, steps = [0] * len(x.shape), list(x.shape), [1] * len(x.shape)
        at[axis], shape[axis], steps[axis] = begin, size, step
        return self.slice(x, at, shape, steps)

    def reverse(self, x, axes):
        begin = [size - 1 if axis in axes else 0 for axis, size in enumerate(x.shape)]
        return self.slice(x, begin, x.shape, [-1 if axis in axes else 1 for axis in range(len(x.shape))])

    def concat(self, parts, axis):
        if all(part.is_empty for part in parts):
            shape = list(parts[0].shape)
            shape[axis] = sum(part.shape[axis] for part in parts)
            return self.empty(parts[0].type, shape)
        parts = [part for part in parts if not part.is_empty]
        if len(parts) == 1:
            return parts[0]
        return self.value(self.b.concat([self.id(self.dense(part)) for part in parts], axis))

    def pad(self, x, low, high, interior=None, number=0):
        """Puts a number around and between the elements. Negative sizes remove elements."""
        low, high = list(low), list(high)
        gaps = [0] * len(low) if interior is None else list(interior)
        shape = tuple(
            max(0, before + after + (size + (size - 1) * gap if size else 0))
            for before, after, size, gap in zip(low, high, x.shape, gaps)
        )
        if x.is_empty or 0 in shape:
            return self.scalar(x.type, number, shape)
        if any(gaps) and any(size > 1 for size, gap in zip(x.shape, gaps) if gap):
            split, after, wide = [], [], []
            for size, gap in zip(x.shape, gaps):
                split += [size, 1]
                after += [0, gap]
                wide.append(size * (gap + 1))
            x = self.reshape(x, split)
            x = self.value(self.b.pad(self.id(self.dense(x)), [0] * len(after), after, float(number)))
            x = self.reshape(x, wide)
            high = [size - gap for size, gap in zip(high, gaps)]
        if not any(low) and not any(high):
            return x
        if min(low + high) < 0:  # what is removed may be what was added
            around = [[max(0, size) for size in side] for side in (low, high)]
            x = self.pad(x, *around, None, number)
            return self.slice(x, [max(0, -size) for size in low], shape)
        return self.value(self.b.pad(self.id(self.dense(x)), low, high, float(number)))

    def iota(self, type, shape, axis):
        size = shape[axis]
        numbers = np.arange(size, dtype=np.float32 if type in SMALL_FLOATS else NUMPY[type])
        held = [size if i == axis else 1 for i in range(len(shape))]
        source = "float32" if type in SMALL_FLOATS else type
        line = self.value(self.b.constant(source, held, numbers.tobytes()), shape)
        return self.convert(line, type)

    # Sums, products and the like.

    def reduce(self, kind, x, axes):
        """The axes are removed."""
        shape = tuple(size for axis, size in enumerate(x.shape) if axis not in axes)
        if not axes or 0 in shape:
            return self.reshape(x, shape)
        if x.type in SMALL_FLOATS:
            return self.convert(self.reduce(kind, self.convert(x, "float32"), axes), x.type)
        return self.value(self.b.reduce(kind, self.id(self.dense(x)), list(axes)))

    def product(self, x, y, transpose_x, transpose_y, exact):
        """Of matrices, which are the last two axes. Only the second operand may be constant in block floating point."""
        if not exact and x.type == "float32" and x.is_constant and not y.is_constant:
            other = self.product(y, x, not transpose_y, not transpose_x, exact)
            last = len(other.shape) - 1
            return self.transpose(other, [*range(last - 1), last, last - 1])
        x, y = self.dense(x), self.dense(y)
        operands = [self.id(x), self.id(y)]
        result = self.weighted(lambda rows: self.b.product(operands + rows, transpose_x, transpose_y, not exact))
        if result.made_by is not None and len(result.shape) == 2:
            result.made_by.transposed = lambda: self.product(y, x, not transpose_y, not transpose_x, exact)
        return result

    def weighted(self, append):
        """A product, which `append` makes of the tensor of a row to add, or of none."""
        result = self.value(append([]))
        if result.type == "float32":
            result.made_by = Product(lambda row: append([row]))
        return result
