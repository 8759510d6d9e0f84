# SPDX-License-Identifier: Apache-2.0
"""Operators element by element."""
import numpy as np

from systole_jax import attributes
from systole_jax.noted_patterns import Halves, PoolGradient, Positive, sum_with_row
from systole_jax.refusal import Refusal
from systole_jax.rules import RULES, rule
from systole_jax.program_values import FLOATS, bits

#: Operators that are one function of Systole's.
UNARY = {
    "stablehlo.abs": "abs",
    "stablehlo.cbrt": "cbrt",
    "stablehlo.ceil": "ceil",
    "stablehlo.cosine": "cos",
    "stablehlo.exponential": "exp",
    "stablehlo.exponential_minus_one": "expm1",
    "stablehlo.floor": "floor",
    "stablehlo.log": "log",
    "stablehlo.log_plus_one": "log1p",
    "stablehlo.logistic": "sigmoid",
    "stablehlo.negate": "negate",
    "stablehlo.round_nearest_even": "round",
    "stablehlo.rsqrt": "reciprocal square root",
    "stablehlo.sign": "sign",
    "stablehlo.sine": "sin",
    "stablehlo.sqrt": "sqrt",
    "stablehlo.tan": "tan",
    "stablehlo.tanh": "tanh",
    "chlo.acos": "acos",
    "chlo.acosh": "acosh",
    "chlo.asin": "asin",
    "chlo.asinh": "asinh",
    "chlo.atan": "atan",
    "chlo.atanh": "atanh",
    "chlo.cosh": "cosh",
    "chlo.digamma": "digamma",
    "chlo.erf": "erf",
    "chlo.erf_inv": "inverse erf",
    "chlo.erfc": "complementary erf",
    "chlo.lgamma": "log gamma",
    "chlo.sinh": "sinh",
    "chlo.tan": "tan",
}
BINARY = {
    "stablehlo.add": "add",
    "stablehlo.subtract": "subtract",
    "stablehlo.multiply": "multiply",
    "stablehlo.maximum": "maximum",
    "stablehlo.minimum": "minimum",
    "stablehlo.power": "power",
    "stablehlo.atan2": "atan2",
}


def unary(t, op, x):
    kind = UNARY[op.name]
    if kind in ("negate", "abs", "sign") and x[0].type not in FLOATS:
        return of_integers(t.o, kind, x[0])
    return t.o.unary(kind, x[0])


def of_integers(o, kind, x):
    zero = o.scalar(x.type, 0, (1,) * len(x.shape))
    if kind == "negate":
        return o.binary("subtract", zero, x)
    if kind == "abs":
        return x if x.type.startswith("u") else o.binary("maximum", x, o.binary("subtract", zero, x))
    positive = o.convert(o.binary("less", zero, x), x.type)
    return (
        positive
        if x.type.startswith("u")
        else o.binary("subtract", positive, o.convert(o.binary("less", x, zero), x.type))
    )


def binary(t, op, x):
    kind, o = BINARY[op.name], t.o
    if x[0].type == "bool":  # 0 and 1
        word = {"add": "or", "multiply": "and", "maximum": "or", "minimum": "and"}.get(kind)
        if word is None:
            raise Refusal("%s of truth values" % kind)
        return o.binary(word, x[0], x[1])
    if kind == "add" and x[0].type == "float32":
        joined = sum_with_row(o, x)
        if joined is not None:
            return joined
    if kind == "maximum" and x[0].type == "float32":  # a limit, which joins the product before it
        for value, other in (x, x[::-1]):
            number = o.number_of(other)
            if number == 0 and not np.signbit(number):
                return rectified(o, value)
    return o.binary(kind, x[0], x[1])


def rectified(o, value):
    result = o.unary("relu", value)
    if value.routine is o.routine:
        value.rectified = result
    return result


RULES.update({name: unary for name in UNARY})
RULES.update({name: binary for name in BINARY})


@rule("stablehlo.and", "stablehlo.or", "stablehlo.xor")
def bitwise(t, op, x):
    return t.o.binary(op.name.split(".")[1], x[0], x[1])


