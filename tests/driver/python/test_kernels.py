# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays as kernels and as operators of files, against NumPy."""
import sys
import tempfile
import unittest
from pathlib import Path

import numpy

import systole

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import small_onnx


def numbers(*shape, seed=1):
    return numpy.random.default_rng(seed).normal(size=shape).astype(numpy.float32)


class Kernels(unittest.TestCase):
    def check(self, function, *arrays, ulps=4):
        kernel = systole.kernel(function)
        wanted = function(*(array.astype(numpy.float64) for array in arrays))
        for device in (None, "host", systole.Device("tiny", "model")):
            result = kernel(*arrays, device=device)
            self.assertEqual(result.shape, wanted.shape)
            error = numpy.abs(result - wanted) / numpy.spacing(numpy.maximum(numpy.abs(wanted), 0.5).astype("f"))
            self.assertLessEqual(error.max(), ulps)
        return kernel

    def test_functions_of_numpy(self):
        x, y = numbers(7, 33), numbers(7, 33, seed=2)
        self.check(lambda a: a / (1 + numpy.exp(-a)), x)
        self.check(lambda a, b: numpy.maximum(a, b) * 2 - numpy.minimum(a, 0.5), x, y)
        self.check(lambda a, b: numpy.where(a > b, a + 1, b / 3), x, y)
        self.check(lambda a: numpy.sqrt(abs(a)) + a**2 - numpy.tanh(a) + numpy.log(numpy.abs(a) + 1), x)
        self.check(lambda a: numpy.floor(a) + numpy.ceil(a) - numpy.rint(a) + numpy.sign(a), x)
        self.check(lambda a: numpy.where(numpy.isnan(a), 0, a), numpy.where(x > 1, numpy.float32("nan"), x))
        self.check(lambda a, b: numpy.where(a != b, 1 - a, b), x, numpy.where(x > 0, x, y))

    def test_shapes_broadcast_and_sums_run_along_axes(self):
        x, row = numbers(5, 48), numbers(48, seed=3)
        self.check(lambda a, b: (a - b) * 0.5, x, row)
        self.check(lambda a: a - a.mean(axis=-1, keepdims=True), x, ulps=16)
        self.check(lambda a: numpy.sum(a, axis=0), x, ulps=16)
        self.check(lambda a, b: (a @ b.T).reshape(25), x, x, ulps=64)

    def test_chains_are_one_layer(self):
        kernel = self.check(lambda a, b: numpy.exp(-(a * a)) / (1 + b * b), numbers(64, 64), numbers(64, 64, seed=2))
        device = systole.Device("default", "model")
        kernel(numbers(64, 64), numbers(64, 64), device=device)
        self.assertEqual([layer["on_device"] for layer in kernel.statistics["layers"]], [True])

    def test_what_exceeds_a_kernel_is_several(self):
        def long(a):
            for step in range(40):
                a = numpy.tanh(a * 0.5 + step / 64) + a
            return a

        self.check(long, numbers(3, 20), ulps=1 << 14)

    def test_several_results_and_types(self):
        both = systole.kernel(lambda a, b: (a + b, a * b))
        for kind in (numpy.float32, numpy.int32, numpy.uint8):
            a, b = (numpy.arange(24, dtype=kind).reshape(2, 12) for _ in range(2))
            total, product = both(a, b)
            numpy.testing.assert_array_equal(total, a + b)
            numpy.testing.assert_array_equal(product, a * b)
            self.assertEqual(product.dtype, kind)

    def test_a_decorator(self):
        @systole.kernel
        def scaled(x):
            return x * 2

        self.assertEqual(repr(scaled), "Kernel('scaled')")
        numpy.testing.assert_array_equal(scaled(numbers(9)), numbers(9) * 2)

    def test_what_is_refused_says_why(self):
        x = numbers(4, 5)
        for function, text in (
            (lambda a: a if a else -a, "numpy.where"),
            (lambda a: numpy.fft.fft(a), "numpy.fft has no operator"),
            (lambda a: numpy.arctan2(a, a), "numpy.arctan2 has no operator"),
            (lambda a: 3, "int 3 is no array"),
            (lambda a: a, "returns an operand as it is"),
            (lambda a: a + "x", "str 'x' is no array"),
            (lambda a: (), "has no result"),
        ):
            with self.assertRaisesRegex(systole.InvalidArgument, text):
                systole.kernel(function)(x)
        add = systole.kernel(lambda a, b: a + b)
        with self.assertRaisesRegex(systole.ModelError, "float32 and int64"):
            add(x, x.astype(int))
        with self.assertRaisesRegex(systole.ModelError, "cannot be broadcast"):
            add(x, x[:3])
        with self.assertRaisesRegex(systole.InvalidArgument, "systole.Device"):
            add(x, x, device="rtl")
        with self.assertRaisesRegex(systole.ModelError, "axis 2 of an array of 2 axes; the range is -2 .. 1"):
            systole.kernel(lambda a: a.sum(axis=2))(x)
        with self.assertRaisesRegex(systole.InvalidArgument, "complex128"):
            systole.kernel(lambda a: a * 2)(x.astype(complex))


class Operators(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(systole.register, "my.Softsign", None)
        self.path = Path(self.folder.name, "net.onnx")
        nodes = [
            small_onnx.node("MatMul", ["x", "w"], "h"),
            small_onnx.node("Softsign", ["h"], "y", domain="my", steepness=2.0),
        ]
        self.w = numbers(6, 4)
        self.path.write_bytes(small_onnx.model(nodes, {"w": self.w}, {"x": [1, 6]}, {"y": [1, 4]}))

    def test_an_unknown_operator_names_its_remedy(self):
        with self.assertRaisesRegex(systole.ModelError, "registered as 'my.Softsign'"):
            systole.Network.load(self.path)

    def test_a_registered_one_runs(self):
        systole.register("my.Softsign", lambda x, steepness: x * steepness / (1 + abs(x * steepness)))
        x = numbers(1, 6, seed=5)
        wanted = 2 * (x @ self.w) / (1 + abs(2 * (x @ self.w)))
        for device in ("model", "host"):
            result = systole.Network.load(self.path, device=device).run(x)
            numpy.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-6)

    def test_a_function_of_other_operands_is_an_error_with_the_node(self):
        systole.register("my.Softsign", lambda x: x + 1)
        with self.assertRaisesRegex(TypeError, "steepness"):
            systole.Network.load(self.path)
        systole.register("my.Softsign", lambda x, steepness: x + numpy.zeros(3))
        with self.assertRaises(systole.Error):
            systole.Network.load(self.path)

    def test_names_have_a_domain(self):
        for name, function in (("Softsign", abs), ("my.Softsign", 3)):
            with self.assertRaisesRegex(systole.InvalidArgument, "a domain and a type"):
                systole.register(name, function)


if __name__ == "__main__":
    unittest.main()
