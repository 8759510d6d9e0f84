// SPDX-License-Identifier: Apache-2.0
// Command processor: fetches instructions from the ring, decodes them, and issues them to four engines, which are
// synchronized by semaphores.
//
// Latency: from doorbell_i to the first command valid 4 + 64/Dim cycles plus the latency of the read (108 cycles at Dim
// 16 and a memory latency of 100); one cycle from a retire pulse to the command that waited for its signal, if no other
// signal goes first. Throughput: one command dispatched in two cycles, one signal per cycle. Back-pressure: dispatch is
// in order, so a full queue stops it, and fetch stops when its buffer is full.
//
// Ports: rst_ni is the reset of the core (core_rst_n of tpu_axi_guard), so a reset by software clears all state here.
// Ring registers and windows come from the CSR and are stable while busy; doorbell_i pulses in the first cycle of a new
// tail_i. ar_* is a valid/ready stream, r_* has no ready. Each engine has a command stream (valid/ready), a retire
// pulse per committed command, and a fault pulse for its oldest uncommitted command. Arrays have
// an element for each engine, by the numbers tpu_pkg::ENGINE_*. After the first error (or halt_i) no engine gets a new
// command. error_o.valid pulses; the CSR records the first error. clear_o pulses when an END requests cleared memories;
// while clearing_i is high, nothing is dispatched and the END does not complete. cause_o is valid in every cycle.
// retire_valid_o follows the commit, which is the last signal of a retired command, by one cycle; it includes SYNC but
// not JUMP and END.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a beat; QueueDepth (commands per engine, power of two, at least 4);
// Windows; WeightRows, of the ring, whose tiles a CONV can skip; Parts, those that the core has, by tpu_pkg::PART_*.
module tpu_command
  import tpu_command_pkg::*;