@rule("stablehlo.not")
def complement(t, op, x):
    if x[0].type == "bool":
        return t.o.negation(x[0])
    return t.o.with_number("xor", x[0], -1 if not x[0].type.startswith("u") else (1 << bits(x[0].type)) - 1)


@rule("stablehlo.divide")
def divide(t, op, x):
    """A quotient of integers is -1, all bits set, where the divisor is 0; XLA's is."""
    o, (a, b) = t.o, x
    if a.type in FLOATS:
        number = o.number_of(b)
        number = None if number is None else float(number)
        if (
            number is not None
            and 1e-30 < abs(number) < 1e30
            and np.frexp(number)[0] in (0.5, -0.5)
            and a.type == "float32"
        ):
            return o.with_number("multiply", a, 1 / number)  # a power of two, by which the product is exact
        return o.binary("divide", a, b)
    none, safe = divisor(o, b)
    return o.select(
        none,
        o.scalar(a.type, -1 if not a.type.startswith("u") else (1 << bits(a.type)) - 1, (1,) * len(a.shape)),
        o.binary("divide", a, safe),
    )


@rule("stablehlo.remainder")
def remainder(t, op, x):
    """A remainder has the dividend's sign. That of integers is the dividend where the divisor is 0."""
    o, (a, b) = t.o, x
    if a.type in FLOATS:
        return o.binary("remainder", a, b)
    none, safe = divisor(o, b)
    return o.select(none, a, o.binary("remainder", a, safe))


def divisor(o, b):
    """Where a divisor is 0, and the divisor with 1 there."""
    none = o.binary("equal", b, o.scalar(b.type, 0, (1,) * len(b.shape)))
    return none, o.select(none, o.scalar(b.type, 1, (1,) * len(b.shape)), b)


UNSIGNED = {"int8": "uint8", "int16": "uint16", "int32": "uint32", "int64": "uint64"}
SIGNED = {unsigned: signed for signed, unsigned in UNSIGNED.items()}


@rule("stablehlo.shift_left", "stablehlo.shift_right_logical")
def shift(t, op, x):
    """By as many bits as the type has, or more: 0."""
    o, (a, by) = t.o, x
    bare = UNSIGNED.get(a.type, a.type)
    kind = "shift left" if op.name == "stablehlo.shift_left" else "shift right"
    return o.reinterpret(o.binary(kind, o.reinterpret(a, bare), o.reinterpret(by, bare)), a.type)


@rule("stablehlo.shift_right_arithmetic")
def shift_arithmetic(t, op, x):
    o, signed = t.o, SIGNED.get(x[0].type, x[0].type)
    a, by = (o.reinterpret(value, signed) for value in x)
    return o.reinterpret(o.binary("shift right", a, by), x[0].type)


@rule("stablehlo.popcnt")
def popcount(t, op, x):
    return t.o.reinterpret(ones_of(t.o, t.o.reinterpret(x[0], UNSIGNED.get(x[0].type, x[0].type))), x[0].type)


def ones_of(o, x):
    """The number of bits that are set: sums of 2, 4, 8, ... neighbours."""
    width, step = bits(x.type), 1
    while step < width:
        mask = sum(((1 << step) - 1) << at for at in range(0, width, 2 * step))
        upper = o.with_number("and", o.with_number("shift right", x, step), mask)
        x = o.binary("add", o.with_number("and", x, mask), upper)
        step *= 2
    return x


@rule("stablehlo.count_leading_zeros")
def leading_zeros(t, op, x):
    o, bare = t.o, UNSIGNED.get(x[0].type, x[0].type)
    filled, step = o.reinterpret(x[0], bare), 1
    while step < bits(bare):  # all bits below the first that is set
        filled = o.binary("or", filled, o.with_number("shift right", filled, step))
        step *= 2
    ones = ones_of(o, filled)
    return o.reinterpret(o.binary("subtract", o.scalar(bare, bits(bare), (1,) * len(ones.shape)), ones), x[0].type)


COMPARISONS = {
    # whether the operands are exchanged, the function, whether its result is negated
    "EQ": (False, "equal", False),
    "NE": (False, "equal", True),
    "LT": (False, "less", False),
    "LE": (False, "less or equal", False),
    "GT": (True, "less", False),
    "GE": (True, "less or equal", False),
}


