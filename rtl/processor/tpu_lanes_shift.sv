// SPDX-License-Identifier: Apache-2.0
// Second stage of the lanes: the shifter, and the carry that rounds what it cuts off.
//
// y becomes the second operand of the adder: shifted right, its bits in order again after a left shift, inverted for a
// difference, zero where x is the result. What a sum cuts off is kept as one bit, `sticky`; what a rotation cuts off
// comes in at the other end. The ones of a word are counted here, too.
//
// Latency: one cycle. Throughput: one row per cycle. Back-pressure: none, never stalls. Outputs are registers that
// change only with a row.
//
// Protocol: valid_i marks a row for one cycle. Inputs are outputs of tpu_lanes_select, those of the same name mean the
// same afterwards.
//
// Parameters: Dim (lanes).
module tpu_lanes_shift #(
  parameter int Dim = 16
) (
  input  logic              clk_i,
  input  logic              valid_i,
  input  logic [5:0]        op_i,
  input  logic              even_i,
  input  logic [Dim-1:0][31:0] x_i,
  input  logic [Dim-1:0][31:0] y_i,
  input  logic [Dim-1:0][5:0]  amount_i,
  input  logic [Dim-1:0][9:0] exponent_i,
  input  logic [Dim-1:0]    sign_i,
  input  logic [Dim-1:0]    invert_i,
  input  logic [Dim-1:0]    nan_i,
  input  logic [Dim-1:0]    limit_i,
  output logic [Dim-1:0][31:0] x_o,
  output logic [Dim-1:0][31:0] y_o,
  output logic [Dim-1:0]    carry_o,
  output logic [Dim-1:0]    sticky_o,
  output logic [Dim-1:0][9:0] exponent_o,
  output logic [Dim-1:0]    sign_o,
  output logic [Dim-1:0]    invert_o,
  output logic [Dim-1:0]    nan_o,
  output logic [Dim-1:0]    limit_o
);
  task automatic advance;
    logic               sums, whole, rounds, rotates, left, saturates, signs, counts, uses_y;
    logic [Dim-1:0][31:0]  y;
    logic [Dim-1:0]     carry, sticky, limit;
    // Of one lane.
    logic signed [63:0] shifted;
    logic [31:0]        moved;
    logic               half, rest;

    sums      = op_i == tpu_kernel_pkg::KOP_FADD || op_i == tpu_kernel_pkg::KOP_FSUB;
    whole     = op_i == tpu_kernel_pkg::KOP_TO_INT || op_i == tpu_kernel_pkg::KOP_MANTISSA;
    rounds    = op_i == tpu_kernel_pkg::KOP_SHIFT_ROUND;
    saturates = op_i == tpu_kernel_pkg::KOP_SHIFT_SATURATE;
    rotates   = op_i == tpu_kernel_pkg::KOP_ROTATE_LEFT;
    left      = saturates || rotates || op_i == tpu_kernel_pkg::KOP_SHIFT_LEFT;
    counts    = op_i == tpu_kernel_pkg::KOP_COUNT_ONES;
    signs     = (left && !rotates) || rounds || op_i == tpu_kernel_pkg::KOP_SHIFT_RIGHT;
    uses_y    = sums || whole || signs || rotates || counts || op_i == tpu_kernel_pkg::KOP_SHIFT_LOGICAL
                || op_i == tpu_kernel_pkg::KOP_TO_FLOAT || op_i == tpu_kernel_pkg::KOP_IADD
                || op_i == tpu_kernel_pkg::KOP_ISUB || op_i == tpu_kernel_pkg::KOP_ADD_LANE;

    for (int i = 0; i < Dim; i++) begin
      y[i] = '0;
      carry[i]  = 1'b0;
      sticky[i] = 1'b0;
      limit[i]  = limit_i[i];
      // Tests of the operation around what it does not need save simulation time.
      if (uses_y) begin
        shifted = {signs && sign_i[i], y_i[i], 31'd0};
        shifted = shifted >>> amount_i[i];
        moved   = shifted[62:31] | ({shifted[30:0], 1'b0} & {32{rotates}});
        half    = shifted[30];
        rest    = shifted[29:0] != '0;

        if (sums) carry[i] = invert_i[i] && !half && !rest;
        else if (whole) carry[i] = (half && (rest || moved[0])) ^ invert_i[i];
        else if (rounds) carry[i] = half && (rest || (even_i ? moved[0] : !sign_i[i]));
        else carry[i] = invert_i[i] && !left;

        sticky[i] = half || rest;
        if (left) begin
          // Bits that differ from the sign have left the word, or are where the sign has to be.
          limit[i] = limit_i[i] || (saturates && (half || rest || moved[0]));
          moved    = tpu_lanes_pkg::reverse(moved);
        end
        if (counts) moved = {26'd0, tpu_lanes_pkg::ones(y_i[i])};
        y[i] = moved ^ {32{invert_i[i]}};
      end
    end

    x_o        <= x_i;
    y_o        <= y;
    carry_o    <= carry;
    sticky_o   <= sticky;
    exponent_o <= exponent_i;
    sign_o     <= sign_i;
    invert_o   <= invert_i;
    nan_o      <= nan_i;
    limit_o    <= limit;
  endtask

  always_ff @(posedge clk_i) begin
    if (valid_i) advance;
  end
endmodule
