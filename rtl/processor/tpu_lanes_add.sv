// SPDX-License-Identifier: Apache-2.0
// Third stage of the lanes: the adder. The word of the table takes the place of x.
//
// Latency: one cycle. Throughput: one row per cycle. Back-pressure: none, never stalls. Outputs are registers that
// change only with a row.
//
// Protocol: valid_i marks a row for one cycle. Other inputs are outputs of tpu_lanes_shift. Those of the same name mean
// the same afterwards.
//
// Parameters: Dim (lanes).
module tpu_lanes_add #(
  parameter int Dim = 16
) (
  input  logic              clk_i,
  input  logic              valid_i,
  input  logic [5:0]        op_i,
  input  logic [Dim-1:0][31:0] x_i,
  input  logic [Dim-1:0][31:0] y_i,
  input  logic [Dim-1:0]    carry_i,
  input  logic [Dim-1:0]    sticky_i,
  input  logic [Dim-1:0][9:0] exponent_i,
  input  logic [Dim-1:0]    sign_i,
  input  logic [Dim-1:0]    invert_i,
  input  logic [Dim-1:0]    nan_i,
  input  logic [Dim-1:0]    limit_i,
  input  logic [Dim-1:0][31:0] word_i,
  output logic [Dim-1:0][31:0] sum_o,
  output logic [Dim-1:0]    sticky_o,
  output logic [Dim-1:0][9:0] exponent_o,
  output logic [Dim-1:0]    sign_o,
  output logic [Dim-1:0]    invert_o,
  output logic [Dim-1:0]    nan_o,
  output logic [Dim-1:0]    limit_o
);
  task automatic advance;
    logic              looks_up;
    logic [Dim-1:0][31:0] sum;
    logic [31:0]       x; // of one lane

    looks_up = op_i == tpu_kernel_pkg::KOP_TABLE;
    for (int i = 0; i < Dim; i++) begin
      x = looks_up ? word_i[i] : x_i[i];
      sum[i] = x + y_i[i] + {31'd0, carry_i[i]};
    end

    sum_o      <= sum;
    sticky_o   <= sticky_i;
    exponent_o <= exponent_i;
    sign_o     <= sign_i;
    invert_o   <= invert_i;
    nan_o      <= nan_i;
    limit_o    <= limit_i;
  endtask

  always_ff @(posedge clk_i) begin
    if (valid_i) advance;
  end
endmodule
