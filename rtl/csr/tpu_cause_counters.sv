// SPDX-License-Identifier: Apache-2.0
// Performance counters of the four engines: cycles per cause, and within the cause SEMAPHORE per semaphore. 32 bits,
// wrapping.
//
// The counters of an engine are in a RAM. A counter is read when its cause begins, and written when its cause ends,
// increased by the cycles in between. Causes may change in every cycle, because a word is never read in the cycle in
// which it is written. A second RAM with the same contents is read by software at any time, so that reading does not
// disturb counting. Next states are computed inside the process, in whole vectors, so that a cycle without a change
// costs a simulation one test.
//
// Latency: a cycle is counted in the next one; a counter requested with rd_start_i is on rd_count_o in the next cycle.
// Throughput: one change of cause per engine and one read per cycle. Back-pressure: none, never stalls.
//
// Ports: cycles_i is the number of cycles counted so far, cycles_now_i includes the current one. cause_i is one-hot,
// engine e at [e*CAUSES +: CAUSES]; the semaphore that engine e waits for is at semaphore_i[e*8 +: 5]. Both are used
// only while run_i is high. ended_i is high for one cycle after a run, when all its cycles have been counted. clear_i
// clears all counters.
// Counter numbers on rd_index_i: s for semaphore s, 32+c for cause c.
//
// Parameters: none.
`include "tpu_assert.svh"
module tpu_cause_counters (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         clear_i,
  input  logic                         run_i,
  input  logic                         ended_i,
  input  logic [31:0]                  cycles_i,
  input  logic [31:0]                  cycles_now_i,
  input  logic [4*tpu_pkg::CAUSES-1:0] cause_i,
  input  logic [31:0]                  semaphore_i,
  // Reading; rd_valid_i is high in the cycle after rd_start_i, with the same engine.
  input  logic                         rd_start_i,
  input  logic                         rd_valid_i,
  input  logic [1:0]                   rd_engine_i,
  input  logic [5:0]                   rd_index_i,
  output logic [31:0]                  rd_count_o,
  // Current cause of engine rd_engine_i, and cycles_i when that cause (or the wait for that semaphore) began.
  output logic [3:0]                   rd_cause_o,
  output logic [31:0]                  rd_since_o
);
  localparam int Causes = tpu_pkg::CAUSES;
  localparam int Depth = 48;
  localparam logic [5:0] SemaphoreCause = 6'(32 + tpu_pkg::CAUSE_SEMAPHORE);
  localparam logic [5:0] IdleCause = 6'(32 + tpu_pkg::CAUSE_IDLE);

  logic [4*Causes-1:0] cause_q;
  logic [31:0]         semaphore_q;
  logic [23:0]         index_q; // engine e at [e*6 +: 6]: counter of the current cause
  logic [127:0]        since_q; // [e*32 +: 32]: cycles when it began
  logic [127:0]        waits_q; // [e*32 +: 32]: of the cause SEMAPHORE as a whole
  logic [4*Depth-1:0]  valid_q; // [e*Depth + i]: counter i was written since the counters were cleared

  logic         moved;
  logic [3:0]   change;
  logic [23:0]  index;
  logic [127:0] stored, total;

  // A change of semaphore_i alone, while the engine's cause is not SEMAPHORE, sets `moved` but changes no counter.
  assign moved = run_i && (cause_i != cause_q || semaphore_i != semaphore_q);
  always_comb begin
    change = '0;
    index  = '0;
    total  = '0;
    if (moved) begin
      for (int e = 0; e < 4; e++) begin
        for (int c = 0; c < Causes; c++) begin
          if (cause_i[e*Causes + c]) index[e*6 +: 6] = 6'd32 | 6'(c);
        end
        if (cause_i[e*Causes + tpu_pkg::CAUSE_SEMAPHORE]) index[e*6 +: 6] = {1'b0, semaphore_i[e*8 +: 5]};
        change[e] = index[e*6 +: 6] != index_q[e*6 +: 6];
        total[e*32 +: 32] = (valid_q[e*Depth + 32'(index_q[e*6 +: 6])] ? stored[e*32 +: 32] : '0) + cycles_now_i
                            - since_q[e*32 +: 32];
      end
    end
  end

  logic [23:0]        index_d;
  logic [127:0]       since_d, waits_d;
  logic [4*Depth-1:0] valid_d;
  logic               rd_live_q;
  logic [31:0]        rd_count_q;
  logic [127:0]       rd_stored;

  // One process that reads before it writes, so that a simulation needs no copies of these registers.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    // Reading. Not in the RAM: the counter of the current cause, counters never written, and the cause SEMAPHORE.
    if (rd_start_i) begin
      rd_live_q  <= 1'b1;
      rd_count_q <= '0;
      if (rd_index_i == SemaphoreCause) begin
        rd_count_q <= waits_q[rd_engine_i*32 +: 32]
                    + (index_q[rd_engine_i*6 + 5] ? '0 : cycles_i - since_q[rd_engine_i*32 +: 32]);
      end else if (rd_index_i == index_q[rd_engine_i*6 +: 6]) begin
        rd_count_q <= (valid_q[32'(rd_engine_i)*Depth + 32'(rd_index_i)] ? stored[rd_engine_i*32 +: 32] : '0) + cycles_i
                    - since_q[rd_engine_i*32 +: 32];
      end else if (rd_index_i < 6'(Depth)) begin
        rd_live_q <= !valid_q[32'(rd_engine_i)*Depth + 32'(rd_index_i)];
      end
    end
    if (!rst_ni || clear_i) begin
      valid_q <= '0;
      since_q <= '0;
      waits_q <= '0;
    end else if (change != '0) begin
      valid_d = valid_q;
      since_d = since_q;
      waits_d = waits_q;
      for (int e = 0; e < 4; e++) begin
        if (change[e]) begin
          valid_d[e*Depth + 32'(index_q[e*6 +: 6])] = 1'b1;
          since_d[e*32 +: 32] = cycles_now_i;
          // The total of the cause SEMAPHORE is in a register, because the RAM has the counts per semaphore.
          if (!index_q[e*6 + 5]) waits_d[e*32 +: 32] = waits_q[e*32 +: 32] + cycles_now_i - since_q[e*32 +: 32];
        end
      end
      valid_q <= valid_d;
      since_q <= since_d;
      waits_q <= waits_d;
    end
    if (!rst_ni) begin
      cause_q     <= '0;
      semaphore_q <= '0;
      index_q     <= {4{IdleCause}};
    end else if (moved) begin
      index_d = index_q;
      for (int e = 0; e < 4; e++) begin
        if (change[e]) index_d[e*6 +: 6] = index[e*6 +: 6];
      end
      cause_q     <= cause_i;
      semaphore_q <= semaphore_i;
      index_q     <= index_d;
    end
  end
  /* verilator lint_on BLKSEQ */

  always_comb begin
    rd_count_o = '0;
    rd_cause_o = '0;
    rd_since_o = '0;
    if (rd_valid_i) begin
      rd_count_o = rd_live_q ? rd_count_q : rd_stored[rd_engine_i*32 +: 32];
      rd_cause_o = index_q[rd_engine_i*6 + 5] ? index_q[rd_engine_i*6 +: 4] : SemaphoreCause[3:0];
      rd_since_o = since_q[rd_engine_i*32 +: 32];
    end
  end

  for (genvar e = 0; e < 4; e++) begin : gen_engine
    tpu_ram #(.Width(32), .Depth(Depth)) u_update (
      .clk_i,
      .rd_en_i(change[e]), .rd_addr_i(index[e*6 +: 6]), .rd_data_o(stored[e*32 +: 32]),
      .wr_en_i(change[e]), .wr_addr_i(index_q[e*6 +: 6]), .wr_data_i(total[e*32 +: 32]), .wr_mask_i(1'b1)
    );
    tpu_ram #(.Width(32), .Depth(Depth)) u_read (
      .clk_i,
      .rd_en_i(rd_start_i), .rd_addr_i(rd_index_i), .rd_data_o(rd_stored[e*32 +: 32]),
      .wr_en_i(change[e]), .wr_addr_i(index_q[e*6 +: 6]), .wr_data_i(total[e*32 +: 32]), .wr_mask_i(1'b1)
    );
  end

`ifndef SYNTHESIS
  // Checked after every run: the counters in the RAMs add up to the cycles before the current cause began.
  for (genvar e = 0; e < 4; e++) begin : gen_check
    logic        balanced;
    logic [63:0] sums; // of the semaphores' counters, of all
    always_comb begin
      balanced = 1'b1;
      sums     = '0;
      if (ended_i) begin
        for (int i = 0; i < Depth; i++) begin
          if (valid_q[e*Depth + i]) begin
            sums[31:0] = sums[31:0] + gen_engine[e].u_read.mem[i];
            if (i < tpu_pkg::SEMAPHORES) sums[63:32] = sums[63:32] + gen_engine[e].u_read.mem[i];
          end
        end
        balanced = sums == {waits_q[e*32 +: 32], since_q[e*32 +: 32]};
      end
    end
    `TPU_ASSERT_WHEN(CausesAddUpToCycles, ended_i, balanced,
                     ("engine %0d: causes %0d of %0d cycles, semaphores %0d of %0d\n", e,
                      sums[31:0], since_q[e*32 +: 32], sums[63:32], waits_q[e*32 +: 32]))
    `TPU_ASSERT_WHEN(CauseIsOneHot, moved, $onehot(cause_i[e*Causes +: Causes]),
                     ("engine %0d: %b\n", e, cause_i[e*Causes +: Causes]))
  end
`endif
endmodule
