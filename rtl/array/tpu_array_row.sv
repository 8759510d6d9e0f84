// SPDX-License-Identifier: Apache-2.0
// One row of processing elements: Dim multiply-accumulators through which operands move to the right, lane by lane,
// while partial sums come from the row above and leave to the row below.
//
// Lane n is one processing element: operand act_q, active weight weight_q, shadow weight shadow_q, partial sum sum_q.
// A swap enters lane 0 one cycle before the operand it belongs to is multiplied there, and moves to the right with it,
// so that every lane copies its shadow weight exactly between the last operand of one tile and the first of the next.
//
// Latency: an operand presented in cycle t is multiplied by lane n in cycle t+n+1; the sum is on sum_o in cycle t+n+2.
// Throughput: one operand per cycle. Back-pressure: none, never stalls.
//
// Protocol: enter_i marks a valid operand. Sums have no valid: tpu_array tracks which vectors are valid.
//
// Parameters: Dim (lanes, at least 4). The others have no effect on results:
// OperandBits (8 or 32): width in which a lane stores operand and weight. Hardware uses 8. With 32 they are stored
// sign-extended, so that a compiled simulation multiplies whole machine words, which makes it twice as fast.
// Recoded (1 only with 8 bits): the multiplication is in gates (tpu_array_pkg); with 0 it is an operator, which becomes
// a multiplier of an FPGA.
// First: sum_i is zero. SumInBits, SumBits: bits of a partial sum above and below.
//
// Simulation speed: sums come first and shifts last, so that Verilator needs no shadow copy of any register. It joins
// the processes of all rows whose outermost condition is the same. Lane 0 loads its operand under a separate condition,
// act_q and sum_q are not declared next to each other, and act_q has room for Dim+1 operands, so that a shift moves Dim
// of them and not Dim-1. GCC then finds the same operation in all lanes and uses vector instructions. The last operand
// is unused; synthesis removes it.
`include "tpu_assert.svh"
module tpu_array_row #(
  parameter int Dim = 16,
  parameter int OperandBits = 8,
  parameter int Recoded = 1,
  parameter int First = 0,
  parameter int SumInBits = 20,
  parameter int SumBits = 20,
  localparam int WeightBits = Recoded != 0 ? $bits(tpu_array_pkg::weight_t) : 8
) (
  input  logic                           clk_i,
  // High while any lane of this row holds or receives a valid operand. The row holds all state while it is low.
  input  logic                           en_i,
  // A valid operand for lane 0, only with en_i. Lanes without a valid operand hold and add values that are not used.
  input  logic                           enter_i,
  input  logic [7:0]                     act_data_i,
  // High in each cycle with a bit of swap_i or wt_valid_i, of this row and of any row: a simulation tests nothing more
  // in the others.
  input  logic                           change_i,
  input  logic                           any_change_i,
  // Swap: bit n is high when lane n receives the first operand that uses the shadow weights.
  input  logic [Dim-1:0]                 swap_i,
  // Shadow weights of the whole row.
  input  logic                           wt_valid_i,
  input  logic [Dim-1:0][WeightBits-1:0] wt_data_i,
  // Partial sums from above and to below.
  input  logic [Dim-1:0][SumInBits-1:0]  sum_i,
  output logic [Dim-1:0][SumBits-1:0]    sum_o
);
  localparam int OB = OperandBits;
  localparam int WB = Recoded != 0 ? WeightBits : OB;
  `TPU_ASSERT_INIT(FormIsLegal, OB == 32 || (OB == 8 && (Recoded == 0 || Recoded == 1)))
  `TPU_ASSERT_INIT(WordsAreNotRecoded, OB == 8 || (Recoded == 0 && SumBits == 32 && SumInBits == 32))

  logic [Dim-1:0][WeightBits-1:0] shadow_q;
  /* verilator lint_off UNUSEDSIGNAL */  // The last operand is unused: see above.
  logic [Dim:0][OB-1:0]           act_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [Dim-1:0][WB-1:0]      weight_q;
  logic [Dim-1:0][SumBits-1:0] sum_q;

  assign sum_o = sum_q;

  logic unused_sum;
  assign unused_sum = First != 0 && ^sum_i;

  /* verilator tracing_off */  // Loop variables and aliases are not worth tracing.
  if (OB == 32) begin : gen_words
    always_ff @(posedge clk_i) begin
      if (en_i) begin
        // The low half of a product is the same for signed and unsigned operands; unsigned simulates faster. First the
        // even lanes, then the odd ones, because Verilator joins products of neighbours to one of 64 bits.
        for (int first = 0; first < 2; first++) begin
          for (int n = first; n < Dim; n += 2) begin
            if (First != 0) sum_q[n] <= act_q[n] * weight_q[n];
            else sum_q[n] <= sum_i[n] + act_q[n] * weight_q[n];
          end
        end
        act_q[Dim:1] <= act_q[Dim-1:0];
      end
      if (enter_i) act_q[0] <= (32'(act_data_i) ^ 32'h80) - 32'h80;
    end

    always_ff @(posedge clk_i) begin
      if (any_change_i) begin
        if (change_i) begin
          // Tested in groups of four, which saves simulation time.
          for (int g = 0; g < Dim; g += 4) begin
            if (en_i && |swap_i[g +: 4]) begin
              for (int n = g; n < g + 4; n++) begin
                if (swap_i[n]) weight_q[n] <= 32'($signed(shadow_q[n]));
              end
            end
          end
          if (wt_valid_i) shadow_q <= wt_data_i;
        end
      end
    end
  end else begin : gen_bytes
    logic unused_change;
    assign unused_change = change_i ^ any_change_i;

    always_ff @(posedge clk_i) begin
      if (en_i) begin
        for (int n = 0; n < Dim; n++) begin
          logic [31:0] above;
          above = First != 0 ? '0 : 32'($signed(sum_i[n]));
          if (Recoded != 0) begin
            sum_q[n] <= SumBits'(tpu_array_pkg::multiply_add(
              act_q[n], tpu_array_pkg::weight_t'(weight_q[n]), tpu_array_pkg::sum_t'(above)));
          end else begin
            sum_q[n] <=
              SumBits'(above + 32'($signed(act_q[n]) * $signed(weight_q[n])));
          end
          if (swap_i[n]) weight_q[n] <= shadow_q[n];
        end
        act_q[Dim:1] <= act_q[Dim-1:0];
        if (enter_i) act_q[0] <= act_data_i;
      end
      if (wt_valid_i) shadow_q <= wt_data_i;
    end
  end
  /* verilator tracing_on */
endmodule
