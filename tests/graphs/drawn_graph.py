# SPDX-License-Identifier: Apache-2.0
"""A graph of a test: what the writers turn into files, with the values of its inputs."""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Tensor:
    dtype: str
    shape: tuple

    @property
    def count(self):
        return int(np.prod(self.shape, dtype=np.int64))


@dataclass
class Node:
    """An operator of a file. `""` stands for an input that is absent."""

    kind: str
    inputs: list
    outputs: list
    attributes: dict = field(default_factory=dict)
    domain: str = ""


@dataclass
class Step:
    """Nodes that are judged together, because a compiler may compute them as one: a product between
    DequantizeLinear and QuantizeLinear is one product of integers."""

    label: str
    nodes: list

    @property
    def inputs(self):
        """The tensors that the step reads and does not make."""
        made = {name for node in self.nodes for name in node.outputs}
        read = (name for node in self.nodes for name in node.inputs)
        return list(dict.fromkeys(name for name in read if name and name not in made))

    @property
    def outputs(self):
        """The tensors of the step that other steps may read: those of its last node."""
        return [name for name in self.nodes[-1].outputs if name]


class Graph:
    """Steps in order, tensors by name, the constants among them, and the values of the inputs."""

    def __init__(self, opset=21):
        self.opset = opset
        self.tensors, self.constants, self.feeds, self.steps = {}, {}, {}, []
        self.outputs = []
        self.format = "onnx"  # or "tflite"
        self.scales = {}  # of tensors of TensorFlow Lite: (scale, zero point) or (scales, zero point, axis)
        self.precision = None  # or "mx"

    def kinds(self):
        return [node.kind for step in self.steps for node in step.nodes]

    def computed(self):
        """The results of all steps, in order."""
        return [name for step in self.steps for name in step.outputs]

    def finish(self):
        """A tensor that nothing reads is an output; inputs and constants that nothing reads are dropped."""
        read = {name for step in self.steps for name in step.inputs}
        extra = [name for name in self.outputs if name in read]
        self.outputs = [name for name in self.computed() if name not in read or name in extra]
        self.feeds = {name: value for name, value in self.feeds.items() if name in read}
        self.constants = {name: value for name, value in self.constants.items() if name in read}
        return self
