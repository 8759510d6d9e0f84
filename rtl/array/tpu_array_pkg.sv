// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a processing element in gates: sum + value * weight. The weight is recoded into four digits of -2
// to 2 (Booth), so that a product has four rows instead of eight. Rows and sum are added three to two (carry save):
// only one addition carries through a number.
package tpu_array_pkg;
  localparam int Digits = 4;
  localparam int SumBits = 21;  // of 32 products: at most 2^19 in magnitude

  typedef struct packed {
    logic negative;  // may be high for 0
    logic twice;     // 2 in magnitude, not 1; undefined for 0
    logic any;       // not 0
  } digit_t;
  typedef digit_t [Digits-1:0] weight_t;  // digit d counts 4^d
  typedef logic [SumBits-1:0] sum_t;
  typedef struct packed {
    sum_t sum;
    sum_t carry;
  } pair_t;

  // The sign bit of a row is inverted, which adds 2^8 to it; this takes it away again.
  localparam sum_t InvertedSigns = sum_t'(-256 * (1 + 4 + 16 + 64));

  function automatic int sum_bits(input int products);
    return 1 + $clog2(products * 128 * 128 + 1);
  endfunction

  function automatic weight_t recoded(input logic [7:0] weight);
    logic [2:0] code;  // -2 * code[2] + code[1] + code[0]
    for (int d = 0; d < Digits; d++) begin
      code                = d == 0 ? {weight[1:0], 1'b0} : weight[2*d-1 +: 3];
      recoded[d].negative = code[2];
      recoded[d].twice    = code[1] == code[0];
      recoded[d].any      = code != 3'b000 && code != 3'b111;
    end
  endfunction

  // The multiple of a value that a digit names, as a row: without the one that completes a negative multiple.
  function automatic logic [8:0] multiple(input logic [7:0] value, input digit_t digit);
    logic [8:0] magnitude;
    magnitude = digit.twice ? {value, 1'b0} : {value[7], value};
    if (!digit.any) magnitude = '0;
    return magnitude ^ {!digit.negative, {8{digit.negative}}};
  endfunction

  // Makes two numbers of three.
  function automatic pair_t add(input sum_t a, input sum_t b, input sum_t c);
    sum_t carry;
    carry = (a & b) | (c & (a ^ b));
    return '{sum: a ^ b ^ c, carry: carry << 1};
  endfunction

  // The ones that complete negative multiples stand in the next row, below its lowest place.
  function automatic sum_t multiply_add(input logic [7:0] value, input weight_t weight, input sum_t sum);
    sum_t  row0, row1, row2, row3, rest;
    pair_t a, b, c, d;
    row0 = sum_t'(multiple(value, weight[0]));
    row1 = sum_t'({multiple(value, weight[1]), 1'b0, weight[0].negative});
    row2 = sum_t'({multiple(value, weight[2]), 1'b0, weight[1].negative, 2'b00});
    row3 = sum_t'({multiple(value, weight[3]), 1'b0, weight[2].negative, 4'b0000});
    rest = InvertedSigns | sum_t'({weight[3].negative, 6'b000000});
    a    = add(row0, row1, row2);
    b    = add(row3, rest, a.sum);
    c    = add(a.carry, b.carry, sum);
    d    = add(c.sum, c.carry, b.sum);
    return d.sum + d.carry;
  endfunction
endpackage
