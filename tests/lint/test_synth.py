# SPDX-License-Identifier: Apache-2.0
"""scripts/synth on small designs whose cells and longest paths are known, and on a copy of the core's own RTL with
something added, which the comparison with the recorded figures must notice."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts/rtl_tools"))
import design
from synthesis import growth, elaborate, figures, mapping, netlist, technology, timing, tools

loader = importlib.machinery.SourceFileLoader("synth", str(ROOT / "scripts/synth"))
synth = importlib.util.module_from_spec(importlib.util.spec_from_loader("synth", loader))
loader.exec_module(synth)

# A counter of flip-flops between two registers, in two modules: the path is a_q -> u_low.sum -> b_q.
LOW = """module tpu_low #(parameter int Width = 4) (input logic clk_i, input logic [Width-1:0] x_i, \
output logic [Width-1:0] y_o);
  assign y_o = ~x_i;
endmodule
"""
TOP = """module tpu_top (input logic clk_i, input logic [3:0] x_i, output logic [3:0] y_o);
  logic [3:0] a_q, b_q, inverted;
  always_ff @(posedge clk_i) begin
    a_q <= x_i;
    b_q <= inverted;
  end
  tpu_low #(.Width(4)) u_low (.clk_i, .x_i(a_q), .y_o(inverted));
  assign y_o = b_q;
endmodule
"""


class Folder(unittest.TestCase):
    """A folder of sources and a cache of its own in place of the core's."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.sources = self.folder / "rtl"
        original = {name: getattr(design, name) for name in ("RTL", "INCLUDE")} | {"CACHE": mapping.CACHE}

        def restore():
            design.RTL, design.INCLUDE, mapping.CACHE = original["RTL"], original["INCLUDE"], original["CACHE"]

        self.addCleanup(restore)
        design.RTL, design.INCLUDE, mapping.CACHE = self.sources, self.sources / "common", self.folder / "cache"

    def write(self, name, text):
        path = self.sources / "common" / f"{name}.sv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def measure(self, top, target="generic"):
        modules, name = elaborate.elaborate(top, {})
        return figures.measure(modules, name, technology.targets()[target], 2, lambda text: None), modules


class Elaboration(Folder):
    def texts(self):
        modules, _ = elaborate.elaborate("tpu_top", {})
        return {module.base: module.text for module in modules.values()}

    def test_a_module_does_not_depend_on_its_place_nor_on_others(self):
        self.write("tpu_low", LOW)
        self.write("tpu_top", TOP)
        before = self.texts()
        self.write("tpu_low", "\n\n" + LOW.replace("= ~x_i", "= ~x_i ^ {x_i[0], x_i[3:1]} + 4'd3"))
        after = self.texts()
        self.assertEqual(before["tpu_top"], after["tpu_top"])
        self.assertNotEqual(before["tpu_low"], after["tpu_low"])
        self.write("tpu_low", "// A comment moves every line.\n" + LOW)
        shutil.move(self.sources, self.folder / "elsewhere")
        design.RTL, design.INCLUDE = self.folder / "elsewhere", self.folder / "elsewhere/common"
        self.assertEqual(before, self.texts())

    def test_instances_and_places(self):
        self.write("tpu_low", LOW)
        self.write(
            "tpu_top", TOP.replace("assign y_o = b_q;", "tpu_low #(.Width(4)) u_last (.clk_i, .x_i(b_q), .y_o);")
        )
        modules, top = elaborate.elaborate("tpu_top", {})
        low = next(module for module in modules.values() if module.base == "tpu_low")
        self.assertEqual(low.variant, "tpu_low Width=4")
        self.assertEqual(elaborate.instances(modules, top)[low.name], 2)
        self.assertEqual(elaborate.instance_paths(modules, top)[low.name], "u_last.")
        self.assertEqual(elaborate.children_first(modules, top)[0], low)

    def test_what_does_not_elaborate_is_told(self):
        self.write("tpu_top", TOP)
        with self.assertRaisesRegex(tools.ToolError, "tpu_low"):
            elaborate.elaborate("tpu_top", {})


