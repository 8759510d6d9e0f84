// SPDX-License-Identifier: Apache-2.0
// One signed 32 x 32 bit multiplier per lane, for requantization and for the lanes of the vector processor, of which
// only one works at a time.
//
// Latency: one cycle from a request to the products, which hold until the next. Throughput: one row per cycle.
// Back-pressure: none, never stalls.
//
// Protocol: each valid marks a row of operands for one cycle; never both in the same.
//
// Parameters: Dim (lanes, even).
`include "tpu_assert.svh"
module tpu_multiplier #(
  parameter int Dim = 16
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // Requantization: by the multiplier of each lane, or by one for all.
  input  logic              scale_valid_i,
  input  logic [32*Dim-1:0] scale_acc_i,
  input  logic              scale_per_lane_i,
  input  logic [32*Dim-1:0] scale_lane_multiplier_i,
  input  logic [31:0]       scale_multiplier_i,
  // Lanes.
  input  logic              valid_i,
  input  logic [32*Dim-1:0] a_i,
  input  logic [32*Dim-1:0] b_i,
  // 64-bit products, in two vectors of half the lanes each: vectors wider than 32*Dim bits simulate slowly.
  output logic [32*Dim-1:0] product_o,
  output logic [32*Dim-1:0] upper_product_o
);
  localparam int Half = Dim / 2;

  // Dim/2 lanes, beginning with lane `first`. Operands are read directly, because a simulator copies arguments.
  function automatic logic [64*Half-1:0] multiply(input int first, input logic scale, input logic per_lane,
                                                  input logic [31:0] scalar);
    logic signed [31:0] a, b;
    logic signed [63:0] p;
    for (int i = 0; i < Half; i++) begin
      a = scale ? scale_acc_i[(first+i)*32 +: 32] : a_i[(first+i)*32 +: 32];
      b = !scale ? b_i[(first+i)*32 +: 32] : per_lane ? scale_lane_multiplier_i[(first+i)*32 +: 32] : scalar;
      p = a * b;
      multiply[i*64 +: 64] = p;
    end
  endfunction

  always_ff @(posedge clk_i) begin
    if (scale_valid_i || valid_i) begin
      product_o       <= multiply(0, scale_valid_i, scale_per_lane_i, scale_multiplier_i);
      upper_product_o <= multiply(Half, scale_valid_i, scale_per_lane_i, scale_multiplier_i);
    end
  end

  `TPU_ASSERT_WHEN(OneRequest, scale_valid_i, !valid_i)
endmodule
