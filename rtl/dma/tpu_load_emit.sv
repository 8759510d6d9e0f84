// SPDX-License-Identifier: Apache-2.0
// Destination side of LOAD: walks runs, pieces and rows in the order that the instruction defines, and determines for
// each row its destination and the beats of the line buffer that contain its bytes. All addresses are computed
// incrementally.
//
// Latency: two cycles from a command at the head of the queue to its first row, if the data have arrived.
// Throughput: one row per cycle, also across pieces and runs; one idle cycle between commands.
// Back-pressure: a row waits for row_ready_i and for the last beat that it needs. The end of a run waits for all beats
// of the run, the end of a command also for the source to have checked all its runs.
//
// Line buffer: keep_seq_o is the first beat still needed. If pieces overlap (step below length) that is the first beat
// of the piece, otherwise the first beat of the row. At the end of a run all its beats are released, read or not.
//
// Faults are raised when every earlier row has been written, so they belong to the oldest command. The first faulty run
// of the command decides, whatever later runs contain. Within a run a window violation has priority; it is known in
// time, because the source checks a run before the walk reaches it. Then follows a beat with a bus error, then a row
// out of range, which is reported when the rest of the run has arrived.
//
// Protocol: commands and rows are valid/ready streams. fault_valid_o pulses once.
//
// Parameters: Dim (4, 8, 16 or 32); ScratchRows, ParamRows (at most 65536); WeightRows (power of two); SeqWidth.
`include "tpu_assert.svh"
`include "tpu_instr.svh"
module tpu_load_emit #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int WeightRows = 4096,
  parameter int ParamRows = 256,
  parameter int SeqWidth = 26,
  localparam int Log = $clog2(Dim),
  localparam int AddrWidth = $clog2(tpu_pkg::LINE_BUFFER_BEATS)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic [32*tpu_pkg::WINDOWS-1:0] win_base_i,
  // Commands, in order; accepted when their walk starts.
  input  logic                           cmd_valid_i,
  output logic                           cmd_ready_o,
  input  logic [tpu_pkg::INSTR_W-1:0]    cmd_instr_i,
  // The source: checked_i pulses when all runs of a command have passed their checks; src_fault_i stays high after a
  // window violation, in run src_i0_i, src_left1_i.
  input  logic                           checked_i,
  input  logic                           src_fault_i,
  input  logic [31:0]                    src_fault_addr_i,
  input  logic [15:0]                    src_i0_i,
  input  logic [15:0]                    src_left1_i,
  // The line buffer.
  input  logic [SeqWidth-1:0]            write_seq_i,
  input  logic                           error_i,
  input  logic [SeqWidth-1:0]            error_seq_i,
  output logic [SeqWidth-1:0]            keep_seq_o,
  output logic                           rd_en_o,
  output logic [AddrWidth-1:0]           rd_addr_o,
  // Rows, for tpu_load_align.
  output logic                           row_valid_o,
  input  logic                           row_ready_i,
  output logic                           row_write_o,
  output logic                           row_last_o,
  output logic [1:0]                     row_turn_o,
  output logic [1:0]                     row_space_o,
  output logic [15:0]                    row_row_o,
  output logic [Log-1:0]                 row_shift_o,
  output logic [Log:0]                   row_from_o,
  output logic [Log:0]                   row_to_o,
  output logic [Log:0]                   row_first_o,
  output logic [Log:0]                   row_end_o,
  output logic [7:0]                     row_fill_o,
  input  logic                           align_empty_i,
  // State for the causes, and the fault.
  output logic                           busy_o,
  output logic                           starved_o,
  output logic                           halted_o,
  output logic                           fault_valid_o,
  output logic [7:0]                     fault_code_o,
  output logic [31:0]                    fault_addr_o
);
  `TPU_ASSERT_INIT(WeightRowsIsPowerOfTwo, (WeightRows & (WeightRows - 1)) == 0)

  // Byte positions count from the first byte of the run's first beat; a piece may start up to 2**32 bytes after it.
  localparam int PosWidth = 35;
  localparam int Lim = Log + 1;              // lane limits 0 .. Dim
  localparam int KernelRows = 8 * tpu_kernel_pkg::MEMORY_WORDS / Dim;

  // Clamps a signed count of bytes to 0 .. Dim.
  function automatic logic [Lim-1:0] clamp(input logic [PosWidth-1:0] count);
    if (count[PosWidth-1]) clamp = '0;
    else if (count[PosWidth-1:Log] != '0) clamp = Lim'(Dim);
    else clamp = count[Lim-1:0];
  endfunction

  // The current command and its constant fields.
  load_instr_t cmd_q;
  logic [23:0] run_bytes;
  logic [15:0] pieces, piece_step, piece_bytes, slot_bytes, count0, valid_from, valid_to;
  logic [15:0] dst_piece, dst_block, dst_stride0, dst_stride1;
  logic [31:0] stride0, stride1;
  logic [1:0]  window;
  assign run_bytes   = cmd_q.run_bytes;
  assign window      = cmd_q.window;
  assign pieces      = cmd_q.pieces;
  assign piece_step  = cmd_q.piece_step;
  assign piece_bytes = cmd_q.piece_bytes;
  assign slot_bytes  = cmd_q.slot_bytes;
  assign count0      = cmd_q.count0;
  assign valid_from  = cmd_q.valid_from;
  assign valid_to    = cmd_q.valid_to;
  assign stride0     = cmd_q.src_stride0;
  assign stride1     = cmd_q.src_stride1;
  assign dst_piece   = cmd_q.dst_piece;
  assign dst_block   = cmd_q.dst_block;
  assign dst_stride0 = cmd_q.dst_stride0;
  assign dst_stride1 = cmd_q.dst_stride1;
  logic [Log-1:0]      lane;
  logic [PosWidth-1:0] lead;                 // position of lane 0 of piece 0 in the run: piece_start - lane
  assign lane = cmd_q.lane[Log-1:0];
  assign lead = PosWidth'($signed(cmd_q.piece_start)) - PosWidth'(lane);

  // Walk: set-up of a command, then its rows. drain_q: all rows of a run are issued, and the run's end is awaited.
  logic active_q, setup_q, drain_q, halted_q;
  logic [2:0] checked_q;                     // commands checked by the source and not finished here
  // Run.
  logic [15:0]         i0_q, left1_q;
  logic [31:0]         outer_addr_q, run_addr_q;
  logic                reads_q;
  logic [SeqWidth-1:0] base_seq_q, end_seq_q;
  logic [15:0]         outer_row_q, run_row_q;
  // Piece and block.
  logic [15:0]         pieces_left_q, piece_row_q, row_q;
  logic [PosWidth-1:0] piece_pos_q, pos_q;   // of lane 0 of the piece's first row, of this row
  logic [PosWidth-1:0] piece_left_q, left_q; // from there to the end of the run, signed
  logic                first_q;              // first row of its piece
  logic [17:0]         data_left_q;          // piece bytes from lane 0 of this row on, signed
  logic [17:0]         slot_left_q;          // slot bytes from lane 0 of this row on
  logic [SeqWidth-1:0] keep_q;

  // The current row.
  logic                walking, has_data, crosses, there, overlap;
  logic [Lim-1:0]      from, to, from_run, to_run, to_piece;
  logic [Lim+1:0]      before_run;           // bytes to the run's first byte, signed; of rows near it
  logic [SeqWidth-1:0] pos_word, word, word_ahead, keep, keep_ahead;
  logic [SeqWidth-2:0] carry;
  logic [15:0]         row;
  logic                in_range;
  logic [7:0]          range_code;
  logic                last_block, last_piece;
  always_comb begin
    walking = active_q && !setup_q && !drain_q && !halted_q;
    has_data = 1'b0;
    crosses = 1'b0;
    there = 1'b0;
    overlap = 1'b0;
    from = '0;
    to = '0;
    before_run = '0;
    from_run = '0;
    to_run = '0;
    to_piece = '0;
    word = '0;
    pos_word = '0;
    carry = '0;
    word_ahead = '0;
    keep = '0;
    keep_ahead = '0;
    row = row_q;
    in_range = 1'b1;
    range_code = tpu_pkg::ERROR_NONE;
    last_block = 1'b0;
    last_piece = 1'b0;
    if (walking) begin
      before_run = (Lim+2)'(run_addr_q[Log-1:0]) - {pos_q[Lim], pos_q[Lim:0]};
      from_run = clamp({{(PosWidth-Lim-2){before_run[Lim+1]}}, before_run});
      // A row farther away needs no difference, which is known late.
      if (pos_q[PosWidth-1:Lim] != {(PosWidth-Lim){pos_q[PosWidth-1]}})
        from_run = pos_q[PosWidth-1] ? Lim'(Dim) : '0;
      to_run = clamp(left_q);
      to_piece = clamp({{(PosWidth-18){data_left_q[17]}}, data_left_q});
      from = from_run;
      if (first_q && {1'b0, lane} > from_run) from = {1'b0, lane};
      to = to_run < to_piece ? to_run : to_piece;
      has_data = reads_q && from < to;
      pos_word = pos_q[Log +: SeqWidth];
      word = base_seq_q + pos_word;
      // word - write_seq_i is negative if the beat has arrived. The sum of three terms is computed with one carry-save
      // step and one adder. A row that crosses into the next beat needs that beat, too. Its difference is one more,
      // which changes the sign if all bits below it are ones.
      carry = (base_seq_q[SeqWidth-2:0] & pos_word[SeqWidth-2:0])
            | ((base_seq_q[SeqWidth-2:0] | pos_word[SeqWidth-2:0]) & ~write_seq_i[SeqWidth-2:0]);
      word_ahead = (base_seq_q ^ pos_word ^ ~write_seq_i) + {carry, 1'b1};
      crosses = {1'b0, pos_q[Log-1:0]} + to > Lim'(Dim);
      there = !has_data || (word_ahead[SeqWidth-1] ^ (crosses && word_ahead[SeqWidth-2:0] == '1));
      overlap = piece_step < piece_bytes;
      keep = overlap ? base_seq_q + piece_pos_q[Log +: SeqWidth] : word;
      keep_ahead = keep - keep_q;
      case (cmd_q.space)
        tpu_pkg::SPACE_WEIGHT: row = row_q & 16'(WeightRows - 1);
        tpu_pkg::SPACE_PARAM: begin
          in_range = 32'(row_q) < ParamRows;
          range_code = tpu_pkg::ERROR_PARAM_RANGE;
        end
        tpu_pkg::SPACE_KERNEL: begin
          in_range = 32'(row_q) < KernelRows;
          range_code = tpu_pkg::ERROR_KERNEL_RANGE;
        end
        default: begin
          in_range = 32'(row_q) < ScratchRows;
          range_code = tpu_pkg::ERROR_SCRATCH_RANGE;
        end
      endcase
      last_block = slot_left_q <= 18'(Dim);
      last_piece = pieces_left_q == 16'd1;
    end
  end

  // Faults of the current command.
  logic                window_bad, bus_bad, stop, checked, arrived;
  logic [SeqWidth-1:0] error_ahead, error_beat, end_ahead;
  always_comb begin
    checked = checked_q != '0;
    window_bad = 1'b0;
    end_ahead = '0;
    arrived = 1'b0;
    error_ahead = '0;
    error_beat = '0;
    bus_bad = 1'b0;
    stop = 1'b0;
    fault_valid_o = 1'b0;
    fault_code_o = tpu_pkg::ERROR_NONE;
    fault_addr_o = '0;
    if (active_q) begin
      // The violation is in the current command, and the walk has reached its run.
      window_bad = !setup_q && src_fault_i && !checked && src_i0_i == i0_q && src_left1_i == left1_q;
      end_ahead = write_seq_i - end_seq_q;
      arrived = !end_ahead[SeqWidth-1];
      error_ahead = error_seq_i - end_seq_q;
      error_beat = error_seq_i - base_seq_q;
      bus_bad = error_i && !setup_q && error_ahead[SeqWidth-1];
      stop = window_bad || bus_bad || !in_range;
      fault_valid_o = stop && !halted_q && align_empty_i && (window_bad || bus_bad || arrived);
      fault_code_o = window_bad ? tpu_pkg::ERROR_WINDOW : bus_bad ? tpu_pkg::ERROR_AXI_READ : range_code;
      fault_addr_o = {16'd0, row_q};
      if (bus_bad) fault_addr_o = {run_addr_q[31:Log] + (32-Log)'(error_beat), Log'(0)};
      if (window_bad) fault_addr_o = src_fault_addr_i;
    end
  end

  // Steps.
  logic fire, run_over, last_run, finish, next_run, load;
  always_comb begin
    last_run = i0_q == count0 - 16'd1 && left1_q == 16'd1;
    run_over = ((walking && last_block && last_piece && there) || (drain_q && !halted_q)) && !stop
            && arrived && (!last_run || checked);
    row_write_o = walking && there && !stop;
    row_last_o = run_over && last_run;
    row_valid_o = row_write_o || row_last_o;
    fire = row_write_o && row_ready_i;
    next_run = run_over && !last_run && (row_ready_i || drain_q);
    finish = row_last_o && row_ready_i;
    load = cmd_valid_i && cmd_ready_o;
  end
  assign cmd_ready_o  = (!active_q || finish) && !halted_q;
  assign row_turn_o   = cmd_q.turn;
  assign row_space_o  = cmd_q.space;
  assign row_row_o    = row;
  assign row_shift_o  = pos_q[Log-1:0];
  assign row_from_o   = from;
  assign row_to_o     = has_data ? to : '0;
  assign row_first_o  = first_q ? {1'b0, lane} : '0;
  assign row_end_o    = last_block ? slot_left_q[Lim-1:0] : Lim'(Dim);
  assign row_fill_o   = cmd_q.fill;
  assign rd_en_o      = fire && has_data;
  assign rd_addr_o    = word[AddrWidth-1:0];
  assign keep_seq_o   = keep_q;
  assign busy_o       = (active_q || !align_empty_i) && !halted_q;
  assign starved_o    = (walking && !there) || (drain_q && !arrived);
  assign halted_o     = halted_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      setup_q <= 1'b0;
      drain_q <= 1'b0;
      halted_q <= 1'b0;
      checked_q <= '0;
    end else begin
      if (load) active_q <= 1'b1;
      else if (finish) active_q <= 1'b0;
      setup_q <= load;
      if (next_run || finish) drain_q <= 1'b0;
      else if (fire && last_block && last_piece) drain_q <= 1'b1;
      if (fault_valid_o) halted_q <= 1'b1;
      if (checked_i && !finish) checked_q <= checked_q + 1'b1;
      if (finish && !checked_i) checked_q <= checked_q - 1'b1;
    end
  end

  // The next run's address, row and extent.
  logic        run_go, run_near, outer_go, reads;
  logic [31:0] run_addr;
  logic [15:0] run_row, i0;
  logic [24:0] run_end;
  always_comb begin
    run_go = setup_q || next_run;
    // Does not depend on whether the run ends in this cycle, which is known late.
    run_near = setup_q || drain_q || (last_block && last_piece);
    outer_go = 1'b0;
    run_addr = '0;
    run_row = '0;
    i0 = '0;
    reads = 1'b0;
    run_end = '0;
    if (run_near) begin
      outer_go = setup_q || i0_q == count0 - 16'd1;
      if (setup_q) begin
        run_addr = win_base_i[window*32 +: 32] + cmd_q.src;
        run_row = cmd_q.dst;
      end else if (outer_go) begin
        run_addr = outer_addr_q + stride1;
        run_row = outer_row_q + dst_stride1;
      end else begin
        run_addr = run_addr_q + stride0;
        run_row = run_row_q + dst_stride0;
        i0 = i0_q + 16'd1;
      end
      reads = i0 >= valid_from && i0 < valid_to;
      run_end = 25'(run_addr[Log-1:0]) + {1'b0, run_bytes};
    end
  end

  always_ff @(posedge clk_i) begin
    if (load) cmd_q <= cmd_instr_i;
    if (run_go) begin
      i0_q <= i0;
      run_addr_q <= run_addr;
      run_row_q <= run_row;
      reads_q <= reads;
      pieces_left_q <= pieces;
      piece_row_q <= run_row;
      row_q <= run_row;
      piece_pos_q <= PosWidth'(run_addr[Log-1:0]) + lead;
      pos_q <= PosWidth'(run_addr[Log-1:0]) + lead;
      piece_left_q <= PosWidth'(run_bytes) - lead;
      left_q <= PosWidth'(run_bytes) - lead;
      if (outer_go) begin
        outer_addr_q <= run_addr;
        outer_row_q <= run_row;
        left1_q <= setup_q ? cmd_q.count1 : left1_q - 16'd1;
      end
    end else if (fire) begin
      if (!last_block) begin
        row_q <= row_q + dst_block;
        pos_q <= pos_q + PosWidth'(Dim);
        left_q <= left_q - PosWidth'(Dim);
      end else begin
        pieces_left_q <= pieces_left_q - 16'd1;
        piece_row_q <= piece_row_q + dst_piece;
        row_q <= piece_row_q + dst_piece;
        piece_pos_q <= piece_pos_q + PosWidth'(piece_step);
        pos_q <= piece_pos_q + PosWidth'(piece_step);
        piece_left_q <= piece_left_q - PosWidth'(piece_step);
        left_q <= piece_left_q - PosWidth'(piece_step);
      end
    end
    if (run_go || (fire && last_block)) begin
      first_q <= 1'b1;
      data_left_q <= 18'(piece_bytes) + 18'(lane);
      slot_left_q <= 18'(slot_bytes) + 18'(lane);
    end else if (fire) begin
      first_q <= 1'b0;
      data_left_q <= data_left_q - 18'(Dim);
      slot_left_q <= slot_left_q - 18'(Dim);
    end
  end

  // Beat numbers. keep_q never moves back, although a piece may start before its run.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      base_seq_q <= '0;
      end_seq_q <= '0;
      keep_q <= '0;
    end else begin
      if (run_go) begin
        base_seq_q <= end_seq_q;
        if (reads) end_seq_q <= end_seq_q + SeqWidth'((run_end + 25'(Dim - 1)) >> Log);
      end
      if (next_run || finish || drain_q || !in_range) keep_q <= end_seq_q;
      else if (has_data && !keep_ahead[SeqWidth-1]) keep_q <= keep;
    end
  end

  logic unused;
  assign unused = ^{cmd_q, pos_q, piece_pos_q};
endmodule
