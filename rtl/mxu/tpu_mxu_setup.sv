// SPDX-License-Identifier: Apache-2.0
// Prepares a CONV for the streamer and the weight feeder: multiplies the strides out and counts the weight tiles.
//
// Latency: three cycles from the command to the descriptor. Throughput: one command in three cycles.
// Back-pressure: holds the descriptor until it is taken; takes the next command while none is held.
// The descriptor is a flat vector; its fields are named where it is taken apart (tpu_mxu_stream).
//
// Parameters: Dim (4, 8, 16 or 32), WeightRows (power of two).
module tpu_mxu_setup #(
  parameter int Dim = 16,
  parameter int WeightRows = 4096,
  parameter int DescWidth = 282
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Command stream; only the CONV fields are looked at.
  input  logic                 cmd_valid_i,
  output logic                 cmd_ready_o,
  input  logic [511:0]         cmd_instr_i,
  // Descriptor stream.
  output logic                 desc_valid_o,
  input  logic                 desc_ready_i,
  output logic [DescWidth-1:0] desc_o,
  // For the weight feeder: first row, number of tiles, and whether they fit the ring.
  output logic [15:0]          weight_row_o,
  output logic [31:0]          tiles_o,
  output logic                 too_many_o
);
  // 0: free; 1: first products; 2: tile count; 3: descriptor offered.
  logic [1:0] phase_q;

  logic        accumulate_q;
  logic [15:0] act_row_q, weight_row_q, acc_row_q, row_stride_q, plane_stride_q, blocks_q, in_height_q, in_width_q;
  logic [15:0] y0_q, x0_q, out_height_q, out_width_q;
  logic [7:0]  kernel_h_q, kernel_w_q, stride_h_q, stride_w_q, dilation_h_q, dilation_w_q, pad_value_q;
  logic [15:0] kernel_size_q, oy_step_q, ky_step_q, base_q;
  logic [31:0] tiles_q;
  logic        unused_bits;

  assign unused_bits = ^{cmd_instr_i[511:344], cmd_instr_i[95:9], cmd_instr_i[7:0]};
  assign cmd_ready_o = phase_q == 2'd0;
  assign desc_valid_o = phase_q == 2'd3;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      phase_q <= 2'd0;
    end else begin
      if (phase_q == 2'd0 && cmd_valid_i) phase_q <= 2'd1;
      if (phase_q == 2'd1) phase_q <= 2'd2;
      if (phase_q == 2'd2) phase_q <= 2'd3;
      if (phase_q == 2'd3 && desc_ready_i) phase_q <= 2'd0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (phase_q == 2'd0 && cmd_valid_i) begin
      accumulate_q   <= cmd_instr_i[tpu_pkg::CONV_ACCUMULATE_LSB];
      act_row_q      <= cmd_instr_i[tpu_pkg::CONV_ACT_ROW_LSB +: 16];
      weight_row_q   <= cmd_instr_i[tpu_pkg::CONV_WEIGHT_ROW_LSB +: 16];
      acc_row_q      <= cmd_instr_i[tpu_pkg::CONV_ACC_ROW_LSB +: 16];
      row_stride_q   <= cmd_instr_i[tpu_pkg::CONV_ROW_STRIDE_LSB +: 16];
      plane_stride_q <= cmd_instr_i[tpu_pkg::CONV_PLANE_STRIDE_LSB +: 16];
      blocks_q       <= cmd_instr_i[tpu_pkg::CONV_BLOCKS_LSB +: 16];
      in_height_q    <= cmd_instr_i[tpu_pkg::CONV_IN_HEIGHT_LSB +: 16];
      in_width_q     <= cmd_instr_i[tpu_pkg::CONV_IN_WIDTH_LSB +: 16];
      y0_q           <= cmd_instr_i[tpu_pkg::CONV_Y0_LSB +: 16];
      x0_q           <= cmd_instr_i[tpu_pkg::CONV_X0_LSB +: 16];
      out_height_q   <= cmd_instr_i[tpu_pkg::CONV_OUT_HEIGHT_LSB +: 16];
      out_width_q    <= cmd_instr_i[tpu_pkg::CONV_OUT_WIDTH_LSB +: 16];
      kernel_h_q     <= cmd_instr_i[tpu_pkg::CONV_KERNEL_H_LSB +: 8];
      kernel_w_q     <= cmd_instr_i[tpu_pkg::CONV_KERNEL_W_LSB +: 8];
      stride_h_q     <= cmd_instr_i[tpu_pkg::CONV_STRIDE_H_LSB +: 8];
      stride_w_q     <= cmd_instr_i[tpu_pkg::CONV_STRIDE_W_LSB +: 8];
      dilation_h_q   <= cmd_instr_i[tpu_pkg::CONV_DILATION_H_LSB +: 8];
      dilation_w_q   <= cmd_instr_i[tpu_pkg::CONV_DILATION_W_LSB +: 8];
      pad_value_q    <= cmd_instr_i[tpu_pkg::CONV_PAD_VALUE_LSB +: 8];
    end
    if (phase_q == 2'd1) begin
      kernel_size_q <= 16'(kernel_h_q) * 16'(kernel_w_q);
      oy_step_q     <= 16'(stride_h_q) * row_stride_q;
      ky_step_q     <= 16'(dilation_h_q) * row_stride_q;
      base_q        <= act_row_q + y0_q * row_stride_q + x0_q;
    end
    if (phase_q == 2'd2) tiles_q <= 32'(blocks_q) * 32'(kernel_size_q);
  end

  assign weight_row_o = weight_row_q;
  assign tiles_o = tiles_q;
  assign too_many_o = tiles_q > 32'(WeightRows / Dim);
  assign desc_o = {too_many_o, tiles_q * 32'(Dim), accumulate_q, acc_row_q, pad_value_q, base_q,
                   blocks_q, kernel_h_q, kernel_w_q, out_height_q, out_width_q,
                   plane_stride_q, ky_step_q, dilation_h_q, dilation_w_q, oy_step_q, stride_h_q, stride_w_q,
                   in_height_q, in_width_q, y0_q, x0_q};
endmodule
