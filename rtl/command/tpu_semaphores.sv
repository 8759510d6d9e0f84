// SPDX-License-Identifier: Apache-2.0
// Counting semaphores that synchronize the four engines. In a cycle at most one wait is granted, with the priority MXU,
// VPU, STORE, LOAD, and at most one signal is taken, that of the lowest engine. A wait takes both of its amounts at
// once or nothing.
//
// Latency: grants and shortages are combinational; a signal has its effect from the cycle after it was taken on.
// Throughput: one wait and one signal per cycle. Back-pressure: a wait is held until granted, a signal until taken. A
// signal is not taken in a cycle whose wait takes from the same semaphore, nor in the cycle after an overflow.
//
// The program order between engines is not known here: of two engines that wait for one semaphore, the one with the
// later instruction may be granted first. Programs avoid this by letting only one engine wait for each semaphore.
// A signal that would exceed the largest value of its semaphore does not change it and is not taken: overflow_o names
// its engine, and overflow_semaphore_o the semaphore, in the next cycle, in which the engine has to withdraw it.
//
// Ports: arrays have an element for each engine, by the numbers tpu_pkg::ENGINE_*. Byte e of waiting_o: bit 7 is high
// while engine e lacks tokens, bits 4:0 are the semaphore.
//
// Parameters: none.
module tpu_semaphores
  import tpu_command_pkg::*;
#(
  localparam int Engines = tpu_pkg::ENGINES,
  localparam int Semaphores = tpu_pkg::SEMAPHORES
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic [Engines-1:0]         wait_valid_i,
  input  token_pair_t [Engines-1:0]  wait_i,
  output logic [Engines-1:0]         wait_grant_o,
  output logic [Engines-1:0]         wait_short_o,
  output logic [Engines-1:0][7:0]    waiting_o,
  input  logic [Engines-1:0]         signal_valid_i,
  output logic [Engines-1:0]         signal_ready_o,
  input  tokens_t [Engines-1:0]      signal_i,
  output logic [Engines-1:0]         overflow_o,
  output logic [4:0]                 overflow_semaphore_o,
  output logic [Semaphores-1:0][7:0] count_o
);
  logic [Semaphores-1:0][7:0] count_q;
  assign count_o = count_q;

  // Waits. rest: semaphore minus amount, negative if tokens are lacking; computed before it is known whether engines
  // want it.
  logic [Engines-1:0][1:0][8:0] rest;
  logic [Engines-1:0]           fit;
  always_comb begin
    for (int e = 0; e < Engines; e++) begin
      for (int k = 0; k < 2; k++) rest[e][k] = {1'b0, count_q[wait_i[e][k].sem]} - {1'b0, wait_i[e][k].amount};
    end
  end

  always_comb begin
    fit       = '0;
    waiting_o = '0;
    if (wait_valid_i != '0) begin
      for (int e = 0; e < Engines; e++) begin
        fit[e] = wait_valid_i[e] && !rest[e][0][8] && !rest[e][1][8];
        if (wait_valid_i[e] && !fit[e]) waiting_o[e] = {3'b100, wait_i[e][rest[e][0][8] ? 0 : 1].sem};
      end
    end
    wait_short_o = wait_valid_i & ~fit;
    wait_grant_o = '0;
    if (fit[tpu_pkg::ENGINE_MXU]) wait_grant_o[tpu_pkg::ENGINE_MXU] = 1'b1;
    else if (fit[tpu_pkg::ENGINE_VPU]) wait_grant_o[tpu_pkg::ENGINE_VPU] = 1'b1;
    else if (fit[tpu_pkg::ENGINE_STORE]) wait_grant_o[tpu_pkg::ENGINE_STORE] = 1'b1;
    else if (fit[tpu_pkg::ENGINE_LOAD]) wait_grant_o[tpu_pkg::ENGINE_LOAD] = 1'b1;
  end

  // The wait that is granted, and what it leaves of its semaphores.
  token_pair_t     take;
  logic [1:0][7:0] take_rest;
  always_comb begin
    take      = '0;
    take_rest = '0;
    if (wait_grant_o != '0) begin
      for (int e = 0; e < Engines; e++) begin
        take = take | (wait_grant_o[e] ? wait_i[e] : '0);
        for (int k = 0; k < 2; k++) take_rest[k] = take_rest[k] | (wait_grant_o[e] ? rest[e][k][7:0] : '0);
      end
    end
  end

  // The signal whose turn it is, and what it makes of its semaphore. Whether the wait takes from the same one is found
  // for all waits, because the grant is known late.
  tokens_t            give;
  logic [Engines-1:0] turn, same;
  logic [8:0]         sum;
  logic               add, put;
  always_comb begin
    turn           = '0;
    give           = '0;
    same           = '0;
    sum            = '0;
    add            = 1'b0;
    put            = 1'b0;
    signal_ready_o = '0;
    if (signal_valid_i != '0 && overflow_o == '0) begin
      turn = signal_valid_i & (~signal_valid_i + 1'b1);
      for (int e = 0; e < Engines; e++) give = give | (turn[e] ? signal_i[e] : '0);
      sum = {1'b0, count_q[give.sem]} + {1'b0, give.amount};
      for (int e = 0; e < Engines; e++) begin
        for (int k = 0; k < 2; k++) begin
          if (wait_i[e][k].sem == give.sem && wait_i[e][k].amount != '0) same[e] = 1'b1;
        end
      end
      add = (same & wait_grant_o) == '0;
      put = add && !sum[8];
      if (put) signal_ready_o = turn;
    end
  end

  // A task, because a simulator then looks at the semaphores only when one changes. A wait with an amount of 0 must not
  // write: it may name the same semaphore as the other wait.
  task automatic write;
    for (int s = 0; s < Semaphores; s++) begin
      for (int k = 0; k < 2; k++) begin
        if (take[k].sem == 5'(s) && take[k].amount != '0) count_q[s] <= take_rest[k];
      end
      if (put && give.sem == 5'(s)) count_q[s] <= sum[7:0];
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q    <= '0;
      overflow_o <= '0;
    end else begin
      overflow_o <= add && sum[8] ? turn : '0;
      if (wait_grant_o != '0 || put) write();
    end
    if (add) overflow_semaphore_o <= give.sem;
  end
endmodule
