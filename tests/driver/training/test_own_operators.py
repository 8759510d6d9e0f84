# SPDX-License-Identifier: Apache-2.0
"""`systole train --kernel` trains networks with operators that ONNX does not have: by the gradient that follows from
their formula, to the losses of the operators that it is made of; by a derivative of their own, to those of NumPy; the
same bits on host and devices. What is written is a network of standard operators."""

import json
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
import small_onnx

PROGRAM, DEVICES = sys.argv.pop(1), sys.argv.pop(1).split(",")
SIDE, SAMPLES, HIDDEN, CLASSES, STEPS, RATE = 6, 12, 9, 3, 6, 0.5

SOFTSIGN = {
    "formula": 1,
    "operands": ["x"],
    "attributes": {"steepness": 1.0},
    "steps": [
        {"name": "s", "operator": "multiply", "of": ["x", "steepness"]},
        {"name": "a", "operator": "abs", "of": ["s"]},
        {"name": "b", "operator": "add", "of": ["a", 1]},
        {"name": "y", "operator": "divide", "of": ["s", "b"]},
    ],
    "results": ["y"],
}
# Rounds to eighths; without a derivative of its own it has none.
EIGHTHS = {
    "formula": 1,
    "operands": ["x"],
    "steps": [
        {"name": "e", "operator": "multiply", "of": ["x", 8]},
        {"name": "r", "operator": "round", "of": ["e"]},
        {"name": "y", "operator": "multiply", "of": ["r", 0.125]},
    ],
    "results": ["y"],
}


