# SPDX-License-Identifier: Apache-2.0
"""Small networks of float32, one operator each: what onnxruntime.quantization is given."""

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto, helper, numpy_helper

IR_VERSION = 10
OPSET = 17
FLOAT = TensorProto.FLOAT


@dataclass
class Indices:
    """An input of integers below a limit."""

    shape: tuple
    limit: int


@dataclass
class FloatNetwork:
    name: str
    model: object
    operands: dict  # the inputs, by name: a shape, or Indices
    has_weights: bool

    def inputs(self, random):
        return {
            name: random.integers(0, operand.limit, operand.shape).astype(np.int32)
            if isinstance(operand, Indices)
            else random.normal(size=operand).astype(np.float32)
            for name, operand in self.operands.items()
        }


def declared(name, operand):
    if isinstance(operand, Indices):
        return helper.make_tensor_value_info(name, TensorProto.INT32, operand.shape)
    return helper.make_tensor_value_info(name, FLOAT, operand)


def network(kind, operands, results=(FLOAT,), domain="", **attributes):
    """One node. An operand is an input, given by its shape as a tuple or as Indices, weights, given by their shape as a
    list, an array, or absent."""
    random = np.random.default_rng(len(kind))
    names, inputs, initializers = [], {}, []
    for number, operand in enumerate(operands):
        name = "" if operand is None else f"x{number}"
        names.append(name)
        if isinstance(operand, (tuple, Indices)):
            inputs[name] = operand
        elif operand is not None:
            weights = isinstance(operand, list)
            array = random.normal(size=operand).astype(np.float32) if weights else operand
            initializers.append(numpy_helper.from_array(array, name))
    outputs = [f"y{i}" for i in range(len(results))]
    node = helper.make_node(kind, names, outputs, name="operator", domain=domain, **attributes)
    graph = helper.make_graph(
        [node],
        kind,
        [declared(name, operand) for name, operand in inputs.items()],
        [helper.make_tensor_value_info(name, element, None) for name, element in zip(outputs, results)],
        initializers,
    )
    sets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=sets, ir_version=IR_VERSION)
    title = f"{kind}{attributes or ''} of {' and '.join(map(str, inputs.values()))}"
    return FloatNetwork(title, model, inputs, any(isinstance(operand, list) for operand in operands))


def integers(*values):
    return np.array(values, np.int64)


IMAGE = (1, 3, 6, 6)


def all_networks():
    return [
        network("Conv", [IMAGE, [4, 3, 3, 3], [4]], pads=[1, 1, 1, 1]),
        network("Conv", [IMAGE, [3, 1, 3, 3]], group=3),
        network("Conv", [(1, 3, 9), [4, 3, 3], [4]]),
        network("ConvTranspose", [IMAGE, [3, 4, 2, 2], [4]], strides=[2, 2]),
        network("Gemm", [(2, 5), [5, 7], [7]]),
        network("Gemm", [(2, 5), [7, 5], [7]], transB=1, alpha=0.5),
        network("Gemm", [(5, 2), [5, 7]], transA=1),
        network("MatMul", [(2, 3, 5), [5, 7]]),
        network("MatMul", [(2, 3, 5), (2, 5, 4)]),
        network("Add", [(2, 3, 5), (3, 1)]),
        network("Add", [(2, 3, 5), [3, 1]]),
        network("Mul", [(2, 3, 5), (2, 3, 5)]),
        network("Sub", [(2, 3, 5), (3, 1)]),
        network("Relu", [(2, 9)]),
        network("Clip", [(2, 9), np.float32(-0.5), np.float32(0.75)]),
        network("LeakyRelu", [(2, 9)], alpha=0.2),
        network("Sigmoid", [(2, 9)]),
        network("Tanh", [(2, 9)]),
        network("MaxPool", [IMAGE], kernel_shape=[2, 2], strides=[2, 2]),
        network("AveragePool", [IMAGE], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        network("AveragePool", [IMAGE], kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1),
        network("AveragePool", [(1, 3, 5, 5)], kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1),
        network("AveragePool", [(1, 3, 9)], kernel_shape=[3]),
        network("GlobalAveragePool", [IMAGE]),
        network("ReduceMean", [IMAGE], axes=[2, 3]),
        network("Concat", [(2, 3), (2, 4)], axis=1),
        network("Concat", [(2, 3), [2, 4]], axis=1),
        network("Split", [(2, 6), integers(2, 4)], results=[FLOAT, FLOAT], axis=1),
        network("Pad", [IMAGE, integers(0, 0, 1, 1, 0, 0, 1, 2), np.float32(0.5)]),
        network("Reshape", [(2, 6), integers(3, 4)]),
        network("Transpose", [(2, 6)], perm=[1, 0]),
        network("Squeeze", [(2, 1, 6), integers(1)]),
        network("Unsqueeze", [(2, 6), integers(0)]),
        network("Flatten", [IMAGE]),
        network("Slice", [(2, 6), integers(1), integers(5), integers(1)]),
        network("Resize", [IMAGE, None, np.array([1, 1, 2, 2], np.float32)], mode="nearest"),
        network("Gather", [(4, 6), integers(3, 0, 3)]),
        network("Softmax", [(2, 9)]),
        network("Softmax", [(2, 9, 3)], axis=1),
        network("Where", [np.arange(9) % 2 == 0, (2, 9), (2, 9)]),
        network("ArgMax", [(2, 9)], results=[TensorProto.INT64], axis=1, keepdims=0),
        network("InstanceNormalization", [IMAGE, [3], [3]]),
        network("LayerNormalization", [(2, 9), [9], [9]]),
        network("BatchNormalization", [IMAGE, [3], [3], [3], np.float32([1, 2, 3])]),
        network("CumSum", [(2, 9), integers(1)]),
        network("Attention", [(1, 3, 8), [8, 24], [24]], domain="com.microsoft", num_heads=2),
        network(
            "EmbedLayerNormalization",
            [Indices((1, 5), 9), Indices((1, 5), 2), [9, 8], [7, 8], [2, 8], [8], [8]],
            results=[FLOAT, TensorProto.INT32],
            domain="com.microsoft",
        ),
        network("LSTM", [(3, 1, 4), [1, 20, 4], [1, 20, 5], [1, 40]], hidden_size=5),
    ]
