// SPDX-License-Identifier: Apache-2.0
// Walks the positions of a CONV: five nested loops that add their steps to a scratchpad row and to the coordinates of
// the input. The loops, the innermost first: output column, output row, and the weight tiles in the order of the
// format: kernel column, kernel row, channel block; in block floating point channel block, kernel column, kernel row.
// There, where a row has 32 lanes, each tile is walked twice, once for each 16 of them.
//
// Each loop keeps the row at which its current iteration began. At the end of the inner loops, the innermost loop that
// has iterations left adds its step to its row, and the loops inside start from there. One adder does it for all loops,
// one more for each coordinate, which has only two loops that move it: output and kernel.
//
// Latency: the position is at the output in the cycle after move_i. Throughput: one position per cycle. Back-pressure:
// none, the user decides when to move. The output holds between moves.
//
// Protocol: `load_i` with move_i selects the first position of next_i instead of the position that follows, `skip_i`
// the first of the next tile. conv_i is the command of the current position, constant while it is walked. Behind the
// last position only a load is allowed.
//
// Parameters: Dim; ScratchRows and BlockRows, the rows that exist and those of them that have exponents; WeightRows;
// AccRows, more positions than which no tile has.
module tpu_mxu_walk import tpu_mxu_pkg::*; #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int BlockRows = ScratchRows,
  parameter int WeightRows = 4096,
  parameter int AccRows = 1024
) (
  input  logic        clk_i,
  input  logic        move_i,
  input  logic        load_i,
  input  logic        skip_i,
  input  conv_t       next_i,
  input  conv_t       conv_i,
  // The position: its row; the input has it; it has, but the scratchpad has no such row; the upper 16 lanes of a row of
  // 32 (block floating point); first and last of its tile; the tile is in the last channel block (the same), the last
  // of the command.
  output logic [15:0] row_o,
  output logic        present_o,
  output logic        missing_o,
  output logic        part_o,
  output logic        tile_first_o,
  output logic        tile_last_o,
  output logic        block_last_o,
  output logic        conv_last_o
);
  localparam int Parts = Dim > 16 ? Dim / 16 : 1;
  localparam int OutBits = out_bits(AccRows);
  localparam int TileBits = tile_bits(Dim, WeightRows);
  localparam int LoopBits = TileBits > 8 ? TileBits : 8;

  typedef logic [15:0] row_t;
  typedef logic [coordinate_bits(AccRows)-1:0] coordinate_t;
  typedef logic [OutBits-1:0] out_t;
  typedef logic [LoopBits-1:0] loop_t;

  logic unused_fields;
  assign unused_fields = ^{next_i, conv_i};

  // Current position, and where the current output row, tile, and iteration of the two outer loops began.
  row_t        row_q, line_row_q, tile_row_q, middle_row_q, outer_row_q;
  coordinate_t y_q, x_q, tile_y_q, tile_x_q;
  // Iterations after the current one; whether there are none.
  out_t        columns_q, lines_q;
  loop_t       tiles_q, middle_q, outer_q;
  logic        last_column_q, last_line_q, last_tile_q, last_middle_q, last_outer_q;
  logic        y_inside_q, present_q, missing_q, tile_first_q, part_q;

  assign row_o        = row_q;
  assign present_o    = present_q;
  assign missing_o    = missing_q;
  assign part_o       = part_q;
  assign tile_first_o = tile_first_q;
  assign tile_last_o  = last_column_q && last_line_q;
  assign block_last_o = last_tile_q;
  assign conv_last_o  = last_tile_q && last_middle_q && last_outer_q
                     && (Parts == 1 || part_q || !conv_i.block_float);

  // A move is computed in a task, because a simulator keeps its variables in processor registers: the loops of the
  // command that follows; which loop goes on; operands and sums.
  /* verilator lint_off BLKSEQ */
  task automatic move;
    logic        block_float, next_tile, new_tile, other_part, tile, middle, outer, kernel_x, kernel_y;
    logic        restart_x, restart_y;
    logic        y_inside, present;
    out_t        columns, lines;
    loop_t       tiles, middles, outers;
    row_t        from_row, step, next_row;
    coordinate_t from_y, from_x, next_y, next_x;
    logic [7:0]  step_y, step_x;
    logic [15:0] height, width;

    // Most moves are to the next column.
    columns  = columns_q;
    from_row = row_q;
    step     = row_t'(conv_i.stride_w);
    from_x   = x_q;
    step_x   = conv_i.stride_w;
    width    = conv_i.in_width;
    restart_x = 1'b0;
    y_inside = y_inside_q;
    block_float = conv_i.block_float;
    tile_first_q <= 1'b0;

    if (load_i || last_column_q || skip_i) begin
      // That a command is loaded is known late. Until then the walk goes on: to the next line, or to a tile.
      next_tile  = last_line_q || skip_i;
      new_tile   = load_i || next_tile;
      other_part = Parts > 1 && conv_i.block_float && !part_q;
      tile       = !other_part && !last_tile_q;
      middle     = !other_part && last_tile_q && !last_middle_q;
      outer      = !other_part && last_tile_q && last_middle_q;
      kernel_x   = conv_i.block_float ? middle : tile;
      kernel_y   = conv_i.block_float ? outer : middle;
      restart_x  = new_tile && (load_i || outer || (middle && !conv_i.block_float));
      restart_y  = new_tile && (load_i || (outer && !conv_i.block_float));

      // Loops of the command that follows.
      block_float = load_i ? next_i.block_float : conv_i.block_float;
      columns     = out_t'(load_i ? next_i.out_width : conv_i.out_width);
      lines       = out_t'(load_i ? next_i.out_height : conv_i.out_height);
      tiles       = load_i ? loop_t'(next_i.kernel_w) : loop_t'(conv_i.kernel_w);
      middles     = load_i ? loop_t'(next_i.kernel_h) : loop_t'(conv_i.kernel_h);
      outers      = load_i ? loop_t'(next_i.blocks) : loop_t'(conv_i.blocks);
      if (block_float) {outers, middles, tiles} = {middles, tiles, outers};
      height = load_i ? next_i.in_height : conv_i.in_height;
      width  = load_i ? next_i.in_width : conv_i.in_width;

      // Row of the scratchpad.
      if (!next_tile) begin
        from_row = line_row_q;
        step     = conv_i.oy_step;
      end else if (other_part) begin
        from_row = tile_row_q;
        step     = '0;
      end else if (tile) begin
        from_row = tile_row_q;
        step     = conv_i.block_float ? conv_i.plane_stride : row_t'(conv_i.dilation_w);
      end else if (middle) begin
        from_row = middle_row_q;
        step     = conv_i.block_float ? row_t'(conv_i.dilation_w) : conv_i.ky_step;
      end else begin
        from_row = outer_row_q;
        step     = conv_i.block_float ? conv_i.ky_step : conv_i.plane_stride;
      end

      // Coordinates.
      from_y = next_tile ? tile_y_q : y_q;
      step_y = !next_tile ? conv_i.stride_h : kernel_y ? conv_i.dilation_h : '0;
      from_x = tile_x_q;
      step_x = next_tile && kernel_x ? conv_i.dilation_w : '0;
      next_y = from_y + coordinate_t'(step_y);
      if (restart_y) next_y = coordinate_t'($signed(load_i ? next_i.y0 : conv_i.y0));
      y_q <= next_y;
      // A negative coordinate, read as unsigned, exceeds every extent.
      y_inside = next_y < coordinate_t'(height);
      y_inside_q <= y_inside;
    end

    next_row = from_row + step;
    if (load_i) next_row = next_i.base;
    next_x = from_x + coordinate_t'(step_x);
    if (restart_x) next_x = coordinate_t'($signed(load_i ? next_i.x0 : conv_i.x0));
    row_q         <= next_row;
    x_q           <= next_x;
    present       = y_inside && next_x < coordinate_t'(width);
    present_q     <= present;
    missing_q     <= present && (block_float ? 32'(next_row) >= BlockRows : 32'(next_row) >= ScratchRows);
    columns_q     <= columns - 1'b1;
    last_column_q <= columns == out_t'(1);

    if (load_i || last_column_q || skip_i) begin
      line_row_q  <= next_row;
      if (!new_tile) lines = lines_q;
      lines_q     <= lines - 1'b1;
      last_line_q <= lines == out_t'(1);
      if (new_tile) begin
        tile_first_q <= 1'b1;
        tile_row_q   <= next_row;
        tile_y_q     <= next_y;
        tile_x_q     <= next_x;
        part_q       <= other_part && !load_i;
        if (load_i || !other_part) begin
          if (tile && !load_i) tiles = tiles_q;
          tiles_q     <= tiles - 1'b1;
          last_tile_q <= tiles == loop_t'(1);
        end
        if (load_i || middle || outer) begin
          if (middle && !load_i) middles = middle_q;
          middle_row_q  <= next_row;
          middle_q      <= middles - 1'b1;
          last_middle_q <= middles == loop_t'(1);
        end
        if (load_i || outer) begin
          if (!load_i) outers = outer_q;
          outer_row_q  <= next_row;
          outer_q      <= outers - 1'b1;
          last_outer_q <= outers == loop_t'(1);
        end
      end
    end
  endtask
  /* verilator lint_on BLKSEQ */

  always_ff @(posedge clk_i) if (move_i) move;
endmodule
