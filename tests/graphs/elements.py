# SPDX-License-Identifier: Apache-2.0
"""Element-wise operators."""

import numpy as np

from draft import Unfit
from values import ALL_TYPES, INTEGERS, SIGNED, draw

FUNCTIONS = (
    ("Relu", 12), ("Neg", 6), ("Abs", 6), ("Sigmoid", 6), ("Tanh", 5), ("Exp", 4), ("Log", 3), ("Sqrt", 4),
    ("Reciprocal", 3), ("Erf", 3), ("Floor", 3), ("Ceil", 2), ("Round", 2), ("Sign", 3), ("Softplus", 2),
    ("Softsign", 2), ("HardSwish", 2), ("HardSigmoid", 2), ("Elu", 2), ("Selu", 1), ("Celu", 1), ("Mish", 1),
    ("LeakyRelu", 4), ("ThresholdedRelu", 1), ("Gelu", 3), ("Sin", 1), ("Cos", 1), ("Identity", 1), ("Swish", 1),
)  # fmt: skip
OF_ANY_NUMBER = {"Relu": ("float32", "int32", "int8"), "Neg": ("float32", "int32", "int8", "int64"),
                 "Abs": ("float32", "float64", *SIGNED), "Sign": ("float32", *SIGNED), "Identity": ALL_TYPES,
                 "Sqrt": ("float32", "float64"), "Exp": ("float32", "float64")}  # fmt: skip


def function(d):
    kind = d.choices.weighted(FUNCTIONS)
    if kind == "Swish":  # x * sigmoid(x), as opset 21 writes it
        return _swish(d)
    x = d.operand(types=OF_ANY_NUMBER.get(kind, ("float32",)))
    attributes = {}
    if kind in ("LeakyRelu", "Elu", "ThresholdedRelu", "Celu") and d.choices.chance(70):
        attributes["alpha"] = d.choices.pick((0.5, 0.1, 1.25, 0.01))
    if kind == "HardSigmoid" and d.choices.chance(50):
        attributes.update(alpha=d.choices.pick((0.5, 1 / 6)), beta=d.choices.pick((0.5, 0.25)))
    if kind == "Gelu" and d.choices.chance(50):
        attributes["approximate"] = "tanh"
    return d.add(kind, [x], [(d[x].dtype, d[x].shape)], **attributes)


def _swish(d):
    x = d.operand(types=("float32",))
    (s,) = d.add("Sigmoid", [x], [(d[x].dtype, d[x].shape)])
    return d.add("Mul", [x, s], [(d[x].dtype, d[x].shape)])


def _broadcast(d, x, second=True):
    """Another operand for x, whose shape broadcasts with it, and the shape of the result."""
    shape = list(d[x].shape)
    way = d.choices.weighted([("same", 50), ("scalar", 10), ("last", 15), ("some", 15), ("outer", 10)])
    other = list(shape)
    if way == "scalar":
        other = []
    elif way == "last":
        other = shape[-1:]
    elif way == "some":
        other = [1 if d.choices.chance(50) else size for size in shape]
    elif way == "outer" and len(shape) < 5:
        other = [d.choices.integer(1, 3), *([1] * len(shape))]
    y = d.like(x, other)
    return y, np.broadcast_shapes(d[x].shape, d[y].shape)


BINARY = (("Add", 25), ("Mul", 20), ("Sub", 12), ("Div", 8), ("Max", 6), ("Min", 6), ("Pow", 3), ("Mod", 4))


def binary(d):
    kind = d.choices.weighted(BINARY)
    types = ("float32",) * 3 + ("float64", "float16", *INTEGERS)
    if kind == "Pow":
        types = ("float32",)
    if kind in ("Max", "Min"):
        types = ("float32", "float64", "int32", "int64", "uint32", "uint64", "int8", "uint8")
    if kind == "Mod":
        types = INTEGERS
    x = d.operand(types=types)
    if kind in ("Div", "Mod") and d[x].dtype in INTEGERS:
        # Division by zero, and of the least number by -1, is undefined in ONNX.
        y, shape = d.fixed(d[x].dtype, d.choices.pick((d[x].shape, d[x].shape[-1:], ())), "positive"), d[x].shape
        return d.add(kind, [x, y], [(d[x].dtype, shape)])
    if kind == "Pow":
        y = d.constant(np.asarray(d.choices.pick((2.0, 3.0, 0.5, -1.0, 1.0, 1.5)), "float32"))
        return d.add(kind, [x, y], [(d[x].dtype, d[x].shape)])
    y, shape = _broadcast(d, x)
    operands = [x, y] if d.choices.chance(70) else [y, x]
    results = d.add(kind, operands, [(d[x].dtype, shape)])
    if d[x].dtype == "float16":  # computed in float32 and rounded where it leaves: other steps would read it unrounded
        d.inner.update(results)
    return results


COMPARISONS = ("Greater", "Less", "Equal", "GreaterOrEqual", "LessOrEqual")


def comparison(d):
    x = d.operand(types=("float32", "float32", "float64", "int32", "int64", "int8", "uint8", "int16"))
    kind = d.choices.pick(COMPARISONS)
    y, shape = _broadcast(d, x)
    return d.add(kind, [x, y], [("bool", shape)])


