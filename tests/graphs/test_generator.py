# SPDX-License-Identifier: Apache-2.0
"""The generator: its graphs are valid files within the limits, repeat by number, and reduce."""
import sys
import unittest

import onnx

import generate
import onnx_file
from choices import Choices
from draft import MAX_ELEMENTS, MAX_MULTIPLICATIONS
from reduce import reduce

SEED, GRAPHS = 5, 300


class Generator(unittest.TestCase):
    def test_files_are_valid_and_shapes_are_what_onnx_infers(self):
        for number in range(GRAPHS):
            graph, _ = generate.of_seed(SEED, number, 16)
            if graph is None or graph.format != "onnx":
                continue
            if any(node.kind == "BitShift" for step in graph.steps for node in step.nodes) and graph.opset >= 28:
                continue  # the checker of the package knows no shift of signed integers
            with self.subTest(number=number):
                model = onnx.load_from_string(onnx_file.write(graph))
                onnx.checker.check_model(model, full_check=True)

    def test_limits(self):
        for number in range(GRAPHS):
            graph, _ = generate.of_seed(SEED, number, 16)
            if graph is None:
                continue
            for tensor in graph.tensors.values():
                self.assertLessEqual(tensor.count, MAX_ELEMENTS)
                self.assertLessEqual(len(tensor.shape), 6)
            self.assertLessEqual(graph.multiplications, MAX_MULTIPLICATIONS)

    def test_a_graph_repeats_by_its_number_and_by_its_decisions(self):
        for number in range(60):
            graph, choices = generate.of_seed(SEED, number, 4)
            again, _ = generate.of_seed(SEED, number, 4)
            if graph is None or graph.format != "onnx":
                continue
            replayed = generate.generate(Choices(replay=choices.record), 4)
            self.assertEqual(onnx_file.write(graph), onnx_file.write(again))
            self.assertEqual(onnx_file.write(graph), onnx_file.write(replayed))

    def test_a_failing_graph_is_reduced(self):
        def fails(graph):
            return "Slice" in graph.kinds()

        for number in range(200):
            graph, choices = generate.of_seed(SEED, number, 16)
            if graph is not None and fails(graph) and len(graph.steps) > 3:
                record, smallest = reduce(choices.record, 16, fails)
                self.assertEqual(smallest.kinds(), ["Slice"])
                self.assertLess(len(record), len(choices.record))
                return
        self.fail("no graph with a Slice and more than three steps")

    def test_every_theme_and_operator_occurs(self):
        kinds, themes = set(), set()
        for number in range(3000):
            graph, _ = generate.of_seed(SEED, number, 16)
            if graph is not None:
                kinds.update(graph.kinds())
                themes.add(graph.theme)
        self.assertEqual(themes, set(generate.THEMES))
        self.assertGreater(len(kinds), 120)


if __name__ == "__main__":
    print(f"seed {SEED}")
    sys.exit(unittest.main(verbosity=2))
