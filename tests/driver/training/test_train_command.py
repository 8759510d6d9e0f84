# SPDX-License-Identifier: Apache-2.0
"""`systole train` from end to end, on pictures that are made here: it learns, resumes to the same bits, stops early,
and what it writes can be read."""

import json
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from bar_pictures import write_pictures

PROGRAM = sys.argv.pop(1)


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
        chosen = {"--scale": 0.25, "--batch": 20, "--optimizer": "adam", "--learning-rate": 0.004}
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
        self.assertFalse(list(self.folder.glob("*.unfinished")))
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
        self.assertIn("was made with --dropout 0.2, not 0", error)

    def test_stops_early(self):
        report = self.folder / "r.json"
        self.train("--epochs", 40, "--learning-rate", 0.05, *self.validation(), "--patience", 2, "--json", report)
        result = json.loads(report.read_text())
        self.assertLess(len(result["epochs"]), 40)
        self.assertEqual(len(result["epochs"]), result["best_epoch"] + 2)

    def test_errors(self):
        self.assertIn("--patience", self.train("--patience", 2, code=2).stderr)
        self.assertIn("fewer than a batch", self.train("--batch", 500, code=2).stderr)
        self.assertIn("leave none", self.train("--hold-out", 300, code=2).stderr)
        self.assertIn("nothing.onnx", self.train("--network", "nothing.onnx", code=2).stderr)
        self.assertIn("the loss is", self.train("--learning-rate", 1e30, "--optimizer", "sgd", code=2).stderr)

    def losses(self, *options):
        report = self.folder / "losses.json"
        self.train("--count", 8, "--batch", 4, "--scale", 0.02, "--optimizer", "sgd", *options, "--json", report)
        return json.loads(report.read_text())["losses"]

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