class Counts(Folder):
    def test_cells_and_a_path_across_modules(self):
        self.write("tpu_low", LOW)
        self.write("tpu_top", TOP)
        tables, modules = self.measure("tpu_top")
        counted = {f.module.base: f.counts for f in tables.values()}
        self.assertEqual(counted["tpu_low"], {"cells": 4, "flip_flops": 0, "ram_bits": 0})
        self.assertEqual(counted["tpu_top"], {"cells": 8, "flip_flops": 8, "ram_bits": 0})
        path = tables["\\tpu_top"].paths[0]
        self.assertEqual(
            (path["delay"], path["levels"], netlist.without_index(path["start"]), netlist.without_index(path["end"])),
            (1, 1, "a_q", "b_q"),
        )

    def test_fpga_cells(self):
        self.write(
            "tpu_top",
            """module tpu_top (input logic clk_i, input logic [8:0] a_i, input logic [15:0] w_i,
            output logic [15:0] p_o, output logic [15:0] s_o);
          logic [7:0] x_q;
          logic [15:0] r_q;
          logic [15:0] mem [0:1023];
          always_ff @(posedge clk_i) begin
            x_q <= a_i[7:0];
            p_o <= $signed(x_q) * $signed(w_i[7:0]);
            r_q <= mem[{a_i[8], a_i}];
            s_o <= r_q + 16'd3;
            mem[w_i[9:0]] <= {a_i, a_i[6:0]};
          end
        endmodule
        """,
        )
        for target, rams, delay in (("xilinx", 0.5, 2.5), ("ecp5", 1, 5.8)):
            tables, _ = self.measure("tpu_top", target)
            counted = tables["\\tpu_top"].counts
            self.assertEqual((counted["dsps"], counted["block_rams"]), (1, rams), target)
            self.assertGreater(tables["\\tpu_top"].paths[0]["delay"], delay, target)

    def test_a_second_run_takes_everything_from_the_cache(self):
        self.write("tpu_low", LOW)
        self.write("tpu_top", TOP)
        modules, top = elaborate.elaborate("tpu_top", {})
        target = technology.targets()["generic"]
        self.assertEqual(len(mapping.missing(modules, modules.values(), target)), 2)
        first, _ = self.measure("tpu_top")
        self.assertEqual(mapping.missing(modules, modules.values(), target), [])
        second, _ = self.measure("tpu_top")
        self.assertEqual([(f.counts, f.paths) for f in first.values()], [(f.counts, f.paths) for f in second.values()])
        self.write("tpu_low", LOW.replace("~x_i", "x_i + 4'd1"))
        modules, _ = elaborate.elaborate("tpu_top", {})
        self.assertEqual([module.base for module in mapping.missing(modules, modules.values(), target)], ["tpu_low"])

    def test_every_bank_of_the_scratchpad_survives(self):
        """Yosys must see the same address arithmetic as the simulator, or banks vanish: eight of four RAMs, and the
        exponents."""
        design.RTL, design.INCLUDE = ROOT / "rtl", ROOT / "rtl/common"
        for name, rams, rows in (("tiny", 8 * 4 + 1, 768 + 192), ("nano", 8 * 4, 768)):
            values = design.parameters("tpu_scratchpad", design.configurations()[name])
            modules, top = elaborate.elaborate("tpu_scratchpad", values)
            tables = figures.measure(modules, top, technology.targets()["generic"], 2, lambda text: None)
            self.assertEqual(sum(f.instances for f in tables.values() if f.module.base == "tpu_ram"), rams)
            self.assertEqual(figures.total(tables, ["ram_bits"])["ram_bits"], rows * 32)


# Comparisons with constants on either side, sums and differences, with and without a sign.
ARITHMETIC = """
module gold (input [4:0] a, input signed [4:0] s, input [2:0] b, input signed [2:0] t, output [7:0] c, output [3:0] d,
             output [6:0] sum, output signed [6:0] difference);
  assign c = {a < 5'd19, a <= 5'd19, a > 5'd6, a >= 5'd6, 5'd11 < a, 5'd11 >= a, b < 3'd5, a[0] < 1'b1};
  assign d = {s < -5'sd3, s <= 5'sd7, -5'sd9 > s, 5'sd2 <= s};
  assign sum = a + b;
  assign difference = s - t;
endmodule
"""


class Maps(unittest.TestCase):
    """What the commands of a target put in place of comparisons and sums computes the same."""

    def prove(self, wrong=("", "")):
        maps = {path.name: path.read_text().replace(*wrong) for path in mapping.MAPS.glob("*.v")}
        compared, added = "gate/t:$lt gate/t:$le gate/t:$gt gate/t:$ge", "gate/t:$add gate/t:$sub"
        script = "read_verilog {design.v}; proc; opt_expr; opt_clean; copy gold gate; "
        script += f"select -assert-count 12 {compared}; "
        script += "; ".join(f"techmap -map {{{name}}} gate" for name in maps)
        script += f"; select -assert-none {compared} {added}; miter -equiv -flatten gold gate miter; "
        script += "sat -verify -prove trigger 0 miter; write_rtlil {out}"
        tools.yosys(script, "not equal", {"design.v": ARITHMETIC, **maps})

    def test_equal(self):
        self.assertEqual({path.stem for path in mapping.MAPS.glob("*.v")}, {"add", "compare"})
        self.prove()

    def test_a_wrong_map_is_found(self):
        for wrong in (("same[2*i+1] & less", "less"), ("^ Invert", ""), (".CI(Subtract)", ".CI(1'b0)")):
            with self.assertRaisesRegex(tools.ToolError, "not equal"):
                self.prove(wrong)


