// SPDX-License-Identifier: Apache-2.0
// Third stage of the lanes: the adder. The product or the word of the table takes the place of x.
//
// Latency: one cycle. Throughput: one row per cycle. Back-pressure: none, never stalls. Outputs are registers that
// change only with a row.
//
// Protocol: valid_i marks a row for one cycle. Other inputs are outputs of tpu_lanes_shift, and products of what
// tpu_lanes_select put out as x and y. Those of the same name mean the same afterwards.
//
// Parameters: Dim (lanes, even).
module tpu_lanes_add #(
  parameter int Dim = 16
) (
  input  logic              clk_i,
  input  logic              valid_i,
  input  logic [5:0]        op_i,
  input  logic [32*Dim-1:0] x_i,
  input  logic [32*Dim-1:0] y_i,
  input  logic [Dim-1:0]    carry_i,
  input  logic [Dim-1:0]    sticky_i,
  input  logic [10*Dim-1:0] exponent_i,
  input  logic [Dim-1:0]    sign_i,
  input  logic [Dim-1:0]    invert_i,
  input  logic [Dim-1:0]    nan_i,
  input  logic [Dim-1:0]    limit_i,
  input  logic [32*Dim-1:0] product_i,
  input  logic [32*Dim-1:0] upper_product_i,
  input  logic [32*Dim-1:0] word_i,
  output logic [32*Dim-1:0] sum_o,
  output logic [Dim-1:0]    sticky_o,
  output logic [10*Dim-1:0] exponent_o,
  output logic [Dim-1:0]    sign_o,
  output logic [Dim-1:0]    invert_o,
  output logic [Dim-1:0]    nan_o,
  output logic [Dim-1:0]    limit_o
);
  localparam int Half = Dim / 2;

  task automatic advance;
    logic              low, high, multiplies, looks_up;
    logic [32*Dim-1:0] sum;
    logic [Dim-1:0]    sticky, sign, limit;
    // Of one lane.
    logic [63:0] product;
    logic [31:0] x;

    low        = op_i == tpu_kernel_pkg::KOP_IMUL;
    high       = op_i == tpu_kernel_pkg::KOP_MUL_HIGH;
    multiplies = op_i == tpu_kernel_pkg::KOP_FMUL;
    looks_up   = op_i == tpu_kernel_pkg::KOP_TABLE;
    sticky     = sticky_i;
    sign       = sign_i;
    limit      = limit_i;

    for (int i = 0; i < Dim; i++) begin
      if (i < Half) product = product_i[i%Half*64 +: 64];
      else product = upper_product_i[i%Half*64 +: 64];
      if (low) x = product[31:0];
      else if (high || multiplies) x = product[62:31];
      else if (looks_up) x = word_i[i*32 +: 32];
      else x = x_i[i*32 +: 32];
      sum[i*32 +: 32] = x + y_i[i*32 +: 32] + {31'd0, carry_i[i] || (high && product[30])};
      if (multiplies) sticky[i] = product[30:0] != '0;
      if (high) begin
        // Only the square of -2^31 is too great.
        limit[i] = product[63] != product[62];
        sign[i]  = 1'b0;
      end
    end

    sum_o      <= sum;
    sticky_o   <= sticky;
    exponent_o <= exponent_i;
    sign_o     <= sign;
    invert_o   <= invert_i;
    nan_o      <= nan_i;
    limit_o    <= limit;
  endtask

  always_ff @(posedge clk_i) begin
    if (valid_i) advance;
  end
endmodule
