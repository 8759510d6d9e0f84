// SPDX-License-Identifier: Apache-2.0
// The lanes with what they ask for beside them: multipliers and a table of 256 words, one copy per lane.
module tpu_lanes_bench #(
  parameter int Dim = 4,
  parameter int Recoded = 0
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              valid_i,
  input  logic [5:0]        op_i,
  input  logic              even_i,
  input  logic [6:0]        tag_i,
  input  logic [32*Dim-1:0] a_i,
  input  logic [32*Dim-1:0] b_i,
  output logic              valid_o,
  output logic [6:0]        tag_o,
  output logic [32*Dim-1:0] result_o,
  // Which rows ask for what.
  output logic              mul_valid_o,
  output logic              lookup_o,
  // Load of the table.
  input  logic              wr_valid_i,
  input  logic [7:0]        wr_index_i,
  input  logic [31:0]       wr_data_i
);
  logic [32*Dim-1:0] mul_a, mul_b, product_low, product_high, word;
  logic              mul_round, mul_unsigned;
  logic [8*Dim-1:0]  index;

  tpu_lanes #(.Dim(Dim), .TagWidth(7)) u_lanes (
    .clk_i,
    .rst_ni,
    .valid_i,
    .op_i,
    .even_i,
    .tag_i,
    .a_i,
    .b_i,
    .mul_valid_o,
    .mul_a_o(mul_a),
    .mul_b_o(mul_b),
    .mul_round_o(mul_round),
    .mul_unsigned_o(mul_unsigned),
    .product_low_i(product_low),
    .product_high_i(product_high),
    .lookup_o,
    .index_o(index),
    .word_i(word),
    .valid_o,
    .tag_o,
    .result_o
  );

  tpu_multiplier #(.Dim(Dim), .Recoded(Recoded)) u_multiplier (
    .clk_i,
    .rst_ni,
    .scale_valid_i(1'b0),
    .scale_operand_i('0),
    .scale_round_i('0),
    .scale_factors_i(1'b0),
    .scale_factor_i('0),
    .scale_per_lane_i(1'b0),
    .scale_lane_multiplier_i('0),
    .scale_multiplier_i('0),
    .valid_i(mul_valid_o),
    .a_i(mul_a),
    .b_i(mul_b),
    .round_i(mul_round),
    .unsigned_i(mul_unsigned),
    .product_low_o(product_low),
    .product_high_o(product_high)
  );

  for (genvar i = 0; i < Dim; i++) begin : gen_table
    tpu_ram #(.Width(32), .Depth(256)) u_ram (
      .clk_i,
      .rd_en_i(lookup_o),
      .rd_addr_i(index[i*8 +: 8]),
      .rd_data_o(word[i*32 +: 32]),
      .wr_en_i(wr_valid_i),
      .wr_addr_i(wr_index_i),
      .wr_data_i,
      .wr_mask_i(1'b1)
    );
  end
endmodule