class OwnOperators(unittest.TestCase):
    def setUp(self):
        self.room = tempfile.TemporaryDirectory()
        self.folder = Path(self.room.name)
        random = np.random.default_rng(3)
        self.pictures = random.integers(0, 256, (SAMPLES, SIDE, SIDE), np.uint8)
        self.labels = np.arange(SAMPLES) * 7 % CLASSES
        (self.folder / "images").write_bytes(struct.pack(">4I", 0x803, SAMPLES, SIDE, SIDE) + self.pictures.tobytes())
        labels = struct.pack(">2I", 0x801, SAMPLES) + self.labels.astype(np.uint8).tobytes()
        (self.folder / "labels").write_bytes(labels)
        self.w1 = random.normal(0, 0.4, (SIDE * SIDE, HIDDEN)).astype(np.float32)
        self.w2 = random.normal(0, 0.4, (HIDDEN, CLASSES)).astype(np.float32)

    def tearDown(self):
        self.room.cleanup()

    def network(self, name, hidden):
        """A file whose nodes from "h" to "o" are `hidden`."""
        node = small_onnx.node
        nodes = [node("Mul", ["x", "scale"], "scaled"), node("Flatten", ["scaled"], "flat", axis=1)]
        nodes += [node("MatMul", ["flat", "w1"], "h"), *hidden, node("MatMul", ["o", "w2"], "y")]
        numbers = {"scale": 1 / 255, "steepness": 2, "one": 1}
        constants = {"w1": self.w1, "w2": self.w2} | {k: np.array(v, np.float32) for k, v in numbers.items()}
        path = self.folder / name
        path.write_bytes(small_onnx.model(nodes, constants, {"x": [1, 1, SIDE, SIDE]}, {"y": [1, CLASSES]}))
        return path

    def formula(self, name, formula):
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(formula))
        return f"my.{name}={path}"

    def train(self, network, *options, code=0):
        """The losses of the steps, or what the program says of an error."""
        report = self.folder / "report.json"
        command = [PROGRAM, "train", "--network", network, "--images", self.folder / "images", "--labels"]
        command += [self.folder / "labels", "--json", report, "--batch", SAMPLES, "--epochs", STEPS]
        command += ["--learning-rate", RATE, "--config", "tiny", *options]
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stderr if code else json.loads(report.read_text())["losses"]

    def test_gradient_of_the_formula(self):
        own = self.network("own.onnx", [small_onnx.node("Softsign", ["h"], "o", domain="my", steepness=2.0)])
        node = small_onnx.node
        parts = [node("Mul", ["h", "steepness"], "s"), node("Abs", ["s"], "a"), node("Add", ["a", "one"], "b")]
        plain = self.network("plain.onnx", [*parts, node("Div", ["s", "b"], "o")])
        kernel = ["--kernel", self.formula("Softsign", SOFTSIGN)]
        wanted = self.train(plain)
        self.assertEqual(self.train(own, *kernel), wanted)
        self.assertEqual(sorted(wanted, reverse=True), wanted)
        self.assertLess(wanted[-1], 0.8 * wanted[0])
        for device in DEVICES:
            self.assertEqual(self.train(own, *kernel, "--device", device), wanted)

    def by_numpy(self):
        """Losses in float64; the gradient passes the rounding as it is."""
        x = self.pictures.reshape(SAMPLES, -1) / 255.0
        w1, w2, losses = self.w1.astype(float), self.w2.astype(float), []
        for _ in range(STEPS):
            order = np.arange(SAMPLES)
            hidden = np.rint(x @ w1 * 8) / 8
            scores = hidden @ w2
            chances = np.exp(scores - scores.max(1, keepdims=True))
            chances /= chances.sum(1, keepdims=True)
            losses.append(-np.log(chances[order, self.labels]).mean())
            back = (chances - np.eye(CLASSES)[self.labels]) / SAMPLES
            w1, w2 = w1 - RATE * (x.T @ (back @ w2.T)), w2 - RATE * (hidden.T @ back)
        return losses

    def test_derivative_of_its_own(self):
        network = self.network("round.onnx", [small_onnx.node("Eighths", ["h"], "o", domain="my")])
        error = self.train(network, "--kernel", self.formula("Eighths", EIGHTHS), code=2)
        self.assertIn("cannot be differentiated: round has no rule", error)
        kernel = ["--kernel", self.formula("Eighths", EIGHTHS | {"derivative": [1]})]
        trained = self.folder / "trained.onnx"
        losses = self.train(network, *kernel, "-o", trained)
        np.testing.assert_allclose(losses, self.by_numpy(), rtol=1e-4)
        self.assertLess(losses[-1], 0.8 * losses[0])
        for device in DEVICES:
            self.assertEqual(self.train(network, *kernel, "--device", device), losses)
        # The file has the operators of the formula, without its derivative, and needs no --kernel.
        listing = self.folder / "inspection.json"
        subprocess.run([PROGRAM, "inspect", trained, "--json", listing], check=True, capture_output=True)
        origins = [operator["origin"] for operator in json.loads(listing.read_text())["operators"]]
        self.assertEqual([origin for origin in origins if origin in ("Round", "MatMul")], ["MatMul", "Round", "MatMul"])
        self.assertNotIn("Add", origins)

    def test_numbers_of_a_formula_are_not_trained(self):
        plus = {"formula": 1, "operands": ["x"], "results": ["y"]}
        plus["steps"] = [{"name": "y", "operator": "add", "of": ["x", 1]}]
        network = self.network("plus.onnx", [small_onnx.node("Plus", ["h"], "o", domain="my")])
        checkpoint = self.folder / "plus.npz"
        self.train(network, "--kernel", self.formula("Plus", plus), "--checkpoint", checkpoint)
        with np.load(checkpoint) as state:
            trained = {name for name in state.files if name.startswith("variables/")}
        self.assertEqual(len(trained), 2, trained)  # the two matrices

    def test_blocks(self):
        """Products in block floating point, everything else beside them on the device."""
        network = self.network("own.onnx", [small_onnx.node("Softsign", ["h"], "o", domain="my", steepness=2.0)])
        kernel = ["--kernel", self.formula("Softsign", SOFTSIGN), "--precision", "mx"]
        wanted = self.train(network, *kernel)
        self.assertLess(wanted[-1], 0.9 * wanted[0])
        for device in DEVICES:
            self.assertEqual(self.train(network, *kernel, "--device", device), wanted)

    def test_networks_that_are_built_have_none(self):
        error = self.train("cnn", "--kernel", self.formula("Softsign", SOFTSIGN), code=2)
        self.assertIn("--kernel my.Softsign: cnn has no operators of one's own; give it with an ONNX file", error)


if __name__ == "__main__":
    unittest.main()
