// SPDX-License-Identifier: Apache-2.0
// Counting semaphores that synchronize the four engines. A wait takes both of its amounts at once or nothing; at most
// one wait is granted per cycle, with the priority MXU, VPU, STORE, LOAD. All signals of a cycle are applied, after the
// wait.
//
// Latency: grants, shortages and overflows are combinational; a signal has its effect from the next cycle on.
// Throughput: one wait and all signals per cycle. Back-pressure: a wait is held until granted; signals never wait.
//
// The program order between engines is not known here: of two engines that wait for one semaphore, the one with the
// later instruction may be granted first. Programs avoid this by letting only one engine wait for each semaphore.
// Signals are added in the order of the engines' numbers. The first that would exceed the largest value of its
// semaphore overflows, and so do the later ones of the same cycle to the same semaphore; none of these changes the
// semaphore. The two signals of an engine name different semaphores if both have an amount; if both overflow, signal 0
// is reported.
//
// Ports: engine e has a wait at wait_i[26*e +: 26] and a signal at signal_i[26*e +: 26], both packed as
// {amount1, semaphore1, amount0, semaphore0}. Byte e of waiting_o: bit 7 is high while engine e lacks tokens, bits 4:0
// are the semaphore.
//
// Parameters: none.
module tpu_semaphores #(
  localparam int Engines = tpu_pkg::ENGINES
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [Engines-1:0]    wait_valid_i,
  input  logic [26*Engines-1:0] wait_i,
  output logic [Engines-1:0]    wait_grant_o,
  output logic [Engines-1:0]    wait_short_o,
  output logic [8*Engines-1:0]  waiting_o,
  input  logic [Engines-1:0]    signal_valid_i,
  input  logic [26*Engines-1:0] signal_i,
  output logic [Engines-1:0]    overflow_o,
  output logic [5*Engines-1:0]  overflow_semaphore_o,
  // Values, semaphore s at count_o[8*s +: 8].
  output logic [255:0]          count_o
);
  logic [255:0]          count_q;
  // Waits. rest: semaphore minus amount, negative if tokens are lacking (engine e, wait k at [e*18+9*k +: 9]). take,
  // take_rest: the wait that is granted, and what it leaves of its two semaphores.
  logic [18*Engines-1:0] rest;
  logic [Engines-1:0]    fit;
  logic [25:0]           take;
  logic [15:0]           take_rest;
  // Signals. sum, put: what a signal makes of its semaphore, and whether it does (engine e, signal k at
  // [e*16+8*k +: 8] and [e*2+k]).
  logic [16*Engines-1:0] sum;
  logic [2*Engines-1:0]  put;

  assign count_o = count_q;

  always_comb begin
    fit       = '0;
    rest      = '0;
    waiting_o = '0;
    if (wait_valid_i != '0) begin
      for (int e = 0; e < Engines; e++) begin
        if (wait_valid_i[e]) begin
          for (int k = 0; k < 2; k++) begin
            rest[e*18+9*k +: 9] = {1'b0, count_q[wait_i[e*26+13*k +: 5]*8 +: 8]} - {1'b0, wait_i[e*26+13*k+5 +: 8]};
          end
          if (rest[e*18+8]) waiting_o[e*8 +: 8] = {3'b100, wait_i[e*26 +: 5]};
          else if (rest[e*18+17]) waiting_o[e*8 +: 8] = {3'b100, wait_i[e*26+13 +: 5]};
          else fit[e] = 1'b1;
        end
      end
    end
    wait_short_o = wait_valid_i & ~fit;
    wait_grant_o = '0;
    if (fit[tpu_pkg::ENGINE_MXU]) wait_grant_o[tpu_pkg::ENGINE_MXU] = 1'b1;
    else if (fit[tpu_pkg::ENGINE_VPU]) wait_grant_o[tpu_pkg::ENGINE_VPU] = 1'b1;
    else if (fit[tpu_pkg::ENGINE_STORE]) wait_grant_o[tpu_pkg::ENGINE_STORE] = 1'b1;
    else if (fit[tpu_pkg::ENGINE_LOAD]) wait_grant_o[tpu_pkg::ENGINE_LOAD] = 1'b1;
  end

  always_comb begin
    take      = '0;
    take_rest = '0;
    if (wait_grant_o != '0) begin
      for (int e = 0; e < Engines; e++) begin
        take      = take | ({26{wait_grant_o[e]}} & wait_i[e*26 +: 26]);
        take_rest = take_rest | ({16{wait_grant_o[e]}} & {rest[e*18+9 +: 8], rest[e*18 +: 8]});
      end
    end
  end

  // For each signal, the sum of the signals to its semaphore from its own and all lower-numbered engines, computed in
  // parallel instead of in a chain. The semaphore becomes the last sum that does not overflow. A task, because a
  // simulator runs it, and copies its arguments, only when there are signals.
  task automatic add_signals(
    input  logic [255:0]          counts,
    input  logic [25:0]           taken,
    input  logic [15:0]           taken_rest,
    input  logic [Engines-1:0]    valid,
    input  logic [26*Engines-1:0] signals,
    output logic [16*Engines-1:0] sums,
    output logic [2*Engines-1:0]  puts,
    output logic [Engines-1:0]    overflow,
    output logic [5*Engines-1:0]  overflow_semaphore
  );
    logic [12:0] own;
    logic [25:0] other;
    logic [7:0]  held, given;
    logic [9:0]  total;
    logic        carry;
    sums               = '0;
    puts               = '0;
    overflow           = '0;
    overflow_semaphore = '0;
    for (int e = 0; e < Engines; e++) begin
      if (valid[e]) begin
        for (int k = 1; k >= 0; k--) begin
          own   = signals[e*26+13*k +: 13];
          total = {2'd0, own[12:5]};
          for (int j = 0; j < e; j++) begin
            other = signals[j*26 +: 26];
            given = {8{other[4:0] == own[4:0]}} & other[12:5];
            given = given | ({8{other[17:13] == own[4:0]}} & other[25:18]);
            total = total + {2'd0, {8{valid[j]}} & given};
          end
          // Added last, because it depends on the grant, which is known late.
          held = counts[own[4:0]*8 +: 8];
          for (int i = 0; i < 2; i++) begin
            if (taken[13*i +: 5] == own[4:0] && taken[13*i+5 +: 8] != '0) held = taken_rest[8*i +: 8];
          end
          {carry, sums[e*16+8*k +: 8]} = {1'b0, held} + {1'b0, total[7:0]};
          puts[e*2+k] = own[12:5] != '0 && total[9:8] == '0 && !carry;
          if (own[12:5] != '0 && !puts[e*2+k]) begin
            overflow[e]                  = 1'b1;
            overflow_semaphore[e*5 +: 5] = own[4:0];
          end
        end
      end
    end
  endtask

  always_comb begin
    sum                  = '0;
    put                  = '0;
    overflow_o           = '0;
    overflow_semaphore_o = '0;
    if (signal_valid_i != '0) begin
      add_signals(count_q, take, take_rest, signal_valid_i, signal_i, sum, put, overflow_o, overflow_semaphore_o);
    end
  end

  // A wait with an amount of 0 must not write: it may name the same semaphore as the other wait. Signals come after
  // the wait.
  task automatic write(input logic [26*Engines-1:0] signals);
    for (int s = 0; s < tpu_pkg::SEMAPHORES; s++) begin
      for (int k = 0; k < 2; k++) begin
        if (take[13*k +: 5] == 5'(s) && take[13*k+5 +: 8] != '0) count_q[s*8 +: 8] <= take_rest[8*k +: 8];
      end
      for (int i = 0; i < 2 * Engines; i++) begin
        if (put[i] && signals[13*i +: 5] == 5'(s)) count_q[s*8 +: 8] <= sum[8*i +: 8];
      end
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_q <= '0;
    else if ((wait_grant_o | signal_valid_i) != '0) write(signal_i);
  end
endmodule
