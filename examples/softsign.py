# SPDX-License-Identifier: Apache-2.0
"""Writes softsign.json into a folder, here by default: a formula for `systole run net.onnx --kernel`."""
import os
import sys

import numpy

import systole


@systole.kernel
def softsign(x, steepness=1.0):
    s = x * steepness
    return s / (1 + abs(s))


x = numpy.linspace(-4, 4, 9, dtype=numpy.float32)
print(softsign(x, steepness=2.0, device=systole.Device("tiny", "model")))
softsign.save(os.path.join(sys.argv[1] if len(sys.argv) > 1 else ".", "softsign.json"))
