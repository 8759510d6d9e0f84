// SPDX-License-Identifier: Apache-2.0
// Output deskew of the systolic array: delays lane n by Dim-1-n cycles, so that all column sums of one vector leave
// together.
//
// Latency: lane n leaves Dim-1-n cycles after it entered; the last lane is a wire. Throughput: one vector per cycle.
// Never stalls.
//
// Parameters: Dim (lanes, at least 4).
module tpu_array_deskew #(
  parameter int Dim = 16
) (
  input  logic              clk_i,
  // High in each cycle in which a valid lane enters or moves on.
  input  logic              en_i,
  input  logic [32*Dim-1:0] data_i,
  output logic [32*Dim-1:0] data_o
);
  // A separate function in the simulation, in which the lines shift in place instead of through copies.
  /* verilator no_inline_module */
  for (genvar n = 0; n < Dim - 2; n++) begin : gen_lane
    localparam int Bits = 32 * (Dim - 1 - n);
    logic [Bits-1:0] line_q;
    always_ff @(posedge clk_i) if (en_i) line_q <= {line_q[Bits-33:0], data_i[32*n +: 32]};
    assign data_o[32*n +: 32] = line_q[Bits-1 -: 32];
  end

  logic [31:0] last_q;
  always_ff @(posedge clk_i) if (en_i) last_q <= data_i[32*(Dim-2) +: 32];
  assign data_o[32*(Dim-2) +: 32] = last_q;
  assign data_o[32*(Dim-1) +: 32] = data_i[32*(Dim-1) +: 32];
endmodule
