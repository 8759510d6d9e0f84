# SPDX-License-Identifier: Apache-2.0
"""How arrays are split over the devices of a program, read from Shardy's attributes."""
import re

import numpy as np

from systole_jax.refusal import Refusal


class Mesh:
    """Devices in a grid with named axes. Device number p of a program has the coordinates of p, the last axis
    fastest."""

    def __init__(self, text):
        found = re.search(r"<\[(.*?)\]", text)
        self.axes = {name: int(size) for name, size in re.findall(r'"(\w+)"=(\d+)', found.group(1) if found else "")}
        if "device_ids" in text:
            raise Refusal("a mesh whose devices are in another order than their numbers: %s" % text)

    def step(self, axis):
        """The distance between numbers of devices that are neighbours along an axis."""
        names = list(self.axes)
        step = 1
        for name in names[names.index(axis) + 1 :]:
            step *= self.axes[name]
        return step


class Split:
    """Which axes of a mesh split each axis of an array."""

    def __init__(self, mesh, axes):
        self.mesh, self.axes = mesh, axes

    def __eq__(self, other):
        return self.axes == other.axes

    def parts(self, axis):
        total = 1
        for name in self.axes[axis]:
            total *= self.mesh.axes[name]
        return total

    @property
    def is_whole(self):
        return all(self.parts(axis) == 1 for axis in range(len(self.axes)))

    def local(self, shape):
        """The shape of a device's part."""
        for axis, size in enumerate(shape):
            if size % self.parts(axis):
                raise Refusal("an axis of %d elements in %d parts; the parts must be equal" % (size, self.parts(axis)))
        return tuple(size // self.parts(axis) for axis, size in enumerate(shape))

    def text(self):
        """As HLO writes it."""
        if self.is_whole:
            return "{replicated}"
        mesh, used = list(self.mesh.axes), [name for axis in self.axes for name in axis]
        order = [mesh.index(name) for name in used + [name for name in mesh if name not in used]]
        sizes = list(self.mesh.axes.values())
        tiles = [self.parts(axis) for axis in range(len(self.axes))]
        rest = 1
        for name in mesh:
            rest *= 1 if name in used else self.mesh.axes[name]
        numbers = ",".join(map(str, tiles + ([rest] if rest > 1 else [])))
        turned = "T(%s)" % ",".join(map(str, order)) if order != sorted(order) else ""
        devices = ",".join(map(str, sizes)) if turned else str(int(np.prod(sizes)))
        return "{devices=[%s]<=[%s]%s%s}" % (numbers, devices, turned, " last_tile_dim_replicate" if rest > 1 else "")

    def part_number(self, axis, device):
        """The part of an axis that a device, by its number, has."""
        number = 0
        for name in self.axes[axis]:
            size = self.mesh.axes[name]
            number = number * size + device // self.mesh.step(name) % size
        return number


def splits_of(text, meshes):
    """The splits that an attribute lists: <@mesh, [{"x"}, {}]>, one or several."""
    splits = []
    for name, axes in re.findall(r"<@(\w+), \[((?:\{[^}]*\}(?:p\d+)?(?:, )?)*)\]", text):
        named = [re.findall(r'"(\w+)"(?::\((\d+)\)(\d+))?', group) for group in re.findall(r"\{([^}]*)\}", axes)]
        if any(of for group in named for _, of, _ in group):
            raise Refusal("an axis of the mesh that is split again: %s" % text)
        splits.append(Split(meshes[name], [[axis for axis, _, _ in group] for group in named]))
    return splits


def signature(name, devices, arguments, results):
    """A module in MLIR that says how the arguments and results of a program are split, which JAX asks for. They are
    pairs of a type of MLIR and a text of HLO. The function is not the program's."""
    types = lambda pairs: ", ".join(type for type, _ in pairs)
    values = ["%%arg%d: %s" % (i, type) for i, (type, _) in enumerate(arguments)]
    body = [
        '    %%%d = "stablehlo.custom_call"() {call_target_name = "systole"} : () -> %s' % (i, type)
        for i, (type, _) in enumerate(results)
    ]
    numbers = ", ".join("%%%d" % i for i in range(len(results)))
    outputs = ", ".join(text for _, text in results)
    returned = "    return %s : %s" % (numbers, types(results)) if results else "    return"
    given = ["mhlo.num_partitions = %d : i32" % devices]
    if devices > 1:
        given.append("mhlo.spmd_parameters_shardings = [%s]" % ", ".join('"%s"' % text for _, text in arguments))
    if devices > 1 and results:
        given.append('mhlo.spmd_output_sharding = "%s"' % (outputs if len(results) == 1 else "{%s}" % outputs))
    lines = [
        "module @%s attributes {%s} {" % (name, ", ".join(given)),
        "  func.func public @main(%s) -> (%s) {" % (", ".join(values), types(results)),
        *body,
        returned,
        "  }",
        "}",
    ]
    return "\n".join(lines)
