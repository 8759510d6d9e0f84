# SPDX-License-Identifier: Apache-2.0
"""The losses of `systole train`: which one goes with the last operator of a file, against NumPy in float64; the same
bits on host and devices, in blocks and in micro-batches; labels that do not fit; what weight decay shrinks."""

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
SIDE, SAMPLES, HIDDEN, STEPS, RATE = 6, 12, 9, 5, 0.5


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


class Reference:
    """Steps of gradient descent in float64: tanh(x W1' + b1) + P, W2' + b2, then the last operator."""

    def __init__(self, parameters, last, loss):
        self.p = {name: value.astype(np.float64) for name, value in parameters.items()}
        self.last, self.loss = last, loss

    def target(self, labels, outputs):
        return labels[:, None].astype(float) if outputs == 1 else np.eye(outputs)[labels]

    def at_scores(self, scores, labels):
        """Loss and its gradient with respect to the scores."""
        samples, outputs = scores.shape
        if self.loss == "cross-entropy":
            taken = sigmoid(scores) if self.last == "Sigmoid" else scores
            chance, one = softmax(taken), np.eye(outputs)[labels]
            gradient = (chance - one) / samples
            slope = taken * (1 - taken) if self.last == "Sigmoid" else 1
            return -np.log(chance[one == 1]).mean(), gradient * slope
        target = self.target(labels, outputs)
        if self.loss == "binary":
            each = np.logaddexp(0, scores) - target * scores
            return each.mean(), (sigmoid(scores) - target) / each.size
        given = {"Sigmoid": sigmoid, "Softmax": softmax, None: lambda x: x}[self.last](scores)
        upstream = 2 * (given - target) / given.size
        if self.last == "Sigmoid":
            upstream = upstream * given * (1 - given)
        if self.last == "Softmax":
            upstream = given * (upstream - (upstream * given).sum(1, keepdims=True))
        return ((given - target) ** 2).mean(), upstream

    def step(self, x, labels, rate, decay):
        p = self.p
        h = np.tanh(x @ p["W1"].T + p["b1"])
        loss, g = self.at_scores((h + p["P"]) @ p["W2"].T + p["b2"], labels)
        back = g @ p["W2"]
        inner = back * (1 - h * h)
        gradients = {"W2": g.T @ (h + p["P"]) + decay * p["W2"], "b2": g.sum(0), "P": back.sum(0, keepdims=True)}
        gradients |= {"W1": inner.T @ x + decay * p["W1"], "b1": inner.sum(0)}
        for name, gradient in gradients.items():
            p[name] = p[name] - rate * gradient
        return loss


