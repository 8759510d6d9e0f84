# SPDX-License-Identifier: Apache-2.0
"""One layer of NumPy arrays on the device: one_layer.py [BACKEND]"""
import sys

import numpy

import systole

random = numpy.random.default_rng(1)  # the same operands in every run
image = random.integers(-127, 128, (1, 28, 28, 32), numpy.int8)  # NHWC: sample, row, column, channel
weights = random.integers(-127, 128, (64, 3, 3, 32), numpy.int8)  # OHWI: output channel, row, column, input channel
bias = numpy.full(64, 1000, numpy.int32)

backend = sys.argv[1] if len(sys.argv) > 1 else "rtl" if systole.has_backend("rtl") else "model"
device = systole.Device("default", backend)
# The result is sums * scale + zero point, clamped to int8. Padding has the value input_zero_point.
result = device.conv2d(
    image, weights, bias=bias, padding="same", input_zero_point=-5, scale=1 / 2000, zero_point=3, clamp=(3, 127)
)

statistics = device.statistics  # cycles are 0 on back end `model`, which knows no time
print(f"conv 3x3 28x28x32 to 64 on {backend}: {result.dtype} {result.shape}")
print(f"  {statistics['macs']} multiply-accumulates in {statistics['cycles']} cycles: {statistics['utilization']:.1%}")

padded = numpy.pad(image.astype(int) + 5, ((0, 0), (1, 1), (1, 1), (0, 0)))
windows = numpy.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))
sums = numpy.einsum("nhwckl,oklc->nhwo", windows, weights.astype(int)) + bias
nearest = numpy.clip(numpy.rint(sums / 2000) + 3, 3, 127)
off = numpy.abs(result - nearest).max()
print(f"  {result.size} values, at most {off:.0f} off what NumPy rounds to")
sys.exit(0 if off <= 1 else 1)
