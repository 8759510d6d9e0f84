// SPDX-License-Identifier: Apache-2.0
// The requantization with the multiplier that it shares with the vector processor.
module requantize_top #(
  parameter int Dim = 16
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
  logic              scale_valid, scale_per_lane;
  logic [31:0]       scale_multiplier;
  logic [32*Dim-1:0] scale_acc, product, upper_product;

  tpu_requantize #(.Dim(Dim), .TagWidth(2)) u_requantize (
    .clk_i, .rst_ni, .valid_i, .tag_i, .acc_i, .rounding_i, .per_lane_i, .lane_shift_i, .multiplier_i, .shift_i,
    .mul_valid_o(scale_valid), .mul_acc_o(scale_acc), .mul_per_lane_o(scale_per_lane),
    .mul_multiplier_o(scale_multiplier), .product_i(product), .upper_product_i(upper_product), .valid_o, .tag_o,
    .value_o
  );

  tpu_multiplier #(.Dim(Dim)) u_multiplier (
    .clk_i, .rst_ni, .scale_valid_i(scale_valid), .scale_acc_i(scale_acc), .scale_per_lane_i(scale_per_lane),
    .scale_lane_multiplier_i(lane_multiplier_i), .scale_multiplier_i(scale_multiplier), .valid_i(1'b0), .a_i('0),
    .b_i('0), .product_o(product), .upper_product_o(upper_product)
  );
endmodule
