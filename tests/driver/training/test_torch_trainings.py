# SPDX-License-Identifier: Apache-2.0
"""Whole trainings by the command alone against PyTorch in float32: the same initial parameters, samples in the same
order, the same elements dropped. The losses of every step agree, in block floating point within a band.

  test_torch_trainings.py PROGRAM             a convolutional network with dropout, a table, an LSTM and an encoder of
                                              texts, on seeded samples
  test_torch_trainings.py PROGRAM --mnist FOLDER
                                              the two networks of pictures on MNIST's; exit code 77 without them"""

import gzip
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
MNIST = None
if sys.argv[1:2] == ["--mnist"]:
    MNIST = Path(sys.argv[2])
    del sys.argv[1:3]
SKIPPED = 77
SEED = 5
TOLERANCE = 1e-5  # of a loss, absolute


def pictures(count, side):
    """Ten blurred shapes with noise, and which of them each is."""
    random = np.random.default_rng(7)
    shapes = random.normal(0, 1, (10, side + 4, side + 4))
    for axis in (1, 2):
        shapes = sum(np.roll(shapes, shift, axis) for shift in range(5)) / 2
    labels = random.integers(0, 10, count)
    noisy = shapes[labels, 4:, 4:] + random.normal(0, 0.7, (count, side, side))
    return np.clip(128 + 60 * noisy, 0, 255).astype(np.uint8), labels


def mnist(count):
    def read(name, header):
        return np.frombuffer(gzip.decompress((MNIST / name).read_bytes()), np.uint8, offset=header)

    images = read("train-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28)[:count].copy()
    return images, read("train-labels-idx1-ubyte.gz", 8)[:count].astype(np.int64)


def area(scores, labels):
    """Under the ROC curve: the share of pairs in which the sample of 1 has the greater score, a tie being half."""
    difference = scores[labels == 1][:, None] - scores[labels == 0][None]
    return ((difference > 0) + (difference == 0) / 2).mean()


class Cnn(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, len(p["conv1.bias"]), 3), nn.Conv2d(1, 1, 3)
        self.dense1, self.dense2 = nn.Linear(1, 1), nn.Linear(1, 1)
        for name, parameter in self.named_parameters():
            value = torch.from_numpy(p[name])
            parameter.data = value.permute(0, 3, 1, 2).contiguous() if value.dim() == 4 else value

    def forward(self, pixels, kept):
        x = pixels / 255
        for convolution in (self.conv1, self.conv2):
            x = functional.max_pool2d(torch.relu(convolution(x)), 2)
        x = torch.relu(self.dense1(x.permute(0, 2, 3, 1).flatten(1)))
        return self.dense2(x * kept)


class Table(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.dense1, self.dense2 = nn.Linear(8, 10), nn.Linear(10, 1)
        self.load_state_dict({name: torch.from_numpy(p[name]) for name in self.state_dict()})

    def forward(self, x):
        return self.dense2(torch.sigmoid(self.dense1(x)))[:, 0]


class Rows(nn.Module):
    """An LSTM over the rows of a picture."""

    def __init__(self, p):
        super().__init__()
        gates, width = p["lstm.input.weight"].shape
        self.lstm, self.scores = nn.LSTM(width, gates // 4, batch_first=True), nn.Linear(gates // 4, 10)
        zeros = np.zeros(gates, np.float32)
        of_lstm = [p["lstm.input.weight"], p["lstm.hidden.weight"], p["lstm.input.bias"], zeros]
        for parameter, value in zip(self.lstm.parameters(), of_lstm):
            parameter.data = torch.from_numpy(value)
        self.lstm.bias_hh_l0.requires_grad = False  # there is one bias of each gate
        self.scores.load_state_dict({name: torch.from_numpy(p["scores." + name]) for name in ("weight", "bias")})

    def forward(self, pixels):
        return self.scores(self.lstm(pixels[:, 0] / 255)[0][:, -1])


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))
        self.wide, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x):
        query, key, value = (
            layer(x).unflatten(2, (self.heads, -1)).transpose(1, 2) for layer in (self.query, self.key, self.value)
        )
        shares = (query @ key.transpose(2, 3) * query.shape[-1] ** -0.5).softmax(-1)
        x = self.norm1(x + self.output((shares @ value).transpose(1, 2).flatten(2)))
        return self.norm2(x + self.narrow(functional.gelu(self.wide(x))))


