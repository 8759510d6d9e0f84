# SPDX-License-Identifier: Apache-2.0
"""A vision transformer of the usual form for pictures of 28 x 28: patches of 7 x 7, a class token, learned positions,
layers that normalize before attention and before two dense layers with a gelu between."""

import torch
from torch import nn
from torch.nn import functional

SIDE, PATCH = 28, 7
TOKENS = (SIDE // PATCH) ** 2 + 1  # with that of the class
WIDTH, HEADS, HIDDEN, LAYERS, CLASSES = 48, 3, 96, 2, 10
EPSILON = 1e-5


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH, EPSILON)
        self.query = nn.Linear(WIDTH, WIDTH)
        self.key = nn.Linear(WIDTH, WIDTH)
        self.value = nn.Linear(WIDTH, WIDTH)
        self.output = nn.Linear(WIDTH, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH, EPSILON)
        self.dense1 = nn.Linear(WIDTH, HIDDEN)
        self.dense2 = nn.Linear(HIDDEN, WIDTH)

    def attention(self, x):
        def heads(y):  # [batch, heads, tokens, width of a head]
            return y.unflatten(2, (HEADS, WIDTH // HEADS)).transpose(1, 2)

        query, key, value = heads(self.query(x)), heads(self.key(x)), heads(self.value(x))
        scores = query @ key.transpose(2, 3) * (WIDTH // HEADS) ** -0.5
        return self.output((scores.softmax(-1) @ value).transpose(1, 2).flatten(2))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.dense2(functional.gelu(self.dense1(self.norm2(x))))


class VisionTransformer(nn.Module):
    """Pixels 0 to 255 of [batch, 1, 28, 28] to the scores of ten classes."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(1, WIDTH, PATCH, stride=PATCH)
        self.class_token = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.positions = nn.Parameter(torch.randn(1, TOKENS, WIDTH) * 0.02)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH, EPSILON)
        self.head = nn.Linear(WIDTH, CLASSES)

    def forward(self, pixels):
        patches = self.patches(pixels / 255).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_token.expand(len(pixels), 1, WIDTH), patches], 1) + self.positions
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x[:, 0]))
