// SPDX-License-Identifier: Apache-2.0
// Performance counters: cycles, cycles per engine and cause, beats. 32 bits each, wrapping.
//
// Latency: a cycle is counted two cycles later. An engine's counters are written only when its cause changes.
// The first cycle of a run stands for itself and the two before it, which the doorbell took from the bus to here, so that
// CYCLES runs from the doorbell's handshake to the interrupt output, and the causes of each engine add up to it.
//
// Ports: run_i while a program runs; cause_i one-hot per engine, engine e at [e*CAUSES +: CAUSES]; beats are pulses.
`include "tpu_assert.svh"
module tpu_counters (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         clear_i,
  input  logic                         run_i,
  input  logic [4*tpu_pkg::CAUSES-1:0] cause_i,
  input  logic                         read_beat_i,
  input  logic                         write_beat_i,
  output logic [31:0]                  cycles_o,
  output logic [31:0]                  read_beats_o,
  output logic [31:0]                  write_beats_o,
  // Cause counters, combinational: engine e and cause c at 16e+c.
  input  logic                         rd_valid_i,
  input  logic [5:0]                   rd_index_i,
  output logic [31:0]                  rd_count_o,
  // The present cause of engine rd_engine_i and the value of cycles_o when it began, combinational.
  input  logic [1:0]                   rd_engine_i,
  output logic [3:0]                   rd_cause_o,
  output logic [31:0]                  rd_since_o
);
  localparam int Causes = tpu_pkg::CAUSES;
  localparam int DoorbellCycles = 2;

  logic        run_q;
  logic [1:0]  step_q;
  logic [31:0] cycles_q, read_beats_q, write_beats_q;

  // Cycles up to and including the one counted now.
  logic [31:0] cycles_d;
  assign cycles_d      = run_q ? cycles_q + 32'(step_q) : cycles_q;
  assign cycles_o      = cycles_q;
  assign read_beats_o  = read_beats_q;
  assign write_beats_o = write_beats_q;

  always_ff @(posedge clk_i) begin
    run_q <= rst_ni && run_i;
    if (run_i) step_q <= run_q ? 2'd1 : 2'(DoorbellCycles + 1);
    if (!rst_ni || clear_i) begin
      cycles_q      <= '0;
      read_beats_q  <= '0;
      write_beats_q <= '0;
    end else begin
      cycles_q <= cycles_d;
      if (read_beat_i) read_beats_q <= read_beats_q + 32'd1;
      if (write_beat_i) write_beats_q <= write_beats_q + 32'd1;
    end
  end

  logic [127:0] rd_count, rd_since;
  logic [15:0]  rd_cause;
  for (genvar e = 0; e < 4; e++) begin : gen_engine
    // A cause is added up when it ends: the cycles since it began, by the common cycle counter.
    logic [31:0]       count_q [0:15];
    logic [Causes-1:0] cause_q;
    logic [3:0]        index_q, index;
    logic [31:0]       since_q;
    logic              change;

    assign change = run_i && cause_i[e*Causes +: Causes] != cause_q;
    always_comb begin
      index = '0;
      if (change) begin
        for (int c = 0; c < Causes; c++) begin
          if (cause_i[e*Causes + c]) index = 4'(c);
        end
      end
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) begin
        for (int c = 0; c < 16; c++) count_q[c] <= '0;
        since_q <= '0;
      end else if (change) begin
        count_q[index_q] <= count_q[index_q] + cycles_d - since_q;
        since_q <= cycles_d;
      end
      if (!rst_ni) begin
        cause_q <= Causes'(1);
        index_q <= '0;
      end else if (change) begin
        cause_q <= cause_i[e*Causes +: Causes];
        index_q <= index;
      end
    end
    assign rd_count[e*32 +: 32] = !rd_valid_i ? '0
      : count_q[rd_index_i[3:0]] + (rd_index_i[3:0] == index_q ? cycles_q - since_q : '0);
    assign rd_since[e*32 +: 32] = rd_valid_i ? since_q : '0;
    assign rd_cause[e*4 +: 4]   = rd_valid_i ? index_q : '0;

    `TPU_ASSERT(CauseIsOneHot, !run_i || $onehot(cause_i[e*Causes +: Causes]))
  end
  assign rd_count_o = rd_valid_i ? rd_count[rd_index_i[5:4]*32 +: 32] : '0;
  assign rd_since_o = rd_valid_i ? rd_since[rd_engine_i*32 +: 32] : '0;
  assign rd_cause_o = rd_valid_i ? rd_cause[rd_engine_i*4 +: 4] : '0;
endmodule
