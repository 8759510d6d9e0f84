#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A block that is not a number is told by `systole run`: test_nonfinite.py PROGRAM. With a second argument, a file, it
writes a compiled network in blocks there, for the C API's test, and nothing else."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "support"))
import small_onnx

PROGRAM = str(Path(sys.argv.pop(1)).resolve())
ROWS, DEPTH = 4, 16


def product(depth, columns):
    return np.linspace(-1, 1, depth * columns, dtype=np.float32).reshape(depth, columns)


def write_network(path, layers):
    """A chain of products, named y1, y2 and so on."""
    names = ["x"] + [f"y{i + 1}" for i in range(layers)]
    nodes = [small_onnx.node("MatMul", [names[i], f"w{i}"], names[i + 1]) for i in range(layers)]
    weights = {f"w{i}": product(DEPTH, DEPTH) for i in range(layers)}
    path.write_bytes(small_onnx.model(nodes, weights, {"x": [ROWS, DEPTH]}, {names[-1]: [ROWS, DEPTH]}))


class NonFinite(unittest.TestCase):
    def setUp(self):
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.folder = Path(room.name)

    def run_program(self, layers, number):
        """The printed text, and the field of the JSON."""
        write_network(self.folder / "net.onnx", layers)
        x = np.full((ROWS, DEPTH), 0.5, np.float32)
        x[1, 2] = number
        np.save(self.folder / "x.npy", x)
        command = [PROGRAM, "run", "net.onnx", "--precision", "mx", "--input", "x.npy", "--device", "model"]
        command += ["--config", "tiny", "--json", "run.json"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout, json.loads((self.folder / "run.json").read_text())["nonfinite_in"]

    def test_the_program_and_its_layers_are_named(self):
        for layers, number in ((1, np.inf), (1, -np.inf), (1, np.nan), (2, np.inf)):
            text, field = self.run_program(layers, number)
            self.assertEqual(field, f"program 1, one of its layers 'y1/blocks0' to 'y{layers}'")
            self.assertRegex(text, f"not finite +an infinity or a NaN in a block, first in {field}")

    def test_numbers_are_not_told(self):
        text, field = self.run_program(2, 0.25)
        self.assertNotIn("not finite", text)
        self.assertIsNone(field)


def write_compiled(target):
    with tempfile.TemporaryDirectory() as folder:
        network = Path(folder) / "net.onnx"
        write_network(network, 1)
        subprocess.run([PROGRAM, "compile", network, "--precision", "mx", "--config", "tiny", "-o", target], check=True)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        write_compiled(sys.argv[1])
    else:
        unittest.main()
