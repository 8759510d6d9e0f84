// SPDX-License-Identifier: Apache-2.0
// Output deskew of the systolic array: delays lane n by Dim-1-n cycles, so that all column sums of one vector leave
// together.
//
// Latency: lane n leaves Dim-1-n cycles after it entered; the last lane is a wire. Throughput: one vector per cycle.
// Back-pressure: none, never stalls.
//
// Protocol: lanes have no valid: tpu_array tracks which vectors are valid. A stage moves in cycles with en_i.
//
// Parameters: Dim (lanes, at least 4); SumBits (of a lane).
module tpu_array_deskew #(
  parameter int Dim = 16,
  parameter int SumBits = 20
) (
  input  logic                        clk_i,
  // High in each cycle in which a valid lane enters or moves on.
  input  logic                        en_i,
  input  logic [Dim-1:0][SumBits-1:0] data_i,
  output logic [Dim-1:0][SumBits-1:0] data_o
);
  // Stage k holds lanes 0 to Dim-2-k, delayed by k+1 cycles. Its number of lanes is a multiple of eight, which moves
  // faster in a simulation; synthesis removes those without a use.
  for (genvar k = 0; k < Dim - 1; k++) begin : gen_stage
    localparam int Lane = Dim - 2 - k;  // that leaves here
    localparam int Lanes = Dim < 8 ? Dim : 8 * (Lane / 8 + 1);
    /* verilator lint_off UNUSEDSIGNAL */
    logic [Lanes-1:0][SumBits-1:0] stage_q;
    /* verilator lint_on UNUSEDSIGNAL */
    if (k == 0) begin : gen_first
      always_ff @(posedge clk_i) if (en_i) stage_q <= data_i[Lanes-1:0];
    end else begin : gen_next
      always_ff @(posedge clk_i) if (en_i) stage_q <= gen_stage[k-1].stage_q[Lanes-1:0];
    end
    assign data_o[Lane] = stage_q[Lane];
  end
  assign data_o[Dim-1] = data_i[Dim-1];
endmodule
