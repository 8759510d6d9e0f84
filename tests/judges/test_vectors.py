# SPDX-License-Identifier: Apache-2.0
"""Recorded networks of one operator each, KIND.zip in a folder: LiteRT's reference kernels, TensorFlow Lite for
Microcontrollers and Systole all compute the outputs that are recorded there.

  tests/judges/run test_vectors.py FOLDER [--only KIND]
"""

import argparse
import io
import sys
import zipfile
from pathlib import Path

import numpy as np

from interpreters import JUDGES, Ours
from judgement import complaints

SKIPPED = 77
TYPES = {"_16": " int16", "_float": " float32"}


def name_of(kind):
    """The name in operator_kinds.py: ADD_16 is "ADD int16"."""
    for suffix, dtype in TYPES.items():
        if kind.endswith(suffix) and not kind.startswith(("QUANTIZE", "DEQUANTIZE")):
            return kind.removesuffix(suffix) + dtype
    return kind if kind.startswith(("QUANTIZE", "DEQUANTIZE")) else kind + " int8"


def cases(archive):
    """Number, file, inputs and outputs of each network of an archive."""
    with zipfile.ZipFile(archive) as files:
        names = set(files.namelist())
        for model in sorted(name for name in names if name.endswith("/model.tflite")):
            folder = model.removesuffix("model.tflite")

            def arrays(stem):
                found = []
                while f"{folder}{stem}{len(found)}.npy" in names:
                    found.append(np.load(io.BytesIO(files.read(f"{folder}{stem}{len(found)}.npy"))))
                return found

            yield folder.rstrip("/"), files.read(model), arrays("in"), arrays("out")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    archives = sorted(path for path in arguments.folder.glob("*.zip") if arguments.only in path.stem)
    if not archives:
        print(f"skipped: {arguments.folder} has no recorded cases; -DSYSTOLE_SHARED=FOLDER")
        return SKIPPED
    judges = JUDGES | {"Systole": Ours()}
    total = wrong = 0
    for archive in archives:
        for number, model, inputs, outputs in cases(archive):
            total += 1
            for complaint in complaints(name_of(archive.stem), outputs, judges, model, inputs):
                wrong += 1
                print(f"{archive.stem} {number}: the recorded values are {complaint}")
    print(f"{total} networks, {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
