// SPDX-License-Identifier: Apache-2.0
// Clock gate of a block that is often idle: the clock runs while the block is enabled, and for Linger more cycles if
// the enable does not cover the draining of pipelines. It saves power in a chip and most of the simulation time,
// because Verilator evaluates a block only at its clock edges. Replace this file to use the clock-gating cell of a
// technology.
//
// Latency: none, the clock edge that ends the first cycle with en_i passes. A latch holds the enable while the clock is
// high, so that no clock pulse is cut short. The cycles to linger are counted on the gated clock, which runs while any
// are left.
//
// Ports: test_en_i keeps the clock running while scan chains are shifted.
//
// Parameters: Gated (0: the clock always runs, for FPGAs), Linger (cycles that the clock runs after the enable, 0 to
// 63; 0: the enable is exact).
module tpu_clock_gate #(
  parameter int Gated = 0,
  parameter int Linger = 8
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic test_en_i,
  // Enables of this cycle; reset enables the clock, too. wake_i is a separate input for enables that come directly from
  // pins, so that a simulation does not evaluate en_i again whenever a pin changes.
  input  logic en_i,
  input  logic wake_i,
  output logic clk_o
);
  if (Gated != 0) begin : gen_gated
    logic [5:0] linger_q;
    logic       en_latch;

    if (Linger != 0) begin : gen_linger
      always_ff @(posedge clk_o) begin
        if (linger_q != '0) linger_q <= linger_q - 1'b1;
        if (en_i || wake_i || !rst_ni) linger_q <= 6'(Linger);
      end
    end else begin : gen_exact
      assign linger_q = '0;
    end

    always_latch begin
      if (!clk_i) en_latch = en_i || (test_en_i || wake_i || !rst_ni || linger_q != '0);
    end

    assign clk_o = clk_i && en_latch;
  end else begin : gen_always
    logic unused_en;
    assign unused_en = test_en_i ^ en_i ^ wake_i ^ rst_ni;
    assign clk_o = clk_i;
  end
endmodule
