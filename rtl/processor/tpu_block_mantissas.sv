// SPDX-License-Identifier: Apache-2.0
// Mantissas of blocks: words of binary32 divided by the power of two of their block, rounded to nearest, ties to even,
// and clamped to -127 .. 127 (sim/golden/block_float.md). Subnormal words and those of a block that is not a number
// are 0.
//
// Latency: combinational; costs a simulation nothing while valid_i is low. Throughput: one row per cycle.
// Back-pressure: none.
//
// Protocol: the output belongs to row_i and exponents_i, while valid_i is high. No word has a greater exponent than its
// block.
//
// Parameters: Dim (lanes, power of two).
module tpu_block_mantissas #(
  parameter int Dim = 16,
  localparam int BlockLanes = Dim < 16 ? Dim : 16,
  localparam int Parts = Dim / BlockLanes
) (
  input  logic               valid_i,
  input  logic [Dim-1:0][31:0]  row_i,
  input  logic [Parts-1:0][7:0] exponents_i,
  output logic [Dim-1:0][7:0]   mantissas_o
);
  task automatic convert;
    logic [31:0] word;
    logic [7:0]  exponent, distance, magnitude;
    logic [30:0] shifted;
    for (int i = 0; i < Dim; i++) begin
      word     = row_i[i];
      exponent = exponents_i[i/BlockLanes];
      distance = exponent - word[30:23];
      // Seven bits of the significand and what lies behind them.
      shifted   = {1'b1, word[22:0], 7'd0} >> distance[2:0];
      magnitude = {1'b0, shifted[30:24]} + 8'(shifted[23] && (shifted[24] || shifted[22:0] != '0));
      if (magnitude[7]) magnitude = 8'd127;
      if (distance > 8'd7 || word[30:23] == '0 || exponent == '1) magnitude = '0;
      mantissas_o[i] = word[31] ? 8'd0 - magnitude : magnitude;
    end
  endtask

  always_comb begin
    mantissas_o = '0;
    if (valid_i) convert;
  end
endmodule
