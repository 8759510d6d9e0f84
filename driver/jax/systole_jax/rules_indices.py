# SPDX-License-Identifier: Apache-2.0
"""Operators whose places are computed: slices, gathers and scatters."""
import numpy as np
from jaxlib.mlir.dialects import stablehlo

from systole_jax import attributes
from systole_jax.graph_operators import NARROW
from systole_jax.program_values import SMALL_FLOATS, count, inverse
from systole_jax.refusal import Refusal
from systole_jax.rules import rule
from systole_jax.rules_reductions import body_of


def as_index(o, value):
    """Indices as int32; those that it does not hold are the nearest that it holds."""
    if value.type in ("uint32", "uint64", "int64"):
        most = (1 << 31) - 1
        value = o.with_number("minimum", value, most)
        if value.type == "int64":
            value = o.with_number("maximum", value, -most)
    return o.convert(value, "int32")


def clamped(o, value, last):
    ones = (1,) * len(value.shape)
    low = o.binary("maximum", value, o.scalar("int32", 0, ones))
    return o.binary("minimum", low, o.scalar("int32", last, ones))


@rule("stablehlo.dynamic_slice")
def dynamic_slice(t, op, x):
    o, value = t.o, x[0]
    sizes = attributes.numbers(op, "slice_sizes")
    if 0 in sizes:
        return o.empty(value.type, sizes)
    for axis, (size, start) in enumerate(zip(sizes, x[1:])):
        whole = value.shape[axis]
        if size == whole:
            continue
        known = o.number_of(start)
        if known is not None:
            value = o.part(value, axis, min(max(int(known), 0), whole - size), size)
            continue
        first = o.reshape(clamped(o, as_index(o, start), whole - size), (1,))
        places = o.binary("add", o.iota("int32", (size,), 0), repeated(o, first, (size,)))
        value = o.value(o.b.gather(o.id(o.dense(value)), o.id(o.dense(places)), axis))
    return value


def repeated(o, value, shape):
    return o.broadcast_in_dim(o.reshape(value, ()), shape, [])


@rule("stablehlo.dynamic_update_slice")
def dynamic_update_slice(t, op, x):
    """Every element of the result is one of the operand or of the update; which, and of the update where, by axis."""
    o, (value, update), starts = t.o, x[:2], x[2:]
    if update.is_empty:
        return value
    inside, rank = None, len(value.shape)
    for axis, start in enumerate(starts):
        size, whole = update.shape[axis], value.shape[axis]
        if size == whole:
            continue
        known = o.number_of(start)
        if known is not None:
            first = min(max(int(known), 0), whole - size)
            places = o.constant(np.clip(np.arange(whole) - first, 0, size - 1).astype(np.int32))
            there = o.constant((np.arange(whole) >= first) & (np.arange(whole) < first + size))
        else:
            first = repeated(o, clamped(o, as_index(o, start), whole - size), (whole,))
            offset = o.binary("subtract", o.iota("int32", (whole,), 0), first)
            places = clamped(o, offset, size - 1)
            there = o.binary("equal", offset, places)
        if size == 1:
            update = repeated_along(o, update, axis, whole)
        else:
            update = o.value(o.b.gather(o.id(o.dense(update)), o.id(o.dense(places)), axis))
        there = o.broadcast_in_dim(there, (1,) * axis + (whole,) + (1,) * (rank - axis - 1), [axis])
        there = o.broadcast_in_dim(o.reshape(there, (whole,)), value.shape, [axis])
        inside = there if inside is None else o.binary("and", inside, there)
    return update if inside is None else o.select(inside, update, value)


def repeated_along(o, value, axis, size):
    """An axis of size 1 as one of this size, all of whose elements are the same."""
    shape = value.shape[:axis] + (size,) + value.shape[axis + 1 :]
    return o.broadcast_in_dim(value, shape, list(range(len(shape))))


