# SPDX-License-Identifier: Apache-2.0
"""Writes x.npy and y.npy, what leaky_relu.tpuk is to make of it: leaky_relu.py [FOLDER]"""
import sys
from pathlib import Path

import numpy

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
x = numpy.random.default_rng(1).integers(-128, 128, (40, 16), numpy.int8)
low = numpy.rint(numpy.minimum(x, 0) * numpy.float32(0.1))
numpy.save(folder / "x.npy", x)
numpy.save(folder / "y.npy", numpy.maximum(x, low.astype(numpy.int8)))