class Timing(unittest.TestCase):
    def model(self, edges, **sides):
        graph = netlist.Graph(edges=edges, **sides)
        return timing.model(graph)

    def test_the_longest_of_two_ways(self):
        graph = netlist.Graph()
        graph.launch(1, 0.5, 0, "start_q")
        for edge in ((1, 2, 1, 1), (2, 3, 1, 1), (1, 3, 3, 1)):
            graph.edge(*edge)
        graph.capture(3, 0.25, 0, "end_q[4]")
        path = timing.model(graph)["paths"][0]
        self.assertEqual(path, {"delay": 3.75, "levels": 1, "start": "start_q", "end": "end_q[4]"})

    def test_seen_from_outside(self):
        result = self.model(
            [(1, 2, 2, 1), (2, 3, 1, 1)],
            launches={3: (5, 0, "r_q")},
            captures=[(2, 1, 0, "s_q")],
            inputs={"a[0]": 1, "b[0]": 9},
            outputs={"y[0]": 3, "z[0]": 2},
        )
        self.assertEqual(result["capture"], {"a[0]": [3, 1, "s_q"]})
        self.assertEqual(result["launch"], {"y[0]": [5, 0, "r_q"]})
        self.assertEqual(result["arcs"], {"a[0]": {"z[0]": [2, 1], "y[0]": [3, 2]}})

    def test_bits_of_the_same_registers_are_one_path(self):
        result = self.model(
            [],
            launches={1: (1, 0, "a_q[0]"), 2: (2, 0, "a_q[1]")},
            captures=[(1, 0, 0, "b_q[0]"), (2, 0, 0, "b_q[1]"), (2, 0, 0, "c_q (enable)")],
        )
        self.assertEqual(
            [(path["start"], path["end"]) for path in result["paths"]],
            [("a_q[1]", "b_q[1]"), ("a_q[1]", "c_q (enable)")],
        )

    def test_a_loop_is_cut_and_counted(self):
        result = self.model(
            [(1, 2, 1, 1), (2, 3, 1, 1), (3, 2, 1, 1)], launches={1: (0, 0, "a_q")}, captures=[(3, 0, 0, "b_q")]
        )
        self.assertEqual(result["loops"], 1)
        self.assertEqual(result["paths"][0]["delay"], 2)

    def test_an_unknown_cell_is_an_error(self):
        with self.assertRaisesRegex(tools.ToolError, "NEW_CELL of xilinx"):
            technology.targets()["xilinx"].cell("NEW_CELL", {})


class Growth(Folder):
    """The whole program on a copy of the core's RTL."""

    def synth(self, *words):
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = synth.main(
                ["tiny", "--top", "tpu_burst_split", "--baseline", str(self.folder / "baseline.json"), *words]
            )
        return code, out.getvalue(), errors.getvalue()

    def plant(self, text):
        path = self.sources / "dma/tpu_burst_split.sv"
        source = path.read_text()
        path.write_text(source.replace("endmodule", text + "\nendmodule"))
        return lambda: path.write_text(source)

    def test_growth(self):
        shutil.copytree(ROOT / "rtl", self.sources)
        code, _, errors = self.synth("--check")
        self.assertEqual(code, 1)
        self.assertIn("tpu_burst_split Dim=4", errors)
        self.assertIn("not in the baseline", errors)
        self.assertEqual(self.synth("--record")[0], 0)
        code, out, errors = self.synth("--check")
        self.assertEqual((code, errors), (0, ""))
        take_out = self.plant(
            "(* keep *) logic [15:0] planted_q;\n"
            "always_ff @(posedge clk_i) planted_q <= 16'd54321 % (planted_q + 16'(rst_ni));"
        )
        code, out, errors = self.synth("--check")
        self.assertEqual(code, 1)
        self.assertRegex(errors, r"tpu_burst_split .* on generic: flip_flops grew from \d+ to \d+ \(\d+ %, bound 5 %\)")
        self.assertRegex(errors, "longest path, levels, grew")
        self.assertNotIn("tpu_fifo", errors)
        self.assertRegex(out, r"dma/tpu_burst_split .*\+\d+ ")
        self.assertEqual(self.synth("--check", "100000")[0], 0)
        take_out()
        self.plant("(* keep *) logic planted_q;\nalways_ff @(posedge clk_i) planted_q <= rst_ni;")
        self.assertEqual(self.synth("--check")[0], 0, "one flip-flop is below the allowance")

    def test_figures_of_another_yosys_are_not_compared(self):
        path = self.folder / "baseline.json"
        path.write_text(json.dumps({"yosys": "Yosys 0.1", "targets": {}}))
        with self.assertRaisesRegex(tools.ToolError, "recorded with Yosys 0.1"):
            growth.read(path)

    def test_wrong_use(self):
        for words in (("--target", "no_such"), ("--record", "--check"), ("--jobs", "0")):
            with self.assertRaises(SystemExit) as caught:
                self.synth(*words)
            self.assertEqual(caught.exception.code, 2, words)


if __name__ == "__main__":
    unittest.main()
