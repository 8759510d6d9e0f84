# SPDX-License-Identifier: Apache-2.0
"""What a trial finds: each kind of result of a judge or a device that is not the host's. And what is made of a finding:
the transformations that it needs, and a small graph with its files."""
import pathlib
import sys
import tempfile
import unittest

import numpy as np

import generate
from drawn_graph import Graph, Node, Step, Tensor
from reproduce import bisect, reduce_to
from trial import Finding, Outcome, Trial


class OtherJudge:
    """A judge whose results are changed."""

    def __init__(self, judge, change):
        self.judge, self.change = judge, change

    def results(self, graph, values):
        return self.change(self.judge.results(graph, values))

    def step(self, graph, number, values):
        return self.judge.step(graph, number, values)


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


class TrialOfParts:
    """Finds something unless `parts` is left out."""

    def __init__(self):
        self.without = ()

    def run(self, graph):
        outcome = Outcome(transformations={"parts": 1, "tables": 1})
        if self.without != ("parts",):
            outcome.findings.append(Finding("model differs from host", "y"))
        return outcome


class Reproduction(unittest.TestCase):
    def test_transformations_that_a_finding_needs(self):
        trial = TrialOfParts()
        finding = trial.run(None).findings[0]
        self.assertEqual(bisect(trial, None, finding), "transformations that it needs: parts")
        self.assertEqual(trial.without, ())

    def test_a_reduced_graph_is_written_with_inputs_and_expected_results(self):
        with tempfile.TemporaryDirectory(prefix="systole-graphs-") as folder:
            trial = Trial(folder, "tiny")
            found = ((graph, choices) for graph, choices in (generate.of_seed(1, n, trial.dim) for n in range(200))
                     if graph is not None and graph.precision is None and "Neg" in graph.kinds())  # fmt: skip
            graph, choices = next(found)
            judge = trial.judges["onnx"]

            def wrong(results):
                return {
                    key: -array if array.dtype == np.float32 and array.size and array.all() else array
                    for key, array in results.items()
                }

            trial.judges["onnx"] = OtherJudge(judge, wrong)
            finding = next(f for f in trial.run(graph).findings if f.kind == "Neg differs from the judge")
            room = pathlib.Path(folder) / "reduced"
            text = reduce_to(room, trial, choices.record, finding)
            self.assertIn("Neg(", text)
            self.assertIn(f"systole run {room}/model.onnx --config tiny --device model --input {room}/in0.npy", text)
            feeds, expected = np.load(room / "in0.npy"), np.load(room / "expected0.npy")
            np.testing.assert_array_equal(expected, -feeds)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
