// SPDX-License-Identifier: Apache-2.0
// Scratchpad side of STORE: walks runs, pieces and rows, reads each row and outputs its bytes as an item, with the lane
// of the destination beat at which they begin.
//
// Latency: one cycle from a command at the head to its first read, two from a granted read to its item.
// Throughput: one row per cycle, also across pieces, runs and commands.
// Back-pressure: rd_ready_i; while item_ready_i is low, up to four rows are buffered, then the reads stop.
//
// Protocol: cmd_*, rd_* and item_* are valid/ready streams; read data are valid in the cycle after the grant and are
// stored in a FIFO. first_o, run_o and read_o pulse when the first row of a run, the last row of a run and the last row
// of a command are granted. A row beyond the memory is never read: the walk stops, range_bad_o stays high, and
// range_row_o is that row.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a row; ScratchRows (at most 65536).
`include "tpu_instr.svh"
module tpu_store_read #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  localparam int Log = $clog2(Dim)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic [32*tpu_pkg::WINDOWS-1:0] win_base_i,
  // Commands.
  input  logic                           cmd_valid_i,
  output logic                           cmd_ready_o,
  input  logic [tpu_pkg::INSTR_W-1:0]    cmd_instr_i,
  output logic                           first_o,
  output logic                           run_o,
  output logic                           read_o,
  output logic                           range_bad_o,
  output logic [15:0]                    range_row_o,
  output logic                           busy_o,
  // Scratchpad.
  output logic                           rd_valid_o,
  input  logic                           rd_ready_i,
  output logic [15:0]                    rd_row_o,
  input  logic [8*Dim-1:0]               rd_data_i,
  // Items: the first item_count_o bytes of a row go to destination lanes item_shift_o and up.
  output logic                           item_valid_o,
  input  logic                           item_ready_i,
  output logic [8*Dim-1:0]               item_data_o,
  output logic [Log-1:0]                 item_shift_o,
  output logic [Log:0]                   item_count_o,
  output logic                           item_first_o,
  output logic                           item_end_o,
  output logic                           empty_o
);
  localparam int Depth = 4;
  localparam int MetaWidth = 2 * Log + 3;

  store_instr_t instr;
  assign instr = cmd_instr_i;

  logic        active_q;
  logic [15:0] piece_bytes_q, pieces_q, count0_q, src_piece_q, src_block_q, src_stride0_q, src_stride1_q;
  logic [Log-1:0] dst_stride0_q, dst_stride1_q; // only the alignment matters here
  // Run, piece, block.
  logic [15:0]    left0_q, left1_q, outer_row_q, run_row_q;
  logic [Log-1:0] outer_align_q, run_align_q;
  logic [15:0]    pieces_left_q, piece_row_q;
  logic [15:0]    row_q, left_q;               // left_q: bytes of the piece from this row on
  logic [Log-1:0] shift_q;
  logic           first_q;                     // first row of its run

  logic           in_flight_q;                 // a row was granted in the last cycle
  logic [MetaWidth-1:0] meta_q, meta;
  logic [$clog2(Depth):0] level;

  logic in_range, room, fire, load, last_block, run_over, last, finish, last0;
  logic [Log:0]   count;
  logic [Log-1:0] next_align;
  logic [15:0]    next_row;

  // Separate from the process below, so that tools see that the request does not depend on its grant.
  assign in_range = 32'(row_q) < ScratchRows;
  assign room = 32'(level) + 32'(in_flight_q) < Depth;
  assign rd_valid_o = active_q && in_range && room;

  always_comb begin
    last_block = left_q <= 16'(Dim);
    count = last_block ? left_q[Log:0] : (Log+1)'(Dim);
    run_over = last_block && pieces_left_q == 16'd1;
    last0 = left0_q == 16'd1;
    last = run_over && last0 && left1_q == 16'd1;
    meta = {run_over, first_q, count, shift_q};
    next_align = last0 ? outer_align_q + dst_stride1_q : run_align_q + dst_stride0_q;
    next_row = last0 ? outer_row_q + src_stride1_q : run_row_q + src_stride0_q;
  end

  assign fire        = rd_valid_o && rd_ready_i;
  assign finish      = fire && last;
  assign load        = cmd_valid_i && cmd_ready_o;
  assign cmd_ready_o = !active_q || finish;
  assign first_o     = fire && first_q;
  assign run_o       = fire && run_over;
  assign read_o      = finish;
  assign range_bad_o = active_q && !in_range;
  assign range_row_o = row_q;
  assign rd_row_o    = row_q;
  assign busy_o      = active_q;
  assign empty_o     = !in_flight_q && level == '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      in_flight_q <= 1'b0;
    end else begin
      if (load) active_q <= 1'b1;
      else if (finish) active_q <= 1'b0;
      in_flight_q <= fire;
    end
  end

  // Start of the first run of a command.
  logic [1:0]     window;
  logic [Log-1:0] first_align;
  logic [15:0]    first_row;
  assign window      = instr.window;
  assign first_align = win_base_i[window*32 +: Log] + instr.dst[Log-1:0];
  assign first_row   = instr.src;

  always_ff @(posedge clk_i) begin
    if (fire) meta_q <= meta;
    if (load) begin
      piece_bytes_q <= instr.piece_bytes;
      pieces_q <= instr.pieces;
      count0_q <= instr.count0;
      src_piece_q <= instr.src_piece;
      src_block_q <= instr.src_block;
      src_stride0_q <= instr.src_stride0;
      src_stride1_q <= instr.src_stride1;
      dst_stride0_q <= instr.dst_stride0[Log-1:0];
      dst_stride1_q <= instr.dst_stride1[Log-1:0];
      left0_q <= instr.count0;
      left1_q <= instr.count1;
      outer_row_q <= first_row;
      run_row_q <= first_row;
      piece_row_q <= first_row;
      row_q <= first_row;
      outer_align_q <= first_align;
      run_align_q <= first_align;
      shift_q <= first_align;
      pieces_left_q <= instr.pieces;
      left_q <= instr.piece_bytes;
      first_q <= 1'b1;
    end else if (fire && !run_over) begin
      first_q <= 1'b0;
      shift_q <= shift_q + count[Log-1:0];
      if (last_block) begin
        pieces_left_q <= pieces_left_q - 16'd1;
        left_q <= piece_bytes_q;
        piece_row_q <= piece_row_q + src_piece_q;
        row_q <= piece_row_q + src_piece_q;
      end else begin
        left_q <= left_q - 16'(Dim);
        row_q <= row_q + src_block_q;
      end
    end else if (fire) begin
      first_q <= 1'b1;
      pieces_left_q <= pieces_q;
      left_q <= piece_bytes_q;
      run_row_q <= next_row;
      piece_row_q <= next_row;
      row_q <= next_row;
      run_align_q <= next_align;
      shift_q <= next_align;
      left0_q <= last0 ? count0_q : left0_q - 16'd1;
      if (last0) begin
        left1_q <= left1_q - 16'd1;
        outer_row_q <= next_row;
        outer_align_q <= next_align;
      end
    end
  end

  logic caught;
  tpu_fifo #(.Width(8*Dim + MetaWidth), .Depth(Depth)) u_items (
    .clk_i, .rst_ni,
    .wr_valid_i(in_flight_q), .wr_ready_o(caught), .wr_data_i({meta_q, rd_data_i}),
    .rd_valid_o(item_valid_o), .rd_ready_i(item_ready_i),
    .rd_data_o({item_end_o, item_first_o, item_count_o, item_shift_o, item_data_o}),
    .level_o(level));

  logic unused;
  assign unused = ^{instr, win_base_i, caught};
endmodule
