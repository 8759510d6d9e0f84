// SPDX-License-Identifier: Apache-2.0
// In place of tpu_ram: whatever is read, is any value. What is proven with it holds for every content of the memories,
// and the solver need not know their words. A file of proofs asks for it with `free_memories`.
module tpu_ram #(
  parameter int Width = 128,
  parameter int Depth = 512,
  parameter int LaneWidth = Width,
  localparam int AddrWidth = $clog2(Depth),
  localparam int Lanes = Width / LaneWidth
) (
  input  logic                 clk_i,
  input  logic                 rd_en_i,
  input  logic [AddrWidth-1:0] rd_addr_i,
  output logic [Width-1:0]     rd_data_o,
  input  logic                 wr_en_i,
  input  logic [AddrWidth-1:0] wr_addr_i,
  input  logic [Width-1:0]     wr_data_i,
  input  logic [Lanes-1:0]     wr_mask_i
);
  logic [Width-1:0] any;
  assign rd_data_o = any;
endmodule
