#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/cmake/straight_unit.py: test_straight_unit.py VERILATOR INCLUDE RUNTIME. A small design is Verilated and run
twice, with Verilator's eval() and with the straight one; other designs keep Verilator's."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

VERILATOR, INCLUDE, RUNTIME = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
ROOT = Path(__file__).resolve().parents[3]
UNIT = ROOT / "scripts/cmake/straight_unit.py"
GATE = ROOT / "rtl/common/tpu_clock_gate.sv"

# Registers of the clock and of a gated clock, a memory, and logic between pins and both.
DESIGN = """
module design_under_test (input logic clk_i, input logic rst_ni, input logic [7:0] data_i, output logic [31:0] sum_o);
  logic [31:0] total_q, gated_q;
  logic [7:0]  count_q;
  logic [15:0] twice;
  logic        gated_clk, seldom_clk;
  logic [15:0] halves;
  logic [31:0] seldom_q;
  assign twice = {data_i, ~data_i};
  assign halves = {data_i[3:0], ~data_i, data_i[7:4]};
  tpu_clock_gate #(.Gated(1), .Linger(2)) u_gate (
    .clk_i, .rst_ni, .test_en_i(1'b0), .en_i(count_q[1:0] == 2'd3), .wake_i(data_i[7]), .clk_o(gated_clk)
  );
  tpu_clock_gate #(.Gated(1), .Linger(0)) u_seldom_gate (
    .clk_i, .rst_ni, .test_en_i(1'b0), .en_i(count_q[3:0] == 4'd9), .wake_i(1'b0), .clk_o(seldom_clk)
  );
  always_ff @(posedge seldom_clk) begin
    if (!rst_ni) seldom_q <= '0;
    else seldom_q <= seldom_q + {halves[7:0], 8'd0, halves};
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {total_q, count_q} <= '0;
    else {total_q, count_q} <= {total_q + {24'd0, data_i} + gated_q + seldom_q, count_q + 8'd1};
  end
  always_ff @(EDGE gated_clk) begin
    if (!rst_ni) gated_q <= '0;
    else gated_q <= gated_q ^ {total_q[15:0], total_q[31:16]} ^ {twice[3:0], 12'd0, twice};
  end
  assign sum_o = total_q ^ {24'd0, data_i};
endmodule
"""
# A clock made by a register rises after clk_i, and not with it.
LATE = "  always_ff @(posedge clk_i) gated_clk <= rst_ni && !gated_clk;\n"
# Statements that rest when no gated clock will rise, in the unit.
RESTS = "|| VL_UNLIKELY(vlSymsp->_vm_contextp__->calcUnusedSigs())"
MAIN = """
#include "Vdut.h"
#include <cstdio>
int main() {
  VerilatedContext context;
  Vdut dut(&context);
  unsigned state = 1;
  for (int cycle = 0; cycle < 3000; ++cycle) {
    dut.rst_ni = cycle > 4;
    dut.data_i = (state = state * 1664525u + 1013904223u) >> 24;
    for (int edge = 0; edge < 2; ++edge) dut.clk_i = edge, dut.eval(), std::printf("%u\\n", dut.sum_o);
  }
}
"""


class StraightUnit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_in_folder(self, *command):
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True)

    def verilate(self, design):
        (self.folder / "dut.sv").write_text(design)
        (self.folder / "main.cpp").write_text(MAIN)
        options = ["--cc", "-O3", "--no-timing", "--trace-fst", "--x-initial", "0", "-Wno-fatal", "--Mdir", "."]
        options += ["--prefix", "Vdut", "--top-module", "design_under_test"]
        done = self.run_in_folder(VERILATOR, *options, GATE, "dut.sv")
        self.assertEqual(done.returncode, 0, done.stderr)

    def straighten(self):
        done = self.run_in_folder("/usr/bin/python3", "-B", UNIT, "Vdut")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr, (self.folder / "Vdut__fast.cpp").read_text()

    def simulate(self, files):
        flags = ["-std=gnu++17", "-O0", "-w", "-faligned-new", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE=1"]
        flags += ["-DVM_TRACE_FST=1", "-DVM_TRACE_VCD=0", "-I.", f"-I{INCLUDE}", f"-I{INCLUDE}/vltstd"]
        done = self.run_in_folder("c++", *flags, "main.cpp", *files, RUNTIME, "-lz", "-lfmt", "-lpthread", "-o", "run")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.run_in_folder("./run")

    def files(self, fast):
        files = sorted(file.name for file in self.folder.glob("Vdut*.cpp") if file.name != "Vdut__fast.cpp")
        if not fast:
            return files
        plain = [name for name in files if "Slow" in name or "Syms" in name or "Trace" in name or "Const" in name]
        return [*plain, "Vdut__fast.cpp"]

    def test_computes_what_verilators_does(self):
        self.verilate(DESIGN.replace("EDGE", "posedge"))
        expected = self.simulate(self.files(fast=False)).stdout
        self.assertGreater(len(set(expected.split())), 2000)
        told, unit = self.straighten()
        self.assertEqual(told, "")
        self.assertIn("___rise(", unit)
        self.assertEqual(unit.count(RESTS), 2)
        self.assertEqual(self.simulate(self.files(fast=True)).stdout, expected)

    def test_what_clk_i_needs_of_the_inputs_does_not_rest(self):
        read = "total_q + {24'd0, data_i} + gated_q + seldom_q"
        self.assertIn(read, DESIGN)
        self.verilate(DESIGN.replace("EDGE", "posedge").replace(read, f"{read} + {{halves, twice}}"))
        expected = self.simulate(self.files(fast=False)).stdout
        told, unit = self.straighten()
        self.assertEqual(told, "")
        self.assertEqual(unit.count(RESTS), 0)
        self.assertEqual(self.simulate(self.files(fast=True)).stdout, expected)

    def test_leaves_falling_edges_to_verilator(self):
        self.verilate(DESIGN.replace("EDGE", "negedge"))
        told, unit = self.straighten()
        self.assertIn("a trigger that is no rising edge", told)
        self.assertNotIn("___rise(", unit)

    def test_leaves_a_clock_that_rises_late_to_verilator(self):
        gate = DESIGN[DESIGN.index("  tpu_clock_gate") : DESIGN.index("  always_ff @(posedge clk_i)")]
        self.verilate(DESIGN.replace(gate, LATE).replace("EDGE", "posedge"))
        told, unit = self.straighten()
        self.assertIn("gated clocks that are not clk_i and a latch", told)
        self.assertNotIn("___rise(", unit)

    def test_leaves_a_latch_that_is_open_while_the_clock_is_high_to_verilator(self):
        text = GATE.read_text().replace("if (!clk_i) en_latch", "if (clk_i) en_latch")
        design = DESIGN.replace("tpu_clock_gate", "other_gate").replace("EDGE", "posedge")
        self.verilate(design + text.replace("module tpu_clock_gate", "module other_gate"))
        told, unit = self.straighten()
        self.assertIn("gated clocks that are not clk_i and a latch", told)
        self.assertNotIn("___rise(", unit)


if __name__ == "__main__":
    unittest.main()
