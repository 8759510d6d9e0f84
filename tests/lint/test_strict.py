# SPDX-License-Identifier: Apache-2.0
"""slang, as scripts/lint runs it, on a module with a fault in place of the core's sources. Exit code 77 without
slang."""
import importlib.machinery
import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("lint", str(ROOT / "scripts/lint"))
lint = importlib.util.module_from_spec(importlib.util.spec_from_loader("lint", loader))
loader.exec_module(lint)


class Strict(unittest.TestCase):
    def complaints(self, body):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "tpu_x.sv")
            path.write_text(
                "module tpu_x #(parameter int Dim = 4) "
                f"(input logic [7:0] a, output logic [7:0] q);\n{body}\nendmodule\n"
            )
            original = lint.design.sources
            lint.design.sources = lambda: [path]
            try:
                return lint.slang("tpu_x", {"Dim": 8})
            finally:
                lint.design.sources = original

    def test_clean(self):
        self.assertEqual(self.complaints("assign q = a + 8'(Dim);"), "")

    def test_parameters_arrive(self):
        self.assertIn("eight", self.complaints('assign q = a;\nif (Dim == 8) $error("eight");'))

    def test_width(self):
        self.assertIn("width", self.complaints("logic [8:0] wide;\nassign wide = {1'b0, a};\nassign q = wide;"))

    def test_use_before_declaration(self):
        self.assertIn(
            "before its declaration", self.complaints("assign q = later;\nlogic [7:0] later;\nassign later = a;")
        )


if __name__ == "__main__":
    try:
        lint.reader.require()
    except lint.reader.Missing as reason:
        print(f"skipped: {reason}")
        sys.exit(lint.SKIPPED)
    unittest.main()
