# SPDX-License-Identifier: Apache-2.0
"""The formulas that stand for ONNX Runtime where it computes with a large error: what they give, and for what."""
import math
import sys
import unittest

import numpy as np

import formulas
from drawn_graph import Graph, Node, Step, Tensor
from onnx_file import write_apart
from onnx_judge import OPSET, session

F = np.float32


def graph_of(kind, source, target):
    """A step of one operator with one operand."""
    graph = Graph()
    graph.tensors = {"x": Tensor(source, (3,)), "y": Tensor(target, (3,))}
    step = Step(kind, [Node(kind, ["x"], ["y"])])
    return graph, step


def one_after_the_other(x):
    total = F(0)
    for term in x:
        total = F(total + term)
    return total


class Formulas(unittest.TestCase):
    def test_float64_is_rounded_to_float16_once(self):
        # These become half-way between two numbers of float16 if they are rounded to float32 before.
        x = np.array([-2.6865234078171167, 2.1962890757860913])
        (right,) = formulas.to_float16(None, x)
        np.testing.assert_array_equal(right.astype(np.float64), np.array([-1375, 1125]) / 512)
        self.assertTrue((right != x.astype(F).astype(np.float16)).all())

    def test_only_casts_from_float64_to_float16_have_a_formula(self):
        self.assertTrue(formulas.apply_to(*graph_of("Cast", "float64", "float16")))
        for types in (("float32", "float16"), ("float64", "float32"), ("float16", "float64"), ("float64", "int8")):
            self.assertFalse(formulas.apply_to(*graph_of("Cast", *types)), types)
        self.assertFalse(formulas.apply_to(*graph_of("Exp", "float32", "float32")))

    def test_sums_of_floats_have_the_error_of_one_rounding(self):
        x = np.full(4096, 2.1373291, F)
        right = math.fsum(x)
        self.assertGreater(abs(float(one_after_the_other(x)) - right), 16 * np.spacing(F(right)))
        node = Node("ReduceSum", ["x"], ["y"], {"keepdims": 0})
        self.assertEqual(formulas.total(node, x)[0], F(right))
        self.assertEqual(formulas.sum_of_magnitudes(node, -x)[0], F(right))
        self.assertEqual(formulas.mean(node, x)[0], F(right / x.size))
        self.assertEqual(formulas.mean_of_image(node, x.reshape(1, 1, 64, 64))[0], F(right / x.size))

    def test_a_logarithm_of_exponentials_of_nan_is_nan(self):
        x = np.array([[1, 2], [F("inf"), 2], [F("nan"), F("inf")], [-F("inf"), -F("inf")], [1000, 0]], F)
        node = Node("ReduceLogSumExp", ["x"], ["y"], {"keepdims": 0})
        with np.errstate(all="ignore"):
            (found,) = formulas.log_of_sum_of_exponentials(node, x, np.array([1]))
        np.testing.assert_array_equal(found, np.array([2.3132617, F("inf"), F("nan"), -F("inf"), 1000], F))

    def test_sums_of_integers_wrap_around(self):
        x = np.full((2, 3), 2**30, np.int32)
        (found,) = formulas.total(Node("ReduceSum", ["x"], ["y"]), x, np.array([-1]))
        np.testing.assert_array_equal(found, np.full((2, 1), 3 * 2**30 - 2**32, np.int32))

    def recurrence(self, kind, direction, factor):
        """The formula's results and ONNX Runtime's, of numbers that are `factor` times as large as usual."""
        gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[kind]
        directions = 2 if direction == "bidirectional" else 1
        steps, batch, width, hidden = 5, 2, 7, 9
        random = np.random.default_rng(1)
        shapes = [(steps, batch, width), (directions, gates * hidden, width), (directions, gates * hidden, hidden),
                  (directions, 2 * gates * hidden), None, (directions, batch, hidden)]  # fmt: skip
        shapes += [(directions, batch, hidden)] if kind == "LSTM" else []
        names = ["x", "w", "r", "b", "", "h", "c"][: len(shapes)]
        arrays = [None if shape is None else random.normal(size=shape).astype(F) for shape in shapes]
        if kind == "LSTM":
            arrays[6] *= F(factor)
        attributes = {"hidden_size": hidden, "direction": direction}
        attributes.update({"linear_before_reset": 1} if kind == "GRU" else {})
        results = ["y", "last", "cell"][: 3 if kind == "LSTM" else 2]
        node = Node(kind, names, results, attributes)
        graph = Graph()
        values = {name: array for name, array in zip(names, arrays) if name}
        graph.tensors = {name: Tensor("float32", array.shape) for name, array in values.items()}
        state = (directions, batch, hidden)
        graph.tensors.update({name: Tensor("float32", state) for name in results})
        graph.tensors["y"] = Tensor("float32", (steps, *state))
        step = Step(kind, [node])
        graph.steps = [step]
        self.assertTrue(formulas.apply_to(graph, step))
        model, feeds, outputs = write_apart(graph, [(0, step)], values, OPSET)
        runtime = dict(zip([name for _, name in outputs], session(model).run(None, feeds)))
        return formulas.results(graph, step, values), runtime

    def test_recurrences_are_those_of_onnx_runtime_where_states_are_small(self):
        for kind in ("LSTM", "GRU", "RNN"):
            for direction in ("forward", "reverse", "bidirectional"):
                found, runtime = self.recurrence(kind, direction, 1)
                for name, array in runtime.items():
                    np.testing.assert_allclose(found[name], array, rtol=1e-5, atol=1e-6, err_msg=f"{kind} {direction}")

    def test_large_cell_states_are_not_those_of_onnx_runtime(self):
        found, runtime = self.recurrence("LSTM", "forward", 1e10)
        self.assertGreater(np.abs(found["cell"] / runtime["cell"] - 1).max(), 1e-5)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