class Encoder(nn.Module):
    """A classifier of texts as BERT is one: tokens and positions, blocks, and a function of the first token."""

    def __init__(self, tokens, length, width=32, heads=4, blocks=2, classes=3):
        super().__init__()
        self.tokens, self.places = nn.Embedding(tokens, width), nn.Parameter(torch.randn(1, length, width) / 10)
        self.norm = nn.LayerNorm(width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(blocks)))
        self.pooler, self.classes = nn.Linear(width, width), nn.Linear(width, classes)

    def forward(self, tokens):
        x = self.blocks(self.norm(self.tokens(tokens) + self.places))
        return self.classes(torch.tanh(self.pooler(x[:, 0])))


class Trainings(unittest.TestCase):
    def setUp(self):
        self.room = tempfile.TemporaryDirectory()
        self.addCleanup(self.room.cleanup)
        self.folder = Path(self.room.name)

    def train(self, data, targets, *options):
        """Parameters and losses of a checkpoint, and the report."""
        checkpoint, report = self.folder / "state.npz", self.folder / "report.json"
        np.save(self.folder / "data.npy", data)
        np.save(self.folder / "targets.npy", targets)
        command = [PROGRAM, "train", "--data", self.folder / "data.npy", "--targets", self.folder / "targets.npy"]
        command += ["--seed", SEED, "--checkpoint", checkpoint, "--json", report, *options]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with zipfile.ZipFile(checkpoint) as archive, np.load(checkpoint) as file:
            losses = json.loads(archive.read("training.json"))["losses"]
            parameters = {
                name.removeprefix("variables/"): file[name] for name in file.files if name.startswith("variables/")
            }
        return parameters, np.array(losses), json.loads(report.read_text())

    def start(self, data, targets, *options):
        return self.train(data, targets, *options, "--epochs", 0)[0]

    def compare(self, name, options, samples, steps, loss_of, optimizer, band):
        """loss_of(rows, number) is PyTorch's loss of a step, before its update."""
        data, targets = samples
        expected = []
        for number, rows in enumerate(steps):
            loss = loss_of(rows, number)
            expected.append(loss.item())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        _, losses, report = self.train(data, targets, *options)
        _, in_blocks, report_of_blocks = self.train(data, targets, *options, "--precision", "mx")
        self.assertEqual(len(losses), len(expected))
        difference, of_blocks = np.abs(losses - expected).max(), np.abs(in_blocks - expected).max()
        print(
            f"{name}: {len(losses)} steps, loss {expected[0]:.4f} to {expected[-1]:.4f}; float32 within "
            f"{difference:.1e}, blocks within {of_blocks:.3f}",
            flush=True,
        )
        self.assertLess(expected[-1], 0.8 * expected[0])
        self.assertLess(difference, TOLERANCE)
        self.assertLess(of_blocks, band)
        return report, report_of_blocks

    def cnn(self, images, labels, scale, batch, epochs, band):
        options = ["--network", "cnn", "--scale", scale, "--dropout", 0.4, "--optimizer", "adam"]
        options += ["--learning-rate", 0.001, "--batch", batch]
        model = Cnn(self.start(images, labels, *options))
        x, y = torch.from_numpy(images).float().unsqueeze(1), torch.from_numpy(labels)

        def loss_of(rows, number):
            kept = dropout((batch, model.dense2.weight.shape[1]), 0.4, SEED, number)
            return functional.cross_entropy(model(x[rows], torch.from_numpy(kept)), y[rows])

        steps = batches(len(labels), batch, SEED, epochs)
        optimizer = torch.optim.Adam(model.parameters(), 0.001)
        self.compare("cnn", [*options, "--epochs", epochs], (images, labels), steps, loss_of, optimizer, band)

    def lstm(self, images, labels, scale, batch, epochs, band):
        options = ["--network", "lstm", "--scale", scale, "--optimizer", "adam", "--learning-rate", 0.005]
        options += ["--batch", batch]
        model = Rows(self.start(images, labels, *options))
        x, y = torch.from_numpy(images).float().unsqueeze(1), torch.from_numpy(labels)
        steps = batches(len(labels), batch, SEED, epochs)
        optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], 0.005)
        self.compare(
            "lstm",
            [*options, "--epochs", epochs],
            (images, labels),
            steps,
            lambda rows, _: functional.cross_entropy(model(x[rows]), y[rows]),
            optimizer,
            band,
        )


