# SPDX-License-Identifier: Apache-2.0
"""A trained network in PyTorch and LiteRT, by the programs of driver/training/README.md: they compute what the ONNX
file does. Each is skipped, visibly, without its environment (scripts/setup torch, jax, judges).

  test_elsewhere.py PROGRAM"""

import re
import shlex
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np
from train_program import PROGRAM, TrainCase

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from page_code import code_of

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "driver/training/README.md"
HEADING = "A trained network in LiteRT and in PyTorch"
ROWS = 140


class Elsewhere(TrainCase):
    def setUp(self):
        """The first example of the page, and what its network computes."""
        super().setUp()
        self.x = self.random.normal(0, 1, (ROWS, 8)).astype(np.float32)
        y = (self.x[:, 0] + self.x[:, 3] > 0).astype(int)
        columns = [f"c{i}" for i in range(8)] + ["outcome"]
        self.table("table.csv", np.column_stack([self.x, y]), columns)  # 1.0 is a label, too
        example = PAGE.read_text().split("```\n")[1].replace("\\\n", " ").split("\n")[0]
        words = [*shlex.split(example), "--batch", "20", "--checkpoint", "outcome.npz"]
        self.call([PROGRAM, *words[1:]])
        np.save(self.folder / "raw.npy", self.x)
        self.call([PROGRAM, "run", "outcome.onnx", "--device", "host", "--input", "raw.npy", "--output", "y.npy"])
        self.x = (self.x - self.x[:-100].mean(0)) / self.x[:-100].std(0)  # as the training had them
        np.save(self.folder / "x.npy", self.x)
        self.y = np.load(self.folder / "y.npy").reshape(ROWS, 1)
        self.torch, self.tensorflow, self.litert = code_of(PAGE, HEADING)

    def call(self, command):
        command = [str(word) for word in command]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def python(self, environment, code):
        python = ROOT / "build" / environment / "bin/python"
        if not python.exists():
            self.skipTest(f"build/{environment} is not there; scripts/setup {environment} makes it")
        return self.call([python, "-B", "-c", code])

    def test_pytorch(self):
        check = "y = model(torch.from_numpy(np.load('x.npy'))).detach().numpy(); np.save('torch.npy', y)"
        self.python("torch", self.torch + check)
        np.testing.assert_allclose(np.load(self.folder / "torch.npy"), self.y, atol=1e-5)

    def test_litert(self):
        self.python("jax", self.tensorflow)
        run = ["--device", "host", "--input", "x.npy", "--output", "litert.npy"]
        self.call([PROGRAM, "run", "outcome.tflite", *run])
        np.testing.assert_allclose(np.load(self.folder / "litert.npy").reshape(ROWS, 1), self.y, atol=1e-5)
        printed = self.python("judges", self.litert.replace("np.zeros((1, 8), np.float32)", "np.load('x.npy')[:1]"))
        self.assertAlmostEqual(float(re.search(r"\[\[(.*)\]\]", printed)[1]), self.y[0, 0], places=5)


if __name__ == "__main__":
    unittest.main()
