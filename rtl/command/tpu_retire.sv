// SPDX-License-Identifier: Apache-2.0
// Commands in flight of one engine: a table in order of issue, and the signals of those that have retired. The
// semaphores take one signal at a time, so a command commits one cycle after its engine retired it for each cycle that
// its signals wait.
//
// Latency: none from the retire pulse to the first signal; commit_valid_o follows the last signal by one cycle.
// Throughput: one command per cycle, one signal per cycle. Back-pressure: ready_o is low while InFlight commands are
// uncommitted; retire_i never waits, because retired commands stay in the table until their signals have been taken.
//
// Protocol: push_* and signal_* are valid/ready streams, retire_i is a pulse. push_retired_i is high as a SYNC enters,
// which retires at once: an input of its own, because other commands enter late in the cycle. overflow_i means that
// the signal offered in the previous cycle was refused: its command commits without further signals.
//
// Parameters: InFlight (power of two, at least 2).
`include "tpu_assert.svh"
module tpu_retire
  import tpu_command_pkg::*;
#(
  parameter int InFlight = 8
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  // High in every cycle whose clock edge changes a register here, except by a push.
  output logic                      event_o,
  // Commands that the engine takes.
  input  logic                      push_valid_i,
  output logic                      push_ready_o,
  input  logic [31:0]               push_index_i,
  input  token_pair_t               push_signals_i,
  input  logic                      push_retired_i,
  // From the engine.
  input  logic                      retire_i,
  // To the semaphores.
  output logic                      signal_valid_o,
  input  logic                      signal_ready_i,
  output tokens_t                   signal_o,
  input  logic                      overflow_i,
  // The oldest uncommitted command; whether it has retired and its signals were not all taken when the cycle began.
  output logic [31:0]               index_o,
  output logic                      owing_o,
  // Number of uncommitted commands.
  output logic [$clog2(InFlight):0] level_o,
  // Observation: a command committed in the previous cycle.
  output logic                      commit_valid_o,
  output logic [31:0]               commit_index_o
);
  logic                      valid, retired, some, last, taken, commit, second_q;
  logic [$clog2(InFlight):0] retired_q;
  token_pair_t               signals;

  tpu_fifo #(.Width(32 + $bits(token_pair_t)), .Depth(InFlight)) u_table (
    .clk_i, .rst_ni,
    .wr_valid_i(push_valid_i), .wr_ready_o(push_ready_o), .wr_data_i({push_index_i, push_signals_i}),
    .rd_valid_o(valid), .rd_ready_i(commit), .rd_data_o({index_o, signals}),
    .level_o
  );

  // Signal 0 first; second_q: it was taken.
  assign owing_o        = retired_q != '0;
  assign retired        = owing_o || retire_i;
  assign some           = signals[0].amount != '0 || signals[1].amount != '0;
  assign last           = second_q || signals[0].amount == '0 || signals[1].amount == '0;
  assign signal_o       = second_q || signals[0].amount == '0 ? signals[1] : signals[0];

  // In a process of its own, a simulator looks at it only when this clock or that of the engine ran.
  always_comb begin
    event_o = retired;
    if (commit_valid_o) event_o = 1'b1;
  end

  // Without a retired command a simulation tests nothing more. One whose signal was refused is still owing.
  always_comb begin
    signal_valid_o = 1'b0;
    if (retired) signal_valid_o = some;
  end
  always_comb begin
    taken  = 1'b0;
    commit = 1'b0;
    if (retired) begin
      taken  = signal_ready_i;
      commit = overflow_i || !some || (signal_ready_i && last);
    end
  end

  // Retired commands whose signals were not all taken.
  always_ff @(posedge clk_i) begin
    logic more;
    more = retire_i || push_retired_i;
    if (!rst_ni) begin
      retired_q <= '0;
      second_q  <= 1'b0;
    end else if (retired || more) begin
      if (more != commit) retired_q <= more ? retired_q + 1'b1 : retired_q - 1'b1;
      second_q <= !commit && (second_q || taken);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) commit_valid_o <= 1'b0;
    else commit_valid_o <= commit;
    if (commit) commit_index_o <= index_o;
  end

  `TPU_ASSERT_WHEN(SyncIsPushed, push_retired_i, push_valid_i)
  `TPU_ASSERT_WHEN(RetireHasCommand, retire_i, level_o > retired_q,
                   ("level_o %0d, retired_q %0d\n", level_o, retired_q))
  `TPU_ASSERT_WHEN(OverflowHasCommand, overflow_i, valid && owing_o)
endmodule
