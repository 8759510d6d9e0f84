// SPDX-License-Identifier: Apache-2.0
// One row of processing elements: Dim multiply-accumulators through which operands move to the right, lane by lane,
// while partial sums come from the row above and leave to the row below.
//
// Lane n is one processing element: operand act_q, active weight weight_q, shadow weight shadow_q, partial sum sum_q.
// A swap enters lane 0 one cycle before the operand it belongs to is multiplied there, and moves to the right with it,
// so that every lane copies its shadow weight exactly between the last operand of one tile and the first of the next.
//
// Latency: an operand presented in cycle T is multiplied by lane n in cycle T+n+1, its sum is visible in cycle T+n+2.
// Throughput: one operand per cycle. Never stalls.
//
// Parameters: Dim (lanes, at least 4); OperandBits (8 to 32, no effect on results): width in which a lane keeps operand
// and weight. 8 is the hardware. 32 keeps them sign-extended, so that a compiled simulation multiplies machine words as
// they lie in memory, which makes it twice as fast.
//
// One process, sums first and shifts last: in this order Verilator needs no shadow copy of any register. Lane 0 takes
// its operand under a separate condition, and act_q and sum_q are not declared next to each other, so that GCC sees
// that sums and shifts are the same in all lanes and uses vector instructions. For the same reason act_q has room for
// Dim+1 operands, so that a shift moves Dim of them, not Dim-1. The last one is not used, and synthesis drops it.
module tpu_array_row #(
  parameter int Dim = 16,
  parameter int OperandBits = 8
) (
  input  logic              clk_i,
  // High while any lane of this row holds or receives a valid operand. The row holds all state while it is low.
  input  logic              en_i,
  // A valid operand for lane 0. Lanes without a valid operand hold and add values that are not used.
  input  logic              enter_i,
  input  logic [7:0]        act_data_i,
  // Swap: bit n is high when lane n receives the first operand that uses the shadow weights.
  input  logic [Dim-1:0]    swap_i,
  // Shadow weights of the whole row.
  input  logic              wt_valid_i,
  input  logic [8*Dim-1:0]  wt_data_i,
  // Partial sums from above and to below.
  input  logic [32*Dim-1:0] sum_i,
  output logic [32*Dim-1:0] sum_o
);
  localparam int OB = OperandBits;

  logic [8*Dim-1:0]      shadow_q;
  /* verilator lint_off UNUSEDSIGNAL */  // No lane takes the operand that has left the row: see above.
  logic [OB*(Dim+1)-1:0] act_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [OB*Dim-1:0]     weight_q;
  logic [32*Dim-1:0]     sum_q;

  assign sum_o = sum_q;

  /* verilator tracing_off */  // Loop variables and aliases are no signals to look at.
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      for (int n = 0; n < Dim; n++) begin
        // The low half of a product is the same with and without sign, and simpler without where words are that wide.
        if (OB == 32) begin
          sum_q[32*n +: 32] <= sum_i[32*n +: 32] + 32'(act_q[OB*n +: OB]) * 32'(weight_q[OB*n +: OB]);
        end else begin
          sum_q[32*n +: 32] <= sum_i[32*n +: 32] + 32'($signed(act_q[OB*n +: OB]) * $signed(weight_q[OB*n +: OB]));
        end
      end
      act_q[OB*(Dim+1)-1:OB] <= act_q[OB*Dim-1:0];
      if (enter_i) act_q[OB-1:0] <= (OB'(act_data_i) ^ OB'(8'h80)) - OB'(8'h80);
      // In groups of four, so that a simulation has fewer tests.
      if (|swap_i) begin
        for (int g = 0; g < Dim; g += 4) begin
          if (|swap_i[g +: 4]) begin
            for (int n = g; n < g + 4; n++) begin
              if (swap_i[n]) weight_q[OB*n +: OB] <= OB'($signed(shadow_q[8*n +: 8]));
            end
          end
        end
      end
    end
    if (wt_valid_i) shadow_q <= wt_data_i;
  end
  /* verilator tracing_on */
endmodule
