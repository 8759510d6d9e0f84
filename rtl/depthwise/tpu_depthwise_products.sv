// SPDX-License-Identifier: Apache-2.0
// Multiplies the nine values of a lane by nine weights and adds the products, in gates: `sum_o` + `carry_o`, modulo
// 2^19, is the sum of value * weight over the taps. Both numbers are kept, because their addition is left to the next
// pipeline stage.
//
// Each weight is recoded into four digits of -2 to 2 (Booth), so that a product has four rows instead of eight. The
// rows of all products, each a multiple of the value in nine bits, are added three to two (carry save): nowhere does a
// carry run through a number. A negative multiple is the complement, and a one at its lowest place. The sign bit of
// a row is inverted, which adds 2^8 to the row; a constant takes that away from the sum of all rows.
//
// Latency: none, combinational.
//
// Parameters: none.
module tpu_depthwise_products (
  input  logic [8:0][7:0] value_i,
  input  logic [8:0][7:0] weight_i,
  output logic [18:0]     sum_o,
  output logic [18:0]     carry_o
);
  localparam int Bits = 19;  // of the sum of nine products: at most 9 * 2^14
  localparam int Taps = 9;
  localparam int Digits = 4;
  localparam int Adders = 7; // that make two numbers of nine

  typedef logic [Bits-1:0] number_t;
  typedef struct packed {
    number_t sum;
    number_t carry;
  } pair_t;

  localparam number_t InvertedSigns = number_t'(-Taps * 256 * (1 + 4 + 16 + 64));

  // The multiple of a value that a digit names, as a row: without the one that completes a negative multiple. The digit
  // is the number that bits 2 (negative) to 0 of the code stand for: -2 * code[2] + code[1] + code[0].
  function automatic logic [8:0] multiple(input logic [7:0] value, input logic [2:0] code);
    logic [8:0] magnitude;
    if (code == 3'b000 || code == 3'b111) magnitude = '0;
    else if (code[1] ^ code[0]) magnitude = {value[7], value};
    else magnitude = {value, 1'b0};
    return magnitude ^ {!code[2], {8{code[2]}}};
  endfunction

  // Makes two numbers of three. `more` is added where no carry can be: below the lowest place of a, b and c, or in it.
  function automatic pair_t add(input number_t a, input number_t b, input number_t c, input number_t more);
    number_t carry;
    carry = (a & b) | (c & (a ^ b));
    return '{sum: a ^ b ^ c, carry: (carry << 1) | more};
  endfunction

  function automatic pair_t add_nine(input number_t [Taps-1:0] term, input number_t [Adders-1:0] more);
    pair_t a, b, c, d, e, f;
    a = add(term[0], term[1], term[2], more[0]);
    b = add(term[3], term[4], term[5], more[1]);
    c = add(term[6], term[7], term[8], more[2]);
    d = add(a.sum, b.sum, c.sum, more[3]);
    e = add(a.carry, b.carry, c.carry, more[4]);
    f = add(d.sum, d.carry, e.sum, more[5]);
    return add(f.sum, f.carry, e.carry, more[6]);
  endfunction

  // The sums of all digits, and two numbers more.
  function automatic pair_t add_digits(input pair_t [Digits-1:0] digit, input number_t [1:0] more);
    pair_t a, b, c, d, e, f, g;
    a = add(digit[0].sum, digit[0].carry, digit[1].sum, '0);
    b = add(digit[2].sum, digit[2].carry, digit[3].sum, '0);
    c = add(digit[1].carry, more[0], more[1], '0);
    d = add(a.sum, a.carry, c.sum, '0);
    e = add(b.sum, b.carry, digit[3].carry, '0);
    f = add(d.sum, d.carry, c.carry, '0);
    g = add(f.sum, f.carry, e.sum, '0);
    return add(g.sum, g.carry, e.carry, '0);
  endfunction

  // Row and completing one of each digit and tap. Seven of the nine ones of a digit find room among its carries.
  number_t [Digits-1:0][Taps-1:0] row, one;
  pair_t   [Digits-1:0]           digit_sum;
  pair_t                          total;
  for (genvar d = 0; d < Digits; d++) begin : gen_digit
    for (genvar t = 0; t < Taps; t++) begin : gen_tap
      logic [2:0] code;
      if (d == 0) begin : gen_lowest
        assign code = {weight_i[t][1:0], 1'b0};
      end else begin : gen_upper
        assign code = weight_i[t][2*d+1:2*d-1];
      end
      assign row[d][t] = number_t'(multiple(value_i[t], code)) << (2 * d);
      assign one[d][t] = number_t'(code[2]) << (2 * d);
    end
    assign digit_sum[d] = add_nine(row[d], one[d][Adders-1:0]);
  end

  // The ones of a tap are at different places, below those of the constant.
  number_t [1:0] others;
  assign others[0] = one[0][7] | one[1][7] | one[2][7] | one[3][7];
  assign others[1] = one[0][8] | one[1][8] | one[2][8] | one[3][8] | InvertedSigns;
  assign total     = add_digits(digit_sum, others);
  assign sum_o     = total.sum;
  assign carry_o   = total.carry;
endmodule
