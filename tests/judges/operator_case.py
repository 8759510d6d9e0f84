# SPDX-License-Identifier: Apache-2.0
"""A .tflite file of one operator, under construction: its scales, zero points and data are random."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/reference"))
from scale import Scale
from tflite_writer import TfliteModel

SAMPLES = 2
SAME = object()  # the quantization of the first input


class OperatorCase:
    def __init__(self, rng, kind, dtype, extreme=False):
        """`extreme`: scales of any magnitude, zero points at the ends of the type."""
        self.rng, self.kind, self.dtype, self.extreme = rng, kind, np.dtype(dtype), extreme
        self.model = TfliteModel()
        self.operands, self.sources, self.data, self.results = [], [], [], []
        self.first = None

    # -- Random numbers.
    def integer(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def choice(self, values):
        return values[self.integer(0, len(values) - 1)]

    def shape(self, rank=None, largest=7):
        return tuple(self.integer(1, largest) for _ in range(self.integer(1, 4) if rank is None else rank))

    def scale(self, dtype=None, near=None):
        """A random scale and zero point, within e^2 of `near`; None for numbers without."""
        dtype = self.dtype if dtype is None else np.dtype(dtype)
        if dtype.kind not in "iu":
            return None
        spread = 5 if self.extreme else 2
        middle = np.log(near if near else 0.02 if dtype.itemsize == 1 else 0.0001)
        scale = float(np.float32(np.exp(middle + self.rng.uniform(-spread, spread))))
        limits = np.iinfo(dtype)
        if dtype.itemsize > 1:
            return Scale(scale, 0)
        ends = [limits.min, limits.max]
        return Scale(scale, self.choice(ends) if self.extreme else self.integer(*ends))

    def values(self, shape, dtype, low=None, high=None):
        if dtype == np.bool_:
            return self.rng.integers(0, 2, shape).astype(np.bool_)
        if dtype.kind == "f":
            return self.rng.uniform(-4 if low is None else low, 4 if high is None else high, shape).astype(dtype)
        limits = np.iinfo(dtype)
        wide = limits.bits >= 32
        first = (-1000 if wide else limits.min) if low is None else low
        last = (1000 if wide else limits.max) if high is None else high
        return self.rng.integers(first, last, shape, np.int64, endpoint=True).astype(dtype)

    def activation(self):
        """None, ReLU, ReLU -1 .. 1, or ReLU6. The kernels refuse some whose limits are far outside the range of the
        result."""
        return 0 if self.extreme else self.integer(0, 3)

    # -- Tensors.
    def input(self, shape, dtype=None, quantization=None, low=None, high=None):
        """An operand that is an input of the network. Without a quantization it has a random one."""
        dtype = self.dtype if dtype is None else np.dtype(dtype)
        quantization = self.scale(dtype) if quantization is None else quantization
        self.first = self.first or quantization
        self.sources.append(self.model.tensor(f"input{len(self.sources)}", shape, dtype, quantization))
        self.data.append(self.values((SAMPLES, *shape), dtype, low, high))
        self.operands.append(self.sources[-1])
        return quantization

    def plain(self, shape, dtype, low=None, high=None):
        """An input of numbers without a scale."""
        dtype = np.dtype(dtype)
        self.sources.append(self.model.tensor(f"input{len(self.sources)}", shape, dtype))
        self.data.append(self.values((SAMPLES, *shape), dtype, low, high))
        self.operands.append(self.sources[-1])

    def constant(self, values, dtype=np.int32, quantization=None, axis=0):
        self.operands.append(
            self.model.constant(f"constant{len(self.operands)}", np.array(values, dtype), quantization, axis)
        )

    def omitted(self):
        self.operands.append(-1)

    def output(self, shape, dtype=None, quantization=None):
        """A result. Without a quantization it has a random one; SAME is that of the first input."""
        dtype = self.dtype if dtype is None else np.dtype(dtype)
        quantization = self.first if quantization is SAME else quantization or self.scale(dtype)
        self.results.append(self.model.tensor(f"output{len(self.results)}", shape, dtype, quantization))

    def plain_output(self, shape, dtype):
        self.results.append(self.model.tensor(f"output{len(self.results)}", shape, np.dtype(dtype)))

    def finish(self, options=None, version=1, **attributes):
        """The file, and its inputs, whose first axis is the sample."""
        self.model.operator(self.kind, self.operands, self.results, options, version, **attributes)
        return self.model.bytes(self.sources, self.results), self.data
