# SPDX-License-Identifier: Apache-2.0
"""The four networks of MLPerf Tiny by the delegate: it takes every node, as one part, and every output is that of
LiteRT's reference kernels.

  tests/judges/run ../driver/litert/test_litert_networks.py FOLDER [--samples N] [--only NAME] [--device rtl]

FOLDER has mlperf_tiny_NAME/model.tflite and inputs.npy for each. Exit code 77 where it has none.
"""
import argparse
import sys
from pathlib import Path

import numpy as np

from delegated import Delegated, interpreter_of, outputs_of

NAMES = ("resnet8", "vww", "kws", "ad")


def complaints(seen, expected, delegated):
    """What is not as it should be; `seen` and `expected` are lists of outputs."""
    found = [
        f"output {index}: {np.count_nonzero(a != b)} of {b.size} values differ"
        for index, (a, b) in enumerate(zip(seen, expected))
        if a.dtype != b.dtype or a.shape != b.shape or (a != b).any()
    ]
    report = delegated.report
    found += [f"left to LiteRT: {node['type']}, {node['reason']}" for node in delegated.left()]
    if len(report["partitions"]) != 1 or len(report["partitions"][0]["nodes"]) != len(report["nodes"]):
        found.append(f"{len(report['partitions'])} partitions of {len(report['nodes'])} nodes")
    if report["device"] == "rtl" and not report["partitions"][0]["cycles"]:
        found.append("no cycles are reported")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--samples", type=int, default=2)
    parser.add_argument("--only", default="", choices=("", *NAMES))
    parser.add_argument("--device", default="model")
    arguments = parser.parse_args()
    failed = 0
    for name in [name for name in NAMES if arguments.only in ("", name)]:
        folder = arguments.folder / f"mlperf_tiny_{name}"
        if not (folder / "model.tflite").exists():
            print(f"skipped: {folder}/model.tflite is not there")
            return 77
        model = (folder / "model.tflite").read_bytes()
        inputs = [np.load(folder / "inputs.npy")[: arguments.samples]]
        expected = outputs_of(interpreter_of(model), inputs)
        delegated = Delegated(model, device=arguments.device)
        seen = delegated.outputs(inputs)
        found = complaints(seen, expected, delegated)
        wrong = [seen[0] ^ np.int8(1), *seen[1:]]
        if not complaints(wrong, expected, delegated):
            found.append("another output would not be found")
        (part,) = delegated.report["partitions"]
        print(f"{name}: {len(part['nodes'])} nodes, {expected[0].size} values, {part['cycles']:,} cycles", *found)
        failed += bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
