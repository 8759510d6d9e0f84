// SPDX-License-Identifier: Apache-2.0
// Clock of a block that often has nothing to do: runs while there is a reason and, where the reason does not cover
// pulses that fall and pipelines that empty, some cycles longer. It saves power in a chip and, because Verilator
// evaluates only what has a clock edge, most of the time of a simulation. A technology's clock-gating cell is mapped by
// replacing this file.
//
// Latency: none: the edge that ends the first cycle with en_i passes. The enable is held by a latch while the clock is
// high, so that it never cuts a pulse short.
//
// Parameters: Gated (0: the clock always runs, for FPGAs), Linger (cycles that the clock goes on, 0 to 63; 0: the
// reason is exact).
module tpu_clock_gate #(
  parameter int Gated = 1,
  parameter int Linger = 8
) (
  input  logic clk_i,
  input  logic rst_ni,
  // A reason to run in this cycle; reset is one too. wake_i is for reasons that come straight from pins: apart from the
  // others, so that a simulation works those out once a cycle and not whenever a pin moves.
  input  logic en_i,
  input  logic wake_i,
  output logic clk_o
);
  if (Gated != 0) begin : gen_gated
    logic [5:0] linger_q;
    logic       en_latch;

    if (Linger != 0) begin : gen_linger
      always_ff @(posedge clk_i) begin
        if (en_i || wake_i || !rst_ni) linger_q <= 6'(Linger);
        else if (linger_q != '0) linger_q <= linger_q - 1'b1;
      end
    end else begin : gen_exact
      assign linger_q = '0;
    end

    always_latch begin
      if (!clk_i) en_latch = en_i || wake_i || !rst_ni || linger_q != '0;
    end

    assign clk_o = clk_i && en_latch;
  end else begin : gen_always
    logic unused_en;
    assign unused_en = en_i ^ wake_i ^ rst_ni;
    assign clk_o = clk_i;
  end
endmodule
