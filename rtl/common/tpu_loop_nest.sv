// SPDX-License-Identifier: Apache-2.0
// Address and coordinate generator for a nest of loops. Each level adds its own steps to a scratchpad address and to a
// pair of coordinates; the coordinates decide whether the position is inside a tensor. There is no multiplier: the user
// computes products such as stride * row_stride once per command.
//
// Every level stores the position at which its current iteration began. A step finds the innermost level that has
// iterations left, advances the position of that level, and copies it to all inner levels, which restart from there.
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
// of a signed coordinate; height and width are not negative).
`include "tpu_assert.svh"
module tpu_loop_nest #(
  parameter int Levels = 5,
  parameter int CountWidth = 16,
  parameter int AddrWidth = 16,
  parameter int CoordWidth = 18
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

  // Level 0, whose position is that of the nest, has separate registers, because most steps move only this level. The
  // vectors are those of the other levels; their lowest element is not used.
  logic [AddrWidth-1:0]         addr0_q;
  logic [CoordWidth-1:0]        y0_q, x0_q;
  logic [CountWidth-1:0]        left0_q; // iterations after the current one
  logic [Levels*AddrWidth-1:0]  addr_q;
  logic [Levels*CoordWidth-1:0] y_q, x_q;
  logic [Levels*CountWidth-1:0] left_q;
  logic [Levels-1:0]            first_q, last_q;
  logic                         inside_q, done_q;

  assign addr_o   = addr0_q;
  assign y_o      = y0_q;
  assign x_o      = x0_q;
  assign inside_o = inside_q;
  assign first_o  = first_q;
  assign last_o   = last_q;
  assign done_o   = done_q;

  // Temporary variables of a step, not registers. One process computes the step, so that an idle nest costs a
  // simulation one test.
  logic [Levels*AddrWidth-1:0]  addr_d;
  logic [Levels*CoordWidth-1:0] y_d, x_d;
  logic [Levels*CountWidth-1:0] left_d;
  logic [Levels-1:0]            restart, advance, last_d;
  logic [AddrWidth-1:0]         next_addr;
  logic [CoordWidth-1:0]        next_y, next_x;
  logic                         found;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (start_i || (step_i && !done_q)) begin
      // Most steps move only the innermost level; the other levels are computed only when it ends.
      if (start_i || last_q[0]) begin
        next_addr = base_addr_i;
        next_y    = base_y_i;
        next_x    = base_x_i;
        restart   = Levels'(1);
        advance   = '0;
        found     = 1'b0;
        for (int l = 1; l < Levels; l++) begin
          if (start_i || (!found && last_q[l])) begin
            restart[l] = 1'b1;
          end else if (!found) begin
            found      = 1'b1;
            advance[l] = 1'b1;
            next_addr  = addr_q[l*AddrWidth +: AddrWidth] + addr_step_i[l*AddrWidth +: AddrWidth];
            next_y     = y_q[l*CoordWidth +: CoordWidth] + y_step_i[l*CoordWidth +: CoordWidth];
            next_x     = x_q[l*CoordWidth +: CoordWidth] + x_step_i[l*CoordWidth +: CoordWidth];
          end
        end
        addr_d = addr_q;
        y_d    = y_q;
        x_d    = x_q;
        left_d = left_q;
        last_d = last_q;
        last_d[0] = count_i[CountWidth-1:0] == CountWidth'(1);
        for (int l = 1; l < Levels; l++) begin
          if (restart[l] || advance[l]) begin
            addr_d[l*AddrWidth +: AddrWidth] = next_addr;
            y_d[l*CoordWidth +: CoordWidth]  = next_y;
            x_d[l*CoordWidth +: CoordWidth]  = next_x;
            left_d[l*CountWidth +: CountWidth] =
              (restart[l] ? count_i[l*CountWidth +: CountWidth] : left_q[l*CountWidth +: CountWidth]) - 1'b1;
            last_d[l] = left_d[l*CountWidth +: CountWidth] == '0;
          end
        end
        addr0_q <= next_addr;
        y0_q    <= next_y;
        x0_q    <= next_x;
        left0_q <= count_i[CountWidth-1:0] - 1'b1;
        addr_q  <= addr_d;
        y_q     <= y_d;
        x_q     <= x_d;
        left_q  <= left_d;
        first_q <= (first_q | restart) & ~advance;
        last_q  <= last_d;
        done_q  <= &last_d;
      end else begin
        next_addr  = addr0_q + addr_step_i[AddrWidth-1:0];
        next_y     = y0_q + y_step_i[CoordWidth-1:0];
        next_x     = x0_q + x_step_i[CoordWidth-1:0];
        addr0_q    <= next_addr;
        y0_q       <= next_y;
        x0_q       <= next_x;
        left0_q    <= left0_q - 1'b1;
        first_q[0] <= 1'b0;
        last_q[0]  <= left0_q == CountWidth'(1);
        done_q     <= left0_q == CountWidth'(1) && &(last_q | Levels'(1));
      end
      // A negative coordinate, read as unsigned, exceeds every extent.
      inside_q <= next_y < height_i && next_x < width_i;
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
