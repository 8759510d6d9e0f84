# SPDX-License-Identifier: Apache-2.0
"""Writes net.onnx with the operator of examples/softsign.py, its input and what NumPy makes of it into a folder."""
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import small_onnx

folder = Path(sys.argv[1])
random = np.random.default_rng(1)
w, x = (random.normal(size=shape).astype(np.float32) for shape in ((6, 4), (3, 6)))
nodes = [small_onnx.node("MatMul", ["x", "w"], "h")]
nodes += [small_onnx.node("Softsign", ["h"], "y", domain="my", steepness=2.0)]
(folder / "net.onnx").write_bytes(small_onnx.model(nodes, {"w": w}, {"x": [1, 6]}, {"y": [1, 4]}))
np.save(folder / "softsign_x.npy", x)
np.save(folder / "softsign_y.npy", 2 * (x @ w) / (1 + abs(2 * (x @ w))))
