# SPDX-License-Identifier: Apache-2.0
"""Batch normalizations and dropout of an ONNX file against PyTorch in training mode: losses, parameters and running
statistics of every step, and what the written file computes.

  test_torch_normalization.py PROGRAM"""

import json
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import numpy as np
import torch
from documented_draws import batches, dropout
from torch import nn
from torch.nn import functional

PROGRAM = sys.argv.pop(1)
SEED, SAMPLES, BATCH, EPOCHS, RATE = 3, 36, 12, 4, 0.05
TOLERANCE = 1e-5


class Network(nn.Module):
    def __init__(self, ratio):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4, momentum=0.2)
        self.conv2, self.bn2 = nn.Conv2d(4, 6, 3, stride=2), nn.BatchNorm2d(6, eps=1e-3)
        self.drop1, self.drop2 = nn.Dropout(ratio), nn.Dropout(ratio / 2)
        self.fc1, self.bn3, self.fc2 = nn.Linear(54, 8), nn.BatchNorm1d(8), nn.Linear(8, 3)
        self.kept = None  # masks of both dropouts instead of PyTorch's own

    def dropped(self, number, x):
        return (self.drop1, self.drop2)[number](x) if self.kept is None else x * self.kept[number]

    def forward(self, x):
        x = torch.relu(self.bn1(self.conv1(x)))
        x = torch.relu(self.bn2(self.conv2(x)))
        x = torch.relu(self.bn3(self.fc1(self.dropped(0, x.flatten(1)))))
        return self.fc2(self.dropped(1, x))


class Normalization(unittest.TestCase):
    def setUp(self):
        self.room = tempfile.TemporaryDirectory()
        self.addCleanup(self.room.cleanup)
        self.folder = Path(self.room.name)
        random = np.random.default_rng(5)
        self.x = random.normal(0.5, 2, (SAMPLES, 2, 10, 10)).astype(np.float32)
        self.y = random.integers(0, 3, SAMPLES)
        np.save(self.folder / "x.npy", self.x)
        np.save(self.folder / "y.npy", self.y)

    def model(self, ratio):
        """With statistics that are not those of a new network, and its file."""
        torch.manual_seed(4)
        model = Network(ratio)
        for norm in (model.bn1, model.bn2, model.bn3):
            for tensor in (norm.weight, norm.running_var):
                nn.init.uniform_(tensor, 0.5, 1.5)
            for tensor in (norm.bias, norm.running_mean):
                nn.init.uniform_(tensor, -0.5, 0.5)
        batch = {"x": {0: torch.export.Dim("batch")}}
        torch.onnx.export(
            model.train(),
            (torch.from_numpy(self.x[:2]),),
            self.folder / "net.onnx",
            input_names=["x"],
            dynamic_shapes=batch,
            optimize=False,
            external_data=False,
            verbose=False,
        )
        return model

    def train(self, *options):
        """Losses and parameters, and the scores of the file that was written."""
        state, written, scores = (self.folder / name for name in ("state.npz", "trained.onnx", "scores.npy"))
        command = [PROGRAM, "train", "--network", self.folder / "net.onnx", "--data", self.folder / "x.npy"]
        command += ["--targets", self.folder / "y.npy", "--seed", SEED, "--batch", BATCH, "--epochs", EPOCHS]
        command += ["--learning-rate", RATE, "--checkpoint", state, "-o", written, *options]
        run = [PROGRAM, "run", written, "--device", "host", "--input", self.folder / "x.npy", "--output", scores]
        for words in (command, run):
            done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with zipfile.ZipFile(state) as archive, np.load(state) as file:
            losses = json.loads(archive.read("training.json"))["losses"]
            names = [name for name in file.files if name.startswith("variables/")]
            return losses, {name.removeprefix("variables/"): file[name] for name in names}, np.load(scores)

    def compare(self, model, losses, parameters, scores, ratio, frozen=()):
        x, y = torch.from_numpy(self.x), torch.from_numpy(self.y)
        learning = [value for name, value in model.named_parameters() if name not in frozen]
        steps = torch.optim.SGD(learning, RATE)
        for number, rows in enumerate(batches(SAMPLES, BATCH, SEED, EPOCHS)):
            if ratio > 0:
                rates = ((54, ratio), (8, ratio / 2))
                model.kept = [
                    torch.from_numpy(dropout((BATCH, width), np.float32(rate), SEED, number, layer))
                    for layer, (width, rate) in enumerate(rates)
                ]
            loss = functional.cross_entropy(model(x[rows]), y[rows])
            self.assertLess(abs(loss.item() - losses[number]), TOLERANCE, f"step {number}")
            steps.zero_grad()
            loss.backward()
            steps.step()
        self.assertEqual(number + 1, len(losses))
        after = {name: value for name, value in model.state_dict().items() if not name.endswith("num_batches_tracked")}
        self.assertEqual(set(parameters), set(after) - set(frozen))
        greatest = 0
        for name, value in parameters.items():
            expected = after[name].numpy()
            if value.ndim == 4:
                value = value.transpose(0, 3, 1, 2)
            if name == "fc1.weight" and ratio == 0:  # the order of the picture's elements is that of channels last
                value = value.reshape(8, 3, 3, 6).transpose(0, 3, 1, 2).reshape(8, 54)
            greatest = max(greatest, np.abs(value - expected).max())
            self.assertLess(np.abs(value - expected).max(), TOLERANCE, name)
        model.eval()
        model.kept = None
        with torch.no_grad():
            evaluated = np.abs(model(x).numpy() - scores).max()
        self.assertLess(evaluated, TOLERANCE)
        print(f"{len(losses)} steps: parameters and statistics within {greatest:.1e}, scores within {evaluated:.1e}")

    def test_without_dropout(self):
        model = self.model(0)
        before = {name: value.clone() for name, value in model.state_dict().items()}
        self.compare(model, *self.train(), 0)
        for name in ("bn1.running_mean", "bn2.running_var", "bn3.running_mean"):
            self.assertGreater((model.state_dict()[name] - before[name]).abs().max(), 1e-2)

    def test_with_dropout(self):
        self.compare(self.model(0.4), *self.train(), 0.4)

    def test_frozen_statistics_are_those_of_an_evaluation(self):
        model = self.model(0)
        model.bn1.eval()
        frozen = {"bn1.weight", "bn1.bias", "bn1.running_mean", "bn1.running_var"}
        self.compare(model, *self.train("--freeze", "bn1.*"), 0, frozen)


if __name__ == "__main__":
    unittest.main()
