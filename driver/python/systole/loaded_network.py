# SPDX-License-Identifier: Apache-2.0
"""Networks that are loaded from files."""
import json
import os

import numpy

from systole import _systole
from systole.device import OPTIONS, Device
from systole.errors import InvalidArgument, check_options
from systole.recorded_array import existing, registered
from systole.statistics import add, with_ratios

_BY_DEFAULT = ("float64", "int64", "int32")  # types that NumPy chooses for plain Python numbers


LOAD_OPTIONS = ("config", "device", "dimensions", "constants", "precision", "without", *OPTIONS)


def check_device(what, device):
    """Raises InvalidArgument for what is no device to load a network to."""
    if not isinstance(device, Device) and device not in ("host", "model", "rtl"):
        raise InvalidArgument(f"{what}: device {device!r:.80}; give 'host', 'model', 'rtl' or a systole.Device")


class TensorInfo:
    """An input or output of a network: name, shape, dtype, and scale and zero_point (None if it is not quantized)."""

    def __init__(self, name, shape, dtype, scale, zero_point):
        self.name, self.shape, self.dtype = name, shape, dtype
        self.scale, self.zero_point = scale, zero_point

    def __repr__(self):
        steps = "" if self.scale is None else f", scale={self.scale:.6g}, zero_point={self.zero_point}"
        return f"TensorInfo({self.name!r}, {self.shape}, {self.dtype}{steps})"

    def _demand_scale(self):
        if self.scale is None:
            raise InvalidArgument(f"'{self.name}' is {self.dtype} without a scale: its values are not quantized")

    def quantize(self, x):
        """Quantizes real numbers: round(x / scale) + zero_point, saturated."""
        self._demand_scale()
        steps = numpy.rint(numpy.asarray(x, dtype=numpy.float64) / self.scale) + self.zero_point
        limits = numpy.iinfo(self.dtype)
        return numpy.clip(steps, limits.min, limits.max).astype(self.dtype)

    def dequantize(self, x):
        """Converts quantized values to real numbers: scale * (x - zero_point), float32."""
        self._demand_scale()
        return (numpy.asarray(x, dtype=numpy.float32) - self.zero_point) * numpy.float32(self.scale)

    def _take(self, x):
        """The array in the tensor's type. Raises InvalidArgument if the conversion would change a value."""
        x = numpy.asarray(x)
        if x.dtype == self.dtype:
            return x
        to_integers = x.dtype.kind == "f" and self.dtype.kind != "f"
        if x.dtype.name in _BY_DEFAULT and not to_integers:
            converted = x.astype(self.dtype)
            if self.dtype.kind == "f" or (converted == x).all():
                return converted
        remedy = "convert real numbers with quantize() of this input" if to_integers else "convert it"
        raise InvalidArgument(f"input '{self.name}': {x.dtype} given, it takes {self.dtype}; {remedy}")

    def _samples(self, x):
        """The samples of a batch as a list of arrays of the tensor's shape, or None if x is a single sample."""
        if x.shape == self.shape:
            return None
        for shape in (self.shape, self.shape[1:] if self.shape[:1] == (1,) else self.shape):
            if x.ndim == len(shape) + 1 and x.shape[1:] == shape:
                return [sample.reshape(self.shape) for sample in x]
        batch = " or a batch of these along a first axis"
        raise InvalidArgument(f"input '{self.name}': shape {x.shape} given, it takes {self.shape}{batch}")


def _constant(name, value):
    """An array, or the text of a number or list, whose type is that of the input."""
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return numpy.asarray(value)
    try:
        return json.dumps(value, default=_elements)
    except (TypeError, ValueError):
        raise InvalidArgument(
            f"constant '{name}': {type(value).__name__} {value!r:.80}; give an array, a number or a list of numbers"
        ) from None


def _elements(value):
    """NumPy's numbers and arrays in a list."""
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return value.tolist()
    raise TypeError


