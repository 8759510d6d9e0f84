# SPDX-License-Identifier: Apache-2.0
"""Graphs as .tflite files."""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "reference"))
from tflite_writer import TfliteModel  # noqa: E402


class _Scale:
    def __init__(self, scale, zero_point):
        self.scale, self.zero_point = scale, zero_point


def _tensor(model, graph, name, label):
    """Appends a tensor with its quantization and, if it is a constant, its elements."""
    tensor = graph.tensors[name]
    entry = graph.scales.get(name)
    axis = entry[2] if entry is not None and len(entry) > 2 else 0
    scale = None if entry is None else _Scale(entry[0], entry[1])
    return model.tensor(label, tensor.shape, tensor.dtype, scale, axis, graph.constants.get(name))


def _operator(model, node, tensors):
    fields = dict(node.attributes)
    options, version = fields.pop("options"), fields.pop("version")
    inputs = [tensors[name] for name in node.inputs]
    model.operator(node.kind, inputs, [tensors[name] for name in node.outputs], options, version, **fields)


def write(graph, outputs=None):
    """The file, with the graph's outputs or the given ones."""
    model = TfliteModel()
    tensors = {name: _tensor(model, graph, name, name) for name in graph.feeds}
    for step in graph.steps:
        for node in step.nodes:
            for name in [*node.inputs, *node.outputs]:
                if name not in tensors:
                    tensors[name] = _tensor(model, graph, name, name)
            _operator(model, node, tensors)
    return model.bytes([tensors[name] for name in graph.feeds], [tensors[name] for name in outputs or graph.outputs])


def write_apart(graph, steps, values):
    """A file in which each of the steps reads inputs of its own; the values of these; the outputs: (step, tensor)."""
    model = TfliteModel()
    inputs, feeds, outputs, results = [], [], [], []
    for number, step in steps:
        tensors = {}
        for name in step.inputs:
            tensors[name] = _tensor(model, graph, name, f"s{number}_{name}")
            if name not in graph.constants:
                inputs.append(tensors[name])
                feeds.append(np.asarray(values[name]))
        for node in step.nodes:
            for name in node.outputs:
                tensors[name] = _tensor(model, graph, name, f"s{number}_{name}")
            _operator(model, node, tensors)
        for name in step.outputs:
            outputs.append((number, name))
            results.append(tensors[name])
    return model.bytes(inputs, results), feeds, outputs
