# SPDX-License-Identifier: Apache-2.0
"""The two networks as float: their layers as data, and the training of their weights.

A network is a list of layers (name, kind, inputs, attributes); the first input is named "input". The exporters read the
same list. """

from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn.functional as F

SEED = 1
EPOCHS = 12
BATCH = 50


@dataclass
class Layer:
    name: str
    kind: str  # conv, depthwise, dense, add, mean, flatten
    inputs: tuple
    relu: bool = False
    stride: int = 1
    weights: tuple = ()  # shape, output channel first: OIHW, or [outputs][inputs]
    values: dict = field(default_factory=dict)  # trained: weight and bias


def residual():
    """Convolutions, depthwise convolutions, strides, and two residual additions."""

    def separable(name, source, channels):
        return [
            Layer(f"{name}_depthwise", "depthwise", (source,), relu=True, weights=(channels, 1, 3, 3)),
            Layer(f"{name}_pointwise", "conv", (f"{name}_depthwise",), weights=(channels, channels, 1, 1)),
            Layer(f"{name}_sum", "add", (source, f"{name}_pointwise"), relu=True),
        ]

    return [
        Layer("stem", "conv", ("input",), relu=True, weights=(8, 1, 3, 3)),
        *separable("first", "stem", 8),
        Layer("down", "conv", ("first_sum",), relu=True, stride=2, weights=(16, 8, 3, 3)),
        *separable("second", "down", 16),
        Layer("mean", "mean", ("second_sum",)),
        Layer("logits", "dense", ("mean",), weights=(10, 16)),
    ]


def dense():
    """Three fully connected layers."""
    return [
        Layer("flat", "flatten", ("input",)),
        Layer("hidden1", "dense", ("flat",), relu=True, weights=(32, 196)),
        Layer("hidden2", "dense", ("hidden1",), relu=True, weights=(16, 32)),
        Layer("logits", "dense", ("hidden2",), weights=(10, 16)),
    ]


def padding(height, kernel, stride):
    """TensorFlow's SAME padding: rows before and after the image."""
    total = max((-(-height // stride) - 1) * stride + kernel - height, 0)
    return total // 2, total - total // 2


def forward(layers, pictures, tensors=None):
    """The logits of pictures [count, 1, 14, 14]. `tensors` receives every layer's result by name."""
    tensors = {} if tensors is None else tensors
    tensors["input"] = pictures
    for layer in layers:
        x = tensors[layer.inputs[0]]
        if layer.kind in ("conv", "depthwise"):
            before, behind = padding(x.shape[2], layer.weights[2], layer.stride)
            groups = x.shape[1] if layer.kind == "depthwise" else 1
            y = F.conv2d(
                F.pad(x, (before, behind, before, behind)),
                layer.values["weight"],
                layer.values["bias"],
                layer.stride,
                groups=groups,
            )
        elif layer.kind == "dense":
            y = F.linear(x, layer.values["weight"], layer.values["bias"])
        elif layer.kind == "add":
            y = x + tensors[layer.inputs[1]]
        elif layer.kind == "mean":
            y = x.mean(dim=(2, 3))
        else:
            y = x.flatten(1)
        tensors[layer.name] = torch.relu(y) if layer.relu else y
    return tensors[layers[-1].name]


def train(layers, pictures, digits):
    """Trains the layers' weights in place; prints the loss of each epoch."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    for layer in layers:
        if layer.weights:
            fan_in = int(np.prod(layer.weights[1:]))
            layer.values = {
                "weight": (torch.randn(layer.weights) * (2 / fan_in) ** 0.5).requires_grad_(),
                "bias": torch.zeros(layer.weights[0]).requires_grad_(),
            }
    parameters = [value for layer in layers for value in layer.values.values()]
    optimizer = torch.optim.Adam(parameters, lr=5e-3)
    pictures, digits = torch.from_numpy(pictures[:, None]), torch.from_numpy(digits)
    for epoch in range(EPOCHS):
        total = 0.0
        for batch in torch.randperm(len(pictures)).split(BATCH):
            loss = F.cross_entropy(forward(layers, pictures[batch]), digits[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)
        print(f"  epoch {epoch + 1:2}  loss {total / len(pictures):.4f}", flush=True)
    for layer in layers:
        layer.values = {name: value.detach() for name, value in layer.values.items()}
