// SPDX-License-Identifier: Apache-2.0
// Command queue of one engine: holds dispatched instructions, waits for semaphores, issues commands to the engine in
// order, keeps a table of the commands in flight, and signals semaphores at retirement. SYNC instructions are executed
// here: when every earlier command has committed, a SYNC takes its waits and signals in the same cycle.
//
// Latency: an instruction reaches the engine in the cycle after its dispatch, or in the cycle after the retire pulse
// that satisfied its wait. Throughput: one command per cycle. Back-pressure: push_ready_o is low while the queue is
// full; a command waits while the engine is not ready or InFlight commands are uncommitted. halt_i (an error) withdraws
// the command offered to the engine.
//
// Protocol: push_* and cmd_* are valid/ready streams; retire_i and fault_valid_i are pulses. A wait is granted in the
// cycle in which wait_valid_o is high, or tried again. Waits and signals are packed as
// {amount1, semaphore1, amount0, semaphore0}; an amount of 0 means none.
//
// Parameters: SyncOpcode (this engine's SYNC), QueueDepth and InFlight (powers of two, at least 2).
`include "tpu_assert.svh"
`include "tpu_instr.svh"
module tpu_issue #(
  parameter logic [7:0] SyncOpcode = 8'h1f,
  parameter int QueueDepth = tpu_pkg::QUEUE_DEPTH,
  parameter int InFlight = 8
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       halt_i,
  // High in every cycle whose clock edge changes a register here, except by a push, which is an event of decode.
  output logic                       event_o,
  // A program runs; only its END has not been dispatched.
  input  logic                       program_i,
  input  logic                       ending_i,
  // From decode.
  input  logic                       push_valid_i,
  output logic                       push_ready_o,
  input  logic [511:0]               push_instr_i,
  input  logic [31:0]                push_index_i,
  // To the engine, and back: retirement of the oldest command.
  output logic                       cmd_valid_o,
  input  logic                       cmd_ready_i,
  output logic [511:0]               cmd_instr_o,
  input  logic                       retire_i,
  input  logic                       fault_valid_i,
  // Semaphores: a wait is granted in the same cycle, or lacks tokens (wait_short_i), or another engine was granted.
  output logic                       wait_valid_o,
  output logic [25:0]                wait_o,
  input  logic                       wait_grant_i,
  input  logic                       wait_short_i,
  output logic                       signal_valid_o,
  output logic [25:0]                signal_o,
  // Index of the oldest command that has not committed, in flight or queued.
  output logic [31:0]                oldest_index_o,
  // Observation: cause of this cycle, and retirement in the previous cycle.
  input  logic [tpu_pkg::CAUSES-1:0] cause_i,
  output logic [tpu_pkg::CAUSES-1:0] cause_o,
  output logic                       retire_valid_o,
  output logic [31:0]                retire_index_o,
  // State: an instruction is queued or uncommitted (busy); the engine has a command or is offered one (active).
  output logic                       busy_o,
  output logic                       active_o,
  // Commands queued in [15:8], taken by the engine and uncommitted in [7:0].
  output logic [15:0]                level_o
);
  logic         head_valid, pop, sync, idle, table_ready;
  logic [31:0]  head_index, table_index;
  logic [25:0]  head_signal, table_signal;
  logic [$clog2(QueueDepth):0] queue_level;
  logic         want, granted, granted_q, no_wait, sync_done, issue;

  tpu_fifo #(.Width(544), .Depth(QueueDepth)) u_queue (
    .clk_i, .rst_ni,
    .wr_valid_i(push_valid_i), .wr_ready_o(push_ready_o), .wr_data_i({push_index_i, push_instr_i}),
    .rd_valid_o(head_valid), .rd_ready_i(pop), .rd_data_o({head_index, cmd_instr_o}),
    .level_o(queue_level)
  );

  // Fields that all instructions have.
  instr_t instr;
  logic   unused_instr;
  assign instr        = cmd_instr_o;
  assign unused_instr = ^instr;

  always_comb begin
    wait_o  = '0;
    no_wait = 1'b0;
    sync    = 1'b0;
    want    = 1'b0;
    if (head_valid) begin
      wait_o  = {instr.wait1_amount, instr.wait1_sem, instr.wait0_amount, instr.wait0_sem};
      no_wait = wait_o[12:5] == '0 && wait_o[25:18] == '0;
      sync    = instr.opcode == SyncOpcode;
      want    = !halt_i && !granted_q && (sync ? idle : table_ready);
    end
  end
  assign head_signal = {instr.signal1_amount, instr.signal1_sem, instr.signal0_amount, instr.signal0_sem};

  assign wait_valid_o = want && !no_wait;
  assign granted      = want && (no_wait || wait_grant_i);
  assign cmd_valid_o  = head_valid && !halt_i && !sync && (granted_q || granted);
  assign sync_done    = granted && sync;
  assign issue        = cmd_valid_o && cmd_ready_i;
  assign pop          = issue || sync_done;

  // A SYNC leaves the queue with its grant.
  assign event_o = granted || issue || retire_i || retire_valid_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) granted_q <= 1'b0;
    else if (granted || pop) granted_q <= !pop;
  end

  // Commands in flight.
  logic [$clog2(InFlight):0] table_level;
  logic                      unused_table_valid;
  tpu_fifo #(.Width(58), .Depth(InFlight)) u_table (
    .clk_i, .rst_ni,
    .wr_valid_i(issue), .wr_ready_o(table_ready), .wr_data_i({head_index, head_signal}),
    .rd_valid_o(unused_table_valid), .rd_ready_i(retire_i), .rd_data_o({table_index, table_signal}),
    .level_o(table_level)
  );
  assign idle           = table_level == '0;
  assign busy_o         = head_valid || !idle;
  assign active_o       = cmd_valid_o || !idle;
  assign level_o        = {8'(queue_level), 8'(table_level)};
  assign oldest_index_o = idle ? head_index : table_index;
  assign signal_valid_o = retire_i || sync_done;
  always_comb begin
    // Depends neither on the grant for a SYNC nor on the retirement, which are known late.
    signal_o = '0;
    if (!idle || sync) signal_o = idle ? head_signal : table_signal;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) retire_valid_o <= 1'b0;
    else retire_valid_o <= signal_valid_o;
    if (signal_valid_o) retire_index_o <= oldest_index_o;
  end

  // For an idle engine, the cause is the reason why it has no command.
  always_comb begin
    cause_o = cause_i;
    if (cause_i[tpu_pkg::CAUSE_IDLE] && program_i) begin
      cause_o = '0;
      if (wait_short_i) cause_o[tpu_pkg::CAUSE_SEMAPHORE] = 1'b1;
      else if (!ending_i || head_valid) cause_o[tpu_pkg::CAUSE_FETCH] = 1'b1;
      else cause_o[tpu_pkg::CAUSE_IDLE] = 1'b1;
    end
  end

  `TPU_ASSERT_WHEN(RetireHasCommand, retire_i, !idle)
  `TPU_ASSERT_WHEN(FaultHasCommand, fault_valid_i, !idle && !retire_i, ("idle %b, retire_i %b\n", idle, retire_i))
  `TPU_ASSERT(CauseIsOneHot, $onehot(cause_i), ("cause_i %b\n", cause_i))
endmodule
