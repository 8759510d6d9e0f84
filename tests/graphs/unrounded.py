# SPDX-License-Identifier: Apache-2.0
"""The number that a quantized product rounds: its result in steps of the result's scale, as a float. Two roundings of
it may differ by one only where it lies half-way between two integers."""

import copy

import numpy as np

from drawn_graph import Node, Step, Tensor

PRODUCTS = {"QLinearConv": "Conv", "QLinearMatMul": "MatMul", "QLinearAdd": "Add", "QLinearMul": "Mul"}


def _dequantized(graph, node, first, attributes):
    """The operand whose name is followed by those of its scale and its zero point."""
    names, result = node.inputs[first : first + 3], f"real{first}"
    graph.tensors[result] = Tensor("float32", graph.tensors[names[0]].shape)
    return Node("DequantizeLinear", names, [result], attributes)


def _of_one_node(graph, node):
    """The operator of float32 that the quantized one stands for, on dequantized operands, and the result's scale."""
    per_channel = len(graph.tensors[node.inputs[4]].shape) > 0
    parts = [
        _dequantized(graph, node, 0, {}),
        _dequantized(graph, node, 3, {"axis": 0 if node.kind == "QLinearConv" else 1} if per_channel else {}),
    ]
    inputs = [part.outputs[0] for part in parts]
    if len(node.inputs) > 8:  # a bias, in steps of input times weights
        steps = graph.constants[node.inputs[1]] * graph.constants[node.inputs[4]]
        bias = (graph.constants[node.inputs[8]] * steps).astype(np.float32)
        inputs.append("bias_real")
        graph.tensors["bias_real"], graph.constants["bias_real"] = Tensor("float32", bias.shape), bias
    graph.tensors["real"] = Tensor("float32", graph.tensors[node.outputs[0]].shape)
    parts.append(Node(PRODUCTS[node.kind], inputs, ["real"], node.attributes))
    return parts, graph.constants[node.inputs[6]]


def unrounded_step(graph, step):
    """A graph and its only step, whose result is the real number that `step` quantizes, and the scale; None for an
    operator that has none."""
    graph = copy.copy(graph)
    graph.tensors, graph.constants = dict(graph.tensors), dict(graph.constants)
    last = step.nodes[-1]
    if last.kind == "QuantizeLinear" and len(step.nodes) > 1:
        nodes, scale = step.nodes[:-1], graph.constants[last.inputs[1]]
    elif last.kind in PRODUCTS:
        nodes, scale = _of_one_node(graph, last)
    else:
        return None
    graph.steps = [Step(step.label, nodes)]
    return graph, scale


def sum_of_terms(graph, values):
    """At most the sum of the magnitudes of the terms of the real number."""
    greatest, count = [], 1
    for node in graph.steps[0].nodes:
        if node.kind == "DequantizeLinear":
            integers, scale, zero = (graph.constants.get(name, values.get(name)) for name in node.inputs)
            greatest.append(float(np.max(scale)) * float(np.abs(integers.astype(np.int64) - np.max(zero)).max()))
            count = integers.size // max(1, integers.shape[0 if integers.ndim > 2 else -1]) if integers.ndim else 1
    return max(greatest[0], np.prod(greatest), sum(greatest)) * (count if len(greatest) > 1 else 1)


def near_tie(real, scale, terms=0.0):
    """Tells where a quotient is so close to half-way between integers that float32 does not tell on which side it is:
    `terms` is the sum of the magnitudes of what `real` is the sum of."""
    quotient = real.astype(np.float64) / float(scale)
    distance = np.abs(quotient - np.floor(quotient) - 0.5)
    return distance <= 1e-5 + 4e-7 * np.abs(quotient) + 2.0**-22 * terms / float(scale)
