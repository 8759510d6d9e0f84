// SPDX-License-Identifier: Apache-2.0
// LOAD engine: reads runs of bytes from device memory and scatters them, piece by piece, into rows of the scratchpad,
// the weight ring, the parameter buffer or the kernel memory.
//
//   commands -> tpu_load_source -> read addresses          (checks windows, reserves room)
//      |                       read data -> tpu_line_buffer
//      +-> tpu_load_queue -> tpu_load_emit -> tpu_load_align -> tpu_load_turn -> row writes
//
// The source runs up to eight commands ahead of the emitter, as far as the line buffer has room.
//
// Latency: two cycles from command to first address; three from a beat to its row, of a command whose rows are turned
// up to Dim more.
// Throughput: one beat per cycle in, one row per cycle out, also across pieces and runs.
// Back-pressure: while wr_ready_i is low, rows wait, then the line buffer fills, then requests stop. Read data are
// always accepted.
//
// Protocol: cmd_*, ar_* and wr_* are valid/ready streams; r_* has no ready. report_o.retire pulses once per command, in
// the cycle after its last row is accepted. report_o.fault.valid pulses once; the engine then stops until reset.
// report_o.cause is one-hot and tells of the cycle before.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a row and of a beat; ScratchRows, ParamRows (at most 65536); WeightRows
// (power of two); Windows; TurningLoads, 0 for a core that turns no rows.
`include "tpu_assert.svh"
`include "tpu_instr.svh"
module tpu_load #(
  parameter int Dim = 16,
  parameter int Windows = 4,
  parameter int ScratchRows = 12288,
  parameter int WeightRows = 4096,
  parameter int ParamRows = 256,
  parameter int TurningLoads = 1
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // Address windows, from the registers.
  input  tpu_window_pkg::windows_t    windows_i,
  // Commands.
  input  logic                        cmd_valid_i,
  output logic                        cmd_ready_o,
  input  logic [tpu_pkg::INSTR_W-1:0] cmd_instr_i,
  output tpu_report_pkg::report_t     report_o,
  // Bus reads.
  input  logic                        ar_ready_i,
  output tpu_axi_pkg::request_t       ar_o,
  input  tpu_axi_pkg::answer_t        r_i,
  input  logic [8*Dim-1:0]            r_data_i,
  // Row writes.
  output tpu_load_pkg::write_t        wr_o,
  input  logic                        wr_ready_i,
  output logic [8*Dim-1:0]            wr_data_o,
  output logic [Dim-1:0]              wr_mask_o
);
  `TPU_ASSERT_INIT(DimIsKnown, Dim == 4 || Dim == 8 || Dim == 16 || Dim == 32)

  localparam int PosWidth = tpu_load_pkg::POS_W;
  localparam int SeqWidth = PosWidth - $clog2(Dim);
  localparam int AddrWidth = $clog2(tpu_pkg::LINE_BUFFER_BEATS);

  load_instr_t            instr;
  tpu_load_pkg::command_t command, head;
  assign instr                    = cmd_instr_i;
  assign command.space            = instr.space;
  assign command.turn             = instr.turn;
  assign command.runs.src         = instr.src;
  assign command.runs.run_bytes   = instr.run_bytes;
  assign command.runs.window      = instr.window;
  assign command.runs.count0      = instr.count0;
  assign command.runs.count1      = instr.count1;
  assign command.runs.valid_from  = instr.valid_from;
  assign command.runs.valid_to    = instr.valid_to;
  assign command.runs.src_stride0 = instr.src_stride0;
  assign command.runs.src_stride1 = instr.src_stride1;
  assign command.runs.dst         = instr.dst;
  assign command.runs.dst_stride0 = instr.dst_stride0;
  assign command.runs.dst_stride1 = instr.dst_stride1;
  assign command.rows.piece_start = instr.piece_start;
  assign command.rows.pieces      = instr.pieces;
  assign command.rows.piece_step  = instr.piece_step;
  assign command.rows.piece_bytes = instr.piece_bytes;
  assign command.rows.slot_bytes  = instr.slot_bytes;
  assign command.rows.lane        = instr.lane[4:0];
  assign command.rows.fill        = instr.fill;
  assign command.rows.dst_piece   = instr.dst_piece;
  assign command.rows.dst_block   = instr.dst_block;

  logic                                 source_ready, queue_ready, head_read;
  logic [$clog2(tpu_load_pkg::AHEAD):0] waiting;
  assign cmd_ready_o = source_ready && queue_ready;
  tpu_load_queue u_queue (
    .clk_i, .rst_ni,
    .wr_valid_i(cmd_valid_i && source_ready), .wr_ready_o(queue_ready), .wr_command_i(command),
    .waiting_o(waiting), .rd_en_i(head_read), .command_o(head));

  logic                 halted;
  tpu_load_pkg::check_t check;
  logic [AddrWidth:0] issue_seq, release_seq;
  tpu_load_source #(.Dim(Dim), .Windows(Windows)) u_source (
    .clk_i, .rst_ni, .windows_i,
    .cmd_valid_i(cmd_valid_i && queue_ready), .cmd_ready_o(source_ready), .cmd_instr_i,
    .check_o(check), .halted_i(halted), .ar_ready_i, .ar_o,
    .issue_seq_o(issue_seq), .release_seq_i(release_seq));

  logic                 bus_error, rd_en;
  logic [SeqWidth-1:0]  write_seq, last_seq, keep_seq, error_seq;
  logic [AddrWidth-1:0] rd_addr;
  logic [8*Dim-1:0]     beat_first, beat_second;
  tpu_line_buffer #(.Dim(Dim), .Beats(tpu_pkg::LINE_BUFFER_BEATS), .SeqWidth(SeqWidth)) u_buffer (
    .clk_i, .rst_ni,
    .wr_i(r_i), .wr_data_i(r_data_i),
    .write_seq_o(write_seq), .last_seq_o(last_seq), .release_seq_o(release_seq),
    .error_o(bus_error), .error_seq_o(error_seq), .keep_seq_i(keep_seq),
    .rd_en_i(rd_en), .rd_addr_i(rd_addr), .rd_first_o(beat_first), .rd_second_o(beat_second));

  logic                  row_ready, row_starved, row_drop, arrived;
  logic                  whole_ready, align_busy, turn_empty, busy, starved;
  tpu_load_pkg::row_t    row;
  tpu_load_pkg::whole_t  whole;
  logic [8*Dim-1:0]      whole_data;
  logic [Dim-1:0]        whole_mask;
  tpu_load_emit #(
    .Dim(Dim), .Windows(Windows), .ScratchRows(ScratchRows), .WeightRows(WeightRows), .ParamRows(ParamRows)
  ) u_emit (
    .clk_i, .rst_ni, .windows_i,
    .cmd_waiting_i(waiting != '0), .cmd_read_o(head_read), .command_i(head),
    .check_i(check),
    .write_seq_i(write_seq), .error_i(bus_error), .error_seq_i(error_seq), .keep_seq_o(keep_seq),
    .row_o(row), .row_ready_i(row_ready), .arrived_o(arrived), .row_starved_i(row_starved),
    .row_drop_o(row_drop), .rows_empty_i(!align_busy && turn_empty),
    .busy_o(busy), .starved_o(starved), .halted_o(halted),
    .fault_o(report_o.fault));

  tpu_load_align #(.Dim(Dim)) u_align (
    .clk_i, .rst_ni,
    .row_i(row), .row_ready_o(row_ready), .starved_o(row_starved), .drop_i(row_drop), .busy_o(align_busy),
    .last_seq_i(last_seq), .arrived_i(arrived),
    .rd_en_o(rd_en), .rd_addr_o(rd_addr), .beat_first_i(beat_first), .beat_second_i(beat_second),
    .out_o(whole), .out_ready_i(whole_ready), .out_data_o(whole_data), .out_mask_o(whole_mask));

  tpu_load_turn #(.Dim(Dim), .TurningLoads(TurningLoads)) u_turn (
    .clk_i, .rst_ni,
    .in_i(whole), .in_ready_o(whole_ready), .in_data_i(whole_data), .in_mask_i(whole_mask),
    .wr_o, .wr_ready_i, .wr_data_o, .wr_mask_o,
    .retire_o(report_o.retire), .empty_o(turn_empty));

  // MEMORY_LATENCY until the first beat of a group of requests returns, MEMORY_BANDWIDTH from then until none is
  // outstanding.
  logic outstanding, flowing_q;
  assign outstanding = issue_seq != write_seq[AddrWidth:0];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) flowing_q <= 1'b0;
    else flowing_q <= outstanding && (flowing_q || r_i.valid);
  end

  // The cause is that of the walk in tpu_load_emit; tpu_load_align and tpu_load_turn only add delay.
  // A task, because a simulator then computes nothing when wr_ready_i changes.
  logic [tpu_pkg::CAUSES-1:0] cause_q;
  task automatic tell_cause;
    logic [tpu_pkg::CAUSES-1:0] cause;
    cause = '0;
    if (row.target.write && row_ready) cause[tpu_pkg::CAUSE_WORKING] = 1'b1;
    else if (wr_o.valid && !wr_ready_i) cause[tpu_pkg::CAUSE_BANK_CONFLICT] = 1'b1;
    else if (!busy && (waiting == '0 || halted)) cause[tpu_pkg::CAUSE_IDLE] = 1'b1;
    else if (starved && outstanding && !flowing_q) cause[tpu_pkg::CAUSE_MEMORY_LATENCY] = 1'b1;
    else if (starved && outstanding) cause[tpu_pkg::CAUSE_MEMORY_BANDWIDTH] = 1'b1;
    else cause[tpu_pkg::CAUSE_OPERAND_WAIT] = 1'b1;
    cause_q <= cause;
  endtask
  assign report_o.cause = cause_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) cause_q <= tpu_pkg::CAUSES'(1) << tpu_pkg::CAUSE_IDLE;
    else tell_cause;
  end

  `TPU_ASSERT_WHEN(ReadDataAreExpected, r_i.valid, outstanding)
  logic unused;
  assign unused = ^instr;
endmodule
