// SPDX-License-Identifier: Apache-2.0
// Reads the taps of a channel block from the weight ring into the shadow weights while the previous block is processed.
// Taps that a kernel smaller than 3x3 does not have are zero.
//
// Tap (j, i), j rows and i columns before the last tap of the kernel, is at index 3*j+i of the shadow weights, like the
// positions in the window of tpu_depthwise_lanes.
//
// Latency: a row granted in cycle f is in the shadow weights at f+2. loaded_o rises in the cycle after the last grant,
// before that row has arrived, because a position needs its weights one cycle after it was issued.
// Throughput: one tap per cycle. Back-pressure: waits for the ring's read port (rd_ready_i), and holds a loaded block
// until swap_i. The next command is taken from the cycle after the last row of the previous one on.
//
// Protocol: start_* and rd_* are valid/ready streams, read data are valid in the cycle after the grant. swap_i is a
// pulse, only while loaded_o is high (asserted).
//
// Parameters: Dim (4, 8, 16 or 32), WeightRows (power of two).
`include "tpu_assert.svh"
module tpu_depthwise_weights import tpu_mxu_pkg::*; #(
  parameter int Dim = 16,
  parameter int WeightRows = 4096,
  localparam int RowWidth = $clog2(WeightRows)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // Blocks of the next command.
  input  logic                     start_valid_i,
  output logic                     start_ready_o,
  input  taps_t                    start_i,
  // Raster: the next block's weights are loaded (loaded_o); its first position is issued (swap_i).
  output logic                     loaded_o,
  input  logic                     swap_i,
  // Weight ring.
  output logic                     rd_valid_o,
  input  logic                     rd_ready_i,
  output logic [RowWidth-1:0]      rd_row_o,
  input  logic [Dim-1:0][7:0]      rd_data_i,
  // Shadow weights.
  output logic [8:0][Dim-1:0][7:0] shadow_o
);
  `TPU_ASSERT_INIT(WeightRowsPowerOfTwo, (WeightRows & (WeightRows - 1)) == 0)

  logic [15:0]              blocks_q;    // blocks not yet loaded
  logic [1:0]               last_h_q, last_w_q; // kernel size minus one
  logic [RowWidth-1:0]      row_q;
  logic [1:0]               j_q, i_q;    // tap to be read
  logic                     begin_q;     // this tap is the first of its block
  logic                     loaded_q;
  logic                     granted, last, start;
  logic                     granted_q, clear_q;
  logic [3:0]               index_q;
  logic [8:0][Dim-1:0][7:0] shadow_q;
  logic                     unused_bits;

  assign unused_bits = ^start_i.row; // the ring wraps: bits above RowWidth do not matter
  assign rd_valid_o = blocks_q != '0 && !loaded_q;
  assign rd_row_o = row_q;
  assign granted = rd_valid_o && rd_ready_i;
  assign last = j_q == '0 && i_q == '0;
  assign start_ready_o = blocks_q == '0;
  assign start = start_valid_i && start_ready_o;
  assign loaded_o = loaded_q;
  assign shadow_o = shadow_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      blocks_q <= '0;
      loaded_q <= 1'b0;
      granted_q <= 1'b0;
    end else begin
      if (start) blocks_q <= start_i.blocks;
      else if (granted && last) blocks_q <= blocks_q - 1'b1;
      if (granted && last) loaded_q <= 1'b1;
      else if (swap_i) loaded_q <= 1'b0;
      granted_q <= granted;
    end
    if (start) begin
      row_q <= start_i.row[RowWidth-1:0];
      last_h_q <= start_i.kernel_h - 2'd1;
      last_w_q <= start_i.kernel_w - 2'd1;
      j_q <= start_i.kernel_h - 2'd1;
      i_q <= start_i.kernel_w - 2'd1;
      begin_q <= 1'b1;
    end else if (granted) begin
      row_q <= row_q + 1'b1;
      begin_q <= last;
      if (i_q != '0) i_q <= i_q - 1'b1;
      else i_q <= last_w_q;
      if (last) j_q <= last_h_q;
      else if (i_q == '0) j_q <= j_q - 1'b1;
    end
    if (granted) begin
      clear_q <= begin_q;
      index_q <= {j_q, 2'b0} - {2'b0, j_q} + {2'b0, i_q};
    end
    if (granted_q) begin
      for (int t = 0; t < 9; t++) begin
        if (index_q == 4'(t)) shadow_q[t] <= rd_data_i;
        else if (clear_q) shadow_q[t] <= '0;
      end
    end
  end

  `TPU_ASSERT_WHEN(SwapNeedsWeights, swap_i, loaded_q)
endmodule
