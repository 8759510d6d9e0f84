// SPDX-License-Identifier: Apache-2.0
// Command queue of one engine: holds dispatched instructions in a RAM, waits for semaphores, issues commands to the
// engine in order, and signals semaphores when they have retired (tpu_retire). SYNC instructions are executed here:
// when every earlier command has committed, a SYNC takes its waits and retires.
//
// Latency: an instruction reaches the engine two cycles after its dispatch, or in the cycle after the retire pulse that
// satisfied its wait. A SYNC passes a signal on in two cycles. Throughput: one command per cycle. Back-pressure:
// push_ready_o is low while the queue is full; a command waits while the engine is not ready or InFlight commands are
// uncommitted. halt_i (an error) withdraws the command offered to the engine.
//
// Protocol: push_* and cmd_* are valid/ready streams; retire_i and fault_valid_i are pulses. A wait is granted in the
// cycle in which wait_valid_o is high, or tried again. overflow_i: the signal of the previous cycle was refused.
//
// Parameters: SyncOpcode (this engine's SYNC), Halves (bit h is set if an instruction of this engine uses its half
// word h; the others are not stored and 0 in cmd_instr_o, and of waits and signals only the bits that mean something
// are stored), QueueDepth and InFlight (powers of two, QueueDepth at least 4, InFlight at least 2).
`include "tpu_assert.svh"
`include "tpu_instr.svh"
module tpu_issue
  import tpu_command_pkg::*;
