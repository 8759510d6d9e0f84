# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays as kernels and as operators of files, against NumPy."""
import json
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


def losses_of_numpy(x, y, w1, w2, rate):
    """Of 8 steps of two products with eighths between them, whose rounding has the gradient 1."""
    losses = []
    for _ in range(8):
        hidden = numpy.rint(x @ w1 * 8) / 8
        error = hidden @ w2 - y
        losses.append((error**2).mean())
        back = 2 * error / error.size
        w1, w2 = w1 - rate * (x.T @ (back @ w2.T)), w2 - rate * (hidden.T @ back)
    return losses


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

    def test_compiled_networks_are_kept_up_to_a_number(self):
        twice = systole.kernel(lambda x: x * 2, cache_size=2)
        for size in (1, 2, 2, 1, 3, 2):
            twice(numbers(size))
        self.assertEqual(tuple(twice.cache_info()), (2, 4, 2, 2))  # hits, misses, greatest and present number
        twice.cache_clear()
        self.assertEqual(twice.cache_info().currsize, 0)
        self.assertEqual(systole.kernel(abs).cache_info().maxsize, 32)
        for size, error in ((0, systole.InvalidArgument), (2.0, TypeError), (True, TypeError), (None, TypeError)):
            with self.assertRaisesRegex(error, "cache_size"):
                systole.kernel(abs, cache_size=size)

    def test_attributes_are_part_of_what_is_compiled(self):
        scaled = systole.kernel(lambda x, by=2.0: x * by)
        x = numbers(5)
        numpy.testing.assert_array_equal(scaled(x), x * 2)
        numpy.testing.assert_array_equal(scaled(x, by=3.0), x * 3)
        self.assertEqual(scaled.cache_info().misses, 2)
        with self.assertRaisesRegex(TypeError, "attributes are numbers, texts and tuples"):
            scaled(x, by=[1])

    def test_types_are_checked(self):
        x = numbers(4)
        add = systole.kernel(lambda a, b: a + b, name="add")
        for call, text in (
            (lambda: systole.kernel(3), "kernel: int 3; give a function"),
            (lambda: systole.kernel(abs, name=3), "name 3; give a text"),
            (lambda: systole.kernel(abs, derivative=3), "abs: derivative: int 3; give a function"),
            (lambda: add(x), r"add: missing a required argument: 'b'; its function takes \(a, b\), given are 1 oper"),
            (lambda: add(x, x, x), "add: too many positional arguments; .* given are 3 operands"),
            (lambda: add(x, x, c=1), "add: got an unexpected keyword argument 'c'"),
            (lambda: add(x, "text"), "add: operand 1, str 'text', is an array of <U4; arrays hold"),
            (lambda: add(x, None), "add: operand 1, NoneType None, is an array of object"),
            (lambda: add([[1], [1, 2]], x), r"add: operand 0, list \[\[1\], \[1, 2\]\]: "),
            (lambda: add(x, x, device=3), "add: device 3; give a systole.Device or 'host'"),
            (lambda: systole.kernel(lambda a: add(a, x))(x), "operand 1 is ndarray .* make it an operand of that one"),
        ):
            with self.assertRaisesRegex(TypeError, text) as raised:
                call()
            self.assertIsInstance(raised.exception, systole.InvalidType)

    def test_kernels_within_kernels(self):
        half = systole.kernel(lambda x: x * 0.5)
        both = systole.kernel(lambda x: (x + 1, x - 1))
        x = numbers(6)
        numpy.testing.assert_array_equal(systole.kernel(lambda a: half(a) + both(a)[1])(x), x * 0.5 + (x - 1))


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
        with self.assertRaisesRegex(
            systole.ModelError, r"node 1 \(my.Softsign .*'steepness'; its function takes \(x\)"
        ):
            systole.Network.load(self.path)
        systole.register("my.Softsign", lambda x, y, steepness: x + y)
        with self.assertRaisesRegex(
            systole.ModelError, "node 1 .*missing a required argument: 'y'.* given are 1 operand"
        ):
            systole.Network.load(self.path)
        systole.register("my.Softsign", lambda x, steepness: x + numpy.zeros(3))
        with self.assertRaises(systole.Error):
            systole.Network.load(self.path)

    def test_standard_operators_keep_their_meaning(self):
        self.addCleanup(systole.register, "ai.onnx.MatMul", None)
        systole.register("ai.onnx.MatMul", lambda a, b: a @ b)
        with self.assertRaisesRegex(systole.ModelError, "'ai.onnx.MatMul' is given, but it is a standard one"):
            systole.Network.load(self.path)

    def test_a_shape_rule_is_checked(self):
        def softsign(x, steepness):
            return x * steepness / (1 + abs(x * steepness))

        systole.register("my.Softsign", softsign, shape=lambda x, steepness: x)
        self.assertEqual(systole.Network.load(self.path).outputs[0].shape, (1, 4))
        systole.register("my.Softsign", softsign, shape=lambda x, steepness: (x[0], 2 * x[1]))
        with self.assertRaisesRegex(
            systole.ModelError, r"node 1 .*makes \[\(1, 4\)\].* its shape rule says \[\(1, 8\)\]; they must agree"
        ):
            systole.Network.load(self.path)

    def test_a_formula_is_what_was_saved(self):
        @systole.kernel
        def softsign(x, steepness=1.0):
            return x * steepness / (1 + abs(x * steepness))

        file = Path(self.folder.name, "softsign.json")
        softsign.save(file)
        self.assertEqual(json.loads(file.read_text())["attributes"], {"steepness": 1.0})
        x = numbers(1, 6, seed=5)
        systole.register("my.Softsign", softsign)
        wanted = systole.Network.load(self.path).run(x)
        systole.register("my.Softsign", file)
        numpy.testing.assert_array_equal(systole.Network.load(self.path).run(x), wanted)
        file.write_text("{}")
        with self.assertRaisesRegex(systole.ModelError, 'softsign.json: has no "formula"'):
            systole.register("my.Softsign", file)
        with self.assertRaises(FileNotFoundError):
            systole.register("my.Softsign", file.with_name("no.json"))
        with self.assertRaisesRegex(systole.InvalidArgument, "says shape and derivative itself"):
            systole.register("my.Softsign", file, derivative=lambda x: 1)

    def test_formulas_have_derivatives(self):
        file = Path(self.folder.name, "f.json")
        for derivative, names in (
            (lambda a, b, by=0.5: (b, None), ["b", None]),
            (lambda a, b, by=0.5: (by, 2), ["by", 2]),
            (lambda a, b, by=0.5: (a * by, b), ["step1", "b"]),
        ):
            systole.kernel(lambda a, b, by=0.5: a * b, derivative=derivative).save(file)
            formula = json.loads(file.read_text())
            self.assertEqual((formula["results"], formula["derivative"]), (["step0"], names))

    def test_formulas_have_all_that_kernels_have(self):
        def function(a, b, scale=0.5, keep=True):
            rows = numpy.where(a > 0, a * scale, numpy.tanh(b)).mean(axis=-1, keepdims=keep)
            return (a - rows).T @ numpy.maximum(b, 0), (a + b).reshape(-1)

        file = Path(self.folder.name, "f.json")
        a, b = numbers(3, 5), numbers(3, 5, seed=2)
        kernel = systole.kernel(function)
        kernel.save(file, a, b)
        nodes = [small_onnx.node("Own", ["a", "b"], "product", domain="my", scale=0.25)]
        path = Path(self.folder.name, "own.onnx")
        path.write_bytes(small_onnx.model(nodes, {}, {"a": [3, 5], "b": [3, 5]}, {"product": [5, 5]}))
        self.addCleanup(systole.register, "my.Own", None)
        systole.register("my.Own", file)
        result = systole.Network.load(path, device="host").run(a, b)
        numpy.testing.assert_array_equal(result, kernel(a, b, scale=0.25, device="host")[0])

    def test_a_value_with_the_gradient_of_another(self):
        """The function `straight through` is its first operand, broadcast, on every device."""
        file, path = (Path(self.folder.name, name) for name in ("f.json", "own.onnx"))
        step = {"name": "y", "operator": "straight through", "of": ["a", "b"]}
        file.write_text(json.dumps({"formula": 1, "operands": ["a", "b"], "steps": [step], "results": ["y"]}))
        self.addCleanup(systole.register, "my.Own", None)
        systole.register("my.Own", file)
        for shapes in ((3, 5), (3, 5)), ((3, 1), (1, 5)), ((1, 5), (3, 1)), ((3, 5), (5,)):
            node = small_onnx.node("Own", ["a", "b"], "y", domain="my")
            inputs = dict(zip("ab", map(list, shapes)))
            path.write_bytes(small_onnx.model([node], {}, inputs, {"y": [3, 5]}))
            a, b = numbers(*shapes[0]), numbers(*shapes[1], seed=2)
            a.flat[0] = -0.0
            for device in ("model", "host"):
                network = systole.Network.load(path, "tiny", device)
                result = network.run(a, b)
                numpy.testing.assert_array_equal(result, numpy.broadcast_to(a, (3, 5)))
                self.assertTrue(numpy.signbit(result[0, 0]))
                if device == "model":
                    self.assertTrue(all(layer["on_device"] for layer in network.statistics["layers"]))

    def test_functions_that_no_formula_holds(self):
        file = Path(self.folder.name, "f.json")
        inner = systole.kernel(lambda x: numpy.rint(x), derivative=lambda x: 1)
        for function, text in (
            (lambda *all: all[0] + 1, "a variable number of operands"),
            (numpy.exp, "wrap it in a lambda"),
            (lambda x: x * float("inf"), "the number inf"),
            (lambda x: inner(x) + 1, "give the derivative of the whole function"),
        ):
            with self.assertRaisesRegex(systole.InvalidArgument, text):
                systole.kernel(function).save(file, *[numbers(2)] * (2 if "variable" in text else 1))
        self.assertFalse(file.exists())

    def test_names_have_a_domain(self):
        for name, function in (("Softsign", abs), ("my.Softsign", 3), (3, abs)):
            with self.assertRaisesRegex(systole.InvalidArgument, "a domain and a type"):
                systole.register(name, function)
        for options in ({"shape": 3}, {"derivative": "x"}):
            with self.assertRaisesRegex(TypeError, "my.Softsign: (shape|derivative): .*; give a function"):
                systole.register("my.Softsign", abs, **options)


