# SPDX-License-Identifier: Apache-2.0
"""What `systole train` writes while it runs: lines of JSON, and files for TensorBoard, which TensorBoard's own reader
reads where it is installed (scripts/setup jax); schedules of the learning rate as they say themselves.

  test_train_output.py SYSTOLE PYTHON   # PYTHON: an interpreter that may have the package tensorboard"""

import json
import math
import struct
import subprocess
import sys
import unittest

import numpy as np
from train_program import PROGRAM, TrainCase

TENSORBOARD = sys.argv.pop(1)

READER = """
import json, sys
try:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
except ImportError:
    sys.exit(77)
events = EventAccumulator(sys.argv[1])
events.Reload()
scalars = {tag: [(e.step, e.value) for e in events.Scalars(tag)] for tag in events.Tags()["scalars"]}
print(json.dumps(scalars))
"""


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    """The records of a TFRecord file, whose checksums are right."""
    while data:
        (length,) = struct.unpack("<Q", data[:8])
        assert masked(data[:8]) == struct.unpack("<I", data[8:12])[0]
        record = data[12 : 12 + length]
        assert masked(record) == struct.unpack("<I", data[12 + length : 16 + length])[0]
        yield record
        data = data[16 + length :]


class Output(TrainCase):
    STEPS, EPOCHS = 4, 3

    def run_table(self, *options):
        x = self.random.normal(0, 1, (45, 3))  # an epoch leaves five out
        files = [self.array("x.npy", x), self.array("y.npy", (x[:, 0] > 0).astype(int))]
        usual = ["--batch", 8, "--epochs", self.EPOCHS, "--hold-out", 8]
        return self.train("mlp:3-1-sigmoid", *files, *usual, *options)

    def test_lines_of_json(self):
        log = self.folder / "log.jsonl"
        report = self.run_table("--log", log)
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        steps = [line for line in lines if "loss" in line]
        self.assertEqual([line["loss"] for line in steps], report["losses"])
        self.assertEqual([line["step"] for line in steps], list(range(1, self.STEPS * self.EPOCHS + 1)))
        self.assertTrue(all(line["samples_per_second"] > 0 for line in steps))
        epochs = [line for line in lines if "training" in line]
        self.assertEqual([(line["epoch"], line["step"]) for line in epochs], [(1, 4), (2, 8), (3, 12)])
        self.assertEqual([line["validation"] for line in epochs], [one["validation"] for one in report["epochs"]])

    def test_lines_go_on_with_the_training(self):
        log, checkpoint = self.folder / "log.jsonl", self.folder / "state.npz"
        self.run_table("--log", log, "--checkpoint", checkpoint)
        first = log.read_text()
        files = ["--data", self.folder / "x.npy", "--targets", self.folder / "y.npy"]
        usual = ["--network", "mlp:3-1-sigmoid", "--batch", 8, "--hold-out", 8, "--epochs", self.EPOCHS + 1]
        self.run_train(*files, *usual, "--log", log, "--resume", checkpoint)
        self.assertTrue(log.read_text().startswith(first))
        steps = [line["step"] for line in map(json.loads, log.read_text().splitlines()) if "loss" in line]
        self.assertEqual(steps, list(range(1, self.STEPS * (self.EPOCHS + 1) + 1)))

    def test_lines_of_json_on_standard_output_are_alone(self):
        files = [self.folder / "x.npy", self.folder / "y.npy"]
        self.run_table()
        options = ["--batch", 8, "--log", "-"]
        result = self.run_train("--network", "mlp:3-1-sigmoid", "--data", files[0], "--targets", files[1], *options)
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual(len(lines), 5 + 1)
        self.assertEqual(result.stderr, "")
        both = self.run_train(
            "--network", "mlp:3-1-sigmoid", "--data", files[0], "--targets", files[1], *options, "--json", "-", code=2
        )
        self.assertIn("--log -: --json - writes to standard output, too", both.stderr)

    def test_no_colour_and_no_carriage_return_off_a_terminal(self):
        self.run_table()
        files = ["--data", self.folder / "x.npy", "--targets", self.folder / "y.npy"]
        result = self.run_train("--network", "mlp:3-1-sigmoid", *files, "--batch", 8)
        self.assertNotRegex(result.stdout + result.stderr, "[\r\033]")
        self.assertRegex(result.stdout, r"epoch 1: loss \d\.\d{4}, accuracy .* %; [\d,]+ samples a second")

    def test_a_network_is_not_written_under_a_name_of_another_format(self):
        options = ["--batch", 8]
        self.run_table()
        files = self.folder / "x.npy", self.folder / "y.npy"
        for name, ending in (("net.tflite", "ends in .tflite"), ("net.bin", "ends in .bin"), ("net", "has no ending")):
            with self.subTest(name=name):
                error = self.refused("mlp:3-1-sigmoid", *files, *options, "-o", self.folder / name)
                self.assertIn(f"error: --output: {self.folder / name}: {ending}; a trained network is written", error)
                self.assertIn("give a name that ends in .onnx (", error)
                self.assertFalse((self.folder / name).exists())
        text = ["--network", "llama:32-1-2-8", "--text", self.text("t", "some text to learn"), "--batch", 1]
        error = self.run_train(*text, "-o", self.folder / "net.gguf", code=2).stderr
        self.assertIn("ends in .onnx, or in .bin for a checkpoint of llama2.c (", error)
        for name in ("net.onnx", "net.bin"):
            self.run_train(*text, "--epochs", 0, "-o", self.folder / name)

    def test_what_runs_on_the_device_is_not_said_to_run_on_the_host(self):
        model = self.folder / "net.onnx"
        self.run_table("-o", model)
        for command, hint in (("run", "nothing is int8"), ("inspect", "run on the host")):
            device = ["--device", "model"] if command == "run" else []
            done = subprocess.run([PROGRAM, command, model, *device], capture_output=True, text=True, check=True)
            self.assertNotIn(hint, done.stdout)
        # A product that is too large for the vector processor still is.
        wide = self.folder / "wide.onnx"
        x, y = self.array("wide.npy", self.random.normal(0, 1, (8, 3000))), self.array("one.npy", np.zeros(8))
        self.train("mlp:3000-300-1", x, y, "--batch", 8, "--epochs", 0, "-o", wide)
        done = subprocess.run([PROGRAM, "inspect", wide], capture_output=True, text=True, check=True)
        self.assertIn("Nothing is quantized, so all but small products run on the host", done.stdout)

    def test_schedules(self):
        log, steps = self.folder / "log.jsonl", self.STEPS * self.EPOCHS

        def rates(*options):
            self.run_table("--log", log, "--learning-rate", 0.1, *options)
            lines = [json.loads(line) for line in log.read_text().splitlines()]
            return [line["learning_rate"] for line in lines if "learning_rate" in line]

        np.testing.assert_allclose(rates(), [0.1] * steps)
        step = rates("--schedule", "step", "--step-every", 5, "--step-factor", 0.5)
        np.testing.assert_allclose(step, [0.1 * 0.5 ** (i // 5) for i in range(steps)])
        warm = rates("--schedule", "cosine", "--warm-up", 2)
        cosine = [0.05 * (1 + math.cos(math.pi * i / (steps - 2))) for i in range(steps - 2)]
        np.testing.assert_allclose(warm, [0.05, 0.1, *cosine])

    def test_files_for_tensorboard(self):
        runs = self.folder / "runs/first"
        report = self.run_table("--tensorboard", runs)
        (file,) = runs.iterdir()
        self.assertRegex(file.name, r"^events\.out\.tfevents\.\d+\.")
        found = list(records(file.read_bytes()))
        self.assertIn(b"brain.Event:2", found[0])
        # Loss and rate of each step; loss and accuracy of training, loss, accuracy and area of validation.
        self.assertEqual(len(found), 1 + 2 * self.STEPS * self.EPOCHS + 5 * self.EPOCHS)
        files = self.folder / "x.npy", self.folder / "y.npy"
        error = self.refused("mlp:3-1-sigmoid", *files, "--batch", 8, "--tensorboard", runs)
        self.assertIn(f"error: --tensorboard: {runs}: has another training's events.out.tfevents.", error)
        self.assertIn("give another folder, or --resume with its checkpoint", error)
        plain = self.text("plain", "")
        error = self.refused("mlp:3-1-sigmoid", *files, "--batch", 8, "--tensorboard", plain)
        self.assertIn(f"--tensorboard: cannot write {plain}/events", error)
        reader = subprocess.run([TENSORBOARD, "-c", READER, runs], capture_output=True, text=True, check=False)
        if reader.returncode == 77:
            self.skipTest(f"{TENSORBOARD} has no tensorboard")
        self.assertEqual(reader.returncode, 0, reader.stderr)
        scalars = json.loads(reader.stdout)
        losses = scalars["train/loss"]
        self.assertEqual([step for step, _ in losses], list(range(1, len(report["losses"]) + 1)))
        np.testing.assert_allclose([value for _, value in losses], report["losses"], rtol=1e-6)
        areas = [value for _, value in scalars["validation/auc"]]
        np.testing.assert_allclose(areas, [one["validation"]["auc"] for one in report["epochs"]], rtol=1e-6)
        self.assertEqual(
            set(scalars),
            {"train/loss", "train/learning_rate", "train/epoch_loss", "train/accuracy"}
            | {"validation/epoch_loss", "validation/accuracy", "validation/auc"},
        )


if __name__ == "__main__":
    unittest.main()
