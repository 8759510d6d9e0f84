# SPDX-License-Identifier: Apache-2.0
"""scripts/prove itself: what it says of a property that fails, of a bug that is not found, of a wrong file of proofs.
Works in build/prove_test, because its tools see files below the repository only."""
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build/prove_test"
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts/prove_tools"))
import equal
import solver

# A property of tpu_clear, the smallest block with registers.
HARNESS = """`include "properties.svh"
module example_properties #(parameter int Rows = 4) (input logic clk_i, input logic rst_ni, input logic start_i);
  logic active_o;
  logic [15:0] row_o;
  tpu_clear #(.Rows(Rows)) u_clear (.*);
  `CHECKED_OUTSIDE_RESET
  `PROPERTY(RowExists, active_o, CONDITION)
  INVARIANT
endmodule
"""
GOOD = "row_o < 16'(Rows)"
PROOFS = """
module = "tpu_clear"
method = "METHOD"
depth = 2
cover = 4
[properties]
RowExists = "a row that is named exists"
[[size]]
name = "rows4"
Rows = 4
[[bug]]
property = "RowExists"
file = "tpu_clear.sv"
old = "active_o <= row_o != 16'(Rows - 1);"
new = "active_o <= 1'b1;"
depth = 8
"""


class Prove(unittest.TestCase):
    def setUp(self):
        shutil.rmtree(FOLDER, ignore_errors=True)

    def write(self, condition=GOOD, method="bounded", invariant="", change=("", "")):
        folder = FOLDER / "example"
        folder.mkdir(parents=True, exist_ok=True)
        text = HARNESS.replace("CONDITION", condition).replace("INVARIANT", invariant)
        (folder / "example_properties.sv").write_text(text)
        proofs = PROOFS.replace("METHOD", method)
        self.assertIn(change[0], proofs)
        (folder / "example_properties.toml").write_text(proofs.replace(*change, 1))

    def prove(self, *words):
        command = [ROOT / "scripts/prove", "--proofs", FOLDER, *words]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def needs_tools(self):
        if solver.missing():
            self.skipTest("scripts/setup yosys installs the tools")

    def test_a_proof_with_its_bug(self):
        self.needs_tools()
        self.write()
        code, output = self.prove("--all")
        self.assertEqual(code, 0, output)
        self.assertIn("1 properties, 2 runs, 0 failed", output)
        self.assertTrue((ROOT / "build/prove/example/bug_RowExists/failed.vcd").exists())

    def test_a_property_that_fails(self):
        self.needs_tools()
        self.write("row_o < 16'd3")
        self.write("row_o < 16'd3", change=("depth = 2", "depth = 9"))
        code, output = self.prove()
        self.assertEqual(code, 1, output)
        trace = "build/prove/example/rows4/failed.vcd"
        # Reset in cycle 0, start in cycle 1, rows 0 to 3 from cycle 2 on.
        self.assertIn(f"RowExists of tpu_clear fails in cycle 5: gtkwave {trace}", output)
        self.assertTrue((ROOT / trace).exists())

    def test_a_property_that_is_not_inductive(self):
        self.needs_tools()
        self.write(method="induction", condition="row_o != 16'd9")
        code, output = self.prove()
        self.assertEqual(code, 1, output)
        self.assertIn("from a state that may not be reachable", output)

    def test_a_bug_that_is_not_found(self):
        self.needs_tools()
        self.write(change=("1'b1", "row_o < 16'(Rows - 1)"))
        code, output = self.prove("--bugs")
        self.assertEqual(code, 1, output)
        self.assertIn("the planted bug is not found", output)

    def test_a_bug_whose_text_is_not_there(self):
        self.needs_tools()
        self.write(change=("active_o <= row_o", "active_o <= column_o"))
        code, output = self.prove("--bugs")
        self.assertEqual(code, 1, output)
        self.assertIn("rtl/common/tpu_clear.sv holds 0 times, not once", output)

    def test_a_property_that_cannot_happen(self):
        self.needs_tools()
        self.write(invariant="`PROPERTY(Never, active_o && row_o == 16'd7, active_o)")
        with (FOLDER / "example/example_properties.toml").open("a") as file:
            file.write('[[bug]]\nproperty = "Never"\nfile = "tpu_clear.sv"\nold = "1"\nnew = "2"\n')
        self.replace('exists"\n', 'exists"\nNever = "never"\n')
        code, output = self.prove()
        self.assertEqual(code, 1, output)
        self.assertIn("Never_reached of tpu_clear does not happen within 4 cycles", output)

    def replace(self, old, new):
        path = FOLDER / "example/example_properties.toml"
        path.write_text(path.read_text().replace(old, new, 1))

    def test_properties_of_both_files_agree(self):
        self.needs_tools()
        self.write(invariant="`PROPERTY(Other, active_o, 1'b1)")
        code, output = self.prove()
        self.assertEqual(code, 1, output)
        self.assertIn("does not list the property Other", output)

    def test_a_range_of_sizes(self):
        self.write(change=("Rows = 4", 'Rows = "4..6"'))
        code, output = self.prove("--list")
        self.assertEqual(code, 0, output)
        self.assertIn("rows44, rows45, rows46", output)

    def test_a_clock_that_rests(self):
        """tpu_clear counts while active_o is high or when it starts; without start_i it is one event too few."""
        self.needs_tools()
        for event, verdict in (('["active_o", "start_i"]', 0), ('["active_o"]', 1)):
            folder = FOLDER / "example"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "rest_properties.toml").write_text(
                f'module = "tpu_clear"\nmethod = "rests"\nevent = {event}\n[properties]\nRests = "rests"\n'
                '[[bug]]\nproperty = "Rests"\nfile = "tpu_clear.sv"\nold = "if (active_o) begin"\nnew = "begin"\n'
            )
            code, output = self.prove("--all")
            self.assertEqual(code, verdict, output)
            self.assertEqual("row_o of tpu_clear" in output or "active_o of tpu_clear" in output, verdict == 1, output)

    def test_wrong_files(self):
        for change, complaint in (
            (("module =", "modul ="), "unknown key modul"),
            (('"METHOD"'.replace("METHOD", "bounded"), '"guess"'), "method is 'guess', not one of"),
            (("depth = 2", 'depth = "2"'), "depth is '2', not of type int"),
            (("depth = 2", ""), "depth is a number of cycles"),
            (('property = "RowExists"', 'property = "Rows"'), "there is no property Rows"),
            (("[[bug]]", "[[size]]\nname = 'x'\n[[bugs]]"), "unknown key bugs"),
            (('name = "rows4"', 'name = "rows 4"'), "letters, digits"),
            (("Rows = 4", "Rows = '4..'"), "parameters are numbers"),
            (("[properties]", "[properties"), "Expected"),
        ):
            with self.subTest(complaint):
                self.write(change=change)
                code, output = self.prove("--list")
                self.assertEqual(code, 2, output)
                self.assertIn(complaint, output)

    def test_unknown_name(self):
        self.write()
        code, output = self.prove("queue")
        self.assertEqual(code, 2)
        self.assertIn("no proofs queue; there are example", output)

    def test_missing_environment(self):
        self.write()
        code, output = self.prove("--environment", FOLDER / "nowhere")
        self.assertEqual(code, 77)
        self.assertIn("scripts/setup yosys installs it", output)

    def test_equal_and_not_equal(self):
        self.needs_tools()
        old = FOLDER / "rtl"
        for folder in ("common", "pkg"):
            shutil.copytree(ROOT / "rtl" / folder, old / folder)
        meter = solver.Meter()
        path = old / "common/tpu_clear.sv"
        for text, verdict in (("16'd1", "0 are unproven"), ("16'd2", "are unproven")):
            path.write_text(path.read_text().replace("row_o + 16'd1", f"row_o + {text}"))
            log = FOLDER / "status.log"
            words = equal.script(old, ROOT / "rtl", "tpu_clear", ["Rows=8"])
            meter.yosys([word.replace("{log}", str(log.relative_to(ROOT))) for word in words], "equal")
            self.assertIn(verdict, log.read_text())
            log.unlink()
        # An output that one alone has is found, and left out.
        path.write_text(
            path.read_text().replace("16'd2", "16'd1").replace("row_o\n", "row_o,\n  output logic more_o\n", 1)
        )
        words, alone = equal.outputs(old, ROOT / "rtl", "tpu_clear", ["Rows=8"])
        meter.yosys([word.replace("{log}", str(log.relative_to(ROOT))) for word in words], "equal")
        without = alone(log.read_text())
        self.assertEqual(without, ["before/o:more_o"])
        log.unlink()
        words = equal.script(old, ROOT / "rtl", "tpu_clear", ["Rows=8"], without)
        meter.yosys([word.replace("{log}", str(log.relative_to(ROOT))) for word in words], "equal")
        self.assertIn("0 are unproven", log.read_text())
        log.unlink()
        code, output = self.prove("--equal", "no_such_revision", "tpu_clear")
        self.assertEqual(code, 2, output)


if __name__ == "__main__":
    unittest.main()
