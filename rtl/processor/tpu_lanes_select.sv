// SPDX-License-Identifier: Apache-2.0
// First stage of the lanes: takes binary32 words apart, compares, and chooses the operands of the stages that follow.
//
// What follows adds x to y, y shifted right by `amount` before and inverted where `invert` says so. So each operation
// is brought to that form here:
//
//   iadd, isub,
//   add_lane            x = a, y = b
//   fadd, fsub          x and y are significands, that of the greater magnitude in x
//   products            x and y are the factors
//   shifts, to_float    y = a; x = 0. A left shift is a right shift of the word with its bits in reverse order.
//   rotate_left         as a left shift
//   count_ones          y = a; x = 0
//   to_int, mantissa    y = the significand of a; x = 0
//   count_zeros, table  x = a
//   all others          x = the result
//
// A significand has its first bit in bit 30 and zeros below bit 7. Subnormal operands become zeros.
//
// Latency: one cycle. Throughput: one row per cycle. Back-pressure: none, never stalls. Outputs are registers that
// change only with a row.
//
// Protocol: valid_i marks a row for one cycle.
//
// Parameters: Dim (lanes).
module tpu_lanes_select #(
  parameter int Dim = 16
) (
  input  logic              clk_i,
  input  logic              valid_i,
  input  logic [5:0]        op_i,
  input  logic [Dim-1:0][31:0] a_i,
  input  logic [Dim-1:0][31:0] b_i,
  output logic [Dim-1:0][31:0] x_o,
  output logic [Dim-1:0][31:0] y_o,
  output logic [Dim-1:0][5:0]  amount_o,
  // Exponent of the result, still without a constant.
  output logic [Dim-1:0][9:0] exponent_o,
  // Sign of the result of binary32 arithmetic, otherwise that of a.
  output logic [Dim-1:0]    sign_o,
  output logic [Dim-1:0]    invert_o,
  // The result is a NaN (0 for integers), or the greatest value there is: infinity or a saturated integer.
  output logic [Dim-1:0]    nan_o,
  output logic [Dim-1:0]    limit_o
);
  // Exponent of 2^30.
  localparam logic [7:0] Integer = 8'd157;

  task automatic advance;
    logic              sums, multiplies, computes, to_int, mantissa, whole, to_float, rotates, left, shifts, uses_x;
    logic              orders, extreme, greatest, magnitude, compares, both, one;
    logic [Dim-1:0][31:0] x, y;
    logic [Dim-1:0][5:0]  amount;
    logic [Dim-1:0][9:0] exponent;
    logic [Dim-1:0]    sign, invert, nan, limit;
    // Of one lane.
    logic [31:0] a, b, differs, first, second;
    logic [7:0]  ea, eb, backward, distance;
    logic [9:0]  forward;
    logic        sb, a_zero, b_zero, a_infinite, b_infinite, a_nan, b_nan, zeros, below, same, less, take_b, holds;

    sums       = op_i == tpu_kernel_pkg::KOP_FADD || op_i == tpu_kernel_pkg::KOP_FSUB;
    multiplies = op_i == tpu_kernel_pkg::KOP_FMUL;
    computes   = sums || multiplies;
    to_int     = op_i == tpu_kernel_pkg::KOP_TO_INT;
    mantissa   = op_i == tpu_kernel_pkg::KOP_MANTISSA;
    whole      = to_int || mantissa;
    to_float   = op_i == tpu_kernel_pkg::KOP_TO_FLOAT;
    rotates    = op_i == tpu_kernel_pkg::KOP_ROTATE_LEFT;
    left       = rotates || op_i == tpu_kernel_pkg::KOP_SHIFT_LEFT || op_i == tpu_kernel_pkg::KOP_SHIFT_SATURATE;
    shifts     = left || op_i == tpu_kernel_pkg::KOP_SHIFT_RIGHT || op_i == tpu_kernel_pkg::KOP_SHIFT_LOGICAL
                 || op_i == tpu_kernel_pkg::KOP_SHIFT_ROUND;
    // Logic: what is set in both operands, what in one of them.
    both       = op_i == tpu_kernel_pkg::KOP_AND || op_i == tpu_kernel_pkg::KOP_OR;
    one        = op_i == tpu_kernel_pkg::KOP_XOR || op_i == tpu_kernel_pkg::KOP_OR;
    // Comparisons, of binary32 words and of all.
    orders     = op_i == tpu_kernel_pkg::KOP_FMIN || op_i == tpu_kernel_pkg::KOP_FMAX
                 || op_i == tpu_kernel_pkg::KOP_FLESS;
    extreme    = op_i == tpu_kernel_pkg::KOP_FMIN || op_i == tpu_kernel_pkg::KOP_FMAX
                 || op_i == tpu_kernel_pkg::KOP_MIN || op_i == tpu_kernel_pkg::KOP_MAX;
    greatest   = op_i == tpu_kernel_pkg::KOP_FMAX || op_i == tpu_kernel_pkg::KOP_MAX;
    magnitude  = op_i == tpu_kernel_pkg::KOP_MAX_MAGNITUDE;
    compares   = orders || extreme || op_i == tpu_kernel_pkg::KOP_LESS || op_i == tpu_kernel_pkg::KOP_EQUAL;
    uses_x     = !(shifts || whole || to_float || both || one || op_i == tpu_kernel_pkg::KOP_LESS
                   || op_i == tpu_kernel_pkg::KOP_FLESS || op_i == tpu_kernel_pkg::KOP_EQUAL
                   || op_i == tpu_kernel_pkg::KOP_COUNT_ONES);

    for (int i = 0; i < Dim; i++) begin
      a       = a_i[i];
      b       = b_i[i];
      sb      = b[31] ^ (op_i == tpu_kernel_pkg::KOP_FSUB);
      ea      = a[30:23];
      eb      = to_int || to_float ? Integer : b[30:23];
      differs = a ^ b;
      below   = a[30:0] < b[30:0];

      // What kind of binary32 words. Tests of the operation around what it does not need save simulation time.
      a_zero   = 1'b0;
      b_zero   = 1'b0;
      a_nan    = 1'b0;
      b_nan    = 1'b0;
      nan[i]   = 1'b0;
      limit[i] = 1'b0;
      if (computes || orders || whole) begin
        a_zero     = a[30:23] == '0;
        b_zero     = b[30:23] == '0;
        a_nan      = a[30:23] == '1 && a[22:0] != '0;
        b_nan      = b[30:23] == '1 && b[22:0] != '0 && !to_int;
        a_infinite = a[30:23] == '1 && a[22:0] == '0;
        b_infinite = b[30:23] == '1 && b[22:0] == '0;
        if (a_zero) a[22:0] = '0;
        if (b_zero) b[22:0] = '0;
        nan[i]   = ((a_nan || b_nan || (mantissa && b_infinite)) && op_i != tpu_kernel_pkg::KOP_FLESS)
                   || (sums && a_infinite && b_infinite && a[31] != sb)
                   || (multiplies && ((a_infinite && b_zero) || (a_zero && b_infinite)));
        limit[i] = computes ? a_infinite || b_infinite : to_int && a[30:23] > Integer;
      end

      // The order of the words; below 0 that of binary32 is reversed. fmin and fmax have -0 below 0, fless has not.
      less  = 1'b0;
      holds = 1'b0;
      if (compares) begin
        same  = differs[30:0] == '0;
        zeros = orders && a_zero && b_zero;
        if (differs[31]) less = a[31] && !(zeros && !extreme);
        else if (zeros) less = 1'b0;
        else less = orders && a[31] ? !below && !same : below;
        if (op_i == tpu_kernel_pkg::KOP_EQUAL) holds = same && !differs[31];
        else holds = less && !extreme && !a_nan && !b_nan;
      end

      // One operand is chosen for x, the other for y. At most one of what makes x is not zero.
      if (computes || magnitude) take_b = below;
      else if (extreme) take_b = less == greatest;
      else take_b = !uses_x;
      first  = take_b ? b : a;
      second = take_b ? a : b;
      if (computes) x[i] = {1'b0, take_b ? !b_zero : !a_zero, first[22:0], 7'd0};
      else x[i] = first & {uses_x && !magnitude, {31{uses_x}}};
      x[i] = x[i] | {32{holds}} | (a & b & {32{both}}) | (differs & {32{one}});

      if (left) begin
        second = second ^ {32{second[31]}};
        second = tpu_lanes_pkg::reverse(second);
      end
      if (computes || whole) y[i] = {1'b0, take_b ? !a_zero : !b_zero, second[22:0], 7'd0};
      else y[i] = second;

      // Of a product ea + eb - 128, of others the greater one. The difference is how far a sum shifts the lesser
      // operand and to_int the fraction out; 48 is beyond both. A mantissa has its units in bit 24.
      amount[i] = '0;
      if (computes || whole || to_float) begin
        forward  = {2'b00, ea} + (multiplies ? {{3{!eb[7]}}, eb[6:0]} : {2'b11, ~eb}) + {9'd0, !multiplies};
        backward = eb - ea;
        distance = forward[9] ? backward : forward[7:0];
        if (sums || to_int) amount[i] = distance >= 8'd48 ? 6'd48 : distance[5:0];
        if (mantissa) begin
          amount[i] = distance >= 8'd8 ? 6'd48 : {3'b011, distance[2:0]};
          limit[i]         = !forward[9] && forward[7:0] != '0;
        end
        if (multiplies) exponent[i] = forward;
        else exponent[i] = {2'b00, to_float || forward[9] ? eb : ea};
      end
      if (rotates) amount[i] = {1'b0, b[4:0]};
      else if (shifts && !b[31]) amount[i] = b[30:5] != '0 ? 6'd31 : {1'b0, b[4:0]};

      sign[i]   = multiplies ? a[31] ^ sb : sums && take_b ? sb : a[31];
      invert[i] = sums ? a[31] ^ sb : to_float || whole || left ? a[31] : op_i == tpu_kernel_pkg::KOP_ISUB;
    end

    x_o      <= x;
    y_o      <= y;
    amount_o <= amount;
    sign_o   <= sign;
    invert_o <= invert;
    nan_o    <= nan;
    limit_o  <= limit;
    if (computes || to_float) exponent_o <= exponent;
  endtask

  always_ff @(posedge clk_i) begin
    if (valid_i) advance;
  end
endmodule
