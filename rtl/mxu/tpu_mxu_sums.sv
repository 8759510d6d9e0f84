// SPDX-License-Identifier: Apache-2.0
// Destination of each sum of the array. The sums come a constant number of cycles after their positions: the last
// position of each tile is marked in a shift register of that length, and so are the exponents of positions (block
// floating point). What all sums of a tile have in common waits in a queue.
//
// Latency: none; the outputs belong to sum_valid_i. Throughput: one sum per cycle. Back-pressure: none. The queues have
// room because a tile takes at least Dim cycles.
//
// Protocol: issue_i marks a position, tile_i belongs to the first of a tile. Its exponent comes one cycle later.
// sum_valid_i is high 2*Dim+2 cycles after issue_i (asserted). The exponents of a tile come before its first sum.
//
// Parameters: Dim (4, 8, 16 or 32); BlockFloat, 0 for a core without exponents.
`include "tpu_assert.svh"
module tpu_mxu_sums import tpu_mxu_pkg::*; #(
  parameter int Dim = 16,
  parameter int BlockFloat = 1,
  localparam int Width = 8 * Dim
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // Positions.
  input  logic             issue_i,
  input  logic             tile_first_i,
  input  logic             tile_last_i,
  input  tile_t            tile_i,
  input  logic             exponent_valid_i,
  input  logic [7:0]       exponent_i,
  // Exponents of a tile, from the weight ring.
  input  logic             weights_valid_i,
  input  logic [Width-1:0] weights_i,
  // Sums.
  input  logic             sum_valid_i,
  output logic [15:0]      row_o,
  output logic             accumulate_o,
  output logic             last_o,          // of the command
  output logic             block_o,         // block floating point: begins and completes a block, exponents
  output logic             begin_o,
  output logic             complete_o,
  output logic [7:0]       act_exponent_o,
  output logic [Width-1:0] weight_exponents_o,
  // Sums are on their way.
  output logic             busy_o
);
  localparam int Cycles = 2 * Dim + 2; // from a position to its sum
  localparam int TilesAhead = 4;       // more than there are between a tile's first position and its last sum

  // Bit a: a position was issued a+1 cycles ago; it was the last of its tile, as was that of the sum that comes now.
  logic [Cycles-1:0] flight_q;
  logic [Cycles-2:0] early_ends_q;
  logic              ends_q;
  assign busy_o = flight_q != '0;
  always_ff @(posedge clk_i) begin
    if (issue_i || busy_o) begin
      ends_q <= early_ends_q[Cycles-2];
      early_ends_q <= {early_ends_q[Cycles-3:0], tile_last_i};
      flight_q <= {flight_q[Cycles-2:0], issue_i};
    end
    if (!rst_ni) flight_q <= '0;
  end
  `TPU_ASSERT(SumPerPosition, sum_valid_i == flight_q[Cycles-1])

  // The tile of the sums, and the accumulator row of those behind its first.
  logic                        tile_ready, tile_valid, first_q;
  logic [15:0]                 row_q;
  tile_t                       tile;
  logic [$clog2(TilesAhead):0] unused_tiles;
  tpu_fifo #(.Width($bits(tile_t)), .Depth(TilesAhead)) u_tiles (
    .clk_i, .rst_ni,
    .wr_valid_i(issue_i && tile_first_i), .wr_ready_o(tile_ready), .wr_data_i(tile_i),
    .rd_valid_o(tile_valid), .rd_ready_i(sum_valid_i && ends_q), .rd_data_o(tile), .level_o(unused_tiles)
  );
  `TPU_ASSERT_WHEN(TileRoom, issue_i && tile_first_i, tile_ready)
  `TPU_ASSERT_WHEN(TilePerSum, sum_valid_i, tile_valid)

  assign row_o = first_q ? tile.row : row_q;
  assign last_o = tile.last && ends_q;
  assign accumulate_o = tile.accumulate;
  assign block_o = BlockFloat != 0 && sum_valid_i && tile.block_float;
  assign begin_o = tile.begins;
  assign complete_o = tile.completes;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q <= 1'b1;
    end else if (sum_valid_i) begin
      first_q <= ends_q;
      row_q   <= row_o + 1'b1;
    end
  end

  // Exponents. Those of positions come one cycle after them; nothing moves when the last one is gone.
  if (BlockFloat != 0) begin : gen_exponents
    localparam int Steps = Cycles - 1;
    logic [Steps-1:0][7:0]       exponents_q;
    logic [$clog2(Steps+1)-1:0]  left_q;
    logic                        weight_ready, weight_valid;
    logic [$clog2(TilesAhead):0] unused_weights;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        left_q <= '0;
      end else if (exponent_valid_i || left_q != '0) begin
        left_q <= exponent_valid_i ? ($clog2(Steps+1))'(Steps) : left_q - 1'b1;
        exponents_q <= {exponents_q[Steps-2:0], exponent_i};
      end
    end
    assign act_exponent_o = exponents_q[Steps-1];

    tpu_fifo #(.Width(Width), .Depth(TilesAhead)) u_weights (
      .clk_i, .rst_ni,
      .wr_valid_i(weights_valid_i), .wr_ready_o(weight_ready), .wr_data_i(weights_i),
      .rd_valid_o(weight_valid), .rd_ready_i(block_o && ends_q),
      .rd_data_o(weight_exponents_o), .level_o(unused_weights)
    );
    `TPU_ASSERT_WHEN(WeightExponentRoom, weights_valid_i, weight_ready)
    `TPU_ASSERT_WHEN(ExponentsPerTile, block_o, weight_valid && left_q != '0)
  end else begin : gen_no_exponents
    logic unused_exponents;
    assign unused_exponents   = ^{exponent_valid_i, exponent_i, weights_valid_i, weights_i};
    assign act_exponent_o     = '0;  // Nobody reads them, because block_o is never high.
    assign weight_exponents_o = '0;
  end
endmodule
