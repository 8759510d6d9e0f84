// SPDX-License-Identifier: Apache-2.0
// Fourth stage of the lanes: takes the sum or the product, counts leading zeros and shifts them out of what is to be
// rounded to binary32. All other results are complete after it.
//
// Latency: one cycle. Throughput: one row per cycle. Back-pressure: none, never stalls. Outputs are registers that
// change only with a row.
//
// Protocol: valid_i marks a row for one cycle. Inputs are outputs of tpu_lanes_add.
//
// Parameters: Dim (lanes).
module tpu_lanes_normalize #(
  parameter int Dim = 16
) (
  input  logic              clk_i,
  input  logic              valid_i,
  input  logic [5:0]        op_i,
  input  logic [Dim-1:0][31:0] sum_i,
  input  logic [Dim-1:0]    sticky_i,
  input  logic [Dim-1:0][9:0] exponent_i,
  input  logic [Dim-1:0]    sign_i,
  input  logic [Dim-1:0]    invert_i,
  input  logic [Dim-1:0]    nan_i,
  input  logic [Dim-1:0]    limit_i,
  // Products of what tpu_lanes_select put out as x and y.
  input  logic [Dim-1:0][31:0] product_low_i,
  input  logic [Dim-1:0][31:0] product_high_i,
  // The result; or, where it is to be rounded, its significand, the first bit in bit 31 unless it is zero.
  output logic [Dim-1:0]    round_o,
  output logic [Dim-1:0][31:0] value_o,
  output logic [Dim-1:0]    sticky_o,
  output logic [Dim-1:0][9:0] exponent_o,
  output logic [Dim-1:0]    sign_o
);
  task automatic advance;
    logic              rounds, counts, mantissa, whole, low, high, highest, multiplies;
    logic [Dim-1:0][31:0] value;
    logic [Dim-1:0][9:0] exponent;
    logic [Dim-1:0]    round, sign, sticky;
    // Variables of one lane.
    logic [63:0] product;
    logic [31:0] v;
    logic [4:0]  zeros;
    logic [9:0]  offset;
    logic        limit;

    low        = op_i == tpu_kernel_pkg::KOP_IMUL;
    high       = op_i == tpu_kernel_pkg::KOP_MUL_HIGH;
    highest    = op_i == tpu_kernel_pkg::KOP_MUL_HIGH_UNSIGNED;
    multiplies = op_i == tpu_kernel_pkg::KOP_FMUL;
    rounds     = op_i == tpu_kernel_pkg::KOP_FADD || op_i == tpu_kernel_pkg::KOP_FSUB || multiplies
                 || op_i == tpu_kernel_pkg::KOP_TO_FLOAT;
    counts     = op_i == tpu_kernel_pkg::KOP_COUNT_ZEROS;
    mantissa   = op_i == tpu_kernel_pkg::KOP_MANTISSA;
    whole      = op_i == tpu_kernel_pkg::KOP_TO_INT || mantissa;
    // From exponent_i to the exponent of bit 31. The first bit of a product of significands is bit 29 or 30, that of a
    // sum bit 30 or 31.
    offset = multiplies ? 10'd3 : 10'd1;
    round  = ~(nan_i | limit_i) & {Dim{rounds}};
    sign   = sign_i;
    sticky = sticky_i;

    for (int i = 0; i < Dim; i++) begin
      product = {product_high_i[i], product_low_i[i]};
      limit   = limit_i[i];
      v       = sum_i[i];
      if (low) v = product[31:0];
      else if (highest) v = product[63:32];
      else if (high || multiplies) v = product[62:31];
      if (multiplies) sticky[i] = product[30:0] != '0;
      if (high) begin
        // Only the square of -2^31 is too great.
        limit   = product[63] != product[62];
        sign[i] = 1'b0;
      end
      zeros   = '0;
      if (rounds || counts) begin
        zeros[4] = v[31:16] == '0;
        if (zeros[4]) v = {v[15:0], 16'd0};
        zeros[3] = v[31:24] == '0;
        if (zeros[3]) v = {v[23:0], 8'd0};
        zeros[2] = v[31:28] == '0;
        if (zeros[2]) v = {v[27:0], 4'd0};
        zeros[1] = v[31:30] == '0;
        if (zeros[1]) v = {v[29:0], 2'd0};
        zeros[0] = !v[31];
        if (zeros[0]) v = {v[30:0], 1'd0};
        // A difference that is zero is +0.
        sign[i] = sign_i[i] && (v[31] || !invert_i[i]);
        exponent[i] = exponent_i[i] + offset - {5'd0, zeros};
      end

      if (nan_i[i]) v = whole ? 32'd0 : 32'h7fc0_0000;
      // Rounding may have made 128 of less.
      else if (mantissa && (limit || v[7] != v[31] || (v[31] && v[6:0] == '0)))
        v = sign_i[i] ? -32'd127 : 32'd127;
      else if (limit) v = rounds ? {sign_i[i], 31'h7f80_0000} : {sign[i], {31{!sign[i]}}};
      else if (counts) v = v[31] ? {27'd0, zeros} : 32'd32;
      value[i] = v;
    end

    round_o <= round;
    value_o <= value;
    if (rounds) begin
      sticky_o   <= sticky;
      exponent_o <= exponent;
      sign_o     <= sign;
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (valid_i) advance;
  end
endmodule
