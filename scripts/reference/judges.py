# SPDX-License-Identifier: Apache-2.0
"""The reference interpreters, which share no code with this project."""

import numpy as np
import onnxruntime
from ai_edge_litert.interpreter import Interpreter, OpResolverType


def tflite_outputs(model, inputs):
    """TensorFlow Lite's reference kernels: for each output, one array over the samples. `inputs`: one array per input,
    samples first. A sample does not see the state of the one before."""
    interpreter = Interpreter(model_content=model, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    results = []
    for sample in zip(*inputs):
        interpreter.reset_all_variables()
        for detail, value in zip(interpreter.get_input_details(), sample):
            interpreter.set_tensor(detail["index"], value.reshape(detail["shape"]))
        interpreter.invoke()
        results.append([interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()])
    return [np.stack(outputs) for outputs in zip(*results)]


def onnx_outputs(model, inputs):
    """ONNX Runtime, on one thread, without optimizations: with them it computes other values than the operators of the
    file."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_inputs()]
    results = [session.run(None, dict(zip(names, sample))) for sample in zip(*inputs)]
    return [np.stack(outputs) for outputs in zip(*results)]