class Gradients(unittest.TestCase):
    def test_against_differences(self):
        def loss(x, w, b):
            return (numpy.tanh(x @ w + b) ** 2).mean()

        arrays = [a.astype(numpy.float64) for a in (numbers(4, 5), numbers(5, 3, seed=2), numbers(3, seed=3))]
        value, *gradients = systole.value_and_gradient(loss)(*arrays, device="host")
        self.assertAlmostEqual(float(value), loss(*arrays))
        for i, gradient in enumerate(gradients):
            at = (1,) * arrays[i].ndim
            moved = [[a.copy() for a in arrays] for _ in range(2)]
            moved[0][i][at] += 1e-5
            moved[1][i][at] -= 1e-5
            self.assertAlmostEqual(gradient[at], (loss(*moved[0]) - loss(*moved[1])) / 2e-5, places=6)
            self.assertEqual(gradient.shape, arrays[i].shape)

    def test_operands_that_are_not_real_and_those_of_no_influence(self):
        step = systole.value_and_gradient(lambda x, i, y: numpy.where(i, x * 2, x * x).sum())
        value, by_x, by_y = step(numbers(3), numpy.array([True, False, False]), numbers(2))
        self.assertEqual((value.shape, by_x.shape), ((), (3,)))
        numpy.testing.assert_allclose(by_x, [2, *2 * numbers(3)[1:]], rtol=1e-6)
        numpy.testing.assert_array_equal(by_y, numpy.zeros(2))

    def test_a_network_with_an_operator_of_ones_own_trains(self):
        """Rounding has a derivative only because it is given; losses fall as by NumPy's steps, on device and host."""
        eighths = systole.kernel(lambda x: numpy.rint(x * 8) * 0.125, derivative=lambda x: 1)

        def loss(w1, w2, x, y):
            return ((eighths(x @ w1) @ w2 - y) ** 2).mean()

        x, y = numbers(16, 6, seed=4), numbers(16, 2, seed=5)
        start = [numbers(6, 8) * numpy.float32(0.5), numbers(8, 2, seed=2) * numpy.float32(0.5)]
        rate, histories = numpy.float32(0.1), []
        for device in (systole.Device("tiny", "model"), "host"):
            step, weights, losses = systole.value_and_gradient(loss), start, []
            for _ in range(8):
                value, *gradients = step(*weights, x, y, device=device)
                weights = [w - rate * g for w, g in zip(weights, gradients)]
                losses.append(float(value))
            histories.append(losses)
        self.assertEqual(histories[0], histories[1])
        wanted = losses_of_numpy(x, y, *start, rate)
        numpy.testing.assert_allclose(histories[0], wanted, rtol=1e-4)
        self.assertLess(wanted[-1], 0.8 * wanted[0])

    def test_a_network_of_a_file_trains(self):
        """By a registered operator's own derivative, from Python or from a formula; NumPy's steps, host and device."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(systole.register, "my.Eighths", None)
        path, file = Path(folder.name, "net.onnx"), Path(folder.name, "eighths.json")
        w1, w2 = numbers(6, 8) * numpy.float32(0.5), numbers(8, 2, seed=2) * numpy.float32(0.5)
        nodes = [small_onnx.node("MatMul", ["x", "w1"], "h"), small_onnx.node("Eighths", ["h"], "o", domain="my")]
        nodes += [small_onnx.node("MatMul", ["o", "w2"], "y")]
        path.write_bytes(small_onnx.model(nodes, {"w1": w1, "w2": w2}, {"x": [1, 6]}, {"y": [1, 2]}))
        x, y = numbers(16, 6, seed=4), numbers(16, 2, seed=5)
        rate, histories = numpy.float32(0.1), []
        eighths = systole.kernel(lambda x: numpy.rint(x * 8) * 0.125, derivative=lambda x: 1)
        eighths.save(file)
        ways = [{"function": eighths}, {"function": file}]
        ways += [{"function": lambda x: numpy.rint(x * 8) * 0.125, "derivative": lambda x: 1}]
        for way in ways:
            for device in (systole.Device("tiny", "model"), "host"):
                systole.register("my.Eighths", **way)
                network = systole.trainable(path, batch=16)
                numpy.testing.assert_array_equal(network.parameters[0], w1.T)
                step = systole.value_and_gradient(lambda x, y, *w, n=network: ((n(x, *w) - y) ** 2).mean())
                weights, losses = network.parameters, []
                for _ in range(8):
                    value, _, _, *gradients = step(x, y, *weights, device=device)
                    weights = [w - rate * g for w, g in zip(weights, gradients)]
                    losses.append(float(value))
                histories.append(losses)
                scores = numpy.rint(x @ weights[0].T * 8) / 8 @ weights[1].T
                numpy.testing.assert_allclose(network(x, *weights, device=device), scores, atol=1e-5)
        self.assertEqual(histories, histories[:1] * 6)
        wanted = losses_of_numpy(x, y, w1, w2, rate)
        numpy.testing.assert_allclose(histories[0], wanted, rtol=1e-4)
        self.assertLess(wanted[-1], 0.8 * wanted[0])
        for call, error, text in (
            (lambda: systole.trainable("no.onnx"), FileNotFoundError, "no.onnx"),
            (lambda: systole.trainable(path, batch=1.0), TypeError, "batch 1.0; give a whole number"),
            (lambda: systole.trainable(path, batch=0), systole.InvalidArgument, "batch 0; it is 1 or more"),
            (lambda: network(x[:2], *weights), systole.ModelError, "input 'x' is 16x6 of float32, the array 2x6"),
            (lambda: network(x), systole.ModelError, "'net' has 3 inputs and 0 states, given are 1 arrays"),
            (lambda: network.save(file), systole.InvalidArgument, "net: is a network"),
        ):
            with self.assertRaisesRegex(error, text):
                call()
        systole.register("my.Eighths", lambda x: numpy.rint(x * 8) * 0.125)
        plain = systole.trainable(path)
        with self.assertRaisesRegex(systole.ModelError, "round has no rule"):
            systole.value_and_gradient(lambda x, *w: plain(x, *w).sum())(x[:1], *plain.parameters)

    def test_what_is_refused_says_why(self):
        x = numbers(4)
        for function, text in (
            (lambda a: a * 2, "has 1 results, the first of shape 4; .* one number: sum or mean"),
            (lambda a: (a.sum(), a.max()), "has 2 results"),
        ):
            with self.assertRaisesRegex(systole.InvalidArgument, text):
                systole.value_and_gradient(function)(x)
        with self.assertRaisesRegex(systole.ModelError, "round has no rule"):
            systole.value_and_gradient(lambda a: numpy.rint(a).sum())(x)
        two = systole.kernel(lambda a, b: a + b, derivative=lambda a, b: 1)
        with self.assertRaisesRegex(systole.InvalidArgument, "its derivative has 1 results for 2 operands"):
            systole.value_and_gradient(lambda a: two(a, a).sum())(x)
        total = systole.kernel(lambda a: a.sum(), derivative=lambda a: a)
        with self.assertRaisesRegex(systole.ModelError, "a function element by element"):
            systole.value_and_gradient(lambda a: total(a))(x)


if __name__ == "__main__":
    unittest.main()