def given_constants(constants):
    """Constants as the C++ module takes them."""
    return {name: _constant(name, value) for name, value in (constants or {}).items()}


class Network:
    """A network on a device, or on the host; then `device` is None.

    network = Network.load("model.tflite")
    y = network.run(x)
    """

    def __init__(self, device, path, *, dimensions=None, constants=None, precision=None, without=()):
        self.device = device
        if isinstance(without, str):
            raise InvalidArgument(f"without: {without!r}; give a list of names, such as [{without!r}]")
        arguments = (existing(path), dict(dimensions or {}), given_constants(constants), precision or "")
        arguments += (list(without), registered())
        self._take_loaded(*arguments)

    @classmethod
    def _of(cls, device, graph):
        """A network of a graph of the C++ module."""
        network = cls.__new__(cls)
        network.device = device
        network._take_loaded(graph)
        return network

    def _take_loaded(self, *arguments):
        if self.device is None:
            self._loaded = _systole.HostNetwork(*arguments)
        else:
            self._loaded = _systole.LoadedNetwork(self.device._session, *arguments)
        self._sums = {}
        self.inputs = [TensorInfo(**tensor) for tensor in self._loaded.tensors(True)]
        self.outputs = [TensorInfo(**tensor) for tensor in self._loaded.tensors(False)]

    @classmethod
    def load(
        cls,
        path,
        config="default",
        device="model",
        *,
        dimensions=None,
        constants=None,
        precision=None,
        without=(),
        **options,
    ):
        """Loads a .tflite, .onnx or .systole file to a device.

        device      a Device, or "model" or "rtl" to open one with `config` and `options` (see Device), or "host": then
                    the host computes the network, one operator after another, as it was read
        dimensions  sizes of the dynamic dimensions of an ONNX file by name; a first dimension is 1 by default
        constants   values of inputs of an ONNX file by name: arrays of the inputs' types and shapes, or numbers and
                    lists of any type that has their values. They become constants of the network, which no longer has
                    these inputs
        precision   "mx": products of float32 in block floating point; None: as the file has it
        without     names of the compiler's transformations that are not applied, keys of `transformations`; results
                    stay the same

        Raises ModelNotFound (also a FileNotFoundError), ModelError for a file that cannot be read or contains something
        unsupported, InvalidArgument, and Failure if device memory is too small.
        """
        check_options("Network.load", options, LOAD_OPTIONS)
        check_device("Network.load", device)
        reading = {"dimensions": dimensions, "constants": constants, "precision": precision, "without": without}
        if isinstance(device, Device):
            if options:
                raise InvalidArgument(
                    f"Network.load: {sorted(options)} only apply when a device is opened; pass them to Device"
                )
            return cls(device, path, **reading)
        if device == "host":
            if options:
                raise InvalidArgument(f"Network.load: {sorted(options)} are options of a device; the host has none")
            return cls(None, path, **reading)
        return cls(Device(config, device, **options), path, **reading)

    @classmethod
    def from_torch(cls, module, example, *, device="model", **options):
        """Loads a torch.nn.Module, in eval() mode, for inputs of the shapes and types of `example`, a tensor or a tuple
        of them. `device` and `options` are those of load(). torch.onnx writes it as a file, and needs onnx and
        onnxscript for that.

        Raises what load() and torch.onnx.export() do, and InvalidArgument for a module in training mode.
        """
        from systole.torch_backend import from_torch

        return from_torch(module, example, device=device, **options)

    @property
    def name(self):
        """The name of the network: the file name without folder and extension."""
        return self._loaded.name()

    @property
    def transformations(self):
        """How often the compiler applied each of its optional transformations: a dictionary of names and counts; empty
        for a file that has programs."""
        return self._loaded.transformations()

    @property
    def statistics(self):
        """Statistics of the last run() over all its samples; empty before the first run and on the host. A
        dictionary with the keys of Device.statistics, samples, nonfinite_in, and layers: a list of dictionaries
        with name and on_device; layers on the device have shape, macs, cycles, predicted_cycles, utilization,
        read_bytes, write_bytes, causes, and window, the first and the last cycle of the simulation in which the first
        sample was worked on, None on the functional model; others have a reason. nonfinite_in is a list of names: the
        layers of the first program with an infinity or a NaN in a block; the core does not tell which of them it
        was."""
        return with_ratios(self._sums, self.device.configuration["dim"]) if self.device else {}

    def write_report(self, path):
        """Writes where the cycles of the last sample of the last run() went: a page, or the JSON that `systole report`
        reads if the path ends in .json. Raises InvalidArgument if there are none: before the first run, on the
        functional model, and where the host computed all; Failure if the file cannot be written."""
        if not self._sums:
            raise InvalidArgument("write_report: nothing ran on a device yet; call run() of a network on one")
        self._loaded.write_report(os.fspath(path))

    def __repr__(self):
        return f"Network({self.name!r}, inputs={self.inputs}, outputs={self.outputs})"

    def run(self, *inputs, progress=None, check=False):
        """Runs the network on arrays, one for each input: run(x), run(x, y), run([x, y]) or run({"name": x}).

        An array has the shape of its input, or an additional first axis (or a first axis larger than 1 instead of 1)
        for a batch of samples, which run one after the other. It has the type of its input; float64, int64 and int32
        are converted if that does not change a value. Returns the output, or a list of several; those of a batch are
        joined along the first axis.

        On "rtl", progress(cycles, expected) is called from time to time. Raises InvalidArgument for arrays that do not
        match, and the errors of the device.
        """
        arrays = [info._take(x) for info, x in zip(self.inputs, self._in_order(inputs))]
        batches = [info._samples(x) for info, x in zip(self.inputs, arrays)]
        lengths = {len(batch) for batch in batches if batch is not None}
        if len(lengths) > 1 or (lengths and None in batches):
            raise InvalidArgument(
                f"run: inputs hold {[1 if b is None else len(b) for b in batches]} samples; the numbers must be equal"
            )
        if not lengths:
            results, self._sums = self._one(arrays, {}, progress, check)
            self._sums["samples"] = 1
        else:
            results = self._many(batches, progress, check)
        return results[0] if len(results) == 1 else results

    def reset_state(self):
        """The next run() begins anew. A network with variables (streaming networks of TensorFlow Lite) keeps them from
        run to run, and from sample to sample of a batch; other networks have nothing to reset."""
        self._loaded.reset_state()

    def _one(self, arrays, sums, progress, check):
        if self.device is None:
            return self._loaded.run(arrays), {}
        results = self._loaded.run(arrays, progress, bool(check))
        return results, add(sums, self._loaded.statistics())

    def _many(self, batches, progress, check):
        sums, rows = {}, []
        for sample in zip(*batches):
            row, sums = self._one(list(sample), sums, progress, check)
            rows.append(row)
        self._sums = {**sums, "samples": len(rows)}
        return [self._stack(column, info) for column, info in zip(zip(*rows), self.outputs)]

    @staticmethod
    def _stack(arrays, info):
        return numpy.concatenate(arrays) if info.shape[:1] == (1,) else numpy.stack(arrays)

    def _in_order(self, inputs):
        names = [info.name for info in self.inputs]
        if len(inputs) == 1 and isinstance(inputs[0], dict):
            if set(inputs[0]) != set(names):
                raise InvalidArgument(f"run: inputs named {sorted(inputs[0])}, the network has {names}")
            return [inputs[0][name] for name in names]
        if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)) and len(inputs[0]) == len(names):
            if len(names) > 1 or isinstance(inputs[0][0], numpy.ndarray):
                inputs = inputs[0]
        if len(inputs) != len(names):
            raise InvalidArgument(f"run: {len(inputs)} inputs given, the network has {len(names)}: {names}")
        return inputs
