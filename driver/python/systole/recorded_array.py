# SPDX-License-Identifier: Apache-2.0
"""Arrays whose elements are not known yet, and functions of them that are operators of networks."""
import contextlib
import errno
import inspect
import numbers
import os
import threading

import numpy

from systole import _systole
from systole.errors import InvalidArgument, InvalidType, ModelNotFound

_UNARY = {
    numpy.negative: "negate",
    numpy.absolute: "abs",
    numpy.exp: "exp",
    numpy.log: "log",
    numpy.sqrt: "sqrt",
    numpy.tanh: "tanh",
    numpy.floor: "floor",
    numpy.ceil: "ceil",
    numpy.rint: "round",
    numpy.sign: "sign",
    numpy.reciprocal: "reciprocal",
    numpy.isnan: "is nan",
    numpy.sin: "sin",
    numpy.cos: "cos",
}
_BINARY = {
    numpy.add: "add",
    numpy.subtract: "subtract",
    numpy.multiply: "multiply",
    numpy.divide: "divide",
    numpy.minimum: "minimum",
    numpy.maximum: "maximum",
    numpy.less: "less",
    numpy.less_equal: "less or equal",
    numpy.equal: "equal",
}
_TURNED = {numpy.greater: numpy.less, numpy.greater_equal: numpy.less_equal}
_REDUCE = {numpy.sum: "sum", numpy.mean: "mean", numpy.max: "max", numpy.min: "min", numpy.prod: "product"}


class Array(numpy.lib.mixins.NDArrayOperatorsMixin):
    """An array whose elements are not known yet: what the function of a kernel is called with. It has the operators of
    NumPy's arrays, NumPy's functions take it, and so do those of this module."""

    def __init__(self, recorded):
        self._recorded = recorded

    @property
    def shape(self):
        return self._recorded.shape()

    @property
    def dtype(self):
        return self._recorded.dtype()

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def T(self):
        return self.transpose()

    def __repr__(self):
        return f"Array({self.shape}, {self.dtype})"

    def __bool__(self):
        raise InvalidArgument(
            "kernel: the elements of an array are not known when its function is recorded, so it has no truth value; "
            "choose between two arrays with numpy.where"
        )

    def __array__(self, *_, **__):
        raise InvalidArgument("kernel: this function of NumPy needs elements, which an array of a kernel does not have")

    def __array_ufunc__(self, function, method, *inputs, **options):
        if method != "__call__" or options:
            raise InvalidArgument(f"kernel: numpy.{function.__name__} with options has no operator on the device")
        if function in _TURNED:
            function, inputs = _TURNED[function], inputs[::-1]
        if function is numpy.not_equal:
            return _unary("not", numpy.equal(*inputs))
        if function is numpy.square:
            return inputs[0] * inputs[0]
        if function is numpy.matmul:
            return Array(_operand(inputs[0])._recorded.matmul(_operand(inputs[1])._recorded))
        if function is numpy.power and inputs[1] in (2, 3):
            return inputs[0] * inputs[0] if inputs[1] == 2 else inputs[0] * inputs[0] * inputs[0]
        if function in _UNARY:
            return _unary(_UNARY[function], inputs[0])
        if function in _BINARY:
            a, b = _alike(*inputs)
            return Array(a._recorded.binary(_BINARY[function], b._recorded))
        raise InvalidArgument(f"kernel: numpy.{function.__name__} has no operator on the device")

    def __array_function__(self, function, _, inputs, options):
        if function is numpy.where:
            return where(*inputs, **options)
        if function in _REDUCE:
            return self._reduce(_REDUCE[function], *inputs[1:], **options)
        if function is numpy.reshape:
            return self.reshape(*inputs[1:], **options)
        if function is numpy.transpose:
            return self.transpose(*inputs[1:], **options)
        raise InvalidArgument(f"kernel: numpy.{function.__name__} has no operator on the device")

    def reshape(self, *shape):
        shape = list(shape[0]) if len(shape) == 1 and not isinstance(shape[0], numbers.Integral) else list(shape)
        if -1 in shape:
            shape[shape.index(-1)] = int(numpy.prod(self.shape)) // max(1, -int(numpy.prod(shape)))
        return Array(self._recorded.reshape([int(size) for size in shape]))

    def transpose(self, axes=None):
        return Array(self._recorded.transpose(list(axes or range(self.ndim)[::-1])))

    def sum(self, axis=None, keepdims=False):
        return self._reduce("sum", axis, keepdims)

    def mean(self, axis=None, keepdims=False):
        return self._reduce("mean", axis, keepdims)

    def max(self, axis=None, keepdims=False):
        return self._reduce("max", axis, keepdims)

    def min(self, axis=None, keepdims=False):
        return self._reduce("min", axis, keepdims)

    def _reduce(self, kind, axis=None, keepdims=False):
        axes = [] if axis is None else [axis] if isinstance(axis, numbers.Integral) else list(axis)
        return Array(self._recorded.reduce(kind, axes, bool(keepdims)))


