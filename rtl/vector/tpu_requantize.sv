// SPDX-License-Identifier: Apache-2.0
// Requantization of one row: value = row * multiplier * 2^(shift - 31), rounded as rounding_i selects and saturated to
// int32.
//
//   double: saturate(row << shift) when shift > 0; floor((row * multiplier + 2^30) / 2^31); then, when shift < 0, a
//           right shift by -shift rounding ties away from zero
//   single: floor((row * multiplier + 2^(30 - shift)) / 2^(31 - shift)): ties toward plus infinity
//   even:   as single, ties to even
//
// Range: every int32 row; multiplier 0 to 2^31-1; shift -31 to 30.
//
// All three are one right shift of the product, by 31 - shift, and one rounding. The left shift of "double" is part of
// it, except that a value which would leave int32 is saturated before the product, which is then shifted by 31. The
// first rounding of "double" is part of the product: tpu_multiplier adds 2^30.
//
// Latency: 5 cycles from valid_i to valid_o. Throughput: one row per cycle. Back-pressure: none, the pipeline never
// stalls. Registers of a stage change only when a row enters it. Scales are either one for each lane, which must not
// change while rows are in flight, or one that travels with the row. rounding_i must not change while rows are in
// flight.
//
// Protocol: load_i takes a row to operand_o, valid_i tells that it is to be requantized (never without load_i). valid_o
// marks the result for one cycle, with the same destination. mul_valid_o asks tpu_multiplier for the products of
// operand_o, which have to be at the inputs two cycles later.
//
// Parameters: Dim (lanes).
module tpu_requantize #(
  parameter int Dim = 16
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  // Row of int32 values.
  input  logic                      load_i,
  input  logic                      valid_i,
  input  tpu_vpu_pkg::destination_e to_i,
  input  logic [Dim-1:0][31:0]      row_i,
  input  logic [1:0]                rounding_i,
  // Scale: of each lane when per_lane_i, else scale_i. The multipliers of the lanes go to tpu_multiplier.
  input  logic                      per_lane_i,
  input  logic [Dim-1:0][5:0]       lane_shift_i,
  input  tpu_vpu_pkg::scale_t       scale_i,
  // Or a factor of each lane in place of the multiplier, without saturation and with a product that leaves nothing to
  // be rounded.
  input  logic                      factors_i,
  input  logic [Dim-1:0][8:0]       factor_i,
  // Row that was taken.
  output logic [Dim-1:0][31:0]      operand_o,
  // Multiplier.
  output logic                      mul_valid_o,
  output logic                      mul_per_lane_o,
  output logic [31:0]               mul_multiplier_o,
  output logic                      mul_factors_o,
  output logic [Dim-1:0][8:0]       mul_factor_o,
  output logic [Dim-1:0]            mul_round_o,
  input  logic [Dim-1:0][31:0]      product_low_i,
  input  logic [Dim-1:0][31:0]      product_high_i,
  // Row of int32 results.
  output logic                      valid_o,
  output tpu_vpu_pkg::destination_e to_o,
  output logic [Dim-1:0][31:0]      row_o
);
  // Fields that travel with a row until its product is shifted.
  typedef struct packed {
    tpu_vpu_pkg::destination_e to;
    logic                      per_lane;
    logic [5:0]                shift;
    logic [Dim-1:0]            saturated;
  } flight_t;

  logic           is_double, is_even;
  logic           operand_valid_q, partial_valid_q, product_valid_q, moved_valid_q, value_valid_q;
  flight_t        operand_flight_q, partial_flight_q, product_flight_q;
  logic [31:0]    operand_multiplier_q;

  assign is_double = rounding_i == tpu_pkg::ROUNDING_DOUBLE;
  assign is_even   = rounding_i == tpu_pkg::ROUNDING_EVEN;

  // Each stage computes in a task, because a simulator keeps the variables of a task in processor registers, and shifts
  // whole words, for which it has one instruction.

  // A value is saturated if one of the bits that its left shift pushes out, or the one that becomes the sign, differs
  // from the sign: those from bit 31 - shift on.
  task automatic take;
    logic [Dim-1:0][31:0] row;
    logic [Dim-1:0]       saturated;
    // Variables of one lane.
    logic [30:0] differs;
    logic [5:0]  shift;
    row       = row_i;
    saturated = '0;
    if (valid_i && is_double && !factors_i) begin
      for (int i = 0; i < Dim; i++) begin
        shift   = per_lane_i ? lane_shift_i[i] : scale_i.shift;
        differs = (row_i[i][30:0] ^ {31{row_i[i][31]}}) & (31'h7fff_ffff << ~shift[4:0]);
        if (differs != '0 && !shift[5]) begin
          row[i]       = {row_i[i][31], {31{!row_i[i][31]}}};
          saturated[i] = 1'b1;
        end
      end
    end
    operand_o            <= row;
    operand_multiplier_q <= scale_i.multiplier;
    operand_flight_q     <= '{to: to_i, per_lane: per_lane_i, shift: scale_i.shift, saturated: saturated};
    mul_factors_o        <= factors_i;
    if (factors_i) mul_factor_o <= factor_i;
  endtask

  // The first rounding of "double" stands for itself only where a second one follows.
  always_comb begin
    mul_round_o = '0;
    if (operand_valid_q && is_double) begin
      for (int i = 0; i < Dim; i++) begin
        mul_round_o[i] = operand_flight_q.per_lane ? lane_shift_i[i][5] : operand_flight_q.shift[5];
      end
    end
  end

  assign mul_valid_o      = operand_valid_q;
  assign mul_per_lane_o   = operand_flight_q.per_lane;
  assign mul_multiplier_o = operand_multiplier_q;

  // Right shift, in two stages: by 32, 16 and 8, then by 4, 2 and 1. Below the result there is one bit more, the one
  // that rounds. A negative product is inverted, so that zeros follow from above, and inverted again behind the shift.
  typedef struct packed {
    logic        sign;
    logic [2:0]  distance; // that is still to be shifted
    logic        more;     // a bit below the one that rounds is set, or ties are rounded up
    logic [58:0] size;     // 39 bits, all ones if one above them differs from the sign; the others are zero, so that a
                           // simulator moves a lane in one piece
  } lane_t;

  lane_t [Dim-1:0]           moved_q;
  tpu_vpu_pkg::destination_e moved_to_q;

  // A product takes 63 bits, so that it can be shifted to the left by the bit that rounds. "double" leaves out of
  // `cut` what its first rounding has cut off, and rounds ties of negative values away from zero.
  task automatic shift_far;
    lane_t [Dim-1:0] moved;
    logic            twice, even;
    // Variables of one lane.
    logic [63:0]     product, cut, size;
    logic [5:0]      n;
    logic            sign;
    twice = is_double;
    even  = is_even;
    for (int i = 0; i < Dim; i++) begin
      n = product_flight_q.per_lane ? lane_shift_i[i] : product_flight_q.shift;
      if (product_flight_q.saturated[i]) n = '0;
      n       = n ^ 6'd31; // 31 - n
      sign    = product_high_i[i][31];
      product = {product_high_i[i][30:0], product_low_i[i], 1'b0};
      cut     = product & ~(64'hffff_ffff_ffff_ffff << {n[5:3], 3'd0});
      if (twice && n[5]) cut[31:0] = '0;
      size     = (product ^ {64{sign}}) >> {n[5:3], 3'd0};
      moved[i] = '{
        sign:     sign,
        distance: n[2:0],
        more:     cut != '0 || (!even && !(twice && n[5] && sign)),
        size:     {20'd0, size[38:0] | {39{size[63:39] != '0}}}
      };
    end
    moved_to_q <= product_flight_q.to;
    moved_q    <= moved;
  endtask

  task automatic shift_near;
    logic [Dim-1:0][31:0] row;
    logic                 even;
    // Variables of one lane.
    lane_t       lane;
    logic [58:0] word;
    logic [31:0] sum;
    logic [6:0]  cut;
    logic        up, outside;
    even = is_even;
    for (int i = 0; i < Dim; i++) begin
      lane    = moved_q[i];
      word    = lane.size >> lane.distance;
      cut     = (lane.size[6:0] ^ {7{lane.sign}}) & ~(7'h7f << lane.distance);
      up      = word[0] != lane.sign && (lane.more || cut != '0 || (even && word[1] != lane.sign));
      sum     = (word[32:1] ^ {32{lane.sign}}) + {31'd0, up};
      outside = word[58:32] != '0 || (!lane.sign && sum[31]);
      row[i]  = outside ? {lane.sign, {31{!lane.sign}}} : sum;
    end
    to_o  <= moved_to_q;
    row_o <= row;
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      operand_valid_q <= 1'b0;
      partial_valid_q <= 1'b0;
      product_valid_q <= 1'b0;
      moved_valid_q   <= 1'b0;
      value_valid_q   <= 1'b0;
    end else begin
      operand_valid_q <= valid_i;
      partial_valid_q <= operand_valid_q;
      product_valid_q <= partial_valid_q;
      moved_valid_q   <= product_valid_q;
      value_valid_q   <= moved_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_i) take;
    if (operand_valid_q) partial_flight_q <= operand_flight_q;
    if (partial_valid_q) product_flight_q <= partial_flight_q;
    if (product_valid_q) shift_far;
    if (moved_valid_q) shift_near;
  end

  assign valid_o = value_valid_q;
endmodule
