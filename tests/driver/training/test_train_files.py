# SPDX-License-Identifier: Apache-2.0
"""Trainings of ONNX files: parameters have the names of the file's weights, which --freeze takes; --resume refuses
another file; checkpoints of perfect accuracy go on; block pruning.

  test_train_files.py PROGRAM DEVICES"""

import json
import signal
import subprocess
import sys
import unittest

import numpy as np
from train_program import PROGRAM, TrainCase, small_onnx

DEVICES = sys.argv.pop(1).split(",")
SAMPLES, SIDE = 16, 6


class Files(TrainCase):
    def setUp(self):
        super().setUp()
        self.x = self.array("x.npy", self.random.normal(0, 1, (SAMPLES, 1, SIDE, SIDE)).astype(np.float32))
        self.y = self.array("y.npy", np.arange(SAMPLES) % 2)

    def network(self, name="net.onnx", function="Relu", **changed):
        """Convolution, batch normalization, a product by a matrix and one by its transposition, as PyTorch names
        them."""
        draw = np.random.default_rng(3)
        node = small_onnx.node
        norm = ["c", "bn1.weight", "bn1.bias", "bn1.running_mean", "bn1.running_var"]
        nodes = [node("Conv", ["x", "conv1.weight", "conv1.bias"], "c", kernel_shape=[3, 3])]
        nodes += [
            node("BatchNormalization", norm, "n"),
            node(function, ["n"], "r"),
            node("Flatten", ["r"], "f", axis=1),
        ]
        nodes += [node("MatMul", ["f", "proj.weight"], "p"), node("Add", ["p", "proj.bias"], "q")]
        nodes += [node("Gemm", ["q", "fc.weight", "fc.bias"], "y", transB=1)]
        shapes = {"conv1.weight": (4, 1, 3, 3), "conv1.bias": (4,), "proj.weight": (64, 5), "proj.bias": (5,)}
        shapes |= {name: (4,) for name in norm[1:]} | {"fc.weight": (2, 5), "fc.bias": (2,)}
        constants = {name: draw.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}
        constants["bn1.running_var"] = np.abs(constants["bn1.running_var"]) + 0.5
        constants |= changed
        path = self.folder / name
        path.write_bytes(small_onnx.model(nodes, constants, {"x": [1, 1, SIDE, SIDE]}, {"y": [1, 2]}))
        return path

    def parameters(self, network, *options):
        checkpoint = self.folder / "state.npz"
        self.train(network, self.x, self.y, "--batch", 8, "--checkpoint", checkpoint, *options)
        with np.load(checkpoint) as archive:
            return {
                name.removeprefix("variables/"): archive[name]
                for name in archive.files
                if name.startswith("variables/")
            }

    def test_parameters_have_the_names_of_the_file(self):
        network = self.network()
        names = {"conv1.weight", "conv1.bias", "proj.weight", "proj.bias", "fc.weight", "fc.bias"}
        names |= {"bn1.weight", "bn1.bias", "bn1.running_mean", "bn1.running_var"}
        self.assertEqual(set(self.parameters(network)), names)
        for pattern in ("conv1.*", "proj.*", "fc.*", "bn1.*"):
            before = self.parameters(network, "--epochs", 0)
            after = self.parameters(network, "--freeze", pattern, "--learning-rate", 0.1)
            frozen = {name for name in names if name.startswith(pattern[:-1])}
            with self.subTest(pattern=pattern):
                self.assertEqual(set(after), names - frozen)
                # The mean of the batch takes the bias before it away again.
                moved = set(after) - ({"conv1.bias"} if pattern != "bn1.*" else set())
                self.assertTrue(all((after[name] != before[name]).any() for name in moved))

    def test_batch_normalizations_that_cannot_be_trained_are_refused(self):
        network = self.network()
        error = self.refused(network, self.x, self.y, "--batch", 8, "--freeze", "bn1.running_mean")
        self.assertIn("freeze 'bn1.running_mean': has one of 'bn1.running_mean' and 'bn1.running_var'", error)
        self.assertIn("bn1.running_var", self.parameters(network, "--freeze", "conv1.*"))
        rows = self.array("rows.npy", self.random.normal(0, 1, (SAMPLES, 3)).astype(np.float32))
        node = small_onnx.node
        constants = {"W": np.ones((3, 2), np.float32)} | {name: np.ones(2, np.float32) for name in "smv"}
        constants["b"] = np.zeros(2, np.float32)
        nodes = [node("MatMul", ["x", "W"], "h"), node("BatchNormalization", ["h", "s", "b", "m", "v"], "y")]
        path = self.folder / "rows.onnx"
        path.write_bytes(small_onnx.model(nodes, constants, {"x": [1, 3]}, {"y": [1, 2]}))
        error = self.refused(path, rows, self.y, "--batch", 1)
        self.assertIn("'m': a batch has one value for each channel, so that its deviation is 0", error)
        error = self.refused(path, rows, self.y, "--batch", 8, "--micro-batches", 8)
        self.assertIn("one value for each channel", error)
        self.train(path, rows, self.y, "--batch", 1, "--freeze", "[mv]")

    def test_dropout_drops_in_steps_alone(self):
        node = small_onnx.node
        constants = {"W": self.random.normal(0, 1, (3, 2)).astype(np.float32)}
        x = self.array("rows.npy", self.random.normal(0, 1, (SAMPLES, 3)).astype(np.float32))
        reports, files = [], []
        for ratio in (None, 0.25, 0.5):
            nodes = [] if ratio is None else [node("Dropout", ["x", "ratio"], "d")]
            nodes += [node("MatMul", ["d" if nodes else "x", "W"], "y")]
            given = constants | ({} if ratio is None else {"ratio": np.array(ratio, np.float32)})
            path, written = self.folder / "net.onnx", self.folder / "out.onnx"
            path.write_bytes(small_onnx.model(nodes, given, {"x": [1, 3]}, {"y": [1, 2]}))
            options = ["--validation-data", x, "--validation-targets", self.y, "--learning-rate", 1e-12]
            reports.append(self.train(path, x, self.y, "--batch", 8, *options, "-o", written)["epochs"][0])
            files.append(written.read_bytes())
        self.assertEqual(len({report["training"]["loss"] for report in reports}), 3)
        self.assertEqual(len({report["validation"]["loss"] for report in reports}), 1)
        self.assertTrue(all(b"Dropout" not in file for file in files))

    def test_weights_that_operators_share_are_told(self):
        node = small_onnx.node
        nodes = [node("Mul", ["x", "W"], "h"), node("Tanh", ["h"], "t"), node("Mul", ["t", "W"], "y")]
        path = self.folder / "tied.onnx"
        constants = {"W": self.random.normal(0, 1, (1, 3)).astype(np.float32)}
        path.write_bytes(small_onnx.model(nodes, constants, {"x": [1, 3]}, {"y": [1, 3]}))
        rows = self.array("rows.npy", self.random.normal(0, 1, (SAMPLES, 3)).astype(np.float32))
        options = ["--data", rows, "--targets", self.y, "--batch", 8]
        output = self.run_train("--network", path, *options).stdout
        self.assertIn("one parameter of several operators: 'W', by 2", output)
        self.assertNotIn("one parameter of", self.run_train("--network", "mlp:3-2", *options).stdout)

    def test_another_file_is_not_gone_on_with(self):
        checkpoint = self.folder / "state.npz"
        options = ["--batch", 8, "--freeze", "conv1.*"]
        network = self.network()
        self.train(network, self.x, self.y, *options, "--checkpoint", checkpoint)
        go_on = [*options, "--epochs", 2, "--resume", checkpoint]
        self.train(network, self.x, self.y, *go_on)
        for function, changed in (("Tanh", {}), ("Relu", {"conv1.weight": np.ones((4, 1, 3, 3), np.float32)})):
            self.network(function=function, **changed)
            with self.subTest(function=function):
                self.assertIn("network but what is trained", self.refused(network, self.x, self.y, *go_on))

    def test_shares_of_right_labels_are_at_most_1(self):
        labels = self.random.integers(0, 2, (20, 15))
        x, y = self.array("x.npy", 40.0 * labels - 20), self.array("y.npy", labels)
        checkpoint = self.folder / "state.npz"
        options = ["--batch", 10, "--optimizer", "adam", "--learning-rate", 0.1]
        report = self.train("mlp:15-15-sigmoid", x, y, *options, "--epochs", 30, "--checkpoint", checkpoint)
        self.assertEqual(report["epochs"][-1]["training"]["accuracy"], 1)
        self.train("mlp:15-15-sigmoid", x, y, *options, "--epochs", 31, "--resume", checkpoint)

    def test_a_validation_that_is_no_number_ends_the_training(self):
        x = self.array("x.npy", self.random.normal(0, 1, (64, 6)).astype(np.float32))
        y = self.array("y.npy", self.random.integers(0, 2, 64))
        network = "mlp:6-64-gelu-64-gelu-64-gelu-1-sigmoid"
        options = ["--batch", 48, "--hold-out", 16, "--epochs", 30, "--learning-rate", 100]
        command = [PROGRAM, "train", "--network", network, "--data", x, "--targets", y, *map(str, options)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "the loss.* is -?(nan|inf)")

    def test_weights_of_classes_with_the_binary_loss(self):
        x, y = self.array("x.npy", np.ones((1, 2))), self.array("y.npy", np.zeros(1, int))
        options = ["--loss", "binary", "--batch", 1]
        plain = self.train("mlp:2-2", x, y, *options)["losses"][0]
        for weights, factor in (("1,9", 1), ("9,1", 9)):
            loss = self.train("mlp:2-2", x, y, *options, "--class-weights", weights)["losses"][0]
            self.assertAlmostEqual(loss, factor * plain, places=5)


