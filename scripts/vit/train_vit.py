#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the vision transformer on MNIST and writes vit.onnx, a float network, and its scores for the shipped pictures.

Needs torch, numpy and onnx of the system's Python:
    apt-get install -y --no-install-recommends python3-torch python3-numpy python3-onnx
    /usr/bin/python3 scripts/vit/train_vit.py --mnist DIR
DIR holds the four gzip IDX files of MNIST. One thread and a fixed seed: the same machine writes the same files again.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from vision_transformer import SIDE, VisionTransformer
from write_vit import onnx_file

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts/digits"))
from idx import read_idx  # noqa: E402

PICTURES = ROOT / "driver/models/digits/data/pictures-images-idx3-ubyte"
REQUIRED_ACCURACY = 0.97
BATCH, SHIFT = 100, 2


def read_pictures(path):
    """Pixels 0 to 255 as float32 [n, 1, 28, 28]."""
    shape, pixels = read_idx(path)
    return torch.from_numpy(np.frombuffer(pixels, np.uint8).reshape(shape).astype(np.float32)).unsqueeze(1)


def read_labels(path):
    return torch.from_numpy(np.frombuffer(read_idx(path)[1], np.uint8).astype(np.int64))


def shifted(pictures):
    """The batch, moved by up to two pixels in each direction, a different way for each batch."""
    down, right = torch.randint(0, 2 * SHIFT + 1, (2,)).tolist()
    return functional.pad(pictures, [SHIFT] * 4)[:, :, down : down + SIDE, right : right + SIDE]


def train(pictures, labels, epochs, seed):
    torch.manual_seed(seed)
    model = VisionTransformer()
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.02)
    steps = epochs * (len(pictures) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=steps)
    for epoch in range(epochs):
        start, total = time.monotonic(), 0.0
        for picked in torch.randperm(len(pictures)).split(BATCH):
            loss = functional.cross_entropy(model(shifted(pictures[picked])), labels[picked])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(picked)
        seconds = time.monotonic() - start
        print(f"epoch {epoch + 1}/{epochs}: loss {total / len(pictures):.4f}, {seconds:.0f} s", flush=True)
    return model.eval()


def scores(model, pictures):
    with torch.no_grad():
        return torch.cat([model(batch) for batch in pictures.split(500)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mnist", type=Path, required=True, help="folder of MNIST's four gzip IDX files")
    parser.add_argument("--out", type=Path, default=ROOT / "driver/models/vit", help="default: %(default)s")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)

    def part(name, what, read):
        return read(args.mnist / f"{name}-{what}-ubyte.gz")

    pictures, labels = part("train", "images-idx3", read_pictures), part("train", "labels-idx1", read_labels)
    model = train(pictures, labels, args.epochs, args.seed)
    test, answers = part("t10k", "images-idx3", read_pictures), part("t10k", "labels-idx1", read_labels)
    accuracy = (scores(model, test).argmax(1) == answers).float().mean().item()
    print(f"float: {100 * accuracy:.2f} % of {len(answers)}")
    if accuracy < REQUIRED_ACCURACY:
        sys.exit(f"accuracy {accuracy:.4f} is below {REQUIRED_ACCURACY}: nothing written")
    (args.out / "vit.onnx").write_bytes(onnx_file(model))
    np.save(args.out / "vit_scores.npy", scores(model, read_pictures(PICTURES)).numpy())


if __name__ == "__main__":
    main()
