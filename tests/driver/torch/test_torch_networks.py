# SPDX-License-Identifier: Apache-2.0
"""Networks of torchvision with random weights against PyTorch: float32, and products in blocks. Prints a line each.

  test_torch_networks.py [--only NAME] [--side PIXELS]"""

import argparse
import sys

import numpy as np
import torch
import torchvision

import systole

NETWORKS = {
    "resnet18": torchvision.models.resnet18,
    "mobilenet_v3_large": torchvision.models.mobilenet_v3_large,
    "vit_b_16": torchvision.models.vit_b_16,
}
TOLERANCE, LEAST_DECIBELS = 1e-5, 20


def settle(model, x):
    """Statistics of batch normalization that are those of a picture, so that signals keep their size."""
    model.train()
    with torch.no_grad():
        if hasattr(model, "heads"):  # which torchvision leaves at zero
            model.heads.head.weight.normal_(0, 0.05)
        for _ in range(20):
            model(torch.randn(4, *x.shape[1:]))
    return model.eval()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=NETWORKS)
    parser.add_argument("--side", type=int, default=224)
    given = parser.parse_args()
    wrong = 0
    for name, make in NETWORKS.items():
        if given.only not in (None, name):
            continue
        torch.manual_seed(3)
        x = torch.randn(1, 3, given.side, given.side)
        model = settle(make(weights=None, **({"image_size": given.side} if name.startswith("vit") else {})), x)
        with torch.no_grad():
            expected = model(x).numpy().astype(np.float64)
        float32 = systole.Network.from_torch(model, x).run(x.numpy())
        blocks = systole.Network.from_torch(model, x, precision="mx").run(x.numpy())
        error = np.abs(float32 - expected).max() / np.abs(expected).max()
        decibels = 10 * np.log10((expected**2).sum() / ((blocks - expected) ** 2).sum())
        fits = error <= TOLERANCE and decibels >= LEAST_DECIBELS
        wrong += not fits
        print(f"{name}: float32 within {error:.1e} of the greatest output, blocks {decibels:.1f} dB", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
