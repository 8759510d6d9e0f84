# SPDX-License-Identifier: Apache-2.0
"""The list of differences between the host and the judges that are right. Nothing else is accepted.

Each class has a reason, and a function that marks the elements to which it applies. test_differences.py shows for each
that it applies where its reason does, and only there.
"""

import functools
from dataclasses import dataclass

import numpy as np

import tolerances

TINY = np.finfo(np.float32).tiny
LARGE = float(np.finfo(np.float32).max) / 16


@dataclass
class Case:
    """A result of a step that differs."""

    graph: object
    step: object
    values: dict  # of the step's inputs, by name
    host: np.ndarray
    judged: np.ndarray
    judge_again: object  # (values) -> the judge's result on other values of the inputs
    second_judge: object  # () -> the result of the kernels for microcontrollers
    near_tie: object  # () -> where the step rounds a number half-way between two integers; None if it rounds none

    @property
    def kind(self):
        """The kind of the step's operator; of several nodes, of the one between the conversions."""
        kinds = [n.kind for n in self.step.nodes if n.kind not in ("DequantizeLinear", "QuantizeLinear", "Relu")]
        return kinds[-1] if kinds else self.step.nodes[-1].kind

    def operand(self, i=0):
        name = self.step.nodes[0].inputs[i]
        return self.graph.constants.get(name, self.values.get(name))

    def operands(self):
        """The values of all inputs, constants among them; one that is read twice is there twice."""
        made = {name for node in self.step.nodes for name in node.outputs}
        names = [name for node in self.step.nodes for name in node.inputs if name and name not in made]
        return [self.graph.constants.get(name, self.values.get(name)) for name in names]


def flushed(array):
    """Numbers of float32 below 2^-126 as zeros of their sign."""
    if array.dtype != np.float32:
        return array
    return np.where(np.abs(array) < TINY, np.copysign(np.float32(0), array), array)


def same_bits(a, b):
    if a.dtype.kind != "f":
        return a == b
    unsigned = f"u{a.dtype.itemsize}"
    return a.view(unsigned) == b.view(unsigned)


def _nan(case):
    """Both are NaN."""
    if case.kind in tolerances.MOVES or case.host.dtype.kind != "f":
        return np.zeros(case.host.shape, bool)
    return np.isnan(case.host) & np.isnan(case.judged)


def _rounding(case):
    bound = tolerances.bound(case, case.judged)
    if bound is None:
        return np.zeros(case.host.shape, bool)
    with np.errstate(all="ignore"):
        distance = np.abs(case.host.astype(np.float64) - case.judged.astype(np.float64))
        return distance <= bound


def _subnormal(case):
    """The judge agrees on operands without subnormal numbers; or squares in between are that small."""
    return _subnormal_operands(case) | _subnormal_squares(case)


def _subnormal_squares(case):
    attributes = case.step.nodes[0].attributes
    if case.kind != "LpNormalization" or attributes["p"] != 2:
        return np.zeros(case.host.shape, bool)
    squares = np.square(case.operand().astype(np.float64))
    # Each may be off by 2^-126, which is more than the rounding of a sum that is less than 2^16 times that.
    sums = squares.sum(axis=attributes["axis"], keepdims=True)
    return np.broadcast_to(sums < squares.shape[attributes["axis"]] * 2.0**-110, case.host.shape)


def _subnormal_operands(case):
    nothing = np.zeros(case.host.shape, bool)
    arrays = [a for a in (*case.operands(), case.judged) if a.dtype == np.float32]
    if case.kind in tolerances.MOVES or not any(((a != 0) & (np.abs(a) < TINY)).any() for a in arrays):
        return nothing
    constants = {name: case.graph.constants[name] for name in case.step.inputs if name in case.graph.constants}
    again = flushed(case.judge_again({name: flushed(value) for name, value in {**case.values, **constants}.items()}))
    equal = same_bits(case.host, again)
    if case.kind in ZEROS:
        equal |= (case.host == 0) & (again == 0)
    if case.host.dtype.kind == "f":
        equal |= np.isnan(case.host) & np.isnan(again)
        bound = tolerances.bound(case, again)
        if bound is not None:
            with np.errstate(all="ignore"):
                equal |= np.abs(case.host.astype(np.float64) - again.astype(np.float64)) <= bound
    return equal


# Operators that choose between elements, for which ONNX does not say which zero wins, and those for which ONNX Runtime
# gives the other zero: Where adds a zero to what it selects, PRelu multiplies 0 by the slope.
ZEROS = {"Max", "Min", "ReduceMax", "ReduceMin", "MaxPool", "GlobalMaxPool", "Relu", "Clip", "Where", "PRelu"}
CHOICES = {"Max", "Min", "ReduceMax", "ReduceMin", "MaxPool", "GlobalMaxPool", "Clip", "ArgMax", "ArgMin", "Hardmax"}


def _zero_sign(case):
    if case.kind not in ZEROS:
        return np.zeros(case.host.shape, bool)
    return (case.host == 0) & (case.judged == 0)


def _has_nan(case):
    return any(np.isnan(a).any() for a in case.operands() if a.dtype.kind == "f")


