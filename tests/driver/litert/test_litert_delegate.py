# SPDX-License-Identifier: Apache-2.0
"""What LiteRT's users see of the delegate besides numbers: options, what it takes and leaves, states, other shapes,
threads, reports."""
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/reference"))
from ai_edge_litert.interpreter import Interpreter, OpResolverType, load_delegate
from delegated import Delegated, interpreter_of, outputs_of
from scale import Scale
from tflite_writer import TfliteModel

import systole

NETWORKS = ROOT / "tests/vectors/networks"
RNG = np.random.default_rng(1)


def additions(*kinds, dtype=np.float32, shape=(2, 3)):
    """A chain of operators of two operands, the second of which is the input of the network; ZEROS_LIKE has one."""
    model = TfliteModel()
    scale = Scale(0.5, 3) if np.dtype(dtype).itemsize == 1 else None
    first = last = model.tensor("x", shape, dtype, scale)
    for index, kind in enumerate(kinds):
        result = model.tensor(f"y{index}", shape, dtype, scale)
        options = {"ADD": "AddOptions", "MUL": "MulOptions"}.get(kind)
        model.operator(kind, [last] if kind == "ZEROS_LIKE" else [last, first], [result], options)
        last = result
    return model.bytes([first], [last])


def reals(shape=(4, 2, 3)):
    return [RNG.uniform(1, 4, shape).astype(np.float32)]


class Options(unittest.TestCase):
    def refusal(self, **options):
        with self.assertRaises(ValueError) as caught:
            load_delegate(systole.litert_delegate_path(), options)
        return str(caught.exception)

    def test_an_unknown_option(self):
        self.assertIn(
            "systole: option devise: 'rtl' is given, but there is no such option; there are device, config, " "report",
            self.refusal(devise="rtl"),
        )

    def test_values(self):
        self.assertRegex(self.refusal(device="gpu"), "option device: 'gpu' is not one of model(, rtl)?")
        self.assertIn("option config: 'huge' is not one of tiny, small,", self.refusal(config="huge"))
        self.assertIn("config: 'huge'", self.refusal(device="rtl", config="huge"))

    def test_a_report_that_cannot_be_written(self):
        self.assertIn("cannot write /nowhere/report.json", self.refusal(report="/nowhere/report.json"))

    def test_the_path(self):
        self.assertTrue(Path(systole.litert_delegate_path()).is_absolute())
        with mock.patch("os.path.exists", return_value=False):
            self.assertRaisesRegex(systole.Failure, "has not been built|is not there", systole.litert_delegate_path)


class Partitions(unittest.TestCase):
    def compare(self, model, inputs, **options):
        delegated = Delegated(model, **options)
        for a, b in zip(delegated.outputs(inputs), outputs_of(interpreter_of(model), inputs)):
            np.testing.assert_array_equal(a, b)
        return delegated

    def test_what_the_compiler_does_not_read_is_left(self):
        delegated = self.compare(additions("ADD", "ZEROS_LIKE", "MUL", "ADD"), reals())
        (left,) = delegated.left()
        self.assertEqual((left["node"], left["type"], left["name"]), (1, "ZEROS_LIKE", "y1"))
        self.assertIn("operator 1 (ZEROS_LIKE): is not supported", left["reason"])
        self.assertEqual([part["nodes"] for part in delegated.report["partitions"]], [[0], [2, 3]])
        self.assertEqual([part["runs"] for part in delegated.report["partitions"]], [4, 4])

    def test_what_the_host_would_compute_is_left(self):
        delegated = self.compare(additions("FLOOR_MOD"), reals())
        self.assertEqual(
            [(node["type"], node["reason"]) for node in delegated.left()], [("FLOOR_MOD", "modulo of float32")]
        )
        self.assertEqual(delegated.report["partitions"], [])

    def test_states_stay_in_the_interpreter(self):
        folder = NETWORKS / "streaming"
        delegated = self.compare((folder / "model.tflite").read_bytes(), [np.load(folder / "tflite_input0.npy")])
        self.assertGreater(len(delegated.report["partitions"]), 0)
        kept = {node["type"]: node["reason"] for node in delegated.left()}
        self.assertIn("variables of the interpreter", kept["READ_VARIABLE"])

    def test_networks(self):
        for name in ("dense", "residual", "scales", "tables", "moves"):
            folder = NETWORKS / name
            inputs = [np.load(path) for path in sorted(folder.glob("tflite_input*.npy"))]
            delegated = self.compare((folder / "model.tflite").read_bytes(), [value[:3] for value in inputs])
            self.assertGreater(len(delegated.report["partitions"]), 0, name)


