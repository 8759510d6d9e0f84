#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the digits network on MNIST, quantizes it to int8 and writes digits.json and digits.bin.

Needs torch and numpy of the system's Python:
    apt-get install -y --no-install-recommends python3-torch python3-numpy
    /usr/bin/python3 scripts/digits/train.py --mnist DIR
DIR holds the four gzip IDX files of MNIST. One thread and a fixed seed: the same machine writes the same files again.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import network
from evaluate import classify_many
from idx import read_idx
from quantize import activation_params, quantize_layer
from record import write_network

CALIBRATION_IMAGES = 5000
REQUIRED_ACCURACY = 0.983


class DigitsNet(nn.Module):
    """conv 3x3 16, pool, conv 3x3 32, pool, dense 64, dense 10; a relu after all but the last."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.dense1 = nn.Linear(7 * 7 * 32, 64)
        self.dense2 = nn.Linear(64, 10)

    def stages(self, x):
        """The outputs of conv1, conv2, dense1, dense2, each after its relu: the tensors that get a scale."""
        conv1 = functional.relu(self.conv1(x))
        conv2 = functional.relu(self.conv2(functional.max_pool2d(conv1, 2)))
        # Flattened as height, width, channel, the order of the machine, so that dense1 needs no reordering.
        flat = functional.max_pool2d(conv2, 2).permute(0, 2, 3, 1).flatten(1)
        dense1 = functional.relu(self.dense1(flat))
        return conv1, conv2, dense1, self.dense2(dense1)

    def forward(self, x):
        return self.stages(x)[-1]


def load_mnist(folder, part):
    """(images uint8 [n, 28, 28], labels uint8 [n]) of part "train" or "t10k"."""
    shape, pixels = read_idx(folder / f"{part}-images-idx3-ubyte.gz")
    _, labels = read_idx(folder / f"{part}-labels-idx1-ubyte.gz")
    return np.frombuffer(pixels, np.uint8).reshape(shape), np.frombuffer(labels, np.uint8)


def as_input(images):
    return torch.from_numpy(images.astype(np.float32) / 255.0).unsqueeze(1)


def train(images, labels, epochs, seed):
    torch.manual_seed(seed)
    model = DigitsNet()
    batch = 100
    optimizer = torch.optim.Adam(model.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=epochs * (len(images) // batch))
    inputs, targets = as_input(images), torch.from_numpy(labels.astype(np.int64))
    for epoch in range(epochs):
        start, total = time.monotonic(), 0.0
        for picked in torch.randperm(len(inputs)).split(batch):
            loss = functional.cross_entropy(model(inputs[picked]), targets[picked])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(picked)
        print(
            f"epoch {epoch + 1}/{epochs}: loss {total / len(inputs):.4f}, {time.monotonic() - start:.0f} s", flush=True
        )
    return model.eval()


def describe(name, kind, source, output_shape, output, relu, **extra):
    """One layer of the description; source is the layer (or the network's input) that feeds it."""
    scale, zero_point = output
    return {
        "name": name,
        "type": kind,
        "input_shape": source["output_shape"],
        "output_shape": output_shape,
        **extra,
        "input_scale": source["output_scale"],
        "input_zero_point": source["output_zero_point"],
        "output_scale": scale,
        "output_zero_point": zero_point,
        "clamp_min": max(-128, zero_point) if relu else -128,
        "clamp_max": 127,
    }


def quantize_model(model, calibration):
    """The layers of the quantized network, scales from the ranges seen on the calibration images."""
    with torch.no_grad():
        ranges = [(float(t.min()), float(t.max())) for t in model.stages(as_input(calibration))]
    conv1_q, conv2_q, dense1_q, dense2_q = (activation_params(low, high) for low, high in ranges)
    conv = {"kernel": [3, 3], "stride": [1, 1], "padding": [1, 1, 1, 1]}
    pool = {"kernel": [2, 2], "stride": [2, 2], "padding": [0, 0, 0, 0]}
    # Pixel 0..255 minus 128 is the int8 input: scale 1/255, zero point -128.
    source = {"output_shape": [28, 28, 1], "output_scale": float(np.float32(1 / 255)), "output_zero_point": -128}
    conv1 = describe("conv1", "conv", source, [28, 28, 16], conv1_q, True, **conv)
    pool1 = describe("pool1", "maxpool", conv1, [14, 14, 16], conv1_q, False, **pool)
    conv2 = describe("conv2", "conv", pool1, [14, 14, 32], conv2_q, True, **conv)
    pool2 = describe("pool2", "maxpool", conv2, [7, 7, 32], conv2_q, False, **pool)
    dense1 = describe("dense1", "dense", pool2, [64], dense1_q, True)
    dense2 = describe("dense2", "dense", dense1, [10], dense2_q, False)
    for layer in (conv1, conv2):
        module = getattr(model, layer["name"])
        ohwi = module.weight.detach().numpy().transpose(0, 2, 3, 1)
        quantize_layer(layer, ohwi, module.bias.detach().numpy())
    for layer in (dense1, dense2):
        module = getattr(model, layer["name"])
        quantize_layer(layer, module.weight.detach().numpy(), module.bias.detach().numpy())
    return [conv1, pool1, conv2, pool2, dense1, dense2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mnist", type=Path, required=True, help="folder of MNIST's four gzip IDX files")
    parser.add_argument(
        "--out",
        type=Path,
        default=network.DATA_DIR,
        help="folder to write to, holding the pictures (default: %(default)s)",
    )
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)

    images, labels = load_mnist(args.mnist, "train")
    test_images, test_labels = load_mnist(args.mnist, "t10k")
    model = train(images, labels, args.epochs, args.seed)
    with torch.no_grad():
        float_correct = sum(
            int((model(x).argmax(1) == y).sum())
            for x, y in zip(as_input(test_images).split(500), torch.from_numpy(test_labels.astype(np.int64)).split(500))
        )
    print(f"float: {float_correct} of {len(test_labels)}", flush=True)

    layers = quantize_model(model, images[:CALIBRATION_IMAGES])
    net = {
        "format": network.FORMAT,
        "version": network.VERSION,
        "name": "digits",
        "seed": args.seed,
        "epochs": args.epochs,
        "input_shape": layers[0]["input_shape"],
        "input_scale": layers[0]["input_scale"],
        "input_zero_point": layers[0]["input_zero_point"],
        "layers": layers,
    }
    correct = int((np.array(classify_many(net, test_images)) == test_labels).sum())
    net["test_accuracy"] = correct / len(test_labels)
    print(f"int8 in exact integers: {correct} of {len(test_labels)}")
    if net["test_accuracy"] < REQUIRED_ACCURACY:
        sys.exit(f"accuracy {net['test_accuracy']:.4f} is below {REQUIRED_ACCURACY}: nothing written")
    write_network(net, args.out)


if __name__ == "__main__":
    main()
