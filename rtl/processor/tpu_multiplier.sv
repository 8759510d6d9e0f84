// SPDX-License-Identifier: Apache-2.0
// One signed 32 x 32 bit multiplier per lane.
//
// Latency: one cycle from valid_i to the products, which hold until the next row. Throughput: one row per cycle.
// Back-pressure: none, never stalls.
//
// Protocol: valid_i marks a row of operands for one cycle.
//
// Parameters: Dim (lanes, even).
module tpu_multiplier #(
  parameter int Dim = 16
) (
  input  logic              clk_i,
  input  logic              valid_i,
  input  logic [32*Dim-1:0] a_i,
  input  logic [32*Dim-1:0] b_i,
  // 64-bit products, in two vectors of half the lanes each: vectors wider than 32*Dim bits simulate slowly.
  output logic [32*Dim-1:0] product_o,
  output logic [32*Dim-1:0] upper_product_o
);
  localparam int Half = Dim / 2;

  // Processes Dim/2 lanes, beginning with lane `first`. Operands are read directly, because a simulator copies
  // arguments.
  function automatic logic [64*Half-1:0] multiply(input int first);
    logic signed [31:0] a, b;
    logic signed [63:0] p;
    for (int i = 0; i < Half; i++) begin
      a = a_i[(first+i)*32 +: 32];
      b = b_i[(first+i)*32 +: 32];
      p = a * b;
      multiply[i*64 +: 64] = p;
    end
  endfunction

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      product_o       <= multiply(0);
      upper_product_o <= multiply(Half);
    end
  end
endmodule
