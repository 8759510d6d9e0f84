// SPDX-License-Identifier: Apache-2.0
// Pieces and rows of a run of LOAD: where the present row goes, where its bytes lie among those that arrive, and which
// of them it takes.
//
// Latency: outputs tell of the row that was begun with run_go_i or step_i in the cycle before.
// Throughput: one row per cycle, also across pieces and runs. Back-pressure: none; step_i moves to the next row.
//
// A row is a window of Dim positions, lane 0 first; it may begin before its run, and behind it.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a row and of a beat.
module tpu_load_row #(
  parameter int Dim = 16,
  localparam int Log = $clog2(Dim),
  localparam int PosWidth = tpu_load_pkg::POS_W
) (
  input  logic                    clk_i,
  input  tpu_load_pkg::rows_t     rows_i,
  // The run.
  input  logic                    reads_i,
  input  logic [PosWidth-1:0]     run_start_i,
  input  logic [PosWidth-1:0]     run_end_i,
  // A run begins; it can begin in this cycle. The present row is done.
  input  logic                    run_go_i,
  input  logic                    run_near_i,
  input  logic [PosWidth-1:0]     next_start_i,
  input  logic [15:0]             next_row_i,
  input  logic                    step_i,
  // The row: position of lane 0; the first beat that is still needed, if any is.
  output logic [PosWidth-1:0]     pos_o,
  output logic [PosWidth-Log-1:0] keep_o,
  output logic                    keep_valid_o,
  output logic [15:0]             row_o,
  output tpu_load_pkg::extent_t   extent_o,
  output logic                    last_o
);
  localparam int Lim = Log + 1;              // bits of a lane or of Dim

  // A signed number of bytes as lanes, 0 to Dim.
  function automatic logic [Lim-1:0] lanes(input logic [PosWidth-1:0] count);
    if (count[PosWidth-1]) lanes = '0;
    else if (count[PosWidth-2:Log] != '0) lanes = Lim'(Dim);
    else lanes = count[Lim-1:0];
  endfunction

  logic [15:0]         pieces_left_q, piece_row_q, row_q;
  logic [PosWidth-1:0] piece_pos_q, pos_q;   // of lane 0 of the piece's first row and of this row
  logic                first_q, past_q;      // first row of its piece; the piece before began behind the run
  logic [17:0]         data_left_q;          // piece bytes from lane 0 of this row on, signed
  logic [17:0]         slot_left_q;          // slot bytes from lane 0 of this row on

  // Fields of the row that come from its run and from its piece.
  logic [PosWidth-1:0] before_run, run_left;
  logic [Lim-1:0]      lane, from, to, to_run, to_piece;
  always_comb begin
    lane       = {1'b0, rows_i.lane[Log-1:0]};
    before_run = run_start_i - pos_q;
    run_left   = run_end_i - pos_q;
    from       = lanes(before_run);
    if (first_q && lane > from) from = lane;
    to_run     = lanes(run_left);
    to_piece   = lanes({{(PosWidth-18){data_left_q[17]}}, data_left_q});
    to         = to_run < to_piece ? to_run : to_piece;
  end

  // If pieces overlap, beats are needed from the piece's first on, otherwise from the row's.
  logic overlap, last_block;
  assign overlap      = rows_i.piece_step < rows_i.piece_bytes;
  assign last_block   = slot_left_q <= 18'(Dim);
  assign last_o       = last_block && pieces_left_q == 16'd1;
  assign pos_o        = pos_q;
  assign keep_o       = overlap ? piece_pos_q[PosWidth-1:Log] : pos_q[PosWidth-1:Log];
  // A row behind the run or its piece needs none. One before the run names beats that are released already.
  assign keep_valid_o = reads_i && !run_left[PosWidth-1] && !data_left_q[17] && data_left_q != '0;
  assign row_o        = row_q;

  always_comb begin
    extent_o       = '0;
    extent_o.first = first_q ? 6'(lane) : '0;
    extent_o.limit = last_block ? 6'(slot_left_q[Lim-1:0]) : 6'(Dim);
    extent_o.from  = 6'(from);
    extent_o.to    = reads_i ? 6'(to) : '0;
    extent_o.fill  = rows_i.fill;
  end

  // One sum each for position and row. What they are taken from is known before the row is.
  logic [PosWidth-1:0] pos_from, pos_step, pos;
  logic [15:0]         row_from, row_step, row;
  always_comb begin
    pos_from = pos_q;
    pos_step = PosWidth'(Dim);
    row_from = row_q;
    row_step = rows_i.dst_block;
    if (last_block) begin
      // Pieces behind the run have no bytes, wherever they are: their positions stay, so that none wraps.
      pos_from = piece_pos_q;
      pos_step = past_q ? '0 : PosWidth'(rows_i.piece_step);
      row_from = piece_row_q;
      row_step = rows_i.dst_piece;
    end
    if (run_near_i) begin
      pos_from = next_start_i;
      pos_step = PosWidth'($signed(rows_i.piece_start)) - PosWidth'(lane);
    end
  end
  assign pos = pos_from + pos_step;
  assign row = row_from + row_step;

  always_ff @(posedge clk_i) begin
    if (run_go_i || step_i) begin
      pos_q <= pos;
      row_q <= run_near_i ? next_row_i : row;
      if (run_near_i || last_block) begin
        piece_pos_q <= pos;
        piece_row_q <= run_near_i ? next_row_i : row;
        data_left_q <= 18'(rows_i.piece_bytes) + 18'(lane);
        slot_left_q <= 18'(rows_i.slot_bytes) + 18'(lane);
      end else begin
        data_left_q <= data_left_q - 18'(Dim);
        slot_left_q <= slot_left_q - 18'(Dim);
      end
      first_q <= run_near_i || last_block;
    end
    if (run_go_i) begin
      pieces_left_q <= rows_i.pieces;
      past_q        <= 1'b0;
    end else if (step_i) begin
      if (last_block) pieces_left_q <= pieces_left_q - 16'd1;
      if (first_q) past_q <= past_q || to_run == '0;
    end
  end

  // A lane is below Dim.
  logic unused;
  assign unused = ^rows_i.lane;
endmodule
