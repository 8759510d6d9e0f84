// SPDX-License-Identifier: Apache-2.0
// Finds the part of the input that a DEPTHWISE walks.
//
// The raster starts at (ys, xs): at the first tap of output (0, 0), or later if that tap lies in the padding. Rows and
// columns of padding are skipped up to the edge of the input, but not beyond the last tap. A line of the raster has
// `pitch` positions: all input columns that a tap reaches, and at least as many as from the first to the last output.
//
// Latency: four steps, which tpu_mxu_setup tells; x before y, so that both use the same adders. Throughput: one command
// in four steps. Back-pressure: none.
//
// Protocol: steps_i is one-hot or zero; each step comes once for each command, in order, with the command constant.
//
// Parameters: AccRows (more outputs than which no command has).
module tpu_depthwise_setup import tpu_mxu_pkg::*; #(
  parameter int AccRows = 1024,
  localparam int OutBits = out_bits(AccRows)
) (
  input  logic       clk_i,
  input  logic [3:0] steps_i,
  input  conv_t      command_i,
  output extent_t    extent_o
);
  localparam int NumberBits = OutBits > 9 ? OutBits : 9; // of outputs or positions of a line
  localparam int SpanBits = NumberBits + 2;

  typedef logic [NumberBits-1:0] number_t;
  typedef logic [SpanBits-1:0] span_t;

  extent_t             extent_q;
  span_t               span_q;      // from the first to the last output
  logic [7:0]          columns_q;   // of a row
  logic [15:0]         end_q;       // of the coordinates that are read, exclusive
  logic [1:0]          before_x_q, before_y_q; // from the start to the last tap of output (0, 0)
  logic [8:0]          pitch_q;
  logic                unused_command;
  assign unused_command = ^command_i;

  // One step is computed in a task, because a simulator keeps its variables in processor registers; the last step comes
  // first, so that it needs no copy of a register that is read and written.
  /* verilator lint_off BLKSEQ */
  task automatic step;
    number_t            number;
    logic [2:0]         stride;
    span_t              ones, twos, strides;
    logic signed [19:0] origin, beyond;
    logic [1:0]         taps, skipped;
    logic [15:0]        size, reached;
    logic [16:0]        columns_read;
    logic [8:0]         pitch;

    // A number times a stride of 1 to 4: columns or rows less one in the first two steps, in the fourth a line.
    number = (steps_i[0] ? number_t'(command_i.out_width) : number_t'(command_i.out_height)) - 1'b1;
    if (steps_i[3]) number = number_t'(pitch_q);
    stride = steps_i[0] ? command_i.stride_w[2:0] : command_i.stride_h[2:0];
    ones = '0;
    if (stride[2]) ones = span_t'(number) << 2;
    else if (stride[0]) ones = span_t'(number);
    twos = stride[1] ? span_t'(number) << 1 : '0;
    strides = ones + twos;

    // One direction, in the second step x, in the third y. Taps before the input's edge are skipped, but never all of
    // them. The coordinates that are read end at the last tap's or at the input's edge, whichever comes first.
    origin = 20'($signed(steps_i[1] ? command_i.x0 : command_i.y0));
    taps = steps_i[1] ? command_i.kernel_w[1:0] : command_i.kernel_h[1:0];
    size = steps_i[1] ? command_i.in_width : command_i.in_height;
    skipped = '0;
    if (origin[19]) skipped = origin[15:0] == 16'hffff && taps != 2'd1 ? 2'd1 : taps - 2'd1;
    beyond = origin + 20'(span_q) + 20'(taps);
    reached = beyond[15:0];
    if (beyond[19]) reached = '0;
    else if (beyond[18:0] > 19'(size)) reached = size;

    // The length of a line: the columns that are read (at most 256) or the distance between outputs, whichever is more,
    // and at least three, so that a vector is in the line memory before it is read. If no column is read, end_q is zero
    // and must not be used.
    columns_read = '0;
    if (end_q != '0) columns_read = {1'b0, end_q} - 17'($signed(extent_q.xs));
    if (columns_read[16]) columns_read = '0;
    pitch = {1'b0, columns_q} + 9'd1;
    if (columns_read > 17'(pitch)) pitch = columns_read[8:0];
    if (pitch < 9'd3) pitch = 9'd3;

    if (steps_i[3]) begin
      extent_q.last_column <= pitch_q[7:0] - 8'd1;
      extent_q.lead        <= (before_y_q[1] ? {pitch_q, 1'b0} : '0) + (before_y_q[0] ? 10'(pitch_q) : '0)
                              + 10'(before_x_q);
      extent_q.row_wait    <= 11'(strides) + {3'b111, ~columns_q};
    end
    if (steps_i[2]) begin
      extent_q.ys        <= 16'(origin + 20'(skipped));
      extent_q.y_last    <= 17'(origin + 20'(taps) - 20'd1);
      extent_q.y_end     <= reached;
      before_y_q         <= taps - 2'd1 - skipped;
      extent_q.read_from <= extent_q.xs[15] ? -extent_q.xs[7:0] : '0;
      extent_q.read_to   <= columns_read[8:0];
      pitch_q            <= pitch;
    end
    if (steps_i[1]) begin
      columns_q       <= 8'(span_q);
      extent_q.xs     <= 16'(origin + 20'(skipped));
      extent_q.x_last <= 17'(origin + 20'(taps) - 20'd1);
      before_x_q      <= taps - 2'd1 - skipped;
      end_q           <= reached;
    end
    if (steps_i[1] || steps_i[0]) span_q <= strides;
  endtask
  /* verilator lint_on BLKSEQ */

  always_ff @(posedge clk_i) if (steps_i != '0) step;
  assign extent_o = extent_q;
endmodule
