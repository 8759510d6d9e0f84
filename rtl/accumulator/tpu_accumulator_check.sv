// SPDX-License-Identifier: Apache-2.0
// Assertions on the use of the accumulators: rows exist, and the matrix side uses a row only once in four cycles, in
// block floating point once in eight. Simulation only.
//
// All ports are those of tpu_accumulator, sampled in every cycle.
//
// Parameters: AccRows, as in tpu_accumulator.
`include "tpu_assert.svh"
module tpu_accumulator_check #(
  parameter int AccRows = 1024
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        mac_valid_i,
  input logic        mac_block_i,
  input logic [15:0] mac_row_i,
  input logic        vec_rd_valid_i,
  input logic [15:0] vec_rd_row_i,
  input logic        vec_wr_valid_i,
  input logic [15:0] vec_wr_row_i
);
  // Rows used one, two and three cycles ago. None has bit 16 set, which no row number has.
  localparam logic [16:0] None = 17'h1_0000;
  logic [16:0] row, row1_q, row2_q, row3_q;
  assign row = {1'b0, mac_row_i};

  always_ff @(posedge clk_i) begin
    row1_q <= mac_valid_i ? row : None;
    row2_q <= row1_q;
    row3_q <= row2_q;
    if (!rst_ni) {row3_q, row2_q, row1_q} <= {3{None}};
  end

  // The same of sums of binary32, in the last seven cycles; they are followed only while there are such.
  localparam int Cycles = 7;
  logic [Cycles-1:0][16:0] block_rows_q;
  logic [2:0]           left_q; // cycles until the last of them is gone
  logic                 blocks;
  assign blocks = mac_block_i || left_q != '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      block_rows_q <= {Cycles{None}};
      left_q <= '0;
    end else if (blocks) begin
      block_rows_q <= {block_rows_q[Cycles-2:0], mac_block_i ? row : None};
      left_q <= mac_block_i ? 3'(Cycles) : left_q - 1'b1;
    end
  end
  function automatic logic used();
    used = 1'b0;
    for (int i = 0; i < Cycles; i++) used = used || row == block_rows_q[i];
  endfunction
  `TPU_ASSERT_WHEN(BlockRowEightCyclesApart, blocks, !mac_valid_i || !used(),
                   ("row %0d, the last rows of 17 bits %h\n", row, block_rows_q))

  // Fails when a row is used again while its read-modify-write may be in progress: there is no forwarding.
  `TPU_ASSERT_WHEN(SameRowFourCyclesApart, mac_valid_i, row != row1_q && row != row2_q && row != row3_q,
                   ("row %0d, the last rows %0d, %0d, %0d\n", row, row1_q, row2_q, row3_q))
  // Fail for a row beyond the memory: the engine should have raised a fault instead.
  `TPU_ASSERT_WHEN(MacRowExists, mac_valid_i, 32'(mac_row_i) < AccRows, ("row %0d of %0d\n", mac_row_i, AccRows))
  `TPU_ASSERT_WHEN(VectorReadRowExists, vec_rd_valid_i, 32'(vec_rd_row_i) < AccRows,
                   ("row %0d of %0d\n", vec_rd_row_i, AccRows))
  `TPU_ASSERT_WHEN(VectorWriteRowExists, vec_wr_valid_i, 32'(vec_wr_row_i) < AccRows,
                   ("row %0d of %0d\n", vec_wr_row_i, AccRows))
endmodule
