// SPDX-License-Identifier: Apache-2.0
// The requantization with the multiplier that it shares with the vector processor.
module requantize_top #(
  parameter int Dim = 16,
  parameter int Recoded = 0
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              valid_i,
  input  logic [1:0]        tag_i,
  input  logic [32*Dim-1:0] acc_i,
  input  logic [1:0]        rounding_i,
  input  logic              per_lane_i,
  input  logic [32*Dim-1:0] lane_multiplier_i,
  input  logic [6*Dim-1:0]  lane_shift_i,
  input  logic [31:0]       multiplier_i,
  input  logic [5:0]        shift_i,
  output logic              valid_o,
  output logic [1:0]        tag_o,
  output logic [32*Dim-1:0] value_o
);
  logic                      scale_valid, scale_per_lane, scale_factors;
  logic [Dim-1:0]            scale_round;
  logic [31:0]               scale_multiplier;
  logic [Dim-1:0][8:0]       scale_factor;
  logic [Dim-1:0][31:0]      operand, product_low, product_high;
  tpu_vpu_pkg::destination_e to;

  tpu_requantize #(.Dim(Dim)) u_requantize (
    .clk_i, .rst_ni, .load_i(valid_i), .valid_i, .to_i(tpu_vpu_pkg::destination_e'(tag_i)), .row_i(acc_i), .rounding_i,
    .per_lane_i, .lane_shift_i, .scale_i('{multiplier: multiplier_i, shift: shift_i}), .factors_i(1'b0),
    .factor_i('0), .operand_o(operand), .mul_valid_o(scale_valid), .mul_factors_o(scale_factors),
    .mul_factor_o(scale_factor), .mul_per_lane_o(scale_per_lane), .mul_multiplier_o(scale_multiplier),
    .mul_round_o(scale_round), .product_low_i(product_low), .product_high_i(product_high), .valid_o, .to_o(to),
    .row_o(value_o)
  );

  assign tag_o = to;

  tpu_multiplier #(.Dim(Dim), .Recoded(Recoded)) u_multiplier (
    .clk_i, .rst_ni, .scale_valid_i(scale_valid), .scale_operand_i(operand), .scale_round_i(scale_round),
    .scale_factors_i(scale_factors), .scale_factor_i(scale_factor), .scale_per_lane_i(scale_per_lane),
    .scale_lane_multiplier_i(lane_multiplier_i), .scale_multiplier_i(scale_multiplier), .valid_i(1'b0), .a_i('0),
    .b_i('0), .round_i(1'b0), .unsigned_i(1'b0), .product_low_o(product_low), .product_high_o(product_high)
  );
endmodule
