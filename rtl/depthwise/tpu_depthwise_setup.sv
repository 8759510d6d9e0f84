// SPDX-License-Identifier: Apache-2.0
// Prepares a DEPTHWISE for the raster and the weight loader: computes the products of strides and counts, finds the
// part of the input that the raster walks, and checks accumulator and weight rows.
//
// The raster starts at (ys, xs): at the first tap of output (0, 0), or later if that tap lies in the padding. Rows and
// columns of padding are skipped up to the edge of the input, but not beyond the last tap. A line of the raster has
// `pitch` positions: all input columns that a tap reaches, and at least as many as from the first to the last output.
//
// Latency: one cycle from the command to the weight loader, five to the descriptor. Throughput: one command in six
// cycles. Back-pressure: holds the command until the weight loader and the raster have taken their parts; takes the
// next command in the cycle after.
//
// Protocol: cmd_*, desc_* and weights_* are valid/ready streams. lead_o, refused_o and the error are valid with
// desc_valid_o.
//
// Parameters: WeightRows (power of two), AccRows (rows that exist).
`include "tpu_assert.svh"
`include "tpu_instr.svh"
`include "tpu_mxu_desc.svh"
module tpu_depthwise_setup #(
  parameter int WeightRows = 4096,
  parameter int AccRows = 1024
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  // Command stream; must be a DEPTHWISE.
  input  logic            cmd_valid_i,
  output logic            cmd_ready_o,
  input  logic [511:0]    cmd_instr_i,
  // Descriptor stream for the raster; offered after the weight loader has taken its part.
  output logic            desc_valid_o,
  input  logic            desc_ready_i,
  output depthwise_desc_t desc_o,
  // Positions before the first output.
  output logic [9:0]      lead_o,
  // The command cannot run, and its error.
  output logic            refused_o,
  output logic [7:0]      fault_code_o,
  output logic [31:0]     fault_addr_o,
  // For the weight loader.
  output logic            weights_valid_o,
  input  logic            weights_ready_i,
  output logic [15:0]     weight_row_o,
  output logic [15:0]     weight_blocks_o,
  output logic [1:0]      kernel_h_o,
  output logic [1:0]      kernel_w_o
);
  `TPU_ASSERT_INIT(WeightRowsPowerOfTwo, (WeightRows & (WeightRows - 1)) == 0)

  depthwise_instr_t instr;

  // 0: free; 1 to 4: products and sums; 5: offered.
  logic [2:0] phase_q;
  logic       fed_q; // the weight loader has taken its part

  logic        accumulate_q;
  logic [15:0] act_row_q, weight_row_q, acc_row_q, row_stride_q, plane_stride_q, blocks_q, in_height_q, in_width_q;
  logic [15:0] y0_q, x0_q, out_height_q;
  logic [7:0]  out_width_q, pad_value_q;
  logic [1:0]  kernel_h_q, kernel_w_q;
  logic [2:0]  stride_h_q, stride_w_q;
  logic        unused_bits;

  assign instr = cmd_instr_i;
  assign unused_bits = ^instr; // header, reserved bits, and bits that are zero in every legal command
  assign cmd_ready_o = phase_q == 3'd0;
  assign weights_valid_o = phase_q != 3'd0 && !fed_q;
  assign desc_valid_o = phase_q == 3'd5 && fed_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      phase_q <= 3'd0;
      fed_q <= 1'b0;
    end else if (phase_q != 3'd0 || cmd_valid_i) begin
      if (phase_q != 3'd5) phase_q <= phase_q + 1'b1;
      else if (desc_valid_o && desc_ready_i) phase_q <= 3'd0;
      fed_q <= phase_q != 3'd0 && (fed_q || weights_ready_i) && !(desc_valid_o && desc_ready_i);
    end
  end

  // Phase 1: rows and columns of padding to skip, distances from the first to the last output, counts.
  logic [1:0]  dy_q, dx_q;
  logic [17:0] rows_q;
  logic [7:0]  columns_q;
  logic [3:0]  taps_q;
  logic [23:0] positions_q;
  // Phase 2: coordinates, and the numbers of accumulator and weight rows.
  logic [17:0] ys_q, xs_q, y_last_q, x_last_q;
  logic [15:0] y_end_q, x_end_q;
  logic [32:0] sums_q;
  logic [19:0] weight_rows_q;
  // Phase 3: length of a line, first address, checks. Phase 4: positions before the first output, and from the last
  // output of a row to the first of the next.
  logic [8:0]  pitch_q;
  logic [15:0] base_q;
  logic        bad_acc_q, bad_weights_q;
  logic [9:0]  lead_q;
  logic [10:0] row_gap_q;
  logic [7:0]  last_column_q;

  // Last row and column of the kernel; rows and columns from the start to the last tap of output (0, 0).
  logic [1:0] last_h, last_w, lines, columns;
  assign last_h = kernel_h_q - 2'd1;
  assign last_w = kernel_w_q - 2'd1;
  assign lines = last_h - dy_q;
  assign columns = last_w - dx_q;

  // Number of taps before the input's edge, but never all of them.
  function automatic [1:0] skipped(input logic [15:0] origin, input logic [1:0] taps);
    if (!origin[15]) skipped = 2'd0;
    else if (origin == 16'hffff && taps != 2'd1) skipped = 2'd1;
    else skipped = taps - 2'd1;
  endfunction

  // End of the coordinates that are read, exclusive: the last tap's or the input's edge, whichever comes first.
  function automatic [15:0] stop(input logic [19:0] beyond, input logic [15:0] size);
    if (beyond[19]) stop = '0;
    else if (beyond > {4'b0, size}) stop = size;
    else stop = beyond[15:0];
  endfunction

  // Length of a line: the columns that are read (at most 256) or the distance between outputs, whichever is more, and
  // at least three, so that a vector is in the line memory before it is read.
  function automatic [8:0] line(input logic [17:0] read, input logic [8:0] outputs);
    line = outputs;
    if (!read[17] && read > {9'b0, line}) line = read[8:0];
    if (line < 9'd3) line = 9'd3;
  endfunction

  always_ff @(posedge clk_i) begin
    if (phase_q == 3'd0 && cmd_valid_i) begin
      accumulate_q   <= instr.accumulate;
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
      out_width_q    <= instr.out_width[7:0];
      kernel_h_q     <= instr.kernel_h[1:0];
      kernel_w_q     <= instr.kernel_w[1:0];
      stride_h_q     <= instr.stride_h[2:0];
      stride_w_q     <= instr.stride_w[2:0];
      pad_value_q    <= instr.pad_value;
    end
    if (phase_q == 3'd1) begin
      dy_q        <= skipped(y0_q, kernel_h_q);
      dx_q        <= skipped(x0_q, kernel_w_q);
      rows_q      <= (18'(out_height_q) - 18'd1) * 18'(stride_h_q);
      columns_q   <= (out_width_q - 8'd1) * 8'(stride_w_q);
      taps_q      <= 4'(kernel_h_q) * 4'(kernel_w_q);
      positions_q <= 24'(out_height_q) * 24'(out_width_q);
    end
    if (phase_q == 3'd2) begin
      ys_q     <= 18'($signed(y0_q)) + 18'(dy_q);
      xs_q     <= 18'($signed(x0_q)) + 18'(dx_q);
      y_last_q <= 18'($signed(y0_q)) + 18'(last_h);
      x_last_q <= 18'($signed(x0_q)) + 18'(last_w);
      y_end_q  <= stop(20'($signed(y0_q)) + 20'(rows_q) + 20'(kernel_h_q), in_height_q);
      x_end_q  <= stop(20'($signed(x0_q)) + 20'(columns_q) + 20'(kernel_w_q), in_width_q);
      // More than 65536 positions exceed every accumulator, whatever the number of blocks.
      sums_q   <= positions_q > 24'd65536 ? '1 : 33'(blocks_q) * 33'(positions_q[16:0]);
      weight_rows_q <= 20'(blocks_q) * 20'(taps_q);
    end
    if (phase_q == 3'd3) begin
      // If no column is read, x_end is zero and must not be used.
      pitch_q       <= line(x_end_q == '0 ? '0 : {2'b0, x_end_q} - xs_q, {1'b0, columns_q} + 9'd1);
      base_q        <= act_row_q + ys_q[15:0] * row_stride_q + xs_q[15:0];
      bad_acc_q     <= 34'(acc_row_q) + 34'(sums_q) > 34'(AccRows);
      bad_weights_q <= 32'(weight_rows_q) > WeightRows;
    end
    if (phase_q == 3'd4) begin
      lead_q    <= 10'(lines) * 10'(pitch_q) + 10'(columns);
      last_column_q <= pitch_q[7:0] - 8'd1;
      row_gap_q <= 11'(stride_h_q) * 11'(pitch_q) - 11'(columns_q);
    end
  end

  assign refused_o = bad_acc_q || bad_weights_q;
  always_comb begin
    fault_code_o = tpu_pkg::ERROR_WEIGHT_RANGE;
    fault_addr_o = 32'(weight_rows_q);
    if (!bad_weights_q) begin
      fault_code_o = tpu_pkg::ERROR_ACC_RANGE;
      fault_addr_o = 32'(acc_row_q) > AccRows ? 32'(acc_row_q) : AccRows;
    end
  end

  assign weight_row_o = weight_row_q;
  assign weight_blocks_o = blocks_q;
  assign kernel_h_o = kernel_h_q;
  assign kernel_w_o = kernel_w_q;
  assign lead_o = lead_q;
  // Members of depthwise_desc_t in order. Separate assignments would cost simulation time in every cycle.
  assign desc_o = {accumulate_q, pad_value_q, kernel_h_q, kernel_w_q, stride_h_q, stride_w_q, plane_stride_q,
                   row_stride_q, last_column_q, row_gap_q, x_end_q, in_height_q, in_width_q, acc_row_q, blocks_q,
                   out_height_q, out_width_q, base_q, lead_q, ys_q, xs_q, y_end_q, y_last_q, x_last_q};
endmodule
