# SPDX-License-Identifier: Apache-2.0
"""The list of accepted differences: each class applies where its reason does, and only there."""
import sys
import unittest

import numpy as np

from differences import CLASSES, Case, classify
from drawn_graph import Graph, Node, Step, Tensor
from unrounded import near_tie

F = np.float32
NAN, INF = np.float32("nan"), np.float32("inf")
TINY = np.finfo(F).tiny


def case(kind, inputs, host, judged, again=None, second=None, near=None, precision=None, **attributes):
    """A step of one operator with these operands, and the results of host and judge."""
    graph = Graph()
    graph.precision = precision
    values = {f"x{i}": np.asarray(value) for i, value in enumerate(inputs)}
    for name, value in values.items():
        graph.tensors[name] = Tensor(value.dtype.name, value.shape)
    step = Step(kind, [Node(kind, list(values), ["y"], attributes)])
    host, judged = np.asarray(host), np.asarray(judged)
    return Case(graph, step, values, host, judged, lambda changed: again(changed), lambda: second, lambda: near)


def f(*numbers):
    return np.array(numbers, F)


class Differences(unittest.TestCase):
    seen = set()

    def accepted(self, name, *arguments, **options):
        names, _ = classify(case(*arguments, **options))
        self.assertEqual(names, [name])
        Differences.seen.add(name)

    def refused(self, *arguments, **options):
        names, left = classify(case(*arguments, **options))
        self.assertIsNone(names)
        self.assertTrue(left.any())

    def test_nan(self):
        other = np.array([0xFFC00001], np.uint32).view(F)
        self.accepted("nan", "Add", [f(1), f(2)], f(NAN), other)
        self.refused("Slice", [f(1)], f(NAN), other)  # a move keeps the bits
        self.refused("Add", [f(1), f(2)], f(NAN), f(3))

    def test_rounding(self):
        self.accepted("rounding", "Exp", [f(1)], f(2.7182817), f(2.7182822))
        self.refused("Exp", [f(1)], f(2.7182817), f(2.71829))
        self.refused("Add", [f(1), f(2)], f(3), f(3.0000002))  # one rounding, which is exact
        x, w = np.ones((2, 8), F), np.ones((8, 1), F)
        self.accepted("rounding", "MatMul", [x, w], f(8, 8).reshape(2, 1), f(8, 8.000001).reshape(2, 1))
        self.refused("MatMul", [x, w], f(8, 8).reshape(2, 1), f(8, 8.001).reshape(2, 1))
        self.accepted("rounding", "MatMul", [x, w], f(8).reshape(1, 1), f(8.01).reshape(1, 1), precision="mx")
        self.refused("MatMul", [x, w], f(8).reshape(1, 1), f(9).reshape(1, 1), precision="mx")

    def test_sums_of_squares_beside_blocks_are_no_products(self):
        x = np.full((1, 5, 1, 1), 16, F)
        right = x / (1 + F(0.1) * 256 * np.array([3, 4, 5, 4, 3], F).reshape(x.shape))
        for factor, accepted in ((1 + 1e-5, True), (1 + 2.0**-7, False)):
            arguments = ("LRN", [x], right * F(factor), right)
            options = {"precision": "mx", "size": 5, "alpha": 0.5, "beta": 1.0, "bias": 1.0}
            self.accepted("rounding", *arguments, **options) if accepted else self.refused(*arguments, **options)

    def test_rounding_of_means(self):
        x = np.ones(4096, F)
        self.accepted("rounding", "ReduceMean", [x], f(1.000001).reshape(()), f(1).reshape(()))
        self.refused("ReduceMean", [x], f(1.0001).reshape(()), f(1).reshape(()))

    def test_order_of_nan(self):
        self.accepted("order of NaN", "ArgMax", [f(1, NAN)], np.array([0]), np.array([1]))
        self.refused("ArgMax", [f(1, 2)], np.array([0]), np.array([1]))
        self.refused("Add", [f(1, NAN), f(1, 1)], f(2, 1), f(2, 2))
        for x, host in (([f(1, NAN), f(2)], f(1, NAN)), ([f(1, NAN), f(2, 2), f(0)], f(1, NAN))):
            self.refused("Max" if len(x) == 2 else "Clip", x, host, f(2, NAN))

    def test_order_of_nan_in_rows(self):
        rows = f(1, NAN, 1, 2).reshape(2, 2)
        with_nan, without = (f(NAN, 2), f(1, 2)), (f(1, 1), f(1, 2))
        for keep in ((2,), (2, 1)):
            self.accepted("order of NaN", "ReduceMax", [rows, np.array([-1])], *(a.reshape(keep) for a in with_nan))
            self.refused("ReduceMax", [rows, np.array([-1])], *(a.reshape(keep) for a in without))
        self.accepted("order of NaN", "ReduceMin", [rows], f(NAN).reshape(()), f(1).reshape(()))
        self.refused("ArgMax", [rows], np.array([0, 0]), np.array([0, 1]), axis=1)
        self.refused("Hardmax", [rows], f(1, 0, 1, 0).reshape(2, 2), f(1, 0, 0, 1).reshape(2, 2), axis=-1)
        self.accepted("order of NaN", "Hardmax", [rows], f(1, 0, 0, 1).reshape(2, 2), f(0, 1, 0, 1).reshape(2, 2))
        image = rows.reshape(1, 2, 1, 2)
        self.refused("GlobalMaxPool", [image], *(a.reshape(1, 2, 1, 1) for a in without))

    def test_recurrence_of_infinities(self):
        weights = np.ones((1, 1, 1), F)
        for number, right in ((INF, True), (F(1), False)):
            inputs = [np.full((1, 1, 1), number, F), weights, weights]
            arguments = ("GRU", inputs, f(NAN).reshape(1, 1, 1, 1), f(1).reshape(1, 1, 1, 1))
            self.accepted("recurrence of infinities", *arguments) if right else self.refused(*arguments)

    def test_zero_sign(self):
        self.accepted("zero sign", "Max", [f(0), f(-0.0)], f(0), f(-0.0))
        self.refused("Max", [f(0), f(-0.0)], f(0), f(1))
        self.refused("Neg", [f(0)], f(0), f(-0.0))

    def test_subnormal(self):
        half = f(TINY) / F(2)
        self.accepted("subnormal", "Add", [half, half], f(0), f(TINY), again=lambda v: v["x0"] + v["x1"])
        self.refused("Add", [f(1), half], f(2), f(1), again=lambda v: v["x0"] + v["x1"])
        self.refused("Slice", [half], f(0), half, again=lambda v: v["x0"])
        self.accepted("subnormal", "LpNormalization", [f(1e-20)], f(0), f(1), axis=0, p=2)
        self.refused("LpNormalization", [f(1e-16)], f(0), f(1), axis=0, p=2)

    def test_undefined_cast(self):
        self.accepted("undefined cast", "Cast", [f(300)], np.array([127], np.int8), np.array([44], np.int8))
        self.accepted("undefined cast", "Cast", [f(NAN)], np.array([0], np.int8), np.array([44], np.int8))
        self.refused("Cast", [f(127.5)], np.array([126], np.int8), np.array([127], np.int8))
        self.refused("Cast", [np.array([300])], np.array([127], np.int8), np.array([44], np.int8))

    def test_undefined_quantization(self):
        zero, other = np.array([0], np.int8), np.array([-128], np.int8)
        self.accepted("undefined quantization", "QuantizeLinear", [f(NAN)], zero, other)
        self.refused("QuantizeLinear", [f(1)], zero, other)
        for x in (f(1, INF), f(NAN, 1), f(3e38, -3e38)):
            self.accepted("undefined quantization", "DynamicQuantizeLinear", [x], np.uint8(0), np.uint8(255))
        self.refused("DynamicQuantizeLinear", [f(3e38, 1)], np.uint8(0), np.uint8(255))

    def test_tie(self):
        one, two, three = (np.array([n], np.int8) for n in (1, 2, 3))
        near, far = near_tie(f(0.15), F(0.1)), near_tie(f(0.16), F(0.1))
        self.accepted("tie", "QLinearConv", [one], one, two, near=near)
        self.refused("QLinearConv", [one], one, two, near=far)
        self.refused("QLinearConv", [one], one, three, near=near)
        self.refused("Add", [one, one], one, two)

    def test_rounded_twice(self):
        one, two = np.array([1], np.int8), np.array([2], np.int8)
        self.accepted("rounded twice", "FULLY_CONNECTED", [one], one, two, second=one)
        self.refused("FULLY_CONNECTED", [one], one, two, second=two)
        for kind in ("RELU6", "SPACE_TO_BATCH_ND"):
            self.refused(kind, [one], one, two, second=one)

    def test_tables(self):
        one, two, three = (np.array([n], np.int16) for n in (1, 2, 3))
        self.accepted("tables", "SOFTMAX", [one], one, two, second=one)
        self.refused("SOFTMAX", [one], one, two, second=two)
        self.refused("SOFTMAX", [one], one, three, second=one)
        self.refused("LOG_SOFTMAX", [one], one, two, second=one)
        self.refused("SOFTMAX", [one], one.astype(np.int8), two.astype(np.int8), second=one.astype(np.int8))

    def test_infinite_blocks(self):
        x, w = f(INF, 1).reshape(1, 2), f(1, 1).reshape(2, 1)
        nan, inf = f(NAN).reshape(1, 1), f(INF).reshape(1, 1)
        self.accepted("infinite blocks", "MatMul", [x, w], nan, inf, precision="mx")
        self.refused("MatMul", [x, w], nan, inf)
        self.refused("MatMul", [f(1, 1).reshape(1, 2), w], nan, inf, precision="mx")

    def test_overflow_of_neighbours(self):
        x = f(2e19, 1, 1).reshape(1, 3, 1, 1)
        host, judged = f(0, NAN, 1).reshape(x.shape), f(0, 0, 1).reshape(x.shape)
        another = f(0, 0, NAN).reshape(x.shape)  # the last has no large neighbour
        attributes = {"size": 3, "alpha": 1.0, "beta": 1.0, "bias": 1.0}
        self.accepted("overflow", "LRN", [x], host, judged, **attributes)
        self.refused("LRN", [x], another, judged, **attributes)

    def test_overflow(self):
        self.accepted("overflow", "ReduceSum", [f(3e38, 3e38, -3e38)], f(INF).reshape(()), f(3e38).reshape(()))
        self.refused("ReduceSum", [f(3, 3, -3)], f(INF).reshape(()), f(3).reshape(()))

    @classmethod
    def tearDownClass(cls):
        names = {entry.name for entry in CLASSES}
        assert cls.seen == names, f"without a test: {names - cls.seen}"


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
