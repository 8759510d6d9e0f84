// SPDX-License-Identifier: Apache-2.0
// Performance counters of the four engines: cycles per cause, and within the cause SEMAPHORE per semaphore. 32 bits,
// wrapping.
//
// The counters of an engine are in a RAM. When a cause ends, its counter is read, and written in the next cycle,
// increased by the cycles of the cause. Causes may change in every cycle. So that few bits have to be compared and
// added, the cycles are added every 2^FoldBits cycles, too, as if the cause ended and began again.
//
// Software reads the same RAM and goes first. An addition of that engine in that cycle is late: it waits for a cycle in
// which nothing of the engine is added, or for the end of the same cause. One addition can be late; while it is, and
// while the counter that is asked for is written, software waits.
//
// Latency: a cycle is counted in the second cycle after it, because causes are registered first; a counter requested
// with rd_start_i and rd_ready_o is in rd_value_o in the next cycle.
// Throughput: one change of cause per engine and cycle. Back-pressure: rd_ready_o; counting never stalls.
//
// Ports: event_o is high in every cycle whose clock edge changes a register here; clk_i may rest in the others, which
// are most. What is read in every cycle, cycles_i above all, is read by clocked processes alone, so that a simulation
// rests with the clock. cycles_i is the number of cycles counted so far, without that before this one; fold_i is high
// in one cycle of 2^FoldBits and in the first one of a run. cause_i is one-hot for each engine; the semaphore that
// engine e waits for is at semaphore_i[8*e +: 5]. run_i tells whether they count. ended_i is high for one cycle after a
// run, when all its cycles have been counted. clear_i clears all counters.
// rd_valid_i is high in the cycle after a request was taken, with the same address.
//
// Parameters: none.
`include "tpu_assert.svh"
module tpu_cause_counters
  import tpu_csr_pkg::*;
(
  input  logic                         clk_i,
  input  logic                         rst_ni,
  output logic                         event_o,
  input  logic                         clear_i,
  input  logic                         run_i,
  input  logic                         ended_i,
  input  logic                         fold_i,
  input  count_t                       cycles_i,
  input  logic [4*tpu_pkg::CAUSES-1:0] cause_i,
  input  logic [31:0]                  semaphore_i,
  input  logic                         rd_start_i,
  output logic                         rd_ready_o,
  input  logic                         rd_valid_i,
  input  counter_address_t             rd_address_i,
  output counter_value_t               rd_value_o
);
  `TPU_ASSERT_INIT(EnginesAreThose, Engines == tpu_pkg::ENGINES)

  localparam int Causes = tpu_pkg::CAUSES;
  localparam int Waiting = tpu_pkg::CAUSE_SEMAPHORE;
  localparam int Counters = 32 + Causes;
  localparam int Depth = 64;  // of the RAMs, by the numbers of counters

  // Cycles from one fold to the next: at most 2^FoldBits and the three that the first cycle of a run counts as.
  typedef logic [FoldBits:0] elapsed_t;
  // Two or three of them: a counter may be increased again in the cycle in which it is written.
  typedef logic [FoldBits+1:0] sum_t;
  typedef struct packed {
    counter_number_t number;
    sum_t            cycles;
  } addition_t;

  // Causes of the previous cycle, which run_q counts, and of the last cycle that was counted.
  logic                           run_q, fold_q;
  logic [Engines-1:0][Causes-1:0] cause_q, counted_cause_q;
  logic [Engines-1:0][7:0]        semaphore_q, counted_semaphore_q;

  // For each engine, of its present cause:
  count_t   [Engines-1:0] since_q;  // cycles when it began
  elapsed_t [Engines-1:0] mark_q;   // low bits of the cycles when it began, or of the last fold
  // For each engine: cycles of the cause SEMAPHORE up to the mark, because the RAM has its parts; counters that were
  // written since they were cleared.
  count_t   [Engines-1:0]        waits_q;
  logic [Engines-1:0][Depth-1:0] written_q;

  // For each engine: the addition whose counter was read in the last cycle; the counter was cleared; it is written.
  addition_t [Engines-1:0] add_q;
  logic [Engines-1:0]      fresh_q, write_q;

  // The addition that is late, and its engine, one-hot.
  addition_t          late_q;
  logic [Engines-1:0] late_engine_q;
  logic               busy_q;  // a counter is written, or an addition is late

  // Number of the cause in a one-hot vector.
  function automatic logic [3:0] number_of(input logic [Causes-1:0] cause);
    number_of = '0;
    for (int c = 0; c < Causes; c++) if (cause[c]) number_of |= 4'(c);
  endfunction
  function automatic counter_number_t counter_of(input logic [Causes-1:0] cause, input logic [4:0] awaited);
    return cause[Waiting] ? {1'b0, awaited} : {2'b10, number_of(cause)};
  endfunction

  // ------------------------------------------------------------------------------------------------------ additions
  logic                          moved, work, start;
  logic [Engines-1:0]            change, ends, taken, again, rd_en, read, late, written;
  counter_number_t [Engines-1:0] own, next;  // of the present cause; that is read
  count_t                        total [Engines], stored [Engines];

  // Processes of their own, which a simulation runs after an edge of this clock alone.
  always_comb begin
    moved = 1'b0;
    if (run_q) moved = cause_q != counted_cause_q || semaphore_q != counted_semaphore_q;
  end
  always_comb begin
    work = moved;
    if (fold_q || busy_q || rd_start_i) work = 1'b1;
  end
  assign event_o = work || fold_i || clear_i || ended_i || run_i != run_q || cause_i != cause_q
                || (semaphore_i & {Engines{8'h1f}}) != semaphore_q;

  assign rd_ready_o = start;
  always_comb begin
    start = 1'b0;
    if (rd_start_i) begin
      start = late_engine_q == '0
           && !(write_q[rd_address_i.engine] && add_q[rd_address_i.engine].number == rd_address_i.number);
    end
  end

  always_comb begin
    change  = '0;
    ends    = '0;
    taken   = '0;
    again   = '0;
    rd_en   = '0;
    read    = '0;
    late    = '0;
    written = 'x;
    own     = 'x;
    next    = 'x;
    if (work) begin
      for (int e = 0; e < Engines; e++) begin
        // The semaphore of an engine that does not wait for it may change.
        change[e] = moved && (cause_q[e] != counted_cause_q[e]
                              || (cause_q[e][Waiting] && semaphore_q[e] != counted_semaphore_q[e]));
        ends[e]  = change[e] || fold_q;
        taken[e] = start && rd_address_i.engine == 2'(e);
        own[e]   = counter_of(counted_cause_q[e], counted_semaphore_q[e][4:0]);
        next[e]  = own[e];
        if (taken[e]) begin
          next[e] = rd_address_i.number;
        end else if (late_engine_q[e]) begin
          late[e] = !ends[e] || own[e] == late_q.number;
          if (!ends[e]) next[e] = late_q.number;
        end
        rd_en[e]   = ends[e] || taken[e] || late[e];
        // The RAM's output and what is added to it stay, if the counter is the one that is written.
        again[e]   = rd_en[e] && write_q[e] && next[e] == add_q[e].number;
        read[e]    = rd_en[e] && !again[e];
        written[e] = written_q[e][next[e]];
      end
    end
  end

  always_comb begin
    total = '{default: 'x};
    if (busy_q || rd_valid_i) begin
      for (int e = 0; e < Engines; e++) total[e] = (fresh_q[e] ? '0 : stored[e]) + count_t'(add_q[e].cycles);
    end
  end

  // A task, because a simulator then runs it only in a cycle with work.
  logic   rd_wait_q;
  count_t rd_waits_q;
  task automatic count(input int e);
    count_t   waits;
    elapsed_t elapsed;
    sum_t     cycles;  // to be added
    elapsed = elapsed_t'(cycles_i) - mark_q[e];
    waits   = waits_q[e] + (counted_cause_q[e][Waiting] ? count_t'(elapsed) : '0);
    cycles  = sum_t'(elapsed);
    if (taken[e]) begin
      if (own[e] != rd_address_i.number) cycles = '0;
    end else if (late_engine_q[e]) begin
      if (!ends[e]) cycles = late_q.cycles;
      else if (late[e]) cycles = sum_t'(elapsed) + late_q.cycles;
    end
    if (ends[e]) begin
      mark_q[e]  <= elapsed_t'(cycles_i);
      waits_q[e] <= waits;
    end
    if (change[e]) since_q[e] <= cycles_i;
    write_q[e] <= rd_en[e] && !taken[e];
    if (rd_en[e]) begin
      add_q[e] <= '{number: next[e], cycles: cycles};
      if (again[e]) add_q[e].cycles <= add_q[e].cycles + cycles;
      else fresh_q[e] <= !written[e];
    end
    // In bytes, because a decoder of all bits is twice as large.
    for (int i = 0; i < Counters; i += 8) begin
      if (rd_en[e] && !taken[e] && next[e][5:3] == 3'(i / 8)) begin
        written_q[e][i +: 8] <= written_q[e][i +: 8] | 8'd1 << next[e][2:0];
      end
    end
    // A read by software delays the addition of its engine.
    if (taken[e]) begin
      rd_waits_q <= waits;
      if (ends[e]) late_q <= '{number: own[e], cycles: sum_t'(elapsed)};
    end
  endtask

  always_ff @(posedge clk_i) begin
    cause_q     <= cause_i;
    semaphore_q <= semaphore_i & {Engines{8'h1f}};
    run_q       <= rst_ni && run_i;
    fold_q      <= fold_i && !clear_i;
    if (!rst_ni) begin
      for (int e = 0; e < Engines; e++) counted_cause_q[e] <= Causes'(1) << tpu_pkg::CAUSE_IDLE;
      counted_semaphore_q <= '0;
    end else if (moved) begin
      counted_cause_q     <= cause_q;
      counted_semaphore_q <= semaphore_q;
    end

    if (work) begin
      for (int e = 0; e < Engines; e++) count(e);
      if (late != '0) late_engine_q <= '0;
      if ((ends & taken) != '0) late_engine_q <= taken;
      busy_q    <= rd_en != '0 || late_engine_q != '0;
      rd_wait_q <= rd_address_i.number == counter_number_t'(32 + Waiting);
    end
    if (!rst_ni || clear_i) begin
      since_q       <= '0;
      mark_q        <= '0;
      waits_q       <= '0;
      written_q     <= '0;
      write_q       <= '0;
      busy_q        <= 1'b0;
      late_engine_q <= '0;
    end
  end

  always_comb begin
    rd_value_o = 'x;
    if (rd_valid_i) begin
      rd_value_o.count = rd_wait_q ? rd_waits_q : total[rd_address_i.engine];
      rd_value_o.cause = number_of(counted_cause_q[rd_address_i.engine]);
      rd_value_o.since = since_q[rd_address_i.engine];
    end
  end

  for (genvar e = 0; e < Engines; e++) begin : gen_engine
    tpu_ram #(.Width(32), .Depth(Depth)) u_counts (
      .clk_i,
      .rd_en_i(read[e]), .rd_addr_i(next[e]), .rd_data_o(stored[e]),
      .wr_en_i(write_q[e]), .wr_addr_i(add_q[e].number), .wr_data_i(total[e]), .wr_mask_i(1'b1)
    );
  end

`ifndef SYNTHESIS
  // Checked after every run: what was added, and is to be added, is the cycles up to the mark.
  for (genvar e = 0; e < Engines; e++) begin : gen_check
    // Sum of the first counters.
    function automatic count_t sum_of(input int counters);
      count_t added;
      sum_of = '0;
      for (int i = 0; i < counters; i++) begin
        added = written_q[e][i] ? gen_engine[e].u_counts.mem[i] : '0;
        if (write_q[e] && 32'(add_q[e].number) == i) added = total[e];
        if (late_engine_q[e] && 32'(late_q.number) == i) added = added + count_t'(late_q.cycles);
        sum_of = sum_of + added;
      end
    endfunction
    function automatic count_t marked();
      return cycles_i - count_t'(elapsed_t'(elapsed_t'(cycles_i) - mark_q[e]));
    endfunction
    `TPU_ASSERT_WHEN(CausesAddUpToCycles, ended_i,
                     sum_of(Counters) == marked() && sum_of(tpu_pkg::SEMAPHORES) == waits_q[e],
                     ("engine %0d: causes %0d of %0d cycles, semaphores %0d of %0d\n", e, sum_of(Counters), marked(),
                      sum_of(tpu_pkg::SEMAPHORES), waits_q[e]))
    `TPU_ASSERT_WHEN(CauseIsOneHot, moved, $onehot(cause_q[e]), ("engine %0d: %b\n", e, cause_q[e]))
  end
`endif
endmodule
