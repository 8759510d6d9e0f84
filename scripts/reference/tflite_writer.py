# SPDX-License-Identifier: Apache-2.0
"""Writes .tflite files: tensors and operators appended one by one, on the classes that LiteRT generates from TensorFlow
Lite's schema."""

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

TYPES = {
    np.dtype(np.int8): schema.TensorType.INT8,
    np.dtype(np.int16): schema.TensorType.INT16,
    np.dtype(np.uint8): schema.TensorType.UINT8,
    np.dtype(np.bool_): schema.TensorType.BOOL,
    np.dtype(np.int32): schema.TensorType.INT32,
    np.dtype(np.int64): schema.TensorType.INT64,
    np.dtype(np.float32): schema.TensorType.FLOAT32,
}


class TfliteModel:
    def __init__(self):
        self.model = schema.ModelT()
        self.model.version = 3
        self.model.buffers = [schema.BufferT()]  # the first stands for "no data"
        self.model.operatorCodes = []
        self.model.subgraphs = []
        self.subgraph()

    def subgraph(self):
        """Begins a subgraph, to which tensors and operators are appended from now on, and returns its index."""
        self.graph = schema.SubGraphT()
        self.graph.tensors, self.graph.operators, self.graph.inputs, self.graph.outputs = [], [], [], []
        self.model.subgraphs.append(self.graph)
        return len(self.model.subgraphs) - 1

    def interface(self, inputs, outputs):
        """Names inputs and outputs of the current subgraph."""
        self.graph.inputs, self.graph.outputs = list(inputs), list(outputs)

    def variable(self, name):
        """Appends the handle of a variable, which the subgraphs of the file share by name, and returns its tensor."""
        handle = schema.TensorT()
        handle.name, handle.shape, handle.type, handle.buffer = f"{name}/handle", [], schema.TensorType.RESOURCE, 0
        self.graph.tensors.append(handle)
        index = len(self.graph.tensors) - 1
        self.operator("VAR_HANDLE", [], [index], "VarHandleOptions", container="", sharedName=name)
        return index

    def tensor(self, name, shape, kind=np.int8, scale=None, axis=0, data=None):
        """Appends a tensor and returns its index. `scale` is a quantize.Scale, or an array of scales along `axis` with
        zero points 0."""
        tensor = schema.TensorT()
        tensor.name, tensor.shape, tensor.type = name, list(shape), TYPES[np.dtype(kind)]
        if scale is not None:
            tensor.quantization = schema.QuantizationParametersT()
            scales = np.atleast_1d(getattr(scale, "scale", scale))
            tensor.quantization.scale = [float(value) for value in scales]
            tensor.quantization.zeroPoint = [getattr(scale, "zero_point", 0)] * len(scales)
            tensor.quantization.quantizedDimension = axis
        tensor.buffer = 0
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(data, kind).tobytes(), np.uint8)
            tensor.buffer = len(self.model.buffers)
            self.model.buffers.append(buffer)
        self.graph.tensors.append(tensor)
        return len(self.graph.tensors) - 1

    def constant(self, name, data, scale=None, axis=0):
        return self.tensor(name, data.shape, data.dtype, scale, axis, data)

    def operator(self, kind, inputs, outputs, options=None, version=1, **attributes):
        """Appends an operator of BuiltinOperator `kind`; `options` names its options table, `attributes` are fields of
        it."""
        code = getattr(schema.BuiltinOperator, kind)
        for index, known in enumerate(self.model.operatorCodes):
            if (known.builtinCode, known.version) == (code, version):
                break
        else:
            index = len(self.model.operatorCodes)
            known = schema.OperatorCodeT()
            known.builtinCode, known.deprecatedBuiltinCode, known.version = code, min(code, 127), version
            self.model.operatorCodes.append(known)
        operator = schema.OperatorT()
        operator.opcodeIndex, operator.inputs, operator.outputs = index, list(inputs), list(outputs)
        if options:
            operator.builtinOptionsType = getattr(schema.BuiltinOptions, options)
            operator.builtinOptions = getattr(schema, options + "T")()
            for name, value in attributes.items():
                if not hasattr(operator.builtinOptions, name):
                    raise ValueError(f"{options} has no field {name}")
                setattr(operator.builtinOptions, name, value)
        self.graph.operators.append(operator)

    def bytes(self, inputs, outputs):
        """The file, with these tensors of its first subgraph as its inputs and outputs."""
        self.model.subgraphs[0].inputs, self.model.subgraphs[0].outputs = list(inputs), list(outputs)
        builder = flatbuffers.Builder(1 << 16)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())
