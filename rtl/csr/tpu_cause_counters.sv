// SPDX-License-Identifier: Apache-2.0
// Performance counters of the four engines: cycles per cause, and within the cause SEMAPHORE per semaphore. 32 bits,
// wrapping.
//
// The counters of an engine are in a RAM. A counter is read when its cause begins, and written when its cause ends,
// increased by the cycles in between. Causes may change in every cycle, because a word is never read in the cycle in
// which it is written. A second RAM with the same contents is read by software at any time, so that reading does not
// disturb counting.
//
// What was counted since the cause began is the difference of two counts of cycles. Of these only the low bits are
// compared: every 2^FoldBits cycles the difference is added to a register beside the RAM, and begins at zero again.
//
// Latency: a cycle is counted in the second cycle after it, because causes are registered first; a counter requested
// with rd_start_i is in rd_value_o in the next cycle.
// Throughput: one change of cause per engine and one read per cycle. Back-pressure: none, never stalls. A cycle without
// a change costs a simulation two tests.
//
// Ports: cycles_i is the number of cycles counted so far, without that before this one; fold_i is high in one cycle of
// 2^FoldBits. cause_i is one-hot for each engine; the semaphore that engine e waits for is at semaphore_i[8*e +: 5].
// run_i tells, one cycle later than they, whether they count. ended_i is high for one cycle after a run, when all its
// cycles have been counted. clear_i clears all counters.
// rd_valid_i is high in the cycle after rd_start_i, with the same address.
//
// Parameters: none.
`include "tpu_assert.svh"
module tpu_cause_counters
  import tpu_csr_pkg::*;
(
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         clear_i,
  input  logic                         run_i,
  input  logic                         ended_i,
  input  logic                         fold_i,
  input  count_t                       cycles_i,
  input  logic [4*tpu_pkg::CAUSES-1:0] cause_i,
  input  logic [31:0]                  semaphore_i,
  input  logic                         rd_start_i,
  input  logic                         rd_valid_i,
  input  counter_address_t             rd_address_i,
  output counter_value_t               rd_value_o
);
  `TPU_ASSERT_INIT(EnginesAreThose, Engines == tpu_pkg::ENGINES)

  localparam int Causes = tpu_pkg::CAUSES;
  localparam int Waiting = tpu_pkg::CAUSE_SEMAPHORE;
  localparam int Counters = 32 + Causes;
  localparam int Depth = 64;  // of the RAMs, by the numbers of counters

  // Cycles from one fold to the next: 2^FoldBits, or two more where a run begins, whose first cycle counts as three.
  typedef logic [FoldBits:0] elapsed_t;

  // Causes of the previous cycle, and of the last cycle that was counted.
  logic [Engines-1:0][Causes-1:0] cause_q, counted_cause_q;
  logic [Engines-1:0][4:0]        semaphore_q, counted_semaphore_q;

  // For each engine, of the counter of its present cause:
  count_t   [Engines-1:0] since_q;  // cycles when the cause began
  elapsed_t [Engines-1:0] mark_q;   // low bits of the cycles when it began, or of the last fold
  count_t   [Engines-1:0] base_q;   // count up to the mark, if `based_q`; otherwise it is in `stored`
  logic     [Engines-1:0] based_q;
  count_t   [Engines-1:0] waits_q;  // cycles of the cause SEMAPHORE up to the mark, because the RAM has its parts
  logic [Engines-1:0][Depth-1:0] written_q;  // counters that were written since they were cleared

  // Number of the cause in a one-hot vector.
  function automatic logic [3:0] number_of(input logic [Causes-1:0] cause);
    number_of = '0;
    for (int c = 0; c < Causes; c++) if (cause[c]) number_of |= 4'(c);
  endfunction
  function automatic counter_number_t counter_of(input logic [Causes-1:0] cause, input logic [4:0] awaited);
    return cause[Waiting] ? {1'b0, awaited} : {2'b10, number_of(cause)};
  endfunction

  // -------------------------------------------------------------------------------------------------------- changes
  logic [Engines-1:0][Causes-1:0] cause_difference;
  logic [Engines-1:0][4:0]        semaphore_difference;
  logic                           moved;
  logic [Engines-1:0]             change, written;
  counter_number_t [Engines-1:0]  counted, next;  // counters of the causes that end and begin
  elapsed_t [Engines-1:0]         elapsed;
  count_t [Engines-1:0]           stored, total, waits;

  assign cause_difference     = cause_q ^ counted_cause_q;
  assign semaphore_difference = semaphore_q ^ counted_semaphore_q;
  assign moved                = run_i && (cause_difference != '0 || semaphore_difference != '0);

  always_comb begin
    change  = '0;
    next    = 'x;
    written = 'x;
    if (moved) begin
      for (int e = 0; e < Engines; e++) begin
        // The semaphore of an engine that does not wait for it may change.
        change[e]  = cause_difference[e] != '0 || (cause_q[e][Waiting] && semaphore_difference[e] != '0);
        next[e]    = counter_of(cause_q[e], semaphore_q[e]);
        written[e] = written_q[e][next[e]];
      end
    end
  end

  always_comb begin
    counted = 'x;
    elapsed = 'x;
    total   = 'x;
    waits   = 'x;
    if (moved || fold_i || rd_start_i) begin
      for (int e = 0; e < Engines; e++) begin
        counted[e] = counter_of(counted_cause_q[e], counted_semaphore_q[e]);
        elapsed[e] = elapsed_t'(cycles_i) - mark_q[e];
        total[e]   = (based_q[e] ? base_q[e] : stored[e]) + count_t'(elapsed[e]);
        waits[e]   = waits_q[e] + (counted_cause_q[e][Waiting] ? count_t'(elapsed[e]) : '0);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int e = 0; e < Engines; e++) begin
      cause_q[e]     <= cause_i[Causes*e +: Causes];
      semaphore_q[e] <= semaphore_i[8*e +: 5];
    end
    if (!rst_ni) begin
      for (int e = 0; e < Engines; e++) counted_cause_q[e] <= Causes'(1) << tpu_pkg::CAUSE_IDLE;
      counted_semaphore_q <= '0;
    end else if (moved) begin
      counted_cause_q     <= cause_q;
      counted_semaphore_q <= semaphore_q;
    end

    if (moved || fold_i) begin
      for (int e = 0; e < Engines; e++) begin
        if (change[e] || fold_i) begin
          mark_q[e]  <= elapsed_t'(cycles_i);
          waits_q[e] <= waits[e];
          base_q[e]  <= change[e] ? '0 : total[e];
          based_q[e] <= !change[e] || !written[e];
        end
        if (change[e]) begin
          since_q[e]   <= cycles_i;
          // In bytes, because a decoder of all bits is twice as large.
          for (int i = 0; i < Counters; i += 8) begin
            if (counted[e][5:3] == 3'(i / 8)) written_q[e][i +: 8] <= written_q[e][i +: 8] | 8'd1 << counted[e][2:0];
          end
        end
      end
    end
    if (!rst_ni || clear_i) begin
      since_q   <= '0;
      mark_q    <= '0;
      base_q    <= '0;
      based_q   <= '1;
      waits_q   <= '0;
      written_q <= '0;
    end
  end

  // -------------------------------------------------------------------------------------------------------- reading
  // A counter that is not in the RAM: that of the present cause, or the cause SEMAPHORE.
  logic               rd_live_q, rd_stored_q;
  count_t             rd_count_q;
  count_t [Engines-1:0] rd_stored;

  always_ff @(posedge clk_i) begin
    if (rd_start_i) begin
      rd_stored_q <= written_q[rd_address_i.engine][rd_address_i.number];
      if (rd_address_i.number == counter_number_t'(32 + Waiting)) begin
        rd_live_q  <= 1'b1;
        rd_count_q <= waits[rd_address_i.engine];
      end else begin
        rd_live_q  <= rd_address_i.number == counted[rd_address_i.engine];
        rd_count_q <= total[rd_address_i.engine];
      end
    end
  end

  always_comb begin
    rd_value_o = 'x;
    if (rd_valid_i) begin
      rd_value_o.count = '0;
      if (rd_live_q) rd_value_o.count = rd_count_q;
      else if (rd_stored_q) rd_value_o.count = rd_stored[rd_address_i.engine];
      rd_value_o.cause = number_of(counted_cause_q[rd_address_i.engine]);
      rd_value_o.since = since_q[rd_address_i.engine];
    end
  end

  for (genvar e = 0; e < Engines; e++) begin : gen_engine
    tpu_ram #(.Width(32), .Depth(Depth)) u_update (
      .clk_i,
      .rd_en_i(change[e]), .rd_addr_i(next[e]), .rd_data_o(stored[e]),
      .wr_en_i(change[e]), .wr_addr_i(counted[e]), .wr_data_i(total[e]), .wr_mask_i(1'b1)
    );
    tpu_ram #(.Width(32), .Depth(Depth)) u_read (
      .clk_i,
      .rd_en_i(rd_start_i), .rd_addr_i(rd_address_i.number), .rd_data_o(rd_stored[e]),
      .wr_en_i(change[e]), .wr_addr_i(counted[e]), .wr_data_i(total[e]), .wr_mask_i(1'b1)
    );
  end

`ifndef SYNTHESIS
  // Checked after every run: the counters in the RAMs add up to the cycles before the present cause began.
  for (genvar e = 0; e < Engines; e++) begin : gen_check
    logic   balanced;
    count_t all, semaphores, ended_waits;
    always_comb begin
      balanced    = 1'b1;
      all         = '0;
      semaphores  = '0;
      ended_waits = '0;
      if (ended_i) begin
        for (int i = 0; i < Counters; i++) begin
          if (written_q[e][i]) begin
            all = all + gen_engine[e].u_read.mem[i];
            if (i < tpu_pkg::SEMAPHORES) semaphores = semaphores + gen_engine[e].u_read.mem[i];
          end
        end
        // Cycles folded so far of a wait that has not ended.
        ended_waits = waits_q[e];
        if (counted_cause_q[e][Waiting]) begin
          ended_waits = ended_waits - (cycles_i - since_q[e]) + count_t'(elapsed_t'(elapsed_t'(cycles_i) - mark_q[e]));
        end
        balanced = all == since_q[e] && semaphores == ended_waits;
      end
    end
    `TPU_ASSERT_WHEN(CausesAddUpToCycles, ended_i, balanced,
                     ("engine %0d: causes %0d of %0d cycles, semaphores %0d of %0d\n", e, all, since_q[e], semaphores,
                      ended_waits))
    `TPU_ASSERT_WHEN(CauseIsOneHot, moved, $onehot(cause_q[e]), ("engine %0d: %b\n", e, cause_q[e]))
  end
`endif
endmodule
