# SPDX-License-Identifier: Apache-2.0
"""test_onnx_nodes notices a wrong value, a test that is refused and not listed, and one that is listed and runs:
test_node_checks.py PROGRAM FOLDER, the folder with ONNX's older tests. Exit code 77 without them."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SKIPPED = 77
RUNS, REFUSED = "test_abs", "test_cast_STRING_to_FLOAT"


class NodeChecks(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="systole-nodes-"))
        self.addCleanup(shutil.rmtree, self.root)
        for name in (RUNS, REFUSED):
            shutil.copytree(DATA / name, self.root / "tests" / name)
        self.page = self.root / "page.md"
        self.assertEqual(self.run_nodes("--data", "--older", "--write")[0], 0)

    def run_nodes(self, *options):
        """Exit code and output; --data and --older are this test's folder."""
        words = [word for option in options for word in self.with_folder(option)]
        done = subprocess.run([PROGRAM, *words, "--page", self.page], capture_output=True, text=True)
        return done.returncode, done.stdout

    def with_folder(self, option):
        return [option, self.root / "tests"] if option in ("--data", "--older") else [option]

    def edit(self, old, new):
        text = self.page.read_text()
        self.assertIn(old, text)
        self.page.write_text(text.replace(old, new))

    def test_as_recorded(self):
        for sets in (["--data", "--older"], ["--data"], ["--older"]):
            code, output = self.run_nodes(*sets)
            self.assertEqual(code, 0, output)

    def test_wrong_value(self):
        output = self.root / "tests" / RUNS / "test_data_set_0/output_0.pb"
        content = bytearray(output.read_bytes())
        content[-1] ^= 0x40  # of the last float's exponent
        output.write_bytes(content)
        code, text = self.run_nodes("--data", "--older")
        self.assertEqual(code, 1)
        self.assertIn(f"{RUNS}: output 0: element 59", text)
        self.assertEqual(self.run_nodes("--older")[0], 1)

    def test_refused_and_not_listed(self):
        self.edit(f"| {REFUSED} | refused | string |\n", "")
        for sets in (["--data", "--older"], ["--data"], ["--older"]):
            code, text = self.run_nodes(*sets)
            self.assertEqual(code, 1)
            self.assertIn(REFUSED, text)

    def test_listed_and_runs(self):
        self.edit(f"| {RUNS} | device |  |", f"| {RUNS} | refused | mode |")
        code, text = self.run_nodes("--data", "--older")
        self.assertEqual(code, 1)
        self.assertIn(f"seen      | {RUNS} | device |", text)
        self.assertIn("--write", text)


if __name__ == "__main__":
    PROGRAM, DATA = sys.argv.pop(1), Path(sys.argv.pop(1))
    if not DATA.is_dir():
        print(f"skipped: {DATA} is not there; apt-get install libonnx-testdata")
        sys.exit(SKIPPED)
    unittest.main()
