# SPDX-License-Identifier: Apache-2.0
"""The result that each step of a TensorFlow Lite graph has to give, by LiteRT's reference kernels."""

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from tflite_micro.python.tflite_micro import runtime

import tflite_softmax
from tflite_file import write_apart

ARENA_BYTES = 1 << 21  # of the interpreter for microcontrollers


class TfliteJudge:
    def _run(self, graph, steps, values):
        model, feeds, outputs = write_apart(graph, steps, values)
        interpreter = Interpreter(model_content=model, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
        interpreter.allocate_tensors()
        for detail, value in zip(interpreter.get_input_details(), feeds, strict=True):
            interpreter.set_tensor(detail["index"], value)
        interpreter.invoke()
        found = [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]
        return dict(zip(outputs, found, strict=True))

    def results(self, graph, values, steps=None):
        """(step, tensor) -> array, for the results of all steps except those that LiteRT refuses."""
        steps = list(enumerate(graph.steps)) if steps is None else steps
        long = [entry for entry in steps if self._has_long_rows(graph, entry[1], values)]
        if long:
            found = {}
            for number, step in long:
                found.update(self._softmax(graph, number, step, values))
            rest = [entry for entry in steps if entry not in long]
            return {**found, **self.results(graph, values, rest)} if rest else found
        try:
            return self._run(graph, steps, values)
        except (RuntimeError, ValueError):
            if len(steps) == 1:
                return {}
        found = {}
        for step in steps:
            found.update(self.results(graph, values, [step]))
        return found

    @staticmethod
    def _operand(graph, step, values):
        return np.asarray(values.get(step.inputs[0], graph.constants.get(step.inputs[0])))

    def _has_long_rows(self, graph, step, values):
        if not tflite_softmax.is_of_bytes(graph, step):
            return False
        return not tflite_softmax.judged_rows(graph, step, self._operand(graph, step, values)).all()

    def _softmax(self, graph, number, step, values):
        """The rows that the reference kernel does not take are judged by real numbers."""
        x = self._operand(graph, step, values)
        result = tflite_softmax.shares(graph, step, x)
        judged = tflite_softmax.judged_rows(graph, step, x)
        if judged.any():
            part = tflite_softmax.of_rows(graph, step, int(judged.sum()))
            rows = {step.inputs[0]: x.reshape(result.shape)[judged]}
            result[judged] = self._run(part, [(number, step)], rows)[number, step.outputs[0]]
        return {(number, step.outputs[0]): result.reshape(x.shape)}

    def step(self, graph, number, values):
        """The results of one step, by name."""
        found = self.results(graph, values, [(number, graph.steps[number])])
        return {name: array for (_, name), array in found.items()}

    def second(self, graph, number, values):
        """The results of one step by the kernels for microcontrollers, by name."""
        model, feeds, outputs = write_apart(graph, [(number, graph.steps[number])], values)
        interpreter = runtime.Interpreter.from_bytes(model, arena_size=ARENA_BYTES)
        for i, value in enumerate(feeds):
            interpreter.set_input(value, i)
        interpreter.invoke()
        return {name: interpreter.get_output(i) for i, (_, name) in enumerate(outputs)}
