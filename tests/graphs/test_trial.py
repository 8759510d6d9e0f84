# SPDX-License-Identifier: Apache-2.0
"""What a trial finds: each kind of result of a judge or a device that is not the host's."""
import sys
import tempfile
import unittest

import numpy as np

from drawn_graph import Graph, Node, Step, Tensor
from trial import Trial


class OtherJudge:
    """A judge whose results are changed."""

    def __init__(self, judge, change):
        self.judge, self.change = judge, change

    def results(self, graph, values):
        return self.change(self.judge.results(graph, values))


def negation():
    graph = Graph()
    graph.tensors = {"x": Tensor("float32", (2, 3)), "y": Tensor("float32", (2, 3))}
    graph.feeds = {"x": np.arange(6, dtype=np.float32).reshape(2, 3)}
    graph.steps = [Step("Neg", [Node("Neg", ["x"], ["y"])])]
    return graph.finish()


class Trials(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="systole-graphs-")
        self.addCleanup(folder.cleanup)
        self.trial = Trial(folder.name, "tiny")

    def findings(self):
        return [(finding.kind, finding.text) for finding in self.trial.run(negation()).findings]

    def judged_otherwise(self, change):
        judge = self.trial.judges["onnx"]
        self.trial.judges["onnx"] = OtherJudge(judge, change)
        (found,) = self.findings()
        self.trial.judges["onnx"] = judge
        return found

    def test_what_is_right_has_none(self):
        self.assertEqual(self.findings(), [])

    def test_another_judgement(self):
        differs = "Neg differs from the judge"
        for change, text in (
            (lambda array: array + np.float32(1), "y float32 (2, 3): 6 of 6 differ"),
            (lambda array: array.astype(np.float64), "y: float32[2, 3], the judge's float64[2, 3]"),
            (lambda array: array.reshape(3, 2), "y: float32[2, 3], the judge's float32[3, 2]"),
        ):
            kind, told = self.judged_otherwise(lambda found: {key: change(array) for key, array in found.items()})
            self.assertEqual(kind, differs)
            self.assertIn(text, told)

    def test_a_step_without_a_judgement(self):
        kind, told = self.judged_otherwise(lambda found: {})
        self.assertEqual((kind, told), ("Neg is not judged", "no judge takes it for float32[2, 3]"))

    def test_another_result_of_the_device(self):
        run = self.trial._run
        for change, text in (
            (lambda array: array + np.float32(1), "6 of 6 differ"),
            (lambda array: array.astype(np.float64), "y: float64[2, 3], the host's float32[2, 3]"),
        ):

            def changed(network, graph, names):
                results = run(network, graph, names)
                of_device = any(layer["on_device"] for layer in network.statistics.get("layers", []))
                return {name: change(array) for name, array in results.items()} if of_device else results

            self.trial._run = changed
            ((kind, told),) = self.findings()
            self.assertEqual(kind, "model differs from host")
            self.assertIn(text, told)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
