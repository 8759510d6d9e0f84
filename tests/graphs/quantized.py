# SPDX-License-Identifier: Apache-2.0
"""Quantized operators: QLinear and integer operators, float operators between DequantizeLinear and QuantizeLinear."""

import numpy as np

from draft import Unfit
from reductions import image_shape, window

BYTES = ("int8", "uint8")
SCALES = (0.0078125, 0.02, 0.05, 0.1, 0.0123, 0.25, 1.0)


def quantization(d, name):
    """Scale and zero point of a tensor of bytes, chosen when they are asked for first."""
    if name not in d.scales:
        d.scales[name] = parameters(d, d[name].dtype)
    return d.scales[name]


def parameters(d, dtype):
    low, high = (-128, 127) if dtype == "int8" else (0, 255)
    zero = d.choices.weighted([(0, 35), (high - 127, 15), (low, 10), (high, 10), (None, 30)])
    zero = d.choices.integer(low, high) if zero is None else zero
    return d.choices.pick(SCALES), zero


def _constants(d, scale, zero, dtype):
    return [d.constant_of_parameter(np.asarray(scale, "float32")), d.constant_of_parameter(np.asarray(zero, dtype))]


def scaled(d, name):
    """The names of the scale and the zero point of a tensor."""
    return _constants(d, *quantization(d, name), d[name].dtype)


def _dequantize(d, name):
    return d.node("DequantizeLinear", [name, *scaled(d, name)], [("float32", d[name].shape)])


def _between(d, label, operands, make, types=BYTES):
    """DequantizeLinear of the operands, the nodes of make(names), QuantizeLinear, as one step."""
    nodes = [_dequantize(d, name) for name in operands]
    nodes += make([node.outputs[0] for node in nodes])
    last = nodes[-1].outputs[0]
    dtype = d[operands[0]].dtype if d.choices.chance(70) else d.choices.pick(types)
    scale = d.choices.pick(SCALES), parameters(d, dtype)[1]
    nodes.append(d.node("QuantizeLinear", [last, *_constants(d, *scale, dtype)], [(dtype, d[last].shape)]))
    d.scales[nodes[-1].outputs[0]] = scale
    return d.step(label, *nodes)


def weight(d, shape, axis, symmetric=60):
    """A constant of bytes with a scale for each index of `axis` or one for all: (name, scale, zero point)."""
    dtype = "int8" if d.choices.chance(70) else "uint8"
    name = d.fixed(dtype, shape, "small")
    count = shape[axis] if d.choices.chance(50) else 0
    random = np.random.default_rng(d.choices.integer(0, 2**20))
    scale = (random.uniform(0.002, 0.02, count or None)).astype("float32") if count else np.float32(0.01)
    zero = np.zeros(count or (), dtype)
    if dtype == "uint8":
        zero += np.asarray(128, dtype)
    elif not d.choices.chance(symmetric):
        zero += np.asarray(d.choices.integer(0, 5), dtype)
    return name, d.constant_of_parameter(np.asarray(scale)), d.constant_of_parameter(zero)


def _weight_node(d, shape, axis):
    name, scale, zero = weight(d, shape, axis, 85)
    attributes = {"axis": axis} if d[scale].shape else {}
    return d.node("DequantizeLinear", [name, scale, zero], [("float32", shape)], **attributes)


def _activation(d, nodes):
    """Perhaps a Relu behind the last node."""
    if d.choices.chance(30):
        nodes.append(d.node("Relu", [nodes[-1].outputs[0]], [("float32", d[nodes[-1].outputs[0]].shape)]))
    return nodes