def _order_of_nan(case):
    """Results that depend on whether NaN is greater than numbers: those that one is among the candidates of."""
    if case.kind not in CHOICES or not _has_nan(case):
        return np.zeros(case.host.shape, bool)
    operands, attributes = case.operands(), case.step.nodes[0].attributes
    if case.kind in ("Max", "Min", "Clip"):
        return np.broadcast_to(functools.reduce(np.logical_or, map(np.isnan, operands)), case.host.shape)
    if case.kind == "MaxPool":
        return np.full(case.host.shape, True)
    if case.kind in ("ReduceMax", "ReduceMin"):
        axes = tuple(operands[1].tolist()) if len(operands) > 1 else None
    else:
        axes = (2, 3) if case.kind == "GlobalMaxPool" else attributes.get("axis", -1 if case.kind == "Hardmax" else 0)
    among = np.isnan(operands[0]).any(axis=axes, keepdims=True)
    return np.broadcast_to(among, case.host.shape) if case.kind == "Hardmax" else among.reshape(case.host.shape)


def _undefined_recurrence(case):
    finite = all(np.isfinite(a).all() for a in case.operands() if a.dtype.kind == "f")
    terms = tolerances.size_of_terms(case) if case.kind in tolerances.RECURRENCES else 0
    return np.full(case.host.shape, case.kind in tolerances.RECURRENCES and not (finite and terms < LARGE))


def _undefined_cast(case):
    nothing = np.zeros(case.host.shape, bool)
    if case.kind != "Cast" or case.host.dtype.kind not in "iu" or case.operand().dtype.kind != "f":
        return nothing
    limits = np.iinfo(case.host.dtype)
    x = case.operand().astype(np.float64)
    return ~((np.trunc(x) >= float(limits.min)) & (np.trunc(x) < float(limits.max) + 1))


def _undefined_quantization(case):
    if case.kind == "DynamicQuantizeLinear":
        x = case.operand()
        endless = not np.isfinite(np.maximum(x.max(), np.float32(0)) - np.minimum(x.min(), np.float32(0)))
        return np.full(case.host.shape, endless)
    if case.kind != "QuantizeLinear":
        return np.zeros(case.host.shape, bool)
    return np.isnan(case.operand())


def _tie(case):
    near = case.near_tie() if case.host.dtype.kind in "iu" else None
    if near is None:
        return np.zeros(case.host.shape, bool)
    return near & (np.abs(case.host.astype(np.int64) - case.judged.astype(np.int64)) == 1)


def _rounded_twice(case):
    """The kernels for microcontrollers agree with the host in all elements."""
    if case.kind not in ("FULLY_CONNECTED", "RELU", "MUL", "TANH", "LOGISTIC"):
        return np.zeros(case.host.shape, bool)
    return np.full(case.host.shape, np.array_equal(case.second_judge(), case.host))


def _tables(case):
    """One step of a softmax of 16 bits, and the kernels for microcontrollers agree with the host in all elements."""
    if case.kind != "SOFTMAX" or case.host.dtype != np.int16:
        return np.zeros(case.host.shape, bool)
    near = np.abs(case.host.astype(np.int64) - case.judged.astype(np.int64)) <= 1
    return near & np.array_equal(case.second_judge(), case.host)


def _infinite_blocks(case):
    """A block with a number that is not finite is NaN as a whole."""
    finite = all(np.isfinite(a).all() for a in case.operands() if a.dtype.kind == "f")
    blocks = case.graph.precision == "mx" and case.kind in tolerances.PRODUCTS
    return np.isnan(case.host) if blocks and not finite else np.zeros(case.host.shape, bool)


def _overflow(case):
    """Sums whose terms are large enough that some order of them overflows."""
    terms = tolerances.size_of_terms(case)
    if terms is None:
        return np.zeros(case.host.shape, bool)
    return (terms > LARGE) & (~(np.isfinite(case.host) & np.isfinite(case.judged)) | (np.abs(case.host) > LARGE))


@dataclass(frozen=True)
class Class:
    name: str
    reason: str
    applies: object


CLASSES = (
    Class("nan", "every NaN that arithmetic makes is 0x7fc00000; ONNX does not say which NaN it is", _nan),
    Class("rounding", "sums have an order, functions a polynomial of their own; see tolerances.py", _rounding),
    Class("order of NaN", "whether a NaN is the greatest element is not in ONNX; MaxPool leaves it out", _order_of_nan),
    Class("recurrence of infinities", "ONNX Runtime's gates turn NaN into numbers", _undefined_recurrence),
    Class("zero sign", "ONNX does not say which of 0 and -0 is the greater", _zero_sign),
    Class("subnormal", "float32 below 2^-126 are zeros of their sign, on the device and on the host", _subnormal),
    Class(
        "undefined cast", "a float beyond the integer type has no result in ONNX; here it saturates", _undefined_cast
    ),
    Class(
        "undefined quantization",
        "in ONNX, NaN has no quantized value, here the zero point, and a range that is not finite has no scale",
        _undefined_quantization,
    ),
    Class("tie", "the judge computes what is rounded in float32, here it is exact", _tie),
    Class(
        "rounded twice",
        "LiteRT rounds these once, or the quotient of their scales to float32; the kernels for microcontrollers decide",
        _rounded_twice,
    ),
    Class("tables", "some entries of LiteRT's tables for a softmax of 16 bits are 1 off", _tables),
    Class("infinite blocks", "in block floating point a block that holds an infinity or NaN is NaN", _infinite_blocks),
    Class("overflow", "the order of a sum decides whether numbers near the limit overflow in between", _overflow),
)


def classify(case):
    """The names of the classes that explain all differing elements; None, and the elements, if some are left."""
    with np.errstate(all="ignore"):
        left = ~same_bits(case.host, case.judged)
        names = []
        for entry in CLASSES:
            applied = left & entry.applies(case)
            if applied.any():
                names.append(entry.name)
                left = left & ~applied
            if not left.any():
                return names, left
    return None, left
