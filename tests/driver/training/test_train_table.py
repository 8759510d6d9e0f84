# SPDX-License-Identifier: Apache-2.0
"""A table whose outcome is 0 or 1, and a network of 8, 10 and 1 with sigmoids, trained by the command line alone: the
losses and the area under the curve of the held-out rows are those of NumPy in float64, which takes the same steps; the
same bits on devices; other losses, weights and optimizers against NumPy, too."""

import sys
import unittest
import zipfile

import numpy as np
from train_program import TrainCase

DEVICES = sys.argv.pop(1).split(",")
ROWS, HELD_OUT, INPUTS, HIDDEN = 400, 100, 8, 10
NETWORK = f"mlp:{INPUTS}-{HIDDEN}-sigmoid-1-sigmoid"
BATCH = ROWS - HELD_OUT  # one batch, so that the order of the rows does not matter
EPOCHS = 40
BLOCKS = 0.02  # greatest difference of a loss in block floating point


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def area_under_curve(scores, labels):
    """The share of pairs of a 1 and a 0 in which the 1 has the greater score."""
    ones, zeros = scores[labels == 1], scores[labels == 0]
    return np.mean((ones[:, None] > zeros) + 0.5 * (ones[:, None] == zeros))


class Reference:
    """Steps in float64; the scores' gradient is that of the loss."""

    def __init__(self, parameters, optimizer="adam", rate=0.05, decay=0.0, frozen=()):
        self.p = {name: value.astype(np.float64) for name, value in parameters.items()}
        self.m = {name: 0 * value for name, value in self.p.items()}
        self.v = {name: 0 * value for name, value in self.p.items()}
        self.optimizer, self.rate, self.decay, self.frozen, self.t = optimizer, rate, decay, frozen, 0

    def scores(self, x):
        self.hidden = sigmoid(x @ self.p["dense1.weight"].T + self.p["dense1.bias"])
        return self.hidden @ self.p["dense2.weight"].T + self.p["dense2.bias"]

    def step(self, x, loss_of):
        """`loss_of` gives the loss of scores and its gradient."""
        loss, g = loss_of(self.scores(x))
        inner = g @ self.p["dense2.weight"] * self.hidden * (1 - self.hidden)
        gradients = {"dense1.weight": inner.T @ x, "dense1.bias": inner.sum(0)}
        gradients |= {"dense2.weight": g.T @ self.hidden, "dense2.bias": g.sum(0)}
        self.t += 1
        for name, gradient in gradients.items():
            if name not in self.frozen:
                self.update(name, gradient, self.decay if name.endswith("weight") else 0)
        return loss

    def update(self, name, g, decay):
        p = self.p[name]
        if self.optimizer == "adamw":
            p = p - self.rate * decay * p
        else:
            g = g + decay * p
        self.m[name] = 0.9 * self.m[name] + 0.1 * g
        self.v[name] = 0.999 * self.v[name] + 0.001 * g * g
        mean, square = self.m[name] / (1 - 0.9**self.t), self.v[name] / (1 - 0.999**self.t)
        self.p[name] = p - self.rate * mean / (np.sqrt(square) + 1e-8)


