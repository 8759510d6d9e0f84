// SPDX-License-Identifier: Apache-2.0
// The ports of rtl/common/tpu_ram.sv without contents: synthesis counts its bits instead of building it from
// flip-flops, as a technology's macro would stand there.
(* blackbox *)
module tpu_ram #(
  parameter int Width = 128,
  parameter int Depth = 512,
  parameter int LaneWidth = Width,
  parameter int AddrWidth = $clog2(Depth),
  parameter int Lanes = Width / LaneWidth
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
endmodule
