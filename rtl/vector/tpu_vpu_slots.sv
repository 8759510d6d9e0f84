// SPDX-License-Identifier: Apache-2.0
// Schedules the requantizations of a row on the one multiplier of each lane, and prepares their operands.
//
// A row starts (take_o) when its operand is complete. The requantizations of a row and their cycles after the start;
// L = 5 is the latency of this module plus that of tpu_requantize:
//   DRAIN, AVGPOOL, MULTIPLY   value 0
//   ADD                        second operand 0, first operand 1, sum 7 = 1 + L + 1
//   residual DRAIN             value 0, second operand 6, first operand 7 = L + 2 (clamp, table), sum 13 = 7 + L + 1
// Rows of the last two operations start at least four cycles apart, and never at a distance at which two rows would
// need the multiplier in the same cycle: any difference between two cycles of the same line above is forbidden.
// Multiples of four are always allowed, so the throughput is one row in four cycles.
// MAXPOOL, MAP and DRAIN32 rows need no multiplier and bypass it (bypass_o); a PRELOAD row is written to the
// accumulators from here.
//
// Latency: one cycle from a slot to value_o. Throughput: one requantization per cycle. Back-pressure: a read, whose
// data arrive one cycle later, may be issued only while room_o is high.
//
// Protocol: operand_i is taken with take_o, side_i with side_take_o. value_valid_o and bypass_o each mark a row for one
// cycle. acc_wr_* is a valid/ready stream.
//
// Parameters: Dim (lanes).
`include "tpu_assert.svh"
module tpu_vpu_slots #(
  parameter int Dim = 16
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // Operation of the command.
  input  logic              run_drain_i,
  input  logic              run_residual_i,
  input  logic              run_add_i,
  input  logic              run_multiply_i,
  input  logic              run_preload_i,
  input  logic              run_average_i,
  input  logic [7:0]        run_zero1_i,
  input  logic [7:0]        run_zero2_i,
  // Scalar parameters, three entries; copied while running_i is high and when a row's last read arrives.
  input  logic              running_i,
  input  logic [95:0]       scalar_multiplier_i,
  input  logic [17:0]       scalar_shift_i,
  // Operand of the next row.
  input  logic              arriving_i,
  input  logic              full_i,
  input  logic [32*Dim-1:0] operand_i,
  output logic              take_o,
  output logic              room_o,
  // Second operand of a residual.
  input  logic [8*Dim-1:0]  side_i,
  output logic              side_take_o,
  // Requantized accumulator of a residual, and the sum of two requantized operands.
  input  logic              middle_valid_i,
  input  logic [8*Dim-1:0]  middle_i,
  input  logic [32*Dim-1:0] sum_i,
  // To the requantization.
  output logic              value_valid_o,
  output logic [1:0]        value_tag_o,
  output logic [32*Dim-1:0] value_o,
  output logic              per_lane_o,
  output logic [31:0]       multiplier_o,
  output logic [5:0]        shift_o,
  // Bypass: the row that starts needs no requantization.
  output logic              bypass_o,
  // Accumulator write: value_o is the row.
  output logic              acc_wr_valid_o,
  input  logic              acc_wr_ready_i
);
  // Bit a forbids a start a+1 cycles after another one: distances 1 to 3, and the differences between slot cycles.
  localparam logic [12:0] AddForbids      = 13'b0_0000_0110_0111;
  localparam logic [12:0] ResidualForbids = 13'b1_0000_0110_0111;

  logic [8*Dim-1:0] read_last, read_before;

  // (x - zero) * 2^20
  function automatic logic [32*Dim-1:0] expand(input logic [8*Dim-1:0] row, input logic [7:0] zero);
    logic [8:0] difference;
    for (int i = 0; i < Dim; i++) begin
      difference = {row[i*8+7], row[i*8 +: 8]} - {zero[7], zero};
      expand[i*32 +: 32] = {{3{difference[8]}}, difference, 20'd0};
    end
  endfunction

  // (x1 - zero1) * (x2 - zero2), in a 9 x 9 bit multiplier per lane, separate from that of the requantization.
  function automatic logic [32*Dim-1:0] product(input logic [7:0] zero1, input logic [7:0] zero2);
    logic signed [8:0]  a, b;
    logic signed [31:0] p;
    for (int i = 0; i < Dim; i++) begin
      a = {read_before[i*8+7], read_before[i*8 +: 8]} - {zero1[7], zero1};
      b = {read_last[i*8+7], read_last[i*8 +: 8]} - {zero2[7], zero2};
      p = a * b;
      product[i*32 +: 32] = p;
    end
  endfunction

  logic [12:0]       starts_q;
  logic              shared, start_allowed;
  logic              slot_value, slot_second, slot_first, slot_sum, any_slot;
  logic [95:0]       scalar_multiplier_q;
  logic [17:0]       scalar_shift_q;
  logic              value_valid_q, per_lane_q, acc_wr_valid_q;
  logic [1:0]        tag_q;
  logic [32*Dim-1:0] value_q;
  logic [31:0]       multiplier_q;
  logic [5:0]        shift_q;

  assign read_last   = operand_i[24*Dim +: 8*Dim];
  assign read_before = operand_i[16*Dim +: 8*Dim];

  // Start of a row.
  assign shared        = run_add_i || run_residual_i;
  assign start_allowed = run_residual_i ? (starts_q & ResidualForbids) == '0
                       : run_add_i      ? (starts_q & AddForbids) == '0
                       : !run_preload_i || !acc_wr_valid_q || acc_wr_ready_i;
  // A row of ADD or residual DRAIN may have to wait for its start, so no read is issued until it has started. A PRELOAD
  // row has to wait only while the previous accumulator write is stalled.
  always_comb begin
    take_o = 1'b0;
    if (full_i) take_o = start_allowed;
    room_o = 1'b1;
    if (full_i && !take_o) room_o = 1'b0;
    if (arriving_i) begin
      if (shared || (run_preload_i && acc_wr_valid_q && !acc_wr_ready_i)) room_o = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) starts_q <= '0;
    else if (shared) starts_q <= {starts_q[11:0], take_o};
  end

  // Slots.
  always_comb begin
    slot_value  = 1'b0;
    slot_second = 1'b0;
    slot_first  = 1'b0;
    slot_sum    = 1'b0;
    any_slot    = 1'b0;
    side_take_o = 1'b0;
    bypass_o    = 1'b0;
    if (take_o || starts_q != '0) begin  // Other cycles have no slot and cost a simulation only this test.
      slot_value  = take_o && (run_drain_i || run_average_i || run_multiply_i);
      slot_second = run_residual_i ? starts_q[5] : run_add_i && take_o;
      slot_first  = run_residual_i ? starts_q[6] : run_add_i && starts_q[0];
      slot_sum    = run_residual_i ? starts_q[12] : run_add_i && starts_q[6];
      any_slot    = slot_value || slot_second || slot_first || slot_sum;
      side_take_o = run_residual_i && slot_second;
      bypass_o    = take_o && !slot_value && !slot_second && !run_preload_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      value_valid_q  <= 1'b0;
      acc_wr_valid_q <= 1'b0;
    end else begin
      value_valid_q <= any_slot;
      if (take_o && run_preload_i) acc_wr_valid_q <= 1'b1;
      else if (acc_wr_ready_i) acc_wr_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (running_i || arriving_i) begin
      scalar_multiplier_q <= scalar_multiplier_i;
      scalar_shift_q      <= scalar_shift_i;
    end
    if (any_slot || take_o) begin
      per_lane_q <= slot_value && run_drain_i;
      if (slot_second) begin
        value_q      <= expand(run_residual_i ? side_i : read_last, run_zero2_i);
        tag_q        <= tpu_vpu_pkg::SECOND;
        multiplier_q <= scalar_multiplier_q[63:32];
        shift_q      <= scalar_shift_q[11:6];
      end else if (slot_first) begin
        value_q      <= expand(run_residual_i ? middle_i : read_before, run_zero1_i);
        tag_q        <= tpu_vpu_pkg::FIRST;
        multiplier_q <= scalar_multiplier_q[31:0];
        shift_q      <= scalar_shift_q[5:0];
      end else begin
        if (slot_sum) value_q <= sum_i;
        else if (run_multiply_i) value_q <= product(run_zero1_i, run_zero2_i);
        else value_q <= operand_i;
        tag_q        <= slot_value && run_residual_i ? tpu_vpu_pkg::MIDDLE : tpu_vpu_pkg::RESULT;
        multiplier_q <= scalar_multiplier_q[95:64];
        shift_q      <= scalar_shift_q[17:12];
      end
    end
  end

  assign value_valid_o  = value_valid_q;
  assign value_tag_o    = tag_q;
  assign value_o        = value_q;
  assign per_lane_o     = per_lane_q;
  assign multiplier_o   = multiplier_q;
  assign shift_o        = shift_q;
  assign acc_wr_valid_o = acc_wr_valid_q;

  `TPU_ASSERT(OneSlotPerCycle,
              2'(slot_value) + 2'(slot_second) + 2'(slot_first) + 2'(slot_sum) <= 2'd1,
              ("value %b, second %b, first %b, sum %b\n", slot_value, slot_second, slot_first, slot_sum))
  `TPU_ASSERT(MiddleInItsSlot, middle_valid_i == (run_residual_i && slot_first),
              ("middle_valid_i %b, run_residual_i %b, slot_first %b\n", middle_valid_i, run_residual_i, slot_first))
endmodule
