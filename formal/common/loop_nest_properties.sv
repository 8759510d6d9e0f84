// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_loop_nest: the positions are those of nested loops, in order. Steps, counts and extents are any,
// and hold from a start on.
`include "properties.svh"
module loop_nest_properties #(
  parameter int Levels = 3,
  parameter int CountWidth = 2,
  parameter int AddrWidth = 6,
  parameter int CoordWidth = 5
) (
  input logic                         clk_i,
  input logic                         rst_ni,
  input logic                         start_i,
  input logic                         step_i,
  input logic [AddrWidth-1:0]         base_addr_i,
  input logic [CoordWidth-1:0]        base_y_i,
  input logic [CoordWidth-1:0]        base_x_i,
  input logic [Levels*CountWidth-1:0] any_count_i,
  input logic [Levels*AddrWidth-1:0]  any_addr_step_i,
  input logic [Levels*CoordWidth-1:0] any_y_step_i,
  input logic [Levels*CoordWidth-1:0] any_x_step_i,
  input logic [CoordWidth-1:0]        any_height_i,
  input logic [CoordWidth-1:0]        any_width_i
);
  logic [AddrWidth-1:0]  addr_o;
  logic [CoordWidth-1:0] y_o, x_o;
  logic                  inside_o, done_o;
  logic [Levels-1:0]     first_o, last_o;
  `CHECKED_OUTSIDE_RESET
  `CONSTANT(count_i, any_count_i)
  `CONSTANT(addr_step_i, any_addr_step_i)
  `CONSTANT(y_step_i, any_y_step_i)
  `CONSTANT(x_step_i, any_x_step_i)
  `CONSTANT(height_i, any_height_i)
  `CONSTANT(width_i, any_width_i)
  tpu_loop_nest #(.Levels(Levels), .CountWidth(CountWidth), .AddrWidth(AddrWidth), .CoordWidth(CoordWidth)) u_nest (.*);
  `ASSUMPTION(Extent, !height_i[CoordWidth-1] && !width_i[CoordWidth-1])
  logic [Levels-1:0] counts;
  always_comb for (int l = 0; l < Levels; l++) counts[l] = count_i[l*CountWidth +: CountWidth] != '0;
  `ASSUMPTION(AtLeastOneIteration, counts == '1)

  // The iteration of each level, what its iterations have added, and where the nest began.
  logic                              running_q;
  logic [Levels-1:0][CountWidth-1:0] at_q;
  logic [Levels-1:0][AddrWidth-1:0]  addr_part_q;
  logic [Levels-1:0][CoordWidth-1:0] y_part_q, x_part_q;
  logic [AddrWidth-1:0]              addr_q;
  logic [CoordWidth-1:0]             y_q, x_q;
  logic [Levels-1:0]                 first, last;
  always_comb begin
    for (int l = 0; l < Levels; l++) begin
      first[l] = at_q[l] == '0;
      last[l]  = at_q[l] == count_i[l*CountWidth +: CountWidth] - 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) running_q <= 1'b0;
    else if (start_i) running_q <= 1'b1;
    if (start_i) begin
      {at_q, addr_part_q, y_part_q, x_part_q} <= '0;
      addr_q <= base_addr_i;
      y_q    <= base_y_i;
      x_q    <= base_x_i;
    end else if (step_i && last != '1) begin
      for (int l = 0; l < Levels; l++) begin
        if ((last & ((Levels'(1) << l) - 1'b1)) == (Levels'(1) << l) - 1'b1) begin
          at_q[l]        <= last[l] ? '0 : at_q[l] + 1'b1;
          addr_part_q[l] <= last[l] ? '0 : addr_part_q[l] + addr_step_i[l*AddrWidth +: AddrWidth];
          y_part_q[l]    <= last[l] ? '0 : y_part_q[l] + y_step_i[l*CoordWidth +: CoordWidth];
          x_part_q[l]    <= last[l] ? '0 : x_part_q[l] + x_step_i[l*CoordWidth +: CoordWidth];
        end
      end
    end
  end

  // The position of each level by its definition: the base, and what it and the levels around it have added.
  logic [Levels-1:0][AddrWidth-1:0]  addr;
  logic [Levels-1:0][CoordWidth-1:0] ys, xs;
  logic [CoordWidth-1:0]             y, x;
  assign y = ys[0];
  assign x = xs[0];
  always_comb begin
    for (int l = Levels - 1; l >= 0; l--) begin
      addr[l] = (l == Levels - 1 ? addr_q : addr[l+1]) + addr_part_q[l];
      ys[l]   = (l == Levels - 1 ? y_q : ys[l+1]) + y_part_q[l];
      xs[l]   = (l == Levels - 1 ? x_q : xs[l+1]) + x_part_q[l];
    end
  end

  `PROPERTY(Address, running_q && at_q[2] != '0, addr_o == addr[0])
  `PROPERTY(AddressOfInnerLevels, running_q && at_q[2] == '0, addr_o == addr[0])
  `PROPERTY(Coordinates, running_q, {y_o, x_o} == {y, x})
  `PROPERTY(InsideTensor, running_q && y == height_i - 1'b1,
            inside_o == (!y[CoordWidth-1] && !x[CoordWidth-1] && y < height_i && x < width_i))
  `PROPERTY(OutsideTensor, running_q && (y[CoordWidth-1] || y >= height_i), !inside_o)
  `PROPERTY(FirstAndLast, running_q, {first_o, last_o} == {first, last})
  `PROPERTY(EndsExactly, running_q && last == '1, done_o)
  `PROPERTY(NotBefore, running_q && last != '1, !done_o)

  // Registers of the levels: level 0 has its own.
  logic [Levels-1:0] right;
  always_comb begin
    right = '1;
    for (int l = 0; l < Levels; l++) begin
      if (at_q[l] >= count_i[l*CountWidth +: CountWidth]) right[l] = 1'b0;
      if (l == 0) begin
        if (u_nest.left0_q != count_i[CountWidth-1:0] - 1'b1 - at_q[0]) right[0] = 1'b0;
      end else begin
        if (u_nest.addr_q[l*AddrWidth +: AddrWidth] != addr[l]) right[l] = 1'b0;
        if (u_nest.y_q[l*CoordWidth +: CoordWidth] != ys[l]) right[l] = 1'b0;
        if (u_nest.x_q[l*CoordWidth +: CoordWidth] != xs[l]) right[l] = 1'b0;
        if (u_nest.left_q[l*CountWidth +: CountWidth] != count_i[l*CountWidth +: CountWidth] - 1'b1 - at_q[l]) begin
          right[l] = 1'b0;
        end
      end
    end
  end
  `INVARIANT(Levels, !running_q || right == '1)
  `INVARIANT(Inside, !running_q || inside_o == (y < height_i && x < width_i))
  `INVARIANT(Outputs, !running_q || addr_o == addr[0] && y_o == y && x_o == x && done_o == (last == '1) &&
             {first_o, last_o} == {first, last})
endmodule
