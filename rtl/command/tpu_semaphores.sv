// SPDX-License-Identifier: Apache-2.0
// The counting semaphores where the four engines meet. A wait takes both of its amounts at once or nothing; at most one
// wait is granted per cycle, in the order MXU, VPU, STORE, LOAD. All signals of a cycle are applied, after the wait.
//
// Latency: grants, shortages and overflows are combinational; a signal counts from the next cycle on.
// Program order between engines is not known here: of two engines that wait for one semaphore the later instruction may
// be served first. Programs that let only one engine wait for a semaphore cannot deadlock.
// An overflowing signal leaves its semaphore alone and is reported with the lowest-numbered of the engine's two.
//
// Ports: per engine e a wait at wait_i[26*e +: 26] and a signal at signal_i[26*e +: 26], both packed as
// {amount1, semaphore1, amount0, semaphore0}. waiting_o byte e: bit 7 while engine e is short, bits 4:0 of what.
module tpu_semaphores (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [3:0]   wait_valid_i,
  input  logic [103:0] wait_i,
  output logic [3:0]   wait_grant_o,
  output logic [3:0]   wait_short_o,
  output logic [31:0]  waiting_o,
  input  logic [3:0]   signal_valid_i,
  input  logic [103:0] signal_i,
  output logic [3:0]   overflow_o,
  output logic [19:0]  overflow_semaphore_o,
  // Values, semaphore s at count_o[8*s +: 8].
  output logic [255:0] count_o
);
  logic [255:0] count_q, count_d;
  logic [3:0]   fit;
  logic [8:0]   sum;

  assign count_o = count_q;

  always_comb begin
    fit       = '0;
    waiting_o = '0;
    if (wait_valid_i != '0) begin
      for (int e = 0; e < 4; e++) begin
        if (wait_valid_i[e]) begin
          if (count_q[wait_i[e*26 +: 5]*8 +: 8] < wait_i[e*26+5 +: 8]) begin
            waiting_o[e*8 +: 8] = {3'b100, wait_i[e*26 +: 5]};
          end else if (count_q[wait_i[e*26+13 +: 5]*8 +: 8] < wait_i[e*26+18 +: 8]) begin
            waiting_o[e*8 +: 8] = {3'b100, wait_i[e*26+13 +: 5]};
          end else begin
            fit[e] = 1'b1;
          end
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
    count_d              = count_q;
    overflow_o           = '0;
    overflow_semaphore_o = '0;
    sum                  = '0;
    if (wait_grant_o != '0) begin
      for (int e = 0; e < 4; e++) begin
        if (wait_grant_o[e]) begin
          count_d[wait_i[e*26 +: 5]*8 +: 8]    = count_d[wait_i[e*26 +: 5]*8 +: 8] - wait_i[e*26+5 +: 8];
          count_d[wait_i[e*26+13 +: 5]*8 +: 8] = count_d[wait_i[e*26+13 +: 5]*8 +: 8] - wait_i[e*26+18 +: 8];
        end
      end
    end
    if (signal_valid_i != '0) begin
      for (int e = 0; e < 4; e++) begin
        for (int k = 1; k >= 0; k--) begin
          if (signal_valid_i[e]) begin
            sum = {1'b0, count_d[signal_i[e*26+13*k +: 5]*8 +: 8]} + {1'b0, signal_i[e*26+13*k+5 +: 8]};
            if (sum[8]) begin
              overflow_o[e]                    = 1'b1;
              overflow_semaphore_o[e*5 +: 5] = signal_i[e*26+13*k +: 5];
            end else begin
              count_d[signal_i[e*26+13*k +: 5]*8 +: 8] = sum[7:0];
            end
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_q <= '0;
    else if ((wait_grant_o | signal_valid_i) != '0) count_q <= count_d;
  end
endmodule
