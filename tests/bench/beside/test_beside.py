#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/beside: rows, table, files and what is skipped; nothing is measured here."""
import io
import json
import re
import struct
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/beside_tools"))
import core_cycles
import side_by_side
from side_by_side import Missing, Row


def program():
    """scripts/beside as a module."""
    loader = SourceFileLoader("beside_program", str(ROOT / "scripts/beside"))
    module = module_from_spec(spec_from_loader("beside_program", loader))
    loader.exec_module(module)
    return module


class Rows(unittest.TestCase):
    def test_the_core_is_timed_by_its_cycles_and_the_clock(self):
        row = side_by_side.core_row("mobilenetv2", {"arithmetic": "int8", "cycles": 2_000_000}, 0.5)
        self.assertAlmostEqual(row.seconds, 4e-3)
        self.assertAlmostEqual(row.macs_per_cycle(), 300_774_272 / 2e6)
        self.assertAlmostEqual(row.macs_per_second(), 300_774_272 / 4e-3)

    def test_a_clock_gives_macs_per_cycle_and_none_gives_none(self):
        self.assertAlmostEqual(Row("cnn", "CPU", "float32", 1e-3, 3_000_000, 2.0).macs_per_cycle(), 1.5)
        self.assertIsNone(Row("cnn", "CPU", "float32", 1e-3, 3_000_000).macs_per_cycle())

    def test_macs_of_the_cnn_are_those_of_its_layers(self):
        forward = 26 * 26 * 32 * 9 + 11 * 11 * 64 * 288 + 1600 * 128 + 1280
        self.assertEqual(side_by_side.WORKS["cnn"].macs, forward)
        step = side_by_side.WORKS["cnn_step"].macs
        self.assertEqual(step, 64 * (3 * forward - 26 * 26 * 32 * 9))  # no gradient of the pictures

    def test_the_median_counts_not_the_mean(self):
        now = iter([0, 0, 1, 1, 1, 2, 2, 2, 92, 92])  # three calls, of which one is slow; before and after each
        calls = []
        with mock.patch.object(side_by_side.time, "perf_counter", lambda: next(now)):
            self.assertEqual(side_by_side.timed(lambda: calls.append(1), 50), 1)
        self.assertEqual(len(calls), 5, "two before the measurement")