def qdq_conv(d):
    x = d.operand(types=BYTES, ranks=(4,), shape=lambda: image_shape(d))
    n, c, h, w = d[x].shape
    attributes, sizes = window(d, h, w, dilated=True)
    group = d.choices.weighted([(1, 70), (c, 30)])
    outputs = max(1, d.size(40) // group) * group
    kernel = attributes["kernel_shape"]
    d.multiply(n * int(np.prod(sizes)) * c // group * int(np.prod(kernel)) * outputs)

    def make(names):
        filters = _weight_node(d, (outputs, c // group, *kernel), 0)
        result = ("float32", (n, outputs, *sizes))
        product = d.node("Conv", [names[0], filters.outputs[0]], [result], group=group, **attributes)
        return _activation(d, [filters, product])

    return _between(d, "QdqConv", [x], make)


def qdq_matmul(d):
    x = d.operand(types=BYTES, ranks=(2, 3))
    *batch, m, k = d[x].shape
    n = d.size(64)
    rows = int(np.prod(batch, dtype=np.int64)) * m
    d.multiply(rows * k * n)
    computed = batch and d.choices.chance(40)
    operands = [x, d.like(x, [*batch, k, n])] if computed else [x]

    def make(names):
        result = ("float32", [*batch, m, n])
        if computed:
            return [d.node("MatMul", names, [result])]
        filters = _weight_node(d, (k, n), 1)
        return _activation(d, [filters, d.node("MatMul", [names[0], filters.outputs[0]], [result])])

    return _between(d, "QdqMatMul", operands, make)


def qdq_elements(d):
    x = d.operand(types=BYTES)
    kind = d.choices.weighted([("Add", 30), ("Mul", 20), ("Sub", 10), ("Sigmoid", 8), ("Relu", 8), ("Tanh", 6),
                               ("Max", 5), ("LeakyRelu", 5), ("HardSwish", 4), ("Softmax", 4)])  # fmt: skip
    shape = d[x].shape
    if kind == "Softmax" and not shape:
        raise Unfit("scalar")
    operands = [x]
    if kind in ("Add", "Mul", "Sub", "Max"):
        other = shape if d.choices.chance(70) else d.choices.pick((shape[-1:], (), [1] * len(shape)))
        operands.append(d.like(x, other))

    def make(names):
        return [d.node(kind, names, [("float32", shape)])]

    return _between(d, "Qdq" + kind, operands, make)


def qdq_pool(d):
    x = d.operand(types=BYTES, ranks=(4,), shape=lambda: image_shape(d))
    n, c, h, w = d[x].shape
    kind = d.choices.pick(("AveragePool", "GlobalAveragePool", "ReduceMean"))

    def make(names):
        if kind == "AveragePool":
            attributes, sizes = window(d, h, w)
            attributes["count_include_pad"] = d.choices.integer(0, 1)
            return [d.node(kind, names, [("float32", (n, c, *sizes))], **attributes)]
        if kind == "ReduceMean":
            result = ("float32", (n, c))
            return [d.node(kind, [names[0], d.constants([2, 3])], [result], keepdims=0)]
        return [d.node(kind, names, [("float32", (n, c, 1, 1))])]

    return _between(d, "Qdq" + kind, [x], make)


def qlinear_conv(d):
    x = d.operand(types=BYTES, ranks=(4,), shape=lambda: image_shape(d))
    n, c, h, w = d[x].shape
    attributes, sizes = window(d, h, w, dilated=True)
    group = d.choices.weighted([(1, 75), (c, 25)])
    outputs = max(1, d.size(40) // group) * group
    kernel = attributes["kernel_shape"]
    d.multiply(n * int(np.prod(sizes)) * c // group * int(np.prod(kernel)) * outputs)
    filters = weight(d, (outputs, c // group, *kernel), 0)
    to = parameters(d, d[x].dtype)
    inputs = [x, *scaled(d, x), *filters, *_constants(d, *to, d[x].dtype)]
    if d.choices.chance(50):
        random = np.random.default_rng(d.choices.integer(0, 2**20))
        inputs.append(d.constant(random.integers(-5000, 5000, outputs).astype("int32")))
    (y,) = d.add("QLinearConv", inputs, [(d[x].dtype, (n, outputs, *sizes))], group=group, **attributes)
    d.scales[y] = to
    return [y]


def _product(d):
    """The left operand of a product, and its sizes."""
    x = d.operand(types=BYTES, ranks=(2, 3))
    *batch, m, k = d[x].shape
    n = d.size(64)
    d.multiply(int(np.prod(batch, dtype=np.int64)) * m * k * n)
    return x, batch, m, k, n


def qlinear_matmul(d):
    x, batch, m, k, n = _product(d)
    to = parameters(d, d[x].dtype)
    if batch and d.choices.chance(40):
        y = d.like(x, [*batch, k, n])
        right = [y, *scaled(d, y)]
    else:
        right = weight(d, (k, n), 1)
        if d[right[1]].shape:  # a scale for each column: ONNX Runtime takes it for constants of int8 only
            right = [right[0], *_constants(d, 0.01, 0 if d[right[0]].dtype == "int8" else 128, d[right[0]].dtype)]
    inputs = [x, *scaled(d, x), *right, *_constants(d, *to, d[x].dtype)]
    (z,) = d.add("QLinearMatMul", inputs, [(d[x].dtype, [*batch, m, n])])
    d.scales[z] = to
    return [z]


def matmul_integer(d):
    x, batch, m, k, n = _product(d)
    y, _, zero = weight(d, (k, n), 1)
    inputs = [x, y]
    if d.choices.chance(70):
        single = d.constant_of_parameter(d.graph.constants[zero].reshape(-1)[0])
        inputs += [d.constant_of_parameter(np.asarray(quantization(d, x)[1], d[x].dtype)), single]
    return d.add("MatMulInteger", inputs, [("int32", [*batch, m, n])])


def conv_integer(d):
    x = d.operand(types=("uint8",), ranks=(4,), shape=lambda: image_shape(d))
    n, c, h, w = d[x].shape
    attributes, sizes = window(d, h, w)
    outputs = d.size(32)
    kernel = attributes["kernel_shape"]
    d.multiply(n * int(np.prod(sizes)) * c * int(np.prod(kernel)) * outputs)
    filters = d.fixed("uint8", (outputs, c, *kernel), "small")
    inputs = [x, filters]
    if d.choices.chance(70):
        inputs += [d.constant_of_parameter(np.asarray(quantization(d, x)[1], "uint8"))]
    return d.add("ConvInteger", inputs, [("int32", (n, outputs, *sizes))], **attributes)


def qlinear_elements(d):
    """The operators of com.microsoft."""
    x = d.operand(types=BYTES, ranks=range(1, 5))
    kind = d.choices.pick(("QLinearAdd", "QLinearMul", "QLinearSigmoid", "QLinearLeakyRelu"))
    to = parameters(d, d[x].dtype)
    inputs = [x, *scaled(d, x)]
    attributes = {"alpha": 0.1} if kind == "QLinearLeakyRelu" else {}
    if kind in ("QLinearAdd", "QLinearMul"):
        y = d.like(x)
        inputs += [y, *scaled(d, y)]
    inputs += _constants(d, *to, d[x].dtype)
    (z,) = d.add(kind, inputs, [(d[x].dtype, d[x].shape)], domain="com.microsoft", **attributes)
    d.scales[z] = to
    return [z]


def quantize(d):
    """A tensor of float32 to bytes."""
    x = d.operand(types=("float32",))
    dtype = d.choices.pick(BYTES)
    to = parameters(d, dtype)
    (y,) = d.add("QuantizeLinear", [x, *_constants(d, *to, dtype)], [(dtype, d[x].shape)])
    d.scales[y] = to
    return [y]


def dequantize(d):
    x = d.operand(types=BYTES)
    return d.step("DequantizeLinear", _dequantize(d, x))


def dynamic_quantize(d):
    x = d.operand(types=("float32",), ranks=range(1, 5))
    results = [("uint8", d[x].shape), ("float32", ()), ("uint8", ())]
    return d.add("DynamicQuantizeLinear", [x], results)


STEPS = [(qdq_conv, 10), (qdq_matmul, 9), (qdq_elements, 12), (qdq_pool, 4), (qlinear_conv, 8), (qlinear_matmul, 6),
         (matmul_integer, 3), (conv_integer, 3), (qlinear_elements, 6), (quantize, 3), (dequantize, 2),
         (dynamic_quantize, 1)]  # fmt: skip
