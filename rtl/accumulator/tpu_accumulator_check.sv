// SPDX-License-Identifier: Apache-2.0
// Checks how the accumulators are used. Simulation only.
`include "tpu_assert.svh"
module tpu_accumulator_check #(
  parameter int AccRows = 1024
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        mac_valid_i,
  input logic [15:0] mac_row_i,
  input logic        vec_rd_valid_i,
  input logic [15:0] vec_rd_row_i,
  input logic        vec_wr_valid_i,
  input logic [15:0] vec_wr_row_i
);
  // The rows of the last three cycles, youngest first.
  logic [2:0]  valid_q;
  logic [47:0] rows_q;

  always_ff @(posedge clk_i) begin
    if (mac_valid_i || valid_q != '0) begin
      valid_q <= {valid_q[1:0], mac_valid_i};
      rows_q  <= {rows_q[31:0], mac_row_i};
    end
    if (!rst_ni) valid_q <= '0;
  end

  // A row came again before its read-modify-write is certain to be over: nothing forwards the sum.
  `TPU_ASSERT_WHEN(SameRowFourCyclesApart, mac_valid_i, !(
    (valid_q[0] && mac_row_i == rows_q[15:0]) || (valid_q[1] && mac_row_i == rows_q[31:16]) ||
    (valid_q[2] && mac_row_i == rows_q[47:32])))
  // A row beyond the memory: the engine must have raised a fault instead.
  `TPU_ASSERT_WHEN(MacRowExists, mac_valid_i, 32'(mac_row_i) < AccRows)
  `TPU_ASSERT_WHEN(VectorReadRowExists, vec_rd_valid_i, 32'(vec_rd_row_i) < AccRows)
  `TPU_ASSERT_WHEN(VectorWriteRowExists, vec_wr_valid_i, 32'(vec_wr_row_i) < AccRows)
endmodule
