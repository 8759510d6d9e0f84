// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_clear: a start is followed by each row once, in order.
`include "properties.svh"
module clear_properties #(
  parameter int Rows = 4096
) (
  input logic clk_i,
  input logic rst_ni,
  input logic start_i
);
  logic        active_o;
  logic [15:0] row_o;
  tpu_clear #(.Rows(Rows)) u_clear (.*);
  `CHECKED_OUTSIDE_RESET

  // Cycles since the last start, up to Rows; what was active.
  logic        begun_q;
  logic [16:0] since_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      begun_q <= 1'b0;
    end else if (start_i) begin
      begun_q <= 1'b1;
      since_q <= '0;
    end else if (begun_q && since_q != 17'(Rows)) begin
      since_q <= since_q + 17'd1;
    end
  end

  `PROPERTY(EachRow, begun_q && since_q < 17'(Rows), active_o && 17'(row_o) == since_q)
  `PROPERTY(Ends, begun_q && since_q == 17'(Rows), !active_o)
  `PROPERTY(Idle, !begun_q, !active_o)

  `INVARIANT(Since, !begun_q || since_q <= 17'(Rows))
endmodule