@rule("stablehlo.compare")
def compare(t, op, x):
    o, (a, b) = t.o, x
    exchanged, kind, negated = COMPARISONS[attributes.word(op, "comparison_direction")]
    if attributes.has(op, "compare_type") and attributes.word(op, "compare_type") == "TOTALORDER":
        a, b = total_order(o, a), total_order(o, b)
    elif a.type == "bool":
        a, b = o.convert(a, "uint8"), o.convert(b, "uint8")
    if exchanged and kind == "less" and a.rectified is not None and o.number_of(b) == 0:
        result = o.binary(kind, b, a.rectified)  # above 0 where the rectified value is, which is there anyway
        result.made_by = Positive(a.rectified)
        return result
    result = o.binary(kind, b, a) if exchanged else o.binary(kind, a, b)
    return o.negation(result) if negated else result


def total_order(o, x):
    """Integers in the order -NaN, -infinity, ..., -0, 0, ..., infinity, NaN."""
    if x.type not in FLOATS:
        return o.convert(x, "uint8") if x.type == "bool" else x
    word = "int32" if x.type == "float32" else "int16"
    x = o.reinterpret(x, word)
    zero = o.scalar(word, 0, (1,) * len(x.shape))
    return o.select(o.binary("less", x, zero), o.with_number("xor", x, (1 << (bits(word) - 1)) - 1), x)


@rule("stablehlo.select")
def select(t, op, x):
    condition, a, b = x
    pool = a.made_by
    here = a.block is not None and a.block is t.routine.current_block()  # whose tensors the pool knows
    if here and isinstance(pool, PoolGradient) and isinstance(condition.made_by, Positive) and t.o.number_of(b) == 0:
        if pool.pooled is condition.made_by.value:
            return pool.of_positive(t.o)
    return t.o.select(x[0], x[1], x[2])


@rule("stablehlo.clamp")
def clamp(t, op, x):
    low, value, high = x
    return t.o.binary("minimum", t.o.binary("maximum", value, low), high)


@rule("stablehlo.convert")
def convert(t, op, x):
    return t.o.convert(x[0], t.result_type(op)[0])


@rule("stablehlo.bitcast_convert")
def bitcast(t, op, x):
    o, (type, shape) = t.o, t.result_type(op)
    if bits(type) == bits(x[0].type):
        return o.reinterpret(x[0], type)
    if bits(x[0].type) == 64 and bits(type) == 32:
        return o.reinterpret(Halves.of(o, o.reinterpret(x[0], "uint64")), type)
    if bits(x[0].type) == 32 and bits(type) == 64:
        return o.reinterpret(Halves(o.reinterpret(x[0], "uint32")).together(o), type)
    unsigned = {8: "uint8", 16: "uint16", 32: "uint32", 64: "uint64"}
    wide, narrow = unsigned[max(bits(type), bits(x[0].type))], unsigned[min(bits(type), bits(x[0].type))]
    step, value = bits(narrow), o.reinterpret(x[0], unsigned[bits(x[0].type)])
    if bits(type) < bits(x[0].type):  # a new last axis has the parts, the lowest first
        value = o.reshape(value, value.shape + (1,))
        shifts = o.constant(np.arange(0, bits(wide), step).astype(wide).reshape((1,) * (len(shape) - 1) + (-1,)), wide)
        shifts = o.broadcast_in_dim(o.reshape(shifts, (shape[-1],)), shape, [len(shape) - 1])
        value = o.broadcast_in_dim(o.reshape(value, shape[:-1]), shape, list(range(len(shape) - 1)))
        parts = o.with_number("and", o.binary("shift right", value, shifts), (1 << step) - 1)
        return o.reinterpret(o.convert(parts, narrow), type)
    parts = [o.convert(o.part(value, len(value.shape) - 1, i, 1), wide) for i in range(value.shape[-1])]
    sum = parts[0]
    for i, part in enumerate(parts[1:], 1):
        sum = o.binary("or", sum, o.with_number("shift left", part, i * step))
    return o.reinterpret(o.reshape(sum, shape), type)


