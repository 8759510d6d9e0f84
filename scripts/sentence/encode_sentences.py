#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The exported sentence encoder on the device: the cosine of each sentence to float32's, host operators, cycles.

  scripts/sentence/encode_sentences.py FOLDER                       50 sentences on the functional model
  scripts/sentence/encode_sentences.py FOLDER --device rtl --count 1     one on the RTL, bit for bit as the host
  scripts/sentence/encode_sentences.py FOLDER --int8                quantized with the calibration sentences instead

FOLDER is what scripts/sentence/make has written. Exit code 1 when a cosine is below --least, an operator ran on the
host, or the first sentence differs from the host's; 77 when FOLDER has no encoder."""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SKIPPED = 77


def cosines(found, wanted):
    """Of each row to that of `wanted`."""
    found, wanted = (vectors.reshape(len(wanted), -1).astype(np.float64) for vectors in (found, wanted))
    return (found * wanted).sum(1) / np.linalg.norm(found, axis=1) / np.linalg.norm(wanted, axis=1)


def inputs(folder, name, option):
    return [word for what in ("words", "mask") for word in (option, folder / f"{name}_{what}.npy")]


def encoded(args, folder):
    """The sentences' vectors, and the report of the run."""
    compiled, vectors, report = folder / "encoder.systole", folder / "vectors.npy", folder / "run.json"
    encoder = args.folder / "encoder.onnx"
    if args.int8:
        make = ["quantize", encoder, *inputs(args.folder, "calibration", "--calibrate"), "-o", compiled]
    else:
        make = ["compile", encoder, "--precision", "mx", "-o", compiled]
    run = ["run", compiled, *inputs(args.folder, "sentences", "--input"), "--count", args.count]
    run += ["--device", args.device, "--output", vectors, "--json", report]
    for words in (make, run):
        done = subprocess.run([str(args.systole), *map(str, words)], stdout=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"systole {' '.join(map(str, words))}\n{done.stdout}\nexit code {done.returncode}")
    return np.load(vectors), json.loads(report.read_text())


def complaints(args, values, report):
    """What is not as it should be, in words."""
    if report["operators"]["host"]:
        yield f"{report['operators']['host']} operators on the host: {report['host_operators']}"
    if report["bit_exact"] is not True:
        yield "not compared with the host, or different"
    low = np.flatnonzero(values < args.least)
    if len(low):
        texts = (HERE / "sentences.txt").read_text().splitlines()
        yield from (f"{values[i]:.4f} is below {args.least}: {texts[i]}" for i in low)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--systole", type=Path, default=ROOT / "build/release/bin/systole", metavar="PROGRAM")
    parser.add_argument("--device", choices=["model", "rtl"], default="model")
    parser.add_argument("--count", type=int, default=50, metavar="N", help="the first sentences alone (50)")
    parser.add_argument("--int8", action="store_true", help="calibrated int8 instead of block floating point")
    parser.add_argument("--least", type=float, default=0.99, metavar="COSINE", help="that is good enough (0.99)")
    args = parser.parse_args()
    if not (args.folder / "encoder.onnx").exists():
        print(f"skipped: {args.folder} has no encoder.onnx; scripts/sentence/make {args.folder} writes it")
        return SKIPPED
    wanted = np.load(args.folder / "sentences_vectors.npy")[: args.count]
    with tempfile.TemporaryDirectory() as folder:
        vectors, report = encoded(args, Path(folder))
    values = cosines(vectors, wanted)
    print(f"cosine      least {values.min():.4f}, mean {values.mean():.4f} of {len(values)} sentences")
    print(f"operators   {report['operators']['device']} on {args.device}, {report['operators']['host']} on the host")
    print(f"result      bit-exact to the host: {report['bit_exact']}, of the first sentence")
    if args.device == "rtl":
        each = report["cycles"] // report["samples"]
        print(f"cycles      {each:,} a sentence, utilization {100 * report['utilization']:.1f} %")
    wrong = list(complaints(args, values, report))
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
