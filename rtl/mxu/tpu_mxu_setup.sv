// SPDX-License-Identifier: Apache-2.0
// Prepares a CONV for the streamer and the weight feeder: computes the address steps and the number of weight tiles.
//
// Latency: three cycles from the command to the descriptor. Throughput: one command in four cycles.
// Back-pressure: holds the descriptor until it is taken; takes the next command in the cycle after.
//
// Protocol: cmd_* and desc_* are valid/ready streams. The outputs for the weight feeder are valid with desc_valid_o.
//
// Parameters: Dim (4, 8, 16 or 32), WeightRows (power of two).
`include "tpu_instr.svh"
`include "tpu_mxu_desc.svh"
module tpu_mxu_setup #(
  parameter int Dim = 16,
  parameter int WeightRows = 4096
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  // Command stream; must be a CONV.
  input  logic         cmd_valid_i,
  output logic         cmd_ready_o,
  input  logic [511:0] cmd_instr_i,
  // Descriptor stream.
  output logic         desc_valid_o,
  input  logic         desc_ready_i,
  output conv_desc_t   desc_o,
  // For the weight feeder: format, first row, number of tiles, and whether they fit the ring.
  output logic         block_float_o,
  output logic [15:0]  weight_row_o,
  output logic [31:0]  tiles_o,
  output logic         too_many_o
);
  conv_instr_t instr;

  // 0: free; 1: first products; 2: tile count; 3: descriptor offered.
  logic [1:0] phase_q;

  // In block floating point a tile has the weights of at most 16 channels, and a row of exponents.
  localparam int BlockLanes = Dim < 16 ? Dim : 16;
  localparam int Parts = Dim / BlockLanes;

  logic        accumulate_q, block_float_q;
  logic [15:0] act_row_q, weight_row_q, acc_row_q, row_stride_q, plane_stride_q, blocks_q, in_height_q, in_width_q;
  logic [15:0] y0_q, x0_q, out_height_q, out_width_q;
  logic [7:0]  kernel_h_q, kernel_w_q, stride_h_q, stride_w_q, dilation_h_q, dilation_w_q, pad_value_q;
  logic [15:0] kernel_size_q, oy_step_q, ky_step_q, base_q;
  logic [31:0] tiles_q;
  logic        unused_bits;

  assign instr = cmd_instr_i;
  assign unused_bits = ^instr; // the header is used by the issue stage only; reserved bits are not used
  assign cmd_ready_o = phase_q == 2'd0;
  assign desc_valid_o = phase_q == 2'd3;

  // One process, so that a waiting set-up costs a simulation one test; the last phase first, so that no register needs
  // a copy.
  always_ff @(posedge clk_i) begin
    case (phase_q)
      2'd3: if (desc_ready_i) phase_q <= 2'd0;
      2'd2: begin
        phase_q <= 2'd3;
        tiles_q <= 32'(blocks_q) * 32'(kernel_size_q) * (block_float_q ? Parts : 1);
      end
      2'd1: begin
        phase_q       <= 2'd2;
        kernel_size_q <= 16'(kernel_h_q) * 16'(kernel_w_q);
        oy_step_q     <= 16'(stride_h_q) * row_stride_q;
        ky_step_q     <= 16'(dilation_h_q) * row_stride_q;
        base_q        <= act_row_q + y0_q * row_stride_q + x0_q;
      end
      default: if (cmd_valid_i) begin
        phase_q        <= 2'd1;
        accumulate_q   <= instr.accumulate;
        block_float_q  <= instr.block_float;
        act_row_q      <= instr.act_row;
        weight_row_q   <= instr.weight_row;
        acc_row_q      <= instr.acc_row;
        row_stride_q   <= instr.row_stride;
        plane_stride_q <= instr.plane_stride;
        blocks_q       <= instr.blocks;
        in_height_q    <= instr.in_height;
        in_width_q     <= instr.in_width;
        y0_q           <= instr.y0;
        x0_q           <= instr.x0;
        out_height_q   <= instr.out_height;
        out_width_q    <= instr.out_width;
        kernel_h_q     <= instr.kernel_h;
        kernel_w_q     <= instr.kernel_w;
        stride_h_q     <= instr.stride_h;
        stride_w_q     <= instr.stride_w;
        dilation_h_q   <= instr.dilation_h;
        dilation_w_q   <= instr.dilation_w;
        pad_value_q    <= instr.pad_value;
      end
    endcase
    if (!rst_ni) phase_q <= 2'd0;
  end

  logic [31:0] rows;
  always_comb begin
    rows       = tiles_q * 32'(Dim);
    too_many_o = tiles_q > 32'(WeightRows / Dim);
    if (block_float_q) begin
      rows       = tiles_q * 32'(BlockLanes + 1);
      too_many_o = tiles_q > 32'(WeightRows / (BlockLanes + 1));
    end
  end

  assign block_float_o = block_float_q;
  assign weight_row_o = weight_row_q;
  assign tiles_o = tiles_q;
  // Members of conv_desc_t in order. Separate assignments would cost simulation time in every cycle.
  assign desc_o = {too_many_o, rows, block_float_q, accumulate_q, acc_row_q, pad_value_q, base_q, blocks_q, kernel_h_q,
                   kernel_w_q, out_height_q, out_width_q, plane_stride_q, ky_step_q, dilation_h_q, dilation_w_q,
                   oy_step_q, stride_h_q, stride_w_q, in_height_q, in_width_q, y0_q, x0_q};
endmodule