class Seeded(Trainings):
    def test_cnn_with_dropout(self):
        self.cnn(*pictures(128, 28), 0.5, 32, 5, band=0.05)

    def test_lstm(self):
        self.lstm(*pictures(128, 28), 0.5, 32, 4, band=0.03)

    def test_table(self):
        random = np.random.default_rng(3)
        x = random.normal(0, 1, (768, 8)).astype(np.float32)
        chance = 1 / (1 + np.exp(-(1.5 * x[:, 0] - x[:, 1] * x[:, 2] + 0.5 * x[:, 3])))
        y = (random.random(768) < chance).astype(np.int64)[:, None]
        held, batch, epochs = 168, 32, 30
        options = ["--network", "mlp:8-10-sigmoid-1-sigmoid", "--optimizer", "adam", "--learning-rate", 0.02]
        options += ["--batch", batch, "--hold-out", held]
        model = Table(self.start(x, y, *options))
        inputs, targets = torch.from_numpy(x), torch.from_numpy(y[:, 0]).float()
        report, of_blocks = self.compare(
            "table",
            [*options, "--epochs", epochs],
            (x, y),
            batches(768 - held, batch, SEED, epochs),
            lambda rows, _: functional.binary_cross_entropy_with_logits(model(inputs[rows]), targets[rows]),
            torch.optim.Adam(model.parameters(), 0.02),
            band=0.01,
        )
        with torch.no_grad():
            expected = area(model(inputs[-held:]).numpy(), y[-held:, 0])
        areas = [one["epochs"][-1]["validation"]["auc"] for one in (report, of_blocks)]
        print(f"area under the ROC curve: PyTorch {expected:.4f}, float32 {areas[0]:.4f}, blocks {areas[1]:.4f}")
        self.assertGreater(expected, 0.8)
        for found in areas:
            self.assertLess(abs(found - expected), 0.01)

    def test_encoder_of_a_file(self):
        random = np.random.default_rng(4)
        tokens = random.integers(0, 50, (192, 12))
        labels = (tokens < 8).any(1) + (tokens[:, 0] > 24).astype(np.int64)
        torch.manual_seed(2)
        model = Encoder(50, 12)
        file = self.folder / "encoder.onnx"
        with torch.no_grad():
            # An optimized export makes one constant of all that begin equal, such as the factors of normalizations.
            torch.onnx.export(
                model,
                (torch.from_numpy(tokens[:1]),),
                file,
                input_names=["tokens"],
                optimize=False,
                external_data=False,
                verbose=False,
            )
        options = ["--network", file, "--optimizer", "adamw", "--learning-rate", 0.002, "--weight-decay", 0.01]
        options += ["--batch", 32, "--epochs", 5]
        dense = {f"{name}.weight" for name, layer in model.named_modules() if isinstance(layer, nn.Linear)}
        groups = [
            {"params": [p for name, p in model.named_parameters() if (name in dense) == decays], "weight_decay": decay}
            for decays, decay in ((True, 0.01), (False, 0))
        ]
        x, y = torch.from_numpy(tokens), torch.from_numpy(labels)
        self.compare(
            "encoder",
            options,
            (tokens, labels),
            batches(len(labels), 32, SEED, 5),
            lambda rows, _: functional.cross_entropy(model(x[rows]), y[rows]),
            torch.optim.AdamW(groups, 0.002),
            band=0.01,
        )


class OnMnist(Trainings):
    def test_cnn_with_dropout(self):
        # Adam divides gradients by their size, so that rounding decides about those that are as small as its epsilon:
        # after some 30 steps of these two losses are apart by more than the tolerance.
        self.cnn(*mnist(768), 1, 64, 1, band=0.1)

    def test_lstm(self):
        self.lstm(*mnist(1920), 1, 64, 1, band=0.05)


if __name__ == "__main__":
    if MNIST is not None and not (MNIST / "train-images-idx3-ubyte.gz").exists():
        print(f"skipped: {MNIST} has no MNIST")
        sys.exit(SKIPPED)
    unittest.main(defaultTest="OnMnist" if MNIST is not None else "Seeded")