class Numbers(unittest.TestCase):
    def seen(self, kind, *values):
        """What the delegate gives, and LiteRT."""
        model = TfliteModel()
        x, y = (model.tensor(name, (1, len(values)), np.float32) for name in "xy")
        options = {"ADD": "AddOptions", "MUL": "MulOptions"}.get(kind)
        model.operator(kind, [x, x] if options else [x], [y], options)
        content, inputs = model.bytes([x], [y]), [np.array([[values]], np.float32)]
        delegated = Delegated(content)
        results = delegated.outputs(inputs)[0], outputs_of(interpreter_of(content), inputs)[0]
        self.assertEqual(delegated.left(), [])
        return [result.reshape(-1).tolist() for result in results]

    def test_of_float32_that_the_page_tells(self):
        greatest, infinite = float(np.finfo(np.float32).max), float("inf")
        for kind, least in (("ADD", -infinite), ("MUL", infinite)):
            here, there = self.seen(kind, infinite, -infinite, 3e38)
            self.assertEqual(here, [infinite, least, infinite])
            self.assertEqual(there, [min(max(value, -greatest), greatest) for value in here])
        for kind in ("RELU", "RELU6"):
            here, there = self.seen(kind, -0.0, 1.5, -2, 1e-42)
            self.assertEqual((str(here[0]), str(there[0])), ("0.0", "-0.0"))
            self.assertEqual(here[1:3], there[1:3])
            self.assertEqual(here[3], 0)


