# SPDX-License-Identifier: Apache-2.0
"""The Python package on the functional model: networks, operators, statistics, errors, threads, stubs."""
import ast
import ctypes
import inspect
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import numpy

import systole

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import small_onnx
from page_code import code_of

NETWORKS = ROOT / "tests" / "vectors" / "networks"


def expected(name, file):
    return numpy.load(NETWORKS / name / file)


class Import(unittest.TestCase):
    def test_without_its_module_it_says_what_builds_it(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(Path(systole.__file__).parent, Path(folder, "systole"))
            for module in Path(folder, "systole").glob("_systole*"):
                module.unlink()
            done = subprocess.run(
                [sys.executable, "-c", "import systole"], env={"PYTHONPATH": folder}, capture_output=True, text=True
            )
        self.assertEqual(done.returncode, 1)
        self.assertIn("scripts/build release systole_python builds it", done.stderr)


class Litert(unittest.TestCase):
    def test_the_delegate_is_in_the_package(self):
        library = ctypes.CDLL(systole.litert_delegate_path())
        self.assertEqual(Path(systole.litert_delegate_path()).parent, Path(systole.__file__).parent)
        keys, values = (ctypes.c_char_p * 1)(b"device"), (ctypes.c_char_p * 1)(b"nothing")
        said = []
        report = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(said.append)
        library.tflite_plugin_create_delegate.restype = ctypes.c_void_p
        self.assertIsNone(library.tflite_plugin_create_delegate(keys, values, ctypes.c_size_t(1), report))
        self.assertIn(b"option device: 'nothing' is not one of model", said[0])


class Networks(unittest.TestCase):
    def run_model(self, name, kind):
        folder = NETWORKS / name
        network = systole.Network.load(folder / f"model.{kind}")
        inputs = [numpy.load(path) for path in sorted(folder.glob(f"{kind}_input*.npy"))]
        return network, inputs, network.run(*inputs)

    def test_samples_against_another_interpreter(self):
        for name, kind in (("dense", "tflite"), ("dense", "onnx"), ("residual", "tflite"), ("residual", "onnx")):
            with self.subTest(name=name, kind=kind):
                network, inputs, result = self.run_model(name, kind)
                wanted = expected(name, f"{kind}_outputs.npy")
                self.assertEqual(result.dtype, network.outputs[0].dtype)
                numpy.testing.assert_array_equal(result.reshape(wanted.shape), wanted)
                self.assertEqual(network.statistics["samples"], len(inputs[0]))

    def test_a_block_that_is_not_a_number_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "net.onnx"
            weights = {"w": numpy.linspace(-1, 1, 256, dtype=numpy.float32).reshape(16, 16)}
            node = small_onnx.node("MatMul", ["x", "w"], "y")
            path.write_bytes(small_onnx.model([node], weights, {"x": [1, 16]}, {"y": [1, 16]}))
            network = systole.Network.load(path, "tiny", precision="mx")
        x = numpy.full((1, 16), 0.5, numpy.float32)
        infinite = x.copy()
        infinite[0, 3] = numpy.inf
        for samples, names in ((x, []), (infinite, ["y/blocks0", "y"]), (x, [])):
            network.run(samples)
            self.assertEqual(network.statistics["nonfinite"], bool(names))
            self.assertEqual(network.statistics["nonfinite_in"], names)

    def test_one_sample_and_a_batch(self):
        network, inputs, batch = self.run_model("dense", "tflite")
        first = inputs[0][:1].reshape(network.inputs[0].shape)
        numpy.testing.assert_array_equal(network.run(first), batch[:1].reshape(network.outputs[0].shape))
        by_name = network.run({network.inputs[0].name: first})
        numpy.testing.assert_array_equal(by_name, network.run([first]))

    def test_variables_live_from_sample_to_sample(self):
        network, inputs, (first, _) = self.run_model("streaming", "tflite")
        wanted = expected("streaming", "tflite_outputs.npy")[:, : first[0].size]
        numpy.testing.assert_array_equal(first.reshape(wanted.shape), wanted)
        again, _ = network.run(*inputs)
        self.assertFalse(numpy.array_equal(again, first))  # it went on
        network.reset_state()
        for sample, row in zip(inputs[0], wanted):
            result, _ = network.run(sample)
            numpy.testing.assert_array_equal(result.reshape(row.shape), row)

    def test_without_transformations(self):
        network, inputs, wanted = self.run_model("residual", "tflite")
        self.assertGreater(network.transformations["additions"], 0)
        path = NETWORKS / "residual" / "model.tflite"
        other = systole.Network.load(path, without=["additions", "scratchpad"])
        self.assertEqual(other.transformations.keys(), network.transformations.keys())
        self.assertEqual(other.transformations["additions"], 0)
        self.assertEqual(other.transformations["scratchpad"], 0)
        numpy.testing.assert_array_equal(other.run(*inputs), wanted)
        with self.assertRaisesRegex(systole.InvalidArgument, "'sums' is not a transformation; they are .*additions"):
            systole.Network.load(path, without=["sums"])
        with self.assertRaisesRegex(systole.InvalidArgument, "a list of names"):
            systole.Network.load(path, without="additions")

    def test_several_inputs(self):
        network, inputs, result = self.run_model("moves", "tflite")
        self.assertGreater(len(network.inputs), 1)
        again = network.run(inputs)
        for one, two in zip(
            result if isinstance(result, list) else [result], again if isinstance(again, list) else [again]
        ):
            numpy.testing.assert_array_equal(one, two)

    def test_on_the_host(self):
        for name, kind in (("dense", "tflite"), ("residual", "onnx")):
            network, inputs, result = self.run_model(name, kind)
            host = systole.Network.load(NETWORKS / name / f"model.{kind}", device="host")
            self.assertIsNone(host.device)
            numpy.testing.assert_array_equal(host.run(*inputs), result)
            self.assertEqual(host.statistics, {})
            self.assertEqual(repr(host.inputs), repr(network.inputs))
        with self.assertRaisesRegex(systole.InvalidArgument, "seed"):
            systole.Network.load(NETWORKS / "dense" / "model.onnx", device="host", seed=1)

    def test_products_in_blocks(self):
        path = NETWORKS / "dense" / "model.onnx"
        with self.assertRaisesRegex(systole.InvalidArgument, "precision: 'int4'"):
            systole.Network.load(path, precision="int4")
        with self.assertRaisesRegex(systole.ModelError, "takes float networks"):
            systole.Network.load(path, precision="mx")
        folder = NETWORKS / "onnx_attentions"
        inputs = [numpy.load(folder / f"onnx_input{i}.npy") for i in range(len(list(folder.glob("onnx_input*.npy"))))]
        results = {}
        for device in ("host", "model"):
            network = systole.Network.load(folder / "model.onnx", device=device, precision="mx")
            results[device] = network.run(*inputs)
        for host, model in zip(results["host"], results["model"]):
            numpy.testing.assert_array_equal(host, model)

    def test_statistics(self):
        network, inputs, _ = self.run_model("dense", "tflite")
        one = network.inputs[0].shape
        network.run(inputs[0][:1].reshape(one))
        single = network.statistics
        network.run(numpy.concatenate([inputs[0][:1].reshape(one)] * 3))
        triple = network.statistics
        self.assertGreater(single["macs"], 0)
        self.assertEqual(triple["macs"], 3 * single["macs"])
        self.assertEqual(triple["samples"], 3)
        self.assertEqual(single["cycles"], 0)  # the model knows no time
        self.assertRaisesRegex(systole.InvalidArgument, "device rtl", network.write_report, "never.html")
        fresh = systole.Network.load(NETWORKS / "dense" / "model.tflite")
        self.assertRaisesRegex(systole.InvalidArgument, "call run", fresh.write_report, "never.html")
        self.assertEqual(sum(layer.get("macs", 0) for layer in single["layers"]), single["macs"])
        self.assertEqual(set(single["causes"]), {"LOAD", "MXU", "VPU", "STORE"})

    def test_inputs_say_what_they_take(self):
        network, _, _ = self.run_model("dense", "tflite")
        info = network.inputs[0]
        self.assertIn(info.name, repr(network))
        with self.assertRaisesRegex(systole.InvalidArgument, "quantize"):
            network.run(numpy.zeros(info.shape))
        steps = info.quantize(numpy.zeros(info.shape))
        self.assertEqual(steps.dtype, info.dtype)
        numpy.testing.assert_array_equal(info.dequantize(steps), numpy.zeros(info.shape, numpy.float32))
        network.run(numpy.zeros(info.shape, int))  # int64, of which no value is lost
        with self.assertRaisesRegex(systole.InvalidArgument, "convert"):
            network.run(numpy.full(info.shape, 1000))
        with self.assertRaisesRegex(systole.InvalidArgument, "shape"):
            network.run(numpy.zeros((3, 1, 4, 1, 5), info.dtype))
        with self.assertRaisesRegex(systole.InvalidArgument, "inputs given"):
            network.run()

    def test_refused_files(self):
        with self.assertRaisesRegex(FileNotFoundError, "/nowhere.tflite") as missing:
            systole.Network.load("/nowhere.tflite")
        self.assertIsInstance(missing.exception, systole.ModelNotFound)
        self.assertIsInstance(missing.exception, systole.ModelError)
        self.assertEqual(missing.exception.filename, "/nowhere.tflite")
        with self.assertRaises(systole.ModelError):
            systole.Network.load(__file__)
        with self.assertRaises(ValueError):
            systole.Network.load(NETWORKS / "dense" / "model.onnx", dimensions={"nobody": 3})

    def test_inputs_that_are_constants(self):
        model = NETWORKS / "onnx_short_sequences" / "model.onnx"
        for lengths in ([3, 0, 1], numpy.array([3, 0, 1], numpy.int32), [numpy.int64(3), numpy.array(0), 1]):
            network = systole.Network.load(model, constants={"lengths": lengths})
            self.assertNotIn("lengths", [info.name for info in network.inputs])
        for constants, text in (
            ({"length": 1}, "no input of this name; it has: 'lengths'"),
            ({"lengths": numpy.array([3, 0, 1])}, "int64 of shape 3; the input of the file is int32 of shape 3"),
            ({"lengths": [1.5, 0, 1]}, "not a whole number"),
        ):
            with self.assertRaisesRegex(systole.ModelError, text):
                systole.Network.load(model, constants=constants)
        for wrong in (range(3), {3, 0, 1}, [object()]):
            with self.assertRaisesRegex(systole.InvalidArgument, "constant 'lengths': .*a list of numbers"):
                systole.Network.load(model, constants={"lengths": wrong})
        with self.assertRaisesRegex(systole.InvalidArgument, "elements are complex128"):
            systole.Network.load(model, constants={"lengths": numpy.zeros(3, complex)})


class Page(unittest.TestCase):
    def test_its_code_runs(self):
        # The others run beside a model (test_generation.py), and where PyTorch is (tests/driver/torch).
        blocks = code_of(ROOT / "driver" / "python" / "README.md", but=("Language models", "PyTorch"))
        self.assertGreater(len(blocks), 2)
        scope = {}
        self.addCleanup(systole.register, "my.Softsign", None)
        with tempfile.TemporaryDirectory() as folder:
            own = Path(folder, "net.onnx")
            nodes = [
                small_onnx.node("MatMul", ["x", "w"], "product"),
                small_onnx.node("Softsign", ["product"], "y", domain="my", steepness=2.0),
            ]
            weights = {"w": numpy.ones((3, 2), numpy.float32)}
            own.write_bytes(small_onnx.model(nodes, weights, {"x": [1, 3]}, {"y": [1, 2]}))
            for block in blocks:
                block = block.replace("model.tflite", str(NETWORKS / "dense" / "model.tflite"))
                block = block.replace("xor.onnx", str(Path(folder, "xor.onnx")))
                block = block.replace("net.onnx", str(own)).replace('"default", "rtl"', '"default", "model"')
                exec(compile(block, "README.md", "exec"), scope)


class Operators(unittest.TestCase):
    def setUp(self):
        random = numpy.random.default_rng(1)
        self.bytes = lambda *shape: random.integers(-128, 128, shape, numpy.int8)
        self.device = systole.Device("tiny")

    def test_matmul(self):
        a, b = self.bytes(5, 70), self.bytes(70, 9)
        sums = a.astype(numpy.int32) @ b.astype(numpy.int32)
        numpy.testing.assert_array_equal(self.device.matmul(a, b), sums)
        numpy.testing.assert_array_equal(systole.matmul(a, b), sums)
        self.assertEqual(self.device.statistics["macs"], 5 * 70 * 9)

    def test_requantized(self):
        a, b = self.bytes(5, 70), self.bytes(70, 9)
        bias = numpy.arange(9, dtype=numpy.int32) * 100
        sums = (a.astype(numpy.int64) - 3) @ b.astype(numpy.int64) + bias
        result = self.device.matmul(a, b, bias=bias, scale=2.0**-9, a_zero_point=3, zero_point=-4, rounding="even")
        numpy.testing.assert_array_equal(result, numpy.clip(numpy.rint(sums / 512) - 4, -128, 127))
        many = self.device.matmul(
            a, b, bias=bias, scale=[2.0**-9] * 9, a_zero_point=3, zero_point=-4, rounding="even"
        )
        numpy.testing.assert_array_equal(many, result)

    def convolve(self, image, weights, stride, padding, zero_point):
        """By the definition; `padding` as NumPy's pad takes it."""
        padded = numpy.pad(image.astype(int) - zero_point, ((0, 0), *padding, (0, 0)))
        kernel = weights.shape[1:3]
        windows = numpy.lib.stride_tricks.sliding_window_view(padded, kernel, (1, 2))[:, ::stride, ::stride]
        return numpy.einsum("nhwckl,oklc->nhwo", windows, weights.astype(int))

    def test_conv2d(self):
        image, weights = self.bytes(2, 7, 8, 5), self.bytes(6, 3, 3, 5)
        plain = self.convolve(image, weights, 1, ((0, 0), (0, 0)), 0)
        numpy.testing.assert_array_equal(self.device.conv2d(image, weights), plain)
        same = self.convolve(image, weights, 2, ((1, 1), (0, 1)), 7)
        result = self.device.conv2d(image, weights, stride=2, padding="same", input_zero_point=7)
        numpy.testing.assert_array_equal(result, same)
        result = systole.conv2d(image, weights, stride=(2, 2), padding=((1, 1), (0, 1)), input_zero_point=7)
        numpy.testing.assert_array_equal(result, same)

    def test_depthwise(self):
        image, weights = self.bytes(1, 6, 6, 8), self.bytes(8, 3, 3, 1)
        result = self.device.conv2d(image, weights, groups=8)
        channels = [self.convolve(image[..., c : c + 1], weights[c : c + 1], 1, ((0, 0), (0, 0)), 0) for c in range(8)]
        numpy.testing.assert_array_equal(result, numpy.concatenate(channels, axis=3))

    def test_pools(self):
        image = self.bytes(1, 6, 8, 3)
        blocks = image.reshape(1, 3, 2, 4, 2, 3)
        numpy.testing.assert_array_equal(self.device.max_pool(image, 2), blocks.max(axis=(2, 4)))
        averages = self.device.average_pool(image, (2, 2))
        self.assertLessEqual(abs(averages - blocks.mean(axis=(2, 4))).max(), 0.5)

    def test_views_are_read_as_they_look(self):
        a, b = self.bytes(6, 8), self.bytes(6, 4)
        sums = a.T.astype(int) @ b.astype(int)
        numpy.testing.assert_array_equal(self.device.matmul(a.T, b), sums)
        numpy.testing.assert_array_equal(self.device.matmul(a.T[::-1], b), sums[::-1])


class Errors(unittest.TestCase):
    def test_mistyped_options(self):
        """All names that may be given are listed, and the nearest is named."""
        path = NETWORKS / "dense" / "model.tflite"
        text = r"Network.load: there is no option 'precison' \(did you mean 'precision'\?\); there are config, .*stall_"
        with self.assertRaisesRegex(systole.InvalidArgument, text):
            systole.Network.load(path, precison="mx")
        with self.assertRaisesRegex(systole.InvalidArgument, r"'configuration' \(did you mean 'config'\?\)"):
            systole.Network.load(path, configuration="tiny")
        with self.assertRaisesRegex(
            systole.InvalidArgument, "Device: there is no option 'sed' .did you mean 'seed'..; there are host"
        ):
            systole.Device(sed=3)
        with self.assertRaisesRegex(
            systole.InvalidArgument, "device 'gpu'; give 'host', 'model', 'rtl' or a systole.D"
        ):
            systole.Network.load(path, device="gpu")

    def test_bad_values(self):
        device = systole.Device("tiny")
        a, image, weights = (
            numpy.zeros((3, 4), numpy.int8),
            numpy.zeros((1, 4, 4, 2), numpy.int8),
            numpy.zeros((2, 3, 3, 2), numpy.int8),
        )
        calls = {
            "config": lambda: systole.Device("colossal"),
            "back end": lambda: systole.Device("tiny", "fpga"),
            "option": lambda: systole.Device("tiny", speed=3),
            "negative option": lambda: systole.Device("tiny", memory_bytes=-1),
            "memory": lambda: systole.Device("tiny", memory_bytes=17),
            "type": lambda: device.matmul(a.astype(float), a.T),
            "sizes": lambda: device.matmul(a, a),
            "dimensions": lambda: device.matmul(a[0], a),
            "nothing": lambda: device.matmul(a[:0], a.T),
            "bias alone": lambda: device.matmul(a, a.T, bias=[1, 2, 3]),
            "bias of int64": lambda: device.matmul(a, a.T, bias=[1, 2, 3], scale=1.0),
            "scale": lambda: device.matmul(a, a.T, scale=-1.0),
            "scales": lambda: device.matmul(a, a.T, scale=[0.5, 0.5]),
            "rounding": lambda: device.matmul(a, a.T, scale=0.5, rounding="up"),
            "clamp": lambda: device.matmul(a, a.T, scale=0.5, clamp=(3, 400)),
            "empty clamp": lambda: device.matmul(a, a.T, scale=0.5, clamp=(3, 2)),
            "groups": lambda: device.conv2d(image, weights, groups=3),
            "stride": lambda: device.conv2d(image, weights, stride=0),
            "same without stride": lambda: device.conv2d(image, weights, stride=0, padding="same"),
            "padding": lambda: device.conv2d(image, weights, padding="full"),
            "pads": lambda: device.conv2d(image, weights, padding=-1),
            "image": lambda: device.conv2d(image[0], weights),
            "pool": lambda: device.max_pool(image, 9),
        }
        for name, call in calls.items():
            with self.subTest(name=name):
                with self.assertRaises(systole.Error) as caught:
                    call()
                self.assertIsInstance(caught.exception, ValueError)
                self.assertGreater(len(str(caught.exception)), 10)

    def test_classes(self):
        for name in systole.__all__:
            thing = getattr(systole, name)
            if inspect.isclass(thing) and issubclass(thing, Exception):
                self.assertTrue(issubclass(thing, systole.Error))
        self.assertTrue(issubclass(systole.DeviceTimeout, RuntimeError))

    def test_memory_that_is_full(self):
        with self.assertRaises(systole.Failure):
            systole.Device("tiny", memory_bytes=1 << 17).matmul(
                numpy.ones((400, 400), numpy.int8), numpy.ones((400, 400), numpy.int8)
            )


class Threads(unittest.TestCase):
    def multiply(self, device, wrong):
        random = numpy.random.default_rng(threading.get_ident())
        for _ in range(20):
            a, b = random.integers(-128, 128, (8, 40), numpy.int8), random.integers(-128, 128, (40, 8), numpy.int8)
            if (device.matmul(a, b) != a.astype(int) @ b.astype(int)).any():
                wrong.append(device)

    def on_threads(self, devices):
        wrong = []
        threads = [threading.Thread(target=self.multiply, args=(device, wrong)) for device in devices]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_devices_of_their_own(self):
        self.on_threads([systole.Device("tiny") for _ in range(4)])

    def test_a_device_for_all(self):
        self.on_threads([systole.Device("tiny")] * 4)


@unittest.skipUnless("tiny" in systole.rtl_configurations(), "this build has no core in configuration tiny")
class Core(unittest.TestCase):
    def test_cycles_and_progress(self):
        device = systole.Device("tiny", "rtl", memory_bytes=1 << 20)
        a, b = numpy.ones((40, 64), numpy.int8), numpy.ones((64, 40), numpy.int8)
        seen = []
        result = device.matmul(a, b, progress=lambda cycles, expected: seen.append((cycles, expected)))
        self.assertTrue((result == 64).all())
        statistics = device.statistics
        self.assertGreater(statistics["cycles"], 40 * 64 * 40 // 16)
        self.assertGreater(statistics["utilization"], 0.3)
        self.assertEqual(sum(statistics["causes"]["MXU"].values()), statistics["cycles"])
        self.assertTrue(seen)

    def test_a_hook_that_raises_is_no_harm(self):
        device = systole.Device("tiny", "rtl", memory_bytes=1 << 20)
        said = []
        hook, sys.unraisablehook = sys.unraisablehook, said.append
        try:
            ones = numpy.ones((40, 40), numpy.int8)
            self.assertTrue((device.matmul(ones, ones, progress=lambda *_: 1 / 0) == 40).all())
        finally:
            sys.unraisablehook = hook
        self.assertTrue(said)

    def test_ctrl_c_ends_a_run(self):
        device = systole.Device("tiny", "rtl")
        ones = numpy.ones((512, 512), numpy.int8)  # seconds
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            device.matmul(ones, ones)
        self.assertTrue((device.matmul(ones[:8, :8], ones[:8, :8]) == 8).all())

    def test_network(self):
        network = systole.Network.load(NETWORKS / "dense" / "model.tflite", "tiny", "rtl")
        x = expected("dense", "tflite_input0.npy")[:1].reshape(network.inputs[0].shape)
        wanted = systole.Network.load(NETWORKS / "dense" / "model.tflite").run(x)
        numpy.testing.assert_array_equal(network.run(x), wanted)
        layers = network.statistics["layers"]
        self.assertEqual(sum(layer.get("cycles", 0) for layer in layers), network.statistics["cycles"])
        with tempfile.TemporaryDirectory() as folder:
            network.write_report(Path(folder) / "dense.html")
            page = (Path(folder) / "dense.html").read_text()
            self.assertIn(layers[0]["name"], page)
            self.assertIn("systole.Network has no reference", page)
            network.write_report(Path(folder) / "dense.json")
            figures = json.loads((Path(folder) / "dense.json").read_text())
            self.assertEqual(figures["cycles"], network.statistics["cycles"])
            self.assertEqual(tuple(figures["layers"][0]["window"]), layers[0]["window"])
            with self.assertRaisesRegex(systole.Failure, "no/such"):
                network.write_report(Path(folder) / "no/such/page.html")


class Stubs(unittest.TestCase):
    """systole/__init__.pyi names what the package has, with the same parameters."""

    def setUp(self):
        folder = Path(systole.__file__).parent
        self.assertTrue((folder / "py.typed").exists())
        self.tree = ast.parse((folder / "__init__.pyi").read_text())

    def options_of(self, name):
        """What the **options of a function stand for, which the stub spells out."""
        if name == "__init__":
            with self.assertRaises(systole.InvalidArgument) as caught:
                systole.Device(no_such_option=1)
            return str(caught.exception).split("there are ")[1].split(", ")
        parameters = inspect.signature(getattr(systole.Device, name)).parameters.values()
        return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]

    def check(self, node, thing):
        wanted = list(inspect.signature(thing).parameters)
        names = [a.arg for a in node.args.posonlyargs + node.args.args]
        names += [node.args.vararg.arg] if node.args.vararg else []
        names += [a.arg for a in node.args.kwonlyargs] + ([node.args.kwarg.arg] if node.args.kwarg else [])
        names = [n for n in names if n != "cls"]
        if wanted[-1:] == ["options"] != names[-1:]:
            self.assertEqual(names[: len(wanted) - 1], wanted[:-1], node.name)
            self.assertEqual(sorted(names[len(wanted) - 1 :]), sorted(self.options_of(node.name)), node.name)
        else:
            self.assertEqual(names, wanted, node.name)

    def test_names_and_parameters(self):
        classes = {node.name: node for node in self.tree.body if isinstance(node, ast.ClassDef)}
        functions = {node.name: node for node in self.tree.body if isinstance(node, ast.FunctionDef)}
        self.assertEqual(set(classes) | set(functions), set(systole.__all__))
        for name in ("matmul", "conv2d", "default_device", "kernel", "register", "where", "sigmoid", "erf", "gelu"):
            self.check(functions[name], getattr(systole, name))
        for name in ("Device", "Network", "TensorInfo"):
            methods = {node.name: node for node in classes[name].body if isinstance(node, ast.FunctionDef)}
            public = {key for key in vars(getattr(systole, name)) if not key.startswith("_")} | {"__init__"}
            self.assertEqual({key for key in methods}, public)
            for key, node in methods.items():
                thing = inspect.getattr_static(getattr(systole, name), key)
                if not isinstance(thing, property):
                    self.check(node, getattr(getattr(systole, name), key))

    def test_everything_has_a_help_text(self):
        for name in ("Device", "Network", "TensorInfo", "matmul", "conv2d", "default_device"):
            thing = getattr(systole, name)
            self.assertTrue(thing.__doc__, name)
            for key, member in vars(thing).items() if inspect.isclass(thing) else ():
                if not key.startswith("_"):
                    self.assertTrue(inspect.getdoc(getattr(thing, key)), f"{name}.{key}")


if __name__ == "__main__":
    unittest.main(verbosity=int(os.environ.get("SYSTOLE_VERBOSE", "1")))
