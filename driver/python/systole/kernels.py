# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays, written in Python, that run on a device.

    silu = systole.kernel(lambda x: x / (1 + numpy.exp(-x)))
    y = silu(x, device=systole.Device("default", "rtl"))
"""
import numpy

from systole import _systole
from systole.device import Device, default_device
from systole.errors import InvalidArgument
from systole.loaded_network import Network
from systole.recorded_array import record


class Kernel:
    """A function of arrays that runs on a device: systole.kernel(function).

    It is recorded once for each combination of shapes and types, by calling the function with `Array`s, and compiled
    once for each device. Operators that follow each other element by element become one kernel of the vector processor.
    """

    def __init__(self, function, name):
        self._function, self.name = function, name
        self._networks = {}
        self._last = None

    def __repr__(self):
        return f"Kernel({self.name!r})"

    def __call__(self, *arrays, device=None):
        """The results for NumPy arrays, on a Device, on "host", or on the default device, a functional model.

        Raises InvalidArgument for arrays and functions that have no operator on the device, ModelError for arrays that
        do not fit each other, and the errors of the device.
        """
        device = None if device == "host" else device or default_device()
        if device is not None and not isinstance(device, Device):
            raise InvalidArgument(f"kernel: device {device!r}; give a systole.Device or 'host'")
        arrays = [numpy.asarray(array) for array in arrays]
        key = (device, *((array.shape, array.dtype.str) for array in arrays))
        if key not in self._networks:
            graph = _systole.record(self.name, arrays, lambda operands: record(self._function, operands))
            self._networks[key] = Network._of(device, graph)
        self._last = self._networks[key]
        return self._last.run(*arrays)

    @property
    def statistics(self):
        """Network.statistics of the last call."""
        return self._last.statistics if self._last else {}


def kernel(function=None, *, name=None):
    """A Kernel of a function of arrays; also a decorator.

    silu = systole.kernel(lambda x: x / (1 + numpy.exp(-x)))
    """
    if function is None:
        return lambda decorated: kernel(decorated, name=name)
    given = name or getattr(function, "__name__", "kernel")
    return Kernel(function, "kernel" if given == "<lambda>" else given)
