# SPDX-License-Identifier: Apache-2.0
"""What the tests of `systole train` share: a folder, files of samples in it, and the program."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
import small_onnx

PROGRAM = sys.argv.pop(1)


class TrainCase(unittest.TestCase):
    def setUp(self):
        self.room = tempfile.TemporaryDirectory()
        self.folder = Path(self.room.name)
        self.random = np.random.default_rng(11)

    def tearDown(self):
        self.room.cleanup()

    def array(self, name, values):
        """An .npy file."""
        path = self.folder / name
        np.save(path, values)
        return path

    def text(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def table(self, name, rows, columns=None):
        lines = [",".join(columns)] if columns else []
        lines += [",".join(repr(value) for value in row) for row in np.asarray(rows).tolist()]
        return self.text(name, "\n".join(lines) + "\n")

    def dense(self, inputs, outputs, last=None):
        """An ONNX file of one layer."""
        weights = self.random.normal(0, 0.5, (inputs, outputs)).astype(np.float32)
        nodes = [small_onnx.node("Gemm", ["x", "W", "b"], "scores" if last else "y")]
        nodes += [small_onnx.node(last, ["scores"], "y")] if last else []
        constants = {"W": weights, "b": np.zeros(outputs, np.float32)}
        path = self.folder / "net.onnx"
        path.write_bytes(small_onnx.model(nodes, constants, {"x": [1, inputs]}, {"y": [1, outputs]}))
        return path

    def run_train(self, *options, code=0):
        command = [PROGRAM, "train", *map(str, options)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def train(self, network, data, targets, *options):
        """The report of a training."""
        report = self.folder / "report.json"
        files = [word for one in ([data] if not isinstance(data, list) else data) for word in ("--data", one)]
        self.run_train("--network", network, *files, "--targets", targets, "--json", report, *options)
        return json.loads(report.read_text())

    def refused(self, network, data, targets, *options):
        """The error of a training that does not begin."""
        files = [word for one in ([data] if not isinstance(data, list) else data) for word in ("--data", one)]
        result = self.run_train("--network", network, *files, "--targets", targets, *options, code=2)
        self.assertNotIn("epoch", result.stdout)
        return result.stderr