class Clock(unittest.TestCase):
    def test_cpuinfo(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "cpuinfo"
            file.write_text("processor\t: 0\ncpu MHz\t\t: 2596.124\nprocessor\t: 1\ncpu MHz\t\t: 3100.5\n")
            self.assertAlmostEqual(side_by_side.cpu_clock(file), 3.1005)
            file.write_text("processor\t: 0\n")
            self.assertIsNone(side_by_side.cpu_clock(file))
        self.assertIsNone(side_by_side.cpu_clock(file))


class Table(unittest.TestCase):
    def test_text(self):
        rows = [
            side_by_side.core_row("cnn", {"arithmetic": "int8", "cycles": 26_310}, 1),
            Row("cnn", "PyTorch, CPU", "float32", 181.4e-6, 2_631_040, 2.5),
            Row("resnet50", "PyTorch, CPU", "float32", 1.25, 4_089_184_256),
        ]
        lines = side_by_side.table(rows).split("\n")
        period = side_by_side.synthesis_period()
        titles = [
            "work",
            "by",
            "arithmetic",
            "cycles",
            "time",
            f"time at {1e3 / period:.1f} MHz",
            "MACs/s",
            "MACs/cycle",
        ]
        self.assertEqual(re.split(" {2,}", lines[0]), titles)
        slow = side_by_side.duration(26_310 * period * 1e-9)
        self.assertRegex(lines[1], rf"^MNIST CNN, a picture +systole +int8 +26,310 +26.3 us +{slow} +100.0 G +100.0$")
        self.assertRegex(lines[2], r"^ +PyTorch, CPU +float32 +- +181 us +- +14.5 G +5.8$")
        self.assertRegex(lines[3], r"^ResNet-50, 224 x 224 +PyTorch, CPU +float32 +- +1.25 s +- +3.3 G +-$")

    def test_the_clock_of_synthesis_is_that_of_the_page(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "synthesis.md"
            page.write_text("| tiny | ECP5 | 1 | 2 | 3 | 4 | 25.00 ns, 22 levels |\n")
            self.assertEqual(side_by_side.synthesis_period(page), 25)
            page.write_text("| tiny | generic | 1 |\n")
            with self.assertRaisesRegex(Missing, "no longest path"):
                side_by_side.synthesis_period(page)

    def test_the_page_has_the_times_of_the_table(self):
        """Lines of the core in the README: cycles, and both times that follow."""
        page = (ROOT / "scripts/beside_tools/README.md").read_text()
        lines = re.findall(r"\| systole, 1 GHz \| [^|]*\| ([\d,]+) \| ([^|]*) \| ([^|]*) \|", page)
        self.assertGreater(len(lines), 5)
        for cycles, fast, slow in lines:
            count = int(cycles.replace(",", ""))
            self.assertEqual(fast, side_by_side.duration(count * 1e-9))
            self.assertEqual(slow, side_by_side.duration(count * side_by_side.synthesis_period() * 1e-9))
        self.assertIn(f"| time at {1e3 / side_by_side.synthesis_period():.1f} MHz |", page)

    def test_durations(self):
        for seconds, text in {2: "2.00 s", 0.0164: "16.4 ms", 999e-6: "999 us", 1e-7: "0.10 us"}.items():
            self.assertEqual(side_by_side.duration(seconds), text)

    def test_notes_say_where_the_clock_is_from(self):
        rows = [Row("cnn", "PyTorch, CPU", "float32", 1e-3, 1, 2.5)]
        self.assertIn("as /proc/cpuinfo has it", side_by_side.notes(rows, 1, 2, None))
        self.assertIn("2.5 GHz, as given", side_by_side.notes(rows, 1, 2, 2.5))
        self.assertNotIn("core ", side_by_side.notes(rows, 1, 2, None))


class Core(unittest.TestCase):
    def test_what_runs_on_the_host_is_not_counted(self):
        told = {"operators": {"device": 3, "host": 0}, "cycles": 7}
        self.assertEqual(core_cycles.run_of("cnn", "int8", told), {"arithmetic": "int8", "cycles": 7})
        told["operators"]["host"] = 2
        with self.assertRaisesRegex(Missing, "2 operators ran on the host"):
            core_cycles.run_of("cnn", "int8", told)

    def test_a_training_step_of_a_program_that_does_not_count_it(self):
        step = {"operators": {"host": 0}, "cycles": 5}
        for told, cycles in (({"device_step": step}, 5), ({}, None)):
            with mock.patch.object(core_cycles, "report", return_value=told):
                if cycles is None:
                    self.assertRaisesRegex(Missing, "does not tell its cycles", core_cycles.cnn_step, "systole")
                else:
                    self.assertEqual(core_cycles.cnn_step("systole")[0]["cycles"], cycles)

    def test_pictures_are_idx_files(self):
        with tempfile.TemporaryDirectory() as folder:
            _, images, _, labels = core_cycles.pictures(folder)
            self.assertEqual(struct.unpack(">4I", images.read_bytes()[:16]), (2051, 64, 28, 28))
            self.assertEqual(len(images.read_bytes()), 16 + 64 * 28 * 28)
            self.assertEqual(len(labels.read_bytes()), 8 + 64)
            self.assertLess(max(labels.read_bytes()[8:]), 10)

    def test_a_program_that_is_not_there(self):
        with self.assertRaisesRegex(core_cycles.Failure, "scripts/build makes it"):
            core_cycles.report("/nowhere/systole", "bench")

    def test_kept_cycles(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "core.json"
            runs = {"cnn": [{"arithmetic": "int8", "cycles": 7}]}
            file.write_text(core_cycles.text_of(runs))
            self.assertEqual(core_cycles.read(file, ["cnn", "resnet50"]), runs)
            file.write_text("[]")
            with self.assertRaisesRegex(core_cycles.Failure, "no cycles of scripts/beside"):
                core_cycles.read(file, ["cnn"])


class Program(unittest.TestCase):
    def run_with(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        absent = {"torch": None, "onnxruntime": None}  # which makes an import fail
        for judge in ("torch_times", "runtime_times"):
            sys.modules.pop(judge, None)
        with mock.patch.dict(sys.modules, absent), mock.patch.object(sys, "argv", ["beside", *arguments]):
            with redirect_stdout(out), redirect_stderr(err):
                code = program().main()
        return code, out.getvalue(), err.getvalue()

    def test_core_alone_where_nothing_else_is(self):
        with tempfile.TemporaryDirectory() as folder:
            core, table = Path(folder) / "core.json", Path(folder) / "beside.json"
            core.write_text(core_cycles.text_of({"mobilenetv2": [{"arithmetic": "int8", "cycles": 1_518_010}]}))
            code, out, _ = self.run_with("--only", "mobilenetv2", "--core", str(core), "--json", str(table))
            self.assertEqual(code, 0)
            self.assertRegex(
                out, r"MobileNetV2, 224 x 224 +systole +int8 +1,518,010 +1.52 ms +[0-9.]+ ms +198.1 G +198.1\n"
            )
            self.assertIn("skipped  PyTorch", out)
            self.assertIn("skipped  ONNX Runtime", out)
            told = json.loads(table.read_text())
            self.assertEqual(told["rows"][0]["cycles"], 1_518_010)
            self.assertAlmostEqual(told["rows"][0]["macs_per_cycle"], 300_774_272 / 1_518_010)
            self.assertEqual(len(told["skipped"]), 2)

    def test_a_core_that_is_not_built(self):
        code, _, err = self.run_with("--only", "mobilenetv2", "--build", "/nowhere")
        self.assertEqual(code, 2)
        self.assertIn("scripts/build makes it", err)

    def test_a_clock_of_nothing(self):
        with self.assertRaises(SystemExit):
            self.run_with("--clock", "0")


if __name__ == "__main__":
    unittest.main()
