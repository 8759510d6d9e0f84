# SPDX-License-Identifier: Apache-2.0
"""SOFTMAX of 8 bits before the judge: rows that LiteRT's reference kernel does not take are judged without it."""
import subprocess
import sys
import unittest

import numpy as np

import tflite_judge
from drawn_graph import Graph, Node, Step, Tensor

ABORTS = -6  # exit status of a process that called abort()
SCALE = np.float32(0.5)


def softmax(shape, dtype="int8", beta=1.0):
    graph = Graph()
    graph.format = "tflite"
    least = np.iinfo(dtype).min
    graph.tensors = {"x": Tensor(dtype, shape), "y": Tensor(dtype, shape)}
    graph.scales = {"x": (SCALE, 0), "y": (np.float32(2.0**-8), least)}
    graph.steps = [
        Step("SOFTMAX", [Node("SOFTMAX", ["x"], ["y"], {"options": "SoftmaxOptions", "version": 2, "beta": beta})])
    ]
    return graph


def judged(graph, x):
    (result,) = tflite_judge.TfliteJudge().results(graph, {"x": x}).values()
    return result


def kernel_alone(depth):
    """Exit status of a process in which the kernel computes a row of so many equal elements."""
    code = f"""
import numpy as np
from test_tflite_judge import softmax
from tflite_judge import TfliteJudge
graph = softmax((1, {depth}))
TfliteJudge()._run(graph, [(0, graph.steps[0])], {{"x": np.zeros((1, {depth}), np.int8)}})
"""
    folder = __file__.rsplit("/", 1)[0]
    return subprocess.run([sys.executable, "-B", "-c", code], cwd=folder, capture_output=True).returncode


class LongRows(unittest.TestCase):
    def test_the_kernel_ends_the_process_where_the_sum_is_512(self):
        self.assertEqual(kernel_alone(510), 0)
        self.assertEqual(kernel_alone(512), ABORTS)

    def test_rows_of_equal_elements(self):
        for depth in (512, 600, 5000, 40000):  # from 4096 on, the kernel's sum is more than its word holds
            for dtype in ("int8", "uint8"):
                with self.subTest(depth=depth, dtype=dtype):
                    result = judged(softmax((2, depth), dtype), np.zeros((2, depth), dtype))
                    self.assertEqual((result.dtype, result.shape), (np.dtype(dtype), (2, depth)))
                    self.assertTrue((result == np.iinfo(dtype).min).all())

    def test_rows_that_the_kernel_takes_beside_one_that_it_does_not(self):
        x = np.random.default_rng(1).integers(-128, 128, (2, 3, 700)).astype(np.int8)
        alone = judged(softmax((2, 3, 700)), x)
        x[1, 1] = 5
        result = judged(softmax((2, 3, 700)), x)
        self.assertTrue((result[1, 1] == -128).all())
        others = np.ones((2, 3), bool)
        others[1, 1] = False
        np.testing.assert_array_equal(result[others], alone[others])
        self.assertGreater(int(alone.max()), -128)

    def test_beta_and_constants(self):
        x = np.full((1, 1012), -1, np.int8)
        x[0, 0] = 127
        self.assertEqual(judged(softmax((1, 1012)), x)[0, 0], 127)  # 256 / 256 is more than the type holds
        graph = softmax((1, 1012), beta=0.0001)
        self.assertTrue((judged(graph, x) == -128).all())
        graph.constants["x"] = x
        (result,) = tflite_judge.TfliteJudge().results(graph, {}).values()
        self.assertTrue((result == -128).all())


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
