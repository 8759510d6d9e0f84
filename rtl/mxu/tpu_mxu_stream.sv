// SPDX-License-Identifier: Apache-2.0
// Streams the activations of a CONV: for each weight tile all output positions, one scratchpad row (or row of padding)
// per cycle. Each tile is described once, for its sums, with its first position.
//
// Latency: the first position in the cycle after the descriptor is taken. Throughput: one position per cycle while
// weight tiles are loaded in time, without a gap between commands.
// Back-pressure: waits at the first position of a tile until the tile is loaded. A tile that is skipped takes a cycle.
// The next descriptor is taken with the last position of the previous one. Reads are never refused, but no position is
// issued while hold_i is high.
// An accumulator row is read, added to and written within RmwCycles, in block floating point within BlockCycles.
// Therefore a command that begins with a row that the previous one has just used waits that long, and so does a tile
// after one that was delayed by hold_i. After a command of the other format a command always waits.
//
// In block floating point the channel blocks are the innermost loop around the tile. A row of more than 16 lanes is
// streamed once for each 16; 16 / Dim rows of fewer make a block.
// A row that does not exist stops the streamer until reset; fault_o is high and the error is held.
//
// Protocol: descriptors are a valid/ready stream. issue_o marks a position for one cycle; pad_*_o, part_o (the upper 16
// lanes of a row of 32), block_float_o and tile_*_o belong to it; tile_o is valid with the first position of a tile
// only. rd_valid_o has no ready.
//
// Parameters: Dim (lanes), ScratchRows, WeightRows, AccRows (rows that exist), BlockRows (scratchpad rows that have
// exponents), BlockCycles (see above; at most 8); BlockFloat, 0 for a core whose commands are all of integers.
`include "tpu_assert.svh"
module tpu_mxu_stream import tpu_mxu_pkg::*; #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int BlockRows = ScratchRows,
  parameter int WeightRows = 4096,
  parameter int AccRows = 1024,
  parameter int BlockCycles = 8,
  parameter int BlockFloat = 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // Descriptor stream from the set-up.
  input  logic        desc_valid_i,
  output logic        desc_ready_o,
  input  conv_t       desc_i,
  // Weight feeder: the tile is loaded, and taken; tiles are skipped before it, and one has been passed.
  input  logic        loaded_i,
  output logic        swap_o,
  input  logic        skips_i,
  output logic        skipped_o,
  // Scratchpad read.
  input  logic        hold_i,
  output logic        rd_valid_o,
  output logic [15:0] rd_row_o,
  // The position issued in this cycle, and its tile.
  output logic        issue_o,
  output logic        pad_o,
  output logic [7:0]  pad_value_o,
  output logic        part_o,
  output logic        tile_first_o,
  output logic        tile_last_o,
  output logic        block_float_o,
  output tile_t       tile_o,
  // State.
  output logic        active_o,
  output logic        wait_weights_o,
  output logic        fault_o,
  output logic [7:0]  fault_code_o,
  output logic [16:0] fault_row_o
);
  localparam int RmwCycles = 4;
  localparam int Planes = Dim < 16 ? 16 / Dim : 1; // rows of a block
  localparam int OutBits = out_bits(AccRows);
  localparam int TileBits = tile_bits(Dim, WeightRows);

  // Bits of a command that can be other than zero, because the set-up refuses a greater number.
  function automatic conv_t legal(input conv_t any);
    legal = any;
    legal.block_float = BlockFloat != 0 && any.block_float;
    legal.base = '0;  // is used at the start only
    legal.blocks = 16'(any.blocks[TileBits-1:0]);
    legal.out_height = 16'(any.out_height[OutBits-1:0]);
    legal.out_width = 16'(any.out_width[OutBits-1:0]);
  endfunction

  // The command in progress.
  conv_t     conv_q;
  logic      active_q, fault_q;
  logic      start, fire, fresh, conv_done;
  logic      present, missing, tile_first, tile_last, block_last, conv_last; // of the position
  logic      unused_conv;
  assign unused_conv = ^conv_q;

  // The walk can only begin anew: its last position is in progress, or none is. Known earlier than the start.
  assign conv_done = tile_last && conv_last;
  assign fresh = !active_q || conv_done;

  tpu_mxu_walk #(
    .Dim(Dim), .ScratchRows(ScratchRows), .BlockRows(BlockRows), .WeightRows(WeightRows), .AccRows(AccRows)
  ) u_walk (
    .clk_i, .move_i(start || skipped_o || (fire && !conv_done)), .load_i(fresh), .skip_i(skipped_o),
    .next_i(desc_i), .conv_i(conv_q),
    .row_o(rd_row_o), .present_o(present), .missing_o(missing), .part_o, .tile_first_o(tile_first),
    .tile_last_o(tile_last), .block_last_o(block_last), .conv_last_o(conv_last)
  );

  // Accumulator row: counts the positions of a tile and begins again with the next tile.
  logic [16:0] acc_q;

  // The block that a tile belongs to: its plane, and whether it is the first of the command. A command of integers has
  // one plane in each.
  logic [1:0] plane_q;
  logic       first_block_q, completes;
  assign completes = Planes == 1 || !conv_q.block_float || plane_q == 2'(Planes - 1) || block_last;

  // Rows that the previous command used less than RmwCycles ago. near_q, whether a command begins with one of them, is
  // computed when its descriptor is taken. acc_q is then the last row.
  logic [2:0]  recent_q;
  logic        near_q, switch_q;
  logic [15:0] window;   // rows that the previous command used
  logic [2:0]  cycles;   // until the sum of a position is written, less one
  assign cycles = 3'((conv_q.block_float ? BlockCycles : RmwCycles) - 1);
  assign window = 16'(cycles);

  // Tiles of fewer than RmwCycles positions would use the same rows again too soon if they followed each other
  // directly. Normally the loading of weights keeps the first positions of two tiles far enough apart. If hold_i has
  // delayed positions of a tile, that is not enough: the next tile then begins RmwCycles after its last position.
  // In block floating point, too few positions are always noticed so.
  logic [2:0]  since_q;
  logic        held_q, few_q;

  function automatic logic beyond(input logic [16:0] acc_row);
    return 32'(acc_row) >= AccRows;
  endfunction

  // go_q tells that a command is in progress, that the accumulator row of its position exists, and that the position
  // need not wait for the accumulators. Only the first position of a tile waits. The bit is computed a cycle ahead,
  // because the arbitration of both memories follows upon `fire` in the same cycle.
  logic go_q;
  assign fire = go_q && !missing && !hold_i && (loaded_i || !tile_first);
  assign wait_weights_o = active_q && !fault_q && tile_first && !loaded_i;
  assign skipped_o = active_q && !fault_q && tile_first && skips_i;

  // Properties of the command that is offered. A simulation calls these functions at its start only.
  function automatic logic near();
    return acc_q[15:0] - desc_i.acc_row < window;
  endfunction
  function automatic logic switches();
    return BlockFloat != 0 && conv_q.block_float != desc_i.block_float;
  endfunction
  function automatic logic few();
    return BlockFloat != 0 && desc_i.block_float && desc_i.out_height < 16'd8 && desc_i.out_width < 16'd8
           && 6'(desc_i.out_height[2:0]) * 6'(desc_i.out_width[2:0]) < 6'(BlockCycles);
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      go_q <= 1'b0;
    end else if (start) begin
      go_q <= !beyond({1'b0, desc_i.acc_row})
              && !((fire || recent_q > 3'd1) && (near() || switches()))
              && !((fire || since_q > 3'd1) && ((held_q && !(fire && tile_first)) || few()));
    end else if (fire) begin
      if (!tile_last) go_q <= !beyond(acc_q + 1'b1);
      else go_q <= !conv_last && !beyond({1'b0, conv_q.acc_row}) && !((held_q && !tile_first) || few_q);
    end else if (active_q && tile_first) begin
      go_q <= !beyond(acc_q)
              && !(recent_q > 3'd1 && (near_q || switch_q) && first_block_q && plane_q == '0)
              && !(since_q > 3'd1 && (held_q || hold_i || few_q));
    end
  end
  `TPU_ASSERT_WHEN(LastTileNotSkipped, skipped_o, !conv_last)

  always_comb begin
    desc_ready_o = 1'b0;
    if (!active_q) desc_ready_o = !fault_q;
    else if (conv_done) desc_ready_o = fire;
  end
  assign start = desc_valid_i && desc_ready_o;
  assign issue_o = fire;
  assign swap_o = fire && tile_first;
  assign rd_valid_o = fire && present;
  assign pad_o = !present;
  assign tile_first_o = tile_first;
  assign tile_last_o = tile_last;
  assign pad_value_o = conv_q.pad_value;
  assign block_float_o = conv_q.block_float;
  always_comb begin
    tile_o = 'x;
    if (swap_o) begin
      tile_o = '{
        block_float: conv_q.block_float, accumulate: conv_q.accumulate || !first_block_q, begins: plane_q == '0,
        completes: completes, last: conv_last, row: acc_q[15:0]};
    end
  end
  assign active_o = active_q;

  always_ff @(posedge clk_i) begin
    if (recent_q != '0) recent_q <= recent_q - 1'b1;
    if (since_q != '0) since_q <= since_q - 1'b1;
    if (fire) begin
      since_q <= cycles;
      if (tile_first) held_q <= 1'b0;
      if (tile_last) begin
        plane_q <= completes ? '0 : plane_q + 1'b1;
        if (completes) first_block_q <= 1'b0;
        if (conv_last) begin
          active_q <= 1'b0;
          recent_q <= cycles;
        end
      end
    end else if (active_q) begin
      if (hold_i) held_q <= 1'b1;
      // A tile that is skipped may begin anywhere.
      if ((loaded_i || !tile_first) && (missing || beyond(acc_q))) fault_q <= 1'b1;
    end
    if (start) begin
      active_q <= 1'b1;
      plane_q <= '0;
      first_block_q <= 1'b1;
    end
    if (!rst_ni) begin
      active_q <= 1'b0;
      fault_q <= 1'b0;
      recent_q <= '0;
      since_q <= '0;
      held_q <= 1'b0;
      plane_q <= '0;
      first_block_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (fire) begin
      if (!tile_last) acc_q <= acc_q + 1'b1;
      else if (!conv_last) acc_q <= {1'b0, conv_q.acc_row};
    end
    if (start) begin
      near_q <= near();
      switch_q <= switches();
      few_q <= few();
      conv_q <= legal(desc_i);
      acc_q <= {1'b0, desc_i.acc_row};
    end
  end

  // The position of the fault stays where it is.
  assign fault_o = fault_q;
  always_comb begin
    fault_code_o = 'x;
    fault_row_o = 'x;
    if (fault_q) begin
      fault_code_o = beyond(acc_q) ? tpu_pkg::ERROR_ACC_RANGE : tpu_pkg::ERROR_SCRATCH_RANGE;
      fault_row_o = beyond(acc_q) ? acc_q : {1'b0, rd_row_o};
    end
  end
endmodule
