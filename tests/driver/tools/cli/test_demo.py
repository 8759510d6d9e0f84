#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The program of scripts/demo, which has one command, beside the program of all: test_demo.py SYSTOLE SYSTOLE_DEMO."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DEMO = sys.argv.pop()
PROGRAM = sys.argv.pop()


class Demo(unittest.TestCase):
    def digits(self, program):
        done = subprocess.run([program, "digits", "--count", "2", "--json", "-"], capture_output=True, check=True)
        run = json.loads(done.stdout)
        return run["answers"], run["cycles"], run["bit_exact"]

    def test_digits_as_in_the_whole_program(self):
        self.assertEqual(self.digits(DEMO), self.digits(PROGRAM))

    def test_a_closed_output_damages_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            timeline = Path(folder) / "timeline.json"  # open while the results are printed
            command = [DEMO, "digits", "--count", "1", "--timeline", timeline]
            done = subprocess.run(command, preexec_fn=lambda: os.close(1), stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("traceEvents", json.loads(timeline.read_text()))

    def test_its_help_names_the_whole_program(self):
        done = subprocess.run([DEMO, "--help"], capture_output=True, check=True)
        self.assertIn(b"scripts/build", done.stdout)

    def test_other_commands_are_refused(self):
        self.assertEqual(subprocess.run([DEMO, "matmul"], capture_output=True).returncode, 2)


if __name__ == "__main__":
    unittest.main()