def select(d):
    x = d.operand(types=ALL_TYPES)
    y, shape = _broadcast(d, x)
    wanted = tuple(shape if d.choices.chance(70) else shape[-1:])
    fitting = [n for n, t in d.readable() if t == type(d[x])("bool", wanted)]
    if fitting and d.choices.chance(80):
        condition = fitting[-1]
    else:
        condition = d.fixed("bool", wanted) if d.choices.chance(40) else d.input("bool", wanted)
    return d.add("Where", [condition, x, y], [(d[x].dtype, shape)])


def compare_and_select(d):
    """As in training steps and clipped activations: a comparison that selects between two tensors."""
    x = d.operand(types=("float32",))
    y = d.like(x)
    (condition,) = d.add(d.choices.pick(COMPARISONS), [x, y], [("bool", d[x].shape)])
    a, b = d.like(x), d.like(x)
    return d.add("Where", [condition, a, b], [(d[x].dtype, d[x].shape)])


def logic(d):
    x = d.operand(types=("bool",))
    if d.choices.chance(30):
        return d.add("Not", [x], [("bool", d[x].shape)])
    y, shape = _broadcast(d, x)
    return d.add(d.choices.pick(("And", "Or", "Xor")), [x, y], [("bool", shape)])


def test(d):
    x = d.operand(types=("float32", "float64"))
    return d.add(d.choices.pick(("IsNaN", "IsInf")), [x], [("bool", d[x].shape)])


def clip(d):
    x = d.operand(types=("float32", "float32", "int8", "uint8", "int32", "float64", "int64", "uint32", "uint64"))
    dtype = d[x].dtype
    low, high = sorted(draw(d.choices, dtype, (2,), "small").tolist())
    bounds = [d.constant_of_parameter(np.asarray(value, dtype)) for value in (low, high)]
    absent = d.choices.integer(0, 3)
    inputs = [x, "" if absent == 1 else bounds[0], *([] if absent == 2 else bounds[1:])]
    return d.add("Clip", inputs, [(dtype, d[x].shape)])


def prelu(d):
    x = d.operand(types=("float32",), ranks=range(1, 5))
    shape = d[x].shape if d.choices.chance(40) else d[x].shape[-1:]
    return d.add("PRelu", [x, d.fixed(d[x].dtype, shape)], [(d[x].dtype, d[x].shape)])


def cast(d):
    x = d.operand(types=ALL_TYPES)
    to = d.choices.pick([t for t in ("float32", "int8", "uint8", "int32", *ALL_TYPES) if t != d[x].dtype])
    return d.add("Cast", [x], [(to, d[x].shape)], to=_code(to))


def _code(dtype):
    from onnx_file import CODES

    return int(CODES[dtype])


def shift(d):
    """BitShift; of signed integers since operator set 28."""
    unsigned = ("uint8", "uint16", "uint32", "uint64")
    types = (*SIGNED, *unsigned) if d.graph.opset >= 28 else unsigned
    x = d.operand(types=types)
    if d[x].dtype not in types:
        raise Unfit("type")
    bits = np.dtype(d[x].dtype).itemsize * 8
    random = np.random.default_rng(d.choices.integer(0, 2**20))
    shape = d[x].shape if d.choices.chance(60) else ()
    places = d.constant(np.asarray(random.integers(0, bits, shape), d[x].dtype))
    direction = d.choices.pick(("RIGHT", "LEFT"))
    return d.add("BitShift", [x, places], [(d[x].dtype, d[x].shape)], direction=direction)


def variadic(d):
    x = d.operand(types=("float32",))
    kind = d.choices.pick(("Sum", "Mean", "Max", "Min"))
    others = [d.like(x) for _ in range(d.choices.integer(1, 2))]
    return d.add(kind, [x, *others], [(d[x].dtype, d[x].shape)])


def chain(d):
    """Several element-wise operators of one size, which a compiler joins into one kernel."""
    x = d.operand(types=("float32",))
    shape = d[x].shape
    for _ in range(d.choices.integer(2, 4)):
        kind = d.choices.pick(("Mul", "Add", "Sub", "Sigmoid", "Div"))
        if kind == "Sigmoid":
            (x,) = d.add(kind, [x], [("float32", shape)])
            continue
        y = d.like(x, () if d.choices.chance(20) else shape)
        (x,) = d.add(kind, [x, y] if d.choices.chance(70) else [y, x], [("float32", shape)])
    return [x]


FLOAT = [(function, 22), (binary, 22), (comparison, 3), (select, 3), (compare_and_select, 4), (test, 1), (clip, 5),
         (prelu, 3), (cast, 3), (variadic, 3), (chain, 8)]  # fmt: skip
MIXED = [(function, 8), (binary, 18), (comparison, 8), (select, 6), (logic, 8), (test, 1), (clip, 4), (cast, 18),
         (shift, 8), (variadic, 1)]  # fmt: skip
INTEGER = [(cast, 3), (clip, 2), (comparison, 2), (select, 2)]
