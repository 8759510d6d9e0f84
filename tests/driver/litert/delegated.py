# SPDX-License-Identifier: Apache-2.0
"""A network in LiteRT's interpreter with its reference kernels, alone or with the delegate."""
import json
import os
import tempfile

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType, load_delegate

import systole


def interpreter_of(model, delegate=None):
    """`model`: the bytes of a .tflite file. Its tensors are allocated."""
    interpreter = Interpreter(
        model_content=model,
        experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
        experimental_delegates=[delegate] if delegate else [],
    )
    interpreter.allocate_tensors()
    return interpreter


def outputs_of(interpreter, inputs):
    """For each output an array over the samples; `inputs` has one array per input, whose first axis is the sample."""
    results = []
    for sample in zip(*inputs):
        for detail, value in zip(interpreter.get_input_details(), sample):
            interpreter.set_tensor(detail["index"], value.reshape(detail["shape"]))
        interpreter.invoke()
        results.append([interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()])
    return [np.stack(outputs) for outputs in zip(*results)]


class Delegated:
    """An interpreter with a delegate of its own, and what the delegate reports."""

    def __init__(self, model, **options):
        handle, self.path = tempfile.mkstemp(prefix="systole-litert-", suffix=".json")
        os.close(handle)
        delegate = load_delegate(systole.litert_delegate_path(), {"report": self.path, **options})
        self.interpreter = interpreter_of(model, delegate)

    def __del__(self):
        os.remove(self.path)

    def outputs(self, inputs):
        return outputs_of(self.interpreter, inputs)

    @property
    def report(self):
        with open(self.path) as file:
            return json.load(file)

    def left(self):
        """The nodes that LiteRT keeps, with the reasons."""
        return [node for node in self.report["nodes"] if node["runs_on"] != "systole"]
