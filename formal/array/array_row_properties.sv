// SPDX-License-Identifier: Apache-2.0
// Properties of a row of processing elements in its three forms: products in gates, the multiplication of an FPGA, and
// the words of a simulation. Sums of the form in gates are compared with both others.
`include "properties.svh"
module array_row_properties #(
  parameter int Dim = 4,
  parameter int Lane = 0,
  parameter int First = 0,
  parameter int High = 0,
  parameter int SumInBits = 20,
  parameter int SumBits = 20,
  localparam int WeightBits = $bits(tpu_array_pkg::weight_t)
) (
  input logic                     clk_i,
  input logic                     rst_ni,
  input logic                     en_i,
  input logic                     enter_i,
  input logic [7:0]               act_data_i,
  input logic [Dim-1:0]           swap_i,
  input logic                     wt_valid_i,
  input logic [8*Dim-1:0]         weights_i,
  input logic [SumInBits*Dim-1:0] sum_i
);
  logic [WeightBits*Dim-1:0] recoded;
  logic [SumBits*Dim-1:0]    gates_sum, operator_sum;
  logic [32*Dim-1:0]         words_in, words_sum;
  logic                      change_i, any_change_i;
  assign change_i     = swap_i != '0 || wt_valid_i;
  assign any_change_i = change_i;
  for (genvar n = 0; n < Dim; n++) begin : gen_lane
    assign recoded[WeightBits*n +: WeightBits] = tpu_array_pkg::recoded(weights_i[8*n +: 8]);
    assign words_in[32*n +: 32] = 32'($signed(sum_i[SumInBits*n +: SumInBits]));
  end

  tpu_array_row #(
    .Dim(Dim), .OperandBits(8), .Recoded(1), .First(First), .SumInBits(SumInBits), .SumBits(SumBits)
  ) u_gates (
    .wt_data_i(recoded), .sum_o(gates_sum), .*);
  tpu_array_row #(
    .Dim(Dim), .OperandBits(8), .Recoded(0), .First(First), .SumInBits(SumInBits), .SumBits(SumBits)
  ) u_operator (
    .wt_data_i(weights_i), .sum_o(operator_sum), .*);
  tpu_array_row #(.Dim(Dim), .OperandBits(32), .Recoded(0), .First(First), .SumInBits(32), .SumBits(32)) u_words (
    .enter_i(en_i && enter_i), .wt_data_i(weights_i), .sum_i(words_in), .sum_o(words_sum), .*);
  `CHECKED_OUTSIDE_RESET

  // Registers have no reset. These flags tell which of them were loaded.
  logic           shadow_known_q;
  logic [Dim-1:0] act_known_q, weight_known_q, sum_known_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      shadow_known_q <= 1'b0;
      act_known_q    <= '0;
      weight_known_q <= '0;
      sum_known_q    <= '0;
    end else begin
      if (wt_valid_i) shadow_known_q <= 1'b1;
      if (en_i) begin
        act_known_q    <= {act_known_q[Dim-2:0], enter_i || act_known_q[0]};
        weight_known_q <= (weight_known_q & ~swap_i) | (swap_i & {Dim{shadow_known_q}});
        sum_known_q    <= act_known_q & weight_known_q;
      end
    end
  end

  // The weight of the last product. In a first row all weights are compared, in others sixteen, whose upper half is a
  // parameter: more would take a solver minutes.
  logic [7:0] used_q;
  always_ff @(posedge clk_i) if (en_i) used_q <= u_operator.weight_q[Lane];

  logic               compared;
  logic [SumBits-1:0] gates, operator, words;
  assign compared = sum_known_q[Lane] && (First != 0 || used_q[7:4] == 4'(High));
  assign gates    = gates_sum[SumBits*Lane +: SumBits];
  assign operator = operator_sum[SumBits*Lane +: SumBits];
  assign words    = words_sum[32*Lane +: SumBits];
  `PROPERTY(GatesAsWords, compared, gates == words)
  `PROPERTY(OperatorAsWords, compared, operator == words)

  for (genvar n = 0; n < Dim; n++) begin : gen_same
    logic [7:0]            act, weight, shadow;
    tpu_array_pkg::weight_t recoded_weight, recoded_shadow;
    assign act            = u_operator.act_q[n];
    assign weight         = u_operator.weight_q[n];
    assign shadow         = u_operator.shadow_q[n];
    assign recoded_weight = tpu_array_pkg::recoded(weight);
    assign recoded_shadow = tpu_array_pkg::recoded(shadow);
    `INVARIANT(Act, !act_known_q[n] ||
               (u_gates.act_q[n] == act && u_words.act_q[n] == 32'($signed(act))))
    `INVARIANT(Weight, !weight_known_q[n] ||
               (u_gates.weight_q[n] == recoded_weight &&
                u_words.weight_q[n] == 32'($signed(weight))))
    `INVARIANT(Shadow, !shadow_known_q ||
               (u_gates.shadow_q[n] == recoded_shadow &&
                u_words.shadow_q[n] == shadow))
  end
endmodule