def _operand(value):
    if isinstance(value, Array):
        return value
    raise InvalidArgument(f"kernel: {type(value).__name__} {value!r:.80} is no array of the kernel and no number")


def _alike(*values):
    """Arrays; numbers take the type of an array beside them."""
    arrays = [value for value in values if isinstance(value, Array)]
    return [
        Array(arrays[0]._recorded.number(float(value))) if isinstance(value, numbers.Real) else _operand(value)
        for value in values
    ]


def _unary(kind, x, alpha=0.0, beta=0.0):
    return Array(_operand(x)._recorded.unary(kind, alpha, beta))


def where(condition, a, b):
    """a where the condition holds, else b, of arrays of a kernel or numbers; one of them is an array."""
    a, b = _alike(a, b)
    return Array(_operand(condition)._recorded.select(a._recorded, b._recorded))


def sigmoid(x):
    """1 / (1 + exp(-x)) of an array of a kernel, within 3 units in the last place."""
    return _unary("sigmoid", x)


def erf(x):
    """The error function of an array of a kernel, within 2 units in the last place."""
    return _unary("erf", x)


def gelu(x):
    """x / 2 (1 + erf(x / sqrt(2))) of an array of a kernel."""
    return _unary("gelu", x)


class _Purpose(threading.local):
    """What functions are recorded for: to run, to be differentiated, or to be saved."""

    now = "run"


_purpose = _Purpose()


@contextlib.contextmanager
def recording_for(purpose):
    before, _purpose.now = _purpose.now, purpose
    try:
        yield
    finally:
        _purpose.now = before


def check_function(what, name):
    if what is not None and not callable(what):
        raise InvalidType(f"{name}: {type(what).__name__} {what!r:.80}; give a function")


def _listed(results):
    return list(results) if isinstance(results, (tuple, list)) else [results]


