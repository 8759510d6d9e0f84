// SPDX-License-Identifier: Apache-2.0
// Output queue of the vector unit. The place of each row (its destination, and whether it is the last row of its
// command) is queued when the row's last read is issued; the row itself is queued when the data path has computed it.
// Of a PRELOAD only the places are queued: its rows go directly to the accumulators.
//
// Latency: one cycle from row_valid_i to wr_valid_o. Throughput: one row per cycle. Back-pressure: wr_ready_i on the
// output, none on the inputs; tpu_vpu_control never issues rows for more than Depth places.
//
// Protocol: place_valid_i and row_valid_i mark a place and a row for one cycle. wr_* is a valid/ready stream. commit_i
// removes the oldest place when its row has been written.
//
// Parameters: Dim (lanes), Depth (rows, power of two).
`include "tpu_assert.svh"
module tpu_vpu_output #(
  parameter int Dim = 16,
  parameter int Depth = 16
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // Place of a row whose last read is issued in this cycle.
  input  logic             place_valid_i,
  input  logic [15:0]      place_row_i,
  input  logic             place_last_i,
  // Row.
  input  logic             row_valid_i,
  input  logic [8*Dim-1:0] row_i,
  // Scratchpad write port; place of the oldest row.
  output logic             wr_valid_o,
  input  logic             wr_ready_i,
  output logic [8*Dim-1:0] wr_data_o,
  output logic [15:0]      row_place_o,
  output logic             row_last_o,
  // The oldest row was written.
  input  logic             commit_i
);
  logic                   row_ready, place_ready, place_valid;
  logic [$clog2(Depth):0] unused_row_level, unused_place_level;

  tpu_fifo #(.Width(8*Dim), .Depth(Depth)) u_rows (
    .clk_i, .rst_ni, .wr_valid_i(row_valid_i), .wr_ready_o(row_ready), .wr_data_i(row_i),
    .rd_valid_o(wr_valid_o), .rd_ready_i(wr_ready_i), .rd_data_o(wr_data_o), .level_o(unused_row_level)
  );

  tpu_fifo #(.Width(17), .Depth(Depth)) u_places (
    .clk_i, .rst_ni, .wr_valid_i(place_valid_i), .wr_ready_o(place_ready), .wr_data_i({place_last_i, place_row_i}),
    .rd_valid_o(place_valid), .rd_ready_i(commit_i), .rd_data_o({row_last_o, row_place_o}),
    .level_o(unused_place_level)
  );

  `TPU_ASSERT_WHEN(RowHasRoom, row_valid_i, row_ready)
  `TPU_ASSERT_WHEN(PlaceHasRoom, place_valid_i, place_ready)
  `TPU_ASSERT_WHEN(RowHasPlace, wr_valid_o, place_valid)
endmodule
