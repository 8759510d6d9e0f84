// SPDX-License-Identifier: Apache-2.0
// Addresses of the rows that the vector unit's current command reads and writes: three loop nests over scratchpad rows
// (first operand with its pooling window, second operand, destination) and a counter of accumulator rows. One
// multiplier computes the three products that a pooling window needs, before the first read.
//
// Latency: outputs are valid in the cycle after start_i and advance in the cycle after their step.
// Throughput: one position of each nest per cycle. Back-pressure: none, tpu_vpu_control decides when to step.
// Protocol: for pooling, setup_i with setup_step_i = 0, 1 and 2, once each, after the command is loaded and before
// start_i. The geometry must be stable from the set-up until the last row has been issued. Steps are pulses.
//
// Parameters: none.
module tpu_vpu_addresses (
  input  logic        clk_i,
  input  logic        rst_ni,
  // Geometry of the command.
  input  logic        pool_i,
  input  logic        preload_i,
  input  logic        drain32_i,
  input  logic [15:0] src_i,
  input  logic [15:0] src_stride_i,
  input  logic [15:0] src2_i,
  input  logic [15:0] src2_stride_i,
  input  logic [15:0] dst_i,
  input  logic [15:0] dst_stride_i,
  input  logic [15:0] plane_stride_i,
  input  logic [15:0] out_height_i,
  input  logic [15:0] out_width_i,
  input  logic [15:0] in_height_i,
  input  logic [15:0] in_width_i,
  input  logic [15:0] y0_i,
  input  logic [15:0] x0_i,
  input  logic [15:0] kernel_i,
  input  logic [15:0] stride_i,
  input  logic [15:0] dilation_i,
  // Control.
  input  logic        setup_i,
  input  logic [1:0]  setup_step_i,
  input  logic        start_i,
  input  logic        src_step_i,
  input  logic        src2_step_i,
  input  logic        dst_step_i,
  input  logic        acc_step_i,
  // Current rows.
  output logic [15:0] src_o,
  output logic        src_inside_o,
  output logic        src_first_o,   // first read of a pooling window, or of the four planes of a PRELOAD
  output logic        src_last_o,
  output logic [15:0] src2_o,
  output logic [15:0] dst_o,
  output logic        dst_last_plane_o,
  output logic        dst_done_o,    // last row of the command
  output logic [16:0] acc_o
);
  // Wide enough for the largest legal coordinate: 32767 + 65534*255 + 254*255 < 2^25.
  localparam int CoordWidth = 26;

  logic [15:0] factor, product, base_q, kernel_row_step_q, row_step_q;
  logic [16:0] acc_q;

  always_comb begin
    factor  = '0;
    product = '0;
    if (setup_i) begin
      factor  = setup_step_i == 2'd0 ? y0_i
              : setup_step_i == 2'd1 ? {8'd0, dilation_i[15:8]} : {8'd0, stride_i[15:8]};
      product = factor * src_stride_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (setup_i) begin
      case (setup_step_i)
        2'd0:    base_q <= src_i + product + x0_i;
        2'd1:    kernel_row_step_q <= product;
        default: row_step_q <= product;
      endcase
    end
    if (start_i) acc_q <= {1'b0, preload_i ? dst_i : src_i};
    else if (acc_step_i) acc_q <= acc_q + 17'd1;
  end

  assign acc_o = acc_q;

  // First operand. Levels: window column (or plane), window row, output column, output row.
  logic [3:0]            src_first, src_last;
  logic [CoordWidth-1:0] unused_src_y, unused_src_x;
  logic                  src_inside, unused_src_done;

  tpu_loop_nest #(.Levels(4), .CountWidth(16), .AddrWidth(16), .CoordWidth(CoordWidth)) u_src (
    .clk_i, .rst_ni, .start_i,
    .step_i(src_step_i),
    .base_addr_i(pool_i ? base_q : src_i),
    .base_y_i({{(CoordWidth-16){y0_i[15]}}, y0_i}),
    .base_x_i({{(CoordWidth-16){x0_i[15]}}, x0_i}),
    .count_i({out_height_i, out_width_i, pool_i ? {8'd0, kernel_i[15:8]} : 16'd1,
              pool_i ? {8'd0, kernel_i[7:0]} : preload_i ? 16'd4 : 16'd1}),
    .addr_step_i({pool_i ? row_step_q : src_stride_i, pool_i ? {8'd0, stride_i[7:0]} : 16'd1, kernel_row_step_q,
                  pool_i ? {8'd0, dilation_i[7:0]} : plane_stride_i}),
    .y_step_i({CoordWidth'(stride_i[15:8]), CoordWidth'(0), CoordWidth'(dilation_i[15:8]), CoordWidth'(0)}),
    .x_step_i({CoordWidth'(0), CoordWidth'(stride_i[7:0]), CoordWidth'(0), CoordWidth'(dilation_i[7:0])}),
    .height_i(CoordWidth'(in_height_i)),
    .width_i(CoordWidth'(in_width_i)),
    .addr_o(src_o), .y_o(unused_src_y), .x_o(unused_src_x), .inside_o(src_inside),
    .first_o(src_first), .last_o(src_last), .done_o(unused_src_done)
  );

  logic [3:0] unused_src_flags;
  assign unused_src_flags = {src_first[3:2], src_last[3:2]};
  assign src_inside_o     = src_inside || !pool_i;
  assign src_first_o      = src_first[0] && src_first[1];
  assign src_last_o       = src_last[0] && src_last[1];

  // Second operand. Levels: output column, output row. This nest and the next one use no coordinates.
  logic       unused_src2_y, unused_src2_x, unused_src2_inside, unused_src2_done;
  logic [1:0] unused_src2_first, unused_src2_last;

  tpu_loop_nest #(.Levels(2), .CountWidth(16), .AddrWidth(16), .CoordWidth(1)) u_src2 (
    .clk_i, .rst_ni, .start_i,
    .step_i(src2_step_i),
    .base_addr_i(src2_i), .base_y_i(1'b0), .base_x_i(1'b0),
    .count_i({out_height_i, out_width_i}),
    .addr_step_i({src2_stride_i, 16'd1}), .y_step_i(2'd0), .x_step_i(2'd0), .height_i(1'b0), .width_i(1'b0),
    .addr_o(src2_o), .y_o(unused_src2_y), .x_o(unused_src2_x), .inside_o(unused_src2_inside),
    .first_o(unused_src2_first), .last_o(unused_src2_last), .done_o(unused_src2_done)
  );

  // Destination. Levels: plane, output column, output row.
  logic       unused_dst_y, unused_dst_x, unused_dst_inside;
  logic [2:0] unused_dst_first, dst_last;
  logic [1:0] unused_dst_last;

  tpu_loop_nest #(.Levels(3), .CountWidth(16), .AddrWidth(16), .CoordWidth(1)) u_dst (
    .clk_i, .rst_ni, .start_i,
    .step_i(dst_step_i),
    .base_addr_i(dst_i), .base_y_i(1'b0), .base_x_i(1'b0),
    .count_i({out_height_i, out_width_i, drain32_i ? 16'd4 : 16'd1}),
    .addr_step_i({dst_stride_i, 16'd1, plane_stride_i}), .y_step_i(3'd0), .x_step_i(3'd0),
    .height_i(1'b0), .width_i(1'b0),
    .addr_o(dst_o), .y_o(unused_dst_y), .x_o(unused_dst_x), .inside_o(unused_dst_inside),
    .first_o(unused_dst_first), .last_o(dst_last), .done_o(dst_done_o)
  );

  assign unused_dst_last  = dst_last[2:1];
  assign dst_last_plane_o = dst_last[0];
endmodule