class Interpreters(unittest.TestCase):
    def test_another_shape(self):
        model = additions("ADD", "MUL", dtype=np.int8)
        delegated = Delegated(model)
        alone = interpreter_of(model)
        values = RNG.integers(-128, 128, (3, 5, 3), np.int8)
        for interpreter in (delegated.interpreter, alone):
            interpreter.resize_tensor_input(interpreter.get_input_details()[0]["index"], (5, 3))
            interpreter.allocate_tensors()
        seen, expected = delegated.outputs([values]), outputs_of(alone, [values])
        np.testing.assert_array_equal(seen[0], expected[0])
        self.assertEqual(delegated.left(), [])
        self.assertEqual(len(delegated.report["partitions"]), 1)

    def test_several_of_one_delegate_in_threads(self):
        delegate = load_delegate(systole.litert_delegate_path(), {})
        models = [additions("ADD"), additions("MUL", "ADD"), additions("ADD", "ADD", dtype=np.int8)]
        values = [reals(), reals(), [RNG.integers(-128, 128, (4, 2, 3), np.int8)]]
        interpreters = [interpreter_of(model, delegate) for model in models]
        seen = [None] * len(models)

        def run(index):
            seen[index] = outputs_of(interpreters[index], values[index])

        threads = [threading.Thread(target=run, args=(index,)) for index in range(len(models))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for model, inputs, outputs in zip(models, values, seen):
            np.testing.assert_array_equal(outputs[0], outputs_of(interpreter_of(model), inputs)[0])

    @unittest.skipUnless("tiny" in systole.rtl_configurations(), "this build has no core of configuration tiny")
    def test_machines_of_several_libraries_take_turns(self):
        folder = NETWORKS / "dense"
        model, inputs = (folder / "model.tflite").read_bytes(), [np.load(folder / "tflite_input0.npy")[:6]]
        expected = outputs_of(interpreter_of(model), inputs)[0]
        with tempfile.TemporaryDirectory(prefix="systole-litert-") as copies:
            other = shutil.copy(systole.litert_delegate_path(), copies)
            options = {"device": "rtl", "config": "tiny"}
            paths = (systole.litert_delegate_path(), other)
            interpreters = [interpreter_of(model, load_delegate(path, options)) for path in paths]
            seen = [[], []]

            def run(index):
                seen[index] = [outputs_of(interpreters[index], inputs)[0] for _ in range(3)]

            threads = [threading.Thread(target=run, args=(index,)) for index in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            for outputs in seen:
                self.assertEqual(len(outputs), 3)
                np.testing.assert_array_equal(outputs, [expected] * 3)

    def test_with_the_default_kernels(self):
        folder = NETWORKS / "dense"
        model = (folder / "model.tflite").read_bytes()
        delegate = load_delegate(systole.litert_delegate_path(), {})
        interpreter = Interpreter(model_content=model, experimental_delegates=[delegate])
        interpreter.allocate_tensors()
        inputs = [np.load(folder / "tflite_input0.npy")[:3]]
        np.testing.assert_array_equal(outputs_of(interpreter, inputs)[0], outputs_of(interpreter_of(model), inputs)[0])


class Page(unittest.TestCase):
    def test_its_programs_run(self):
        text = (ROOT / "driver/litert/README.md").read_text()
        programs = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
        self.assertEqual(len(programs), 2)
        with tempfile.TemporaryDirectory(prefix="systole-litert-") as folder:
            shutil.copy(NETWORKS / "dense/model.tflite", folder)
            for program in programs:
                if "default" not in systole.rtl_configurations():
                    program = program.replace('"rtl"', '"model"')
                command = [sys.executable, "-B", "-c", program]
                run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
                self.assertEqual(run.returncode, 0, run.stderr)
            self.assertRegex(run.stdout, r"(?m)^1 FULLY_CONNECTED systole")


class Reports(unittest.TestCase):
    @unittest.skipUnless("tiny" in systole.rtl_configurations(), "this build has no core of configuration tiny")
    def test_cycles_on_the_rtl(self):
        folder = NETWORKS / "dense"
        model, inputs = (folder / "model.tflite").read_bytes(), [np.load(folder / "tflite_input0.npy")[:2]]
        delegated = Delegated(model, device="rtl", config="tiny")
        seen = delegated.outputs(inputs)
        np.testing.assert_array_equal(seen[0], outputs_of(interpreter_of(model), inputs)[0])
        report = delegated.report
        self.assertEqual((report["device"], report["configuration"]), ("rtl", "tiny"))
        (part,) = report["partitions"]
        self.assertGreater(part["cycles"], 0)
        self.assertEqual(part["cycles"], sum(layer.get("cycles", 0) for layer in part["layers"]))
        network = systole.Network.load(folder / "model.tflite", device=systole.Device("tiny", "rtl"))
        network.run(inputs[0][1])
        self.assertEqual(part["cycles"], network.statistics["cycles"])

    def test_a_report_that_can_no_longer_be_written(self):
        with tempfile.TemporaryDirectory(prefix="systole-litert-") as folder:
            path = Path(folder) / "inside" / "report.json"
            path.parent.mkdir()
            delegate = load_delegate(systole.litert_delegate_path(), {"report": str(path)})
            interpreter = interpreter_of(additions("ADD"), delegate)
            path.unlink()
            path.mkdir()
            interpreter.set_tensor(interpreter.get_input_details()[0]["index"], reals((2, 3))[0])
            self.assertRaisesRegex(RuntimeError, "systole: cannot write", interpreter.invoke)


if __name__ == "__main__":
    unittest.main()
