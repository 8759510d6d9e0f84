# SPDX-License-Identifier: Apache-2.0
"""The trained network as an .onnx file, float."""

import numpy as np
from onnx import TensorProto, helper

from onnx_layers import Writer, dense, file_bytes, gelu, layer_norm
from vision_transformer import CLASSES, EPSILON, HEADS, PATCH, SIDE, TOKENS, WIDTH


def values(module):
    """Weights and bias."""
    return module.weight.detach().numpy(), module.bias.detach().numpy()


def attention(writer, name, layer, source):
    def heads(what, perm):
        projected = dense(writer, f"{name}.{what}", *values(getattr(layer, what)), source)
        split = writer.shape(f"{name}.{what}_heads", projected, 1, TOKENS, HEADS, WIDTH // HEADS)
        return writer.node(f"{name}.{what}_turned", "Transpose", split, perm=perm)

    query, key, value = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1]), heads("value", [0, 2, 1, 3])
    product = writer.node(name + ".scores", "MatMul", query, key)
    factor = writer.number(name + ".factor", (WIDTH // HEADS) ** -0.5)
    scores = writer.node(name + ".scaled", "Mul", product, factor)
    weights = writer.node(name + ".softmax", "Softmax", scores, axis=-1)
    context = writer.node(name + ".context", "MatMul", weights, value)
    turned = writer.node(name + ".turned", "Transpose", context, perm=[0, 2, 1, 3])
    joined = writer.shape(name + ".joined", turned, 1, TOKENS, WIDTH)
    return dense(writer, name + ".output", *values(layer.output), joined)


def tokens(writer, model):
    pixels = writer.node("pixels", "Div", "picture", writer.number("white", 255))
    weight = writer.constant("patches.weight", model.patches.weight.detach().numpy())
    bias = writer.constant("patches.bias", model.patches.bias.detach().numpy())
    grid = writer.node("patches", "Conv", pixels, weight, bias, kernel_shape=[PATCH] * 2, strides=[PATCH] * 2)
    rows = writer.node("rows", "Transpose", writer.shape("columns", grid, 1, WIDTH, TOKENS - 1), perm=[0, 2, 1])
    first = writer.constant("class_token", model.class_token.detach().numpy())
    positions = writer.constant("positions", model.positions.detach().numpy())
    return writer.node("tokens", "Add", writer.node("sequence", "Concat", first, rows, axis=1), positions)


def onnx_file(model):
    """The file's bytes. Its input is float [1, 1, 28, 28], pixels 0 to 255; its output the float scores [1, 10]."""
    writer = Writer()
    x = tokens(writer, model)
    for index, layer in enumerate(model.layers):
        name = f"layer{index}"
        normal = layer_norm(writer, name + ".norm1", *values(layer.norm1), x, EPSILON)
        x = writer.node(name + ".sum1", "Add", x, attention(writer, name + ".attention", layer, normal))
        normal = layer_norm(writer, name + ".norm2", *values(layer.norm2), x, EPSILON)
        hidden = gelu(writer, name + ".gelu", dense(writer, name + ".dense1", *values(layer.dense1), normal))
        x = writer.node(name + ".sum2", "Add", x, dense(writer, name + ".dense2", *values(layer.dense2), hidden))
    answer = writer.node("answer", "Gather", x, writer.constant("first", np.int64(0)), axis=1)
    dense(writer, "scores", *values(model.head), layer_norm(writer, "norm", *values(model.norm), answer, EPSILON))
    picture = helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, 1, SIDE, SIDE])
    scores = helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, CLASSES])
    return file_bytes(writer, "vit", [picture], scores)