class Table(TrainCase):
    def setUp(self):
        super().setUp()
        self.x = self.random.normal(0, 1, (ROWS, INPUTS))
        slope = self.random.normal(0, 1, INPUTS)
        chance = sigmoid(2 * self.x @ slope + self.x[:, 0] * self.x[:, 1])
        self.y = (self.random.random(ROWS) < chance).astype(int)
        rows = [[*map(float, x), int(y)] for x, y in zip(self.x, self.y)]
        names = [f"f{i}" for i in range(INPUTS)] + ["outcome"]
        text = "\n".join([",".join(names)] + [",".join(map(repr, row)) for row in rows]) + "\n"
        self.csv = self.text("table.csv", text)
        self.taken = self.x.astype(np.float32).astype(np.float64)[:BATCH]
        self.held = self.x.astype(np.float32).astype(np.float64)[BATCH:]

    def options(self, **given):
        usual = {"--hold-out": HELD_OUT, "--batch": BATCH, "--epochs": EPOCHS}
        usual |= {"--optimizer": "adam", "--learning-rate": 0.05}
        return [word for pair in (usual | given).items() for word in pair]

    def initial(self, network=NETWORK, targets=None, *options):
        """The parameters before the first step."""
        checkpoint = self.folder / "initial.npz"
        targets = targets or f"{self.csv}:outcome"
        data = f"{self.csv}:" + ",".join(f"f{i}" for i in range(INPUTS))
        self.train(network, data, targets, *self.options(**{"--epochs": 0}), "--checkpoint", checkpoint, *options)
        with zipfile.ZipFile(checkpoint) as archive, np.load(checkpoint) as arrays:
            names = [name[len("variables/") : -len(".npy")] for name in archive.namelist() if "/" in name]
            return {name: arrays["variables/" + name] for name in names if name.count(".") == 1}

    def binary(self, weights=(1, 1), smoothing=0.0):
        y = self.y[:BATCH, None]
        target, weight = y * (1 - smoothing) + smoothing / 2, np.where(y == 1, weights[1], weights[0])

        def loss_of(scores):
            each = np.logaddexp(0, scores) - target * scores
            return (weight * each).mean(), weight * (sigmoid(scores) - target) / scores.size

        return loss_of

    def check(self, reference, loss_of, report, within=1e-5):
        expected = [reference.step(self.taken, loss_of) for _ in report["losses"]]
        np.testing.assert_allclose(report["losses"], expected, rtol=0, atol=within)
        self.assertLess(report["losses"][-1], report["losses"][0])

    def test_the_command_line_alone(self):
        model = self.folder / "outcome.onnx"
        report = self.train(NETWORK, self.csv, f"{self.csv}:outcome", *self.options(), "-o", model)
        self.assertEqual(report["settings"]["--loss"], "binary")
        reference = Reference(self.initial())
        self.check(reference, self.binary(), report)
        wanted = area_under_curve(reference.scores(self.held)[:, 0], self.y[BATCH:])
        validation = report["epochs"][-1]["validation"]
        self.assertAlmostEqual(validation["auc"], wanted, delta=0.01)
        self.assertGreater(wanted, 0.8)
        accuracy = ((reference.scores(self.held)[:, 0] > 0) == self.y[BATCH:]).mean()
        self.assertAlmostEqual(validation["accuracy"], accuracy, delta=0.02)
        blocks = self.train(NETWORK, self.csv, f"{self.csv}:outcome", *self.options(), "--precision", "mx")
        np.testing.assert_allclose(blocks["losses"], report["losses"], rtol=0, atol=BLOCKS)
        self.assertAlmostEqual(blocks["epochs"][-1]["validation"]["auc"], wanted, delta=0.01)
        # What was written is a network like any other, ends in the sigmoid, and goes on.
        more = self.train(model, self.csv, f"{self.csv}:outcome", *self.options(**{"--epochs": 2}))
        best = report["epochs"][report["best_epoch"] - 1]["validation"]
        self.assertEqual(more["settings"]["--loss"], "binary")
        self.assertLess(more["epochs"][-1]["validation"]["loss"], best["loss"] + 0.05)

    def test_the_same_bits_on_devices(self):
        few = self.options(**{"--epochs": 3, "--batch": 100})
        for precision in ([], ["--precision", "mx"]):
            run = [NETWORK, self.csv, f"{self.csv}:outcome", *few, *precision]
            host = self.train(*run)
            for device in DEVICES:
                there = self.train(*run, "--device", device, "--config", "tiny")
                self.assertEqual(there["losses"], host["losses"])
                self.assertEqual(there["epochs"], host["epochs"])

    def test_weights_and_smoothing(self):
        weighted = ["--class-weights", "0.5,3", "--label-smoothing", 0.2]
        report = self.train(NETWORK, self.csv, f"{self.csv}:outcome", *self.options(), *weighted)
        self.check(Reference(self.initial()), self.binary((0.5, 3), 0.2), report)
        ones = self.y[:BATCH].sum()
        balanced = (BATCH / 2 / (BATCH - ones), BATCH / 2 / ones)
        report = self.train(NETWORK, self.csv, f"{self.csv}:outcome", *self.options(), "--class-weights", "balanced")
        self.check(Reference(self.initial()), self.binary(balanced), report)

    def test_adam_and_adamw_decay_as_in_pytorch(self):
        losses = {}
        for optimizer in ("adam", "adamw"):
            given = self.options(**{"--optimizer": optimizer, "--weight-decay": 0.1})
            report = self.train(NETWORK, self.csv, f"{self.csv}:outcome", *given)
            self.check(Reference(self.initial(), optimizer, decay=0.1), self.binary(), report)
            losses[optimizer] = report["losses"]
        self.assertNotEqual(losses["adam"], losses["adamw"])

    def test_frozen_parameters_stay(self):
        checkpoint = self.folder / "c.npz"
        freeze = ["--freeze", "dense1.*", "--checkpoint", checkpoint]
        report = self.train(NETWORK, self.csv, f"{self.csv}:outcome", *self.options(), *freeze)
        frozen = ("dense1.weight", "dense1.bias")
        self.check(Reference(self.initial(), frozen=frozen), self.binary(), report)
        with zipfile.ZipFile(checkpoint) as archive:
            self.assertFalse([name for name in archive.namelist() if "dense1" in name])
        error = self.refused(NETWORK, self.csv, f"{self.csv}:outcome", *self.options(), "--freeze", "conv*")
        self.assertIn("freeze 'conv*': no parameter has such a name; there are dense1.weight, dense1.bias", error)
        error = self.refused(NETWORK, self.csv, f"{self.csv}:outcome", *self.options(), "--freeze", "*")
        self.assertIn("leaves nothing to train", error)

    def test_numbers(self):
        targets = self.x[:, :2] @ np.array([[1, -1], [0.5, 2]]) + 3
        y = self.array("y.npy", targets)
        data = f"{self.csv}:" + ",".join(f"f{i}" for i in range(INPUTS))
        network = f"mlp:{INPUTS}-{HIDDEN}-sigmoid-2"
        wanted = targets.astype(np.float32).astype(np.float64)

        def mean_square(scores):
            difference = scores - wanted[:BATCH]
            return (difference**2).mean(), 2 * difference / difference.size

        def huber(scores):
            difference = scores - wanted[:BATCH]
            size = np.abs(difference)
            each = np.where(size <= 0.5, difference**2 / 2, 0.5 * (size - 0.25))
            return each.mean(), np.clip(difference, -0.5, 0.5) / difference.size

        for loss_of, options in ((mean_square, []), (huber, ["--loss", "huber", "--huber-delta", 0.5])):
            report = self.train(network, data, y, *self.options(), *options)
            reference = Reference(self.initial(network, y, *options))
            self.check(reference, loss_of, report)
            difference = reference.scores(self.held) - wanted[BATCH:]
            validation = report["epochs"][-1]["validation"]
            self.assertAlmostEqual(validation["mean_absolute_error"], np.abs(difference).mean(), delta=1e-4)
            self.assertAlmostEqual(validation["mean_squared_error"], (difference**2).mean(), delta=1e-4)
            self.assertNotIn("accuracy", validation)
        for options, text in (
            (["--label-smoothing", 0.1], "--label-smoothing: is for classes and labels; the loss is mean-square"),
            (["--class-weights", "1,2"], "--class-weights: are for classes and labels"),
            (["--huber-delta", 2], "--huber-delta: is for --loss huber; the loss is mean-square"),
        ):
            self.assertIn(text, self.refused(network, data, y, *self.options(), *options))

    def test_several_labels(self):
        labels = np.stack([self.y, self.x[:, 3] > 0.5, self.x[:, 4] > self.x[:, 5]], 1).astype(int)
        y = self.array("y.npy", labels)
        data = f"{self.csv}:" + ",".join(f"f{i}" for i in range(INPUTS))
        network = f"mlp:{INPUTS}-{HIDDEN}-sigmoid-3-sigmoid"

        def loss_of(scores):
            each = np.logaddexp(0, scores) - labels[:BATCH] * scores
            return each.mean(), (sigmoid(scores) - labels[:BATCH]) / scores.size

        report = self.train(network, data, y, *self.options())
        reference = Reference(self.initial(network, y))
        self.check(reference, loss_of, report)
        scores = reference.scores(self.held)
        areas = [area_under_curve(scores[:, i], labels[BATCH:, i]) for i in range(3)]
        validation = report["epochs"][-1]["validation"]
        self.assertAlmostEqual(validation["auc"], np.mean(areas), delta=0.01)
        self.assertAlmostEqual(validation["accuracy"], ((scores > 0) == labels[BATCH:]).mean(), delta=0.01)

    def test_classes(self):
        """A softmax of seven classes: top 5, weights and smoothing."""
        classes = np.digitize(self.x[:, 0], np.linspace(-1.2, 1.2, 6))
        y = self.array("y.npy", classes)
        data = f"{self.csv}:" + ",".join(f"f{i}" for i in range(INPUTS))
        network = f"mlp:{INPUTS}-{HIDDEN}-sigmoid-7-softmax"
        weights, smoothing = np.array([1, 2, 0.5, 1, 3, 1, 0.25]), 0.1
        target = np.eye(7)[classes[:BATCH]] * (1 - smoothing) + smoothing / 7

        def loss_of(scores):
            logarithms = scores - np.log(np.exp(scores).sum(1, keepdims=True))
            share = weights * target
            loss = -(share * logarithms).sum(1).mean()
            return loss, (share.sum(1, keepdims=True) * np.exp(logarithms) - share) / BATCH

        options = ["--class-weights", ",".join(map(str, weights)), "--label-smoothing", smoothing]
        report = self.train(network, data, y, *self.options(), *options)
        reference = Reference(self.initial(network, y, *options))
        self.check(reference, loss_of, report)
        order = np.argsort(-reference.scores(self.held), 1)
        validation = report["epochs"][-1]["validation"]
        self.assertAlmostEqual(validation["accuracy"], (order[:, 0] == classes[BATCH:]).mean(), delta=0.011)
        top = (order[:, :5] == classes[BATCH:, None]).any(1).mean()
        self.assertAlmostEqual(validation["top_5_accuracy"], top, delta=0.011)
        error = self.refused(network, data, y, *self.options(), "--class-weights", "1,2")
        self.assertIn("class weights: 2 are given; there are 7 classes, and one weight for each", error)

    def test_descriptions_that_are_none(self):
        for network, text in (
            ("mlp:8", "mlp:8: has the size of the inputs alone"),
            ("mlp:8-sigmoid-1", "'sigmoid' is neither"),
            ("mlp:8-0-1", "'0' is neither"),
            ("mlp:8-3-softmax-1", "'softmax' is neither"),
            ("mlp:8-3-relu-tanh-1", "'tanh' is neither"),
            ("mlp:8-1-softmax", "a softmax over one output, which is always 1"),
        ):
            self.assertIn(text, self.refused(network, self.csv, f"{self.csv}:outcome"))


if __name__ == "__main__":
    unittest.main()
