// SPDX-License-Identifier: Apache-2.0
// Address and coordinate generator for a nest of loops. Each level adds its own steps to a scratchpad address and to a
// pair of coordinates; the coordinates decide whether the position is inside a tensor. There is no multiplier: the user
// computes products such as stride * row_stride once per command.
//
// Every level stores the position at which its current iteration began. A step finds the innermost level that has
// iterations left, advances the position of that level, and copies it to all inner levels, which restart from there.
// One adder for the address and one for each coordinate serve all levels. A level that does not move a coordinate
// stores none: the position of the next outer level that does is its own.
//
// Latency: the first position is at the outputs in the cycle after start_i, the next one in the cycle after step_i.
// Throughput: one position per cycle. Back-pressure: none, the user decides when to step. start_i overrides step_i; a
// step at the last position changes nothing. Outputs are registers and hold between steps.
//
// Protocol: height, width and the steps of level 0 are held stable from start_i until the last position has been used.
// Counts and the steps of the other levels are read when level 0 ends (step_i with last_o[0]); counts also with
// start_i. The base is read with start_i only. Level 0 is the innermost and occupies the low bits of each vector.
//
// Parameters: Levels (1 to 16), CountWidth (bits of a loop count), AddrWidth (addresses wrap at it), CoordWidth (bits
// of a signed coordinate; height and width are not negative), YLevels and XLevels (a bit for each level that moves the
// coordinate; the other levels' steps are not read).
`include "tpu_assert.svh"
module tpu_loop_nest #(
  parameter int Levels = 5,
  parameter int CountWidth = 16,
  parameter int AddrWidth = 16,
  parameter int CoordWidth = 18,
  parameter int YLevels = -1,
  parameter int XLevels = -1
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  // Control.
  input  logic                         start_i,
  input  logic                         step_i,
  // Position (0, ..., 0).
  input  logic [AddrWidth-1:0]         base_addr_i,
  input  logic [CoordWidth-1:0]        base_y_i,
  input  logic [CoordWidth-1:0]        base_x_i,
  // Loops: iterations (at least 1) and what one iteration adds.
  input  logic [Levels*CountWidth-1:0] count_i,
  input  logic [Levels*AddrWidth-1:0]  addr_step_i,
  input  logic [Levels*CoordWidth-1:0] y_step_i,
  input  logic [Levels*CoordWidth-1:0] x_step_i,
  // Extent of the tensor: a position is inside when 0 <= y < height and 0 <= x < width.
  input  logic [CoordWidth-1:0]        height_i,
  input  logic [CoordWidth-1:0]        width_i,
  // Current position; per level whether this is its first or last iteration; done_o: last position of the whole nest.
  output logic [AddrWidth-1:0]         addr_o,
  output logic [CoordWidth-1:0]        y_o,
  output logic [CoordWidth-1:0]        x_o,
  output logic                         inside_o,
  output logic [Levels-1:0]            first_o,
  output logic [Levels-1:0]            last_o,
  output logic                         done_o
);
  `TPU_ASSERT_INIT(LevelsInRange, Levels >= 1 && Levels <= 16)
  `TPU_ASSERT_WHEN(ExtentNotNegative, start_i, !height_i[CoordWidth-1] && !width_i[CoordWidth-1],
                   ("height %0d, width %0d\n", $signed(height_i), $signed(width_i)))

  // Levels 1 and up: of each, the position at which its iteration began, and its iterations after the current one.
  // Level 0, whose position is that of the nest, has separate registers, because most steps move only this level. The
  // lowest element of the vectors is not used.
  logic [AddrWidth-1:0]         addr0_q;
  logic [CoordWidth-1:0]        y0_q, x0_q;
  logic [CountWidth-1:0]        left0_q;
  logic [Levels*AddrWidth-1:0]  addr_q;
  logic [Levels*CoordWidth-1:0] y_q, x_q;
  logic [Levels*CountWidth-1:0] left_q;
  logic [Levels-1:0]            first_q, last_q;
  logic                         inside_q, done_q;

  // The level, from l on, that stores the coordinate: the next that moves it, or the outermost.
  function automatic int holder(input int moving, input int l);
    for (int i = l; i < Levels - 1; i++) begin
      if (((moving >> i) & 1) != 0) return i;
    end
    return Levels - 1;
  endfunction

  // A coordinate that level 0 does not move is that of an outer level.
  logic [CoordWidth-1:0] y, x;
  localparam int YHolder = holder(YLevels, 0);
  localparam int XHolder = holder(XLevels, 0);
  assign y = YHolder == 0 ? y0_q : y_q[YHolder*CoordWidth +: CoordWidth];
  assign x = XHolder == 0 ? x0_q : x_q[XHolder*CoordWidth +: CoordWidth];

  assign addr_o   = addr0_q;
  assign y_o      = y;
  assign x_o      = x;
  assign inside_o = inside_q;
  assign first_o  = first_q;
  assign last_o   = last_q;
  assign done_o   = done_q;

  // Temporary variables of a step, not registers. One process computes the step, so that an idle nest costs a
  // simulation one test.
  logic [Levels-1:0]     restart, advance, last_d;
  logic [CountWidth-1:0] left;
  logic [AddrWidth-1:0]  from_addr, addr_step, next_addr;
  logic [CoordWidth-1:0] from_y, from_x, y_step, x_step, next_y, next_x;
  logic                  found;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (start_i || (step_i && !done_q)) begin
      // Most steps move only the innermost level; the other levels are computed only when it ends.
      from_addr = addr0_q;
      addr_step = addr_step_i[AddrWidth-1:0];
      from_y    = y;
      y_step    = (YLevels & 1) != 0 ? y_step_i[CoordWidth-1:0] : '0;
      from_x    = x;
      x_step    = (XLevels & 1) != 0 ? x_step_i[CoordWidth-1:0] : '0;
      left      = left0_q;
      restart   = '0;
      advance   = '0;
      if (start_i || last_q[0]) begin  // start_i is known late, so it selects nothing here.
        restart = Levels'(1);
        found   = 1'b0;
        left    = count_i[CountWidth-1:0];
        for (int l = 1; l < Levels; l++) begin
          if (!found && last_q[l]) begin
            restart[l] = 1'b1;
          end else if (!found) begin
            found      = 1'b1;
            advance[l] = 1'b1;
            from_addr  = addr_q[l*AddrWidth +: AddrWidth];
            addr_step  = addr_step_i[l*AddrWidth +: AddrWidth];
            from_y     = y_q[holder(YLevels, l)*CoordWidth +: CoordWidth];
            y_step     = ((YLevels >> l) & 1) != 0 ? y_step_i[l*CoordWidth +: CoordWidth] : '0;
            from_x     = x_q[holder(XLevels, l)*CoordWidth +: CoordWidth];
            x_step     = ((XLevels >> l) & 1) != 0 ? x_step_i[l*CoordWidth +: CoordWidth] : '0;
          end
        end
      end
      next_addr = start_i ? base_addr_i : from_addr + addr_step;
      next_y    = start_i ? base_y_i : from_y + y_step;
      next_x    = start_i ? base_x_i : from_x + x_step;

      last_d    = last_q;
      last_d[0] = left == CountWidth'(1);
      addr0_q  <= next_addr;
      y0_q     <= next_y;
      x0_q     <= next_x;
      left0_q  <= left - 1'b1;
      if (start_i || last_q[0]) begin
        for (int l = 1; l < Levels; l++) begin
          if (start_i || restart[l] || advance[l]) begin
            left      = count_i[l*CountWidth +: CountWidth];
            if (!start_i && advance[l]) left = left_q[l*CountWidth +: CountWidth];
            last_d[l] = left == CountWidth'(1);
            addr_q[l*AddrWidth +: AddrWidth]   <= next_addr;
            y_q[l*CoordWidth +: CoordWidth]    <= next_y;
            x_q[l*CoordWidth +: CoordWidth]    <= next_x;
            left_q[l*CountWidth +: CountWidth] <= left - 1'b1;
          end
        end
        first_q <= start_i ? '1 : (first_q | restart) & ~advance;
      end else begin
        first_q[0] <= 1'b0;
      end
      last_q <= last_d;
      done_q <= &last_d;
      // A negative coordinate, read as unsigned, exceeds every extent.
      inside_q <= next_y < height_i && next_x < width_i;
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
