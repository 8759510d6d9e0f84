// SPDX-License-Identifier: Apache-2.0
// Checks the timing contract of the shadow weights of tpu_array. Simulation only.
//
// A swap in cycle t reaches row k, lane n in cycle t+k+n. Row k's shadow weights must have been written for it by cycle
// t+k-1, and must not be written again before cycle t+k+Dim-1. Both rules together keep swaps at least Dim cycles
// apart.
//
// The check tracks swaps by their age instead of probing the rows: one check per cycle instead of one per row.
//
// All ports but swaps_i are those of tpu_array, sampled in every cycle. Bit a of swaps_i: a swap entered the array with
// a valid operand a cycles ago.
//
// Parameters: Dim (columns) and Rows, as in tpu_array.
`include "tpu_assert.svh"
module tpu_array_check #(
  parameter int Dim = 16,
  parameter int Rows = Dim
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input logic [Rows+Dim-2:0]     swaps_i,
  input logic                    wt_valid_i,
  input logic [$clog2(Rows)-1:0] wt_row_i
);
  logic [Rows-1:0] fresh_q;  // Bit k: row k was written and no swap has reached it since.

  always_ff @(posedge clk_i) begin
    if (swaps_i != '0) fresh_q <= fresh_q & ~swaps_i[Rows-1:0];
    if (wt_valid_i) fresh_q[wt_row_i] <= 1'b1;
    if (!rst_ni) fresh_q <= '0;
  end

  // Fails when a swap reaches a row whose shadow weights were not written since the previous swap. Block floating point
  // uses 16 rows at most, and those after them multiply zeros by what they hold.
  localparam int Used = Rows < 16 ? Rows : 16;
  `TPU_ASSERT_WHEN(ShadowWrittenBeforeSwap, swaps_i != '0, (swaps_i[Used-1:0] & ~fresh_q[Used-1:0]) == '0,
                   ("rows in the swap %b, written %b\n", swaps_i[Used-1:0], fresh_q[Used-1:0]))
  // Fails when shadow weights are written while a swap is still copying them.
  `TPU_ASSERT_WHEN(ShadowHeldDuringSwap, wt_valid_i, (Dim-1)'(swaps_i >> wt_row_i) == '0,
                   ("row %0d, rows in the swap %b\n", wt_row_i, swaps_i))
endmodule