#(
  parameter int Dim = 16,
  parameter int QueueDepth = tpu_pkg::QUEUE_DEPTH,
  parameter int Windows = 4,
  parameter int WeightRows = 4096,
  parameter logic [tpu_pkg::PARTS-1:0] Parts = '1,
  localparam int Engines = tpu_pkg::ENGINES,
  localparam int Causes = tpu_pkg::CAUSES
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // From the CSR.
  input  logic                           halt_i,
  input  logic                           doorbell_i,
  input  logic [31:0]                    tail_i,
  input  ring_t                          ring_i,
  input  tpu_window_pkg::windows_t       windows_i,
  // Instruction fetch.
  input  logic                           ar_ready_i,
  output tpu_axi_pkg::request_t          ar_o,
  input  tpu_axi_pkg::answer_t           r_i,
  input  logic [8*Dim-1:0]               r_data_i,
  // Engines: the command offered; retirement or fault of the oldest one taken; cause of this cycle.
  output logic [Engines-1:0]             cmd_valid_o,
  input  logic [Engines-1:0]             cmd_ready_i,
  output logic [Engines-1:0][511:0]      cmd_instr_o,
  input  tpu_report_pkg::report_t [Engines-1:0] report_i,
  // Observation: cause of this cycle, that of the engine or the reason why it has no command; retirement in the
  // previous cycle.
  output logic [Engines-1:0][Causes-1:0] cause_o,
  output logic [Engines-1:0]             retire_valid_o,
  output logic [Engines-1:0][31:0]       retire_index_o,
  // A register here changes at the clock edge that ends this cycle; while event_o is low, the clock may be stopped. A
  // write of ring registers or windows must run the clock for two more cycles, which come before the doorbell.
  output logic                           event_o,
  // State for the CSR; engine_active_o also runs the engines' clocks.
  output logic                           busy_o,
  output logic [Engines-1:0]             engine_busy_o,
  output logic [Engines-1:0]             engine_active_o,
  output logic [Engines-1:0]             engine_waiting_o,
  output logic [Engines-1:0][7:0]        waiting_semaphores_o,
  // Index of the oldest uncommitted command, levels as of tpu_issue.
  output logic [Engines-1:0][31:0]       oldest_index_o,
  output logic [Engines-1:0][15:0]       engine_level_o,
  output logic [tpu_pkg::SEMAPHORES-1:0][7:0] semaphore_o,
  output logic [31:0]                    head_o,
  output logic [31:0]                    commands_o,
  output logic                           clear_o,
  input  logic                           clearing_i,
  output end_t                           end_o,
  output error_t                         error_o
);
  // Instructions read ahead, and of one read at the most. Narrow beats take long to fill more; with short reads the
  // room that an instruction leaves is asked for soon.
  localparam int Entries = Dim == 4 ? 8 : 16;
  localparam int Chunk = Dim == 4 ? 2 : 8;

  // The last bits of a CONV tell which tiles it skips. It has no more of them than the ring, so some mean nothing.
  localparam int AskedBits = tpu_pkg::CONV_SKIP0_LSB + tpu_mxu_pkg::skip_bits(Dim, WeightRows);
  localparam logic [31:0] AskedHalves = ~(32'hffff_ffff << (AskedBits + 15) / 16);

  logic                       halt, error_halt;
  logic                       fetch_event, decode_event, error_event;
  logic                       entry_valid, entry_ready, entry_fault, entry_outside;
  logic [31:0]                entry_address;
  logic [511:0]               entry_instr;
  logic [Engines-1:0]         push_valid, push_ready;
  logic                       jump, ending;
  jump_t                      jump_to;
  logic                       command_error;
  logic [7:0]                 command_code;
  logic [31:0]                command_address;
  logic [Engines-1:0]         wait_valid, wait_grant, signal_valid, signal_ready, overflow, owing, issue_event;
  token_pair_t [Engines-1:0]  waits;
  tokens_t [Engines-1:0]      signals;
  logic [4:0]                 overflow_semaphore;
  tpu_report_pkg::fault_t [Engines-1:0] fault;

  assign halt = error_halt || halt_i;

  // Semaphores change only with a grant or a signal, which are events of tpu_issue and known earlier.
  assign event_o = fetch_event || decode_event || (|issue_event) || error_event;

  tpu_fetch #(.Dim(Dim), .Entries(Entries), .Chunk(Chunk), .Windows(Windows)) u_fetch (
    .clk_i, .rst_ni, .halt_i(halt), .busy_i(busy_o), .event_o(fetch_event),
    .ring_i, .tail_i, .windows_i, .ar_ready_i, .ar_o, .r_i, .r_data_i,
    .entry_valid_o(entry_valid), .entry_ready_i(entry_ready), .entry_fault_o(entry_fault),
    .entry_outside_o(entry_outside), .entry_address_o(entry_address), .entry_instr_o(entry_instr),
    .jump_i(jump), .jump_to_i(jump_to)
  );

  tpu_decode #(.Dim(Dim), .Parts(Parts)) u_decode (
    .clk_i, .rst_ni, .halt_i(halt), .event_o(decode_event), .doorbell_i, .tail_i, .ring_log2_i(ring_i.log2), .head_o,
    .entry_valid_i(entry_valid), .entry_ready_o(entry_ready), .entry_fault_i(entry_fault),
    .entry_outside_i(entry_outside), .entry_address_i(entry_address), .entry_instr_i(entry_instr),
    .push_valid_o(push_valid), .push_ready_i(push_ready), .push_index_o(commands_o),
    .jump_o(jump), .jump_to_o(jump_to),
    .clear_o, .clearing_i, .idle_i(engine_busy_o == '0), .semaphore_i(semaphore_o),
    .end_o, .busy_o, .ending_o(ending),
    .error_valid_o(command_error), .error_code_o(command_code), .error_address_o(command_address)
  );

  tpu_semaphores u_semaphores (
    .clk_i, .rst_ni,
    .wait_valid_i(wait_valid), .wait_i(waits), .wait_grant_o(wait_grant), .wait_short_o(engine_waiting_o),
    .waiting_o(waiting_semaphores_o),
    .signal_valid_i(signal_valid), .signal_ready_o(signal_ready), .signal_i(signals),
    .overflow_o(overflow), .overflow_semaphore_o(overflow_semaphore), .count_o(semaphore_o)
  );

  tpu_error_select u_error_select (
    .clk_i, .rst_ni,
    .command_valid_i(command_error), .command_code_i(command_code), .command_index_i(commands_o),
    .command_address_i(command_address),
    .fault_i(fault),
    .overflow_i(overflow), .overflow_semaphore_i(overflow_semaphore), .index_i(oldest_index_o), .owing_i(owing),
    .halt_o(error_halt), .event_o(error_event),
    .error_o
  );

  for (genvar e = 0; e < Engines; e++) begin : gen_engine
    assign fault[e] = report_i[e].fault;
    tpu_issue #(
      .SyncOpcode(tpu_pkg::SYNC_OPCODES[e]),
      .Halves(tpu_pkg::ENGINE_HALVES[e] & (e == tpu_pkg::ENGINE_MXU ? AskedHalves : '1)), .QueueDepth(QueueDepth)
    ) u_issue (
      .clk_i, .rst_ni, .halt_i(halt), .event_o(issue_event[e]), .program_i(busy_o), .ending_i(ending),
      .push_valid_i(push_valid[e]), .push_ready_o(push_ready[e]), .push_instr_i(entry_instr), .push_index_i(commands_o),
      .cmd_valid_o(cmd_valid_o[e]), .cmd_ready_i(cmd_ready_i[e]), .cmd_instr_o(cmd_instr_o[e]),
      .retire_i(report_i[e].retire), .fault_valid_i(report_i[e].fault.valid),
      .wait_valid_o(wait_valid[e]), .wait_o(waits[e]), .wait_grant_i(wait_grant[e]),
      .wait_short_i(engine_waiting_o[e]), .signal_valid_o(signal_valid[e]), .signal_ready_i(signal_ready[e]),
      .signal_o(signals[e]), .overflow_i(overflow[e]),
      .oldest_index_o(oldest_index_o[e]), .owing_o(owing[e]),
      .cause_i(report_i[e].cause), .cause_o(cause_o[e]),
      .commit_valid_o(retire_valid_o[e]), .commit_index_o(retire_index_o[e]),
      .busy_o(engine_busy_o[e]), .active_o(engine_active_o[e]), .level_o(engine_level_o[e])
    );
  end
endmodule
