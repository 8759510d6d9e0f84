# SPDX-License-Identifier: Apache-2.0
"""Calls of JAX's functions with random types, ranks and attributes, for test_jax_operators.py. A family makes a case of
a generator of random numbers: a function, its arrays, and how far results may be off, in units in the last place of the
greatest magnitude of a result (`units`), or of each result's own (`own`)."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

FAMILIES = {}
FLOATS = (jnp.float32, jnp.float16, jnp.bfloat16)
SIGNED = (jnp.int8, jnp.int16, jnp.int32)
UNSIGNED = (jnp.uint8, jnp.uint16, jnp.uint32)
INTEGERS = SIGNED + UNSIGNED
TYPES = FLOATS + INTEGERS + (jnp.bool_,)


@dataclasses.dataclass
class Case:
    function: object
    arrays: tuple
    units: float = 0  # of the greatest result
    own: float = 0  # of each result
    text: str = ""


def family(function):
    FAMILIES[function.__name__] = function
    return function


def pick(r, options):
    return options[r.integers(len(options))]


def shape_of(r, least=0, most=4, largest=7):
    return tuple(int(n) for n in r.integers(1, largest + 1, r.integers(least, most + 1)))


def array(r, shape, type, low=-4.0, high=4.0):
    type = np.dtype(type)
    if type == np.bool_:
        return r.integers(0, 2, shape).astype(type)
    if np.issubdtype(type, np.integer):
        limits = np.iinfo(type)
        return r.integers(max(limits.min, -1000), min(limits.max, 1000), shape, endpoint=True).astype(type)
    return r.uniform(low, high, shape).astype(type)


# Element by element. The units are what driver/jax/README.md states.

REAL = {
    # function: units in the last place, range
    "exp": (lax.exp, 2, -20, 20),
    "expm1": (lax.expm1, 4, -5, 5),
    "log": (lax.log, 2, 0.01, 100),
    "log1p": (lax.log1p, 4, -0.9, 20),
    "tanh": (lax.tanh, 5, -6, 6),
    "logistic": (lax.logistic, 5, -10, 10),
    "sin": (lax.sin, 2, -10, 10),
    "cos": (lax.cos, 2, -10, 10),
    "tan": (lax.tan, 4, -1.4, 1.4),
    "asin": (lax.asin, 6, -0.9, 0.9),
    "acos": (lax.acos, 6, -0.9, 0.9),
    "atan": (lax.atan, 6, -10, 10),
    "sinh": (lax.sinh, 6, -5, 5),
    "cosh": (lax.cosh, 6, -5, 5),
    "asinh": (lax.asinh, 8, -5, 5),
    "acosh": (lax.acosh, 8, 1.1, 9),
    "atanh": (lax.atanh, 8, -0.9, 0.9),
    "sqrt": (lax.sqrt, 1, 0.01, 100),
    "rsqrt": (lax.rsqrt, 2, 0.01, 100),
    "cbrt": (lax.cbrt, 3, -8, 8),
    "erf": (lax.erf, 4, -3, 3),
    "erfc": (lax.erfc, 6, -3, 3),
    "erf_inv": (lax.erf_inv, 6, -0.95, 0.95),
    "lgamma": (lax.lgamma, 60, 0.2, 9),
    "digamma": (lax.digamma, 60, 2, 9),
    "floor": (lax.floor, 0, -9, 9),
    "ceil": (lax.ceil, 0, -9, 9),
    "abs": (lax.abs, 0, -9, 9),
    "sign": (lax.sign, 0, -9, 9),
    "neg": (lax.neg, 0, -9, 9),
    "square": (lax.square, 0, -9, 9),
    "round": (lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), 0, -9, 9),
    "round_away": (lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), 0, -9, 9),
    "is_finite": (lax.is_finite, 0, -9, 9),
}


def of_two(names, types, own=0):
    """A family of functions of two arrays of one shape and type."""

    def case(r):
        name, type, shape = pick(r, names.split()), pick(r, types), shape_of(r)
        return Case(getattr(lax, name), (array(r, shape, type), array(r, shape, type)), own=own, text=name)

    return case


@family
def real_function(r):
    name = pick(r, list(REAL))
    function, units, low, high = REAL[name]
    type = pick(r, FLOATS)
    return Case(function, (array(r, shape_of(r), type, low, high),), own=units if type == jnp.float32 else 1, text=name)


@family
def special_numbers(r):
    name = pick(r, [name for name in REAL if name not in ("lgamma", "digamma", "erf_inv", "sin", "cos", "tan")])
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0], np.float32)
    return Case(REAL[name][0], (x,), own=REAL[name][1] + 1, text=name)


FAMILIES["arithmetic"] = of_two("add sub mul max min", FLOATS + INTEGERS)


@family
def quotient(r):
    type, shape = pick(r, FLOATS + SIGNED + UNSIGNED), shape_of(r)
    function = pick(r, [lax.div, lax.rem])
    return Case(function, (array(r, shape, type), array(r, shape, type)), own=0, text=function.__name__)


@family
def power(r):
    shape = shape_of(r)
    x, y = array(r, shape, jnp.float32, 0.1, 9), array(r, shape, jnp.float32, -3, 3)
    return Case(lax.pow, (x, y), own=6)


@family
def integer_power(r):
    n = int(r.integers(-3, 6))
    return Case(lambda x: lax.integer_pow(x, n), (array(r, shape_of(r), jnp.float32, 0.5, 4),), own=4, text=str(n))


FAMILIES["angle"] = of_two("atan2", FLOATS[:1], own=6)
FAMILIES["neighbour"] = of_two("nextafter", FLOATS[:1])
FAMILIES["bits"] = of_two("bitwise_and bitwise_or bitwise_xor", INTEGERS + (jnp.bool_,))


@family
def bits_of_one(r):
    name = pick(r, ["bitwise_not", "population_count", "clz", "abs", "sign", "neg"])
    return Case(getattr(lax, name), (array(r, shape_of(r), pick(r, SIGNED)),), text=name)


@family
def shift(r):
    name, type, shape = (
        pick(r, ["shift_left", "shift_right_logical", "shift_right_arithmetic"]),
        pick(r, SIGNED),
        shape_of(r),
    )
    by = r.integers(0, np.iinfo(np.dtype(type)).bits + 3, shape).astype(np.dtype(type))
    return Case(getattr(lax, name), (array(r, shape, type), by), text=name)


@family
def comparison(r):
    name, type, shape = pick(r, ["eq", "ne", "lt", "le", "gt", "ge"]), pick(r, TYPES), shape_of(r)
    x, y = array(r, shape, type), array(r, shape, type)
    y = np.where(r.integers(0, 3, shape) == 0, x, y)
    return Case(getattr(lax, name), (x, y), text=name)


@family
def selection(r):
    type, shape = pick(r, TYPES), shape_of(r)
    condition = array(r, pick(r, [shape, ()]), jnp.bool_)
    return Case(lax.select, (condition, array(r, shape, type), array(r, shape, type)))


@family
def limits(r):
    type, shape = pick(r, FLOATS + INTEGERS), shape_of(r)
    low, high = array(r, (), type), array(r, (), type)
    return Case(lax.clamp, (np.minimum(low, high), array(r, shape, type), np.maximum(low, high)))


@family
def conversion(r):
    of, to = pick(r, TYPES), pick(r, TYPES)
    x = array(r, shape_of(r), of, 0, 100)
    if np.issubdtype(np.dtype(to), np.integer) and not np.issubdtype(np.dtype(of), np.integer):
        x = np.abs(x) if np.dtype(of) != np.bool_ else x
    return Case(lambda x: lax.convert_element_type(x, to), (x,), text="%s to %s" % (np.dtype(of), np.dtype(to)))


@family
def reinterpretation(r):
    of, to = pick(
        r,
        [
            (jnp.float32, jnp.int32),
            (jnp.int32, jnp.float32),
            (jnp.float16, jnp.uint16),
            (jnp.float32, jnp.uint8),
            (jnp.uint16, jnp.int8),
            (jnp.uint8, jnp.int8),
        ],
    )
    return Case(lambda x: lax.bitcast_convert_type(x, to), (array(r, shape_of(r), of),), text="%s" % np.dtype(to))


# Moves.


@family
def broadcast(r):
    shape = shape_of(r, 1)
    axes = sorted(r.choice(len(shape), r.integers(0, len(shape) + 1), replace=False).tolist())
    small = tuple(shape[axis] if r.integers(0, 3) else 1 for axis in axes)
    return Case(lambda x: lax.broadcast_in_dim(x, shape, axes), (array(r, small, pick(r, TYPES)),))


@family
def transposition(r):
    shape = shape_of(r, 1)
    order = r.permutation(len(shape)).tolist()
    return Case(lambda x: lax.transpose(x, order), (array(r, shape, pick(r, TYPES)),), text=str(order))


@family
def reshaping(r):
    shape = shape_of(r, 1)
    sizes = r.permutation(shape).tolist()
    return Case(lambda x: lax.reshape(x, sizes), (array(r, shape, pick(r, TYPES)),))


@family
def slicing(r):
    shape = shape_of(r, 1)
    begin = [int(r.integers(0, size)) for size in shape]
    end = [int(r.integers(low, size + 1)) for low, size in zip(begin, shape)]
    step = [int(s) for s in r.integers(1, 4, len(shape))]
    return Case(lambda x: lax.slice(x, begin, end, step), (array(r, shape, pick(r, TYPES)),))


@family
def padding(r):
    shape = shape_of(r, 1)
    sizes = [
        (int(low), int(high), int(gap)) for low, high, gap in zip(*r.integers([[-1], [-1], [0]], 3, (3, len(shape))))
    ]
    sizes = [(max(low, -size - high), high, gap) for (low, high, gap), size in zip(sizes, shape)]
    type = pick(r, TYPES)
    return Case(lambda x, v: lax.pad(x, v, sizes), (array(r, shape, type), array(r, (), type)), text=str(sizes))


@family
def reversal(r):
    shape = shape_of(r, 1)
    axes = r.choice(len(shape), r.integers(1, len(shape) + 1), replace=False).tolist()
    return Case(lambda x: lax.rev(x, axes), (array(r, shape, pick(r, TYPES)),))


@family
def concatenation(r):
    shape, type = shape_of(r, 1), pick(r, TYPES)
    axis = int(r.integers(len(shape)))
    parts = [array(r, shape[:axis] + (int(r.integers(0, 4)),) + shape[axis + 1 :], type) for _ in range(3)]
    return Case(lambda *x: lax.concatenate(x, axis), tuple(parts))


@family
def numbers(r):
    shape, type = shape_of(r, 1), pick(r, FLOATS + INTEGERS)
    axis = int(r.integers(len(shape)))
    return Case(lambda: lax.broadcasted_iota(type, shape, axis), ())


# Products.


@family
def product(r):
    type = pick(r, FLOATS)
    batch, m, n, k = shape_of(r, 0, 2, 3), shape_of(r, 0, 2, 5), shape_of(r, 0, 2, 5), shape_of(r, 0, 2, 5)
    left = list(range(len(batch) + len(m) + len(k)))
    right = list(range(len(batch) + len(n) + len(k)))
    orders = [r.permutation(len(left)), r.permutation(len(right))]
    shapes = [np.array(batch + m + k, int)[orders[0]], np.array(batch + n + k, int)[orders[1]]]
    at = [np.argsort(order).tolist() for order in orders]
    b, c = len(batch), len(k)
    numbers = (
        ([at[0][b + len(m) + i] for i in range(c)], [at[1][b + len(n) + i] for i in range(c)]),
        (at[0][:b], at[1][:b]),
    )
    arrays = tuple(array(r, tuple(int(s) for s in shape), type) for shape in shapes)
    return Case(lambda x, y: lax.dot_general(x, y, numbers), arrays, units=4 if type == jnp.float32 else 2)


@family
def product_of_integers(r):
    type = pick(r, (jnp.int8, jnp.uint8, jnp.int32))
    x, y = array(r, (3, 20), type), array(r, (20, 4), type)
    dims = (((1,), (0,)), ((), ()))
    return Case(
        lambda x, y: lax.dot_general(x, y, dims, preferred_element_type=jnp.int32), (x, y), text=str(np.dtype(type))
    )


@family
def convolution(r):
    spatial, groups = int(r.integers(1, 4)), int(pick(r, [1, 1, 2]))
    pick_all = lambda low, high: [int(n) for n in r.integers(low, high, spatial)]
    image, kernel = pick_all(4, 8), pick_all(1, 4)
    channels, outputs, batch = groups * int(r.integers(1, 4)), groups * int(r.integers(1, 4)), int(r.integers(1, 3))
    letters = "DHW"[3 - spatial :]
    spec = (
        "".join(r.permutation(list("NC" + letters))),
        "".join(r.permutation(list("OI" + letters))),
        "".join(r.permutation(list("NC" + letters))),
    )
    sizes = dict(N=batch, C=channels, O=outputs, I=channels // groups)
    x = array(r, tuple({**sizes, **dict(zip(letters, image))}[c] for c in spec[0]), jnp.float32)
    w = array(r, tuple({**sizes, **dict(zip(letters, kernel))}[c] for c in spec[1]), jnp.float32)
    options = dict(
        window_strides=pick_all(1, 3),
        padding=[(int(a), int(b)) for a, b in r.integers(0, 3, (spatial, 2))],
        lhs_dilation=pick_all(1, 3),
        rhs_dilation=pick_all(1, 3),
        feature_group_count=groups,
        dimension_numbers=spec,
    )
    return Case(lambda x, w: lax.conv_general_dilated(x, w, **options), (x, w), units=8, text=str(options))


# Reductions.


@family
def reduction(r):
    kind = pick(r, ["sum", "prod", "max", "min", "all", "any"])
    shape = shape_of(r, 1)
    type = jnp.bool_ if kind in ("all", "any") else pick(r, FLOATS + (jnp.int32, jnp.uint8, jnp.int16))
    axes = tuple(r.choice(len(shape), r.integers(1, len(shape) + 1), replace=False).tolist())
    bounds = (0.5, 1.5) if kind == "prod" else (-4, 4)
    return Case(
        lambda x: getattr(jnp, kind)(x, axis=axes),
        (array(r, shape, type, *bounds),),
        units=8 if type in FLOATS else 0,
        text="%s of %s" % (kind, np.dtype(type)),
    )


@family
def extreme_index(r):
    shape, type = shape_of(r, 1), pick(r, FLOATS + (jnp.int32, jnp.uint8))
    axis, name = int(r.integers(len(shape))), pick(r, ["argmax", "argmin"])
    return Case(lambda x: getattr(jnp, name)(x, axis=axis), (array(r, shape, type),), text=name)


@family
def general_reduction(r):
    shape = shape_of(r, 1)
    axis = int(r.integers(len(shape)))
    body = lambda a, b: (a[0] * b[0], a[0] * b[1] + a[1])
    x = [array(r, shape, jnp.float32, 0.5, 1.5) for _ in range(2)]  # whose sums are not what is left of larger terms
    return Case(lambda *x: lax.reduce(x, (np.float32(1), np.float32(0)), body, (axis,)), tuple(x), units=16)


@family
def window(r):
    kind = pick(r, [(lax.max, -np.inf), (lax.min, np.inf), (lax.add, 0.0)])
    shape = shape_of(r, 4, 4, 8)
    sizes = tuple(int(min(k, s)) for k, s in zip(r.integers(1, 4, 4), shape))
    strides = tuple(int(s) for s in r.integers(1, 3, 4))
    pads = [(int(a), int(b)) for a, b in r.integers(0, 2, (4, 2))]
    pads = [(min(a, k - 1), min(b, k - 1)) for (a, b), k in zip(pads, sizes)]
    return Case(
        lambda x: lax.reduce_window(x, np.float32(kind[1]), kind[0], sizes, strides, pads),
        (array(r, shape, jnp.float32),),
        units=8,
        text="%s %s %s %s" % (kind[0].__name__, sizes, strides, pads),
    )


@family
def pool_gradient(r):
    shape = (int(r.integers(1, 3)), int(r.integers(4, 9)), int(r.integers(4, 9)), int(r.integers(1, 6)))
    size, stride = int(r.integers(1, 4)), int(r.integers(1, 4))
    pad = pick(r, ["SAME", "VALID"])

    def loss(x):
        pooled = lax.reduce_window(x, -np.inf, lax.max, (1, size, size, 1), (1, stride, stride, 1), pad)
        return (pooled * pooled).sum()

    return Case(jax.grad(loss), (array(r, shape, jnp.float32),), units=8, text="%d %d %s" % (size, stride, pad))


@family
def running(r):
    name = pick(r, ["cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"])
    shape = shape_of(r, 1, 3, 12)
    axis, back = int(r.integers(len(shape))), bool(r.integers(2))
    x = array(r, shape, jnp.float32, 0.5, 1.5)
    return Case(lambda x: getattr(lax, name)(x, axis=axis, reverse=back), (x,), units=16, text=name)


# Indices.


@family
def dynamic_slice(r):
    shape, type = shape_of(r, 1), pick(r, TYPES)
    sizes = [int(r.integers(1, size + 1)) for size in shape]
    starts = r.integers(-2, 8, len(shape)).astype(np.int32)
    return Case(lambda x, s: lax.dynamic_slice(x, list(s), sizes), (array(r, shape, type), starts))


@family
def dynamic_update(r):
    shape, type = shape_of(r, 1), pick(r, TYPES)
    sizes = tuple(int(r.integers(1, size + 1)) for size in shape)
    starts = r.integers(-2, 8, len(shape)).astype(np.int32)
    return Case(
        lambda x, u, s: lax.dynamic_update_slice(x, u, list(s)), (array(r, shape, type), array(r, sizes, type), starts)
    )


@family
def taking(r):
    shape, type = shape_of(r, 1, 3), pick(r, TYPES)
    axis = int(r.integers(len(shape)))
    places = r.integers(-1, shape[axis] + 1, shape_of(r, 0, 2, 4)).astype(np.int32)
    mode = pick(r, ["clip", "wrap"])
    return Case(lambda x, i: jnp.take(x, i, axis=axis, mode=mode), (array(r, shape, type), places), text=mode)


@family
def taking_along(r):
    shape, type = shape_of(r, 1, 3), pick(r, TYPES)
    axis = int(r.integers(len(shape)))
    places = r.integers(0, shape[axis], shape).astype(np.int32)
    return Case(lambda x, i: jnp.take_along_axis(x, i, axis), (array(r, shape, type), places))


def scattered(r, types, known):
    """Rows that are put to, or combined with, those of an array whose numbers are `known` to the program, or are
    operands of it. Those behind the last are left out."""
    shape, type = shape_of(r, 1, 3), pick(r, types)
    name, rows = pick(r, ["set", "add", "multiply", "min", "max"]), shape[0] + known
    places = r.choice(rows, min(rows, 3), replace=name != "set").astype(np.int32)
    updates, x = array(r, (len(places),) + shape[1:], type), array(r, shape, type)
    function = lambda x, u, i=places: getattr(x.at[i], name)(u)
    return Case(function, (x, updates) if known else (x, updates, places), units=4 * (type in FLOATS), text=name)


@family
def scattering(r):
    return scattered(r, (jnp.float32, jnp.int32, jnp.bfloat16), known=False)


@family
def gathering(r):
    """Rows, or elements, by computed indices that may be out of range."""
    shape, type = shape_of(r, 1, 3, 20), pick(r, TYPES)
    places = r.integers(-3, shape[0] + 3, shape_of(r, 1, 2, 9)).astype(np.int32)
    mode = pick(r, ["clip", "fill", "promise_in_bounds"])
    if mode == "promise_in_bounds":
        places = np.clip(places, 0, shape[0] - 1)
    dims = lax.GatherDimensionNumbers(
        offset_dims=tuple(range(places.ndim, places.ndim + len(shape) - 1)),
        collapsed_slice_dims=(0,),
        start_index_map=(0,),
    )
    sizes = (1,) + shape[1:]
    return Case(
        lambda x, i: lax.gather(x, i[..., None], dims, sizes, mode=mode),
        (array(r, shape, type), places),
        text=mode,
    )


@family
def summing_rows(r):
    """As the gradient of an embedding: indices that repeat, and may be out of range."""
    shape, type = shape_of(r, 2, 3, 20), pick(r, FLOATS + INTEGERS)
    name, mode = pick(r, ["add", "add", "multiply", "min", "max"]), pick(r, ["drop", "clip"])
    places = r.integers(-2, shape[0] + 2, shape_of(r, 1, 2, 9)).astype(np.int32)
    updates = array(r, places.shape + shape[1:], type, 0.5, 1.5)
    return Case(
        lambda x, i, u: getattr(x.at[i], name)(u, mode=mode),
        (array(r, shape, type), places, updates),
        units=64 if type in FLOATS else 0,
        text="%s %s" % (name, mode),
    )


@family
def setting_elements(r):
    """Of elements of any type, which are different ones; some are out of range."""
    shape, type = shape_of(r, 1, 3, 9), pick(r, TYPES)
    number = int(r.integers(1, shape[0] + 2))
    places = r.choice(shape[0] + 2, number, replace=False).astype(np.int32)
    return Case(
        lambda x, i, u: x.at[i].set(u, unique_indices=True),
        (array(r, shape, type), places, array(r, (number,) + shape[1:], type)),
    )


@family
def one_of_each_row(r):
    """As a loss takes the right class's number, and what its gradient is."""
    shape, type = shape_of(r, 1, 3), pick(r, TYPES)
    places = r.integers(-2, shape[-1] + 2, shape[:-1]).astype(np.int32)
    mode = pick(r, ["clip", "fill"])
    if type != jnp.float32 or r.integers(2):
        return Case(
            lambda x, i: jnp.take_along_axis(x, i[..., None], -1, mode=mode), (array(r, shape, type), places), text=mode
        )

    def gradient(x, i):
        return jax.grad(lambda x: jnp.take_along_axis(x, i[..., None], -1, mode="clip").sum())(x)

    return Case(gradient, (array(r, shape, type), places), text="gradient")


