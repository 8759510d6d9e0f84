// SPDX-License-Identifier: Apache-2.0
// Last stage of the lanes: rounds to binary32, to nearest, ties to even.
//
// Latency: one cycle. Throughput: one row per cycle. Back-pressure: none, never stalls. The output is a register that
// changes only with a row.
//
// Protocol: valid_i marks a row for one cycle. Inputs are outputs of tpu_lanes_normalize.
//
// Parameters: Dim (lanes).
module tpu_lanes_round #(
  parameter int Dim = 16
) (
  input  logic              clk_i,
  input  logic              valid_i,
  input  logic [Dim-1:0]    round_i,
  input  logic [Dim-1:0][31:0] value_i,
  input  logic [Dim-1:0]    sticky_i,
  input  logic [Dim-1:0][9:0] exponent_i,
  input  logic [Dim-1:0]    sign_i,
  output logic [Dim-1:0][31:0] result_o
);
  task automatic advance;
    logic [Dim-1:0][31:0] result;
    // Of one lane.
    logic [31:0] v;
    logic [32:0] rounded;
    logic [9:0]  exponent;

    for (int i = 0; i < Dim; i++) begin
      v = value_i[i];
      if (round_i[i]) begin
        // A carry out of the fraction makes it 0 and the exponent one more.
        rounded  = {exponent_i[i], v[30:8]} + {32'd0, v[7] && (v[8] || v[6:0] != '0 || sticky_i[i])};
        exponent = rounded[32:23];
        if (!v[31] || exponent[9] || exponent == '0) v = {sign_i[i], 31'd0};
        else if (exponent >= 10'd255) v = {sign_i[i], 31'h7f80_0000};
        else v = {sign_i[i], rounded[30:0]};
      end
      result[i] = v;
    end

    result_o <= result;
  endtask

  always_ff @(posedge clk_i) begin
    if (valid_i) advance;
  end
endmodule
