#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/baseline notices what it should: test_baseline.py BUILD_DIR CONFIGURATION [TESTCLASS]. The configuration is
one of which the build has a core."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD, CONFIGURATION = (sys.argv.pop(1), sys.argv.pop(1)) if len(sys.argv) > 2 else ("build/release", "tiny")
ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/loop"))
import baseline
from baseline import Row


def run(*arguments):
    return subprocess.run([ROOT / "scripts/baseline", *map(str, arguments)], capture_output=True, text=True)


class Compare(unittest.TestCase):
    RECORDED = {
        "tiny": {"a": Row(1000, 0.5), "b": Row(2000, 0.5), "c": Row(3000, 0.5)},
        "default": {"a": Row(1564, 0.655)},
    }

    def texts(self, measured, complete=False):
        return [(d.kind, d.text()) for d in baseline.compare(self.RECORDED, measured, complete)]

    def test_the_same_is_no_difference(self):
        self.assertEqual(self.texts(self.RECORDED, complete=True), [])

    def test_regression_and_improvement_are_named(self):
        self.assertEqual(
            self.texts({"default": {"a": Row(1570, 0.65)}}),
            [("slower", "a on default: 1,564 -> 1,570 cycles (+0.4 %)")],
        )
        self.assertEqual(
            self.texts({"tiny": {"b": Row(1990, 0.51)}}), [("faster", "b on tiny: 2,000 -> 1,990 cycles (-0.5 %)")]
        )

    def test_rows_that_come_and_go(self):
        measured = {"tiny": {"a": Row(1000, 0.5), "b": Row(2000, 0.5), "d": Row(7, 0.1)}}
        new = ("new", "d on tiny: 7 cycles, not recorded")
        self.assertEqual(self.texts(measured), [new])
        gone = ("gone", "c on tiny: recorded with 3,000 cycles, but there is no such workload any more")
        self.assertEqual(self.texts(measured, complete=True), [new, gone])
        self.assertEqual(self.texts({"large": {"a": Row(9, 0.5)}}), [("new", "a on large: 9 cycles, not recorded")])

    def test_text_and_back(self):
        text = baseline.text_of(self.RECORDED)
        self.assertEqual(baseline.parse(text, "text"), self.RECORDED)
        self.assertEqual(baseline.text_of(baseline.parse(text, "text")), text)

    def test_no_baseline_is_said(self):
        for text in ("", "[]", "{}", '{"rows": {"tiny": {"a": {}}}}'):
            with self.assertRaisesRegex(baseline.Failure, "some.json: no baseline .*scripts/baseline --record"):
                baseline.parse(text, "some.json")

    def test_recorded_file_has_the_form_that_is_written(self):
        text = baseline.FILE.read_text()
        self.assertEqual(baseline.text_of(baseline.parse(text, baseline.FILE)), text)


class Program(unittest.TestCase):
    """On a core, with files that are wrong on purpose."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "baseline.json"
        self.table = baseline.read()

    def compare(self, *arguments):
        self.file.write_text(baseline.text_of(self.table))
        return run("--build", BUILD, "--config", CONFIGURATION, "--file", self.file, *arguments)

    def test_one_cycle_is_noticed(self):
        rows = self.table[CONFIGURATION]
        rows["matmul_64"] = Row(rows["matmul_64"].cycles - 1, 0.5)
        rows["matmul_16"] = Row(rows["matmul_16"].cycles + 1, 0.5)
        del rows["conv1x1_14x14x64"]
        done = self.compare()
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, f"SLOWER  matmul_64 on {CONFIGURATION}: [0-9,]+ -> [0-9,]+ cycles \\(\\+")
        self.assertRegex(done.stdout, f"FASTER  matmul_16 on {CONFIGURATION}: [0-9,]+ -> [0-9,]+ cycles \\(-")
        self.assertRegex(done.stdout, f"NEW     conv1x1_14x14x64 on {CONFIGURATION}: [0-9,]+ cycles, not recorded")
        self.assertIn("3 of ", done.stdout)
        self.assertIn("scripts/baseline --record", done.stdout)
        data = json.loads(self.compare("--json").stdout)
        self.assertEqual(
            {d["name"]: d["kind"] for d in data["differences"]},
            {"matmul_64": "slower", "matmul_16": "faster", "conv1x1_14x14x64": "new"},
        )

    def test_wrong_use_is_told(self):
        for arguments, words in (
            (("--config", "huge"), "huge has no Verilated core in this build; available:"),
            (("--file", self.file), "cannot read the baseline"),
            (("--build", "/nowhere"), "cannot run /nowhere/bin/systole"),
        ):
            done = run("--build", BUILD, *arguments)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