class Rows:
    """An operand as a matrix: its axes in another order, of which the last ones together are a row."""

    def __init__(self, shape, rows, columns):
        self.shape, self.order = shape, rows + columns
        self.number = count([shape[axis] for axis in rows])
        self.length = count([shape[axis] for axis in columns])

    def as_rows(self, o, value):
        return o.reshape(o.transpose(o.dense(value), self.order), (self.number, self.length))

    def from_rows(self, o, value):
        return o.transpose(o.reshape(value, [self.shape[axis] for axis in self.order]), inverse(self.order))


class Slices(Rows):
    """The slices of an operand that a gather or a scatter is of: in rows, the axes of which a slice has a part or whose
    place is given come first, then those that slices have as a whole."""

    def __init__(self, shape, sizes, placed, batching):
        self.sizes = sizes
        moved = [axis for axis in range(len(shape)) if sizes[axis] != shape[axis] or axis in placed or axis in batching]
        self.rows = moved
        self.whole = [axis for axis in range(len(shape)) if axis not in moved]
        super().__init__(shape, moved, self.whole)
        self.of_one = count([sizes[axis] for axis in moved])  # rows of one slice
        self.steps, step = {}, 1
        for axis in reversed(moved):
            self.steps[axis], step = step, step * shape[axis]

    def offsets(self):
        """The rows of a slice, from its first: an array with an axis for each of `rows`."""
        total = np.zeros([self.sizes[axis] for axis in self.rows], np.int32)
        for at, axis in enumerate(self.rows):
            step = [1] * len(self.rows)
            step[at] = self.sizes[axis]
            total = total + (np.arange(self.sizes[axis], dtype=np.int32) * self.steps[axis]).reshape(step)
        return total


def first_rows(o, indices, vector, axes, slices, batch, clamps):
    """The first row of the slice of each index, and whether the slice is in the operand, None if all are."""
    total, inside = None, None
    shape = tuple(size for axis, size in enumerate(indices.shape) if axis != vector)
    for component, axis in enumerate(axes):
        place = indices
        if vector < len(indices.shape):
            place = o.part(indices, vector, component, 1)
        place = as_index(o, o.reshape(place, shape))
        last = slices.shape[axis] - slices.sizes[axis]
        if clamps:
            place = clamped(o, place, last)
        else:
            near = clamped(o, place, last)
            there = o.binary("equal", near, place)
            inside = there if inside is None else o.binary("and", inside, there)
            place = near
        part = o.with_number("multiply", place, slices.steps[axis])
        total = part if total is None else o.binary("add", total, part)
    for operand_axis, index_axis in batch:  # positions of the same batch in both
        at = index_axis - (1 if index_axis > vector else 0)
        part = o.iota("int32", shape, at)
        part = o.with_number("multiply", part, slices.steps[operand_axis])
        total = part if total is None else o.binary("add", total, part)
    return (o.scalar("int32", 0, shape) if total is None else total), inside


def row_indices(o, first, slices):
    """The rows of all slices: axes of the indices, then an axis for each of the slices' rows."""
    offsets = slices.offsets()
    shape = first.shape + offsets.shape
    rank = len(first.shape)
    spread = o.broadcast_in_dim(first, shape, list(range(rank)))
    more = o.broadcast_in_dim(o.constant(offsets), shape, list(range(rank, len(shape))))
    return o.binary("add", spread, more)


#: A row whose elements are all looked at to take one has at most so many.
LONGEST_ROW = 1 << 16


