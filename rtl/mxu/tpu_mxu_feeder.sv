// SPDX-License-Identifier: Apache-2.0
// Moves weight tiles from the weight ring into the shadow registers of the array, one row per cycle, one tile ahead of
// the activations.
//
// The shadow registers hold one tile. A row of them may be replaced once the swap to that tile has passed through it,
// for row k Dim-1+k cycles after the swap (the timing contract of tpu_array). The next tile may therefore start Dim-1
// cycles after the swap, with one row per cycle. A tile counts as loaded from the cycle after its first row was read,
// because the activations that use it reach each array row later than the weights do.
//
// Latency: a row read in cycle f reaches the array in f+2. Throughput: one tile in Dim cycles without a gap.
// Back-pressure: the weight ring never refuses a read; a tile waits until the shadow registers are free. The next
// command is taken with the last row of the previous one.
//
// A tile that is skipped is not in the ring. Tiles are skipped one per cycle, while no tile is loaded; skips_o is high
// until the streamer has passed all of them.
//
// In block floating point a tile has at most 16 rows of weights, which go to the first rows of the array, and a row of
// exponents behind them: a tile takes a cycle more.
//
// Protocol: start_* is a valid/ready stream. rd_valid_o and wt_valid_o have no ready; read data are valid in the next
// cycle. swap_i is a pulse, only while loaded_o is high; skipped_i is one for each tile that is passed, only while
// skips_o is high, and loaded_o then low (both asserted).
//
// Parameters: Dim (4, 8, 16 or 32), WeightRows (power of two); BlockFloat, 0 for a core whose tiles have no exponents.
`include "tpu_assert.svh"
module tpu_mxu_feeder import tpu_mxu_pkg::*; #(
  parameter int Dim = 16,
  parameter int WeightRows = 4096,
  parameter int BlockFloat = 1,
  localparam int TileBits = tile_bits(Dim, WeightRows),
  localparam int SkipBits = skip_bits(Dim, WeightRows),
  localparam int RowWidth = $clog2(WeightRows),
  localparam int LaneWidth = $clog2(Dim),
  localparam int BlockLanes = block_lanes(Dim)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Tiles of the next command.
  input  logic                 start_valid_i,
  output logic                 start_ready_o,
  input  logic                 start_block_i, // block floating point
  input  logic [15:0]          start_row_i,
  input  logic [TileBits-1:0]  start_tiles_i,
  input  logic [SkipBits-1:0]  start_skip_i,  // of the first tiles; the last one counts as 0
  // Streamer: the next tile is loaded; its first activation is issued (swap_i); tiles are to be skipped before.
  output logic                 loaded_o,
  input  logic                 swap_i,
  output logic                 skips_o,
  input  logic                 skipped_i,
  // Weight ring.
  output logic                 rd_valid_o,
  output logic [RowWidth-1:0]  rd_row_o,
  input  logic [8*Dim-1:0]     rd_data_i,
  // Array.
  output logic                 wt_valid_o,
  output logic [LaneWidth-1:0] wt_row_o,
  output logic [8*Dim-1:0]     wt_data_o,
  // The exponents of a tile, on wt_data_o.
  output logic                 exponents_valid_o
);
  `TPU_ASSERT_INIT(WeightRowsPowerOfTwo, (WeightRows & (WeightRows - 1)) == 0)

  logic [TileBits-1:0]  tiles_q;    // tiles not yet started or skipped
  logic [SkipBits-1:0]  skip_q;     // of them, those to skip
  logic [TileBits-1:0]  ahead_q;    // tiles skipped that the streamer has not passed
  logic                 skips_q;    // there are some
  logic [RowWidth-1:0]  row_q;
  logic                 reading_q, block_q;
  logic [LaneWidth:0]   lane_q, last_lane;
  logic [5:0]           cooldown_q; // cycles until the shadow registers may change
  logic                 loaded_q;
  logic                 begin_tile, skip;
  logic                 read_d1_q;
  logic                 exponents_d1_q;
  logic [LaneWidth-1:0] lane_d1_q;
  logic                 unused_bits;

  assign unused_bits = ^start_row_i; // the ring wraps: bits above RowWidth do not matter

  // A tile may begin when the shadow registers are free. The first row of a tile may directly follow the last row of
  // the previous one.
  always_comb begin
    begin_tile = 1'b0;  // Branches here and below: a unit that waits costs a simulation one test.
    skip = 1'b0;
    if (!loaded_q) begin
      skip = skip_q[0] && (tiles_q >> 1) != '0;
      begin_tile = tiles_q != '0 && cooldown_q == '0 && !reading_q && !skip;
    end
  end
  assign last_lane = (LaneWidth+1)'(block_q ? BlockLanes : Dim - 1);
  assign rd_valid_o = begin_tile || reading_q;
  assign rd_row_o = row_q;
  logic start;
  always_comb begin
    start_ready_o = 1'b0;
    start = 1'b0;
    if (tiles_q == '0) begin
      start_ready_o = !reading_q || lane_q == last_lane;
      start = start_valid_i && start_ready_o;
    end
  end
  assign loaded_o = loaded_q && !skips_q;
  assign skips_o = skips_q;

  `TPU_ASSERT_WHEN(SwapNeedsTile, swap_i, loaded_o)
  `TPU_ASSERT_WHEN(PassesSkipped, skipped_i, skips_q)

  // Here and in other modules a register is read before it is written, and reset last: a simulator needs no copy then.
  always_ff @(posedge clk_i) begin
    if (begin_tile || skip) tiles_q <= tiles_q - 1'b1;
    if (start) tiles_q <= start_tiles_i;
    if (skip != skipped_i) begin
      skips_q <= skip || (ahead_q >> 1) != '0;
      ahead_q <= skip ? ahead_q + 1'b1 : ahead_q - 1'b1;
    end
    if (begin_tile) loaded_q <= 1'b1;
    else if (swap_i) loaded_q <= 1'b0;
    if (rd_valid_o) begin
      reading_q <= lane_q != last_lane;
      lane_q <= lane_q == last_lane ? '0 : lane_q + 1'b1;
    end
    if (cooldown_q != '0) cooldown_q <= cooldown_q - 1'b1;
    if (swap_i) cooldown_q <= 6'(Dim - 2);
    if (!rst_ni) begin
      tiles_q <= '0;
      reading_q <= 1'b0;
      lane_q <= '0;
      cooldown_q <= '0;
      loaded_q <= 1'b0;
      ahead_q <= '0;
      skips_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rd_valid_o) row_q <= row_q + 1'b1;
    if (begin_tile || skip) skip_q <= skip_q >> 1;
    if (start) begin
      row_q <= start_row_i[RowWidth-1:0];
      block_q <= BlockFloat != 0 && start_block_i;
      skip_q <= start_skip_i;
    end
  end

  always_ff @(posedge clk_i) begin
    read_d1_q         <= rd_valid_o && rst_ni;
    wt_valid_o        <= 1'b0;
    exponents_valid_o <= 1'b0;
    if (rd_valid_o) begin
      exponents_d1_q <= block_q && lane_q == last_lane;
      lane_d1_q      <= lane_q[LaneWidth-1:0];
    end
    if (read_d1_q) begin
      wt_valid_o <= !exponents_d1_q && rst_ni;
      exponents_valid_o <= exponents_d1_q && rst_ni;
      wt_row_o <= lane_d1_q;
      wt_data_o <= rd_data_i;
    end
  end
endmodule
