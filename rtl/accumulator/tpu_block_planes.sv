// SPDX-License-Identifier: Apache-2.0
// Sums the products of a block that come in several rows, because an array of fewer than 16 rows multiplies a part of
// the block at a time. The sums stay integers: they are exact in any order.
//
// Latency: one cycle from the row that completes a block to its sums. Throughput: one row per cycle. Back-pressure:
// none, never stalls. Rows of the same number must be at least two cycles apart.
//
// Protocol: valid_i marks a row, valid_o the sums of a block. begin_i: the row is the first of its block, complete_i:
// the last; both may be. What belongs to the last row comes out with the sums. Of each lane the low 20 bits count.
//
// Parameters: Dim (lanes), Rows (rows that may be summed at the same time, power of two).
`include "tpu_assert.svh"
module tpu_block_planes #(
  parameter int Dim = 4,
  parameter int Rows = 64,
  localparam int Bits = 20,
  localparam int AddrWidth = $clog2(Rows)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Row of products.
  input  logic                 valid_i,
  input  logic [AddrWidth-1:0] row_i,
  input  logic                 begin_i,
  input  logic                 complete_i,
  input  logic                 accumulate_i,
  input  logic [7:0]           act_exponent_i,
  input  logic [Dim-1:0][7:0]  weight_exponents_i,
  input  logic [Dim-1:0][31:0] products_i,
  // Sums of a block.
  output logic                 valid_o,
  output logic [AddrWidth-1:0] row_o,
  output logic                 accumulate_o,
  output logic [7:0]           act_exponent_o,
  output logic [Dim-1:0][7:0]  weight_exponents_o,
  output logic [Dim-1:0][31:0] products_o
);
  typedef struct packed {
    logic [AddrWidth-1:0] row;
    logic                 accumulate;
    logic [7:0]           act_exponent;
    logic [Dim-1:0][7:0]  weight_exponents;
  } block_t;

  logic                     valid_q, begin_q, complete_q;
  block_t                   block_q;
  logic [Dim-1:0][Bits-1:0] products_q, earlier, sums;
  logic                     unused_bits;
  assign unused_bits = ^products_i;

  always_comb begin
    sums       = 'x;
    products_o = 'x;
    if (valid_q) begin
      for (int n = 0; n < Dim; n++) begin
        sums[n]       = (begin_q ? '0 : earlier[n]) + products_q[n];
        products_o[n] = 32'($signed(sums[n]));
      end
    end
  end

  tpu_ram #(.Width(Bits * Dim), .Depth(Rows)) u_ram (
    .clk_i,
    .rd_en_i   (valid_i && !begin_i),
    .rd_addr_i (row_i),
    .rd_data_o (earlier),
    .wr_en_i   (valid_q && !complete_q),
    .wr_addr_i (block_q.row),
    .wr_data_i (sums),
    .wr_mask_i (1'b1)
  );

  always_ff @(posedge clk_i) begin
    valid_q <= valid_i && rst_ni;
    if (valid_i) begin
      begin_q    <= begin_i;
      complete_q <= complete_i;
      block_q    <= '{
        row: row_i, accumulate: accumulate_i, act_exponent: act_exponent_i, weight_exponents: weight_exponents_i
      };
      for (int n = 0; n < Dim; n++) products_q[n] <= products_i[n][Bits-1:0];
    end
  end

  assign valid_o            = valid_q && complete_q;
  assign row_o              = block_q.row;
  assign accumulate_o       = block_q.accumulate;
  assign act_exponent_o     = block_q.act_exponent;
  assign weight_exponents_o = block_q.weight_exponents;

  `TPU_ASSERT_WHEN(RowsApart, valid_i && valid_q, row_i != block_q.row, ("row %0d twice\n", row_i))
endmodule
