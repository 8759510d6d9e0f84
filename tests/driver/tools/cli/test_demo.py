#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The program of scripts/demo, which has one command, beside the program of all: test_demo.py SYSTOLE SYSTOLE_DEMO."""
import json
import subprocess
import sys
import unittest

DEMO = sys.argv.pop()
PROGRAM = sys.argv.pop()


class Demo(unittest.TestCase):
    def digits(self, program):
        done = subprocess.run([program, "digits", "--count", "2", "--json", "-"], capture_output=True, check=True)
        run = json.loads(done.stdout)
        return run["answers"], run["cycles"], run["bit_exact"]

    def test_digits_as_in_the_whole_program(self):
        self.assertEqual(self.digits(DEMO), self.digits(PROGRAM))

    def test_its_help_names_the_whole_program(self):
        done = subprocess.run([DEMO, "--help"], capture_output=True, check=True)
        self.assertIn(b"scripts/build", done.stdout)

    def test_other_commands_are_refused(self):
        self.assertEqual(subprocess.run([DEMO, "matmul"], capture_output=True).returncode, 2)


if __name__ == "__main__":
    unittest.main()
