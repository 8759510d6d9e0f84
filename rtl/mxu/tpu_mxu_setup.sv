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
// Parameters: Dim (4, 8, 16 or 32), WeightRows and AccRows (powers of two); BlockFloat and Depthwise, 0 for a core
// without such commands.
`include "tpu_assert.svh"
`include "tpu_instr.svh"
module tpu_mxu_setup import tpu_mxu_pkg::*; #(
  parameter int Dim = 16,
  parameter int WeightRows = 4096,
  parameter int AccRows = 1024,
  parameter int BlockFloat = 1,
  parameter int Depthwise = 1,
  localparam int TileBits = tile_bits(Dim, WeightRows),
  localparam int SkipBits = skip_bits(Dim, WeightRows)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // Commands: CONV or DEPTHWISE.
  input  logic                cmd_valid_i,
  output logic                cmd_ready_o,
  input  logic [511:0]        cmd_instr_i,
  // For the weight feeder: format, first row, number of tiles, those that are skipped.
  output logic                feed_valid_o,
  input  logic                feed_ready_i,
  output logic                feed_block_float_o,
  output logic [15:0]         feed_row_o,
  output logic [TileBits-1:0] feed_tiles_o,
  output logic [SkipBits-1:0] feed_skip_o,
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
  // First to Refuse compute; they are the last, so that one comparison tells a simulation that there is nothing to do.
  // count() tells those that make a product apart by one bit each, which their numbers must keep.
  typedef enum logic [2:0] {
    Free,
    Offer,   // weights and descriptor are offered
    Refused,
    First = 3'b011,  // steps of the computation
    Second = 3'b100,
    Third,
    Fourth,  // of a DEPTHWISE only
    Refuse = 3'b111  // the product that the error needs
  } state_e;

  conv_instr_t instr;
  logic        unused_bits;
  assign instr = cmd_instr_i;      // the fields of a DEPTHWISE lie at the same places
  assign unused_bits = ^instr;     // the header is used by the issue stage only; reserved bits are not used

  // The descriptor of a CONV is a register, so that offering it costs a simulation nothing. Its base is the command's
  // act_row until the row of the first position is known.
  state_e      state_q;
  logic        depthwise_q;
  logic [15:0] weight_row_q, row_stride_q;
  logic [SkipBits-1:0] skip_q;
  conv_t       conv_q;
  logic        fed_q;        // the weights have been taken
  logic        many_taps_q;  // of a refused command
  logic        computes;
  extent_t     extent;
  assign computes = state_q >= First;

  // Numbers of outputs that no command can have become the greatest one.
  function automatic out_t saturated(input logic [15:0] outputs);
    return (32'(outputs) >> OutBits) != '0 ? '1 : out_t'(outputs);
  endfunction

  // -------------------------------------------------------------------------------------------------------------
  // Products of row_stride: first address and steps.
  function automatic logic makes_base();
    return state_q == (depthwise_q ? Fourth : First);
  endfunction
  function automatic logic [15:0] row_product();
    logic [15:0] y, x, factor;
    y = depthwise_q ? extent.ys : conv_q.y0;
    x = depthwise_q ? extent.xs : conv_q.x0;
    factor = makes_base() ? y : state_q == Second ? 16'(conv_q.stride_h) : 16'(conv_q.dilation_h);
    return factor * row_stride_q + (makes_base() ? conv_q.base : '0) + (makes_base() ? x : '0);
  endfunction

  // Products of counts, in two steps: CONV: kernel rows and columns, by blocks; DEPTHWISE: output rows and columns, by
  // blocks. A factor that is too wide exceeds every limit.
  typedef logic [2*FactorBits-1:0] count_t;
  count_t count_q;
  logic   wide_q;
  function automatic count_t count();
    logic [FactorBits-1:0] a, b;
    a = FactorBits'(conv_q.kernel_h);
    b = FactorBits'(conv_q.kernel_w);
    // Called in First, Second and Refuse: bit 0 is clear in Second alone, bit 2 in First alone.
    if (!state_q[0]) begin
      a = FactorBits'(conv_q.blocks);
      b = count_q[FactorBits-1:0];
    end else if (!state_q[2] && depthwise_q) begin
      a = FactorBits'(conv_q.out_height);
      b = FactorBits'(conv_q.out_width);
    end
    return a * b;
  endfunction

  // -------------------------------------------------------------------------------------------------------------
  // Limits, after the second step.
  function automatic logic many_tiles();
    logic [16:0] most;
    most = conv_q.block_float ? 17'(WeightRows / BlockRows / Parts) : 17'(WeightRows / Dim);
    return !depthwise_q && (wide_q || 40'(count_q) > 40'(most));
  endfunction
  function automatic logic many_taps();
    logic [16:0] most;
    most = 17'(WeightRows);
    for (int h = 1; h <= 3; h++) begin
      for (int w = 1; w <= 3; w++) begin
        if (conv_q.kernel_h[1:0] == 2'(h) && conv_q.kernel_w[1:0] == 2'(w)) most = 17'(WeightRows / (h * w));
      end
    end
    return depthwise_q && 17'(conv_q.blocks) > most;
  endfunction
  function automatic logic bad();
    logic many_sums;
    many_sums = depthwise_q && (wide_q || 40'(conv_q.acc_row) + 40'(count_q) > 40'(AccRows));
    return many_tiles() || many_taps() || many_sums;
  endfunction

  // A command mostly waits to be taken; these processes then cost a simulation a few tests.
  function automatic logic fed();
    return (feed_valid_o && feed_ready_i) || (taps_valid_o && taps_ready_i);
  endfunction
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Free;
      fed_q <= 1'b0;
    end else if (state_q == Offer) begin
      if (!fed_q) begin
        fed_q <= fed();
      end else if (depthwise_q ? depthwise_ready_i : conv_ready_i) begin
        state_q <= Free;
        fed_q <= 1'b0;
      end
    end else begin
      case (state_q)
        Free:    if (cmd_valid_i) state_q <= First;
        First:   state_q <= Second;
        Second:  state_q <= Third;
        Third:   state_q <= depthwise_q ? Fourth : bad() ? Refuse : Offer;
        Fourth:  state_q <= bad() ? Refuse : Offer;
        default: state_q <= Refused;
      endcase
      if (state_q != Free && !fed_q) fed_q <= fed();
    end
  end

  always_ff @(posedge clk_i) begin
    if (computes) begin
      if (makes_base()) conv_q.base <= row_product();
      if (state_q == Second) conv_q.oy_step <= row_product();
      if (state_q == Third) conv_q.ky_step <= row_product();
      if (state_q == First || state_q == Second || state_q == Refuse) count_q <= count();
      if (state_q == Second) wide_q <= (32'(conv_q.blocks) >> FactorBits) != '0 || (64'(count_q) >> FactorBits) != '0;
      if (state_q == Refuse) many_taps_q <= many_taps();
    end else if (cmd_valid_i && cmd_ready_o) begin
      depthwise_q  <= Depthwise != 0 && instr.opcode == tpu_pkg::OP_DEPTHWISE;
      weight_row_q <= instr.weight_row;
      row_stride_q <= instr.row_stride;
      skip_q       <= SkipBits'({instr.skip3, instr.skip2, instr.skip1, instr.skip0});
      conv_q <= '{
        block_float: BlockFloat != 0 && instr.block_float, accumulate: instr.accumulate, acc_row: instr.acc_row,
        pad_value: instr.pad_value, base: instr.act_row, blocks: instr.blocks, kernel_h: instr.kernel_h,
        kernel_w: instr.kernel_w, out_height: 16'(saturated(instr.out_height)),
        out_width: 16'(saturated(instr.out_width)), plane_stride: instr.plane_stride, ky_step: 'x,
        dilation_h: instr.dilation_h, dilation_w: instr.dilation_w, oy_step: 'x, stride_h: instr.stride_h,
        stride_w: instr.stride_w, in_height: instr.in_height, in_width: instr.in_width, y0: instr.y0, x0: instr.x0};
    end
  end

  logic [3:0] steps;
  always_comb begin
    steps = '0;
    if (computes && depthwise_q) begin
      steps = {state_q == Fourth, state_q == Third, state_q == Second, state_q == First};
    end
  end
  if (Depthwise != 0) begin : gen_depthwise
    tpu_depthwise_setup #(.AccRows(AccRows)) u_depthwise (
      .clk_i, .steps_i(steps), .command_i(conv_q), .extent_o(extent)
    );
  end else begin : gen_no_depthwise
    logic unused_steps;
    assign unused_steps = ^steps;
    assign extent       = '0;  // of no command
  end

  // -------------------------------------------------------------------------------------------------------------
  // The error of a refused command. For the number of weight rows, the counts are multiplied bit by bit.
  logic        rows_known;
  logic [31:0] weight_rows;
  tpu_mxu_weight_rows #(.Dim(Dim)) u_weight_rows (
    .clk_i, .rst_ni,
    .start_i(state_q == Refused), .kernel_i(count_q[15:0]), .blocks_i(conv_q.blocks),
    .single_i(depthwise_q), .block_float_i(conv_q.block_float), .done_o(rows_known), .rows_o(weight_rows)
  );
  assign refused_o = rows_known;
  always_comb begin
    fault_code_o = 'x;
    fault_addr_o = 'x;
    if (refused_o) begin
      fault_code_o = tpu_pkg::ERROR_WEIGHT_RANGE;
      fault_addr_o = weight_rows;
      if (depthwise_q && !many_taps_q) begin
        fault_code_o = tpu_pkg::ERROR_ACC_RANGE;
        fault_addr_o = 32'(conv_q.acc_row) > AccRows ? 32'(conv_q.acc_row) : AccRows;
      end
    end
  end

  // -------------------------------------------------------------------------------------------------------------
  assign cmd_ready_o = state_q == Free;

  // A command that is offered is not refused; whether one will be is known in the third step.
  always_comb begin
    feed_valid_o = 1'b0;
    taps_valid_o = 1'b0;
    conv_valid_o = 1'b0;
    depthwise_valid_o = 1'b0;
    depthwise_waits_o = 1'b0;
    if (state_q != Free) begin
      if (depthwise_q) begin
        depthwise_waits_o = 1'b1;
        taps_valid_o = !fed_q;
        depthwise_valid_o = fed_q && state_q == Offer;
      end else if (fed_q) begin
        conv_valid_o = state_q == Offer;
      end else begin
        feed_valid_o = state_q == Offer;
        if (state_q == Third) feed_valid_o = !many_tiles();  // A simulator calls the function in this step alone.
      end
    end
  end
  assign feed_block_float_o = conv_q.block_float;
  assign feed_row_o = weight_row_q;
  assign feed_tiles_o = Parts > 1 && conv_q.block_float ? TileBits'(count_q * Parts) : TileBits'(count_q);

  assign feed_skip_o = skip_q;

  always_comb begin
    taps_o = 'x;
    if (taps_valid_o) begin
      taps_o = '{row: weight_row_q, blocks: conv_q.blocks, kernel_h: conv_q.kernel_h[1:0],
                 kernel_w: conv_q.kernel_w[1:0]};
    end
  end

  assign conv_o = conv_q;
  always_comb begin
    depthwise_o = 'x;
    if (depthwise_valid_o) begin
      depthwise_o = '{
        accumulate: conv_q.accumulate, pad_value: conv_q.pad_value, kernel_h: conv_q.kernel_h[1:0],
        kernel_w: conv_q.kernel_w[1:0], stride_h: conv_q.stride_h[2:0], stride_w: conv_q.stride_w[2:0],
        plane_stride: conv_q.plane_stride, row_stride: row_stride_q, in_height: conv_q.in_height,
        in_width: conv_q.in_width, acc_row: conv_q.acc_row, blocks: conv_q.blocks, out_height: conv_q.out_height,
        out_width: conv_q.out_width[7:0], base: conv_q.base, extent: extent};
    end
  end
endmodule
