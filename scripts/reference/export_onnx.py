# SPDX-License-Identifier: Apache-2.0
"""Exports a trained and quantized network as .onnx in the form that ONNX Runtime's quantizer writes: every tensor
through QuantizeLinear and DequantizeLinear, NCHW, float at both ends."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from quantized_network import quantize_weights
from networks import padding

OPSET = 17


class Writer:
    def __init__(self, scales):
        self.scales = scales
        self.nodes, self.constants, self.float_names = [], [], {}

    def constant(self, name, values):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def scale(self, name):
        return [
            self.constant(name + "_scale", np.float32(self.scales[name].scale)),
            self.constant(name + "_zero_point", np.int8(self.scales[name].zero_point)),
        ]

    def node(self, kind, inputs, outputs, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, outputs, name=outputs[0], **attributes))

    def through_int8(self, name, source):
        """Adds the quantization of the float tensor `source` to the int8 tensor `name`, and its dequantization for the
        readers."""
        scale = self.scale(name)
        self.node("QuantizeLinear", [source, *scale], [name + "_int8"])
        self.node("DequantizeLinear", [name + "_int8", *scale], [name + "_float"])
        self.float_names[name] = name + "_float"

    def parameters(self, layer):
        """Weights per output channel and bias, dequantized; a bias has its product's scale."""
        input_scale = self.scales[layer.inputs[0]].scale
        values, scales, bias = quantize_weights(layer, input_scale)
        per_channel = {"axis": 0} if len(scales) > 1 else {}
        weight_scales = scales.astype(np.float32) if len(scales) > 1 else np.float32(scales[0])
        bias_scales = (np.float32(input_scale) * scales.astype(np.float32)).astype(np.float32)
        names = []
        for what, data, scale in (
            ("weight", values, weight_scales),
            ("bias", bias, bias_scales if len(scales) > 1 else bias_scales[0]),
        ):
            name = f"{layer.name}_{what}"
            inputs = [
                self.constant(name + "_quantized", data),
                self.constant(name + "_scale", scale),
                self.constant(name + "_zero_point", np.zeros(np.shape(scale), data.dtype)),
            ]
            self.node("DequantizeLinear", inputs, [name], **per_channel)
            names.append(name)
        return names


def export(layers, scales, side):
    """The file's bytes. Its input is float [1, 1, side, side], its output the float logits [1, 10]."""
    writer = Writer(scales)
    writer.through_int8("input", "input")
    sides = {"input": side}
    for layer in layers:
        inputs = [writer.float_names[name] for name in layer.inputs]
        result = layer.name + "_sum" if layer.relu else layer.name + "_result"
        sides[layer.name] = -(-sides[layer.inputs[0]] // layer.stride)
        if layer.kind in ("conv", "depthwise"):
            before, behind = padding(sides[layer.inputs[0]], layer.weights[2], layer.stride)
            writer.node(
                "Conv",
                inputs + writer.parameters(layer),
                [result],
                kernel_shape=layer.weights[2:],
                strides=[layer.stride] * 2,
                pads=[before, before, behind, behind],
                group=layer.weights[0] if layer.kind == "depthwise" else 1,
            )
        elif layer.kind == "dense":
            writer.node("Gemm", inputs + writer.parameters(layer), [result], transB=1)
        elif layer.kind == "add":
            writer.node("Add", inputs, [result])
        elif layer.kind == "mean":
            writer.node("GlobalAveragePool", inputs, [result])
        else:
            writer.node("Flatten", inputs, [result])
        if layer.relu:
            writer.node("Relu", [result], [layer.name + "_result"])
        writer.through_int8(layer.name, layer.name + "_result")
        if layer.kind == "mean":  # [1, channels, 1, 1] for the dense layer that reads it
            flat = layer.name + "_flat"
            writer.scales[flat] = scales[layer.name]
            writer.node("Flatten", [writer.float_names[layer.name]], [flat])
            writer.through_int8(flat, flat)
            writer.float_names[layer.name] = writer.float_names[flat]
    graph = helper.make_graph(
        writer.nodes,
        "reference",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, 1, side, side])],
        [helper.make_tensor_value_info(writer.float_names[layers[-1].name], TensorProto.FLOAT, [1, 10])],
        writer.constants,
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8, producer_name="systole"
    )
    onnx.checker.check_model(model)
    return model.SerializeToString()
