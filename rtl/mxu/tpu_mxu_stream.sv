// SPDX-License-Identifier: Apache-2.0
// Streams the activations of a CONV: for each weight tile all output positions, one scratchpad row (or row of padding)
// per cycle. Each position is issued with the accumulator row of its sum.
//
// Latency: the first position in the cycle after the descriptor is taken. Throughput: one position per cycle while
// weight tiles are loaded in time, without a gap between commands.
// Back-pressure: waits at the first position of a tile until the tile is loaded. The next descriptor is taken with the
// last position of the previous one. Reads are never refused, but no position is issued while hold_i is high.
// An accumulator row is read, added to and written within RmwCycles, in block floating point within BlockCycles.
// Therefore a command that begins with a row that the previous one has just used waits that long, and so does a tile
// after one that was delayed by hold_i. After a command of the other format a command always waits.
//
// In block floating point the channel blocks are the innermost loop around the tile. A row of more than 16 lanes is
// streamed once for each 16 (part_o); 16 / Dim rows of fewer make a block, which complete_o ends.
// A row out of range or too many weight tiles stop the streamer until reset; fault_o is high and the error is held.
//
// Protocol: descriptors are a valid/ready stream. issue_o marks a position for one cycle; swap_o, pad_o and the
// accumulator row belong to it. rd_valid_o has no ready.
//
// Parameters: Dim (lanes), ScratchRows, AccRows (rows that exist), BlockRows (those of them that have exponents),
// BlockCycles (see above; at most 8).
`include "tpu_assert.svh"
`include "tpu_mxu_desc.svh"
module tpu_mxu_stream #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int BlockRows = ScratchRows,
  parameter int AccRows = 1024,
  parameter int BlockCycles = 8
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // Descriptor stream from the set-up.
  input  logic        desc_valid_i,
  output logic        desc_ready_o,
  input  conv_desc_t  desc_i,
  // Weight feeder.
  input  logic        loaded_i,
  output logic        swap_o,
  // Scratchpad read.
  input  logic        hold_i,
  output logic        rd_valid_o,
  output logic [15:0] rd_row_o,
  // The position issued in this cycle.
  output logic        issue_o,
  output logic        pad_o,
  output logic [7:0]  pad_value_o,
  output logic [15:0] acc_row_o,
  output logic        accumulate_o,
  output logic        last_o,
  // Of block floating point: the position's format; the last of a tile; a block's first and last plane; which 16 lanes.
  output logic        block_o,
  output logic        tile_last_o,
  output logic        begin_o,
  output logic        complete_o,
  output logic        part_o,
  // State.
  output logic        active_o,
  output logic        wait_weights_o,
  output logic        fault_o,
  output logic [7:0]  fault_code_o,
  output logic [31:0] fault_addr_o
);
  localparam int RmwCycles = 4;
  localparam int Planes = Dim < 16 ? 16 / Dim : 1; // rows of a block
  localparam int Parts = Dim > 16 ? Dim / 16 : 1;  // blocks of a row
  // Output column, output row, kernel column, kernel row, channel block; in block floating point output column, output
  // row, part of a row where there are several, channel block, kernel column, kernel row.
  localparam int Levels = Parts > 1 ? 6 : 5;

  // Descriptor of the command in progress; used for the current position.
  conv_desc_t desc_q;
  logic       active_q, fault_q;
  logic       start, fire;

  logic       unused_desc;
  assign unused_desc = ^{desc_i, desc_q};

  logic [15:0]       nest_addr;
  logic              nest_inside, nest_done;
  logic [Levels-1:0] nest_first, nest_last;
  logic [25:0]       nest_y, nest_x;
  logic              unused_nest;

  // The loops. Except at the end of the innermost one, the nest reads only the steps of that loop; the others stay
  // constant. A task, because a simulator then computes them only when the nest reads them.
  logic [16*Levels-1:0] count, addr_step;
  logic [26*Levels-1:0] y_step, x_step;

  // The nest can only start: its last position is in progress, or none is. Known earlier than the start.
  logic fresh;
  assign fresh = !active_q || nest_done;

  task automatic set_loops(
    input logic block_float, input logic [15:0] blocks, input logic [15:0] kernel, input logic [15:0] dilation,
    input logic [15:0] plane_stride, input logic [15:0] ky_step, input logic [31:0] size, input logic [15:0] oy_step,
    input logic [15:0] stride
  );
    count[31:0]     = size;
    addr_step[31:0] = {oy_step, 8'b0, stride[7:0]};
    y_step[51:0]    = {18'b0, stride[15:8], 26'b0};
    x_step[51:0]    = {26'b0, 18'b0, stride[7:0]};
    if (Parts > 1) count[47:32] = block_float ? 16'(Parts) : 16'd1;
    // The three outer loops.
    if (block_float) begin
      count[16*Levels-1 -: 48]     = {8'b0, kernel[15:8], 8'b0, kernel[7:0], blocks};
      addr_step[16*Levels-1 -: 48] = {ky_step, 8'b0, dilation[7:0], plane_stride};
      y_step[26*Levels-1 -: 78]    = {18'b0, dilation[15:8], 26'b0, 26'b0};
      x_step[26*Levels-1 -: 78]    = {26'b0, 18'b0, dilation[7:0], 26'b0};
    end else begin
      count[16*Levels-1 -: 48]     = {blocks, 8'b0, kernel[15:8], 8'b0, kernel[7:0]};
      addr_step[16*Levels-1 -: 48] = {plane_stride, ky_step, 8'b0, dilation[7:0]};
      y_step[26*Levels-1 -: 78]    = {26'b0, 18'b0, dilation[15:8], 26'b0};
      x_step[26*Levels-1 -: 78]    = {26'b0, 26'b0, 18'b0, dilation[7:0]};
    end
  endtask

  always_comb begin
    count     = '0;
    addr_step = (16*Levels)'(desc_q.stride_w);
    y_step    = '0;
    x_step    = (26*Levels)'(desc_q.stride_w);
    if (start || nest_last[0]) begin
      set_loops(fresh ? desc_i.block_float : desc_q.block_float, fresh ? desc_i.blocks : desc_q.blocks,
                fresh ? {desc_i.kernel_h, desc_i.kernel_w} : {desc_q.kernel_h, desc_q.kernel_w},
                fresh ? {desc_i.dilation_h, desc_i.dilation_w} : {desc_q.dilation_h, desc_q.dilation_w},
                fresh ? desc_i.plane_stride : desc_q.plane_stride, fresh ? desc_i.ky_step : desc_q.ky_step,
                fresh ? {desc_i.out_height, desc_i.out_width} : {desc_q.out_height, desc_q.out_width},
                fresh ? desc_i.oy_step : desc_q.oy_step,
                fresh ? {desc_i.stride_h, desc_i.stride_w} : {desc_q.stride_h, desc_q.stride_w});
    end
  end

  tpu_loop_nest #(.Levels(Levels), .CountWidth(16), .AddrWidth(16), .CoordWidth(26)) u_nest (
    .clk_i, .rst_ni,
    .start_i(start), .step_i(fire),
    .base_addr_i(desc_i.base), .base_y_i({{10{desc_i.y0[15]}}, desc_i.y0}),
    .base_x_i({{10{desc_i.x0[15]}}, desc_i.x0}),
    .count_i(count), .addr_step_i(addr_step), .y_step_i(y_step), .x_step_i(x_step),
    .height_i({10'b0, fresh ? desc_i.in_height : desc_q.in_height}),
    .width_i({10'b0, fresh ? desc_i.in_width : desc_q.in_width}),
    .addr_o(nest_addr), .y_o(nest_y), .x_o(nest_x), .inside_o(nest_inside),
    .first_o(nest_first), .last_o(nest_last), .done_o(nest_done)
  );
  assign unused_nest = ^{nest_y, nest_x, nest_first, nest_last};

  // Accumulator row: counts the positions of a tile and restarts with the next tile.
  logic [16:0] acc_q;
  logic        tile_first, tile_last;
  assign tile_first = nest_first[0] && nest_first[1];
  assign tile_last = nest_last[0] && nest_last[1];

  // The block that a tile belongs to: its plane, and whether it is the first of the command. A command of integers has
  // one plane in each.
  logic [1:0] plane_q;
  logic       first_block_q, complete;
  assign complete = Planes == 1 || !desc_q.block_float || plane_q == 2'(Planes - 1) || nest_last[2];

  // Rows that the previous command used less than RmwCycles ago. near_q, whether a command begins with one of them, is
  // computed when its descriptor is taken, which keeps it out of the path to fire. The previous command is then at its
  // last position or past it.
  logic [15:0] last_row_q, begin_row;
  logic [2:0]  recent_q;
  logic        near_q, hazard, switch_q;
  logic [15:0] window;   // rows that the previous command used
  logic [2:0]  cycles;   // until the sum of a position is written, less one
  assign cycles = 3'((desc_q.block_float ? BlockCycles : RmwCycles) - 1);
  assign window = 16'(cycles);

  // Tiles of fewer than RmwCycles positions would use the same rows again too soon if they followed each other
  // directly. Normally the loading of weights keeps the first positions of two tiles far enough apart. If hold_i has
  // delayed positions of a tile, that is not enough: the next tile then begins RmwCycles after its last position.
  // In block floating point, too few positions are always noticed so.
  logic [2:0]  since_q;
  logic        held_q, few_q, crowded;
  assign crowded = (held_q || few_q) && since_q != '0;
  assign begin_row = desc_i.acc_row;
  assign hazard = recent_q != '0 && (near_q || switch_q) && first_block_q && plane_q == '0;

  // Only the first position of a tile waits.
  logic bad_acc, bad_row, bad;
  always_comb begin
    bad_acc = 1'b0;
    bad_row = 1'b0;
    bad = 1'b0;
    fire = 1'b0;
    wait_weights_o = 1'b0;
    if (active_q && !fault_q) begin
      bad_acc = 32'(acc_q) >= AccRows;
      bad_row = nest_inside && 32'(nest_addr) >= (desc_q.block_float ? BlockRows : ScratchRows);
      fire = !hold_i;
      if (tile_first) begin
        wait_weights_o = !loaded_i;
        if (!loaded_i || hazard || crowded) fire = 1'b0;
      end
      // Last, because the comparisons are known late.
      bad = desc_q.too_many || bad_acc || bad_row;
      if (bad) fire = 1'b0;
    end
  end

  always_comb begin
    desc_ready_o = 1'b0;
    if (!active_q) desc_ready_o = !fault_q;
    else if (nest_done) desc_ready_o = fire;
  end
  assign start = desc_valid_i && desc_ready_o;
  assign issue_o = fire;
  assign swap_o = fire && tile_first;
  assign rd_valid_o = fire && nest_inside;
  assign rd_row_o = nest_addr;
  assign pad_o = !nest_inside;
  assign pad_value_o = desc_q.pad_value;
  assign acc_row_o = acc_q[15:0];
  assign accumulate_o = desc_q.accumulate || !first_block_q;
  assign last_o = nest_done;
  assign block_o = desc_q.block_float;
  assign tile_last_o = tile_last;
  assign begin_o = plane_q == '0;
  assign complete_o = complete;
  assign part_o = Parts > 1 && desc_q.block_float && !nest_first[2];
  assign active_o = active_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      fault_q <= 1'b0;
      recent_q <= '0;
      since_q <= '0;
      held_q <= 1'b0;
      plane_q <= '0;
      first_block_q <= 1'b0;
    end else begin
      if (fire) since_q <= cycles;
      else if (since_q != '0) since_q <= since_q - 1'b1;
      if (fire && tile_first) held_q <= 1'b0;
      else if (active_q && hold_i) held_q <= 1'b1;
      if (start) begin
        plane_q <= '0;
        first_block_q <= 1'b1;
      end else if (fire && tile_last) begin
        plane_q <= complete ? '0 : plane_q + 1'b1;
        if (complete) first_block_q <= 1'b0;
      end
      if (start) active_q <= 1'b1;
      else if (fire && nest_done) active_q <= 1'b0;
      if (bad) fault_q <= 1'b1;
      if (fire && nest_done) recent_q <= cycles;
      else if (recent_q != '0) recent_q <= recent_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      desc_q <= desc_i;
      acc_q <= {1'b0, begin_row};
      near_q <= (active_q ? acc_q[15:0] : last_row_q) - begin_row < window;
      switch_q <= desc_q.block_float != desc_i.block_float;
      few_q <= desc_i.block_float && desc_i.out_height < 16'd8 && desc_i.out_width < 16'd8
               && 6'(desc_i.out_height[2:0]) * 6'(desc_i.out_width[2:0]) < 6'(BlockCycles);
    end else if (fire) begin
      acc_q <= tile_last ? {1'b0, desc_q.acc_row} : acc_q + 1'b1;
    end
    if (fire && nest_done) last_row_q <= acc_q[15:0];
    if (bad) begin
      if (desc_q.too_many) begin
        fault_code_o <= tpu_pkg::ERROR_WEIGHT_RANGE;
        fault_addr_o <= desc_q.weight_rows;
      end else if (bad_acc) begin
        fault_code_o <= tpu_pkg::ERROR_ACC_RANGE;
        fault_addr_o <= 32'(acc_q);
      end else begin
        fault_code_o <= tpu_pkg::ERROR_SCRATCH_RANGE;
        fault_addr_o <= 32'(nest_addr);
      end
    end
  end

  assign fault_o = fault_q;
endmodule
