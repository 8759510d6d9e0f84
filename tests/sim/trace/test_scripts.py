#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/waves as a user calls it: test_scripts.py BUILD PROGRAM [TESTCLASS]. PROGRAM fails on purpose."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

BUILD, FAILING = Path(sys.argv.pop(1)), sys.argv.pop(1)
ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/wave_tools"))
import timing_pictures
from common import wave_values


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bin").symlink_to(BUILD / "bin")
        tests = {"good": "Passes", "bad": "Fails", "block": "FailsWithoutADevice"}
        (self.folder / "CTestTestfile.cmake").write_text(
            "".join(f'add_test({name} "{FAILING}" "--gtest_filter=OnPurpose.{test}")\n' for name, test in tests.items())
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


class Commands(Case):
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
