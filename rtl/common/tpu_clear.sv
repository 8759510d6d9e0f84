// SPDX-License-Identifier: Apache-2.0
// Counts through the rows of the memories while all of them are overwritten with zeros in parallel.
//
// Latency: active_o is high from the cycle after start_i rises, until Rows cycles after the last cycle with start_i.
// Throughput: one row per cycle. Back-pressure: none, the memories must accept every row.
//
// Ports: start_i (re)starts the count. While active_o is high, row_o is the row to clear; a memory with fewer rows
// ignores rows that it does not have.
//
// Parameters: Rows, rows of the deepest memory (2 to 65536).
module tpu_clear #(
  parameter int Rows = 4096
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,
  output logic        active_o,
  output logic [15:0] row_o
);
  always_ff @(posedge clk_i) begin
    if (active_o) begin
      active_o <= row_o != 16'(Rows - 1);
      row_o    <= row_o + 16'd1;
    end
    if (start_i) begin
      active_o <= 1'b1;
      row_o    <= '0;
    end
    if (!rst_ni) active_o <= 1'b0;
  end
endmodule