@family
def scattering_to_known_rows(r):
    return scattered(r, (jnp.float32, jnp.int32), known=True)


@family
def orthogonal(r):
    shape = shape_of(r, 2, 3, 6)
    return Case(
        lambda x: jnp.linalg.qr(x),
        (array(r, shape, jnp.float32) + 3 * np.eye(*shape[-2:], dtype=np.float32),),
        units=200,
    )


@family
def sorting(r):
    shape, type = shape_of(r, 1, 3, 9), pick(r, FLOATS + INTEGERS)
    axis = int(r.integers(len(shape)))
    function = pick(r, [jnp.sort, jnp.argsort])
    return Case(lambda x: function(x, axis=axis), (array(r, shape, type),), text=function.__name__)


@family
def greatest(r):
    shape, type = shape_of(r, 1, 3, 9), pick(r, FLOATS + (jnp.int32,))
    k = int(r.integers(1, shape[-1] + 1))
    return Case(lambda x: lax.top_k(x, k), (array(r, shape, type),))


# Control, random numbers, functions of networks.


@family
def looping(r):
    n, x = np.int32(r.integers(0, 9)), array(r, shape_of(r), jnp.float32, -1, 1)
    return Case(
        lambda n, x: lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * 0.5 + x), (0, x)), (n, x), units=4
    )


