// SPDX-License-Identifier: Apache-2.0
// tpu_ram as a pessimist has it: a word that is read in the cycle in which it is written comes out as X, as a block RAM
// in write-first or no-change mode, or one with separate clocks, may return anything. What still passes does not rest
// on read-first behaviour. Each collision is a line of the output, so that a run without any is not taken for a proof.
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
  logic [Width-1:0] mem [0:Depth-1];

  always_ff @(posedge clk_i) begin
    if (rd_en_i && wr_en_i && wr_addr_i == rd_addr_i) $display("COLLISION %m");
    if (rd_en_i) rd_data_o <= wr_en_i && wr_addr_i == rd_addr_i ? 'x : mem[rd_addr_i];
    if (wr_en_i) begin
      for (int i = 0; i < Lanes; i++) begin
        if (wr_mask_i[i]) mem[wr_addr_i][i*LaneWidth +: LaneWidth] <= wr_data_i[i*LaneWidth +: LaneWidth];
      end
    end
  end
endmodule
