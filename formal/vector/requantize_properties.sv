// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_requantize against its definition, for one lane and every product of an int32 and a multiplier.
`include "properties.svh"
module requantize_properties (
  input logic                      clk_i,
  input logic                      rst_ni,
  input logic                      valid_i,
  input logic                      load_i,
  input tpu_vpu_pkg::destination_e to_i,
  input logic [31:0]               row_i,
  input logic [1:0]                any_rounding_i,
  input logic                      per_lane_i,
  input logic [5:0]                any_lane_shift_i,
  input tpu_vpu_pkg::scale_t       scale_i,
  input logic [8:0]                factor_i,
  input logic [31:0]               product_low_i,
  input logic [31:0]               product_high_i
);
  logic [0:0][31:0]          operand_o, row_o;
  logic                      mul_valid_o, mul_per_lane_o, mul_factors_o, valid_o;
  logic [31:0]               mul_multiplier_o;
  logic [0:0][8:0]           mul_factor_o;
  logic [0:0]                mul_round_o;
  tpu_vpu_pkg::destination_e to_o;
  `CHECKED_OUTSIDE_RESET
  // These do not change while rows are in flight.
  `CONSTANT(rounding_i, any_rounding_i)
  `CONSTANT(lane_shift_i, any_lane_shift_i)
  tpu_requantize #(.Dim(1)) u_requantize (.factors_i(1'b0), .*);

  logic signed [5:0]  shift;
  logic signed [63:0] product;
  logic               is_double;
  assign shift     = per_lane_i ? lane_shift_i : scale_i.shift;
  assign product   = {product_high_i, product_low_i};
  assign is_double = rounding_i == tpu_pkg::ROUNDING_DOUBLE;
  `ASSUMPTION(Loaded, load_i || !valid_i)
  `ASSUMPTION(Rounding, rounding_i inside {tpu_pkg::ROUNDING_DOUBLE, tpu_pkg::ROUNDING_SINGLE, tpu_pkg::ROUNDING_EVEN})
  `ASSUMPTION(Shift, $signed(shift) >= -6'sd31 && $signed(shift) <= 6'sd30)
  `ASSUMPTION(Product, product >= -64'sd4611686018427387904 && product < 64'sd4611686018427387904)

  // The row shifted to the left and saturated, which "double" does first; and what is left of the shift then.
  logic signed [63:0] moved;
  logic               leaves;
  logic [31:0]        operand;
  always_comb begin
    moved   = 64'($signed(row_i));
    if (is_double && $signed(shift) > 6'sd0) moved = moved << shift[4:0];
    leaves  = moved > 64'sh7fff_ffff || moved < -64'sh8000_0000;
    operand = !leaves ? row_i : row_i[31] ? 32'h8000_0000 : 32'h7fff_ffff;
  end

  // The rounded product by the definition, saturated.
  function automatic logic [31:0] saturated(input logic signed [63:0] value);
    if (value > 64'sh7fff_ffff) return 32'h7fff_ffff;
    if (value < -64'sh8000_0000) return 32'h8000_0000;
    return value[31:0];
  endfunction
  function automatic logic [31:0] defined(input logic signed [63:0] value, input logic signed [5:0] by);
    logic signed [63:0] half, sum;
    logic [5:0]         n;
    if (is_double && by < 6'sd0) begin
      sum = value >>> 31;
      n   = -by;
      return saturated((sum + (64'sd1 << (n - 6'd1)) - (sum < 0 ? 64'sd1 : 64'sd0)) >>> n);
    end
    n    = 6'd31 - by;
    half = 64'sd1 << (n - 6'd1);
    sum  = (value + half) >>> n;
    if (rounding_i == tpu_pkg::ROUNDING_EVEN && (value & ((half << 1) - 64'sd1)) == half) sum[0] = 1'b0;
    return saturated(sum);
  endfunction

  // What travels with a row: to the multiplier, two cycles later to the product, and two more to the result.
  logic [4:0]              valid_q;
  logic [2:0][5:0]         shift_q;
  logic [31:0]             operand_q;
  logic [1:0][31:0]        result_q;
  tpu_vpu_pkg::destination_e [4:0] to_q;
  always_ff @(posedge clk_i) begin
    valid_q  <= rst_ni ? {valid_q[3:0], valid_i} : '0;
    to_q     <= {to_q[3:0], to_i};
    shift_q  <= {shift_q[1:0], leaves ? 6'd0 : 6'(shift)};
    result_q <= {result_q[0], defined(product, shift_q[2])};
    if (valid_i) operand_q <= operand;
  end

  `PROPERTY(InTime, valid_q[4] || valid_o, valid_o == valid_q[4])
  `PROPERTY(Operand, valid_q[0], operand_o == operand_q && mul_valid_o)
  `PROPERTY(FirstRounding, valid_q[0], mul_round_o == (is_double && $signed(shift_q[0]) < 6'sd0))
  `PROPERTY(Result, valid_o && rounding_i == tpu_pkg::ROUNDING_SINGLE, row_o == result_q[1])
  `PROPERTY(ResultToEven, valid_o && rounding_i == tpu_pkg::ROUNDING_EVEN, row_o == result_q[1])
  `PROPERTY(ResultOfDouble, valid_o && is_double, row_o == result_q[1])
  `PROPERTY(Destination, valid_o, to_o == to_q[4])
endmodule