class Function:
    """A function of arrays and attributes, and what it says of itself.

    shape       a function of the operands' shapes and the attributes: the result's shape, or a list of several
    derivative  a function of the operands and the attributes: the partial derivative of the result with respect to each
                operand, element by element; a list for several operands, with None where there is none
    """

    def __init__(self, function, name, shape=None, derivative=None):
        check_function(shape, f"{name}: shape")
        check_function(derivative, f"{name}: derivative")
        self.function, self.name, self.shape, self.derivative = function, name, shape, derivative

    def check_call(self, operands, attributes):
        """Raises InvalidType for other numbers of operands and other attributes than the function takes."""
        try:
            signature = inspect.signature(self.function)
        except (TypeError, ValueError):  # some functions of C
            return
        try:
            signature.bind(*operands, **attributes)
        except TypeError as error:
            given = f"{len(operands)} operands" + "".join(f", {name}" for name in attributes)
            raise InvalidType(f"{self.name}: {error}; its function takes {signature}, given are {given}") from None

    def values(self, operands, attributes):
        """The results for arrays whose elements are not known yet, a list, with the derivative of their operators."""
        self.check_call(operands, attributes)
        results = [_operand(result) for result in _listed(self.function(*operands, **attributes))]
        if self.shape is not None:
            self._check_shapes(results, operands, attributes)
        return results

    def __call__(self, operands, attributes):
        """The results with their own derivative."""
        results = self.values(operands, attributes)
        if self.derivative is None or _purpose.now == "run":
            return results
        if _purpose.now == "save":
            raise InvalidArgument(
                f"{self.name}: has a derivative of its own, which a formula cannot hold for a part of its function; "
                "give the derivative of the whole function to systole.kernel"
            )
        slopes = self.slopes(operands, attributes)
        if len(results) != 1:
            raise InvalidArgument(f"{self.name}: has {len(results)} results; one with a derivative of its own has one")
        value = _systole.with_derivative(
            results[0]._recorded,
            [operand._recorded for operand in operands],
            [None if slope is None else slope._recorded for slope in slopes],
        )
        return [Array(value)]

    def slopes(self, operands, attributes):
        """What the derivative gives: an array or None for each operand."""
        slopes = _listed(self.derivative(*operands, **attributes))
        if len(slopes) != len(operands):
            raise InvalidArgument(
                f"{self.name}: its derivative has {len(slopes)} results for {len(operands)} operands; "
                "it has one for each, or None"
            )
        numbers_as_arrays = (
            Array(operand._recorded.number(float(slope))) if isinstance(slope, numbers.Real) else slope
            for operand, slope in zip(operands, slopes)
        )
        return [None if slope is None else _operand(slope) for slope in numbers_as_arrays]

    def _check_shapes(self, results, operands, attributes):
        wanted = self.shape(*(operand.shape for operand in operands), **attributes)
        several = len(wanted) > 0 and not all(isinstance(size, numbers.Integral) for size in wanted)
        wanted = [tuple(shape) for shape in wanted] if several else [tuple(wanted)]
        given = [result.shape for result in results]
        if wanted != given:
            raise InvalidArgument(
                f"{self.name}: its function makes {given} of operands {[operand.shape for operand in operands]}, "
                f"its shape rule says {wanted}; they must agree"
            )


def existing(path):
    """The path of a file as a text. Raises ModelNotFound."""
    path = os.fspath(path)
    if not os.path.exists(path):
        raise ModelNotFound(errno.ENOENT, os.strerror(errno.ENOENT), path)
    return path


_registered = {}


def record(function, operands, attributes=None):
    """Calls a Function with arrays for recorded operands; the recorded results."""
    return [result._recorded for result in function([Array(operand) for operand in operands], attributes or {})]


def register(name, function, *, shape=None, derivative=None):
    """An operator of one's own in ONNX files that are loaded from now on: `name` is its domain and type, "my.Softsign".

    The function takes an array for each operand and the node's attributes by name, and returns the result, or several:
    register("my.Scale", lambda x, factor: x * factor). It is a function, a Kernel, or the path of a formula that
    Kernel.save() wrote. Networks with it run as with the operators that the function is made of. None takes the
    operator back.

    shape       a function of the operands' shapes and the attributes: what shape the result has, or a list of them.
                Without it the operators of the function say so; most broadcast their operands
    derivative  as that of systole.kernel, for networks that systole.trainable() loads
    """
    if not isinstance(name, str):
        raise InvalidType(f"register: {type(name).__name__} {name!r:.80}; give a domain and a type, 'my.Softsign'")
    if function is None:
        _registered.pop(name, None)
        return
    if isinstance(function, (str, os.PathLike)):
        if shape is not None or derivative is not None:
            raise InvalidArgument(
                f"register: {name!r} is a file, which says shape and derivative itself; leave them out"
            )
        path = existing(function)
        trained, plain = (_systole.read_formula(path, trains) for trains in (True, False))
        _registered[name] = lambda operands, attributes: (trained if _purpose.now == "gradient" else plain)(
            operands, attributes
        )
        return
    if "." not in name or not callable(function):
        raise InvalidArgument(
            f"register: {name!r}, {function!r}; give a domain and a type, 'my.Softsign', and a function"
        )
    known = getattr(function, "_function", None)
    if isinstance(known, Function):
        function, derivative = known.function, derivative or known.derivative
    whole = Function(function, name, shape, derivative)
    _registered[name] = lambda operands, attributes: record(whole, operands, attributes)


def registered():
    """The functions of register(), as the C++ module takes them."""
    return dict(_registered)
