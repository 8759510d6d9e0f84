# SPDX-License-Identifier: Apache-2.0
"""Programs on several devices, each of which runs the same routine on its part. Parts meet in exchanges, in which every
device gets the values of all. What is computed of them is computed in the order of the devices' numbers, so that the
bits of a result do not depend on which device is done first."""
import numpy as np
from jaxlib.mlir import ir

from systole_jax import attributes
from systole_jax.refusal import Refusal
from systole_jax.rules import rule
from systole_jax.sharding import splits_of
from systole_jax.program_values import Value


class Sharded:
    """A value of which each device has a part. `whole` is the shape of all parts together."""

    def __init__(self, part, split, whole):
        self.part, self.split, self.shape, self.type = part, split, tuple(whole), part.type
        self.gathered = None

    def all(self, t):
        """The whole value, on every device."""
        if self.gathered is not None:
            return self.gathered
        gathered = joined(t, exchanged(t, self.part), self.split)
        if t.routine is self.part.routine:  # not only in a branch
            self.gathered = gathered
        return gathered


def exchanged(t, value):
    """The values of all devices, by device."""
    o, routine = t.o, t.routine
    if t.devices == 1:
        return [value]
    value = routine.own(o.dense(value))
    outputs = [Value(routine, value.type, value.shape, register=routine.new_register()) for _ in range(t.devices)]
    routine.exchange(value, outputs)
    return outputs


def joined(t, parts, split):
    """The array whose parts these are, by device."""
    o = t.o
    numbers = range(t.devices)

    def level(devices, axis):
        if axis == len(split.axes):
            return parts[devices[0]]
        groups = [[d for d in devices if split.part_number(axis, d) == part] for part in range(split.parts(axis))]
        return o.concat([level(group, axis + 1) for group in groups], axis)

    return level(list(numbers), 0)


def own_part(t, value, split):
    """The part of a whole value that the device has."""
    o = t.o
    for axis in range(len(split.axes)):
        parts = split.parts(axis)
        if parts > 1:
            size = value.shape[axis] // parts
            value = chosen(t, value, axis, size, [split.part_number(axis, d) * size for d in range(t.devices)])
    return value


def chosen(t, value, axis, size, starts):
    """`size` elements of an axis, from where the device's number says."""
    o = t.o
    if t.devices == 1:
        return o.part(value, axis, starts[0], size)
    table = o.constant((np.array(starts)[:, None] + np.arange(size)).astype(np.int32))
    row = o.value(o.b.gather(o.id(o.dense(table)), o.id(o.reshape(t.device, (1,))), 0))
    places = o.reshape(row, (size,))
    return o.value(o.b.gather(o.id(o.dense(value)), o.id(o.dense(places)), axis))


def groups_of(t, op):
    """For each device, the devices of its group in order."""
    dense = ir.DenseIntElementsAttr(op.attributes["replica_groups"])
    shape = ir.RankedTensorType(dense.type).shape
    numbers = [dense.get_splat_value().value] * int(np.prod(shape)) if dense.is_splat else list(dense)
    groups = np.array(numbers).reshape(shape).tolist() or [list(range(t.devices))]
    return {device: group for group in groups for device in group}


def in_groups(t, op, value):
    """The values of the device's group, in its order; all devices have groups of one size."""
    o, parts, groups = t.o, exchanged(t, value), groups_of(t, op)
    size = len(groups[0])
    if all(groups[d] == groups[0] for d in range(t.devices)):
        return [parts[d] for d in groups[0]]
    stacked = o.concat([o.reshape(part, (1,) + part.shape) for part in parts], 0)
    members = []
    for i in range(size):
        own = chosen(t, stacked, 0, 1, [groups[d][i] for d in range(t.devices)])
        members.append(o.reshape(own, value.shape))
    return members


def place_in_group(t, op):
    """Where the device is in its group, by device."""
    groups = groups_of(t, op)
    return [groups[d].index(d) for d in range(t.devices)]


@rule("stablehlo.partition_id")
def partition_id(t, op, x):
    return t.o.convert(t.device if t.device is not None else t.o.scalar("int32", 0), "uint32")


@rule("stablehlo.replica_id")
def replica_id(t, op, x):
    return t.o.scalar("uint32", 0)


def combined(t, region, parts):
    """The parts combined in their order."""
    total = parts[0]
    for part in parts[1:]:
        total = t.apply(region, [total, part])[0]
    return total


@rule("stablehlo.all_reduce")
def all_reduce(t, op, x):
    return [combined(t, op.regions[0], in_groups(t, op, value)) for value in x]


@rule("stablehlo.all_gather")
def all_gather(t, op, x):
    axis = attributes.number(op, "all_gather_dim")
    return [t.o.concat(in_groups(t, op, value), axis) for value in x]


@rule("stablehlo.reduce_scatter")
def reduce_scatter(t, op, x):
    axis = attributes.number(op, "scatter_dimension")
    total = combined(t, op.regions[0], in_groups(t, op, x[0]))
    size = attributes.type_of(op.results[0])[1][axis]
    return chosen(t, total, axis, size, [place * size for place in place_in_group(t, op)])


@rule("stablehlo.all_to_all")
def all_to_all(t, op, x):
    split, join = attributes.number(op, "split_dimension"), attributes.number(op, "concat_dimension")
    number = attributes.number(op, "split_count")
    places, results = place_in_group(t, op), []
    for value in x:
        size = value.shape[split] // number
        parts = [chosen(t, part, split, size, [place * size for place in places]) for part in in_groups(t, op, value)]
        results.append(t.o.concat(parts, join))
    return results


@rule("stablehlo.collective_permute")
def collective_permute(t, op, x):
    """From each source to its target; zeros where nothing goes."""
    o, value = t.o, x[0]
    dense = ir.DenseIntElementsAttr(op.attributes["source_target_pairs"])
    numbers = [dense.get_splat_value().value] * 2 if dense.is_splat else list(dense)
    sources = {target: source for source, target in zip(numbers[::2], numbers[1::2])}
    parts = exchanged(t, value) + [o.scalar(value.type, 0, value.shape)]
    stacked = o.concat([o.reshape(o.dense(part), (1,) + value.shape) for part in parts], 0)
    return o.reshape(chosen(t, stacked, 0, 1, [sources.get(d, t.devices) for d in range(t.devices)]), value.shape)


@rule("sdy.manual_computation")
def manual_computation(t, op, x):
    """A part of the program that says itself what each device does."""
    inside = splits_of(str(op.attributes["in_shardings"]), t.meshes)
    outside = splits_of(str(op.attributes["out_shardings"]), t.meshes)
    block = op.regions[0].blocks[0]
    parts = []
    for value, split in zip(t.sharded(op), inside):
        if isinstance(value, Sharded) and value.split == split:
            parts.append(value.part)
        else:
            whole = value.all(t) if isinstance(value, Sharded) else value
            parts.append(own_part(t, whole, split))
    results = []
    for value, split, result in zip(t.block(block, parts), outside, op.results):
        shape = attributes.type_of(result)[1]
        results.append(value if split.is_whole else Sharded(value, split, shape))
    return results