@family
def counted(r):
    n, x = int(r.integers(0, 9)), array(r, shape_of(r), jnp.float32, -1, 1)
    return Case(lambda x: lax.fori_loop(0, n, lambda i, s: s * 0.5 + i * x, x), (x,), units=4, text=str(n))


@family
def scanning(r):
    shape = shape_of(r, 1, 3)
    x = array(r, shape, jnp.float32, -1, 1)
    return Case(lambda x: lax.scan(lambda c, a: (c + a, c * a), jnp.zeros(shape[1:], jnp.float32), x), (x,), units=8)


@family
def branching(r):
    x = array(r, shape_of(r), jnp.float32)
    branches = [lambda x: x + 1, lambda x: x * 2, lambda x: -x]
    return Case(lambda i, x: lax.switch(i, branches, x), (np.int32(r.integers(-1, 4)), x))


RANDOM = {
    "bits": lambda k, s: jax.random.bits(k, s),
    "uniform": lambda k, s: jax.random.uniform(k, s),
    "normal": lambda k, s: jax.random.normal(k, s),
    "bernoulli": lambda k, s: jax.random.bernoulli(k, 0.3, s),
    "randint": lambda k, s: jax.random.randint(k, s, -5, 50),
    "permutation": lambda k, s: jax.random.permutation(k, 7),
    "truncated": lambda k, s: jax.random.truncated_normal(k, -2, 2, s),
    "split": lambda k, s: jax.random.key_data(jax.random.split(k)),
}


