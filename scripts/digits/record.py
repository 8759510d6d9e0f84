# SPDX-License-Identifier: Apache-2.0
"""Writes digits.json and digits.bin, including the network's answers for the pictures."""

import json
import re
from pathlib import Path

import network
from evaluate import classify
from idx import read_idx


def _as_text(net):
    """JSON, one field a line, lists of numbers on one line."""
    text = json.dumps(net, indent=2)
    return re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m[1]) + "]", text) + "\n"


def classify_pictures(net, data_dir):
    """(labels, answers) of the pictures in data_dir."""
    shape, pixels = read_idx(Path(data_dir) / network.PICTURES_NAME)
    _, labels = read_idx(Path(data_dir) / network.LABELS_NAME)
    size = shape[1] * shape[2]
    return list(labels), [classify(net, pixels[i * size : (i + 1) * size]) for i in range(shape[0])]


def write_network(net, data_dir):
    """net: a description whose layers hold their blob sections as lists. Writes both files into data_dir."""
    data_dir = Path(data_dir)
    blob = network.pack_blob(net["layers"])
    labels, answers = classify_pictures(net, data_dir)
    (data_dir / network.BLOB_NAME).write_bytes(blob)
    sections = {name for name, _, _ in network.SECTIONS}
    description = dict(net)
    description["layers"] = [{k: v for k, v in layer.items() if k not in sections} for layer in net["layers"]]
    description["blob"] = network.BLOB_NAME
    description["blob_bytes"] = len(blob)
    description["expected_pictures"] = answers
    files = (network.BLOB_NAME, network.PICTURES_NAME, network.LABELS_NAME)
    description["sha256"] = {name: network.sha256(data_dir / name) for name in files}
    (data_dir / network.JSON_NAME).write_text(_as_text(description), encoding="utf-8")
    right = sum(a == b for a, b in zip(labels, answers))
    print(f"{data_dir}: {len(blob)} bytes of parameters; {right} of {len(labels)} pictures recognized: {answers}")
