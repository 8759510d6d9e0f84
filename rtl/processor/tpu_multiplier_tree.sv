// SPDX-License-Identifier: Apache-2.0
// Multiplies two numbers of 32 bits in gates: `sum_o` + `carry_o`, modulo 2^64, is a_i * b_i, or 2^30 more where
// round_i says so. Both factors are signed where signed_i says so, else neither. The sum is left to the next pipeline
// stage.
//
// b is recoded into sixteen digits of -2 to 2 (Booth), so that there are sixteen rows instead of 32, each a multiple of
// a in 34 bits. They are added three to two (carry save): nowhere does a carry run through a number. A negative
// multiple is the complement, and a one at its lowest place. The sign bit of a row is inverted, which adds 2^33 to the
// row; a constant takes that away from the sum of all rows. The digits stand for a signed b; where it is not, one more
// row adds what its highest bit counts.
//
// Latency: none, combinational.
//
// Parameters: Unsigned, 0 where signed_i is always high.
module tpu_multiplier_tree #(
  parameter int Unsigned = 1
) (
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  input  logic        round_i,
  input  logic        signed_i,
  output logic [63:0] sum_o,
  output logic [63:0] carry_o
);
  localparam int Digits = 16;

  typedef logic [63:0] number_t;
  typedef struct packed {
    number_t sum;
    number_t carry;
  } pair_t;

  // Minus 2^33 at the place of every digit.
  localparam number_t InvertedSigns = 64'h5555_5556_0000_0000;

  // The multiple of a that a digit names, as a row: without the one that completes a negative multiple. The digit is
  // the number that bits 2 (negative) to 0 of the code stand for: -2 * code[2] + code[1] + code[0].
  function automatic logic [33:0] multiple(input logic [32:0] a, input logic [2:0] code);
    logic [33:0] magnitude;
    if (code == 3'b000 || code == 3'b111) magnitude = '0;
    else if (code[1] ^ code[0]) magnitude = {a[32], a};
    else magnitude = {a, 1'b0};
    return magnitude ^ {!code[2], {33{code[2]}}};
  endfunction

  // Makes two numbers of three. Where two bits differ the third is the carry, else one of the two: a multiplexer.
  function automatic pair_t add(input number_t a, input number_t b, input number_t c);
    number_t differs, carry;
    differs = a ^ b;
    carry   = (differs & c) | (~differs & a);
    return '{sum: differs ^ c, carry: carry << 1};
  endfunction

  number_t [Digits-1:0] row;
  number_t              others; // completing ones, and the constant
  number_t              highest; // what the highest bit of an unsigned b counts
  logic [32:0]          extended;
  logic                 is_signed;
  assign is_signed = Unsigned == 0 || signed_i;
  assign extended  = {is_signed && a_i[31], a_i};
  assign highest   = {a_i & {32{!is_signed && b_i[31]}}, 32'd0};
  for (genvar d = 0; d < Digits; d++) begin : gen_digit
    logic [2:0] code;
    if (d == 0) begin : gen_lowest
      assign code = {b_i[1:0], 1'b0};
    end else begin : gen_upper
      assign code = b_i[2*d+1:2*d-1];
    end
    // 2^30 is twice 2^29, where neither the last row nor the ones have a bit.
    assign row[d] = number_t'(multiple(extended, code)) << (2 * d) | number_t'(d == Digits - 1 && round_i) << 29;
    assign others[2*d +: 2] = {d == Digits - 2 && round_i, code[2]};
  end
  assign others[63:32] = InvertedSigns[63:32];

  // From 18 numbers to 12, 8, 6, 4, 3 and 2.
  pair_t a0, a1, a2, a3, a4, a5, b0, b1, b2, b3, c0, c1, d0, d1, e, f;
  assign a0 = add(row[0], row[1], row[2]);
  assign a1 = add(row[3], row[4], row[5]);
  assign a2 = add(row[6], row[7], row[8]);
  assign a3 = add(row[9], row[10], row[11]);
  assign a4 = add(row[12], row[13], row[14]);
  assign a5 = add(row[15], highest, others);
  assign b0 = add(a0.sum, a0.carry, a1.sum);
  assign b1 = add(a1.carry, a2.sum, a2.carry);
  assign b2 = add(a3.sum, a3.carry, a4.sum);
  assign b3 = add(a4.carry, a5.sum, a5.carry);
  assign c0 = add(b0.sum, b0.carry, b1.sum);
  assign c1 = add(b1.carry, b2.sum, b2.carry);
  assign d0 = add(c0.sum, c0.carry, c1.sum);
  assign d1 = add(c1.carry, b3.sum, b3.carry);
  assign e  = add(d0.sum, d0.carry, d1.sum);
  assign f  = add(e.sum, e.carry, d1.carry);

  assign sum_o   = f.sum;
  assign carry_o = f.carry;
endmodule
