# SPDX-License-Identifier: Apache-2.0
"""The formulas that stand for ONNX Runtime where it computes with a large error: what they give, and for what."""
import math
import sys
import unittest

import numpy as np

import formulas
from drawn_graph import Graph, Node, Step, Tensor

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

    def test_sums_of_integers_wrap_around(self):
        x = np.full((2, 3), 2**30, np.int32)
        (found,) = formulas.total(Node("ReduceSum", ["x"], ["y"]), x, np.array([-1]))
        np.testing.assert_array_equal(found, np.full((2, 1), 3 * 2**30 - 2**32, np.int32))


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