@family
def random_numbers(r):
    name, shape = pick(r, list(RANDOM)), shape_of(r, 1, 2)
    key = r.integers(0, 1 << 32, 2, dtype=np.uint32)
    function = lambda k: RANDOM[name](jax.random.wrap_key_data(k), shape)
    return Case(function, (key,), units=8, own=12, text=name)


@family
def random_bits(r):
    algorithm, shape, type = pick(r, ("DEFAULT", "PHILOX", "THREE_FRY")), shape_of(r), pick(r, UNSIGNED)
    state = r.integers(0, 1 << 32, 4, dtype=np.uint32)
    state[2:] |= np.uint32(0xFFFFFFFF) * r.integers(0, 2, 2).astype(np.uint32)  # carries
    generate = lambda s: lax.rng_bit_generator(s, shape, type, getattr(lax.RandomAlgorithm, "RNG_" + algorithm))
    return Case(generate, (state,), text="%s %s" % (algorithm, type.__name__))


NETWORK = {
    "relu": jax.nn.relu,
    "gelu": jax.nn.gelu,
    "silu": jax.nn.silu,
    "softplus": jax.nn.softplus,
    "elu": jax.nn.elu,
    "selu": jax.nn.selu,
    "softmax": jax.nn.softmax,
    "log_softmax": jax.nn.log_softmax,
    "logsumexp": jax.nn.logsumexp,
    "standardize": jax.nn.standardize,
}


@family
def network_function(r):
    name = pick(r, list(NETWORK))
    return Case(NETWORK[name], (array(r, shape_of(r, 1), jnp.float32),), units=8, text=name)


@family
def gradient(r):
    name = pick(r, [name for name in NETWORK if name != "standardize"])  # its gradient is what is left of larger terms
    weights = array(r, shape := shape_of(r, 1), jnp.float32)
    loss = lambda x: (NETWORK[name](x) * (weights if name != "logsumexp" else 1)).sum()
    return Case(jax.grad(loss), (array(r, shape, jnp.float32),), units=128, text=name)


def cases(seed, number):
    """`number` cases, of one family after the other."""
    names = list(FAMILIES)
    for i in range(number):
        r = np.random.default_rng([seed, i])
        name = names[i % len(names)]
        case = FAMILIES[name](r)
        yield "%s %d %s" % (name, i, case.text), case
