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
// A row out of range or a refused command stops the raster until reset; fault_o is high and the error is held.
//
// Protocol: descriptors are a valid/ready stream. rd_valid_o has no ready; the data go to tpu_depthwise_lanes in the
// next cycle. step_o marks a position for one cycle; swap_o and emit_o are high with the step_o that they belong to.
//
// Parameters: ScratchRows (rows that exist).
`include "tpu_assert.svh"
`include "tpu_mxu_desc.svh"
module tpu_depthwise_raster #(
  parameter int ScratchRows = 12288
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  // Descriptor stream from the set-up; refused_i marks a command that cannot run, with its error.
  input  logic            desc_valid_i,
  output logic            desc_ready_o,
  input  depthwise_desc_t desc_i,
  input  logic            refused_i,
  input  logic [7:0]      refused_code_i,
  input  logic [31:0]     refused_addr_i,
  // Weights.
  input  logic            loaded_i,
  output logic            swap_o,
  // Scratchpad read.
  input  logic            hold_i,
  output logic            rd_valid_o,
  output logic [15:0]     rd_row_o,
  // The position of this cycle.
  output logic            step_o,
  output logic [7:0]      column_o,
  // Output whose last tap is at this position: its rows and columns inside the input (bit 0 is the last tap), and the
  // destination of its sum.
  output logic            emit_o,
  output logic [2:0]      row_inside_o,
  output logic [2:0]      column_inside_o,
  output logic [7:0]      pad_value_o,
  output logic [15:0]     acc_row_o,
  output logic            accumulate_o,
  output logic            last_o,
  // State.
  output logic            active_o,
  output logic            wait_weights_o,
  output logic            fault_o,
  output logic [7:0]      fault_code_o,
  output logic [31:0]     fault_addr_o
);
  localparam int RmwCycles = 4;

  // Descriptor of the command in progress; used for the current position.
  depthwise_desc_t desc_q;
  logic            active_q, fault_q, refused_q;
  logic            start, fire;

  // Descriptor for the position that follows: that of the new command in the cycle that starts it.
  depthwise_desc_t desc;
  logic            unused_desc;
  assign desc         = start ? desc_i : desc_q;
  assign unused_desc  = ^desc;
  assign accumulate_o = desc_q.accumulate;
  assign pad_value_o  = desc_q.pad_value;

  // Position.
  logic [15:0] block_addr_q, row_addr_q, addr_q;
  logic [7:0]  column_q;
  logic [19:0] y_q;
  logic [17:0] x_q;
  logic        row_read_q; // the row lies inside
  logic        reads;
  logic        first_q;    // the first of a block
  logic        begin_q;    // the first of a command whose first output comes early
  // The next output.
  logic [10:0] wait_q;     // positions until it is emitted
  logic [15:0] blocks_left_q, rows_left_q, acc_row_q;
  logic [7:0]  columns_left_q;
  logic [19:0] out_y_q;    // its last tap
  logic [17:0] out_x_q;
  logic [2:0]  recent_q;   // cycles until the last sum of the previous command is written

  logic row_done, block_done, command_done, line_done, bad_row, hazard;
  assign row_done = columns_left_q == '0;
  assign block_done = emit_o && row_done && rows_left_q == '0;
  assign command_done = block_done && blocks_left_q == '0;
  assign line_done = column_q == desc_q.last_column;
  assign reads = row_read_q && x_q < {2'b0, desc_q.x_end};
  assign hazard = begin_q && recent_q != '0;

  always_comb begin
    bad_row = 1'b0;
    fire = 1'b0;
    wait_weights_o = 1'b0;
    if (active_q && !fault_q && !refused_q) begin
      bad_row = reads && 32'(addr_q) >= ScratchRows;
      wait_weights_o = first_q && !loaded_i;
      fire = !wait_weights_o && !hold_i && !hazard && !bad_row;
    end
  end

  assign desc_ready_o = !fault_q && (!active_q || (fire && command_done));
  assign start = desc_valid_i && desc_ready_o;
  assign swap_o = fire && first_q;
  assign rd_valid_o = fire && reads;
  assign rd_row_o = addr_q;
  assign step_o = fire;
  assign column_o = column_q;
  assign emit_o = fire && wait_q == '0;
  assign acc_row_o = acc_row_q;
  assign last_o = command_done;
  assign active_o = active_q;
  assign fault_o = fault_q;

  // A negative coordinate, read as unsigned, exceeds every extent.
  always_comb begin
    row_inside_o = '0;
    column_inside_o = '0;
    if (emit_o) begin
      for (int k = 0; k < 3; k++) begin
        row_inside_o[k] = 2'(k) < desc_q.kernel_h && out_y_q - 20'(k) < {4'b0, desc_q.in_height};
        column_inside_o[k] = 2'(k) < desc_q.kernel_w && out_x_q - 18'(k) < {2'b0, desc_q.in_width};
      end
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
      if (active_q && (bad_row || refused_q)) fault_q <= 1'b1;
      if (fire && command_done) recent_q <= 3'(RmwCycles - 1);
      else if (recent_q != '0) recent_q <= recent_q - 1'b1;
    end
    if (start) begin
      desc_q <= desc_i;
      refused_q <= refused_i;
      fault_code_o <= refused_code_i;
      fault_addr_o <= refused_addr_i;
    end else if (bad_row) begin
      fault_code_o <= tpu_pkg::ERROR_SCRATCH_RANGE;
      fault_addr_o <= 32'(addr_q);
    end
  end

  logic [15:0] next_addr;
  logic        new_block;
  assign new_block = start || (fire && block_done);
  // Address of the first position of the next block or row.
  assign next_addr = start ? desc.base
                   : block_done ? block_addr_q + desc_q.plane_stride : row_addr_q + desc_q.row_stride;

  always_ff @(posedge clk_i) begin
    if (new_block) begin
      first_q <= 1'b1;
      begin_q <= start && desc.lead < 10'(RmwCycles - 1);
      blocks_left_q <= (start ? desc.blocks : blocks_left_q) - 16'd1;
      block_addr_q <= next_addr;
      row_addr_q <= next_addr;
      addr_q <= next_addr;
      column_q <= '0;
      y_q <= 20'($signed(desc.ys));
      x_q <= desc.xs;
      row_read_q <= desc.ys < {2'b0, desc.y_end};
      wait_q <= 11'(desc.lead);
      rows_left_q <= desc.out_height - 16'd1;
      columns_left_q <= desc.out_width - 8'd1;
      out_y_q <= 20'($signed(desc.y_last));
      out_x_q <= desc.x_last;
    end else if (fire) begin
      first_q <= 1'b0;
      begin_q <= 1'b0;
      if (line_done) begin
        row_addr_q <= next_addr;
        addr_q <= next_addr;
        column_q <= '0;
        y_q <= y_q + 20'd1;
        x_q <= desc.xs;
        row_read_q <= y_q + 20'd1 < {4'b0, desc.y_end};
      end else begin
        addr_q <= addr_q + 16'd1;
        column_q <= column_q + 8'd1;
        x_q <= x_q + 18'd1;
      end
      if (!emit_o) begin
        wait_q <= wait_q - 11'd1;
      end else if (row_done) begin
        wait_q <= desc_q.row_gap - 11'd1;
        rows_left_q <= rows_left_q - 16'd1;
        columns_left_q <= desc.out_width - 8'd1;
        out_y_q <= out_y_q + 20'(desc_q.stride_h);
        out_x_q <= desc.x_last;
      end else begin
        wait_q <= 11'(desc_q.stride_w) - 11'd1;
        columns_left_q <= columns_left_q - 8'd1;
        out_x_q <= out_x_q + 18'(desc_q.stride_w);
      end
    end
    if (start) acc_row_q <= desc.acc_row;
    else if (emit_o) acc_row_q <= acc_row_q + 16'd1;
  end
endmodule
