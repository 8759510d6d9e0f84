// SPDX-License-Identifier: Apache-2.0
// Stages after the requantization: adds the operands of an addition, and turns results into int8 rows by zero point,
// clamp and look-up table. Rows that need no requantization enter here.
//
// Latency: two cycles from value_valid_i or bypass_i to row_valid_o (or middle_valid_o). sum_o is valid from the cycle
// after the operand ToFirst, which arrives after the one ToSecond, until the next sum.
// Throughput: one row per cycle. Back-pressure: none, never stalls. value_valid_i and bypass_i are never high together,
// because a command uses only one of them and starts when the data path is empty.
//
// Protocol: value_valid_i, bypass_i, middle_valid_o and row_valid_o each mark a row for one cycle. lookup_o requests
// one word per lane, which is on word_i in the next cycle.
//
// Parameters: Dim (lanes).
`include "tpu_assert.svh"
module tpu_vpu_finish #(
  parameter int Dim = 16
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  // Operation of the command.
  input  tpu_vpu_pkg::operation_t   run_i,
  // Requantized row.
  input  logic                      value_valid_i,
  input  tpu_vpu_pkg::destination_e value_to_i,
  input  logic [Dim-1:0][31:0]      value_i,
  // Row without requantization.
  input  logic                      bypass_i,
  input  logic [Dim-1:0][7:0]       bypass_row_i,
  // Look-up table.
  output logic                      lookup_o,
  output logic [Dim-1:0][7:0]       index_o,
  input  logic [Dim-1:0][3:0][7:0]  word_i,
  // Results.
  output logic [Dim-1:0][31:0]      sum_o,
  output logic                      middle_valid_o,
  output logic [Dim-1:0][7:0]       middle_o,
  output logic                      row_valid_o,
  output logic [Dim-1:0][7:0]       row_o
);
  import tpu_vpu_pkg::*;

  logic                 result, middle;
  logic                 clamped_valid_q, clamped_middle_q, looked_valid_q, looked_middle_q, looked_table_q;
  logic [Dim-1:0][7:0]  clamped_q, looked_q;
  logic [Dim-1:0][31:0] second_q;
  logic                 unused_run;

  assign unused_run = ^run_i;

  assign middle = value_valid_i && value_to_i == ToMiddle;
  assign result = value_valid_i && value_to_i == ToResult;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      clamped_valid_q <= 1'b0;
      looked_valid_q  <= 1'b0;
    end else begin
      clamped_valid_q <= middle || result || bypass_i;
      looked_valid_q  <= clamped_valid_q;
    end
  end

  // The functions read wide operands directly from the signals, because a simulator copies arguments.
  function automatic logic [Dim-1:0][31:0] add();
    for (int i = 0; i < Dim; i++) add[i] = value_i[i] + second_q[i];
  endfunction

  always_ff @(posedge clk_i) begin
    if (run_i.multiply) second_q <= '0; // the product goes through the adder
    else if (value_valid_i && value_to_i == ToSecond) second_q <= value_i;
    if (value_valid_i && value_to_i == ToFirst) sum_o <= add();
  end

  // Zero point and clamp. A value is compared with the bounds before the zero point is added: those are the same for
  // all lanes, and the sum has eight bits.
  function automatic logic [Dim-1:0][7:0] offset_clamp(input range_t range);
    // Ten bits with their sign inverted, which are compared as unsigned numbers: for a simulator one instruction.
    logic [9:0] least, most, near;
    least = ({{2{range.low[7]}}, range.low} - {{2{range.zero[7]}}, range.zero}) ^ 10'h200;
    most  = ({{2{range.high[7]}}, range.high} - {{2{range.zero[7]}}, range.zero}) ^ 10'h200;
    for (int i = 0; i < Dim; i++) begin
      near = value_i[i][9:0] ^ 10'h200;
      if (value_i[i][31:9] != {23{value_i[i][31]}}) near = {10{!value_i[i][31]}};
      offset_clamp[i] = near < least ? range.low : near > most ? range.high : near[7:0] + range.zero;
    end
  endfunction

  always_ff @(posedge clk_i) begin
    clamped_middle_q <= middle;
    if (middle || result) clamped_q <= offset_clamp(middle ? run_i.middle : run_i.result);
    else if (bypass_i) clamped_q <= bypass_row_i;
  end

  // Byte i of the table is the result for the value i-128: the index is the value with its sign bit inverted.
  assign lookup_o = clamped_valid_q && run_i.looks_up && (clamped_middle_q || !run_i.residual);
  always_comb begin
    index_o = '0;
    if (lookup_o) begin
      for (int i = 0; i < Dim; i++) index_o[i] = clamped_q[i] ^ 8'h80;
    end
  end

  always_ff @(posedge clk_i) begin
    looked_middle_q <= clamped_middle_q;
    looked_table_q  <= lookup_o;
    if (clamped_valid_q) looked_q <= clamped_q;
  end

  always_comb begin
    middle_o = looked_q;
    if (looked_valid_q && looked_table_q) begin
      for (int i = 0; i < Dim; i++) middle_o[i] = word_i[i][looked_q[i][1:0]];
    end
  end

  // Rows of MAP and MAXPOOL are clamped after the table.
  task automatic clamp;
    logic signed [7:0] x, low, high;
    low  = run_i.result.low;
    high = run_i.result.high;
    for (int i = 0; i < Dim; i++) begin
      x = middle_o[i];
      row_o[i] = x < low ? low : x > high ? high : x;
    end
  endtask

  always_comb begin
    row_o = middle_o;
    if (looked_valid_q && (run_i.maps || run_i.maxpool)) clamp;
  end

  assign middle_valid_o = looked_valid_q && looked_middle_q;
  assign row_valid_o    = looked_valid_q && !looked_middle_q;

  `TPU_ASSERT(OneSource, !(value_valid_i && bypass_i))
endmodule