class OneOfEachRow(Rows):
    """Single elements of an operand, one of each row along the axis whose places are given, as a loss takes the number
    of the right class: an element is where its position in the row is the place, so that none is out of range."""

    def __init__(self, o, value, indices, vector, placed, sizes, batch):
        self.o = o
        batching = [axis for axis, _ in sorted(batch, key=lambda pair: pair[1])]
        rest = [axis for axis in range(len(value.shape)) if axis not in batching + placed]
        super().__init__(value.shape, batching + rest, placed)
        self.places = o.reshape(as_index(o, indices), (self.number, 1))

    @staticmethod
    def fits(value, indices, vector, placed, sizes, batch):
        free = [size for axis, size in enumerate(indices.shape) if axis != vector and axis not in [i for _, i in batch]]
        other = [
            size for axis, size in enumerate(value.shape) if axis not in placed and axis not in [a for a, _ in batch]
        ]
        if len(placed) != 1 or count(sizes) != 1 or count(free + other) != 1:
            return False
        return value.shape[placed[0]] <= LONGEST_ROW

    def where(self, clamps):
        o = self.o
        places = clamped(o, self.places, self.length - 1) if clamps else self.places
        places = o.broadcast_in_dim(places, (self.number, self.length), [0, 1])
        return o.binary("equal", o.iota("int32", (self.number, self.length), 1), places)

    def taken(self, value):
        """The elements, each the largest of its row where all others are less than any number."""
        o = self.o
        others = o.scalar(value.type, -np.inf, (1, 1))
        return o.reduce("max", o.select(self.where(True), self.as_rows(o, value), others), [1])

    def updated(self, kind, value, updates):
        o, rows = self.o, self.as_rows(self.o, value)
        updates = o.broadcast_in_dim(o.reshape(updates, (self.number, 1)), rows.shape, [0, 1])
        return self.from_rows(o, o.select(self.where(False), o.binary(kind, rows, updates) if kind else updates, rows))


@rule("stablehlo.gather")
def gather(t, op, x):
    o, (value, indices) = t.o, x
    type, shape = t.result_type(op)
    if 0 in shape:
        return o.empty(type, shape)
    d = stablehlo.GatherDimensionNumbers(op.attributes["dimension_numbers"])
    sizes = attributes.numbers(op, "slice_sizes")
    batching = list(d.operand_batching_dims)
    slices = Slices(value.shape, sizes, list(d.start_index_map), batching)
    batch = list(zip(batching, d.start_indices_batching_dims))
    first, _ = first_rows(o, indices, d.index_vector_dim, list(d.start_index_map), slices, batch, True)
    places = (indices, d.index_vector_dim, list(d.start_index_map), sizes, batch)
    if value.type == "float32" and not indices.is_constant and OneOfEachRow.fits(value, *places):
        taken = OneOfEachRow(o, value, *places).taken(value)
    else:
        rows = o.reshape(o.dense(row_indices(o, first, slices)), (count(first.shape) * slices.of_one,))
        taken = o.value(o.b.gather(o.id(slices.as_rows(o, value)), o.id(rows), 0))
    # Axes of the indices, then the slices' in the order of rows and whole.
    taken = o.reshape(taken, first.shape + tuple(sizes[axis] for axis in slices.order))
    outer = len(first.shape)
    dropped = list(d.collapsed_slice_dims) + batching
    kept = [axis for axis in range(len(sizes)) if axis not in dropped]
    taken = o.transpose(taken, list(range(outer)) + [outer + slices.order.index(axis) for axis in kept + dropped])
    taken = o.reshape(taken, first.shape + tuple(sizes[axis] for axis in kept))
    offset = list(d.offset_dims)
    batches = [axis for axis in range(len(shape)) if axis not in offset]
    return o.transpose(taken, inverse(batches + offset))


COMBINATIONS = {
    "stablehlo.add": "add",
    "stablehlo.subtract": "subtract",
    "stablehlo.multiply": "multiply",
    "stablehlo.maximum": "maximum",
    "stablehlo.minimum": "minimum",
}


def combination(region):
    """What a scatter does with an element and its update."""
    block = region.blocks[0]
    operations = list(block.operations)
    if len(operations) == 1 and list(operations[0].operands) == [block.arguments[1]]:
        return ""
    return COMBINATIONS.get(body_of(region))


#: A scatter to known rows updates no row more often than this.
MOST_ROUNDS = 4


def rounds_of(rows, number, kind):
    """Updates of known rows in rounds, in each of which a row has one at most: its number by row, or -1."""
    rounds, done = [], np.zeros(number, int)
    for update, row in enumerate(rows):
        if row < number:
            if done[row] == len(rounds):
                rounds.append(np.full(number, -1, np.int32))
            rounds[done[row]][row] = update
            done[row] += 1 if kind else 0  # without a function, the last stays
    return rounds


