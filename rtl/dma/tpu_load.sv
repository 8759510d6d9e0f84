// SPDX-License-Identifier: Apache-2.0
// LOAD engine: reads runs of bytes from device memory and scatters them, piece by piece, into rows of the scratchpad,
// the weight ring, the parameter buffer or the kernel memory.
//
//   commands -> tpu_load_source -> read addresses          (checks windows, reserves room)
//      |                       read data -> tpu_line_buffer
//      +-> FIFO -> tpu_load_emit -> tpu_load_align -> tpu_load_turn -> row writes
//
// The source runs up to four commands ahead of the emitter, as far as the line buffer has room.
//
// Latency: three cycles from command to first address; three from a beat to its row, of a command whose rows are turned
// up to Dim more.
// Throughput: one beat per cycle in, one row per cycle out, also across pieces and runs.
// Back-pressure: while wr_ready_i is low, rows wait, then the line buffer fills, then requests stop. Read data are
// always accepted.
//
// Protocol: cmd_*, ar_* and wr_* are valid/ready streams; r_* has no ready. retire_o pulses once per command, when its
// last row is accepted. fault_valid_o pulses once; the engine then stops until reset. cause_o is one-hot.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a row and of a beat; ScratchRows, ParamRows (at most 65536); WeightRows
// (power of two).
`include "tpu_assert.svh"
module tpu_load #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int WeightRows = 4096,
  parameter int ParamRows = 256
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // Address windows, from the registers.
  input  logic [32*tpu_pkg::WINDOWS-1:0] win_base_i,
  input  logic [32*tpu_pkg::WINDOWS-1:0] win_size_i,
  input  logic [3*tpu_pkg::WINDOWS-1:0]  win_perm_i,
  // Commands.
  input  logic                           cmd_valid_i,
  output logic                           cmd_ready_o,
  input  logic [tpu_pkg::INSTR_W-1:0]    cmd_instr_i,
  output logic                           retire_o,
  output logic                           fault_valid_o,
  output logic [7:0]                     fault_code_o,
  output logic [31:0]                    fault_addr_o,
  output logic [tpu_pkg::CAUSES-1:0]     cause_o,
  // Bus reads.
  output logic                           ar_valid_o,
  input  logic                           ar_ready_i,
  output logic [31:0]                    ar_addr_o,
  output logic [7:0]                     ar_len_o,
  input  logic                           r_valid_i,
  input  logic [8*Dim-1:0]               r_data_i,
  input  logic                           r_error_i,
  // Row writes.
  output logic                           wr_valid_o,
  input  logic                           wr_ready_i,
  output logic [1:0]                     wr_space_o,
  output logic [15:0]                    wr_row_o,
  output logic [8*Dim-1:0]               wr_data_o,
  output logic [Dim-1:0]                 wr_mask_o
);
  `TPU_ASSERT_INIT(DimIsKnown, Dim == 4 || Dim == 8 || Dim == 16 || Dim == 32)

  localparam int Log = $clog2(Dim);
  localparam int SeqWidth = 26;              // more than twice the longest run in beats (2**22 + 1 at Dim 4)
  localparam int AddrWidth = $clog2(tpu_pkg::LINE_BUFFER_BEATS);
  localparam int Ahead = 4;                  // commands that wait between source and emitter

  logic source_ready, queue_ready, head_valid, head_ready;
  logic [tpu_pkg::INSTR_W-1:0] head_instr;
  logic [$clog2(Ahead):0]      queue_level;
  assign cmd_ready_o = source_ready && queue_ready;

  tpu_fifo #(.Width(tpu_pkg::INSTR_W), .Depth(Ahead)) u_queue (
    .clk_i, .rst_ni,
    .wr_valid_i(cmd_valid_i && source_ready), .wr_ready_o(queue_ready), .wr_data_i(cmd_instr_i),
    .rd_valid_o(head_valid), .rd_ready_i(head_ready), .rd_data_o(head_instr), .level_o(queue_level));

  logic                checked, src_fault, halted;
  logic [31:0]         src_fault_addr;
  logic [15:0]         src_i0, src_left1;
  logic [SeqWidth-1:0] issue_seq, write_seq, release_seq, keep_seq, error_seq;
  tpu_load_source #(.Dim(Dim), .SeqWidth(SeqWidth)) u_source (
    .clk_i, .rst_ni, .win_base_i, .win_size_i, .win_perm_i,
    .cmd_valid_i(cmd_valid_i && queue_ready), .cmd_ready_o(source_ready), .cmd_instr_i,
    .checked_o(checked), .fault_o(src_fault), .fault_addr_o(src_fault_addr),
    .run_i0_o(src_i0), .run_left1_o(src_left1), .halted_i(halted),
    .ar_valid_o, .ar_ready_i, .ar_addr_o, .ar_len_o,
    .issue_seq_o(issue_seq), .release_seq_i(release_seq));

  logic                 bus_error, rd_en;
  logic [AddrWidth-1:0] rd_addr;
  logic [8*Dim-1:0]     beat_first, beat_second;
  tpu_line_buffer #(.Dim(Dim), .Beats(tpu_pkg::LINE_BUFFER_BEATS), .SeqWidth(SeqWidth)) u_buffer (
    .clk_i, .rst_ni,
    .wr_valid_i(r_valid_i), .wr_data_i(r_data_i), .wr_error_i(r_error_i),
    .write_seq_o(write_seq), .release_seq_o(release_seq), .error_o(bus_error), .error_seq_o(error_seq),
    .keep_seq_i(keep_seq),
    .rd_en_i(rd_en), .rd_addr_i(rd_addr), .rd_first_o(beat_first), .rd_second_o(beat_second));

  logic             whole_valid, whole_ready, whole_write, whole_last;
  logic [1:0]       whole_turn, whole_space;
  logic [15:0]      whole_row;
  logic [8*Dim-1:0] whole_data;
  logic [Dim-1:0]   whole_mask;
  logic           row_valid, row_ready, row_write, row_last, turn_empty, busy, starved;
  logic [1:0]     row_turn, row_space;
  logic [15:0]    row_row;
  logic [Log-1:0] row_shift;
  logic [Log:0]   row_from, row_to, row_first, row_end;
  logic [7:0]     row_fill;
  tpu_load_emit #(
    .Dim(Dim), .ScratchRows(ScratchRows), .WeightRows(WeightRows), .ParamRows(ParamRows), .SeqWidth(SeqWidth)
  ) u_emit (
    .clk_i, .rst_ni, .win_base_i,
    .cmd_valid_i(head_valid), .cmd_ready_o(head_ready), .cmd_instr_i(head_instr),
    .checked_i(checked), .src_fault_i(src_fault), .src_fault_addr_i(src_fault_addr),
    .src_i0_i(src_i0), .src_left1_i(src_left1),
    .write_seq_i(write_seq), .error_i(bus_error), .error_seq_i(error_seq), .keep_seq_o(keep_seq),
    .rd_en_o(rd_en), .rd_addr_o(rd_addr),
    .row_valid_o(row_valid), .row_ready_i(row_ready), .row_write_o(row_write), .row_last_o(row_last),
    .row_turn_o(row_turn), .row_space_o(row_space), .row_row_o(row_row), .row_shift_o(row_shift),
    .row_from_o(row_from), .row_to_o(row_to), .row_first_o(row_first), .row_end_o(row_end), .row_fill_o(row_fill),
    .align_empty_i(!whole_valid && turn_empty),
    .busy_o(busy), .starved_o(starved), .halted_o(halted),
    .fault_valid_o, .fault_code_o, .fault_addr_o);

  tpu_load_align #(.Dim(Dim)) u_align (
    .clk_i, .rst_ni,
    .row_valid_i(row_valid), .row_ready_o(row_ready), .row_write_i(row_write), .row_last_i(row_last),
    .row_turn_i(row_turn), .row_space_i(row_space), .row_row_i(row_row), .row_shift_i(row_shift),
    .row_from_i(row_from), .row_to_i(row_to), .row_first_i(row_first), .row_end_i(row_end), .row_fill_i(row_fill),
    .beat_first_i(beat_first), .beat_second_i(beat_second),
    .out_valid_o(whole_valid), .out_ready_i(whole_ready), .out_write_o(whole_write), .out_last_o(whole_last),
    .out_turn_o(whole_turn), .out_space_o(whole_space), .out_row_o(whole_row), .out_data_o(whole_data),
    .out_mask_o(whole_mask));

  tpu_load_turn #(.Dim(Dim)) u_turn (
    .clk_i, .rst_ni,
    .in_valid_i(whole_valid), .in_ready_o(whole_ready), .in_write_i(whole_write), .in_last_i(whole_last),
    .in_turn_i(whole_turn), .in_space_i(whole_space), .in_row_i(whole_row), .in_data_i(whole_data),
    .in_mask_i(whole_mask),
    .wr_valid_o, .wr_ready_i, .wr_space_o, .wr_row_o, .wr_data_o, .wr_mask_o,
    .retire_o, .empty_o(turn_empty));

  // MEMORY_LATENCY until the first beat of a group of requests returns, MEMORY_BANDWIDTH from then until none is
  // outstanding.
  logic outstanding, flowing_q;
  assign outstanding = issue_seq != write_seq;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) flowing_q <= 1'b0;
    else flowing_q <= outstanding && (flowing_q || r_valid_i);
  end

  // The cause is that of the walk in tpu_load_emit; tpu_load_align and tpu_load_turn only add delay.
  always_comb begin
    cause_o = '0;
    if (row_write && row_ready) cause_o[tpu_pkg::CAUSE_WORKING] = 1'b1;
    else if (wr_valid_o && !wr_ready_i) cause_o[tpu_pkg::CAUSE_BANK_CONFLICT] = 1'b1;
    else if (!busy && (queue_level == '0 || halted)) cause_o[tpu_pkg::CAUSE_IDLE] = 1'b1;
    else if (starved && outstanding && !flowing_q) cause_o[tpu_pkg::CAUSE_MEMORY_LATENCY] = 1'b1;
    else if (starved && outstanding) cause_o[tpu_pkg::CAUSE_MEMORY_BANDWIDTH] = 1'b1;
    else cause_o[tpu_pkg::CAUSE_OPERAND_WAIT] = 1'b1;
  end

  `TPU_ASSERT_WHEN(ReadDataAreExpected, r_valid_i, outstanding)
endmodule
