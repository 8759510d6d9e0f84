// SPDX-License-Identifier: Apache-2.0
// Performance counters of a core without cause counters: of each of the four engines the cycles of the cause WORKING.
// 32 bits, wrapping. It stands where tpu_cause_counters stands in other cores, and counts WORKING as that does.
//
// Latency: a cycle is counted in the second cycle after it, because causes are registered first; a counter requested
// with rd_start_i is in rd_value_o in the next cycle. Throughput: every counter counts in every cycle, one read per
// cycle. Back-pressure: none, never stalls: rd_ready_o answers rd_start_i.
//
// Ports: cause_i is one-hot for each engine; run_i tells, one cycle later, whether it counts, and step_i as how many
// cycles. clear_i clears all counters. rd_valid_i is high in the cycle after rd_start_i, with the same address. Other
// counters than those of WORKING read as zero, and so does the cycle when the present cause began.
//
// Parameters: none.
module tpu_working_counters
  import tpu_csr_pkg::*;
(
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         clear_i,
  input  logic                         run_i,
  input  logic [1:0]                   step_i,
  input  logic [4*tpu_pkg::CAUSES-1:0] cause_i,
  input  logic                         rd_start_i,
  output logic                         rd_ready_o,
  input  logic                         rd_valid_i,
  input  counter_address_t             rd_address_i,
  output counter_value_t               rd_value_o
);
  localparam int Causes = tpu_pkg::CAUSES;
  localparam int Working = tpu_pkg::CAUSE_WORKING;

  // Causes of the previous cycle, and of the last cycle that was counted.
  logic [Engines-1:0][Causes-1:0] cause_q, counted_cause_q;
  count_t [Engines-1:0]           working_q;
  count_t                         rd_count_q;

  assign rd_ready_o = rd_start_i;

  always_ff @(posedge clk_i) begin
    cause_q <= cause_i;
    if (!rst_ni) begin
      for (int e = 0; e < Engines; e++) counted_cause_q[e] <= Causes'(1) << tpu_pkg::CAUSE_IDLE;
    end else if (run_i) begin
      counted_cause_q <= cause_q;
    end
    if (!rst_ni || clear_i) begin
      working_q <= '0;
    end else if (run_i) begin
      for (int e = 0; e < Engines; e++) begin
        if (cause_q[e][Working]) working_q[e] <= working_q[e] + count_t'(step_i);
      end
    end
    if (rd_start_i) begin
      rd_count_q <= '0;
      if (rd_address_i.number == counter_number_t'(32 + Working)) rd_count_q <= working_q[rd_address_i.engine];
    end
  end

  always_comb begin
    rd_value_o = 'x;
    if (rd_valid_i) begin
      rd_value_o = '{count: rd_count_q, cause: '0, since: '0};
      for (int c = 0; c < Causes; c++) begin
        if (counted_cause_q[rd_address_i.engine][c]) rd_value_o.cause = rd_value_o.cause | 4'(c);
      end
    end
  end
endmodule
