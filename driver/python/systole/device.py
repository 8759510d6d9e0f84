# SPDX-License-Identifier: Apache-2.0
"""Devices, and single operators on NumPy arrays."""
import threading

import numpy

from systole import _systole
from systole.errors import InvalidArgument, check_options
from systole.statistics import with_ratios


OPTIONS = _systole.device_options()


def _pair(value, name):
    """Height and width, from a pair or from one number for both."""
    if isinstance(value, (int, numpy.integer)):
        return int(value), int(value)
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return int(value[0]), int(value[1])
    raise InvalidArgument(f"{name}: {value!r}; expected a number, or a pair of height and width")


def _same(size, kernel, stride, dilation):
    """Padding before and after for ceil(size / stride) output positions, as TensorFlow's SAME defines it."""
    total = max(0, (-(-size // stride) - 1) * stride + (kernel - 1) * dilation + 1 - size)
    return total // 2, total - total // 2


def _window(shape, kernel, stride, padding, dilation):
    """The ten numbers of a window: kernel, stride, dilation, padding top, bottom, left, right."""
    kernel, stride, dilation = _pair(kernel, "kernel"), _pair(stride, "stride"), _pair(dilation, "dilation")
    if padding == "same":
        if min(stride) < 1:
            raise InvalidArgument(f"stride: {stride}; strides are 1 .. 255")
        sides = [_same(shape[1 + i], kernel[i], stride[i], dilation[i]) for i in range(2)]
    elif padding == "valid":
        sides = [(0, 0), (0, 0)]
    elif isinstance(padding, str):
        raise InvalidArgument(
            f"padding: {padding!r}; expected 'same', 'valid', a number, or ((top, bottom), (left, right))"
        )
    elif isinstance(padding, (tuple, list)):
        sides = [_pair(side, "padding") for side in _pair_of_any(padding)]
    else:
        sides = [_pair(padding, "padding")] * 2
    return [*kernel, *stride, *dilation, *sides[0], *sides[1]]


def _pair_of_any(padding):
    if len(padding) != 2:
        raise InvalidArgument(f"padding: {padding!r}; give ((top, bottom), (left, right)), or (height, width)")
    return padding


def _stage(scale, zero_point, clamp, rounding):
    """The requantization parameters, or None without a scale: then the result is the plain sums."""
    if scale is None:
        return None
    factors = [float(factor) for factor in numpy.atleast_1d(numpy.asarray(scale, dtype=numpy.float64))]
    return _systole.Stage(factors, int(zero_point), int(clamp[0]), int(clamp[1]), rounding)


def _bias(bias):
    return None if bias is None else numpy.asarray(bias)


class Device:
    """A device: the Verilated core, or the functional model, which gives the same results but has no cycle counts.

    config      name of a configuration, one of systole.configurations()
    backend     "model" or "rtl"
    options     memory_bytes (a multiple of 4096); for "rtl" also lockstep (runs the model beside the core and compares
                them) and the timing: read_latency, write_latency, read_interval, write_interval, stall_percent,
                host_latency, host_bytes_per_cycle, seed

    Threads may share a device; its calls wait for each other. Devices of back end "model" run in parallel, those of
    "rtl" one after the other. Raises InvalidArgument for unknown names, options and illegal values.
    """

    def __init__(self, config="default", backend="model", **options):
        check_options("Device", options, OPTIONS)
        self._session = _systole.Session(config, backend, options)
        self._last = {}

    def __repr__(self):
        return f"systole.Device({self.configuration['name']!r}, {self.backend!r})"

    @property
    def configuration(self):
        """A dictionary with name, dim, scratch_rows, weight_rows, acc_rows, param_rows, windows, and without, the list
        of the parts that the core has not."""
        return self._session.configuration()

    @property
    def backend(self):
        """The name of the back end, "model" or "rtl"."""
        return self._session.backend()

    @property
    def statistics(self):
        """Statistics of the last operator on this device, as a dictionary; empty before the first.

        The keys are cycles, predicted_cycles, macs, utilization (0 .. 1), macs_per_cycle, commands, read_beats,
        write_beats, nonfinite (whether an infinity or a NaN was in a block of block floating point that a kernel
        stored), and causes: for each engine the cycles of each cause, which add up to cycles (0 on "model").
        """
        return with_ratios(self._last, self.configuration["dim"])

    def reset(self):
        """Resets the device to its state after opening. Device memory keeps its contents."""
        self._session.reset()

    def load(self, path, *, dimensions=None, constants=None, precision=None, without=()):
        """Loads a network from a file to this device; see Network.load."""
        from systole.loaded_network import Network

        return Network(self, path, dimensions=dimensions, constants=constants, precision=precision, without=without)

    def _take(self, result):
        tensor, self._last = result
        return tensor

    def matmul(
        self,
        a,
        b,
        *,
        bias=None,
        scale=None,
        zero_point=0,
        clamp=(-128, 127),
        rounding="double",
        a_zero_point=0,
        progress=None,
        check=False,
    ):
        """The product of a (m x k, int8) and b (k x n, int8).

        Without `scale`, the result is the int32 sums; bias and zero points are not allowed. With `scale`, it is int8:
        clamp(round((sum of (a - a_zero_point) * b + bias) * scale) + zero_point). `scale` is one factor, or one per
        column; `bias` has one int32 per column. `rounding` is "double" (as TensorFlow Lite) or "even" (as ONNX).

        On back end "rtl", progress(cycles, expected) is called from time to time. `check` checks the program for races
        before it runs. Raises InvalidArgument for arrays and values that do not fit, and DeviceError.
        """
        if scale is None and (bias is not None or a_zero_point != 0):
            raise InvalidArgument(
                "matmul: bias and a_zero_point need a scale; without one, add them to the sums yourself"
            )
        stage = _stage(scale, zero_point, clamp, rounding)
        arguments = (numpy.asarray(a), numpy.asarray(b), _bias(bias), stage, int(a_zero_point), progress, bool(check))
        return self._take(self._session.matmul(*arguments)).reshape(numpy.shape(a)[0], numpy.shape(b)[1])

    def conv2d(
        self,
        input,
        weights,
        *,
        bias=None,
        stride=1,
        padding="valid",
        dilation=1,
        groups=1,
        input_zero_point=0,
        scale=None,
        zero_point=0,
        clamp=(-128, 127),
        rounding="double",
        progress=None,
        check=False,
    ):
        """Convolution of an int8 image (NHWC) with int8 weights (OHWI, where I is the input channels per group).

        `padding` is "valid", "same", a number for all sides, or ((top, bottom), (left, right)); the padded pixels have
        the value input_zero_point. `stride` and `dilation` are a number, or height and width. With `groups` equal to
        the number of channels it is a depthwise convolution. The other arguments are those of matmul; without `scale`,
        the result is the int32 sums plus the bias.
        """
        image, kernel = numpy.asarray(input), numpy.asarray(weights)
        if image.ndim != 4 or kernel.ndim != 4:
            raise InvalidArgument(
                f"conv2d: input has {image.ndim} dimensions and weights have {kernel.ndim}; both have 4, NHWC and OHWI"
            )
        window = _window(image.shape, kernel.shape[1:3], stride, padding, dilation)
        stage = _stage(scale, zero_point, clamp, rounding)
        arguments = (
            image,
            kernel,
            _bias(bias),
            stage,
            window,
            int(groups),
            int(input_zero_point),
            progress,
            bool(check),
        )
        return self._take(self._session.conv2d(*arguments))

    def max_pool(self, input, kernel, *, stride=None, padding="valid", dilation=1, progress=None, check=False):
        """The maximum of each window of an int8 image (NHWC), ignoring padding. `stride` defaults to the kernel."""
        image = numpy.asarray(input)
        return self._pool(self._session.max_pool, image, kernel, stride, padding, dilation, progress, check)

    def average_pool(self, input, kernel, *, stride=None, padding="valid", progress=None, check=False):
        """The average of each window of an int8 image (NHWC), ties away from zero. Padding is not counted."""
        image = numpy.asarray(input)
        return self._pool(self._session.average_pool, image, kernel, stride, padding, 1, progress, check)

    def _pool(self, operator, image, kernel, stride, padding, dilation, progress, check):
        if image.ndim != 4:
            raise InvalidArgument(f"pool: input has {image.ndim} dimensions; it has 4, NHWC")
        window = _window(image.shape, kernel, kernel if stride is None else stride, padding, dilation)
        return self._take(operator(image, window, progress, bool(check)))


_default = None
_default_lock = threading.Lock()


def default_device():
    """The device used by systole.matmul and systole.conv2d by default: a functional model, opened on first use."""
    global _default
    with _default_lock:
        if _default is None:
            _default = Device()
        return _default


def matmul(a, b, *, device=None, **options):
    """Device.matmul on `device`, or on the default device."""
    return (device or default_device()).matmul(a, b, **options)


def conv2d(input, weights, *, device=None, **options):
    """Device.conv2d on `device`, or on the default device."""
    return (device or default_device()).conv2d(input, weights, **options)
