# SPDX-License-Identifier: Apache-2.0
"""A graph while it is generated: which tensors there are, what may still be added."""

import numpy as np

from drawn_graph import Graph, Node, Step, Tensor
from values import draw

MAX_ELEMENTS = 65536
MAX_MULTIPLICATIONS = 1 << 22


class Unfit(Exception):
    """A step that was begun does not fit the graph: it is left out."""


class Draft:
    def __init__(self, choices, dim, types, opset=21):
        self.choices, self.dim, self.types = choices, dim, types
        self.graph = Graph(opset)
        self.inner = set()  # results within a step, which others do not read
        self.scales = {}  # of quantized tensors: (scale, zero point)
        self.elements = choices.weighted([(256, 35), (1024, 35), (4096, 25), (MAX_ELEMENTS, 5)])
        self.multiplications = 0
        self.style = None if choices.chance(30) else choices.weighted([("small", 60), ("whole", 20), ("positive", 20)])

    # Sizes -----------------------------------------------------------------------------------------------------------

    def size(self, limit=100):
        """A size of a dimension: small, or about one, two or three times the width of the array."""
        kind = self.choices.integer(0, 9)
        if kind < 4:
            value = self.choices.integer(1, 7)
        elif kind < 9:
            multiple = self.choices.integer(1, 3) * self.dim
            value = max(1, multiple + self.choices.pick((0, 1, -1, 2, -2, 3)))
        else:
            value = self.choices.integer(1, 100)
        return min(value, limit)

    def shape(self, rank=None):
        if rank is None:
            rank = self.choices.weighted([(2, 26), (1, 10), (3, 20), (4, 28), (0, 4), (5, 7), (6, 5)])
        shape, left = [], self.elements
        for _ in range(rank):
            shape.append(self.size(max(1, left)))
            left //= shape[-1]
        if rank > 1:  # the large sizes are not always in front
            shape = self.choices.shuffled(shape)
        if rank > 2 and self.choices.chance(60):
            shape[0] = min(shape[0], self.choices.integer(1, 3))
        return tuple(shape)

    # Tensors ---------------------------------------------------------------------------------------------------------

    def __getitem__(self, name):
        return self.graph.tensors[name]

    def _name(self, prefix):
        return f"{prefix}{len(self.graph.tensors)}"

    def _add(self, prefix, dtype, shape):
        tensor = Tensor(dtype, tuple(int(size) for size in shape))
        if tensor.count > MAX_ELEMENTS or tensor.count < 1:
            raise Unfit(f"{tensor.count} elements")
        name = self._name(prefix)
        self.graph.tensors[name] = tensor
        return name

    def input(self, dtype, shape, style=None):
        name = self._add("x", dtype, shape)
        self.graph.feeds[name] = draw(self.choices, dtype, self[name].shape, style or self.style)
        return name

    def constant(self, array):
        array = np.asarray(array)
        name = self._add("c", array.dtype.name, array.shape)
        self.graph.constants[name] = array
        return name

    def constants(self, numbers, dtype="int64"):
        """A vector of parameters of an operator, such as axes."""
        return self.constant_of_parameter(np.array(numbers, dtype))

    def constant_of_parameter(self, array):
        name = self._name("p")
        self.graph.tensors[name] = Tensor(array.dtype.name, array.shape)
        self.graph.constants[name] = array
        return name

    def fixed(self, dtype, shape, style=None):
        return self.constant(draw(self.choices, dtype, shape, style or self.style or "small"))

    def readable(self):
        """The tensors that a further step may read, with their names."""
        return [(n, t) for n, t in self.graph.tensors.items() if n not in self.inner and n[0] != "p"]

    def operand(self, types=None, ranks=range(0, 7), accept=lambda tensor: True, shape=None):
        """A tensor with one of the types and ranks: a result if there is one that fits, the newest most often, or a
        new input, whose shape is `shape()` if that is given."""
        types = [t for t in (types or self.types) if t in self.types] or list(types)
        fitting = [
            name
            for name, tensor in self.readable()
            if name not in self.graph.constants
            and tensor.dtype in types
            and len(tensor.shape) in ranks
            and accept(tensor)
        ]
        if fitting and not self.choices.chance(12):
            back = self.choices.weighted([(0, 70), (1, 20), (2, 10)])
            return fitting[-1 - min(back, len(fitting) - 1)]
        for _ in range(4):
            made = shape() if shape else self.shape(self.choices.pick([r for r in (2, 4, 3, 1, 5, 0, 6) if r in ranks]))
            tensor = Tensor(self.choices.pick(types), tuple(made))
            if accept(tensor):
                return self.input(tensor.dtype, made)
        raise Unfit("no operand")

    def like(self, name, shape=None):
        """Another operand of the type of `name`, of the given shape or of its own: computed, an input or constant."""
        shape = self[name].shape if shape is None else tuple(shape)
        dtype = self[name].dtype
        fitting = [n for n, t in self.readable() if t.dtype == dtype and t.shape == shape]
        kind = self.choices.weighted([("computed", 50), ("input", 25), ("constant", 25)])
        if kind == "computed" and fitting:
            return self.choices.pick(fitting[::-1])
        return self.fixed(dtype, shape) if kind == "constant" else self.input(dtype, shape)

    # Steps -----------------------------------------------------------------------------------------------------------

    def multiply(self, count):
        """Accounts for so many multiplications."""
        if self.multiplications + count > MAX_MULTIPLICATIONS:
            raise Unfit(f"{count} multiplications")
        self.multiplications += count

    def result(self, dtype, shape):
        return self._add("t", dtype, shape)

    def node(self, kind, inputs, results, domain="", **attributes):
        """A node, and the names of its results, given as (type, shape)."""
        outputs = [self.result(dtype, shape) for dtype, shape in results]
        return Node(kind, list(inputs), outputs, attributes, domain)

    def step(self, label, *nodes):
        """Adds the nodes as one step; the results of the last."""
        step = Step(label, list(nodes))
        self.graph.steps.append(step)
        self.inner.update(name for node in nodes[:-1] for name in node.outputs)
        return step.outputs

    def add(self, kind, inputs, results, domain="", **attributes):
        """A step of one node."""
        return self.step(kind, self.node(kind, inputs, results, domain, **attributes))

    def undo(self, mark):
        """Returns to the state of mark()."""
        tensors, steps, multiplications = mark
        for names in (self.graph.constants, self.graph.feeds, self.graph.scales, self.scales, self.graph.tensors):
            for name in [n for n in names if n not in tensors]:
                del names[name]
        self.inner &= tensors
        del self.graph.steps[steps:]
        self.multiplications = multiplications

    def mark(self):
        return set(self.graph.tensors), len(self.graph.steps), self.multiplications