#(
  parameter logic [7:0] SyncOpcode = 8'h1f,
  parameter logic [31:0] Halves = '1,
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
  output token_pair_t                wait_o,
  input  logic                       wait_grant_i,
  input  logic                       wait_short_i,
  output logic                       signal_valid_o,
  input  logic                       signal_ready_i,
  output tokens_t                    signal_o,
  input  logic                       overflow_i,
  // The oldest command that has not committed, in flight or queued; owing_o: it has retired.
  output logic [31:0]                oldest_index_o,
  output logic                       owing_o,
  // Observation: cause of this cycle, and the command that committed in the previous cycle.
  input  logic [tpu_pkg::CAUSES-1:0] cause_i,
  output logic [tpu_pkg::CAUSES-1:0] cause_o,
  output logic                       commit_valid_o,
  output logic [31:0]                commit_index_o,
  // State: an instruction is queued or uncommitted (busy); the engine has a command or is offered one (active).
  output logic                       busy_o,
  output logic                       active_o,
  // Commands queued in [15:8], taken by the engine and uncommitted in [7:0].
  output logic [15:0]                level_o
);
  // Half words 2 to 5 are the waits and signals.
  localparam logic [31:0] Fields = Halves & ~32'h3c;
  localparam int Stored = $countones(Fields);

  logic                        head_valid, pop, filling;
  logic [31:0]                 head_index, table_index;
  logic [31:0][15:0]           push_halves, head_halves;
  logic [Stored-1:0][15:0]     push_fields, head_fields;
  tokens_t [3:0]               push_tokens, head_tokens; // waits, then signals
  instr_t                      instr;
  logic [$clog2(QueueDepth):0] queue_level;
  logic [$clog2(InFlight):0]   table_level;
  logic                        table_ready, retire_event, idle;
  logic                        sync, want, granted, granted_q, no_wait, issue, passed;

  logic unused_instr;
  assign push_halves  = push_instr_i;
  assign cmd_instr_o  = head_halves;
  assign instr        = cmd_instr_o;
  assign unused_instr = ^instr;
  for (genvar h = 0; h < 32; h++) begin : gen_half
    if (Fields[h]) begin : gen_stored
      localparam int At = $countones(Fields & ((32'd1 << h) - 32'd1));
      assign push_fields[At] = push_halves[h];
      assign head_halves[h]  = head_fields[At];
    end else if (h >= 2 && h < 6) begin : gen_tokens
      logic [2:0] unused_bits; // 0 in every legal instruction
      assign {push_tokens[h-2].amount, unused_bits, push_tokens[h-2].sem} = push_halves[h];
      assign head_halves[h] = {head_tokens[h-2].amount, 3'd0, head_tokens[h-2].sem};
    end else begin : gen_zero
      logic unused_half;
      assign unused_half    = ^push_halves[h];
      assign head_halves[h] = '0;
    end
  end

  tpu_fifo_ram #(.Width(32 + 4 * $bits(tokens_t) + 16 * Stored), .Depth(QueueDepth)) u_queue (
    .clk_i, .rst_ni,
    .wr_valid_i(push_valid_i), .wr_ready_o(push_ready_o), .wr_data_i({push_index_i, push_tokens, push_fields}),
    .rd_valid_o(head_valid), .rd_ready_i(pop), .rd_data_o({head_index, head_tokens, head_fields}),
    .level_o(queue_level)
  );
  assign filling = !head_valid && queue_level != '0;

  always_comb begin
    wait_o  = '0;
    no_wait = 1'b0;
    sync    = 1'b0;
    want    = 1'b0;
    if (head_valid) begin
      wait_o  = head_tokens[1:0];
      no_wait = wait_o[0].amount == '0 && wait_o[1].amount == '0;
      sync    = instr.opcode == SyncOpcode;
      want    = !halt_i && !granted_q && (sync ? idle : table_ready);
    end
  end

  assign wait_valid_o = want && !no_wait;
  // A grant, known late, is of a wait that is wanted.
  assign granted      = (want && no_wait) || wait_grant_i;
  assign cmd_valid_o  = head_valid && !halt_i && !sync && (granted_q || granted);
  assign issue        = cmd_valid_o && cmd_ready_i;
  // A SYNC leaves the queue with its grant.
  assign passed       = granted && sync;
  assign pop          = issue || passed;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) granted_q <= 1'b0;
    else if (granted || pop) granted_q <= !pop;
  end

  tpu_retire #(.InFlight(InFlight)) u_retire (
    .clk_i, .rst_ni, .event_o(retire_event),
    .push_valid_i(pop), .push_ready_o(table_ready), .push_index_i(head_index), .push_signals_i(head_tokens[3:2]),
    .push_retired_i(passed), .retire_i,
    .signal_valid_o, .signal_ready_i, .signal_o, .overflow_i,
    .index_o(table_index), .owing_o, .level_o(table_level),
    .commit_valid_o, .commit_index_o
  );

  assign idle           = table_level == '0;
  assign busy_o         = queue_level != '0 || !idle;
  assign active_o       = cmd_valid_o || !idle;
  assign level_o        = {8'(queue_level), 8'(table_level)};
  assign oldest_index_o = idle ? head_index : table_index;

  // In processes of their own, a simulator looks at what depends on this clock alone only when it ran.
  logic own_event;
  always_comb begin
    own_event = granted;
    if (filling) own_event = 1'b1;
  end
  always_comb begin
    event_o = own_event;
    if (issue || retire_event) event_o = 1'b1;
  end

  // For an idle engine, the cause is the reason why it has no command.
  always_comb begin
    cause_o = cause_i;
    if (cause_i[tpu_pkg::CAUSE_IDLE] && program_i) begin
      cause_o = '0;
      if (wait_short_i) cause_o[tpu_pkg::CAUSE_SEMAPHORE] = 1'b1;
      else if (!ending_i || queue_level != '0) cause_o[tpu_pkg::CAUSE_FETCH] = 1'b1;
      else cause_o[tpu_pkg::CAUSE_IDLE] = 1'b1;
    end
  end

  `TPU_ASSERT_WHEN(FaultHasCommand, fault_valid_i, !idle && !retire_i, ("idle %b, retire_i %b\n", idle, retire_i))
  `TPU_ASSERT(CauseIsOneHot, $onehot(cause_i), ("cause_i %b\n", cause_i))
endmodule
