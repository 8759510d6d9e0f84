# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays, written in Python, that run on a device.

    silu = systole.kernel(lambda x: x / (1 + numpy.exp(-x)))
    y = silu(x, device=systole.Device("default", "rtl"))
"""
import functools
import os

import numpy

from systole import _systole
from systole.device import Device, default_device
from systole.errors import InvalidArgument, InvalidType
from systole.formula import formula_of
from systole.loaded_network import Network, existing, given_constants
from systole.recorded_array import Array, Function, check_function, record, recording_for, registered

CACHE_SIZE = 32


class Kernel:
    """A function of arrays that runs on a device: systole.kernel(function).

    It is recorded and compiled once for each combination of device, shapes, types and attributes, by calling the
    function with `Array`s; the last `cache_size` of them are kept, as by functools.lru_cache. Operators that follow
    each other element by element become one kernel of the vector processor.
    """

    def __init__(self, function, name, *, derivative=None, cache_size=CACHE_SIZE):
        check_function(function, "kernel")
        if not isinstance(name, str):
            raise InvalidType(f"kernel: name {name!r:.80}; give a text")
        if isinstance(cache_size, bool) or not isinstance(cache_size, (int, numpy.integer)):
            raise InvalidType(f"kernel {name!r}: cache_size {cache_size!r:.80}; give a whole number, 1 or more")
        if cache_size < 1:
            raise InvalidArgument(f"kernel {name!r}: cache_size {cache_size}; it is 1 or more")
        self.name = name
        self._function = Function(function, name, derivative=derivative)
        self._network = functools.lru_cache(int(cache_size))(self._compile)
        self._last = None

    def __repr__(self):
        return f"Kernel({self.name!r})"

    def __call__(self, *arrays, device=None, **attributes):
        """The results for NumPy arrays, on a Device, on "host", or on the default device, a functional model. Further
        arguments of the function are given by name. Within the function of another kernel, the results for its arrays.

        Raises InvalidType for arguments that are no arrays and no device, and for other numbers of arguments than the
        function takes; InvalidArgument for functions that have no operator on the device, ModelError for arrays that do
        not fit each other, and the errors of the device.
        """
        self._function.check_call(arrays, attributes)
        if any(isinstance(array, Array) for array in arrays):
            results = self._function(self._recorded(arrays, device), attributes)
            return results[0] if len(results) == 1 else results
        device = default_device() if device is None else device
        if device != "host" and not isinstance(device, Device):
            raise InvalidType(f"{self.name}: device {device!r:.80}; give a systole.Device or 'host'")
        arrays = [self._array(i, array) for i, array in enumerate(arrays)]
        types = tuple((array.shape, array.dtype.str) for array in arrays)
        self._last = self._network(None if device == "host" else device, types, self._known(attributes))
        return self._last.run(*arrays)

    def _known(self, attributes):
        """The attributes as a part of what a compiled network is found by."""
        known = tuple(sorted(attributes.items()))
        try:
            hash(known)
        except TypeError:
            raise InvalidType(
                f"{self.name}: {attributes!r:.80}; attributes are numbers, texts and tuples of them"
            ) from None
        return known

    def _recorded(self, arrays, device):
        if device is not None:
            raise InvalidArgument(f"{self.name}: device {device!r:.80} within another kernel; that has the device")
        for i, array in enumerate(arrays):
            if not isinstance(array, Array):
                raise InvalidType(
                    f"{self.name}: operand {i} is {type(array).__name__} {array!r:.80}, beside an array of another "
                    "kernel; make it an operand of that one"
                )
        return list(arrays)

    def _array(self, i, given):
        try:
            array = numpy.asarray(given)
        except (TypeError, ValueError) as error:
            raise InvalidType(f"{self.name}: operand {i}, {type(given).__name__} {given!r:.80}: {error}") from None
        if array.dtype.kind not in "biuf":
            raise InvalidType(
                f"{self.name}: operand {i}, {type(given).__name__} {given!r:.80}, is an array of {array.dtype}; arrays "
                "hold booleans, integers or real numbers"
            )
        return array

    def _graph(self, types, attributes):
        samples = [numpy.broadcast_to(numpy.zeros((), dtype), shape) for shape, dtype in types]
        return _systole.record(self.name, samples, lambda operands: record(self._function, operands, dict(attributes)))

    def _compile(self, device, types, attributes):
        return Network._of(device, self._graph(types, attributes))

    def cache_info(self):
        """Hits, misses, greatest and present number of compiled networks, as of functools.lru_cache."""
        return self._network.cache_info()

    def cache_clear(self):
        """Forgets all compiled networks."""
        self._network.cache_clear()

    def save(self, path, *arrays):
        """Writes the function as a formula, a file for `systole run --kernel my.Softsign=FILE` and systole.register().

        It is recorded with arrays of these types and shapes, or without any with float32 vectors; the formula is for
        operands of other shapes and types as well, as far as the function did not look at them. Arguments whose default
        is a real number, such as steepness=1.0, become attributes of the operator; others have their default.
        """
        text = formula_of(self._function, [self._array(i, array) for i, array in enumerate(arrays)])
        with open(os.fspath(path), "w", encoding="utf-8") as file:
            file.write(text)

    @property
    def statistics(self):
        """Network.statistics of the last call."""
        return self._last.statistics if self._last else {}


class _Gradient(Kernel):
    def _graph(self, types, attributes):
        with recording_for("gradient"):
            return _systole.value_and_gradients(super()._graph(types, attributes))


class TrainableNetwork(Kernel):
    """A network of a file as a function of its pictures and parameters: systole.trainable(path).

    parameters  their values in the file, a list of arrays; a matrix that a product takes may be transposed
    names       their names
    """

    def __init__(self, path, batch, dimensions, constants):
        with recording_for("gradient"):
            graph, self.names, self.parameters = _systole.trainable(path, batch, dimensions, constants, registered())

        def network(*arrays):
            return [Array(result) for result in _systole.arrays_of(graph, [array._recorded for array in arrays])]

        super().__init__(network, os.path.splitext(os.path.basename(path))[0])

    def save(self, path, *arrays):
        raise InvalidArgument(f"{self.name}: is a network, which no formula holds; it is in a file already")


def trainable(path, *, batch=1, dimensions=None, constants=None):
    """A TrainableNetwork of an ONNX or TensorFlow Lite file: a Kernel of `batch` pictures and the network's parameters,
    whose result is the scores, one row for each picture. Operators that register() knows have their derivatives.

    network = systole.trainable("net.onnx", batch=16)
    step = systole.value_and_gradient(lambda x, y, *w: ((network(x, *w) - y) ** 2).mean())
    loss, by_x, by_y, *by_w = step(x, y, *network.parameters)

    dimensions, constants  as of Network.load

    Raises ModelNotFound, and ModelError for a file without one input, a picture of float32, or without parameters, and
    for operators that do not compute each picture by itself.
    """
    if isinstance(batch, bool) or not isinstance(batch, (int, numpy.integer)):
        raise InvalidType(f"trainable: batch {batch!r:.80}; give a whole number, 1 or more")
    if batch < 1:
        raise InvalidArgument(f"trainable: batch {batch}; it is 1 or more")
    return TrainableNetwork(existing(path), int(batch), dict(dimensions or {}), given_constants(constants))


def _name_of(function, name):
    given = name or getattr(function, "__name__", None) or getattr(function, "name", "kernel")
    return "kernel" if given == "<lambda>" else given


def kernel(function=None, *, name=None, derivative=None, cache_size=CACHE_SIZE):
    """A Kernel of a function of arrays; also a decorator.

    silu = systole.kernel(lambda x: x / (1 + numpy.exp(-x)))

    derivative  of the function, instead of the one that follows from its operators: a function of the same arguments,
                whose results are the partial derivatives of the result with respect to each operand, element by
                element; None for an operand without one
    cache_size  how many compiled networks are kept, one for each device, shapes and types
    """
    if function is None:
        return lambda decorated: kernel(decorated, name=name, derivative=derivative, cache_size=cache_size)
    return Kernel(function, _name_of(function, name), derivative=derivative, cache_size=cache_size)


def value_and_gradient(function, *, name=None, cache_size=CACHE_SIZE):
    """A Kernel of a function whose only result is one number, such as a loss: the number, and its gradient with respect
    to each operand of real numbers.

    step = systole.value_and_gradient(lambda w, x, y: ((x @ w - y) ** 2).mean())
    loss, by_w, by_x, by_y = step(w, x, y)
    """
    return _Gradient(function, _name_of(function, name), cache_size=cache_size)
