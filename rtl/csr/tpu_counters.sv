// SPDX-License-Identifier: Apache-2.0
// Performance counters: cycles; per engine, cycles by cause and by semaphore; beats; padded vectors. 32 bits each,
// wrapping.
//
// Latency: a cycle is counted two cycles later. Throughput: all counters count in every cycle. Back-pressure:
// rd_ready_o; counting never stalls.
// The first cycle of a run is counted as three: the doorbell takes two cycles from the bus to this module. CYCLES thus
// counts from the handshake of the doorbell to the interrupt output, and the causes of each engine add up to it.
//
// Ports: clear_i clears the counters in its cycle. end_clear_i, high in the last cycle of a run, clears them when that
// cycle has been counted, two cycles later. run_i is high while a program runs. cause_i is one-hot per engine; the
// semaphore that engine e waits for is at semaphore_i[8*e +: 5]. read_beat_i, write_beat_i and
// padded_vector_i are pulses.
// Reading: rd_start_i with rd_ready_o requests a counter of an engine. In the next cycle, with rd_valid_i, rd_value_o
// is that counter, the present cause of the engine, and the value of cycles_o when that cause (or the wait for that
// semaphore) began. Reading has no side effects and is allowed at any time.
//
// Parameters: CauseCounters, 0 for a core that counts of all causes only WORKING; ClockGating, 0 for FPGAs.
module tpu_counters
  import tpu_csr_pkg::*;
#(
  parameter int CauseCounters = 1,
  parameter int ClockGating = 0
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         test_en_i,
  input  logic                         clear_i,
  input  logic                         end_clear_i,
  input  logic                         run_i,
  input  logic [4*tpu_pkg::CAUSES-1:0] cause_i,
  input  logic [31:0]                  semaphore_i,
  input  logic                         read_beat_i,
  input  logic                         write_beat_i,
  input  logic                         padded_vector_i,
  output count_t                       cycles_o,
  output count_t                       read_beats_o,
  output count_t                       write_beats_o,
  output count_t                       padded_vectors_o,
  // Counters and state of an engine.
  input  logic                         rd_start_i,
  output logic                         rd_ready_o,
  input  logic                         rd_valid_i,
  input  counter_address_t             rd_address_i,
  output counter_value_t               rd_value_o
);
  localparam int DoorbellCycles = 2;

  logic       run_q, run_d2_q, ended, fold, clear;
  logic [1:0] end_clear_q;
  count_t     cycles_q;

  assign cycles_o = cycles_q;
  // ended: the last cycle of the run has been counted.
  always_comb begin
    fold  = 1'b0;
    ended = 1'b0;
    if (run_q) fold = !run_d2_q || cycles_q[FoldBits-1:0] == '0;
    else ended = run_d2_q;
  end
  always_comb begin
    clear = clear_i;
    if (end_clear_q[1]) clear = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    run_q    <= rst_ni && run_i;
    run_d2_q <= run_q;
    if (run_q) cycles_q <= cycles_q + (run_d2_q ? count_t'(1) : count_t'(DoorbellCycles + 1));
    if (read_beat_i) read_beats_o <= read_beats_o + 1'b1;
    if (write_beat_i) write_beats_o <= write_beats_o + 1'b1;
    if (padded_vector_i) padded_vectors_o <= padded_vectors_o + 1'b1;
    if (end_clear_i || end_clear_q != '0) end_clear_q <= {end_clear_q[0], end_clear_i};
    if (!rst_ni || clear) begin
      cycles_q         <= '0;
      read_beats_o     <= '0;
      write_beats_o    <= '0;
      padded_vectors_o <= '0;
      if (!rst_ni) end_clear_q <= '0;
    end
  end

  if (CauseCounters != 0) begin : gen_causes
    logic causes_clk, causes_event;
    tpu_clock_gate #(.Gated(ClockGating), .Linger(0)) u_causes_clock (
      .clk_i, .rst_ni, .test_en_i, .en_i(causes_event), .wake_i(1'b0), .clk_o(causes_clk)
    );
    tpu_cause_counters u_causes (
      .clk_i(causes_clk), .rst_ni, .event_o(causes_event), .clear_i(clear), .run_i, .ended_i(ended), .fold_i(fold),
      .cycles_i(cycles_q),
      .cause_i, .semaphore_i, .rd_start_i, .rd_ready_o, .rd_valid_i, .rd_address_i, .rd_value_o
    );
  end else begin : gen_working
    logic unused_causes;
    assign unused_causes = ^{ended, fold, semaphore_i, test_en_i};
    tpu_working_counters u_working (
      .clk_i, .rst_ni, .clear_i(clear), .run_i(run_q), .step_i(run_d2_q ? 2'd1 : 2'(DoorbellCycles + 1)), .cause_i,
      .rd_start_i, .rd_ready_o, .rd_valid_i, .rd_address_i, .rd_value_o
    );
  end
endmodule
