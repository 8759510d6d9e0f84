# SPDX-License-Identifier: Apache-2.0
"""Operators on arrays that are split over devices, where each device computes its part: those of a table, if the split
axes pass through them. For any other, the parts come together on every device first."""
from jaxlib.mlir.dialects import stablehlo

from systole_jax import attributes
from systole_jax.program_values import Value
from systole_jax.rules_devices import Sharded, combined, exchanged, own_part
from systole_jax.rules_elements import BINARY, UNARY
from systole_jax.rules_reductions import KINDS, body_of, is_identity
from systole_jax.sharding import Split

#: Functions of the translation, the operation and its operands. They return the operands as each device has them, the
#: splits of the results, and whether the results are summands or the like, of which all devices have one; or None.
PASSES = {}


def passes(*names):
    def add(function):
        for name in names:
            PASSES[name] = function
        return function

    return add


def split_operation(t, op, operands, rule):
    """The results of an operation on parts, None if it has to see the whole."""
    passing = PASSES.get(op.name)
    plan = passing(t, op, operands) if passing is not None else None
    if plan is None:
        return None
    parts, splits, partial = plan
    shapes = [attributes.type_of(result)[1] for result in op.results]
    t.splits = splits
    try:
        for split, shape in zip(splits, shapes):
            if split is not None and any(size % split.parts(axis) for axis, size in enumerate(shape)):
                return None
        results = rule(t, op, parts)
    finally:
        t.splits = None
    results = results if isinstance(results, list) else [results]
    if partial is not None:
        return [partial(value) for value in results]
    return [
        value if split is None or split.is_whole else Sharded(value, split, shape)
        for value, split, shape in zip(results, splits, shapes)
    ]


def first_split(operands):
    return next(value.split for value in operands if isinstance(value, Sharded))


def localized(t, value, split):
    """The part of a value that goes with parts of this split."""
    if isinstance(value, Sharded):
        return value.part if value.split == split else own_part(t, value.all(t), split)
    if not value.shape:
        return value
    divided = [axis for axis in range(len(value.shape)) if split.parts(axis) > 1]
    if all(value.held[axis] == 1 for axis in divided):
        shape = split.local(value.shape)
        return Value(value.routine, value.type, shape, value.block, value.id, value.register, value.held)
    return own_part(t, value, split)


@passes(
    *UNARY,
    *BINARY,
    "stablehlo.and",
    "stablehlo.or",
    "stablehlo.xor",
    "stablehlo.not",
    "stablehlo.divide",
    "stablehlo.remainder",
    "stablehlo.compare",
    "stablehlo.select",
    "stablehlo.clamp",
    "stablehlo.convert",
    "stablehlo.is_finite",
    "stablehlo.shift_left",
    "stablehlo.shift_right_logical",
    "stablehlo.shift_right_arithmetic",
)
def element_by_element(t, op, operands):
    split = first_split(operands)
    return [localized(t, value, split) for value in operands], [split] * len(op.results), None


@passes("stablehlo.broadcast_in_dim")
def broadcast(t, op, operands):
    (value,), shape = operands, attributes.type_of(op.results[0])[1]
    axes = [[] for _ in shape]
    for axis, target in enumerate(attributes.numbers(op, "broadcast_dimensions")):
        if value.shape[axis] == shape[target]:
            axes[target] = value.split.axes[axis]
        elif value.split.parts(axis) > 1:
            return None
    return [value.part], [Split(value.split.mesh, axes)], None


@passes("stablehlo.transpose")
def transpose(t, op, operands):
    (value,) = operands
    axes = [value.split.axes[axis] for axis in attributes.numbers(op, "permutation")]
    return [value.part], [Split(value.split.mesh, axes)], None


@passes("stablehlo.reshape")
def reshape(t, op, operands):
    """Parts of the first axis stay what they are: stretches of the elements in their order."""
    (value,), shape = operands, attributes.type_of(op.results[0])[1]
    only_first = all(value.split.parts(axis) == 1 for axis in range(1, len(value.shape)))
    if not only_first or not shape:
        return None
    return [value.part], [Split(value.split.mesh, [value.split.axes[0]] + [[]] * (len(shape) - 1))], None


def sum_of_all(t):
    """The sum of the devices' summands, in their order."""

    def add(value):
        total, *rest = exchanged(t, value)
        for part in rest:
            total = t.o.binary("add", total, part)
        return total

    return add


def is_over_all(t, split, axis):
    return split.parts(axis) == t.devices


@passes("stablehlo.reduce")
def reduce(t, op, operands):
    if len(operands) != 2 or not isinstance(operands[0], Sharded) or isinstance(operands[1], Sharded):
        return None
    value, start = operands
    axes = attributes.numbers(op, "dimensions")
    kept = [value.split.axes[axis] for axis in range(len(value.shape)) if axis not in axes]
    divided = [axis for axis in axes if value.split.parts(axis) > 1]
    if not divided:
        return [value.part, start], [Split(value.split.mesh, kept)], None
    kind = KINDS.get(body_of(op.regions[0]))
    alone = len(divided) == 1 and is_over_all(t, value.split, divided[0])
    if kind is None or not alone or not is_identity(t.o, start, kind):
        return None
    return [value.part, start], [None], lambda result: combined(t, op.regions[0], exchanged(t, result))