@rule("stablehlo.is_finite")
def is_finite(t, op, x):
    infinite = t.o.unary("is infinite", x[0], 1.0, 1.0)
    return t.o.negation(t.o.binary("or", infinite, t.o.unary("is nan", x[0])))


@rule("chlo.is_inf")
def is_infinite(t, op, x):
    return t.o.unary("is infinite", x[0], 1.0, 1.0)


@rule("chlo.is_pos_inf")
def is_positive_infinity(t, op, x):
    return t.o.unary("is infinite", x[0], 0.0, 1.0)


@rule("chlo.is_neg_inf")
def is_negative_infinity(t, op, x):
    return t.o.unary("is infinite", x[0], 1.0, 0.0)


@rule("stablehlo.round_nearest_afz")
def round_half_away(t, op, x):
    """Ties away from 0: the size's floor, and one more where at least a half is left."""
    o, x = t.o, x[0]
    size = o.unary("abs", x)
    whole = o.unary("floor", size)
    half = o.scalar(x.type, 0.5, (1,) * len(x.shape))
    more = o.binary("less or equal", half, o.binary("subtract", size, whole))
    rounded = o.binary("add", whole, o.convert(more, x.type))
    negative = o.binary("less", x, o.scalar(x.type, 0, (1,) * len(x.shape)))
    return o.select(negative, o.unary("negate", rounded), rounded)


@rule("chlo.square")
def square(t, op, x):
    return t.o.binary("multiply", x[0], x[0])


@rule("chlo.next_after")
def next_after(t, op, x):
    """The next number towards the second operand: the bits of a size, counted as an integer, one up or down."""
    o, (a, b) = t.o, x
    word = "int32" if a.type == "float32" else "int16"
    number = lambda n: o.scalar(word, n, (1,) * len(a.shape))
    low = (1 << (bits(word) - 1)) - 1
    a_bits, b_bits = o.reinterpret(a, word), o.reinterpret(b, word)
    size, sign = o.with_number("and", a_bits, low), o.with_number("and", a_bits, -low - 1)
    toward = o.with_number("and", b_bits, -low - 1)
    smaller = o.binary(
        "or", o.negation(o.binary("equal", sign, toward)), o.binary("less", o.with_number("and", b_bits, low), size)
    )
    stepped = o.binary("or", o.binary("add", size, o.select(smaller, number(-1), number(1))), sign)
    from_zero = o.binary("or", toward, number(1))
    result = o.select(o.binary("equal", size, number(0)), from_zero, stepped)
    result = o.select(o.binary("equal", a, b), b_bits, result)
    nan = o.scalar(a.type, np.nan, (1,) * len(a.shape))
    any_nan = o.binary("or", o.unary("is nan", a), o.unary("is nan", b))
    return o.select(any_nan, nan, o.reinterpret(result, a.type))


@rule("stablehlo.reduce_precision")
def reduce_precision(t, op, x):
    exponent, mantissa = attributes.number(op, "exponent_bits"), attributes.number(op, "mantissa_bits")
    formats = {(8, 23): "float32", (5, 10): "float16", (8, 7): "bfloat16"}
    if (exponent, mantissa) not in formats:
        raise Refusal(
            "numbers of %d exponent and %d mantissa bits; there are those of float32, float16 and bfloat16"
            % (exponent, mantissa)
        )
    return t.o.convert(t.o.convert(x[0], formats[exponent, mantissa]), x[0].type)


@rule("stablehlo.constant")
def constant(t, op, x):
    t.result_type(op)  # refuses elements that the attribute's class does not have
    return t.o.constant(*attributes.elements(op.attributes["value"]))


@rule("stablehlo.iota")
def iota(t, op, x):
    type, shape = t.result_type(op)
    return t.o.empty(type, shape) if 0 in shape else t.o.iota(type, shape, attributes.number(op, "iota_dimension"))


@rule("stablehlo.optimization_barrier")
def same(t, op, x):
    return list(x)


@rule("sdy.sharding_constraint")
def whole(t, op, x):
    return x[0]
