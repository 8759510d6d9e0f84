// SPDX-License-Identifier: Apache-2.0
// Schedules the requantizations of a row on the one multiplier of each lane, and prepares their operands.
//
// A row starts (take_o) when its operand is complete. The requantizations of a row and their cycles after the start;
// L = 5 is the latency of tpu_requantize:
//   DRAIN, AVGPOOL    value 0
//   MULTIPLY          product of the operands 0, which counts as a first operand; its requantization 7 = L + 2
//   ADD               second operand 0, first operand 1, sum 7 = 1 + L + 1
//   residual DRAIN    value 0, second operand 6, first operand 7 = L + 2 (clamp, table), sum 13 = 7 + L + 1
// Rows never start at a distance at which two of them would need the multiplier in the same cycle: any difference
// between two cycles of the same line above is forbidden. Rows of ADD and residual DRAIN start at least four cycles
// apart; multiples of four are always allowed, so the throughput is one row in four cycles. Rows of MULTIPLY start at
// least two cycles apart, because they have two reads; even distances are always allowed.
// MAXPOOL, MAP and DRAIN32 rows need no multiplier and bypass it (bypass_o); a PRELOAD row goes through its operand
// register to the accumulators.
//
// Latency: none from a slot to load_o. Throughput: one requantization per cycle. Back-pressure: a read, whose data
// arrive one cycle later, may be issued only while room_o is high.
//
// Protocol: operand_i is taken with take_o, side_i with side_take_o. load_o marks a row for the operand register of
// tpu_requantize, valid_o one that is requantized, bypass_o one that is not; each for one cycle. acc_wr_* is a
// valid/ready stream, of what was loaded.
//
// Parameters: Dim (lanes).
`include "tpu_assert.svh"
module tpu_vpu_slots #(
  parameter int Dim = 16
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  // Operation of the command.
  input  tpu_vpu_pkg::operation_t   run_i,
  // Scalar parameters: of the first operand, the second, and the value; copied when a row's last read arrives.
  input  tpu_vpu_pkg::scale_t [2:0] scales_i,
  // Operand of the next row.
  input  logic                      arriving_i,
  input  logic                      full_i,
  input  logic [3:0][Dim-1:0][7:0]  operand_i,
  output logic                      take_o,
  output logic                      room_o,
  // Second operand of a residual.
  input  logic [Dim-1:0][7:0]       side_i,
  output logic                      side_take_o,
  // Requantized accumulator of a residual, and the sum of two requantized operands.
  input  logic                      middle_valid_i,
  input  logic [Dim-1:0][7:0]       middle_i,
  input  logic [Dim-1:0][31:0]      sum_i,
  // To the requantization.
  output logic                      load_o,
  output logic                      valid_o,
  output tpu_vpu_pkg::destination_e to_o,
  output logic [Dim-1:0][31:0]      row_o,
  output logic                      per_lane_o,
  output tpu_vpu_pkg::scale_t       scale_o,
  // The row is multiplied by a factor of each lane instead, and not rounded.
  output logic                      factors_o,
  output logic [Dim-1:0][8:0]       factor_o,
  // Bypass: the row that starts needs no requantization.
  output logic                      bypass_o,
  // Accumulator write.
  output logic                      acc_wr_valid_o,
  input  logic                      acc_wr_ready_i
);
  import tpu_vpu_pkg::*;

  // Bit a forbids a start a+1 cycles after another one: distances that are too short, and the differences between slot
  // cycles.
  localparam logic [12:0] MultiplyForbids = 13'b0_0000_0100_0001;
  localparam logic [12:0] AddForbids      = 13'b0_0000_0110_0111;
  localparam logic [12:0] ResidualForbids = 13'b1_0000_0110_0111;

  // Takes the 2^20 of an operand away again: 31 - 20.
  localparam logic [5:0] FactorShift = 6'd11;

  logic [12:0]  starts_q;
  logic         shared, allowed_q, start_allowed, acc_wr_valid_q;
  logic         slot_value, slot_second, slot_first, slot_sum;
  scale_t [2:0] scales_q;
  logic         unused_run;

  assign unused_run = ^run_i;

  function automatic logic [12:0] forbids();
    forbids = run_i.residual ? ResidualForbids : run_i.add ? AddForbids : MultiplyForbids;
  endfunction

  // Start of a row. Whether one may start is decided in the cycle before. When another command comes, none is left of
  // the earlier one.
  assign shared        = run_i.add || run_i.residual || run_i.multiply;
  assign start_allowed = run_i.preload ? !acc_wr_valid_q : allowed_q;
  // A row of ADD or residual DRAIN may have to wait for its start, so no read is issued until it has started. Whether
  // one of MULTIPLY has to is known when it arrives. A PRELOAD row has to wait only if the previous accumulator write
  // has been stalled, and then until the cycle after it: so nothing here depends on acc_wr_ready_i, which comes late.
  always_comb begin
    take_o = 1'b0;
    if (full_i) take_o = start_allowed;
    room_o = 1'b1;
    if (full_i && !take_o) room_o = 1'b0;
    if (arriving_i) begin
      if (run_i.multiply) room_o = !starts_q[5];
      else if (shared || (run_i.preload && acc_wr_valid_q)) room_o = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      starts_q  <= '0;
      allowed_q <= 1'b1;
    end else if (shared) begin
      starts_q  <= {starts_q[11:0], take_o};
      allowed_q <= ({starts_q[11:0], take_o} & forbids()) == '0;
    end
  end

  // Slots.
  always_comb begin
    slot_value  = 1'b0;
    slot_second = 1'b0;
    slot_first  = 1'b0;
    slot_sum    = 1'b0;
    valid_o     = 1'b0;
    side_take_o = 1'b0;
    bypass_o    = 1'b0;
    if (take_o || starts_q != '0) begin  // Other cycles have no slot and cost a simulation only this test.
      slot_value  = take_o && (run_i.drain || run_i.average);
      slot_second = run_i.residual ? starts_q[5] : run_i.add && take_o;
      slot_first  = run_i.residual ? starts_q[6] : run_i.multiply ? take_o : run_i.add && starts_q[0];
      slot_sum    = run_i.residual ? starts_q[12] : shared && starts_q[6];
      valid_o     = slot_value || slot_second || slot_first || slot_sum;
      side_take_o = run_i.residual && slot_second;
      bypass_o    = take_o && !valid_o && !run_i.preload;
    end
  end

  assign load_o     = valid_o || take_o;
  assign per_lane_o = slot_value && run_i.drain;

  always_ff @(posedge clk_i) begin
    if (arriving_i) scales_q <= scales_i;
  end

  always_comb begin
    scale_o = scales_q[2];
    to_o    = slot_value && run_i.residual ? ToMiddle : ToResult;
    if (slot_second) begin
      scale_o = scales_q[1];
      to_o    = ToSecond;
    end else if (slot_first) begin
      scale_o = scales_q[0];
      to_o    = ToFirst;
      if (run_i.multiply) scale_o.shift = FactorShift;
    end
  end

  // Operands of element-wise commands: (x - zero) * 2^20. The factor of MULTIPLY is x - zero.
  task automatic prepare;
    logic [8:0] difference;
    logic [7:0] x, zero;
    for (int i = 0; i < Dim; i++) begin
      x          = slot_second ? (run_i.residual ? side_i[i] : operand_i[3][i])
                               : (run_i.residual ? middle_i[i] : operand_i[2][i]);
      zero       = slot_second ? run_i.second_zero : run_i.middle.zero;
      difference = {x[7], x} - {zero[7], zero};
      row_o[i]   = {{3{difference[8]}}, difference, 20'd0};
    end
  endtask

  always_comb begin
    row_o = slot_sum ? sum_i : operand_i;
    if (slot_second || slot_first) prepare;
  end

  assign factors_o = slot_first && run_i.multiply;
  always_comb begin
    factor_o = '0;
    if (factors_o) begin
      for (int i = 0; i < Dim; i++) begin
        factor_o[i] = {operand_i[3][i][7], operand_i[3][i]} - {run_i.second_zero[7], run_i.second_zero};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) acc_wr_valid_q <= 1'b0;
    else if (take_o && run_i.preload) acc_wr_valid_q <= 1'b1;
    else if (acc_wr_ready_i) acc_wr_valid_q <= 1'b0;
  end

  assign acc_wr_valid_o = acc_wr_valid_q;

  `TPU_ASSERT(OneSlotPerCycle,
              2'(slot_value) + 2'(slot_second) + 2'(slot_first) + 2'(slot_sum) <= 2'd1,
              ("value %b, second %b, first %b, sum %b\n", slot_value, slot_second, slot_first, slot_sum))
  `TPU_ASSERT(MiddleInItsSlot, middle_valid_i == (run_i.residual && slot_first),
              ("middle_valid_i %b, residual %b, slot_first %b\n", middle_valid_i, run_i.residual, slot_first))
endmodule
