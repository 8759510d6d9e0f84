// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_semaphores. They are proven for each semaphore in turn; what holds for the
// engine `engine_i` holds for all.
`include "properties.svh"
module semaphores_properties
  import tpu_command_pkg::*;
#(
  parameter int Semaphore = 0,
  localparam int Engines = tpu_pkg::ENGINES,
  localparam int Semaphores = tpu_pkg::SEMAPHORES
) (
  input logic                      clk_i,
  input logic                      rst_ni,
  input logic [Engines-1:0]        wait_valid_i,
  input token_pair_t [Engines-1:0] wait_i,
  input logic [Engines-1:0]        signal_valid_i,
  input tokens_t [Engines-1:0]     signal_i,
  input logic [1:0]                engine_i
);
  logic [Engines-1:0]         wait_grant_o, wait_short_o, signal_ready_o, overflow_o;
  logic [Engines-1:0][7:0]    waiting_o;
  logic [4:0]                 overflow_semaphore_o;
  logic [Semaphores-1:0][7:0] count_o;
  tpu_semaphores u_semaphores (.*);
  `CHECKED_OUTSIDE_RESET
  localparam logic [4:0] chosen = 5'(Semaphore);

  // The two amounts of a wait name different semaphores, as decode demands.
  logic [Engines-1:0] different;
  always_comb begin
    for (int e = 0; e < Engines; e++) begin
      different[e] = wait_i[e][0].amount == '0 || wait_i[e][1].amount == '0 || wait_i[e][0].sem != wait_i[e][1].sem;
    end
  end
  `ASSUMPTION(DifferentSemaphores, different == '1)

  // Amounts taken from and given to the chosen semaphore, wide enough not to wrap.
  logic [10:0] taken, given;
  always_comb begin
    taken = '0;
    given = '0;
    for (int e = 0; e < Engines; e++) begin
      for (int k = 0; k < 2; k++) begin
        if (wait_grant_o[e] && wait_i[e][k].sem == chosen) taken = taken + 11'(wait_i[e][k].amount);
      end
      if (signal_valid_i[e] && signal_ready_o[e] && signal_i[e].sem == chosen) given = given + 11'(signal_i[e].amount);
    end
  end

  // By the definition: waits that lack tokens; the signal whose turn it is, whether a wait takes from its semaphore
  // in this cycle, and its sum.
  logic [Engines-1:0] lacks, turn;
  tokens_t            give;
  logic               taken_from;
  logic [8:0]         sum;
  always_comb begin
    for (int e = 0; e < Engines; e++) begin
      lacks[e] = wait_i[e][0].amount > count_o[wait_i[e][0].sem] || wait_i[e][1].amount > count_o[wait_i[e][1].sem];
    end
    turn = '0;
    give = '0;
    for (int e = Engines - 1; e >= 0; e--) begin
      if (signal_valid_i[e]) begin
        turn = Engines'(1) << e;
        give = signal_i[e];
      end
    end
    taken_from = 1'b0;
    for (int e = 0; e < Engines; e++) begin
      for (int k = 0; k < 2; k++) begin
        if (wait_grant_o[e] && wait_i[e][k].amount != '0 && wait_i[e][k].sem == give.sem) taken_from = 1'b1;
      end
    end
    sum = {1'b0, count_o[give.sem]} + {1'b0, give.amount};
  end
  logic ours;
  assign ours = turn != '0 && overflow_o == '0 && !taken_from;

  // Expected value of the chosen semaphore, and the engine whose signal is expected to overflow.
  logic               running_q;
  logic [10:0]        count_q;
  logic [Engines-1:0] over_q;
  logic [4:0]         over_semaphore_q;
  always_ff @(posedge clk_i) begin
    running_q        <= rst_ni;
    count_q          <= 11'(count_o[chosen]) - taken + given;
    over_q           <= rst_ni && ours && sum[8] ? turn : '0;
    over_semaphore_q <= give.sem;
  end

  `PROPERTY(NoTokenLost, running_q && count_q != '0, 11'(count_o[chosen]) == count_q)
  `PROPERTY(EmptyAfterReset, !running_q, count_o[chosen] == '0)
  `PROPERTY(NeverNegative, taken != '0, taken <= 11'(count_o[chosen]))
  `PROPERTY(OneGrant, wait_grant_o != '0, (wait_grant_o & (wait_grant_o - 1'b1)) == '0)
  `PROPERTY(GrantOfAWait, wait_grant_o[engine_i], wait_valid_i[engine_i] && !lacks[engine_i])
  `PROPERTY(WorkConserving, (wait_valid_i & ~lacks) != '0, wait_grant_o != '0)
  `PROPERTY(MatrixUnitFirst, wait_valid_i[tpu_pkg::ENGINE_MXU] && !lacks[tpu_pkg::ENGINE_MXU],
            wait_grant_o[tpu_pkg::ENGINE_MXU])
  `PROPERTY(Short, wait_valid_i[engine_i],
            wait_short_o[engine_i] == lacks[engine_i] && waiting_o[engine_i][7] == lacks[engine_i])
  `PROPERTY(WaitsForWhatLacks, waiting_o[engine_i][7] && waiting_o[engine_i][4:0] == chosen,
            wait_i[engine_i][0].sem == chosen && wait_i[engine_i][0].amount > count_o[chosen] ||
            wait_i[engine_i][1].sem == chosen && wait_i[engine_i][1].amount > count_o[chosen])
  `PROPERTY(OneSignal, signal_ready_o != '0, (signal_ready_o & (signal_ready_o - 1'b1)) == '0)
  `PROPERTY(SignalInTurn, ours && !sum[8], signal_ready_o == turn)
  `PROPERTY(SignalNotLost, turn != '0 && !(ours && !sum[8]), signal_ready_o == '0)
  `PROPERTY(Overflow, over_q != '0, overflow_o == over_q && overflow_semaphore_o == over_semaphore_q)
  `PROPERTY(NoOtherOverflow, over_q == '0, overflow_o == '0)
endmodule
