# SPDX-License-Identifier: Apache-2.0
"""`systole train` from end to end, on pictures that are made here: it learns, resumes to the same bits, stops early,
and what it writes can be read."""

import json
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

from bar_pictures import write_pictures

PROGRAM = sys.argv.pop(1)
PATIENCE = 120  # seconds; only a hang takes them


class Train(unittest.TestCase):
    def setUp(self):
        self.room = tempfile.TemporaryDirectory()
        self.folder = Path(self.room.name)
        self.data = write_pictures(self.folder, "train", 300, 1)
        self.fresh = write_pictures(self.folder, "fresh", 100, 2)

    def tearDown(self):
        self.room.cleanup()

    def run_program(self, *options, code=0):
        command = [PROGRAM, *map(str, options)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def train(self, *options, code=0):
        images, labels = self.data
        chosen = {"--batch": 20, "--optimizer": "adam", "--learning-rate": 0.004}
        chosen |= {} if "--network" in options else {"--scale": 0.25}
        common = [word for name, value in chosen.items() if name not in options for word in (name, value)]
        return self.run_program("train", "--images", images, "--labels", labels, *common, *options, code=code)

    def validation(self):
        images, labels = self.fresh
        return ["--validation-images", images, "--validation-labels", labels]

    def test_learns_and_writes_files(self):
        report, plot, model = (self.folder / name for name in ("r.json", "loss.svg", "cnn.onnx"))
        checkpoint = self.folder / "cnn.npz"
        files = ["--json", report, "--plot", plot, "-o", model, "--checkpoint", checkpoint]
        output = self.train("--epochs", 6, *self.validation(), *files).stdout
        self.assertIn("epoch 6: loss", output)
        self.assertIn("a second", output)
        result = json.loads(report.read_text())
        self.assertEqual(len(result["losses"]), 6 * 15)
        self.assertGreaterEqual(result["epochs"][-1]["validation"]["accuracy"], 0.95)
        self.assertTrue(plot.read_text().startswith("<svg"))
        with zipfile.ZipFile(checkpoint) as archive:
            self.assertIsNone(archive.testzip())
            self.assertIn("variables/conv1.weight.square.npy", archive.namelist())
            self.assertEqual(json.loads(archive.read("training.json"))["epoch"], 6)
        self.assertFalse(list(self.folder.glob(".systole-*")))
        # The file is a network like any other: it is quantized with the pictures, and trained again.
        images, labels = self.fresh
        quantized = self.folder / "q.json"
        test = ["--test", images, "--labels", labels, "--json", quantized]
        self.run_program("quantize", model, "--calibrate", self.data[0], *test)
        accuracy = json.loads(quantized.read_text())["accuracy"]["float"]
        best = result["epochs"][result["best_epoch"] - 1]["validation"]["accuracy"]
        self.assertAlmostEqual(accuracy, best, places=6)
        self.train("--network", model, "--epochs", 1, *self.validation(), "--json", report)
        again = json.loads(report.read_text())
        self.assertGreaterEqual(again["epochs"][0]["validation"]["accuracy"], 0.9)

    def test_resumes_to_the_same_bits(self):
        whole, part = self.folder / "whole.npz", self.folder / "part.npz"
        dropout = ["--dropout", 0.2, "--seed", 3]
        self.train("--epochs", 2, *dropout, "--checkpoint", whole)
        self.train("--epochs", 1, *dropout, "--checkpoint", part)
        self.train("--epochs", 2, *dropout, "--resume", part, "--checkpoint", part)
        self.assertEqual(whole.read_bytes(), part.read_bytes())
        error = self.train("--epochs", 2, "--seed", 3, "--resume", part, code=2).stderr
        self.assertIn("was made with --dropout 0.2, not 0; the training would not", error)
        error = self.train("--epochs", 2, "--network", "lstm", "--scale", 0.25, "--resume", part, code=2).stderr
        self.assertIn("was made with --network cnn, not lstm; with --dropout 0.2, not 0; with --seed 3, not 1;", error)

    def changed(self, checkpoint, change):
        """The checkpoint with other numbers in its text, and right checksums."""
        path = self.folder / "changed.npz"
        with zipfile.ZipFile(checkpoint) as old, zipfile.ZipFile(path, "w") as new:
            for name in old.namelist():
                text = old.read(name)
                new.writestr(name, json.dumps(json.loads(text) | change) if name == "training.json" else text)
        return path

    def test_checkpoints_whose_numbers_are_impossible(self):
        good = self.folder / "good.npz"
        self.train("--epochs", 1, "--count", 60, "--checkpoint", good)
        self.train("--epochs", 2, "--count", 60, "--resume", self.changed(good, {}))
        for change, text in (
            ({"batch": -1}, "batch is -1; it must be a whole number from 0 to 3"),
            ({"batch": 1 << 62}, "batch is 4611686018427387904"),
            ({"epoch": -5}, "epoch is -5"),
            ({"epoch": 1 << 62}, "but the records of epochs are 1"),
            ({"batch": 1.9}, "batch is 1.9"),
            ({"losses": []}, "the number of losses is 0"),
            ({"losses": ["x"]}, 'losses[0] is "x"'),
            ({"metric_sum": -7}, "metric_sum is -7"),
        ):
            with self.subTest(change=change):
                error = self.train("--epochs", 2, "--count", 60, "--resume", self.changed(good, change), code=2).stderr
                self.assertIn("changed.npz: training.json: ", error)
                self.assertIn(text, error)
                self.assertIn("go on from another one", error)

    def test_resumes_with_the_same_data_only(self):
        checkpoint = self.folder / "c.npz"
        self.train("--epochs", 1, *self.validation(), "--checkpoint", checkpoint)
        output = self.train("--epochs", 1, *self.validation(), "--resume", checkpoint).stdout
        self.assertIn("c.npz is after epoch 1 already; --epochs 1 leaves nothing to train: give --epochs 2 or", output)
        fresh, self.fresh = self.fresh, write_pictures(self.folder, "more", 100, 3)
        error = self.train("--epochs", 2, *self.validation(), "--resume", checkpoint, code=2).stderr
        self.assertRegex(error, "was made with validation data of digest [0-9a-f]{16}, not of digest [0-9a-f]{16}")
        error = self.train("--epochs", 2, "--resume", checkpoint, code=2).stderr
        self.assertRegex(error, "was made with validation data of digest [0-9a-f]{16}, not none")
        self.fresh = fresh
        images, labels = self.data
        pixels = bytearray(images.read_bytes())
        pixels[-1] ^= 1
        images.write_bytes(pixels)
        error = self.train("--epochs", 2, *self.validation(), "--resume", checkpoint, code=2).stderr
        self.assertRegex(error, "was made with training data of digest [0-9a-f]{16}, not of digest")
        pixels[-1] ^= 1
        images.write_bytes(pixels)
        classes = bytearray(labels.read_bytes())
        classes[-1] = 9 - classes[-1]
        labels.write_bytes(classes)
        error = self.train("--epochs", 2, *self.validation(), "--resume", checkpoint, code=2).stderr
        self.assertIn("was made with training data", error)

    def stopped(self, number, *options):
        """Output and errors of a training that gets a signal after its first checkpoint, and its exit code."""
        checkpoint = self.folder / "stopped.npz"
        images, labels = self.data
        command = [PROGRAM, "train", "--images", images, "--labels", labels, "--scale", 0.25, "--batch", 20]
        command += ["--epochs", 100000, "--checkpoint", checkpoint, "--checkpoint-every", 1, *options]
        with subprocess.Popen(
            [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as training:
            try:
                start = time.monotonic()
                while not checkpoint.exists() and time.monotonic() - start < PATIENCE:
                    time.sleep(0.02)
                training.send_signal(number)
                output, errors = training.communicate(timeout=PATIENCE)
            finally:
                training.kill()
        return output, errors, training.returncode

    def test_a_signal_finishes_the_step_and_writes_everything(self):
        report, plot, model = (self.folder / name for name in ("r.json", "loss.svg", "cnn.onnx"))
        files = ["--json", report, "--plot", plot, "-o", model]
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            for path in self.folder.glob("stopped.npz"):
                path.unlink()
            with self.subTest(signal=number.name):
                output, errors, returned = self.stopped(number, *files)
                self.assertEqual(returned, code, output + errors)
                result = json.loads(report.read_text())
                steps = len(result["losses"])
                self.assertEqual(result["stopped_by"], number.name)
                self.assertIn(f"stopped by {number.name} after step {steps}, ", errors)
                self.assertIn(f"stopped.npz has the state after step {steps}: --resume ", errors)
                self.assertTrue(plot.read_text().startswith("<svg"))
                self.assertGreater(model.stat().st_size, 1000)
                with zipfile.ZipFile(self.folder / "stopped.npz") as archive:
                    self.assertEqual(len(json.loads(archive.read("training.json"))["losses"]), steps)
                more = ["--optimizer", "sgd", "--learning-rate", 0.01, "--epochs", steps // 15 + 1]
                self.train(*more, "--resume", self.folder / "stopped.npz")
        self.assertFalse(list(self.folder.glob(".systole-*")))

    def test_a_signal_during_the_validation(self):
        """The epoch is not complete: the state is that after its last step, and a resumed training goes on there."""
        images, labels = self.data
        large = write_pictures(self.folder, "large", 3000, 4)
        command = [PROGRAM, "train", "--images", images, "--labels", labels, "--scale", 2, "--batch", 300]
        command += ["--validation-images", large[0], "--validation-labels", large[1], "--json", self.folder / "v.json"]
        command += ["--checkpoint", self.folder / "v.npz", "--checkpoint-every", 1]
        with subprocess.Popen([str(word) for word in command], stderr=subprocess.PIPE, text=True) as training:
            try:
                start = time.monotonic()
                while not (self.folder / "v.npz").exists() and time.monotonic() - start < PATIENCE:
                    time.sleep(0.02)
                training.send_signal(signal.SIGINT)
                _, errors = training.communicate(timeout=PATIENCE)
            finally:
                training.kill()
        self.assertEqual(training.returncode, 130, errors)
        self.assertIn("after step 1, 1 of 1 batches of epoch 1", errors)
        self.assertEqual(json.loads((self.folder / "v.json").read_text())["epochs"], [])
        # No step is left of the epoch, so that there is no pace.
        resumed = [*command, "--resume", self.folder / "v.npz", "--epochs", 1]
        done = subprocess.run([str(word) for word in resumed], capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"epoch 1: loss .*; validation: loss [^;]*\n")

    def test_stops_early(self):
        report = self.folder / "r.json"
        options = ["--learning-rate", 0.05, *self.validation(), "--patience", 2]
        checkpoint = self.folder / "early.npz"
        output = self.train("--epochs", 40, *options, "--json", report, "--checkpoint", checkpoint).stdout
        result = json.loads(report.read_text())
        self.assertLess(len(result["epochs"]), 40)
        best, count = result["best_epoch"], len(result["epochs"])
        self.assertEqual(count, best + 2)
        loss = result["epochs"][best - 1]["validation"]["loss"]
        last = output.splitlines()[-1]
        self.assertIn(f"stopped after 2 epochs without a smaller loss; kept epoch {best}: loss {loss:.4f}, ", last)
        output = self.train("--epochs", 40, *options, "--resume", checkpoint).stdout
        text = f"early.npz is 2 epochs after epoch {best}, the best one; --patience 2 leaves nothing to train: give "
        self.assertIn(text + "--patience 3 or more", output)
        self.assertNotIn("stopped after", output)

    def test_errors(self):
        self.assertIn("--patience", self.train("--patience", 2, code=2).stderr)
        self.assertIn("fewer than a batch", self.train("--batch", 500, code=2).stderr)
        self.assertIn("leave none", self.train("--hold-out", 300, code=2).stderr)
        self.assertIn("nothing.onnx", self.train("--network", "nothing.onnx", code=2).stderr)
        for option, value, text in (
            ("--beta1", 1, "below 1"),
            ("--beta2", -0.1, "0 or more"),
            ("--epsilon", 0, "1e-37"),
        ):
            self.assertIn(text, self.train(option, value, code=2).stderr)
        diverging = ["--learning-rate", 1e6, "--optimizer", "sgd"]
        self.assertIn("the loss is", self.train(*diverging, code=2).stderr)
        one_step = ["--loss", "mean-square", "--count", 40, "--hold-out", 20]
        self.assertIn("epoch 1: the loss of the validation is ", self.train(*diverging, *one_step, code=2).stderr)

    def losses(self, *options):
        report = self.folder / "losses.json"
        sgd = [] if "--optimizer" in options else ["--optimizer", "sgd"]
        self.train("--count", 8, "--batch", 4, "--scale", 0.02, *sgd, *options, "--json", report)
        return json.loads(report.read_text())["losses"]

    def test_adam_takes_its_numbers(self):
        adam = ["--optimizer", "adam", "--learning-rate", 0.01, "--epochs", 2]
        before = self.losses(*adam)
        self.assertEqual(before, self.losses(*adam, "--beta1", 0.9, "--beta2", 0.999, "--epsilon", 1e-8))
        for option, value in (("--beta1", 0.5), ("--beta2", 0.5), ("--epsilon", 0.1)):
            self.assertNotEqual(before, self.losses(*adam, option, value))

    def test_on_the_model(self):
        """Whatever the device computes, the steps are those of the host."""
        self.assertEqual(self.losses(), self.losses("--device", "model"))

    def test_learns_in_blocks(self):
        report, checkpoint = self.folder / "r.json", self.folder / "cnn.npz"
        self.train("--epochs", 6, "--precision", "mx", *self.validation(), "--json", report, "--checkpoint", checkpoint)
        result = json.loads(report.read_text())
        self.assertGreaterEqual(result["epochs"][-1]["validation"]["accuracy"], 0.95)
        self.assertEqual(result["settings"]["--precision"], "mx")
        self.assertIn("--precision", self.train("--epochs", 7, "--resume", checkpoint, code=2).stderr)
        blocks = self.losses("--precision", "mx")
        self.assertEqual(blocks, self.losses("--precision", "mx", "--device", "model"))
        self.assertNotEqual(blocks, self.losses())


if __name__ == "__main__":
    unittest.main()
