// SPDX-License-Identifier: Apache-2.0
// The vector registers: 16 strips of eight rows. Two copies of the memory, one for each source operand.
//
// Latency: a row is on a_o and b_o in the cycle after its read, and stays there until the next read. A write can be
// read in the next cycle. Throughput: two reads and one write per cycle. Back-pressure: none, never stalls.
//
// Protocol: rd_valid_i reads a row of two registers, wr_valid_i writes a row of one; never the same row in the same
// cycle. While clear_i is high, row clear_row_i is set to zero, if there is one; nothing else
// is written then.
//
// Parameters: Dim (lanes).
`include "tpu_assert.svh"
module tpu_strip_registers #(
  parameter int Dim = 16
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // Read of row rd_row_i of two registers.
  input  logic              rd_valid_i,
  input  logic [2:0]        rd_row_i,
  input  logic [3:0]        a_i,
  input  logic [3:0]        b_i,
  output logic [32*Dim-1:0] a_o,
  output logic [32*Dim-1:0] b_o,
  // Write of a row.
  input  logic              wr_valid_i,
  input  logic [2:0]        wr_row_i,
  input  logic [3:0]        d_i,
  input  logic [32*Dim-1:0] wr_data_i,
  // Clearing.
  input  logic              clear_i,
  input  logic [15:0]       clear_row_i
);
  localparam int Rows = tpu_kernel_pkg::VECTORS * tpu_kernel_pkg::STRIP_ROWS;

  logic              wr_en;
  logic [6:0]        wr_addr;
  logic [32*Dim-1:0] wr_data;

  always_comb begin
    wr_en   = wr_valid_i;
    wr_addr = {d_i, wr_row_i};
    wr_data = wr_data_i;
    if (clear_i) begin
      wr_en   = 32'(clear_row_i) < Rows;
      wr_addr = clear_row_i[6:0];
      wr_data = '0;
    end
  end

  tpu_ram #(.Width(32*Dim), .Depth(Rows)) u_a (
    .clk_i, .rd_en_i(rd_valid_i), .rd_addr_i({a_i, rd_row_i}), .rd_data_o(a_o),
    .wr_en_i(wr_en), .wr_addr_i(wr_addr), .wr_data_i(wr_data), .wr_mask_i(1'b1)
  );

  tpu_ram #(.Width(32*Dim), .Depth(Rows)) u_b (
    .clk_i, .rd_en_i(rd_valid_i), .rd_addr_i({b_i, rd_row_i}), .rd_data_o(b_o),
    .wr_en_i(wr_en), .wr_addr_i(wr_addr), .wr_data_i(wr_data), .wr_mask_i(1'b1)
  );

  `TPU_ASSERT_WHEN(NoReadOfTheWrittenRow, rd_valid_i && wr_valid_i,
                   {a_i, rd_row_i} != wr_addr && {b_i, rd_row_i} != wr_addr,
                   ("rows %0d and %0d are read, %0d is written\n", {a_i, rd_row_i}, {b_i, rd_row_i}, wr_addr))
endmodule
