// SPDX-License-Identifier: Apache-2.0
// The adder of block floating point: adds sums of 16 products of mantissas, scaled by the exponents of their blocks, to
// a row of binary32 sums, each lane for itself. The rules are sim/golden/block_float.md, 9 to 13:
//
//   result = round(acc + S * 2^(Xa + Xw - 266))
//
// rounded once, to nearest, ties to even. What is below 2^-126 in magnitude is +0, at both inputs and at the output;
// from 2^128 on a result is infinite, the scaled sum is not limited. The stages are
//
//   split       takes the sign from S and adds the exponents
//   scale       makes a significand of S, its first bit in front, and its exponent
//   align       takes acc apart, compares, shifts the lesser significand right
//   add         adds or subtracts it
//   normalize   counts leading zeros and shifts them out
//   round       rounds to binary32
//
// Each computes in a task, because a simulator keeps the variables of a task in processor registers.
//
// Latency: 6 cycles from valid_i to valid_o. Throughput: one row per cycle. Back-pressure: none, the pipeline never
// stalls. Registers of a stage change only when a row enters it.
//
// Protocol: valid_i marks a row of S with its exponents for one cycle; add_i tells whether acc_i, two cycles later, is
// added, or +0. S is at most 2^18 in magnitude (asserted), in the low 20 bits of a lane. valid_o marks the result for
// one cycle. busy_o is high while a row is in a stage or on result_o.
//
// Parameters: Dim (lanes).
`include "tpu_assert.svh"
module tpu_block_adder #(
  parameter int Dim = 16
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Row of sums of products. Exponents: of activations, and of the weights of each lane.
  input  logic                 valid_i,
  input  logic                 add_i,
  input  logic [Dim-1:0][31:0] sum_i,
  input  logic [7:0]           act_exponent_i,
  input  logic [Dim-1:0][7:0]  weight_exponent_i,
  // The row of the accumulators, two cycles later.
  input  logic [Dim-1:0][31:0] acc_i,
  // Row of results.
  output logic                 busy_o,
  output logic                 valid_o,
  output logic [Dim-1:0][31:0] result_o
);
  // Registers are named after the stage that wrote them. Significands have 24 bits in words of 32; exponents are biased
  // as those of binary32.
  logic                 split_add_q, scale_add_q;
  logic [Dim-1:0][31:0] split_magnitude_q, scale_significand_q, align_x_q, align_y_q, add_sum_q, normal_fraction_q;
  logic [Dim-1:0][9:0]  split_exponent_q;
  logic [Dim-1:0][8:0]  scale_exponent_q, align_exponent_q, add_exponent_q, normal_exponent_q;
  logic [Dim-1:0]       split_sign_q, scale_sign_q, align_sign_q, add_sign_q, normal_sign_q;
  logic [Dim-1:0]       split_nan_q, scale_nan_q, align_nan_q, add_nan_q, normal_nan_q;
  logic [Dim-1:0]       align_infinite_q, add_infinite_q, normal_infinite_q;
  logic [Dim-1:0]       align_carry_q, align_sticky_q, add_sticky_q, normal_up_q, normal_zero_q;

  // Bit s: a row is behind stage s. Changes only while there are rows, like the registers of the stages.
  logic [5:0] valid_q;
  assign busy_o  = valid_q != '0;
  assign valid_o = valid_q[5];

  task automatic split;
    logic [Dim-1:0][31:0] magnitude;
    logic [Dim-1:0][9:0]  exponent;
    logic [Dim-1:0]       sign, nan;
    logic [9:0]           base;
    // Variables of one lane.
    logic [19:0] s;
    logic [7:0]  weight;

    base = {2'b00, act_exponent_i} - 10'd121;  // of 2^18
    for (int i = 0; i < Dim; i++) begin
      s       = sum_i[i][19:0];
      sign[i] = s[19];
      if (s[19]) s = -s;
      weight = weight_exponent_i[i];
      magnitude[i] = {13'd0, s[18:0]};
      exponent[i]  = base + {2'b00, weight};
      nan[i]                = weight == '1 || act_exponent_i == '1;
    end

    split_add_q       <= add_i;
    split_magnitude_q <= magnitude;
    split_exponent_q  <= exponent;
    split_sign_q      <= sign;
    split_nan_q       <= nan;
  endtask

  task automatic scale;
    logic [Dim-1:0][31:0] significand;
    logic [Dim-1:0][8:0]  exponent;
    // Variables of one lane.
    logic [18:0] m;
    logic [9:0]  e;
    logic [4:0]  zeros;

    for (int i = 0; i < Dim; i++) begin
      m        = split_magnitude_q[i][18:0];
      zeros[4] = m[18:3] == '0;
      if (zeros[4]) m = {m[2:0], 16'd0};
      zeros[3] = m[18:11] == '0;
      if (zeros[3]) m = {m[10:0], 8'd0};
      zeros[2] = m[18:15] == '0;
      if (zeros[2]) m = {m[14:0], 4'd0};
      zeros[1] = m[18:17] == '0;
      if (zeros[1]) m = {m[16:0], 2'd0};
      zeros[0] = !m[18];
      if (zeros[0]) m = {m[17:0], 1'd0};

      e = split_exponent_q[i] - {5'd0, zeros};
      if (!m[18] || e[9] || e == '0) begin
        m = '0;
        e = '0;
      end
      significand[i] = {8'd0, m, 5'd0};
      exponent[i]      = e[8:0];
    end

    scale_add_q         <= split_add_q;
    scale_significand_q <= significand;
    scale_exponent_q    <= exponent;
    scale_sign_q        <= split_sign_q;
    scale_nan_q         <= split_nan_q;
  endtask

  // x is the significand of the greater magnitude, two bits further left; y the other one, inverted for a difference.
  // What is shifted out of y is kept as one bit, `sticky`; `carry` completes the two's complement where there is none.
  task automatic align;
    logic [Dim-1:0][31:0] x, y;
    logic [Dim-1:0][8:0]  exponent;
    logic [Dim-1:0]       sign, nan, infinite, carry, sticky;
    // Variables of one lane.
    logic [31:0] acc;
    logic [23:0] a, b, first, second;
    logic [25:0] moved;
    logic [8:0]  ea, eb, backward, distance;
    logic [9:0]  forward;
    logic        take_b, invert, special, lost;

    for (int i = 0; i < Dim; i++) begin
      acc     = acc_i[i];
      ea      = {1'b0, scale_add_q ? acc[30:23] : 8'd0};
      eb      = scale_exponent_q[i];
      a       = ea == '0 ? 24'd0 : {1'b1, acc[22:0]};
      b       = scale_significand_q[i][23:0];
      special = ea == 9'd255;

      forward  = {1'b0, ea} - {1'b0, eb};
      backward = eb - ea;
      take_b   = forward[9] || (forward == '0 && a[22:0] < b[22:0]);
      distance = forward[9] ? backward : forward[8:0];
      first    = take_b ? b : a;
      second   = take_b ? a : b;
      invert   = acc[31] ^ scale_sign_q[i];

      // From a distance of 26 on only the sticky bit is left.
      if (distance[8:5] != '0) distance[4:0] = '1;
      moved = {second, 2'd0};
      lost  = distance[4] && moved[15:0] != '0;
      if (distance[4]) moved = moved >> 16;
      lost = lost || (distance[3] && moved[7:0] != '0);
      if (distance[3]) moved = moved >> 8;
      lost = lost || (distance[2] && moved[3:0] != '0);
      if (distance[2]) moved = moved >> 4;
      lost = lost || (distance[1] && moved[1:0] != '0);
      if (distance[1]) moved = moved >> 2;
      lost = lost || (distance[0] && moved[0]);
      if (distance[0]) moved = moved >> 1;

      sticky[i] = lost;
      carry[i]  = invert && !lost;
      x[i] = {6'd0, first, 2'd0};
      y[i] = {5'd0, {1'b0, moved} ^ {27{invert}}};

      exponent[i] = take_b ? eb : ea;
      sign[i]     = take_b && !special ? scale_sign_q[i] : acc[31];
      nan[i]      = scale_nan_q[i] || (special && acc[22:0] != '0);
      infinite[i] = special;
    end

    align_x_q        <= x;
    align_y_q        <= y;
    align_carry_q    <= carry;
    align_sticky_q   <= sticky;
    align_exponent_q <= exponent;
    align_sign_q     <= sign;
    align_nan_q      <= nan;
    align_infinite_q <= infinite;
  endtask

  task automatic add;
    logic [Dim-1:0][31:0] sum;
    logic [26:0]          total;  // of one lane

    for (int i = 0; i < Dim; i++) begin
      total = align_x_q[i][26:0] + align_y_q[i][26:0] + {26'd0, align_carry_q[i]};
      sum[i] = {5'd0, total};
    end

    add_sum_q      <= sum;
    add_sticky_q   <= align_sticky_q;
    add_exponent_q <= align_exponent_q;
    add_sign_q     <= align_sign_q;
    add_nan_q      <= align_nan_q;
    add_infinite_q <= align_infinite_q;
  endtask

  // A result below 2^-126 in magnitude needs no rounding: nothing that is added has bits below 2^-149.
  task automatic normalize;
    logic [Dim-1:0][31:0] fraction;
    logic [Dim-1:0][8:0]  exponent;
    logic [Dim-1:0]       up, zero;
    // Variables of one lane.
    logic [31:0] v;
    logic [9:0]  e;
    logic [4:0]  zeros;

    for (int i = 0; i < Dim; i++) begin
      v        = {add_sum_q[i][26:0], 5'd0};
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
      e = {1'b0, add_exponent_q[i]} + 10'd1 - {5'd0, zeros};

      zero[i] = !v[31] || e[9] || e == '0;
      up[i]   = v[7] && (v[8] || v[6:0] != '0 || add_sticky_q[i]);
      fraction[i] = {9'd0, v[30:8]};
      exponent[i]   = e[8:0];
    end

    normal_fraction_q <= fraction;
    normal_exponent_q <= exponent;
    normal_up_q       <= up;
    normal_zero_q     <= zero;
    normal_sign_q     <= add_sign_q;
    normal_nan_q      <= add_nan_q;
    normal_infinite_q <= add_infinite_q;
  endtask

  task automatic round;
    logic [Dim-1:0][31:0] result;
    logic [31:0]          v;  // of one lane: exponent and fraction

    for (int i = 0; i < Dim; i++) begin
      // A carry out of the fraction makes it 0 and the exponent one more.
      v = {normal_exponent_q[i], normal_fraction_q[i][22:0]} + {31'd0, normal_up_q[i]};
      if (normal_nan_q[i]) v = 32'h7fc0_0000;
      else if (normal_infinite_q[i] || (v[31:23] >= 9'd255 && !normal_zero_q[i])) v = {normal_sign_q[i], 31'h7f80_0000};
      else if (normal_zero_q[i]) v = '0;
      else v = {normal_sign_q[i], v[30:0]};
      result[i] = v;
    end

    result_o <= result;
  endtask

  // The last stage first: a simulator then needs no copy of a register that is read and written.
  always_ff @(posedge clk_i) begin
    if (valid_i || busy_o) begin
      if (valid_q[4]) round;
      if (valid_q[3]) normalize;
      if (valid_q[2]) add;
      if (valid_q[1]) align;
      if (valid_q[0]) scale;
      if (valid_i) split;
      valid_q <= {valid_q[4:0], valid_i};
    end
    if (!rst_ni) valid_q <= '0;
  end

  logic unused_bits;
  assign unused_bits = ^sum_i;

`ifndef SYNTHESIS
  function automatic logic sums_in_range();
    sums_in_range = 1'b1;
    for (int i = 0; i < Dim; i++) begin
      if ((sum_i[i][19] ? -sum_i[i][19:0] : sum_i[i][19:0]) > 20'h4_0000) sums_in_range = 1'b0;
    end
  endfunction
`endif
  `TPU_ASSERT_WHEN(SumIsOfSixteenProducts, valid_i, sums_in_range(), ("sums %h\n", sum_i))
endmodule
