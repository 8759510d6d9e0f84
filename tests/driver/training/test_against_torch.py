# SPDX-License-Identifier: Apache-2.0
"""Some steps of `systole train` against PyTorch: the same initial parameters, from a checkpoint of no epochs, the same
pictures in the same order, the same optimizer; parameters and losses agree.

  test_against_torch.py PROGRAM"""

import json
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

PROGRAM = sys.argv[1]
SIDE, BATCH = 14, 16  # one batch, so that the order of the pictures does not matter
EPOCHS = 6


class Cnn(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = nn.ParameterDict({name.replace(".", "_"): nn.Parameter(value) for name, value in p.items()})

    def forward(self, pixels):
        p = self.p
        x = pixels / 255
        for name in ("conv1", "conv2"):
            weight = p[name + "_weight"].permute(0, 3, 1, 2)
            x = functional.max_pool2d(functional.relu(functional.conv2d(x, weight, p[name + "_bias"])), 2)
        x = x.permute(0, 2, 3, 1).flatten(1)
        x = functional.relu(functional.linear(x, p["dense1_weight"], p["dense1_bias"]))
        return functional.linear(x, p["dense2_weight"], p["dense2_bias"])


class Vit(Cnn):
    WIDTH, HEADS, TOKENS = 12, 3, 17

    def normal(self, name, x):
        return functional.layer_norm(x, [self.WIDTH], self.p[name + "_weight"], self.p[name + "_bias"], 1e-5)

    def linear(self, name, x):
        return functional.linear(x, self.p[name + "_weight"], self.p[name + "_bias"])

    def attention(self, name, x):
        def heads(what):
            return self.linear(f"{name}_{what}", x).unflatten(2, (self.HEADS, -1)).transpose(1, 2)

        query, key, value = heads("query"), heads("key"), heads("value")
        scores = query @ key.transpose(2, 3) * (self.WIDTH // self.HEADS) ** -0.5
        return self.linear(name + "_output", (scores.softmax(-1) @ value).transpose(1, 2).flatten(2))

    def forward(self, pixels):
        weight, bias = self.p["patches_weight"].permute(0, 3, 1, 2), self.p["patches_bias"]
        grid = functional.conv2d(pixels / 255, weight, bias, stride=weight.shape[2]).flatten(2).transpose(1, 2)
        first = self.p["class_token"].expand(len(pixels), 1, self.WIDTH)
        x = torch.cat([first, grid], 1) + self.p["positions"]
        for layer in ("layer0", "layer1"):
            x = x + self.attention(layer, self.normal(layer + "_norm1", x))
            hidden = functional.gelu(self.linear(layer + "_dense1", self.normal(layer + "_norm2", x)))
            x = x + self.linear(layer + "_dense2", hidden)
        return self.linear("scores", self.normal("norm", x[:, 0]))


def optimizer_of(name, parameters):
    multiplied = {name: value for name, value in parameters.items() if name.endswith("_weight") and value.dim() >= 2}
    weights = list(multiplied.values())
    others = [value for name, value in parameters.items() if name not in multiplied]
    groups = [{"params": weights, "weight_decay": 0.01}, {"params": others, "weight_decay": 0}]
    if name in ("adam", "adamw"):
        return (torch.optim.Adam if name == "adam" else torch.optim.AdamW)(groups, 0.01)
    return torch.optim.SGD(groups, 0.01, momentum=0.9 if name == "momentum" else 0)


def arrays(path):
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("variables/")]
        with np.load(path) as file:
            found = {name[len("variables/") : -len(".npy")]: file[name[: -len(".npy")]] for name in names}
        return found, json.loads(archive.read("training.json"))["losses"]


def compare(folder, network, side, optimizer):
    rng = np.random.default_rng(1)
    pictures = rng.integers(0, 256, (BATCH, side, side), np.uint8)
    labels = rng.integers(0, 10, BATCH).astype(np.uint8)
    images, classes = folder / "images", folder / "labels"
    images.write_bytes(struct.pack(">4I", 0x803, BATCH, side, side) + pictures.tobytes())
    classes.write_bytes(struct.pack(">2I", 0x801, BATCH) + labels.tobytes())

    def train(epochs):
        path = folder / "state.npz"
        command = [PROGRAM, "train", "--network", network, "--images", images, "--labels", classes, "--batch", BATCH]
        command += ["--scale", 0.25, "--optimizer", optimizer, "--learning-rate", 0.01, "--weight-decay", 0.01]
        command += ["--clip-norm", 2, "--epochs", epochs, "--checkpoint", path]
        subprocess.run(list(map(str, command)), check=True, capture_output=True)
        return arrays(path)

    start, _ = train(0)
    end, losses = train(EPOCHS)
    kept = [name for name in start if name.rsplit(".", 1)[-1] not in ("momentum", "mean", "square")]
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    model = {"cnn": Cnn, "vit": Vit}[network]({name: torch.from_numpy(start[name]).double() for name in kept})
    steps = optimizer_of(optimizer, dict(model.p.items()))
    pixels = torch.from_numpy(pictures).double().unsqueeze(1)
    for expected in losses:
        loss = functional.cross_entropy(model(pixels), torch.from_numpy(labels).long())
        assert abs(loss.item() - expected) < 2e-5 * max(1, abs(expected)), (network, optimizer, loss.item(), expected)
        steps.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 2)
        steps.step()
    for name in kept:
        if name.endswith("key.bias"):  # has no gradient but the rounding's, which adam enlarges
            continue
        difference = np.abs(end[name] - model.p[name.replace(".", "_")].detach().numpy()).max()
        assert difference < 2e-4, (network, optimizer, name, difference)
    print(f"{network}, {optimizer}: {len(kept)} parameters agree after {EPOCHS} steps, loss {losses[-1]:.6f}")


def main():
    for network, side in (("cnn", SIDE), ("vit", 12)):
        for optimizer in ("sgd", "momentum", "adam", "adamw"):
            with tempfile.TemporaryDirectory() as folder:
                compare(Path(folder), network, side, optimizer)


if __name__ == "__main__":
    main()