class Losses(unittest.TestCase):
    def setUp(self):
        self.room = tempfile.TemporaryDirectory()
        self.folder = Path(self.room.name)
        self.random = np.random.default_rng(7)
        self.pictures = self.random.integers(0, 256, (SAMPLES, SIDE, SIDE), np.uint8)
        (self.folder / "images").write_bytes(struct.pack(">4I", 0x803, SAMPLES, SIDE, SIDE) + self.pictures.tobytes())

    def tearDown(self):
        self.room.cleanup()

    def labels(self, classes):
        labels = np.arange(SAMPLES) * 7 % classes
        self.write_labels(labels)
        return labels

    def write_labels(self, labels):
        text = np.asarray(labels, np.uint8).tobytes()
        (self.folder / "labels").write_bytes(struct.pack(">2I", 0x801, len(text)) + text)

    def network(self, outputs, last):
        """A file, and its parameters."""

        def draw(*shape):
            return self.random.normal(0, 0.4, shape).astype(np.float32)

        p = {"W1": draw(HIDDEN, SIDE * SIDE), "b1": draw(HIDDEN), "P": draw(1, HIDDEN)}
        p |= {"W2": draw(outputs, HIDDEN), "b2": draw(outputs)}
        node = small_onnx.node
        nodes = [node("Mul", ["x", "scale"], "scaled"), node("Flatten", ["scaled"], "flat", axis=1)]
        nodes += [node("Gemm", ["flat", "W1", "b1"], "first", transB=1), node("Tanh", ["first"], "hidden")]
        nodes += [node("Add", ["hidden", "P"], "moved")]
        nodes += [node("Gemm", ["moved", "W2", "b2"], "scores" if last else "y", transB=1)]
        nodes += [node(last, ["scores"], "y")] if last else []
        constants = p | {"scale": np.array(1 / 255, np.float32)}
        path = self.folder / "net.onnx"
        path.write_bytes(small_onnx.model(nodes, constants, {"x": [1, 1, SIDE, SIDE]}, {"y": [1, outputs]}))
        return path, p

    def train(self, network, *options, code=0):
        """Output and report."""
        report = self.folder / "report.json"
        command = [PROGRAM, "train", "--network", network, "--images", self.folder / "images"]
        command += ["--labels", self.folder / "labels", "--json", report, *options]
        usual = {"--batch": SAMPLES, "--epochs": STEPS, "--learning-rate": RATE}
        command += [word for name, value in usual.items() if name not in options for word in (name, value)]
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return (result.stdout, json.loads(report.read_text())) if code == 0 else result.stderr

    def check(self, outputs, last, classes, loss, *options, says=None, decay=0.0, rate=RATE):
        labels = self.labels(classes)
        path, parameters = self.network(outputs, last)
        output, report = self.train(path, *options, "--learning-rate", rate)
        self.assertEqual("loss: " in output, says is not None, output)
        self.assertIn(says or "", output)
        self.assertEqual(report["settings"]["--loss"], loss)
        reference = Reference(parameters, last, loss)
        x = self.pictures.reshape(SAMPLES, -1) / 255
        expected = [reference.step(x, labels, rate, decay) for _ in range(STEPS)]
        np.testing.assert_allclose(report["losses"], expected, rtol=3e-5, err_msg=f"{outputs} {last} {loss}")
        self.assertLess(report["losses"][-1], report["losses"][0])

    def test_the_loss_goes_with_the_last_operator(self):
        self.check(4, None, 4, "cross-entropy")
        self.check(4, "Softmax", 4, "cross-entropy", says="loss: cross entropy of the scores before")
        self.check(4, "LogSoftmax", 4, "cross-entropy", says="loss: cross entropy of the scores before")
        self.check(1, "Sigmoid", 2, "binary", says="loss: binary cross entropy of the score before")
        self.check(1, None, 9, "mean-square", says="loss: mean square of the network's output", rate=0.005)
        self.check(4, "Sigmoid", 4, "binary", says="loss: binary cross entropy of the scores before")

    def test_the_option_overrides_it(self):
        self.check(1, None, 2, "binary", "--loss", "binary", says="network's output as a score, whose sigmoid is")
        self.check(3, None, 3, "binary", "--loss", "binary", says="outputs as scores, whose sigmoids")
        square = ["--loss", "mean-square"]
        output = "loss: mean square of the network's output"
        self.check(1, None, 2, "mean-square", *square, says=output, rate=0.005)
        self.check(1, None, 9, "mean-square", *square, says=output, rate=0.005)
        for last in (None, "Sigmoid", "Softmax"):
            self.check(3, last, 3, "mean-square", *square, says=output + "s", rate=0.05)
        self.check(1, "Sigmoid", 2, "mean-square", *square, says="loss: mean square")
        explicit = ["--loss", "cross-entropy"]
        self.check(3, "Sigmoid", 3, "cross-entropy", *explicit, says="cross entropy of the network's outputs")

    def test_weight_decay_shrinks_weights_alone(self):
        """P, of two dimensions, is added like the positions of a transformer, so that it does not decay."""
        self.check(4, None, 4, "cross-entropy", "--weight-decay", 0.1, decay=0.1)

    def test_the_written_network_ends_as_the_file(self):
        self.labels(4)
        path, _ = self.network(4, "Softmax")
        written = self.folder / "written.onnx"
        first, _ = self.train(path, "-o", written)
        again, report = self.train(written)
        self.assertIn("before", again)
        self.assertLess(report["losses"][-1], report["losses"][0])

    def test_same_bits_on_devices(self):
        for outputs, last, classes, *options in (
            (1, "Sigmoid", 2),
            (4, "Sigmoid", 4),
            (4, "Softmax", 4),
            (1, None, 9, "--loss", "mean-square", "--learning-rate", 0.02),
            (3, None, 3, "--loss", "mean-square"),
        ):
            self.labels(classes)
            path, _ = self.network(outputs, last)
            for precision in ([], ["--precision", "mx"]):
                _, wanted = self.train(path, *options, *precision)
                for device in DEVICES:
                    with self.subTest(outputs=outputs, last=last, device=device, precision=precision, options=options):
                        small = ["--config", "tiny", "--device", device, "--epochs", 2]
                        _, report = self.train(path, *options, *precision, *small)
                        self.assertEqual(report["losses"], wanted["losses"][:2])
                        if precision:
                            self.assertEqual(report["device_step"]["host_operators"], [])

    def test_micro_batches_add_up(self):
        for outputs, last, classes, *options in (
            (1, "Sigmoid", 2),
            (1, None, 9, "--loss", "mean-square", "--learning-rate", 0.02),
        ):
            self.labels(classes)
            path, _ = self.network(outputs, last)
            _, parts = self.train(path, *options, "--micro-batches", 4)
            _, whole = self.train(path, *options)
            np.testing.assert_allclose(parts["losses"], whole["losses"], rtol=1e-5)

    def test_losses_that_a_network_cannot_have(self):
        self.labels(2)
        one, _ = self.network(1, None)
        error = self.train(one, "--loss", "cross-entropy", code=2)
        self.assertIn("has one output, whose softmax is always 1", error)
        self.assertIn("--loss binary for labels 0 and 1, or --loss mean-square", error)
        one, _ = self.network(1, "Softmax")
        for loss in ([], ["--loss", "binary"], ["--loss", "mean-square"]):
            self.assertIn("a softmax over one output, which is always 1", self.train(one, *loss, code=2))
        several, _ = self.network(3, "Softmax")
        self.assertIn("--loss binary takes scores or a sigmoid", self.train(several, "--loss", "binary", code=2))
        self.assertIn("has one output", self.train("cnn", "--classes", 1, "--loss", "cross-entropy", code=2))

    def test_labels_that_do_not_fit(self):
        labels = np.arange(SAMPLES) % 5
        labels[8] = 7
        self.write_labels(labels)
        five, _ = self.network(5, None)
        self.assertIn(
            "labels: row 8: the target is 7; it must be a whole number from 0 to 4: ", self.train(five, code=2)
        )
        self.assertIn("net.onnx has 5 outputs", self.train(five, code=2))
        self.assertIn("row 8: the target is 7", self.train(five, "--hold-out", 6, code=2))
        one, _ = self.network(1, "Sigmoid")
        self.assertIn(
            "labels: row 2: the target is 2; it must be a whole number from 0 to 1: ", self.train(one, code=2)
        )
        self.assertIn("lstm has 4 outputs", self.train("lstm", "--classes", 4, code=2))
        self.assertIn("--classes: 4, but", self.train(five, "--classes", 4, code=2))

    def test_classes_are_those_of_the_labels(self):
        pictures = self.random.integers(0, 256, (SAMPLES, 10, 10), np.uint8)
        (self.folder / "images").write_bytes(struct.pack(">4I", 0x803, SAMPLES, 10, 10) + pictures.tobytes())
        for greatest, options, outputs in ((1, [], "2"), (0, [], "2"), (41, [], "42"), (1, ["--classes", 5], "5")):
            labels = np.zeros(SAMPLES, np.uint8)
            labels[-1] = greatest
            self.write_labels(labels)
            # The last label counts even if only the first pictures are taken.
            _, report = self.train("cnn", "--scale", 0.1, "--count", 8, "--batch", 8, "--learning-rate", 0.01, *options)
            self.assertEqual(report["settings"]["number of outputs"], outputs)

    def test_options_that_would_change_nothing_are_refused(self):
        self.labels(3)
        path, _ = self.network(3, None)
        for network, option, text in (
            (path, ["--dropout", 0.2], "--dropout: for cnn, vit, lstm; "),
            (path, ["--scale", 0.5], "--scale: for cnn, vit, lstm; "),
            (path, ["--batch-normalization"], "--batch-normalization: for cnn; "),
            ("lstm", ["--batch-normalization"], "--batch-normalization: for cnn; lstm"),
        ):
            self.assertIn(text, self.train(network, *option, code=2))
        self.train(path, "--scale", 1)


if __name__ == "__main__":
    unittest.main()