def product(t, operands, roles, contracted):
    """A product of two operands. `roles` has for each the axis of the result that each of its axes becomes, None for
    one that is summed over; `contracted` are the pairs of axes that are summed over together."""
    axes, mesh = {}, first_split(operands).mesh
    for value, own in zip(operands, roles):
        for axis, target in enumerate(own):
            if isinstance(value, Sharded) and value.split.parts(axis) > 1 and target is not None:
                axes.setdefault(target, value.split.axes[axis])
    parts, summed = list(operands), None
    for a, b in contracted:
        names = [v.split.axes[i] if isinstance(v, Sharded) else [] for v, i in zip(operands, (a, b))]
        if any(names):
            summed = (a, b, names[0] or names[1])
    for number, (value, own) in enumerate(zip(operands, roles)):
        wanted = [axes.get(target, []) if target is not None else [] for target in own]
        if summed is not None:
            wanted[summed[number]] = summed[2]
        used = [name for group in wanted for name in group]
        if len(used) != len(set(used)):
            return None
        parts[number] = localized(t, value, Split(mesh, wanted))
    if summed is not None and (axes or not is_over_all(t, Split(mesh, [summed[2]]), 0)):
        return None
    return parts, axes, summed is not None


@passes("stablehlo.dot_general")
def dot_general(t, op, operands):
    d = stablehlo.DotDimensionNumbers(op.attributes["dot_dimension_numbers"])
    batches = [list(d.lhs_batching_dimensions), list(d.rhs_batching_dimensions)]
    depths = [list(d.lhs_contracting_dimensions), list(d.rhs_contracting_dimensions)]
    roles, next_axis = [], len(batches[0])
    for value, batch, depth in zip(operands, batches, depths):
        own = []
        for axis in range(len(value.shape)):
            if axis in batch:
                own.append(batch.index(axis))
            elif axis in depth:
                own.append(None)
            else:
                own.append(next_axis)
                next_axis += 1
        roles.append(own)
    return planned(t, op, product(t, operands, roles, list(zip(*depths))), operands)


def planned(t, op, found, operands):
    if found is None:
        return None
    parts, axes, summed = found
    type, shape = attributes.type_of(op.results[0])
    if summed:
        return (parts, [None], sum_of_all(t)) if type == "float32" else None
    mesh = first_split(operands).mesh
    return parts, [Split(mesh, [axes.get(axis, []) for axis in range(len(shape))])], None


@passes("stablehlo.convolution")
def convolution(t, op, operands):
    if attributes.number(op, "feature_group_count") != 1 or attributes.number(op, "batch_group_count") != 1:
        return None
    d = stablehlo.ConvDimensionNumbers(op.attributes["dimension_numbers"])
    for value, free in zip(operands, (list(d.input_spatial_dimensions), list(d.kernel_spatial_dimensions))):
        if isinstance(value, Sharded) and any(value.split.parts(axis) > 1 for axis in free):
            return None
    image = [None] * len(operands[0].shape)
    image[d.input_batch_dimension] = d.output_batch_dimension
    kernel = [None] * len(operands[1].shape)
    kernel[d.kernel_output_feature_dimension] = d.output_feature_dimension
    pairs = [(d.input_feature_dimension, d.kernel_input_feature_dimension)]
    return planned(t, op, product(t, operands, [image, kernel], pairs), operands)


def untouched(value, sizes):
    """Whether what an operator does along split axes is nothing."""
    return all(nothing or value.split.parts(axis) == 1 for axis, nothing in enumerate(sizes))


@passes("stablehlo.reduce_window")
def reduce_window(t, op, operands):
    if len(operands) != 2 or isinstance(operands[1], Sharded):
        return None
    value, rank = operands[0], len(operands[0].shape)
    ones = [1] * rank
    window, strides = attributes.numbers(op, "window_dimensions"), attributes.numbers(op, "window_strides", ones)
    spread = attributes.numbers(op, "base_dilations", ones)
    padding = attributes.pairs(op, "padding", [[0, 0]] * rank)
    still = [w == s == b == 1 and not any(p) for w, s, b, p in zip(window, strides, spread, padding)]
    return ([value.part, operands[1]], [value.split], None) if untouched(value, still) else None


@passes("stablehlo.select_and_scatter")
def select_and_scatter(t, op, operands):
    value, source, start = operands
    if not isinstance(value, Sharded) or isinstance(start, Sharded):
        return None
    rank = len(value.shape)
    window = attributes.numbers(op, "window_dimensions", [1] * rank)
    strides = attributes.numbers(op, "window_strides", [1] * rank)
    padding = attributes.pairs(op, "padding", [[0, 0]] * rank)
    still = [w == s == 1 and not any(p) for w, s, p in zip(window, strides, padding)]
    if not untouched(value, still):
        return None
    return [value.part, localized(t, source, value.split), start], [value.split], None


@passes("stablehlo.pad")
def pad(t, op, operands):
    value, filling = operands
    if not isinstance(value, Sharded) or isinstance(filling, Sharded):
        return None
    sizes = [attributes.numbers(op, name) for name in ("edge_padding_low", "edge_padding_high", "interior_padding")]
    still = [not any(pads) for pads in zip(*sizes)]
    return ([value.part, filling], [value.split], None) if untouched(value, still) else None
