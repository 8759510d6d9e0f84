# SPDX-License-Identifier: Apache-2.0
"""Interpreters of .tflite files: each function takes a file and one array per input, samples first, and returns one
array per output."""

import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import systole
from tflite_micro import runtime

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/reference"))
from judges import tflite_outputs

ARENA_BYTES = 1 << 20


def micro_outputs(model, inputs):
    """TensorFlow Lite for Microcontrollers. A sample does not see the state of the one before."""
    graph = runtime.convert_bytearray_to_object(bytearray(model)).subgraphs[0]
    results = []
    for sample in zip(*inputs):
        interpreter = runtime.Interpreter.from_bytes(model, arena_size=ARENA_BYTES)
        for index, value in enumerate(sample):
            interpreter.set_input(value.reshape(interpreter.get_input_details(index)["shape"]), index)
        interpreter.invoke()
        results.append([interpreter.get_output(index) for index in range(len(graph.outputs))])
    return [np.stack(outputs) for outputs in zip(*results)]


class Ours:
    """Systole, on the functional model."""

    def __init__(self):
        self.device = systole.Device("default", "model")
        self.folder = tempfile.TemporaryDirectory(prefix="systole-judges-")

    def __call__(self, model, inputs):
        path = os.path.join(self.folder.name, "model.tflite")
        Path(path).write_bytes(model)
        network = self.device.load(path)
        results = []
        for sample in zip(*inputs):
            outputs = network.run(*[value.reshape(info.shape) for value, info in zip(sample, network.inputs)])
            results.append(outputs if isinstance(outputs, (list, tuple)) else [outputs])
        return [np.stack(outputs) for outputs in zip(*results)]


JUDGES = {"LiteRT": tflite_outputs, "TFLM": micro_outputs}
