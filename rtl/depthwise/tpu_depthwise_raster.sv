// SPDX-License-Identifier: Apache-2.0
// Walks the input of a DEPTHWISE block by block and row by row, and reads each position that lies inside the input.
// Marks the positions at which the last tap of an output passes (emit_o), with the taps of that output inside the input
// and the accumulator row of its sum.
//
// The raster is one long line of positions: position p + pitch is directly below p. An output whose last tap lies
// beyond the right edge is emitted at the first positions of the next row; one whose last tap lies below the bottom
// edge is emitted after the last row, where nothing is read. Window vectors at taps outside the input are ignored, so
// there is no pause at the end of a line or block.
//
// Latency: the first position in the cycle after the descriptor is taken. Throughput: one position per cycle; a block
// takes as many cycles as there are positions from its first to its last output's last tap.
// Back-pressure: waits at the first position of a block until its weights are loaded. The next descriptor is taken with
// the last position of the previous one. Reads are never refused, but no position is issued while hold_i is high.
// An accumulator row is read, added to and written within RmwCycles; a command whose first output comes early therefore
// waits that long after the last output of the previous command.
// A row that the scratchpad has not stops the raster until reset; fault_o is high, and the row is at rd_row_o.
//
// Protocol: descriptors are a valid/ready stream. rd_valid_o has no ready; the data go to tpu_depthwise_lanes in the
// next cycle. step_o marks a position for one cycle; swap_o and emit_o are high with the step_o that they belong to.
//
// Parameters: ScratchRows and AccRows (rows that exist).
module tpu_depthwise_raster import tpu_mxu_pkg::*; #(
  parameter int ScratchRows = 12288,
  parameter int AccRows = 1024
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // Descriptor stream from the set-up.
  input  logic        desc_valid_i,
  output logic        desc_ready_o,
  input  depthwise_t  desc_i,
  // Weights.
  input  logic        loaded_i,
  output logic        swap_o,
  // Scratchpad read.
  input  logic        hold_i,
  output logic        rd_valid_o,
  output logic [15:0] rd_row_o,
  // The position of this cycle, and the output whose last tap is at this position.
  output logic        step_o,
  output logic [7:0]  column_o,
  output logic        emit_o,
  output output_t     output_o,
  // State.
  output logic        active_o,
  output logic        wait_weights_o,
  output logic        fault_o
);
  localparam int RmwCycles = 4;
  localparam int OutBits = out_bits(AccRows);
  localparam int RowBits = row_bits(AccRows);

  typedef logic [OutBits-1:0] out_t;
  typedef logic [RowBits-1:0] y_t;

  // Bits of a command that can be other than zero, because the set-up refuses a greater number.
  function automatic depthwise_t legal(input depthwise_t any);
    legal = any;
    legal.blocks = 16'(out_t'(any.blocks));
    legal.out_height = 16'(out_t'(any.out_height));
  endfunction

  // The command in progress.
  depthwise_t desc_q;
  logic       active_q, fault_q;
  logic       start, fire, load;
  logic       unused_desc;
  assign unused_desc = ^{desc_i, desc_q};

  // Position.
  logic [15:0] block_addr_q, row_addr_q, addr_q;
  logic [7:0]  column_q;
  y_t          y_q;
  logic        row_read_q; // the row lies inside
  logic        reads_q;    // row and column lie inside; known a cycle ahead, because a read is arbitrated in its cycle
  logic        missing_q;  // so they do, but the scratchpad has no such row
  logic        first_q;    // the first of a block
  logic        begin_q;    // the first of a command whose first output comes early
  // The next output; numbers with the current one.
  logic [10:0] wait_q;     // positions until it is emitted
  out_t        blocks_q, rows_q;
  logic [7:0]  columns_q;
  logic [15:0] acc_row_q;
  y_t          out_y_q;    // its last tap
  logic [16:0] out_x_q;
  logic [2:0]  recent_q;   // cycles until the last sum of the previous command is written

  logic emits, row_done, block_done, command_done, line_done, hazard;
  assign emits = wait_q == '0;
  assign row_done = columns_q == 8'd1;
  assign block_done = emits && row_done && rows_q == out_t'(1);
  assign command_done = block_done && blocks_q == out_t'(1);
  assign line_done = column_q == desc_q.extent.last_column;
  assign hazard = begin_q && recent_q != '0;

  always_comb begin
    fire = 1'b0;
    wait_weights_o = 1'b0;
    if (active_q && !fault_q) begin
      wait_weights_o = first_q && !loaded_i;
      fire = !wait_weights_o && !hold_i && !hazard && !missing_q;
    end
  end

  assign load = !active_q || command_done;
  assign desc_ready_o = load && (fire || (!active_q && !fault_q));
  assign start = desc_valid_i && desc_ready_o;
  assign swap_o = fire && first_q;
  assign rd_valid_o = fire && reads_q;
  assign rd_row_o = addr_q;
  assign step_o = fire;
  assign column_o = column_q;
  assign emit_o = fire && emits;
  assign active_o = active_q;
  assign fault_o = fault_q;

  // Taps of the output inside the input: last tap - k, for k = 0, 1, 2, is not negative and less than the extent.
  function automatic logic [2:0] present(input y_t last_tap, input logic [15:0] extent);
    y_t   past; // the edge
    logic ahead;
    past = last_tap - y_t'(extent);
    ahead = past[RowBits-1];
    present[0] = !last_tap[RowBits-1] && ahead;
    present[1] = !last_tap[RowBits-1] && last_tap != '0 && (ahead || past == '0);
    present[2] = !last_tap[RowBits-1] && last_tap[RowBits-1:1] != '0 && (ahead || past[RowBits-1:1] == '0);
  endfunction
  function automatic logic [2:0] taps(input logic [1:0] kernel);
    return {kernel == 2'd3, kernel[1], 1'b1};
  endfunction

  always_comb begin
    output_o = 'x;
    if (emit_o) begin
      output_o = '{
        acc_row: acc_row_q, accumulate: desc_q.accumulate, last: command_done, pad_value: desc_q.pad_value,
        row_inside: taps(desc_q.kernel_h) & present(out_y_q, desc_q.in_height),
        column_inside: taps(desc_q.kernel_w) & present(y_t'($signed(out_x_q)), desc_q.in_width)};
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      fault_q <= 1'b0;
      recent_q <= '0;
    end else begin
      if (start) active_q <= 1'b1;
      else if (fire && command_done) active_q <= 1'b0;
      if (active_q && missing_q) fault_q <= 1'b1;
      if (fire && command_done) recent_q <= 3'(RmwCycles - 1);
      else if (recent_q != '0) recent_q <= recent_q - 1'b1;
    end
    if (start) desc_q <= legal(desc_i);
  end

  // A move to the position that follows, which is that of the next command behind the last position. It is computed in
  // a task, because a unit at rest then costs a simulation nothing.
  /* verilator lint_off BLKSEQ */
  task automatic move;
    /* verilator lint_off UNUSEDSIGNAL */  // After the first position of a block, desc_q is used.
    extent_t     extent;
    /* verilator lint_on UNUSEDSIGNAL */
    logic [15:0] from_addr, step, next_addr;
    logic [7:0]  next_column;
    logic        row_read, reads;

    extent = load ? desc_i.extent : desc_q.extent;
    from_addr = addr_q;
    step = 16'd1;
    row_read = row_read_q;
    next_column = '0;
    if (load) begin
      from_addr = desc_i.base;
      step = '0;
    end else if (block_done) begin
      from_addr = block_addr_q;
      step = desc_q.plane_stride;
    end else if (line_done) begin
      from_addr = row_addr_q;
      step = desc_q.row_stride;
    end
    next_addr = from_addr + step;
    if (load || block_done) row_read = extent.ys < extent.y_end;
    else if (line_done) row_read = y_q + 1'b1 < y_t'(desc_q.extent.y_end);
    else next_column = column_q + 8'd1;
    reads = row_read && next_column >= extent.read_from && {1'b0, next_column} < extent.read_to;

    addr_q <= next_addr;
    row_read_q <= row_read;
    reads_q <= reads;
    missing_q <= reads && 32'(next_addr) >= ScratchRows;
    column_q <= next_column;
    if (load || block_done) begin
      first_q <= 1'b1;
      begin_q <= load && extent.lead < 10'(RmwCycles - 1);
      blocks_q <= load ? out_t'(desc_i.blocks) : blocks_q - 1'b1;
      block_addr_q <= next_addr;
      row_addr_q <= next_addr;
      y_q <= y_t'($signed(extent.ys));
      wait_q <= 11'(extent.lead);
      rows_q <= out_t'(load ? desc_i.out_height : desc_q.out_height);
      columns_q <= load ? desc_i.out_width : desc_q.out_width;
      out_y_q <= y_t'($signed(extent.y_last));
      out_x_q <= extent.x_last;
    end else begin
      first_q <= 1'b0;
      begin_q <= 1'b0;
      if (line_done) begin
        row_addr_q <= next_addr;
        y_q <= y_q + 1'b1;
      end
      if (!emits) begin
        wait_q <= wait_q - 11'd1;
      end else if (row_done) begin
        wait_q <= desc_q.extent.row_wait;
        rows_q <= rows_q - 1'b1;
        columns_q <= desc_q.out_width;
        out_y_q <= out_y_q + y_t'(desc_q.stride_h);
        out_x_q <= desc_q.extent.x_last;
      end else begin
        wait_q <= 11'(desc_q.stride_w) - 11'd1;
        columns_q <= columns_q - 8'd1;
        out_x_q <= out_x_q + 17'(desc_q.stride_w);
      end
    end
  endtask
  /* verilator lint_on BLKSEQ */

  always_ff @(posedge clk_i) begin
    if (start || (fire && !command_done)) move;
    if (start) acc_row_q <= desc_i.acc_row;
    else if (emit_o) acc_row_q <= acc_row_q + 16'd1;
  end
endmodule
