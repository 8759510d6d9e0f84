# SPDX-License-Identifier: Apache-2.0
"""The ONNX files of `systole train -o` in ONNX Runtime: a batch of any size gives the rows of its samples by
themselves, and Systole computes the same.

  test_any_batch.py PROGRAM"""

import subprocess
import unittest

import numpy as np
import onnxruntime
from train_program import PROGRAM, TrainCase, small_onnx

SAMPLES = 150


class AnyBatch(TrainCase):
    def compare(self, network, x, *options):
        """Trains for one step; returns the session of the file."""
        y = self.array("y.npy", np.arange(SAMPLES) % 3)
        data, model = self.array("x.npy", x), self.folder / "trained.onnx"
        self.train(network, data, y, "--batch", 50, "--learning-rate", 1e-4, "-o", model, *options)
        session = onnxruntime.InferenceSession(model)
        one, result = session.get_inputs()[0], session.get_outputs()[0]
        self.assertEqual((one.shape[0], result.shape[0]), ("batch", "batch"))
        x = x.astype(np.float32).reshape(SAMPLES, *one.shape[1:])
        (rows,) = session.run(None, {one.name: x})
        alone = np.concatenate([session.run(None, {one.name: x[i : i + 1]})[0] for i in range(SAMPLES)])
        np.testing.assert_allclose(rows, alone, rtol=1e-5, atol=1e-6)
        scores = self.folder / "scores.npy"
        given = ["--input", self.array("given.npy", x[:3]), "--output", scores]
        done = subprocess.run([PROGRAM, "run", model, "--device", "host", *given], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        np.testing.assert_allclose(np.load(scores).reshape(3, -1), rows[:3].reshape(3, -1), rtol=1e-4, atol=1e-5)
        return model

    def test_tables(self):
        model = self.compare("mlp:4-5-tanh-3-softmax", self.random.normal(0, 1, (SAMPLES, 4)))
        # A file whose first axis has any size is trained, and keeps that.
        self.compare(model, self.random.normal(0, 1, (SAMPLES, 4)))

    def test_pictures(self):
        pictures = self.random.integers(0, 256, (SAMPLES, 12, 12), np.uint8)
        self.compare("cnn", pictures, "--scale", 0.1, "--batch-normalization")
        self.compare("lstm", pictures, "--scale", 0.1)
        model = self.compare("vit", pictures, "--scale", 0.2)
        self.compare(model, pictures)

    def test_files(self):
        draw = self.random
        node = small_onnx.node
        nodes = [node("Conv", ["x", "W"], "c", kernel_shape=[3, 3]), node("Relu", ["c"], "r")]
        nodes += [node("Reshape", ["r", "sizes"], "f"), node("Slice", ["f", "from", "to"], "s")]
        nodes += [node("Concat", ["s", "first"], "k", axis=1), node("MatMul", ["k", "P"], "y")]
        constants = {"W": draw.normal(0, 1, (2, 1, 3, 3)), "P": draw.normal(0, 1, (33, 3)), "first": [[1.5]]}
        constants = {name: np.array(value, np.float32) for name, value in constants.items()}
        constants |= {"sizes": np.array([1, 32]), "from": np.array([0, 0]), "to": np.array([1, 32])}
        path = self.folder / "net.onnx"
        path.write_bytes(small_onnx.model(nodes, constants, {"x": [1, 1, 6, 6]}, {"y": [1, 3]}))
        self.compare(path, draw.normal(0, 1, (SAMPLES, 1, 6, 6)))

    def test_one_sample_where_it_must_be(self):
        """A language model's scores have a row for each token."""
        model = self.folder / "trained.onnx"
        text = ["--text", self.text("t", "some text to learn"), "--batch", 1]
        self.run_train("--network", "llama:32-1-2-8", *text, "-o", model)
        session = onnxruntime.InferenceSession(model)
        self.assertEqual((session.get_inputs()[0].shape, session.get_outputs()[0].shape), ([1, 8], [8, 259]))


if __name__ == "__main__":
    unittest.main()
