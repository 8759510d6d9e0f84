// SPDX-License-Identifier: Apache-2.0
// Memory with one synchronous read port and one write port: the only place in the core that declares a RAM, so that
// a technology's macro is mapped by replacing this file.
//
// Latency: read data follow the read enable by one cycle and hold until the next read.
// Throughput: one read and one write per cycle. Never stalls.
// Read during write of the same word: the old data are returned, as block RAM in read-first mode does.
//
// Parameters: Width (bits, multiple of LaneWidth), Depth (words, at least 2), LaneWidth (bits that one write-mask
// bit covers; equal to Width for a memory without mask).
module tpu_ram #(
  parameter int Width = 128,
  parameter int Depth = 512,
  parameter int LaneWidth = Width,
  parameter int AddrWidth = $clog2(Depth),
  parameter int Lanes = Width / LaneWidth
) (
  input  logic                 clk_i,
  // Read port.
  input  logic                 rd_en_i,
  input  logic [AddrWidth-1:0] rd_addr_i,
  output logic [Width-1:0]     rd_data_o,
  // Write port; a lane is written where its mask bit is set.
  input  logic                 wr_en_i,
  input  logic [AddrWidth-1:0] wr_addr_i,
  input  logic [Width-1:0]     wr_data_i,
  input  logic [Lanes-1:0]     wr_mask_i
);
  logic [Width-1:0] mem [0:Depth-1];

  always_ff @(posedge clk_i) begin
    if (rd_en_i) rd_data_o <= mem[rd_addr_i];
  end

  if (Lanes == 1) begin : gen_whole
    always_ff @(posedge clk_i) begin
      if (wr_en_i && wr_mask_i[0]) mem[wr_addr_i] <= wr_data_i;
    end
  end else begin : gen_lanes
    // One whole-word assignment: lanes that keep their value are recognized as write enables by synthesis (a feedback
    // path of the memory), and simulation writes one word instead of testing every lane. The word is worked out in the
    // process, so that a cycle without a write costs one test.
    logic [Width-1:0] word;
    /* verilator lint_off BLKSEQ */
    always_ff @(posedge clk_i) begin
      if (wr_en_i) begin
        word = wr_data_i;
        if (wr_mask_i != '1) begin
          for (int i = 0; i < Lanes; i++) begin
            if (!wr_mask_i[i]) word[i*LaneWidth +: LaneWidth] = mem[wr_addr_i][i*LaneWidth +: LaneWidth];
          end
        end
        mem[wr_addr_i] <= word;
      end
    end
    /* verilator lint_on BLKSEQ */
  end
endmodule
