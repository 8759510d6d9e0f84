// SPDX-License-Identifier: Apache-2.0
// Output of the vector unit. The place of each row (its destination, and whether it is the last row of its command) is
// queued when the row's last read is issued; the row itself comes when the data path has computed it and is written in
// the next cycle, because the scratchpad grants every write. Of a PRELOAD only the places are used: its rows go
// directly to the accumulators.
//
// Latency: one cycle from row_valid_i to wr_valid_o. Throughput: one row per cycle. Back-pressure: none;
// tpu_vpu_control never issues rows for more than Depth places.
//
// Protocol: place_valid_i and row_valid_i mark a place and a row for one cycle, wr_valid_o a row that is written to
// place_o. commit_i removes the oldest place when its row is written.
//
// Parameters: Dim (lanes), Depth (places, power of two).
`include "tpu_assert.svh"
module tpu_vpu_output #(
  parameter int Dim = 16,
  parameter int Depth = 16
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // Place of a row whose last read is issued in this cycle.
  input  logic                place_valid_i,
  input  tpu_vpu_pkg::place_t place_i,
  // Row.
  input  logic                row_valid_i,
  input  logic [Dim-1:0][7:0] row_i,
  // Scratchpad write port; place of the oldest row.
  output logic                wr_valid_o,
  output logic [Dim-1:0][7:0] wr_data_o,
  output tpu_vpu_pkg::place_t place_o,
  // The oldest row is written.
  input  logic                commit_i
);
  logic                   place_ready, place_valid;
  logic [$clog2(Depth):0] unused_level;

  tpu_fifo #(.Width($bits(tpu_vpu_pkg::place_t)), .Depth(Depth)) u_places (
    .clk_i, .rst_ni, .wr_valid_i(place_valid_i), .wr_ready_o(place_ready), .wr_data_i(place_i),
    .rd_valid_o(place_valid), .rd_ready_i(commit_i), .rd_data_o(place_o), .level_o(unused_level)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) wr_valid_o <= 1'b0;
    else wr_valid_o <= row_valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (row_valid_i) wr_data_o <= row_i;
  end

  `TPU_ASSERT_WHEN(PlaceHasRoom, place_valid_i, place_ready)
  `TPU_ASSERT_WHEN(RowHasPlace, wr_valid_o, place_valid)
endmodule
