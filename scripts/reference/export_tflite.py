# SPDX-License-Identifier: Apache-2.0
"""Exports a trained and quantized network as .tflite, NHWC, with a softmax at its end."""

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from quantized_network import Scale, quantize_weights
from tflite_writer import TfliteModel

SOFTMAX_SCALE = Scale(1 / 256, -128)  # the only one that TensorFlow Lite's softmax writes


def activation(layer):
    return schema.ActivationFunctionType.RELU if layer.relu else schema.ActivationFunctionType.NONE


def export(layers, scales, side):
    """The file's bytes. Its input is [1, side, side, 1], its output [1, 10]."""
    model = TfliteModel()
    shapes = {"input": (1, side, side, 1)}
    tensors = {"input": model.tensor("input", shapes["input"], scale=scales["input"])}
    for layer in layers:
        source = shapes[layer.inputs[0]]
        inputs = [tensors[name] for name in layer.inputs]
        parameters = []
        if layer.weights:
            values, weight_scales, bias = quantize_weights(layer, scales[layer.inputs[0]].scale)
            axis = 0
            if layer.kind == "conv":
                values = values.transpose(0, 2, 3, 1)
            elif layer.kind == "depthwise":
                values, axis = values.transpose(1, 2, 3, 0), 3
            parameters = [
                model.constant(layer.name + "/weights", values, weight_scales, axis),
                model.constant(layer.name + "/bias", bias, scales[layer.inputs[0]].scale * weight_scales),
            ]
        if layer.kind in ("conv", "depthwise"):
            rows = -(-source[1] // layer.stride)
            shape = (1, rows, rows, layer.weights[0])
        elif layer.kind == "add":
            shape = source
        else:
            shape = (
                1,
                int(np.prod(layer.weights[:1]))
                if layer.weights
                else source[3]
                if layer.kind == "mean"
                else int(np.prod(source)),
            )
        shapes[layer.name] = shape
        result = tensors[layer.name] = model.tensor(layer.name, shape, scale=scales[layer.name])
        sliding = dict(
            padding=schema.Padding.SAME,
            strideW=layer.stride,
            strideH=layer.stride,
            dilationWFactor=1,
            dilationHFactor=1,
            fusedActivationFunction=activation(layer),
        )
        if layer.kind == "conv":
            model.operator("CONV_2D", inputs + parameters, [result], "Conv2DOptions", version=3, **sliding)
        elif layer.kind == "depthwise":
            model.operator(
                "DEPTHWISE_CONV_2D",
                inputs + parameters,
                [result],
                "DepthwiseConv2DOptions",
                version=3,
                depthMultiplier=1,
                **sliding,
            )
        elif layer.kind == "dense":
            model.operator(
                "FULLY_CONNECTED",
                inputs + parameters,
                [result],
                "FullyConnectedOptions",
                version=4,
                fusedActivationFunction=activation(layer),
            )
        elif layer.kind == "add":
            model.operator("ADD", inputs, [result], "AddOptions", version=2, fusedActivationFunction=activation(layer))
        elif layer.kind == "mean":
            axes = model.constant(layer.name + "/axes", np.array([1, 2], np.int32))
            model.operator("MEAN", inputs + [axes], [result], "ReducerOptions", version=2, keepDims=False)
        else:
            target = model.constant(layer.name + "/shape", np.array(shape, np.int32))
            model.operator("RESHAPE", inputs + [target], [result], "ReshapeOptions", newShape=list(shape))
    answer = model.tensor("probabilities", shapes[layers[-1].name], scale=SOFTMAX_SCALE)
    model.operator("SOFTMAX", [tensors[layers[-1].name]], [answer], "SoftmaxOptions", version=2, beta=1.0)
    return model.bytes([tensors["input"]], [answer])
