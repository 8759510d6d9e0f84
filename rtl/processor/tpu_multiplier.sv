// SPDX-License-Identifier: Apache-2.0
// One 32 x 32 bit multiplier per lane, for requantization and for the lanes of the vector processor, of which
// only one works at a time. A product leaves its first stage as two numbers, which the second one adds.
//
// Latency: two cycles from a request to the products, which hold until the next. Throughput: one row per cycle.
// Back-pressure: none, never stalls.
//
// Protocol: each valid marks a row of operands for one cycle; never both in the same. A round bit adds 2^30 to the
// product of its lane, or of all lanes. Operands are signed; those of the lanes are not where unsigned_i says so.
//
// Parameters: Dim (lanes); VectorProcessor, 0 where requantization is alone; Recoded, no effect on results: 1 for the
// gates of tpu_multiplier_tree, 0 for words, which are faster to simulate.
`include "tpu_assert.svh"
`include "tpu_forms.svh"
module tpu_multiplier #(
  parameter int Dim = 16,
  parameter int VectorProcessor = 1,
  parameter int Recoded = `TPU_RECODED
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Requantization: by a factor of each lane, the multiplier of each lane, or one for all.
  input  logic                 scale_valid_i,
  input  logic [Dim-1:0][31:0] scale_operand_i,
  input  logic [Dim-1:0]       scale_round_i,
  input  logic                 scale_factors_i,
  input  logic [Dim-1:0][8:0]  scale_factor_i,
  input  logic                 scale_per_lane_i,
  input  logic [Dim-1:0][31:0] scale_lane_multiplier_i,
  input  logic [31:0]          scale_multiplier_i,
  // Lanes.
  input  logic                 valid_i,
  input  logic [Dim-1:0][31:0] a_i,
  input  logic [Dim-1:0][31:0] b_i,
  input  logic                 round_i,
  input  logic                 unsigned_i,
  // Products of 64 bits.
  output logic [Dim-1:0][31:0] product_low_o,
  output logic [Dim-1:0][31:0] product_high_o
);
  logic                 partial_valid_q;
  logic [Dim-1:0][31:0] a, b;
  logic [Dim-1:0]       round;
  logic                 is_signed;

  `TPU_ASSERT_INIT(RecodedIsLegal, Recoded == 0 || Recoded == 1)

  always_comb begin
    a         = a_i;
    b         = b_i;
    round     = {Dim{round_i}};
    is_signed = !unsigned_i;
    if (VectorProcessor == 0 || scale_valid_i) begin  // The lanes cost a simulation only this test.
      a         = scale_operand_i;
      b         = scale_per_lane_i ? scale_lane_multiplier_i : {Dim{scale_multiplier_i}};
      round     = scale_round_i;
      is_signed = 1'b1;
      if (scale_factors_i) begin
        for (int i = 0; i < Dim; i++) b[i] = {{23{scale_factor_i[i][8]}}, scale_factor_i[i]};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) partial_valid_q <= 1'b0;
    else partial_valid_q <= scale_valid_i || valid_i;
  end

  if (Recoded != 0) begin : gen_recoded
    for (genvar i = 0; i < Dim; i++) begin : gen_lane
      logic [63:0] sum, carry, sum_q, carry_q;

      tpu_multiplier_tree #(.Unsigned(VectorProcessor)) u_tree (
        .a_i(a[i]), .b_i(b[i]), .round_i(round[i]), .signed_i(is_signed), .sum_o(sum), .carry_o(carry)
      );

      always_ff @(posedge clk_i) begin
        if (scale_valid_i || valid_i) begin
          sum_q   <= sum;
          carry_q <= carry;
        end
        if (partial_valid_q) {product_high_o[i], product_low_o[i]} <= sum_q + carry_q;
      end
    end
  end else begin : gen_words
    logic [Dim-1:0][31:0] low_q, high_q;

    // A task, because a simulator keeps its variables in processor registers.
    task automatic multiply;
      logic [Dim-1:0][31:0] low, high;
      logic signed [63:0]   product;
      for (int i = 0; i < Dim; i++) begin
        product = 64'($signed({is_signed && a[i][31], a[i]})) * 64'($signed({is_signed && b[i][31], b[i]}))
                  + $signed({33'd0, round[i], 30'd0});  // All is signed, so that operands stay 33 bits wide.
        low[i]  = product[31:0];
        high[i] = product[63:32];
      end
      low_q  <= low;
      high_q <= high;
    endtask

    always_ff @(posedge clk_i) begin
      if (scale_valid_i || valid_i) multiply;
      if (partial_valid_q) begin
        product_low_o  <= low_q;
        product_high_o <= high_q;
      end
    end
  end

  `TPU_ASSERT_WHEN(OneRequest, scale_valid_i, !valid_i)
endmodule