def in_rounds(o, kind, data, updates, rounds):
    for places in rounds:
        taken = updates
        if not np.array_equal(places, np.arange(updates.shape[0])):
            indices = o.constant(np.maximum(places, 0))
            taken = o.value(o.b.gather(o.id(o.dense(updates)), o.id(o.dense(indices)), 0))
        new = o.binary(kind, data, taken) if kind else taken
        there = o.broadcast_in_dim(o.constant(places >= 0), data.shape, [0])
        data = new if (places >= 0).all() else o.select(there, new, data)
    return data


@rule("stablehlo.scatter")
def scatter(t, op, x):
    """Updates of slices that are not in the operand as a whole go to a row behind the last, which is dropped."""
    o = t.o
    if len(x) != 3:
        raise Refusal("a scatter to several arrays; scatter to each")
    value, indices, updates = x
    kind = combination(op.regions[0])
    if kind is None and not attributes.flag(op, "unique_indices"):
        raise Refusal("a scatter by a function of its own to indices that may repeat; say unique_indices=True if not")
    if value.is_empty or updates.is_empty:
        return value
    d = stablehlo.ScatterDimensionNumbers(op.attributes["scatter_dimension_numbers"])
    batching = list(d.input_batching_dims)
    dropped = list(d.inserted_window_dims) + batching
    window = list(d.update_window_dims)
    kept = [axis for axis in range(len(value.shape)) if axis not in dropped]
    sizes = [1] * len(value.shape)
    for axis, update_axis in zip(kept, window):
        sizes[axis] = updates.shape[update_axis]
    placed = list(d.scattered_dims_to_operand_dims)
    slices = Slices(value.shape, sizes, placed, batching)
    batch = list(zip(batching, d.scatter_indices_batching_dims))
    given = (indices, d.index_vector_dim, placed, sizes, batch)
    if (
        kind is not None
        and value.type in ("float32", "int32")
        and not indices.is_constant
        and OneOfEachRow.fits(value, *given)
    ):
        return OneOfEachRow(o, value, *given).updated(kind, value, updates)
    first, inside = first_rows(o, indices, d.index_vector_dim, placed, slices, batch, False)
    rows = row_indices(o, first, slices)
    if inside is not None:
        there = o.broadcast_in_dim(inside, rows.shape, list(range(len(first.shape))))
        rows = o.select(there, rows, o.scalar("int32", slices.number, rows.shape))
    batches = [axis for axis in range(len(updates.shape)) if axis not in window]
    updates = o.transpose(o.dense(updates), batches + [window[kept.index(a)] for a in slices.order if a in kept])
    updates = o.reshape(updates, (count(rows.shape), count([sizes[axis] for axis in slices.whole])))
    known = o.elements_of(rows)
    if known is not None and kind is not None:
        rounds = rounds_of(np.broadcast_to(known, rows.shape).reshape(-1), slices.number, kind)
        if len(rounds) <= MOST_ROUNDS:
            return slices.from_rows(o, in_rounds(o, kind, slices.as_rows(o, value), updates, rounds))
    data = o.dense(o.pad(slices.as_rows(o, value), [0, 0], [1, 0]))
    places = o.reshape(o.dense(rows), (count(rows.shape),))
    if kind is None:  # of elements that are not updated twice
        kind, current = "", o.value(o.b.gather(o.id(data), o.id(places), 0))
        updates = t.apply(op.regions[0], [current, updates])[0]
    if kind == "subtract":
        kind, updates = "add", o.binary("subtract", o.scalar(value.type, 0, (1,) * len(updates.shape)), updates)
    wide = "float32" if value.type in SMALL_FLOATS else "int32" if value.type in NARROW + ("bool",) else value.type
    data, updates = o.convert(data, wide), o.dense(o.convert(updates, wide))
    result = o.value(o.b.scatter(kind, o.id(data), o.id(places), o.id(updates)))
    return slices.from_rows(o, o.convert(o.part(result, 0, 0, slices.number), value.type))
