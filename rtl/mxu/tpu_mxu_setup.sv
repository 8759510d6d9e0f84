// SPDX-License-Identifier: Apache-2.0
// Prepares the commands of the matrix unit. Of a CONV it computes the address steps and the number of weight tiles, of
// a DEPTHWISE the first address, and whether its sums and weights fit; tpu_depthwise_setup finds the part of the input.
// One multiplier is for products of row_stride, another for counts; each makes a product in a cycle.
//
// Latency: from a command to the weight feeder three cycles, to the descriptor four; of a DEPTHWISE to the weight
// loader one, to the descriptor five. Throughput: one command in five or six cycles. Back-pressure: holds the
// descriptor until it is taken, takes the next command in the cycle after. The weights are always taken first.
//
// A command with more weights than the ring holds, or a DEPTHWISE with more sums than there are accumulator rows, stays
// here until reset. refused_o is high when its error is known.
//
// Protocol: cmd_*, feed_*, taps_*, conv_* and depthwise_* are valid/ready streams.
//
// Parameters: Dim (4, 8, 16 or 32), WeightRows and AccRows (powers of two).
`include "tpu_assert.svh"
`include "tpu_instr.svh"
module tpu_mxu_setup import tpu_mxu_pkg::*; #(
  parameter int Dim = 16,
  parameter int WeightRows = 4096,
  parameter int AccRows = 1024,
  localparam int TileBits = tile_bits(Dim, WeightRows)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // Commands: CONV or DEPTHWISE.
  input  logic                cmd_valid_i,
  output logic                cmd_ready_o,
  input  logic [511:0]        cmd_instr_i,
  // For the weight feeder: format, first row, number of tiles.
  output logic                feed_valid_o,
  input  logic                feed_ready_i,
  output logic                feed_block_float_o,
  output logic [15:0]         feed_row_o,
  output logic [TileBits-1:0] feed_tiles_o,
  // For the weight loader of the depthwise unit.
  output logic                taps_valid_o,
  input  logic                taps_ready_i,
  output taps_t               taps_o,
  // Descriptors.
  output logic                conv_valid_o,
  input  logic                conv_ready_i,
  output conv_t               conv_o,
  output logic                depthwise_valid_o,
  input  logic                depthwise_ready_i,
  output depthwise_t          depthwise_o,
  // A DEPTHWISE is here.
  output logic                depthwise_waits_o,
  // The command cannot run; what is wrong.
  output logic                refused_o,
  output logic [7:0]          fault_code_o,
  output logic [31:0]         fault_addr_o
);
  `TPU_ASSERT_INIT(WeightRowsPowerOfTwo, (WeightRows & (WeightRows - 1)) == 0)
  `TPU_ASSERT_INIT(AccRowsPowerOfTwo, (AccRows & (AccRows - 1)) == 0)

  localparam int BlockRows = block_lanes(Dim) + 1; // weight rows of a tile in block floating point
  localparam int Parts = Dim > 16 ? Dim / 16 : 1;  // tiles of a row of activations
  localparam int OutBits = out_bits(AccRows);
  localparam int WideBits = TileBits > OutBits ? TileBits : OutBits;
  localparam int FactorBits = WideBits > 8 ? WideBits : 8;

  typedef logic [OutBits-1:0] out_t;
  typedef enum logic [2:0] {
    Free,
    First,   // steps of the computation
    Second,
    Third,
    Fourth,  // of a DEPTHWISE only
    Offer,   // weights and descriptor are offered
    Refuse,  // the product that the error needs
    Refused
  } state_e;

  conv_instr_t instr;
  logic        unused_bits;
  assign instr = cmd_instr_i;      // the fields of a DEPTHWISE lie at the same places
  assign unused_bits = ^instr;     // the header is used by the issue stage only; reserved bits are not used

  state_e      state_q;
  command_t    command_q;
  out_t        out_height_q, out_width_q;
  logic        fed_q;              // the weights have been taken
  logic [15:0] base_q, ky_step_q, oy_step_q;
  extent_t     extent;

  // Numbers of outputs that no command can have become the greatest one.
  function automatic out_t saturated(input logic [15:0] outputs);
    return (32'(outputs) >> OutBits) != '0 ? '1 : out_t'(outputs);
  endfunction

  // -------------------------------------------------------------------------------------------------------------
  // Products of row_stride: first address and steps.
  logic [15:0] row_factor, row_product, y, x;
  logic        makes_base;
  always_comb begin
    row_factor = '0;
    row_product = '0;
    makes_base = 1'b0;
    y = '0;
    x = '0;
    if (state_q != Free) begin
      makes_base = state_q == (command_q.depthwise ? Fourth : First);
      y = command_q.depthwise ? extent.ys : command_q.y0;
      x = command_q.depthwise ? extent.xs : command_q.x0;
      row_factor = makes_base ? y : state_q == Second ? 16'(command_q.stride_h) : 16'(command_q.dilation_h);
      row_product = row_factor * command_q.row_stride + (makes_base ? command_q.act_row : '0) + (makes_base ? x : '0);
    end
  end

  // Products of counts, in two steps: CONV: kernel rows and columns, by blocks; DEPTHWISE: output rows and columns, by
  // blocks. A factor that is too wide exceeds every limit.
  logic [FactorBits-1:0]   count_a, count_b;
  logic [2*FactorBits-1:0] count, count_q;
  logic                    wide_q;
  always_comb begin
    count_a = '0;
    count_b = '0;
    count = '0;
    if (state_q != Free) begin
      count_a = FactorBits'(command_q.kernel_h);
      count_b = FactorBits'(command_q.kernel_w);
      if (state_q == Second) begin
        count_a = FactorBits'(command_q.blocks);
        count_b = count_q[FactorBits-1:0];
      end else if (state_q == First && command_q.depthwise) begin
        count_a = FactorBits'(out_height_q);
        count_b = FactorBits'(out_width_q);
      end
      count = count_a * count_b;
    end
  end

  // -------------------------------------------------------------------------------------------------------------
  // Limits, after the second step.
  logic        many_tiles, many_taps, many_sums, bad;
  logic [16:0] most_tiles, most_blocks;
  always_comb begin
    many_tiles = 1'b0;
    many_taps = 1'b0;
    many_sums = 1'b0;
    most_tiles = 17'(WeightRows / Dim);
    most_blocks = 17'(WeightRows);
    if (state_q != Free) begin
      if (command_q.block_float) most_tiles = 17'(WeightRows / BlockRows / Parts);
      for (int h = 1; h <= 3; h++) begin
        for (int w = 1; w <= 3; w++) begin
          if (command_q.kernel_h[1:0] == 2'(h) && command_q.kernel_w[1:0] == 2'(w)) begin
            most_blocks = 17'(WeightRows / (h * w));
          end
        end
      end
      many_tiles = !command_q.depthwise && (wide_q || 40'(count_q) > 40'(most_tiles));
      many_taps = command_q.depthwise && 17'(command_q.blocks) > most_blocks;
      many_sums = command_q.depthwise && (wide_q || 40'(command_q.acc_row) + 40'(count_q) > 40'(AccRows));
    end
    bad = many_tiles || many_taps || many_sums;
  end

  // One process, so that a waiting set-up costs a simulation one test.
  logic taken;
  assign taken = (conv_valid_o && conv_ready_i) || (depthwise_valid_o && depthwise_ready_i);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Free;
      fed_q <= 1'b0;
    end else begin
      case (state_q)
        Free:    if (cmd_valid_i) state_q <= First;
        First:   state_q <= Second;
        Second:  state_q <= Third;
        Third:   state_q <= command_q.depthwise ? Fourth : bad ? Refuse : Offer;
        Fourth:  state_q <= bad ? Refuse : Offer;
        Offer:   if (taken) state_q <= Free;
        Refuse:  state_q <= Refused;
        default: state_q <= Refused;
      endcase
      if (state_q != Free) fed_q <= !taken
                                    && (fed_q || (feed_valid_o && feed_ready_i) || (taps_valid_o && taps_ready_i));
    end
  end

  always_ff @(posedge clk_i) begin
    case (state_q)
      Free: if (cmd_valid_i) begin
        command_q <= '{
          depthwise: instr.opcode == tpu_pkg::OP_DEPTHWISE, accumulate: instr.accumulate,
          block_float: instr.block_float, act_row: instr.act_row, weight_row: instr.weight_row,
          acc_row: instr.acc_row, row_stride: instr.row_stride, plane_stride: instr.plane_stride,
          blocks: instr.blocks, in_height: instr.in_height, in_width: instr.in_width, y0: instr.y0, x0: instr.x0,
          kernel_h: instr.kernel_h, kernel_w: instr.kernel_w, stride_h: instr.stride_h, stride_w: instr.stride_w,
          dilation_h: instr.dilation_h, dilation_w: instr.dilation_w, pad_value: instr.pad_value};
        out_height_q <= saturated(instr.out_height);
        out_width_q  <= saturated(instr.out_width);
      end
      First: begin
        base_q  <= row_product;
        count_q <= count;
      end
      Second: begin
        oy_step_q <= row_product;
        count_q   <= count;
        wide_q    <= (32'(command_q.blocks) >> FactorBits) != '0 || (64'(count_q) >> FactorBits) != '0;
      end
      Third:  ky_step_q <= row_product;
      Fourth: base_q    <= row_product;
      Refuse: count_q   <= count;
      default: ;
    endcase
  end

  tpu_depthwise_setup #(.AccRows(AccRows)) u_depthwise (
    .clk_i,
    .steps_i(command_q.depthwise ? {state_q == Fourth, state_q == Third, state_q == Second, state_q == First} : '0),
    .command_i(command_q), .out_height_i(out_height_q), .out_width_i(out_width_q), .extent_o(extent)
  );

  // -------------------------------------------------------------------------------------------------------------
  // The error of a refused command. For the number of weight rows, the counts are multiplied bit by bit.
  logic        rows_known;
  logic [31:0] weight_rows;
  tpu_mxu_weight_rows #(.Dim(Dim)) u_weight_rows (
    .clk_i, .rst_ni,
    .start_i(state_q == Refused), .kernel_i(count_q[15:0]), .blocks_i(command_q.blocks),
    .single_i(command_q.depthwise), .block_float_i(command_q.block_float), .done_o(rows_known), .rows_o(weight_rows)
  );
  assign refused_o = rows_known;
  always_comb begin
    fault_code_o = tpu_pkg::ERROR_WEIGHT_RANGE;
    fault_addr_o = weight_rows;
    if (command_q.depthwise && !many_taps) begin
      fault_code_o = tpu_pkg::ERROR_ACC_RANGE;
      fault_addr_o = 32'(command_q.acc_row) > AccRows ? 32'(command_q.acc_row) : AccRows;
    end
  end

  // -------------------------------------------------------------------------------------------------------------
  assign cmd_ready_o = state_q == Free;
  assign depthwise_waits_o = state_q != Free && command_q.depthwise;

  assign feed_valid_o = (state_q == Third || state_q == Offer) && !command_q.depthwise && !fed_q && !many_tiles;
  assign feed_block_float_o = command_q.block_float;
  assign feed_row_o = command_q.weight_row;
  assign feed_tiles_o = Parts > 1 && command_q.block_float ? TileBits'(count_q * Parts) : TileBits'(count_q);

  assign taps_valid_o = depthwise_waits_o && !fed_q;
  assign taps_o = '{row: command_q.weight_row, blocks: command_q.blocks, kernel_h: command_q.kernel_h[1:0],
                    kernel_w: command_q.kernel_w[1:0]};

  assign conv_valid_o = state_q == Offer && !command_q.depthwise && fed_q;
  assign conv_o = '{
    block_float: command_q.block_float, accumulate: command_q.accumulate, acc_row: command_q.acc_row,
    pad_value: command_q.pad_value, base: base_q, blocks: command_q.blocks, kernel_h: command_q.kernel_h,
    kernel_w: command_q.kernel_w, out_height: 16'(out_height_q), out_width: 16'(out_width_q),
    plane_stride: command_q.plane_stride, ky_step: ky_step_q, dilation_h: command_q.dilation_h,
    dilation_w: command_q.dilation_w, oy_step: oy_step_q, stride_h: command_q.stride_h, stride_w: command_q.stride_w,
    in_height: command_q.in_height, in_width: command_q.in_width, y0: command_q.y0, x0: command_q.x0};

  assign depthwise_valid_o = state_q == Offer && command_q.depthwise && fed_q;
  assign depthwise_o = '{
    accumulate: command_q.accumulate, pad_value: command_q.pad_value, kernel_h: command_q.kernel_h[1:0],
    kernel_w: command_q.kernel_w[1:0], stride_h: command_q.stride_h[2:0], stride_w: command_q.stride_w[2:0],
    plane_stride: command_q.plane_stride, row_stride: command_q.row_stride, in_height: command_q.in_height,
    in_width: command_q.in_width, acc_row: command_q.acc_row, blocks: command_q.blocks,
    out_height: 16'(out_height_q), out_width: 8'(out_width_q), base: base_q, extent: extent};
endmodule
