// SPDX-License-Identifier: Apache-2.0
// Performance counters of one engine: cycles per cause, and within the cause SEMAPHORE per semaphore. 32 bits, wrapping.
//
// A counter lives in a RAM and is written once, when its cause ends, with the cycles since the cause began. Its old value was
// read when the cause began, so that causes may change in every cycle: a word is never read in the cycle of its own write.
// A second RAM with the same contents is read by software, at any time and without disturbing the first.
//
// Latency: a cycle is counted in the next one. A counter that is asked for with rd_start_i is at rd_stored_o in the next cycle,
// unless rd_live_o told in the cycle of the request that it is not in the RAM: then it was at rd_count_o.
// Throughput: a change of cause and a reading in each cycle. Never stalls.
//
// Ports: cycles_i cycles counted so far, cycles_now_i the same with the present cycle. cause_i one-hot and semaphore_i (what the
// cause SEMAPHORE is charged to) matter while run_i; ended_i is high for one cycle after a run, when everything has been counted.
// Counter numbers: semaphore s at s, cause c at 32+c.
`include "tpu_assert.svh"
module tpu_engine_counters (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       clear_i,
  input  logic                       run_i,
  input  logic                       ended_i,
  input  logic [31:0]                cycles_i,
  input  logic [31:0]                cycles_now_i,
  input  logic [tpu_pkg::CAUSES-1:0] cause_i,
  input  logic [4:0]                 semaphore_i,
  // Reading.
  input  logic                       rd_start_i,
  input  logic [5:0]                 rd_index_i,
  output logic                       rd_live_o,
  output logic [31:0]                rd_count_o,
  output logic [31:0]                rd_stored_o,
  // The present cause, and cycles_i when it began (or the wait for its semaphore).
  output logic [3:0]                 cause_o,
  output logic [31:0]                since_o
);
  localparam int Depth = 48;
  localparam int Semaphore = tpu_pkg::CAUSE_SEMAPHORE;

  logic [Depth-1:0]           valid_q;   // written since the counters were cleared
  logic [tpu_pkg::CAUSES-1:0] cause_q;
  logic [5:0]                 index_q, index;
  logic [31:0]                since_q, waits_q, stored, total;
  logic                       change;

  assign change = run_i && (cause_i != cause_q || (cause_i[Semaphore] && semaphore_i != index_q[4:0]));

  always_comb begin
    index = '0;
    total = '0;
    if (change) begin
      for (int c = 0; c < tpu_pkg::CAUSES; c++) begin
        if (cause_i[c]) index = 6'd32 | 6'(c);
      end
      if (cause_i[Semaphore]) index = {1'b0, semaphore_i};
      total = (valid_q[index_q] ? stored : '0) + cycles_now_i - since_q;
    end
  end

  tpu_ram #(.Width(32), .Depth(Depth)) u_update (
    .clk_i,
    .rd_en_i(change), .rd_addr_i(index), .rd_data_o(stored),
    .wr_en_i(change), .wr_addr_i(index_q), .wr_data_i(total), .wr_mask_i(1'b1)
  );
  tpu_ram #(.Width(32), .Depth(Depth)) u_read (
    .clk_i,
    .rd_en_i(rd_start_i), .rd_addr_i(rd_index_i), .rd_data_o(rd_stored_o),
    .wr_en_i(change), .wr_addr_i(index_q), .wr_data_i(total), .wr_mask_i(1'b1)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      valid_q <= '0;
      since_q <= '0;
      waits_q <= '0;
    end else if (change) begin
      valid_q[index_q] <= 1'b1;
      since_q          <= cycles_now_i;
      // The cause SEMAPHORE as a whole has a register, because its semaphores have the RAM.
      if (cause_q[Semaphore]) waits_q <= waits_q + cycles_now_i - since_q;
    end
    if (!rst_ni) begin
      cause_q <= tpu_pkg::CAUSES'(1) << tpu_pkg::CAUSE_IDLE;
      index_q <= 6'd32 | 6'(tpu_pkg::CAUSE_IDLE);
    end else if (change) begin
      cause_q <= cause_i;
      index_q <= index;
    end
  end

  // Not in the RAM: what is being counted, what was never written, and the cause SEMAPHORE.
  always_comb begin
    rd_live_o  = 1'b0;
    rd_count_o = '0;
    if (rd_start_i) begin
      rd_live_o = rd_index_i == index_q || rd_index_i >= 6'(Depth) || !valid_q[rd_index_i];
      if (rd_index_i == index_q) rd_count_o = (valid_q[index_q] ? stored : '0) + cycles_i - since_q;
      if (rd_index_i == (6'd32 | 6'(Semaphore))) begin
        rd_live_o  = 1'b1;
        rd_count_o = cause_q[Semaphore] ? waits_q + cycles_i - since_q : waits_q;
      end
    end
  end
  assign cause_o = index_q[5] ? index_q[3:0] : 4'(Semaphore);
  assign since_o = since_q;

`ifndef SYNTHESIS
  // The books, closed after every run: what the RAM holds adds up to the cycles before the present cause began.
  logic [31:0] causes_sum, waits_sum;
  always_comb begin
    causes_sum = '0;
    waits_sum  = '0;
    if (ended_i) begin
      for (int i = 0; i < Depth; i++) begin
        if (valid_q[i]) causes_sum = causes_sum + u_read.mem[i];
        if (valid_q[i] && i < tpu_pkg::SEMAPHORES) waits_sum = waits_sum + u_read.mem[i];
      end
    end
  end
`endif
  `TPU_ASSERT(CauseIsOneHot, !run_i || $onehot(cause_i))
  `TPU_ASSERT(CausesAddUpToCycles, !ended_i || causes_sum == since_q)
  `TPU_ASSERT(SemaphoresAddUpToTheirCause, !ended_i || waits_sum == waits_q)
endmodule
