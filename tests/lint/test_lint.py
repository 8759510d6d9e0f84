# SPDX-License-Identifier: Apache-2.0
"""Every check of scripts/lint is seen to fail on what it is there for and to hold its peace on the legal neighbour."""
import importlib.machinery
import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts/rtl_tools"))
import design
import source_rules


def script(name):
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


lint = script("lint")
GOOD = "// SPDX-License-Identifier: Apache-2.0\n// Purpose.\nmodule tpu_x;\nendmodule\n"


class Rules(unittest.TestCase):
    def complaints(self, text, name="tpu_x.sv"):
        return source_rules.check(Path(name), text)

    def test_good_file(self):
        self.assertEqual(self.complaints(GOOD), [])

    def test_license(self):
        self.assertIn(":1:", self.complaints(GOOD.replace("Apache-2.0", "MIT"))[0])

    def test_header(self):
        self.assertIn(":2:", self.complaints(GOOD.replace("// Purpose.\n", "\n"))[0])

    def test_length(self):
        def padded(lines):
            return GOOD + "\n" * (lines - GOOD.count("\n"))

        self.assertEqual(self.complaints(padded(400)), [])
        self.assertIn("401 lines", self.complaints(padded(401))[0])
        made = padded(401).replace("// Purpose.", "// Generated from isa/spec by scripts/gen/generate. Do not edit.")
        self.assertEqual(self.complaints(made), [])

    def test_name(self):
        self.assertIn("instead of tpu_y", self.complaints(GOOD, "tpu_y.sv")[0])
        self.assertIn("tpu_x, tpu_z", self.complaints(GOOD + "module tpu_z;\nendmodule\n")[0])

    def test_generate_blocks_have_names(self):
        named = "if (Dim == 4) begin : gen_four\n  assign q_o = a_i;\nend\n"
        procedure = "always_comb begin\n  if (a_i) q_o = 1'b0;\n  else for (int i = 0; i < 2; i++) q_o = a_i;\nend\n"
        for body in (named, procedure):
            self.assertEqual(self.complaints(GOOD.replace("endmodule", body + "endmodule")), [])
        for line in ("if (Dim == 4) assign q_o = a_i;", "else for (genvar i = 0; i < 2; i++) assign q_o[i] = a_i;"):
            self.assertIn(":4: a generate block", self.complaints(GOOD.replace("endmodule", line + "\nendmodule"))[0])


class Tools(unittest.TestCase):
    """The two readers on a module with a fault, in place of the core's sources."""

    def outputs(self, body):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "tpu_x.sv")
            path.write_text(
                "module tpu_x #(parameter int Dim = 4) "
                f"(input logic [7:0] a, output logic [7:0] q);\n{body}\nendmodule\n"
            )
            original = design.sources
            design.sources = lambda: [path]
            try:
                return lint.verilator("tpu_x", {"Dim": 8}), lint.yosys("tpu_x", {"Dim": 8})
            finally:
                design.sources = original

    def test_clean(self):
        self.assertEqual(self.outputs("assign q = a + 8'(Dim);"), ("", ""))

    def test_width(self):
        self.assertIn("WIDTH", self.outputs("assign q = a[3:0];\nlogic unused;\nassign unused = ^a;")[0])

    def test_unknown_module(self):
        verilator, yosys = self.outputs("tpu_nowhere u_nowhere (.a, .q);")
        self.assertIn("tpu_nowhere", verilator)
        self.assertIn("tpu_nowhere", yosys)

    def test_two_drivers(self):
        self.assertIn("problems", self.outputs("assign q = a;\nassign q = ~a;")[1])

    def test_combinational_loop(self):
        self.assertIn("problems", self.outputs("logic [7:0] x;\nassign x = x + a;\nassign q = x;")[1])

    def test_stale_generated_file(self):
        self.assertIn("exit code 3", lint.command("sh", "-c", "exit 3"))
        self.assertEqual(lint.command("true"), "")


class Design(unittest.TestCase):
    def test_parameters(self):
        tiny = design.configurations()["tiny"]
        self.assertEqual(design.parameters("tpu_axi_guard", tiny), {"Dim": 4})
        self.assertEqual(design.parameters("tpu_scratchpad", tiny), {"Dim": 4, "Rows": 768, "BlockFloat": 1})

    def test_each_part_can_be_left_out_alone(self):
        tiny = design.configurations()["tiny"]
        for name, parameter in design.parts().items():
            without = {parameter: 0, **({"BlockFloat": 0} if name == "vector_processor" else {})}
            with self.subTest(part=name):
                self.assertEqual(lint.verilator("tpu_core", tiny | without), "")

    def test_packages_come_first(self):
        kinds = ["package" if path.read_text().find("\npackage ") >= 0 else "module" for path in design.sources()]
        self.assertEqual(kinds, sorted(kinds, reverse=True))


if __name__ == "__main__":
    unittest.main()
