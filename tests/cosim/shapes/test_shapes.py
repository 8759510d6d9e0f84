# SPDX-License-Identifier: Apache-2.0
"""The search for failing shapes: finds what is planted, shrinks it, says how to run it again, and notices a page that
is out of date."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest


def shapes(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)


class Search(unittest.TestCase):
    def test_planted_fault_is_found_and_shrunk(self):
        with tempfile.TemporaryDirectory() as folder:
            record = pathlib.Path(folder) / "record.json"
            done = shapes("--device", "model", "--only", "relu", "--planted", "--record", record)
            self.assertEqual(done.returncode, 1)
            self.assertFalse(record.exists(), "what failed is not recorded as passed")
        again = re.search(r"again: test_shapes (.*)", done.stderr + done.stdout).group(1).split()
        sizes = dict(part.split("=") for part in again[-1].split(":")[1].split(","))
        elements = 1
        for name in ("batch", "height", "width", "channels"):
            elements *= int(sizes[name])
        self.assertIn(elements, range(7, 12), "no smaller case fails, and this one is about the smallest")
        self.assertEqual(sizes["seed"], "0")
        self.assertEqual(shapes(*again, "--planted").returncode, 1)
        self.assertEqual(shapes(*again).returncode, 0)

    def test_cases_that_are_none(self):
        for case, words in {
            "sum:height=1": "is no kind",
            "relu:height=1": "needs",
            "relu:height=x": "is no number",
            "relu:batch=1,channels=1,height=99,seed=0,width=1": "1 .. 20",
            "relu:batch=1,channels=1,depth=1,height=1,seed=0,width=1": "no parameter 'depth'",
        }.items():
            done = shapes("--device", "model", "--case", case)
            self.assertEqual(done.returncode, 2, case)
            self.assertIn(words, done.stderr)

    def test_page_out_of_date(self):
        with tempfile.TemporaryDirectory() as folder:
            record, page = pathlib.Path(folder) / "record.json", pathlib.Path(folder) / "page.md"
            self.assertEqual(shapes("--device", "model", "--count", 5, "--record", record).returncode, 0)
            arguments = ("--page", page, "--records", record)
            self.assertEqual(shapes(*arguments).returncode, 1)
            self.assertEqual(shapes(*arguments, "--write").returncode, 0)
            self.assertEqual(shapes(*arguments).returncode, 0)
            page.write_text(page.read_text().replace("| sigmoid | 5 |", "| sigmoid | 6 |"))
            self.assertEqual(shapes(*arguments).returncode, 1)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
