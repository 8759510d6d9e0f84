// SPDX-License-Identifier: Apache-2.0
// Requantization of one row: value = acc * multiplier * 2^(shift - 31), rounded as rounding_i selects and saturated to
// int32.
//
//   double: saturate(acc << shift) when shift > 0; floor((acc * multiplier + 2^30) / 2^31); then, when shift < 0, a
//           right shift by -shift rounding ties away from zero
//   single: floor((acc * multiplier + 2^(30 - shift)) / 2^(31 - shift)): ties toward plus infinity
//   even:   as single, ties to even
//
// Range: every int32 acc; multiplier 0 to 2^31-1; shift -31 to 30. Saturation to int32 does not affect the result of a
// clamp to int8 that follows.
//
// Latency: 4 cycles from valid_i to valid_o. Throughput: one row per cycle. Back-pressure: none, the pipeline never
// stalls. Registers of a stage change only when a row enters it. Multiplier and shift are either one pair per lane,
// which must not change while rows are in flight, or one scalar pair that travels with the row. rounding_i must not
// change while rows are in flight.
//
// Protocol: valid_i marks a row together with its tag and scalar pair, valid_o its result with the same tag; both for
// one cycle. mul_valid_o asks tpu_multiplier for the products of a row, which have to be at the inputs in the next
// cycle.
//
// Parameters: Dim (lanes, even), TagWidth (bits that travel with the row).
module tpu_requantize #(
  parameter int Dim = 16,
  parameter int TagWidth = 2
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // Row of int32 values.
  input  logic                valid_i,
  input  logic [TagWidth-1:0] tag_i,
  input  logic [32*Dim-1:0]   acc_i,
  input  logic [1:0]          rounding_i,
  // Parameters: per lane when per_lane_i, else the scalars. The multipliers of the lanes go to tpu_multiplier.
  input  logic                per_lane_i,
  input  logic [6*Dim-1:0]    lane_shift_i,
  input  logic [31:0]         multiplier_i,
  input  logic [5:0]          shift_i,
  // Multiplier: products of the lower and of the upper half of the lanes.
  output logic                mul_valid_o,
  output logic [32*Dim-1:0]   mul_acc_o,
  output logic                mul_per_lane_o,
  output logic [31:0]         mul_multiplier_o,
  input  logic [32*Dim-1:0]   product_i,
  input  logic [32*Dim-1:0]   upper_product_i,
  // Row of int32 results.
  output logic                valid_o,
  output logic [TagWidth-1:0] tag_o,
  output logic [32*Dim-1:0]   value_o
);
  localparam int Half = Dim / 2;

  logic                left_valid_q, product_valid_q, high_valid_q, value_valid_q;
  logic [TagWidth-1:0] left_tag_q, product_tag_q, high_tag_q, value_tag_q;
  logic                left_lane_q, product_lane_q, high_lane_q;
  logic [5:0]          left_shift_q, product_shift_q, high_shift_q;
  logic [31:0]         left_multiplier_q;
  logic [32*Dim-1:0]   left_q, value_q;
  // 64-bit values, in two vectors of half the lanes each: vectors wider than 32*Dim bits simulate slowly.
  logic [64*Half-1:0]  high_q, upper_high_q;
  logic                is_double;

  // One function per stage. They read wide operands directly from the registers, because a simulator copies arguments.

  // Left shift with saturation to int32; a shift of zero or less leaves the value unchanged.
  function automatic logic [32*Dim-1:0] shift_left(input logic per_lane, input logic [5:0] scalar_shift);
    logic signed [31:0] a, moved, back;
    logic [5:0]         s;
    for (int i = 0; i < Dim; i++) begin
      s = per_lane ? lane_shift_i[i*6 +: 6] : scalar_shift;
      if (s[5]) s = 6'd0;
      a     = acc_i[i*32 +: 32];
      moved = a << s[4:0];
      back  = moved >>> s[4:0];
      shift_left[i*32 +: 32] = back == a ? moved : {a[31], {31{!a[31]}}};
    end
  endfunction

  // The next two functions process Dim/2 lanes, beginning with lane `first`: see high_q.
  // First rounding of "double": the high half of twice the product. The other modes keep the whole product.
  function automatic logic [64*Half-1:0] high_half(input int first, input logic round);
    logic signed [63:0] p;
    for (int i = 0; i < Half; i++) begin
      p = first == 0 ? product_i[i*64 +: 64] : upper_product_i[i*64 +: 64];
      if (round) p = (p + 64'sh4000_0000) >>> 31;
      high_half[i*64 +: 64] = p;
    end
  endfunction

  // Rounding right shift: adds one half of the result's last bit, or one unit less, and shifts. The smaller value
  // rounds a tie down: "double" uses it for negative values, "even" when the truncated result is even.
  function automatic logic [32*Half-1:0] shift_right(input int first, input logic per_lane,
                                                     input logic [5:0] scalar_shift, input logic [1:0] rounding);
    logic signed [63:0] v, half, less;
    logic [5:0]         s, n;
    for (int i = 0; i < Half; i++) begin
      s = per_lane ? lane_shift_i[(first+i)*6 +: 6] : scalar_shift;
      v = first == 0 ? high_q[i*64 +: 64] : upper_high_q[i*64 +: 64];
      if (rounding == tpu_pkg::ROUNDING_DOUBLE) begin
        n    = s[5] ? 6'd0 - s : 6'd0;
        less = {63'd0, v[63]};
      end else begin
        n    = 6'd31 - s;
        less = {63'd0, rounding == tpu_pkg::ROUNDING_EVEN && !v[n]};
      end
      // half - 1 is a mask of ones, which needs no subtractor.
      half = n == 6'd0 ? 64'sd0 : less != '0 ? ~(~64'sd0 << (n - 6'd1)) : 64'sd1 << (n - 6'd1);
      v    = (v + half) >>> n;
      shift_right[i*32 +: 32] = v[63:31] == {33{v[31]}} ? v[31:0] : {v[63], {31{!v[63]}}};
    end
  endfunction

  assign mul_valid_o      = left_valid_q;
  assign mul_acc_o        = left_q;
  assign mul_per_lane_o   = left_lane_q;
  assign mul_multiplier_o = left_multiplier_q;

  assign is_double = rounding_i == tpu_pkg::ROUNDING_DOUBLE;
  assign valid_o   = value_valid_q;
  assign tag_o     = value_tag_q;
  assign value_o   = value_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      left_valid_q    <= 1'b0;
      product_valid_q <= 1'b0;
      high_valid_q    <= 1'b0;
      value_valid_q   <= 1'b0;
    end else begin
      left_valid_q    <= valid_i;
      product_valid_q <= left_valid_q;
      high_valid_q    <= product_valid_q;
      value_valid_q   <= high_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      left_tag_q        <= tag_i;
      left_lane_q       <= per_lane_i;
      left_shift_q      <= shift_i;
      left_multiplier_q <= multiplier_i;
      if (is_double) left_q <= shift_left(per_lane_i, shift_i);
      else left_q <= acc_i;
    end
    if (left_valid_q) begin
      product_tag_q   <= left_tag_q;
      product_lane_q  <= left_lane_q;
      product_shift_q <= left_shift_q;
    end
    if (product_valid_q) begin
      high_tag_q   <= product_tag_q;
      high_lane_q  <= product_lane_q;
      high_shift_q <= product_shift_q;
      high_q       <= high_half(0, is_double);
      upper_high_q <= high_half(Half, is_double);
    end
    if (high_valid_q) begin
      value_tag_q <= high_tag_q;
      value_q     <= {shift_right(Half, high_lane_q, high_shift_q, rounding_i),
                      shift_right(0, high_lane_q, high_shift_q, rounding_i)};
    end
  end
endmodule
