# SPDX-License-Identifier: Apache-2.0
"""Graphs as ONNX files."""

import numpy as np
from onnx import GraphProto, ModelProto, TensorProto, helper, numpy_helper

CODES = {
    "float32": TensorProto.FLOAT,
    "float16": TensorProto.FLOAT16,
    "float64": TensorProto.DOUBLE,
    "int8": TensorProto.INT8,
    "int16": TensorProto.INT16,
    "int32": TensorProto.INT32,
    "int64": TensorProto.INT64,
    "uint8": TensorProto.UINT8,
    "uint16": TensorProto.UINT16,
    "uint32": TensorProto.UINT32,
    "uint64": TensorProto.UINT64,
    "bool": TensorProto.BOOL,
}


def _declare(values, name, tensor):
    value = values.add()
    value.name = name
    value.type.tensor_type.elem_type = CODES[tensor.dtype]
    shape = value.type.tensor_type.shape
    shape.SetInParent()
    for size in tensor.shape:
        shape.dim.add().dim_value = size


def _add_node(proto, node, name, renamed):
    written = proto.node.add()
    written.op_type, written.domain, written.name = node.kind, node.domain, name
    written.input.extend(renamed.get(i, i) for i in node.inputs)
    written.output.extend(renamed.get(o, o) for o in node.outputs)
    for key, value in node.attributes.items():
        written.attribute.append(helper.make_attribute(key, value))


def _add_constant(proto, name, array):
    constant = numpy_helper.from_array(np.asarray(array))
    constant.name = name
    proto.initializer.append(constant)


def _model(proto, opset, domains):
    model = ModelProto()
    model.ir_version = 10
    model.graph.CopyFrom(proto)
    for domain, version in (("", opset), *((domain, 1) for domain in sorted(domains - {""}))):
        entry = model.opset_import.add()
        entry.domain, entry.version = domain, version
    return model.SerializeToString()


def write(graph, outputs=None):
    """The file, with the graph's outputs or the given ones."""
    proto = GraphProto()
    proto.name = "graph"
    for name in graph.feeds:
        _declare(proto.input, name, graph.tensors[name])
    for name, array in graph.constants.items():
        _add_constant(proto, name, array)
    for i, step in enumerate(graph.steps):
        for j, node in enumerate(step.nodes):
            _add_node(proto, node, f"{step.label}_{i}_{j}", {})
    for name in outputs or graph.outputs:
        _declare(proto.output, name, graph.tensors[name])
    return _model(proto, graph.opset, {n.domain for s in graph.steps for n in s.nodes})


def write_apart(graph, steps, values, opset=None):
    """A file in which each of the steps reads inputs of its own, and what these are, from `values`. Constants
    that have a value there are inputs, too. Also the names of the outputs: (step, tensor) for each."""
    proto = GraphProto()
    proto.name = "apart"
    feeds, outputs, constants = {}, [], set()
    for number, step in steps:
        renamed = {name: f"s{number}_{name}" for node in step.nodes for name in [*node.inputs, *node.outputs] if name}
        for name in step.inputs:
            if name in graph.constants and name not in values:
                renamed[name] = name
                if name not in constants:
                    constants.add(name)
                    _add_constant(proto, name, graph.constants[name])
            else:
                _declare(proto.input, renamed[name], graph.tensors[name])
                feeds[renamed[name]] = values[name]
        for j, node in enumerate(step.nodes):
            _add_node(proto, node, f"{step.label}_{number}_{j}", renamed)
        for name in step.outputs:
            _declare(proto.output, renamed[name], graph.tensors[name])
            outputs.append((number, name))
    model = _model(proto, opset or graph.opset, {n.domain for _, s in steps for n in s.nodes})
    return model, feeds, outputs
