# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX's tests of operators, which the package onnx computes, in the form of its own test data: NAME/model.onnx
and NAME/test_data_set_0 with input_N.pb and output_N.pb. Values that are no tensors are left out. Does nothing when
that was done since the package was installed.

  tests/judges/run write_node_tests.py FOLDER
"""

import shutil
import sys
import warnings
from pathlib import Path

import numpy as np
from onnx import TensorProto, numpy_helper
from onnx.backend.test.case.node import collect_testcases

INSTALLED = Path(__file__).resolve().parents[2] / "build/judges/installed"


def write_values(folder, stem, values, infos):
    for number, (value, info) in enumerate(zip(values, infos)):
        if not info.type.HasField("tensor_type"):
            continue
        tensor = value if isinstance(value, TensorProto) else numpy_helper.from_array(np.asarray(value), info.name)
        (folder / f"{stem}_{number}.pb").write_bytes(tensor.SerializeToString())


def write(case, folder):
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    inputs, outputs = case.data_sets[0]
    write_values(data, "input", inputs, case.model.graph.input)
    write_values(data, "output", outputs, case.model.graph.output)


def main(target):
    done = target / "written"
    if done.exists() and done.stat().st_mtime >= INSTALLED.stat().st_mtime:
        return
    shutil.rmtree(target, ignore_errors=True)
    warnings.simplefilter("ignore")  # the package computes with infinities
    cases = collect_testcases(None)
    for case in cases:
        write(case, target / case.name)
    done.touch()
    print(f"{len(cases)} tests in {target}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
