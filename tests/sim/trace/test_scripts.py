#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/waves as a user calls it: test_scripts.py BUILD PROGRAM BLOCK [TESTCLASS]. PROGRAM and BLOCK, the bench of a
block, fail on purpose."""
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

BUILD, FAILING, BLOCK = Path(sys.argv.pop(1)), sys.argv.pop(1), sys.argv.pop(1)
ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/wave_tools"))
import timing_pictures
from common import wave_values
from recording import find_test


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bin").symlink_to(BUILD / "bin")
        tests = {"good": "Passes", "bad": "Fails", "block": "FailsWithoutADevice"}
        blocks = {"asserts": "Asserts", "compares": "Compares", "throws": "Throws", "works": "Passes"}
        self.left = self.folder / "left.fst"
        trace = f'"SYSTOLE_TRACE={self.left};SYSTOLE_TRACE_ON_ERROR=50"'
        (self.folder / "CTestTestfile.cmake").write_text(
            "".join(f'add_test({name} "{FAILING}" "--gtest_filter=OnPurpose.{test}")\n' for name, test in tests.items())
            + "".join(
                f'add_test({name} "{BLOCK}" "--gtest_filter=InABlock.{test}")\n'
                f"set_tests_properties({name} PROPERTIES ENVIRONMENT {trace})\n"
                for name, test in blocks.items()
            )
        )

    def waves(self, *arguments, environment=None):
        clean = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        return subprocess.run(
            [ROOT / "scripts/waves", "--build", self.folder, "--out", self.folder / "out", *arguments],
            capture_output=True,
            text=True,
            env={**clean, **(environment or {})},
        )

    def cycles(self, name):
        known = wave_values(self.folder, self.folder / "out" / f"{name}.fst")
        return known["first_time"] // 1000, known["last_time"] // 1000


class Tests(Case):
    def test_a_failing_test_shows_its_last_cycles(self):
        done = self.waves("bad", "--last", "700")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        failed = int(re.search(r"failed in cycle (\d+)", done.stdout)[1])
        first, last = self.cycles("bad")
        self.assertEqual(last, failed - 1)
        self.assertLessEqual(first, failed - 700)
        self.assertIn(f"has cycles {first} to {last}", done.stdout)
        command = re.search(r"^  gtkwave (\S+) (\S+)$", done.stdout, re.M)
        view = (self.folder / "out/bad.gtkw").read_text()
        self.assertTrue(command[2].endswith("out/bad.gtkw"))
        self.assertRegex(view, rf"(?m)^\*\S+ {last * 1000} ")
        for name in re.findall(r"^\^>?1 (\S+)$", view, re.M):
            self.assertTrue(Path(name).exists(), name)

    def test_a_good_test_has_none(self):
        done = self.waves("good")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no failure", done.stdout)
        self.assertFalse((self.folder / "out/good.fst").exists())

    def test_cycles_of_a_good_test(self):
        done = self.waves("good", "--from", "100", "--to", "150", "--view", "csr", "--scope", "tpu_core.u_csr")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.cycles("good"), (100, 150))
        self.assertIn("u_csr", (self.folder / "out/good.gtkw").read_text())

    def test_a_test_without_a_core(self):
        done = self.waves("block")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no waves", done.stderr)

    def test_gtkwave_is_started_where_there_is_a_display(self):
        program = self.folder / "gtkwave"
        program.write_text(f'#!/bin/sh\necho "$@" > {self.folder}/opened\n')
        program.chmod(0o755)
        there = {"DISPLAY": ":9", "PATH": f"{self.folder}:{os.environ['PATH']}"}
        done = self.waves("bad", environment=there)
        self.assertNotIn("open them with", done.stdout)
        for _ in range(100):
            if (self.folder / "opened").exists() and (self.folder / "opened").read_text():
                break
            subprocess.run(["sleep", "0.1"])
        self.assertRegex((self.folder / "opened").read_text(), r"bad\.fst .*bad\.gtkw")
        self.assertIn("open them with", self.waves("bad", "--no-open", environment=there).stdout)


def marker(view):
    """The time at which a view has its marker."""
    return int(re.search(r"^\*\S+ (\d+) ", view.read_text(), re.M)[1])


def view_signals(text):
    """The signals that a view names, without the places of their bits."""
    lines = [line for line in text.splitlines() if line[:1] not in ("@", "-", "[", "*", "^")]
    return {name for line in lines for name in re.findall(r"TOP\.[\w.\[\]:]+", line)}


def without_range(name):
    return re.sub(r"\[[^\]]*\]", "", name)


class Blocks(Case):
    """Every cycle of these benches from 3000 on is wrong."""

    FIRST_WRONG = {"asserts": 3000, "compares": 3001, "throws": 3001}

    def test_a_failing_bench_stops_and_shows_the_cycle(self):
        for name, wrong in self.FIRST_WRONG.items():
            done = self.waves(name, "--last", "500")
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertEqual(len(re.findall(r": Failure$", done.stdout, re.M)), 1, done.stdout)
            self.assertIn(f"failed in cycle {wrong} of Vkernel_memory_dim4, seed 5\n", done.stdout)
            self.assertIn("3001 cycles were begun", done.stdout)
            first, last = self.cycles(name)
            self.assertEqual(last, wrong)
            self.assertLessEqual(first, wrong - 500)
            self.assertEqual(marker(self.folder / f"out/{name}.gtkw"), wrong * 1000)

    def test_a_failed_assertion_tells_its_time_and_values(self):
        text = self.waves("asserts").stdout
        self.assertRegex(
            text,
            r"\nrow 2050 of 2048\n\[3000500\] %Error: .*\.RowIsThere: 32'\(wr_row_i\) < tpu_kernel_pkg::MEMORY_WORDS",
        )

    def test_the_wrong_values_are_in_the_waveform(self):
        self.waves("asserts")
        values = wave_values(self.folder, self.folder / "out/asserts.fst", "TOP.tpu_kernel_memory.wr_row_i[15:0]")
        time, value = values["TOP.tpu_kernel_memory.wr_row_i[15:0]"][-1]
        self.assertEqual((time, int(value, 2)), (3_000_000, 2050))

    def test_ctest_leaves_the_waveform_and_the_command_that_opens_it(self):
        command = ["ctest", "--test-dir", self.folder, "--output-on-failure", "-R", "asserts"]
        text = subprocess.run(command, capture_output=True, text=True).stdout
        self.assertTrue(self.left.exists(), text)
        shown = re.search(r"open them with\n *(\S+/waves) --open (\S+)", text)
        self.assertEqual(shown[2], str(self.left), text)
        done = self.waves("--open", self.left, "--view", "rtl_kernel_memory")
        self.assertEqual(done.returncode, 0, done.stderr)
        view = self.left.with_suffix(".gtkw")
        self.assertEqual(marker(view), 3_000_000)
        self.assertIn("TOP.tpu_kernel_memory.wr_row_i[15:0]", view_signals(view.read_text()))

    def test_without_a_waveform_the_command_that_makes_one(self):
        done = subprocess.run([BLOCK, "--gtest_filter=*.Compares"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"with a waveform:\n  \S*scripts/waves rtl_kernel_memory\n")

    def test_a_good_bench_leaves_nothing(self):
        done = self.waves("works")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no failure", done.stdout)
        self.assertFalse((self.folder / "out/works.fst").exists() or self.left.exists())

    def test_cycles_of_a_good_bench(self):
        self.assertEqual(self.waves("works", "--from", "10", "--to", "20").returncode, 0)
        self.assertEqual(self.cycles("works"), (10, 20))

    def test_assertions_that_are_expected_do_not_end_a_test(self):
        done = subprocess.run([BLOCK, "--gtest_filter=*.ExpectsTheAssertion"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("3100 cycles were begun", done.stdout)

    def record(self, name):
        """The waveform of the first cycles of a test of a block."""
        command, folder, _ = find_test(BUILD, name)
        fst = self.folder / f"{name}.fst"
        trace = {"SYSTOLE_TRACE": str(fst), "SYSTOLE_TRACE_FROM": "0", "SYSTOLE_TRACE_TO": "2"}
        running = subprocess.Popen(command, cwd=folder, env={**os.environ, **trace}, stdout=subprocess.DEVNULL)
        while running.poll() is None and not fst.exists():
            time.sleep(0.02)
        running.kill()
        running.wait()
        return fst

    def test_the_view_of_every_block_names_signals_that_exist(self):
        listed = subprocess.run(["ctest", "--test-dir", BUILD, "-N", "-L", "^rtl$"], capture_output=True, text=True)
        names = re.findall(r": (rtl_\w+)$", listed.stdout, re.M)
        self.assertGreater(len(names), 20)
        views = {path.stem for path in (ROOT / "waves/views").glob("rtl_*.gtkw")}
        self.assertEqual(views, set(names))
        for name in names:
            there = set(wave_values(BUILD, self.record(name))["signals"])
            tops = {".".join(signal.split(".")[:2]) + "." for signal in there}
            text = (ROOT / f"waves/views/{name}.gtkw").read_text()
            shown = {signal for signal in view_signals(text) if signal.startswith(tuple(tops))}
            self.assertGreater(len(shown), 4, name)
            found = {without_range(signal) for signal in shown & there}
            self.assertEqual({without_range(signal) for signal in shown} - found, set(), name)


class Commands(Case):
    def test_a_whole_run_opens_at_the_doorbell(self):
        done = self.waves("--from", "0", "--", "matmul", "--config", "tiny", "--m", "4", "--n", "4", "--k", "4")
        self.assertEqual(done.returncode, 0, done.stderr)
        fst = self.folder / "out/matmul.fst"
        rings = wave_values(self.folder, fst, "TOP.tpu_core.doorbell")["TOP.tpu_core.doorbell"]
        doorbell = next(time for time, value in rings if value == "1" and time > 0) // 1000 * 1000
        self.assertGreater(doorbell, 100_000, "behind the reset")
        self.waves("--open", fst)
        for view in (self.folder / "out/matmul.gtkw", fst.with_suffix(".gtkw")):
            self.assertEqual(marker(view), doorbell)
            self.assertEqual(re.search(r"^\[timestart\] (\d+)$", view.read_text(), re.M)[1], str(doorbell - 40_000))
        self.waves("--open", fst, "--from", "150")
        self.assertEqual(marker(fst.with_suffix(".gtkw")), 150_000)
        done = self.waves("--open", fst, "--from", "99000")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"--from 99000: .*matmul.fst has cycles 0 to \d+")
        for name, text in (
            (fst, "doorbel: no such signal .*; there are TOP.tpu_core.doorbell"),
            ("no.fst", "no such file"),
        ):
            values = subprocess.run(
                [BUILD / "bin/wave_values", name, "TOP.tpu_core.doorbel"], capture_output=True, text=True
            )
            self.assertEqual(values.returncode, 2)
            self.assertRegex(values.stderr, text)

    def test_cycles_of_a_command(self):
        done = self.waves(
            "--from", "200", "--to", "260", "--", "matmul", "--config", "tiny", "--m", "4", "--n", "4", "--k", "4"
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("bit-exact", done.stdout)
        self.assertEqual(self.cycles("matmul"), (200, 260))

    def test_the_exit_code_is_that_of_the_command(self):
        self.assertEqual(self.waves("--", "matmul", "--config", "tiny", "--m", "0").returncode, 2)

    def test_what_makes_no_sense(self):
        for arguments, text in (
            (["goood"], "near: good"),
            (["good", "--view", "nothing"], "available: accumulator"),
            ([], "name one test"),
            (["good", "--last", "5", "--to", "3"], "--last"),
            (["good", "--from", "9000000"], "no cycle was recorded"),
            (["--"], "which systole command"),
            (["--build", "/nowhere", "good"], "/nowhere"),
            (["--open", "/nowhere.fst"], "no waveform /nowhere.fst"),
        ):
            done = self.waves(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(text, done.stderr)


class Pictures(Case):
    def test_a_picture_that_is_not_true_is_found(self):
        options = mock.Mock(build=self.folder, check=True)
        (self.folder / "CTestTestfile.cmake").touch()
        with mock.patch.object(timing_pictures, "FOLDER", self.folder):
            (self.folder / "pictures.toml").write_text((ROOT / "rtl/timing/pictures.toml").read_text())
            for path in (ROOT / "rtl/timing").glob("*.svg"):
                (self.folder / path.name).write_text(path.read_text())
            self.assertEqual(timing_pictures.main(options), 0)
            place = self.folder / "accumulate.svg"
            place.write_text(place.read_text().replace(">11940<", ">11941<"))
            self.assertEqual(timing_pictures.main(options), 1)
            place.unlink()
            self.assertEqual(timing_pictures.main(options), 1)

    def test_every_picture_is_in_the_page(self):
        page = (ROOT / "rtl/timing/README.md").read_text()
        names = sorted(path.name for path in (ROOT / "rtl/timing").glob("*.svg"))
        self.assertEqual(sorted(re.findall(r"\((\w+\.svg)\)", page)), names)
        self.assertGreaterEqual(len(names), 7)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
