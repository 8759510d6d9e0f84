// SPDX-License-Identifier: Apache-2.0
// Walk of STORE: runs, pieces and rows in the order that the instruction defines. Each run is checked against its
// window and handed over as a span, once; its rows are requested at the same time.
//
// Latency: one cycle from an accepted command to its first row and to its first span, if a run has at most 3 pieces.
// Throughput: one row per cycle and one run per cycle, also across commands.
// Back-pressure: row_ready_i; the walk does not leave a run before its span is taken.
//
// Protocol: cmd_*, span_* and row_* are valid/ready streams; a command is accepted with the last row of the previous
// one. taken_o is high when a row is taken. The walk ends at the first run that is not allowed:
// fault_o stays high, and fault_addr_o is its offset in the window; or at a row beyond the memory, which is never
// requested: range_o stays high from when the run has passed its check, and row_o is that row. While halted_i is high,
// no span is offered and no command is accepted.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a row and of a beat; ScratchRows (at most 65536); Windows.
`include "tpu_instr.svh"
module tpu_store_walk #(
  parameter int Dim = 16,
  parameter int Windows = 4,
  parameter int ScratchRows = 12288,
  localparam int Log = $clog2(Dim),
  localparam int BlockLog = $clog2(tpu_axi_pkg::MAX_BEATS),
  localparam int BytesWidth = tpu_pkg::WORK_LOG2 + 1
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  tpu_window_pkg::windows_t    windows_i,
  // Commands.
  input  logic                        cmd_valid_i,
  output logic                        cmd_ready_o,
  input  logic [tpu_pkg::INSTR_W-1:0] cmd_instr_i,
  input  logic                        halted_i,
  output logic                        busy_o,
  // Runs, and whether their window allows them; span_o.last: the last of its command.
  output tpu_axi_pkg::span_t          span_o,
  input  logic                        span_ready_i,
  output logic [BytesWidth-1:0]       span_bytes_o,
  output logic                        fault_o,
  output logic [31:0]                 fault_addr_o,
  // Rows: the first count_o bytes go to lane shift_o and up of beat beat_o of 32.
  output logic                        row_valid_o,
  input  logic                        row_ready_i,
  output logic [15:0]                 row_o,
  output logic [BlockLog-1:0]         beat_o,
  output logic [Log-1:0]              shift_o,
  output logic [Log:0]                count_o,
  output logic                        run_first_o,
  output logic                        run_end_o,
  output logic                        taken_o,
  output logic                        range_o
);
  store_instr_t instr;
  assign instr = cmd_instr_i;

  // The command.
  logic        active_q, fault_q, range_q;
  tpu_window_pkg::index_t window_q;
  logic [15:0] piece_bytes_q, pieces_q, count0_q, src_piece_q, src_block_q, src_stride0_q, src_stride1_q;
  logic [31:0] dst_stride0_q, dst_stride1_q;
  // The run, and the first of its inner loop. span_due_q: its span is not handed over; rows_done_q: its rows are.
  logic        span_due_q, rows_done_q;
  logic [15:0] left0_q, left1_q, outer_row_q, run_row_q;
  logic [31:0] outer_q, run_q;
  // Piece and row.
  logic           first_q;                   // first row of its run
  logic [15:0]    pieces_left_q, piece_row_q, row_q;
  logic [15:0]    left_q;                    // bytes of the piece from this row on
  logic [Log-1:0] shift_q;

  // The span of the run.
  logic        length_valid, span_valid, span_allowed, span_take, span_over;
  logic [31:0] span_addr, fault_addr_q;
  tpu_window_check #(.Permission(tpu_pkg::PERMISSION_WRITE), .LengthWidth(BytesWidth), .Windows(Windows)) u_check (
    .windows_i,
    .window_i(window_q), .offset_i(run_q), .length_i(span_bytes_o),
    .allowed_o(span_allowed), .address_o(span_addr));
  assign span_valid   = active_q && span_due_q && length_valid && !halted_i && !fault_q;
  assign span_take    = span_valid && span_ready_i;
  assign span_over    = !span_due_q || span_take;
  assign fault_o      = fault_q;
  assign fault_addr_o = fault_addr_q;

  // The row. It has a process of its own, so that tools see that the request does not depend on its grant.
  logic in_range;
  assign in_range    = 32'(row_q) < ScratchRows;
  assign row_valid_o = active_q && !rows_done_q && in_range;
  assign row_o       = row_q;

  // These signals depend on registers alone. In a process of their own, a simulator does not evaluate them when a grant
  // changes.
  logic last_block, run_over, last0, last_run, last_row, fire, rows_over, next_run, finish, load;
  always_comb begin
    last_block = left_q <= 16'(Dim);
    run_over   = last_block && pieces_left_q == 16'd1;
    last0      = left0_q == 16'd1;
    last_run   = last0 && left1_q == 16'd1;
    shift_o    = first_q ? span_addr[Log-1:0] : shift_q;
    count_o    = last_block ? left_q[Log:0] : (Log+1)'(Dim);
    last_row   = row_valid_o && run_over;
  end
  always_comb begin
    fire      = 1'b0;
    rows_over = 1'b0;
    next_run  = 1'b0;
    finish    = 1'b0;
    if (active_q) begin
      fire      = row_valid_o && row_ready_i;
      rows_over = rows_done_q || (last_row && row_ready_i);
      next_run  = rows_over && span_over;
      finish    = next_run && last_run;
    end
  end
  assign load = cmd_valid_i && cmd_ready_o;

  // Whether a command is accepted, without the row's grant and with it: it is known late.
  logic free, frees;
  always_comb begin
    free  = 1'b0;
    frees = 1'b0;
    if (!fault_q && !halted_i) begin
      free  = !active_q || (rows_done_q && span_over && last_run);
      frees = last_row && span_over && last_run;
    end
  end

  assign beat_o      = span_addr[Log+BlockLog-1:Log];
  assign run_first_o = first_q;
  assign run_end_o   = run_over;
  assign taken_o     = fire;
  assign span_o      = '{valid: span_valid, allowed: span_allowed, last: last_run, addr: span_addr};
  assign cmd_ready_o = free || (frees && row_ready_i);
  assign busy_o      = active_q;
  assign range_o     = range_q;

  tpu_store_length #(.Width(BytesWidth)) u_length (
    .clk_i, .load_i(load), .pieces_i(instr.pieces), .piece_bytes_i(instr.piece_bytes),
    .valid_o(length_valid), .bytes_o(span_bytes_o));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      fault_q  <= 1'b0;
      range_q  <= 1'b0;
    end else if (active_q || cmd_valid_i) begin
      active_q <= load || (active_q && !finish);
      if (span_take && !span_allowed) fault_q <= 1'b1;
      if (active_q && !rows_done_q && !in_range && !span_due_q && !fault_q) range_q <= 1'b1;
    end
  end

  // The walk may have left the run when it is known that it is not allowed.
  always_ff @(posedge clk_i) begin
    if (span_take) fault_addr_q <= run_q;
  end

  always_ff @(posedge clk_i) begin
    if (load || next_run) begin
      span_due_q  <= 1'b1;
      rows_done_q <= 1'b0;
    end else if (active_q) begin
      span_due_q  <= !span_over;
      rows_done_q <= rows_over;
    end
  end

  // The next row and the next run: one sum each. What they are taken from is known before the row is granted.
  logic [15:0] row_from, row_step, next_row;
  logic [31:0] next_offset;
  always_comb begin
    row_from = row_q;
    row_step = src_block_q;
    if (run_over || rows_done_q) begin
      row_from = last0 ? outer_row_q : run_row_q;
      row_step = last0 ? src_stride1_q : src_stride0_q;
    end else if (last_block) begin
      row_from = piece_row_q;
      row_step = src_piece_q;
    end
  end
  assign next_row    = row_from + row_step;
  assign next_offset = (last0 ? outer_q : run_q) + (last0 ? dst_stride1_q : dst_stride0_q);

  always_ff @(posedge clk_i) begin
    if (load) begin
      window_q      <= instr.window;
      piece_bytes_q <= instr.piece_bytes;
      pieces_q      <= instr.pieces;
      count0_q      <= instr.count0;
      src_piece_q   <= instr.src_piece;
      src_block_q   <= instr.src_block;
      src_stride0_q <= instr.src_stride0;
      src_stride1_q <= instr.src_stride1;
      dst_stride0_q <= instr.dst_stride0;
      dst_stride1_q <= instr.dst_stride1;
      left0_q       <= instr.count0;
      left1_q       <= instr.count1;
      outer_row_q   <= instr.src;
      run_row_q     <= instr.src;
      outer_q       <= instr.dst;
      run_q         <= instr.dst;
    end else if (next_run) begin
      left0_q   <= last0 ? count0_q : left0_q - 16'd1;
      run_row_q <= next_row;
      run_q     <= next_offset;
      if (last0) begin
        left1_q     <= left1_q - 16'd1;
        outer_row_q <= next_row;
        outer_q     <= next_offset;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (load || next_run) begin
      first_q       <= 1'b1;
      pieces_left_q <= load ? instr.pieces : pieces_q;
    end else if (fire) begin
      first_q <= 1'b0;
      if (last_block) pieces_left_q <= pieces_left_q - 16'd1;
    end
    if (fire) shift_q <= shift_o + count_o[Log-1:0];
    if (load) left_q <= instr.piece_bytes;
    else if (next_run || fire) left_q <= last_block || rows_done_q ? piece_bytes_q : left_q - 16'(Dim);
    if (load || next_run || fire) row_q <= load ? instr.src : next_row;
    if (load || next_run || (fire && last_block)) piece_row_q <= load ? instr.src : next_row;
  end

  logic unused;
  assign unused = ^instr;
endmodule
