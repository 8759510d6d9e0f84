// SPDX-License-Identifier: Apache-2.0
// The planes of a row in memory that a cycle accesses: all of them if the scratchpad can serve them together
// (tpu_scratchpad), or else plane_i alone. Words have four planes, halves two, and others one.
//
// Latency: combinational. Throughput: a row or a plane per cycle. Back-pressure: none.
// Protocol: while valid_i is low, outputs are zero.
//
// Parameters: BlockRows (scratchpad rows of the eight banks).
module tpu_strip_planes #(
  parameter int BlockRows = 12288,
  localparam int Planes = 4
) (
  input  logic                 valid_i,
  input  logic [2:0]           format_i,
  input  logic [Planes-1:0][15:0] rows_i,      // where the planes lie
  input  logic [1:0]           plane_i,     // the first that has not been accessed
  output logic [Planes-1:0]    planes_o,
  output logic [15:0]          row_o,       // of plane_i
  output logic                 together_o,
  output logic                 last_o       // the last plane is among them
);
  logic words, halves, in_banks;

  always_comb begin
    words      = 1'b0;
    halves     = 1'b0;
    in_banks   = 1'b0;
    planes_o   = '0;
    row_o      = '0;
    together_o = 1'b0;
    last_o     = 1'b0;
    if (valid_i) begin  // An idle unit costs a simulation one test.
      words      = format_i == tpu_kernel_pkg::FORMAT_I32;
      halves     = format_i == tpu_kernel_pkg::FORMAT_I16;
      row_o      = rows_i[plane_i];
      planes_o   = Planes'(1) << plane_i;
      last_o     = plane_i == (words ? 2'd3 : halves ? 2'd1 : 2'd0);
      in_banks   = 32'(rows_i[0]) < BlockRows && 32'(rows_i[1]) < BlockRows;
      if (words) begin
        in_banks   = in_banks && 32'(rows_i[2]) < BlockRows && 32'(rows_i[3]) < BlockRows;
        together_o = in_banks && rows_i[0][0] != rows_i[1][0];
      end else if (halves) begin
        together_o = in_banks && rows_i[0][1:0] != rows_i[1][1:0];
      end
      if (together_o) begin
        planes_o = words ? 4'b1111 : 4'b0011;
        last_o   = 1'b1;
      end
    end
  end
endmodule