class Pruning(TrainCase):
    EDGE, WIDTH = 4, 32  # DIM of the configuration tiny

    def setUp(self):
        super().setUp()
        x = np.random.default_rng(4).normal(0, 1, (256, 16)).astype(np.float32)
        self.x, self.y = self.array("x.npy", x), self.array("y.npy", ((x[:, :4] ** 2).sum(1) > 3.4).astype(int))
        self.output, self.checkpoint = self.folder / "net.onnx", self.folder / "state.npz"
        self.network = f"mlp:16-{self.WIDTH}-tanh-{self.WIDTH}-tanh-1-sigmoid"
        self.usual = ["--batch", 16, "--optimizer", "adam", "--learning-rate", 0.01, "--hold-out", 64]
        self.usual += ["--config", "tiny", "-o", self.output]

    def run_pruned(self, *options):
        return self.train(self.network, self.x, self.y, *self.usual, *options)

    def zeros(self, matrix):
        rows, columns = (size // self.EDGE for size in matrix.shape)
        return (matrix.reshape(rows, self.EDGE, columns, self.EDGE) == 0).all((1, 3))

    def test_half_of_the_tiles(self):
        half = ["--epochs", 12, "--prune", 0.5, "--checkpoint", self.checkpoint]
        report = self.run_pruned(*half)
        tiles = (16 + self.WIDTH) * self.WIDTH // self.EDGE**2
        self.assertEqual((report["pruning"]["tiles"], report["pruning"]["zeros"]), (tiles, tiles // 2))
        self.assertIn("accuracy", report["pruning"]["before"])
        self.assertGreaterEqual(report["best_epoch"], 9)  # those before are not pruned yet
        with np.load(self.checkpoint) as archive:
            for layer, shape in (("dense1", (32, 16)), ("dense2", (32, 32))):
                for part in ("variables", "best"):
                    matrix = archive[f"{part}/{layer}.weight"]
                    self.assertEqual(matrix.shape, shape)
                    self.assertEqual(self.zeros(matrix).mean(), 0.5)
            self.assertTrue((archive["variables/dense3.weight"] != 0).all())  # no whole tile
        # A training that is stopped between two events of the pruning goes on to the same bits.
        files = ["--network", self.network, "--data", self.x, "--targets", self.y]
        command = [PROGRAM, "train", *files, *self.usual, *half, "--log", "-"]
        stopped = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True)
        for _ in range(70):
            stopped.stdout.readline()
        stopped.send_signal(signal.SIGINT)
        steps = 70 + sum('"learning_rate"' in line for line in stopped.communicate()[0].splitlines())
        self.assertLess(steps, len(report["losses"]))
        self.assertEqual(self.run_pruned(*half, "--resume", self.checkpoint)["losses"], report["losses"])

    def test_the_core_skips_them(self):
        """The quantized network takes fewer cycles, and is exact."""
        if "rtl" not in DEVICES:
            self.skipTest("this build has no RTL")
        cycles = []
        for share in (0, 0.5):
            self.run_pruned("--epochs", 8, "--prune", share)
            quantized, report = self.folder / "net8.systole", self.folder / "run.json"
            for command in (
                ["quantize", self.output, "-o", quantized, "--calibrate", self.x],
                ["run", quantized, "--device", "rtl", "--config", "tiny", "--json", report],
            ):
                done = subprocess.run([PROGRAM, *map(str, command)], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
            cycles.append(json.loads(report.read_text())["cycles"])
        self.assertLess(cycles[1], cycles[0])

    def test_what_does_not_fit(self):
        x, y = self.array("x.npy", np.ones((4, 2))), self.array("y.npy", np.zeros(4, int))
        self.assertIn(
            "--prune: no weights have 4 outputs by 4 inputs",
            self.refused("mlp:2-2", x, y, "--batch", 4, "--prune", 0.5, "--config", "tiny"),
        )
        self.assertIn("it must be 0 or more", self.refused("mlp:2-2", x, y, "--prune", 1))


if __name__ == "__main__":
    unittest.main()
