// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the vector processor: one operation on one row of 32-bit words, each lane for itself. Operations are
// those of the groups vector1 and vector2 of isa/spec/pages/kernel.md. The stages are
//
//   select      takes operands apart, compares, chooses
//   shift       aligns, shifts; words of the table are read beside it, products begun
//   add         adds, subtracts, takes the word
//   normalize   takes the product; counts leading zeros and shifts them out
//   round       rounds to binary32
//
// Each computes in a task, because a simulator keeps the variables of a task in processor registers.
//
// Latency: 5 cycles from valid_i to valid_o, for every operation. Throughput: one row per cycle. Back-pressure: none,
// the pipeline never stalls. Registers of a stage change only when a row enters it.
//
// Protocol: valid_i marks a row together with its operation, rounding and tag, valid_o its result with the same tag;
// both for one cycle. mul_valid_o and lookup_o ask for the products or the words of a row, which have to be at the
// inputs two cycles later, or in the next cycle.
//
// Parameters: Dim (lanes), TagWidth (bits that travel with the row).
module tpu_lanes #(
  parameter int Dim = 16,
  parameter int TagWidth = 2
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // Row of operands. even_i: ties of shift_round to even.
  input  logic                valid_i,
  input  logic [5:0]          op_i,
  input  logic                even_i,
  input  logic [TagWidth-1:0] tag_i,
  input  logic [Dim-1:0][31:0]   a_i,
  input  logic [Dim-1:0][31:0]   b_i,
  // Multiplier: 64-bit products, signed unless mul_unsigned_o, rounded for their upper 33 bits where mul_round_o says
  // so.
  output logic                mul_valid_o,
  output logic [Dim-1:0][31:0]   mul_a_o,
  output logic [Dim-1:0][31:0]   mul_b_o,
  output logic                mul_round_o,
  output logic                mul_unsigned_o,
  input  logic [Dim-1:0][31:0]   product_low_i,
  input  logic [Dim-1:0][31:0]   product_high_i,
  // Table: number of a word for each lane.
  output logic                lookup_o,
  output logic [Dim-1:0][7:0]    index_o,
  input  logic [Dim-1:0][31:0]   word_i,
  // Row of results.
  output logic                valid_o,
  output logic [TagWidth-1:0] tag_o,
  output logic [Dim-1:0][31:0]   result_o
);
  // Registers are named after the stage that wrote them.
  logic                select_valid_q, shift_valid_q, add_valid_q, normal_valid_q, round_valid_q;
  logic [5:0]          select_op_q, shift_op_q, add_op_q;
  logic                select_even_q;
  logic [TagWidth-1:0] select_tag_q, shift_tag_q, add_tag_q, normal_tag_q, round_tag_q;
  logic [Dim-1:0][31:0]   select_x, select_y, shift_x, shift_y, sum, normal;
  logic [Dim-1:0][5:0]    amount;
  logic [Dim-1:0][9:0]   select_exponent, shift_exponent, add_exponent, normal_exponent;
  logic [Dim-1:0]      select_sign, shift_sign, add_sign, normal_sign;
  logic [Dim-1:0]      select_invert, shift_invert, add_invert;
  logic [Dim-1:0]      select_nan, shift_nan, add_nan, select_limit, shift_limit, add_limit;
  logic [Dim-1:0]      carry, shift_sticky, add_sticky, normal_sticky, round;

  function automatic logic [Dim-1:0][7:0] low_bytes();
    for (int i = 0; i < Dim; i++) low_bytes[i] = select_x[i][7:0];
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      select_valid_q <= 1'b0;
      shift_valid_q  <= 1'b0;
      add_valid_q    <= 1'b0;
      normal_valid_q <= 1'b0;
      round_valid_q  <= 1'b0;
    end else begin
      select_valid_q <= valid_i;
      shift_valid_q  <= select_valid_q;
      add_valid_q    <= shift_valid_q;
      normal_valid_q <= add_valid_q;
      round_valid_q  <= normal_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      select_op_q   <= op_i;
      select_even_q <= even_i;
      select_tag_q  <= tag_i;
    end
    if (select_valid_q) begin
      shift_op_q  <= select_op_q;
      shift_tag_q <= select_tag_q;
    end
    if (shift_valid_q) begin
      add_op_q  <= shift_op_q;
      add_tag_q <= shift_tag_q;
    end
    if (add_valid_q) normal_tag_q <= add_tag_q;
    if (normal_valid_q) round_tag_q <= normal_tag_q;
  end

  assign valid_o     = round_valid_q;
  assign tag_o       = round_tag_q;
  assign mul_valid_o = select_valid_q && (select_op_q == tpu_kernel_pkg::KOP_IMUL
                       || select_op_q == tpu_kernel_pkg::KOP_MUL_HIGH || select_op_q == tpu_kernel_pkg::KOP_FMUL
                       || mul_unsigned_o);
  assign mul_unsigned_o = select_op_q == tpu_kernel_pkg::KOP_MUL_HIGH_UNSIGNED;
  assign mul_round_o = select_op_q == tpu_kernel_pkg::KOP_MUL_HIGH;
  assign mul_a_o     = select_x;
  assign mul_b_o     = select_y;
  assign lookup_o    = select_valid_q && select_op_q == tpu_kernel_pkg::KOP_TABLE;

  always_comb begin
    index_o = '0;
    if (lookup_o) index_o = low_bytes();
  end

  tpu_lanes_select #(.Dim(Dim)) u_select (
    .clk_i,
    .valid_i,
    .op_i,
    .a_i,
    .b_i,
    .x_o(select_x),
    .y_o(select_y),
    .amount_o(amount),
    .exponent_o(select_exponent),
    .sign_o(select_sign),
    .invert_o(select_invert),
    .nan_o(select_nan),
    .limit_o(select_limit)
  );

  tpu_lanes_shift #(.Dim(Dim)) u_shift (
    .clk_i,
    .valid_i(select_valid_q),
    .op_i(select_op_q),
    .even_i(select_even_q),
    .x_i(select_x),
    .y_i(select_y),
    .amount_i(amount),
    .exponent_i(select_exponent),
    .sign_i(select_sign),
    .invert_i(select_invert),
    .nan_i(select_nan),
    .limit_i(select_limit),
    .x_o(shift_x),
    .y_o(shift_y),
    .carry_o(carry),
    .sticky_o(shift_sticky),
    .exponent_o(shift_exponent),
    .sign_o(shift_sign),
    .invert_o(shift_invert),
    .nan_o(shift_nan),
    .limit_o(shift_limit)
  );

  tpu_lanes_add #(.Dim(Dim)) u_add (
    .clk_i,
    .valid_i(shift_valid_q),
    .op_i(shift_op_q),
    .x_i(shift_x),
    .y_i(shift_y),
    .carry_i(carry),
    .sticky_i(shift_sticky),
    .exponent_i(shift_exponent),
    .sign_i(shift_sign),
    .invert_i(shift_invert),
    .nan_i(shift_nan),
    .limit_i(shift_limit),
    .word_i,
    .sum_o(sum),
    .sticky_o(add_sticky),
    .exponent_o(add_exponent),
    .sign_o(add_sign),
    .invert_o(add_invert),
    .nan_o(add_nan),
    .limit_o(add_limit)
  );

  tpu_lanes_normalize #(.Dim(Dim)) u_normalize (
    .clk_i,
    .valid_i(add_valid_q),
    .op_i(add_op_q),
    .sum_i(sum),
    .sticky_i(add_sticky),
    .exponent_i(add_exponent),
    .sign_i(add_sign),
    .invert_i(add_invert),
    .nan_i(add_nan),
    .limit_i(add_limit),
    .product_low_i,
    .product_high_i,
    .round_o(round),
    .value_o(normal),
    .sticky_o(normal_sticky),
    .exponent_o(normal_exponent),
    .sign_o(normal_sign)
  );

  tpu_lanes_round #(.Dim(Dim)) u_round (
    .clk_i,
    .valid_i(normal_valid_q),
    .round_i(round),
    .value_i(normal),
    .sticky_i(normal_sticky),
    .exponent_i(normal_exponent),
    .sign_i(normal_sign),
    .result_o
  );
endmodule
