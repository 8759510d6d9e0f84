// SPDX-License-Identifier: Apache-2.0
// Input skew of the systolic array: delays lane k of the operand vector by k cycles, so that the operand of array row k
// meets the partial sum that left row k-1.
//
// Latency: lane k leaves k cycles after it entered; lane 0 is a wire. Throughput: one vector per cycle. Back-pressure:
// none, never stalls.
//
// Protocol: lanes have no valid: tpu_array tracks which vectors are valid. A stage moves in cycles with en_i.
//
// Each stage is a whole vector of 64 or 256 bits although later stages need fewer lanes: it moves faster in a
// simulation, and synthesis removes unused lanes.
//
// Parameters: Dim (lanes, at least 2).
module tpu_array_skew #(
  parameter int Dim = 16
) (
  input  logic                clk_i,
  // High in each cycle in which a valid vector enters or moves on.
  input  logic                en_i,
  input  logic [Dim-1:0][7:0] data_i,
  output logic [Dim-1:0][7:0] data_o
);
  assign data_o[0] = data_i[0];

  localparam int Lanes = Dim > 8 && Dim < 32 ? 32 : Dim;

  for (genvar k = 1; k < Dim; k++) begin : gen_stage
    /* verilator lint_off UNUSEDSIGNAL */  // Of stage k only lanes k and above are used.
    logic [Lanes-1:0][7:0] stage_q;
    /* verilator lint_on UNUSEDSIGNAL */
    if (k == 1) begin : gen_first
      always_ff @(posedge clk_i) if (en_i) stage_q <= (8*Lanes)'(data_i);
    end else begin : gen_next
      always_ff @(posedge clk_i) if (en_i) stage_q <= gen_stage[k-1].stage_q;
    end
    assign data_o[k] = stage_q[k];
  end
endmodule
