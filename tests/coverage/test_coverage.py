# SPDX-License-Identifier: Apache-2.0
"""scripts/coverage on small counts of a small source: what it sums, what it leaves out, what it calls a hole, and what
makes --check fail. And the lists of accepted holes and of functional coverage are readable and name what exists."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import re
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))
from coverage_tools import functional, holes, points, source

loader = importlib.machinery.SourceFileLoader("coverage_script", str(ROOT / "scripts/coverage"))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("coverage_script", loader))
loader.exec_module(script)

SOURCE = """// SPDX-License-Identifier: Apache-2.0
// Counts to three.
`include "tpu_assert.svh"
module tpu_small (input logic clk_i, input logic rst_ni, input logic go_i, output logic [1:0] count_o);
  always_ff @(posedge clk_i) begin
    if (go_i) count_o <= count_o + 2'd1;
    if (!rst_ni) count_o <= '0;  // at any time
  end
  `TPU_ASSERT(Bounded,
    count_o != 2'd3)
`ifndef SYNTHESIS
  logic seen_q;
`else
  logic never;
`endif
`ifdef SYNTHESIS
  logic hard;
`else
  logic soft;
`endif
endmodule
"""
FILE = "rtl/common/tpu_small.sv"


def point(line, page, name, count, column=5, lines="", module="tpu_small", root=""):
    statements = f"\1S\2{lines}" if lines else ""
    return f"C '\1f\2{root}{FILE}\1l\2{line}\1n\2{column}\1page\2{page}/{module}\1o\2{name}{statements}' {count}\n"


FIRST = (
    "# SystemC::Coverage-3\n"
    + point(5, "v_line", "block", 9, 3, "5")
    + point(6, "v_branch", "if", 4, 5, "6")
    + point(6, "v_branch", "else", 5, 6)
    + point(7, "v_branch", "if", 0, 5, "7")
    + point(7, "v_branch", "else", 9, 6)
    + point(4, "v_toggle", "count_o[0]", 7, 90)
    + point(4, "v_toggle", "count_o[1]", 0, 90)
    + point(4, "v_toggle", "go_i", 2, 60)
    + point(9, "v_branch", "if", 0, 3, "9")
    + point(12, "v_toggle", "seen_q", 0)
    + point(4, "v_toggle", "unused_level[0]", 0)
)
SECOND = point(4, "v_toggle", "count_o[0]", 3, 90, module="tpu_small__W2") + point(7, "v_branch", "if", 0, 5, "7")
HOLE = f'[[hole]]\nfile = "{FILE}"\nkind = "toggle"\nwhat = "count_o"\nreason = "counts to one"\n'
BRANCH = (
    f'[[hole]]\nfile = "{FILE}"\nkind = "branch"\nwhat = "if (!rst_ni) count_o <= \'0;"\n'
    'detail = "if"\nreason = "no reset"\n'
)
SPACE = (
    '[operators]\nrows = ["add"]\ncolumns = ["single", "large"]\n'
    '[[operators.impossible]]\nrows = ["add"]\ncolumns = ["large"]\n'
    'reason = "too large"\n[errors]\nrows = ["RING"]\ncolumns = ["COMMAND"]\n'
)
RUNS = "add\tsingle\tfree\tNONE\nadd\tsingle\tstalled\tNONE\nCOMMAND\t-\tfree\tRING\nCOMMAND\t-\tstalled\tRING\n"


class Folder(unittest.TestCase):
    """A repository of one module, with the counts of two processes."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.addCleanup(setattr, script, "ROOT", script.ROOT)
        script.ROOT = self.folder
        for name, text in (
            (FILE, SOURCE),
            ("data/1.dat", FIRST),
            ("data/2.dat", SECOND),
            ("data/1.functional", RUNS),
            ("holes.toml", HOLE + BRANCH),
            ("space.toml", SPACE),
        ):
            self.write(name, text)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_script(self, *words):
        """Exit code and what was printed."""
        before, out = sys.argv, io.StringIO()
        sys.argv = [
            "coverage",
            "--report",
            "--data",
            f"{self.folder}/data",
            "--holes",
            f"{self.folder}/holes.toml",
            "--functional",
            f"{self.folder}/space.toml",
            *words,
        ]
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                return script.main(), out.getvalue()
        finally:
            sys.argv = before


class Report(Folder):
    def test_counts_are_summed_over_processes_and_parameters_and_checks_are_left_out(self):
        counts = script.design_points(self.folder / "data")
        self.assertEqual(
            {(p.line, p.name): count for p, count in counts.items()},
            {
                (5, "block"): 9,
                (6, "if"): 4,
                (6, "else"): 5,
                (7, "if"): 0,
                (7, "else"): 9,
                (4, "count_o[0]"): 10,
                (4, "count_o[1]"): 0,
                (4, "go_i"): 2,
            },
        )

    def test_figures_of_a_block(self):
        code, text = self.run_script("--json", str(self.folder / "out.json"))
        self.assertEqual(code, 0)
        data = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(
            data["blocks"]["common"],
            {
                "line": {"covered": 2, "points": 3},
                "branch": {"covered": 3, "points": 4},
                "toggle": {"covered": 2, "points": 3},
            },
        )
        self.assertEqual(data["blocks"]["common"], data["blocks"]["total"])
        self.assertIn("66.7 % of 3", text)
        self.assertTrue(all(hole["accepted"] for hole in data["holes"]))

    def test_annotated_source_names_what_is_lacking(self):
        self.run_script("--html", str(self.folder / "html"))
        page = (self.folder / "html/rtl.common.tpu_small.sv.html").read_text()
        self.assertIn("count_o[1] never toggles", page)
        self.assertRegex(page, r'id=L7 class="hole"')
        self.assertRegex(page, r'id=L6 class="ran"')
        self.assertIn("rtl.common.tpu_small.sv.html", (self.folder / "html/index.html").read_text())


class Check(Folder):
    def test_passes_when_every_hole_is_explained(self):
        code, text = self.run_script("--check")
        self.assertEqual(code, 0, text)
        self.assertIn("2 points in 2 holes, 2 of them explained", text)

    def test_fails_for_a_hole_without_reason_and_names_it(self):
        self.write("holes.toml", HOLE)
        code, text = self.run_script("--check")
        self.assertEqual(code, 1)
        self.assertIn(f"{FILE}:7: branch if (!rst_ni) count_o <= '0; (if)", text)
        self.write("holes.toml", BRANCH)
        code, text = self.run_script("--check")
        self.assertEqual(code, 1)
        self.assertIn(f"{FILE}:4: toggle count_o[1]", text)
        self.assertEqual(self.run_script()[0], 0)

    def test_a_reason_for_one_way_of_a_branch_is_none_for_the_other(self):
        self.write("holes.toml", HOLE + BRANCH.replace('detail = "if"', 'detail = "else"'))
        self.assertEqual(self.run_script("--check")[0], 1)

    def test_fails_for_a_reason_without_hole(self):
        self.write("holes.toml", HOLE + BRANCH + HOLE.replace("count_o", "go_i"))
        code, text = self.run_script("--check")
        self.assertEqual(code, 1)
        self.assertIn(f"covered by now, remove it from the list: {FILE} toggle go_i", text)

    def test_fails_for_a_combination_never_run(self):
        self.write("data/1.functional", RUNS.replace("add\tsingle\tstalled\tNONE\n", ""))
        code, text = self.run_script("--check")
        self.assertEqual(code, 1)
        self.assertIn("never run: operators: add: single stalled", text)

    def test_fails_for_a_combination_called_impossible_that_ran(self):
        self.write("data/1.functional", RUNS + "add\tlarge\tfree\tNONE\n")
        code, text = self.run_script("--check")
        self.assertEqual(code, 1)
        self.assertIn("not in space.toml: add, large, free, NONE", text)


class BadInput(Folder):
    def expect(self, words):
        code, text = self.run_script("--check")
        self.assertEqual(code, 2, text)
        self.assertIn(words, text)

    def test_no_counts(self):
        for path in (self.folder / "data").glob("*.dat"):
            path.unlink()
        self.expect("holds no coverage: run scripts/coverage without --report")

    def test_a_cut_count_file(self):
        self.write("data/1.dat", FIRST[:-20])
        self.expect("data/1.dat:12: not a coverage point")

    def test_a_hole_without_reason_text(self):
        self.write("holes.toml", HOLE.replace("counts to one", " "))
        self.expect("hole 1 (count_o): reason is missing")

    def test_a_hole_of_no_kind(self):
        self.write("holes.toml", HOLE.replace('"toggle"', '"expression"'))
        self.expect("kind 'expression' is not one of line, branch, toggle")

    def test_a_report_that_is_no_combination(self):
        self.write("data/1.functional", "add\tsingle\tsometimes\tNONE\n")
        self.expect("1.functional:1: not operation, shape, free or stalled, error")


class Parts(unittest.TestCase):
    def test_checking_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tpu_small.sv"
            path.write_text(SOURCE)
            self.assertEqual(source.checking_lines(path), {9, 10, 12, 11, 19, 18})
            simulation = Path(folder) / "tpu_check.sv"
            simulation.write_text(SOURCE.replace("three.", "three. Simulation only."))
            self.assertEqual(len(source.checking_lines(simulation)), len(SOURCE.splitlines()))

    def test_bits(self):
        self.assertEqual(holes.bits_text([0, 7, 6, 5, 2]), "7:5,2,0")

    def test_points_outside_the_design_are_left_out(self):
        line = point(1, "v_toggle", "x", 1, root="/elsewhere/").strip()
        self.assertIsNone(points.parse(line, ROOT))


class Lists(unittest.TestCase):
    """Those of the repository."""

    def test_every_accepted_hole_is_in_a_file_that_exists_and_holds_its_text(self):
        gone = []
        for entry in holes.read(ROOT / "tests/coverage/holes.toml"):
            files = [
                path
                for path in ROOT.glob("rtl/*/*.sv")
                if entry.explains(
                    holes.Hole(path.relative_to(ROOT).as_posix(), 1, entry.kind, entry.what, entry.detail)
                )
            ]
            needle = max(re.split(r"[*?]", entry.what), key=len) if entry.kind == "toggle" else entry.what
            if not any(needle in text for path in files for text in source.lines(path)):
                gone.append(f"{entry.file}: {entry.kind} {entry.what}")
        self.assertEqual(gone, [])

    def test_functional_tables_name_codes_and_engines_of_the_specification(self):
        operators, errors = functional.spaces(ROOT / "tests/coverage/functional.toml")[:2]
        specification = tomllib.loads((ROOT / "isa/spec/isa.toml").read_text())
        codes = next(enum["values"] for enum in specification["enum"] if enum["name"] == "ErrorCode")
        self.assertEqual(set(errors.rows), {code[0] for code in codes} - {"NONE"})
        self.assertEqual(set(errors.columns), {engine["name"] for engine in specification["engine"]})
        self.assertEqual(operators.name, "operators")

    def test_functional_tables_name_every_micro_instruction_and_format(self):
        tables = {space.name: space for space in functional.spaces(ROOT / "tests/coverage/functional.toml")}
        specification = tomllib.loads((ROOT / "isa/spec/kernel.toml").read_text())
        groups = {"control": "sequencer", "scalar": "sequencer", "scalar_wide": "sequencer"}
        for name, _, group, _ in specification["operations"]:
            self.assertIn(name, tables[groups.get(group, "micro_instructions")].rows)
        formats = next(enum["values"] for enum in specification["enum"] if enum["name"] == "Format")
        self.assertEqual(set(tables["formats"].rows), {value[0] for value in formats})
        self.assertEqual(len(tables["strips"].columns), specification["strip_rows"] + 1)


if __name__ == "__main__":
    unittest.main()
