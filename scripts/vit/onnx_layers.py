# SPDX-License-Identifier: Apache-2.0
"""Layers of transformers as nodes of an ONNX file, in the operators that PyTorch's exporter writes."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

OPSET = 15  # layer normalization and gelu are not among its operators


class Writer:
    """Nodes and constants in the order of their addition; a node's only output has its name."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, name, values):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def number(self, name, value):
        return self.constant(name, np.float32(value))

    def node(self, name, kind, *inputs, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def shape(self, name, source, *extents):
        return self.node(name, "Reshape", source, self.constant(name + ".shape", np.array(extents, np.int64)))


def parameters(writer, name, weight, bias):
    return writer.constant(name + ".weight", weight), writer.constant(name + ".bias", bias)


def dense(writer, name, weight, bias, source):
    """Weights [outputs, inputs], as PyTorch has them."""
    weight, bias = parameters(writer, name, weight.T, bias)
    return writer.node(name, "Add", bias, writer.node(name + ".product", "MatMul", source, weight))


def layer_norm(writer, name, weight, bias, source, epsilon):
    weight, bias = parameters(writer, name, weight, bias)
    mean = writer.node(name + ".mean", "ReduceMean", source, axes=[-1], keepdims=1)
    centered = writer.node(name + ".centered", "Sub", source, mean)
    square = writer.node(name + ".square", "Pow", centered, writer.number(name + ".two", 2))
    variance = writer.node(name + ".variance", "ReduceMean", square, axes=[-1], keepdims=1)
    stable = writer.node(name + ".stable", "Add", variance, writer.number(name + ".epsilon", epsilon))
    deviation = writer.node(name + ".deviation", "Sqrt", stable)
    normal = writer.node(name + ".normal", "Div", centered, deviation)
    return writer.node(name, "Add", writer.node(name + ".scaled", "Mul", normal, weight), bias)


def gelu(writer, name, source):
    scaled = writer.node(name + ".scaled", "Div", source, writer.number(name + ".root", np.sqrt(2)))
    error = writer.node(name + ".erf", "Erf", scaled)
    sum_ = writer.node(name + ".sum", "Add", error, writer.number(name + ".one", 1))
    product = writer.node(name + ".product", "Mul", source, sum_)
    return writer.node(name, "Mul", product, writer.number(name + ".half", 0.5))


def file_bytes(writer, name, inputs, output):
    """The file of a graph with these inputs and this output, as ONNX describes values."""
    graph = helper.make_graph(writer.nodes, name, inputs, [output], writer.constants)
    opset = helper.make_opsetid("", OPSET)
    file = helper.make_model(graph, opset_imports=[opset], ir_version=8, producer_name="systole")
    onnx.checker.check_model(file)
    return file.SerializeToString()
