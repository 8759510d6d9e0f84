// SPDX-License-Identifier: Apache-2.0
// Addresses of the rows that the vector unit's current command reads and writes: three loop nests over scratchpad rows
// (first operand with its pooling window, second operand, destination) and a counter of accumulator rows. One
// multiplier computes the three products that a pooling window needs, before the first read.
//
// Latency: outputs are valid in the cycle after the start and advance in the cycle after their step.
// Throughput: one position of each nest per cycle. Back-pressure: none, tpu_vpu_control decides when to step.
// Protocol: for pooling, `setup` with `setup_step` = 0, 1 and 2, once each, after the command is loaded and not later
// than the start. The geometry must be stable from the set-up until the last row has been issued. Steps are pulses.
//
// Parameters: none.
module tpu_vpu_addresses (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // Command.
  input  tpu_vpu_pkg::kind_t     kind_i,
  input  tpu_vpu_pkg::geometry_t geometry_i,
  // Control.
  input  tpu_vpu_pkg::walk_t     walk_i,
  // Current rows.
  output tpu_vpu_pkg::position_t position_o
);
  // Wide enough for the largest legal coordinate: 32767 + 65534*255 + 254*255 < 2^25.
  localparam int CoordWidth = 26;

  logic [15:0] factor, product, base_q, kernel_row_step_q, row_step_q;
  logic [16:0] acc_q;

  always_comb begin
    factor  = '0;
    product = '0;
    if (walk_i.setup) begin
      factor  = walk_i.setup_step == 2'd0 ? geometry_i.y0
              : walk_i.setup_step == 2'd1 ? 16'(geometry_i.dilation_h) : 16'(geometry_i.stride_h);
      product = factor * geometry_i.src_stride;
    end
  end

  always_ff @(posedge clk_i) begin
    if (walk_i.setup) begin
      case (walk_i.setup_step)
        2'd0:    base_q <= product;
        2'd1: begin
          base_q            <= base_q + geometry_i.src + geometry_i.x0;
          kernel_row_step_q <= product;
        end
        default: row_step_q <= product;
      endcase
    end
    if (walk_i.start) acc_q <= {1'b0, kind_i.preload ? geometry_i.dst : geometry_i.src};
    else if (walk_i.step.acc) acc_q <= acc_q + 17'd1;
  end

  logic unused_kind;
  assign unused_kind = ^kind_i;

  // First operand. Levels: window column (or plane), window row, output column, output row.
  logic [3:0]            src_first, src_last;
  logic [CoordWidth-1:0] unused_src_y, unused_src_x;
  logic                  src_inside, unused_src_done;
  logic [15:0]           src;

  tpu_loop_nest #(
    .Levels(4), .CountWidth(16), .AddrWidth(16), .CoordWidth(CoordWidth), .YLevels('b1010), .XLevels('b0101)
  ) u_src (
    .clk_i, .rst_ni, .start_i(walk_i.start),
    .step_i(walk_i.step.src),
    .base_addr_i(kind_i.pool ? base_q : geometry_i.src),
    .base_y_i({{(CoordWidth-16){geometry_i.y0[15]}}, geometry_i.y0}),
    .base_x_i({{(CoordWidth-16){geometry_i.x0[15]}}, geometry_i.x0}),
    .count_i({geometry_i.out_height, geometry_i.out_width, kind_i.pool ? 16'(geometry_i.kernel_h) : 16'd1,
              kind_i.pool ? 16'(geometry_i.kernel_w) : kind_i.preload ? 16'd4 : 16'd1}),
    .addr_step_i({kind_i.pool ? row_step_q : geometry_i.src_stride, kind_i.pool ? 16'(geometry_i.stride_w) : 16'd1,
                  kernel_row_step_q, kind_i.pool ? 16'(geometry_i.dilation_w) : geometry_i.plane_stride}),
    .y_step_i({CoordWidth'(geometry_i.stride_h), CoordWidth'(0), CoordWidth'(geometry_i.dilation_h), CoordWidth'(0)}),
    .x_step_i({CoordWidth'(0), CoordWidth'(geometry_i.stride_w), CoordWidth'(0), CoordWidth'(geometry_i.dilation_w)}),
    .height_i(CoordWidth'(geometry_i.in_height)),
    .width_i(CoordWidth'(geometry_i.in_width)),
    .addr_o(src), .y_o(unused_src_y), .x_o(unused_src_x), .inside_o(src_inside),
    .first_o(src_first), .last_o(src_last), .done_o(unused_src_done)
  );

  logic [3:0] unused_src_flags;
  assign unused_src_flags = {src_first[3:2], src_last[3:2]};

  // Second operand. Levels: output column, output row. This nest and the next one use no coordinates.
  logic        unused_src2_y, unused_src2_x, unused_src2_inside, unused_src2_done;
  logic [1:0]  unused_src2_first, unused_src2_last;
  logic [15:0] src2;

  tpu_loop_nest #(.Levels(2), .CountWidth(16), .AddrWidth(16), .CoordWidth(1)) u_src2 (
    .clk_i, .rst_ni, .start_i(walk_i.start),
    .step_i(walk_i.step.src2),
    .base_addr_i(geometry_i.src2), .base_y_i(1'b0), .base_x_i(1'b0),
    .count_i({geometry_i.out_height, geometry_i.out_width}),
    .addr_step_i({geometry_i.src2_stride, 16'd1}), .y_step_i(2'd0), .x_step_i(2'd0), .height_i(1'b0), .width_i(1'b0),
    .addr_o(src2), .y_o(unused_src2_y), .x_o(unused_src2_x), .inside_o(unused_src2_inside),
    .first_o(unused_src2_first), .last_o(unused_src2_last), .done_o(unused_src2_done)
  );

  // Destination. Levels: plane, output column, output row.
  logic        unused_dst_y, unused_dst_x, unused_dst_inside, dst_done;
  logic [2:0]  unused_dst_first, dst_last;
  logic [1:0]  unused_dst_last;
  logic [15:0] dst;

  tpu_loop_nest #(.Levels(3), .CountWidth(16), .AddrWidth(16), .CoordWidth(1)) u_dst (
    .clk_i, .rst_ni, .start_i(walk_i.start),
    .step_i(walk_i.step.dst),
    .base_addr_i(geometry_i.dst), .base_y_i(1'b0), .base_x_i(1'b0),
    .count_i({geometry_i.out_height, geometry_i.out_width, kind_i.drain32 ? 16'd4 : 16'd1}),
    .addr_step_i({geometry_i.dst_stride, 16'd1, geometry_i.plane_stride}), .y_step_i(3'd0), .x_step_i(3'd0),
    .height_i(1'b0), .width_i(1'b0),
    .addr_o(dst), .y_o(unused_dst_y), .x_o(unused_dst_x), .inside_o(unused_dst_inside),
    .first_o(unused_dst_first), .last_o(dst_last), .done_o(dst_done)
  );

  assign unused_dst_last = dst_last[2:1];

  assign position_o = '{
    src:            src,
    src_inside:     src_inside || !kind_i.pool,
    src_first:      src_first[0] && src_first[1],
    src_last:       src_last[0] && src_last[1],
    src2:           src2,
    dst:            dst,
    dst_last_plane: dst_last[0],
    dst_done:       dst_done,
    acc:            acc_q
  };
endmodule
