# SPDX-License-Identifier: Apache-2.0
"""The result that each step of a graph has to give, by ONNX Runtime, or, where it has no kernel, by the evaluator of
the onnx package and by formulas in NumPy. None of them shares code with this project.

A step is judged by itself, on the values that the host computed for the steps before it, so that an error has the size
of one operator's rounding, whatever depends on it: a comparison behind a sum needs no tolerance.
"""

import numpy as np
import onnx
import onnx.reference
import onnxruntime

import formulas
from onnx_file import write_apart

# What ONNX Runtime raises for an operator without a kernel for the types.
NO_KERNEL = (
    onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented,
    onnxruntime.capi.onnxruntime_pybind11_state.InvalidGraph,
)
OPSET = 21  # the operators of later sets that are generated are judged by formulas


def session(model):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    # With optimizations it computes other values than the operators of the file.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


class OnnxJudge:
    """Remembers for which steps ONNX Runtime has no kernel."""

    def __init__(self):
        self._without_kernel = set()

    @staticmethod
    def _signature(graph, step):
        parts = []
        for node in step.nodes:
            types = [graph.tensors[name].dtype if name else "" for name in [*node.inputs, *node.outputs]]
            parts.append((node.kind, node.domain, *types))
        return tuple(parts)

    def _runs(self, graph, step):
        return self._signature(graph, step) not in self._without_kernel

    def _by_runtime(self, graph, steps, values):
        model, feeds, outputs = write_apart(graph, steps, values, OPSET)
        runtime = session(model)
        with np.errstate(all="ignore"):
            return dict(zip(outputs, runtime.run(None, feeds)))

    def _by_evaluator(self, graph, number, step, values):
        if formulas.apply_to(graph, step) or formulas.replace_evaluator(step):
            found = formulas.results(graph, step, values)
            return {(number, name): array for name, array in found.items()}
        model, feeds, outputs = write_apart(graph, [(number, step)], values, OPSET)
        evaluator = onnx.reference.ReferenceEvaluator(onnx.load_from_string(model))
        with np.errstate(all="ignore"):
            return dict(zip(outputs, evaluator.run(None, feeds)))

    def step(self, graph, number, values):
        """The results of one step, by name."""
        step = graph.steps[number]
        return {name: array for (_, name), array in self.results(graph, values, [(number, step)]).items()}

    def results(self, graph, values, steps=None):
        """(step, tensor) -> array, for the results of all steps."""
        steps = list(enumerate(graph.steps)) if steps is None else steps
        known = [(i, s) for i, s in steps if not formulas.apply_to(graph, s) and self._runs(graph, s)]
        found = {}
        if known:
            try:
                found = self._by_runtime(graph, known, values)
            except NO_KERNEL:
                known = self._sorted_out(graph, known)
                found = self._by_runtime(graph, known, values) if known else {}
        done = {number for number, _ in found}
        for number, step in steps:
            if number not in done:
                found.update(self._by_evaluator(graph, number, step, values))
        return found

    def _sorted_out(self, graph, steps):
        """The steps for which there are kernels; remembers the others."""
        kept = []
        for number, step in steps:
            zeros = {name: np.zeros(graph.tensors[name].shape, graph.tensors[name].dtype) for name in step.inputs}
            model, _, _ = write_apart(graph, [(number, step)], zeros, OPSET)
            try:
                session(model)
                kept.append((number, step))
            except NO_KERNEL:
                self._without_kernel.add(self._signature(graph, step))
        return kept
