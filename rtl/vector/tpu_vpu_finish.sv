// SPDX-License-Identifier: Apache-2.0
// Stages after the requantization: adds the operands of an addition, and turns results into int8 rows by zero point,
// clamp and look-up table. Rows that need no requantization enter here.
//
// Latency: two cycles from value_valid_i or bypass_i to row_valid_o (or middle_valid_o). sum_o is valid from the cycle
// after the operand tagged FIRST, which arrives after the one tagged SECOND, until the next sum.
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
  input  logic              clk_i,
  input  logic              rst_ni,
  // Operation of the command.
  input  logic              run_residual_i,
  input  logic              run_table_i,
  input  logic              run_clamp_last_i, // MAP, MAXPOOL: clamp after the table
  input  logic [7:0]        run_zero_point_i,
  input  logic [7:0]        run_clamp_min_i,
  input  logic [7:0]        run_clamp_max_i,
  input  logic [7:0]        run_zero1_i,
  input  logic [7:0]        run_mid_min_i,
  input  logic [7:0]        run_mid_max_i,
  // Requantized row.
  input  logic              value_valid_i,
  input  logic [1:0]        value_tag_i,
  input  logic [32*Dim-1:0] value_i,
  // Row without requantization.
  input  logic              bypass_i,
  input  logic [8*Dim-1:0]  bypass_row_i,
  // Look-up table.
  output logic              lookup_o,
  output logic [8*Dim-1:0]  index_o,
  input  logic [32*Dim-1:0] word_i,
  // Results.
  output logic [32*Dim-1:0] sum_o,
  output logic              middle_valid_o,
  output logic              row_valid_o,
  output logic [8*Dim-1:0]  row_o
);
  logic              result, middle;
  logic              clamped_valid_q, clamped_middle_q, looked_valid_q, looked_middle_q, looked_table_q;
  logic [8*Dim-1:0]  clamped_q, looked_q;
  logic [32*Dim-1:0] second_q, sum_q;

  // The functions read wide operands directly from the signals, because a simulator copies arguments.
  function automatic logic [32*Dim-1:0] add();
    for (int i = 0; i < Dim; i++) add[i*32 +: 32] = value_i[i*32 +: 32] + second_q[i*32 +: 32];
  endfunction

  function automatic logic [8*Dim-1:0] offset_clamp(input logic [7:0] zero, input logic [7:0] low,
                                                    input logic [7:0] high);
    logic signed [32:0] v, l, h;
    l = {{25{low[7]}}, low};
    h = {{25{high[7]}}, high};
    for (int i = 0; i < Dim; i++) begin
      v = {value_i[i*32+31], value_i[i*32 +: 32]} + {{25{zero[7]}}, zero};
      offset_clamp[i*8 +: 8] = v < l ? low : v > h ? high : v[7:0];
    end
  endfunction

  function automatic logic [8*Dim-1:0] clamp(input logic [8*Dim-1:0] row, input logic [7:0] low,
                                             input logic [7:0] high);
    logic signed [7:0] x, l, h;
    l = low;
    h = high;
    for (int i = 0; i < Dim; i++) begin
      x = row[i*8 +: 8];
      clamp[i*8 +: 8] = x < l ? l : x > h ? h : x;
    end
  endfunction

  // Byte i of the table is the result for the value i-128: the index is the value with its sign bit inverted.
  function automatic logic [8*Dim-1:0] to_index();
    for (int i = 0; i < Dim; i++) to_index[i*8 +: 8] = clamped_q[i*8 +: 8] ^ 8'h80;
  endfunction

  function automatic logic [8*Dim-1:0] pick();
    for (int i = 0; i < Dim; i++) pick[i*8 +: 8] = word_i[i*32 + 8*32'(looked_q[i*8 +: 2]) +: 8];
  endfunction

  assign middle = value_valid_i && value_tag_i == tpu_vpu_pkg::MIDDLE;
  assign result = value_valid_i && value_tag_i == tpu_vpu_pkg::RESULT;
  assign sum_o  = sum_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      clamped_valid_q <= 1'b0;
      looked_valid_q  <= 1'b0;
    end else begin
      clamped_valid_q <= middle || result || bypass_i;
      looked_valid_q  <= clamped_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (value_valid_i && value_tag_i == tpu_vpu_pkg::SECOND) second_q <= value_i;
    if (value_valid_i && value_tag_i == tpu_vpu_pkg::FIRST) sum_q <= add();
  end

  always_ff @(posedge clk_i) begin
    clamped_middle_q <= middle;
    if (middle || result) clamped_q <= offset_clamp(middle ? run_zero1_i : run_zero_point_i,
                                                    middle ? run_mid_min_i : run_clamp_min_i,
                                                    middle ? run_mid_max_i : run_clamp_max_i);
    else if (bypass_i) clamped_q <= bypass_row_i;
  end

  assign lookup_o = clamped_valid_q && run_table_i && (clamped_middle_q || !run_residual_i);

  always_comb begin
    index_o = '0;
    if (lookup_o) index_o = to_index();
  end

  always_ff @(posedge clk_i) begin
    looked_middle_q <= clamped_middle_q;
    looked_table_q  <= lookup_o;
    if (clamped_valid_q) looked_q <= clamped_q;
  end

  always_comb begin
    row_o = '0;
    if (looked_valid_q) begin
      row_o = looked_table_q ? pick() : looked_q;
      if (run_clamp_last_i) row_o = clamp(row_o, run_clamp_min_i, run_clamp_max_i);
    end
  end

  assign middle_valid_o = looked_valid_q && looked_middle_q;
  assign row_valid_o    = looked_valid_q && !looked_middle_q;

  `TPU_ASSERT(OneSource, !(value_valid_i && bypass_i))
endmodule
