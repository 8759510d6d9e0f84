// SPDX-License-Identifier: Apache-2.0
// Matrix unit: executes CONV and DEPTHWISE. For a CONV, a set-up stage computes address steps, the weight feeder keeps
// the shadow registers of the array one tile ahead, the streamer sends the activations, and each sum of the array is
// sent to its accumulator row. DEPTHWISE is executed by a separate unit beside the array (tpu_depthwise); both share
// the ports.
//
// Latency: 5 cycles from a command to its first scratchpad read, then 2 to the array, 2*Dim through it, 2 until the sum
// is in the accumulator (DEPTHWISE: see tpu_depthwise). Throughput: one activation row per cycle, without a gap between
// commands or between weight tiles of at least Dim positions. A shorter tile takes Dim cycles.
// Back-pressure: scratchpad, weight ring and accumulators never refuse the matrix unit, but no position is issued while
// hold_i is high, because STORE then reads the scratchpad.
//
// Order: up to two commands are taken ahead; commands retire in order, when their last accumulator row is written. The
// commands that have been taken and have not begun are all of one kind, CONV or DEPTHWISE. A command of one kind is set
// up, and its weights are loaded, while the last command of the other kind is in progress. A DEPTHWISE begins so that
// its first sum follows the last sum of the array. A CONV begins after the last position of a DEPTHWISE; its sums take
// longer, so they follow those of the DEPTHWISE.
//
// Block floating point (a CONV with block_float): the exponents of a row come from the scratchpad with the row, those
// of a tile with its weights; both wait in queues until the sums leave the array, and go with them to the accumulators.
//
// Parameters: Dim (4, 8, 16 or 32), ScratchRows, BlockRows (scratchpad rows that have exponents), WeightRows (power of
// two), AccRows; ClockGating, 0 for FPGAs.
`include "tpu_assert.svh"
`include "tpu_mxu_desc.svh"
module tpu_mxu #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int BlockRows = ScratchRows,
  parameter int WeightRows = 4096,
  parameter int AccRows = 1024,
  parameter int ClockGating = 1,
  localparam int Width = 8 * Dim,
  localparam int Parts = Dim > 16 ? Dim / 16 : 1,
  localparam int WeightAddr = $clog2(WeightRows)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // Commands (valid/ready), retirement and fault (pulses), cause (one-hot), as in every engine.
  input  logic                  cmd_valid_i,
  output logic                  cmd_ready_o,
  input  logic [511:0]          cmd_instr_i,
  output logic                  retire_o,
  output logic                  fault_valid_o,
  output logic [7:0]            fault_code_o,
  output logic [31:0]           fault_addr_o,
  output logic [tpu_pkg::CAUSES-1:0] cause_o,
  // High in a WORKING cycle in which the vector consists of pad_value.
  output logic                  padded_vector_o,
  // Scratchpad read: granted in the same cycle, data in the next; no read while hold_i is high.
  input  logic                  hold_i,
  output logic                  rd_valid_o,
  output logic                  rd_blocks_o,  // with the exponents of the row
  output logic [15:0]           rd_row_o,
  input  logic [Width-1:0]      rd_data_i,
  input  logic [8*Parts-1:0]    rd_exponents_i,
  // Weight ring read: granted in the same cycle, data in the next.
  output logic                  wt_rd_valid_o,
  output logic [WeightAddr-1:0] wt_rd_row_o,
  input  logic [Width-1:0]      wt_rd_data_i,
  // Accumulator: one row of sums. In block floating point (mac_block_o) with the planes of a block that they begin and
  // complete, and with the exponents.
  output logic                  mac_valid_o,
  output logic [15:0]           mac_row_o,
  output logic                  mac_accumulate_o,
  output logic [32*Dim-1:0]     mac_data_o,
  output logic                  mac_block_o,
  output logic                  mac_begin_o,
  output logic                  mac_complete_o,
  output logic [7:0]            mac_act_exponent_o,
  output logic [Width-1:0]      mac_weight_exponents_o
);
  localparam int TokenDepth = 4 * Dim; // more than the positions between issue and sum
  localparam int TokenWidth = 19;
  localparam int BlockCycles = 8;      // more than a sum of binary32 takes until it is in memory

  // -------------------------------------------------------------------------------------------------------------
  // Set-up, then one descriptor waits for the streamer while the feeder already loads its weights.
  logic                 setup_ready, desc_valid, desc_ready, too_many, feeder_ready;
  conv_desc_t           setup_desc, pend_desc_q;
  logic [15:0]          weight_row;
  logic [31:0]          tiles;
  logic                 tile_format;
  logic                 pend_valid_q, pend_ready;
  logic                 halted_q, fault, stream_fault, lanes_fault;
  logic                 depthwise, lanes_ready, lanes_waiting, lanes_active;

  assign depthwise = cmd_instr_i[tpu_pkg::OPCODE_LSB +: tpu_pkg::OPCODE_W] == tpu_pkg::OP_DEPTHWISE;
  assign fault = stream_fault || lanes_fault;
  always_comb begin
    cmd_ready_o = setup_ready && !lanes_waiting;
    if (depthwise) cmd_ready_o = lanes_ready && setup_ready && !pend_valid_q;
    if (halted_q || fault) cmd_ready_o = 1'b0;
  end
  always_comb begin
    desc_ready = 1'b0;
    if (feeder_ready || too_many) desc_ready = !pend_valid_q || pend_ready;
  end

  tpu_mxu_setup #(.Dim(Dim), .WeightRows(WeightRows)) u_setup (
    .clk_i, .rst_ni,
    .cmd_valid_i(cmd_valid_i && cmd_ready_o && !depthwise), .cmd_ready_o(setup_ready), .cmd_instr_i,
    .desc_valid_o(desc_valid), .desc_ready_i(desc_ready), .desc_o(setup_desc),
    .block_float_o(tile_format), .weight_row_o(weight_row), .tiles_o(tiles), .too_many_o(too_many)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) pend_valid_q <= 1'b0;
    else if (desc_valid && desc_ready) pend_valid_q <= 1'b1;
    else if (pend_ready) pend_valid_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (desc_valid && desc_ready) pend_desc_q <= setup_desc;
  end

  // -------------------------------------------------------------------------------------------------------------
  // Weights and activations.
  logic                   loaded, swap;
  logic                   wt_valid, feed_valid, exponents_valid;
  logic [WeightAddr-1:0]  feed_row;
  logic [$clog2(Dim)-1:0] wt_row;
  logic [Width-1:0]       wt_data;

  tpu_mxu_feeder #(.Dim(Dim), .WeightRows(WeightRows)) u_feeder (
    .clk_i, .rst_ni,
    .start_valid_i(desc_valid && desc_ready && !too_many), .start_ready_o(feeder_ready),
    .start_block_i(tile_format), .start_row_i(weight_row), .start_tiles_i(tiles),
    .loaded_o(loaded), .swap_i(swap),
    .rd_valid_o(feed_valid), .rd_row_o(feed_row), .rd_data_i(wt_rd_data_i),
    .wt_valid_o(wt_valid), .wt_row_o(wt_row), .wt_data_o(wt_data), .exponents_valid_o(exponents_valid)
  );

  logic        block, tile_last, begins, complete, part;
  logic        issue, pad, accumulate, last, stream_ready, stream_active, wait_weights;
  logic [7:0]  pad_value;
  logic [15:0] acc_row;
  logic        act_rd_valid;
  logic [15:0] act_rd_row;
  logic [7:0]  stream_code;
  logic [31:0] stream_addr;

  tpu_mxu_stream #(
    .Dim(Dim), .ScratchRows(ScratchRows), .BlockRows(BlockRows), .AccRows(AccRows), .BlockCycles(BlockCycles)
  ) u_stream (
    .clk_i, .rst_ni,
    .desc_valid_i(pend_valid_q && !lanes_active), .desc_ready_o(stream_ready), .desc_i(pend_desc_q),
    .loaded_i(loaded), .swap_o(swap),
    .hold_i, .rd_valid_o(act_rd_valid), .rd_row_o(act_rd_row),
    .issue_o(issue), .pad_o(pad), .pad_value_o(pad_value),
    .acc_row_o(acc_row), .accumulate_o(accumulate), .last_o(last),
    .block_o(block), .tile_last_o(tile_last), .begin_o(begins), .complete_o(complete), .part_o(part),
    .active_o(stream_active), .wait_weights_o(wait_weights),
    .fault_o(stream_fault), .fault_code_o(stream_code), .fault_addr_o(stream_addr)
  );
  assign pend_ready = stream_ready && !lanes_active;

  // Scratchpad data come one cycle after the issue; a register in front of the array shortens the path.
  logic             issue_d1_q, pad_d1_q, swap_d1_q, block_d1_q, part_d1_q, act_valid_q, act_swap_q;
  logic [7:0]       pad_value_d1_q;
  logic [2:0]       place_d1_q;
  logic [Width-1:0] act_data_q;

  always_ff @(posedge clk_i) begin
    issue_d1_q <= issue && rst_ni;
    act_valid_q <= issue_d1_q && rst_ni;
    if (issue) begin
      pad_d1_q <= pad;
      swap_d1_q <= swap;
      pad_value_d1_q <= pad_value;
      block_d1_q <= block;
      part_d1_q <= part;
      if (block) place_d1_q <= {tile_last, begins, complete};
    end
    if (issue_d1_q) begin
      act_swap_q <= swap_d1_q;
      act_data_q <= pad_d1_q ? {Dim{pad_value_d1_q}} : rd_data_i;
      // One block of a row of two; the other rows of the array multiply zeros.
      if (Parts > 1 && block_d1_q) begin
        for (int i = 0; i < Dim; i++) begin
          act_data_q[8*i +: 8] <= i >= 16 ? 8'd0 : pad_d1_q ? pad_value_d1_q
                                : rd_data_i[8*((i + (part_d1_q ? 16 : 0)) % Dim) +: 8];
        end
      end
    end
  end

  logic              sum_valid;
  logic [32*Dim-1:0] sum_data;

  tpu_array #(.Dim(Dim)) u_array (
    .clk_i, .rst_ni,
    .act_valid_i(act_valid_q), .act_swap_i(act_swap_q), .act_data_i(act_data_q),
    .wt_valid_i(wt_valid), .wt_row_i(wt_row), .wt_data_i(wt_data),
    .sum_valid_o(sum_valid), .sum_data_o(sum_data)
  );

  // -------------------------------------------------------------------------------------------------------------
  // Depthwise unit. At the weight ring, the feeder of the array has priority over it.
  logic                  lanes_busy, lanes_step, lanes_wait_weights, lanes_rd_valid, lanes_wt_valid;
  logic [15:0]           lanes_rd_row;
  logic [WeightAddr-1:0] lanes_wt_row;
  logic                  lanes_mac_valid, lanes_mac_accumulate, lanes_mac_last;
  logic [15:0]           lanes_mac_row;
  logic [32*Dim-1:0]     lanes_mac_data;
  logic [7:0]            lanes_code;
  logic [31:0]           lanes_addr;

  // Cycles by which a depthwise sum, 4 cycles from now, would be too early. The last sum of the array comes 2*Dim+2
  // cycles after its position, and the same accumulator row must not be used again within less than four cycles.
  logic [7:0] sums_left_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) sums_left_q <= '0;
    else if (issue) sums_left_q <= 8'(2 * Dim + 1 + (block ? BlockCycles : 0));
    else if (sums_left_q != '0) sums_left_q <= sums_left_q - 1'b1;
  end

  // The clock is stopped while there is no DEPTHWISE, which saves simulation time in most programs.
  logic lanes_clk;
  tpu_clock_gate #(.Gated(ClockGating)) u_depthwise_clock (
    .clk_i, .rst_ni, .en_i((cmd_valid_i && depthwise) || lanes_waiting || lanes_active || lanes_busy),
    .wake_i(1'b0), .clk_o(lanes_clk)
  );

  tpu_depthwise #(.Dim(Dim), .ScratchRows(ScratchRows), .WeightRows(WeightRows), .AccRows(AccRows)) u_depthwise (
    .clk_i(lanes_clk), .rst_ni,
    .cmd_valid_i(cmd_valid_i && cmd_ready_o && depthwise), .cmd_ready_o(lanes_ready), .cmd_instr_i,
    .go_i(!stream_active), .sums_left_i(sums_left_q),
    .waiting_o(lanes_waiting), .active_o(lanes_active), .busy_o(lanes_busy), .step_o(lanes_step),
    .wait_weights_o(lanes_wait_weights),
    .fault_o(lanes_fault), .fault_code_o(lanes_code), .fault_addr_o(lanes_addr),
    .hold_i, .rd_valid_o(lanes_rd_valid), .rd_row_o(lanes_rd_row), .rd_data_i,
    .wt_rd_valid_o(lanes_wt_valid), .wt_rd_ready_i(!feed_valid), .wt_rd_row_o(lanes_wt_row), .wt_rd_data_i,
    .mac_valid_o(lanes_mac_valid), .mac_row_o(lanes_mac_row), .mac_accumulate_o(lanes_mac_accumulate),
    .mac_last_o(lanes_mac_last), .mac_data_o(lanes_mac_data)
  );

  assign wt_rd_valid_o = feed_valid || lanes_wt_valid;
  assign wt_rd_row_o = feed_valid ? feed_row : lanes_wt_row;
  assign rd_valid_o = act_rd_valid || lanes_rd_valid;
  assign rd_row_o = act_rd_valid ? act_rd_row : lanes_rd_row;
  assign rd_blocks_o = act_rd_valid && block;
  `TPU_ASSERT_WHEN(OnePasses, lanes_active, !stream_active)
  `TPU_ASSERT_WHEN(SumsMeetNot, lanes_mac_valid, !sum_valid)

  // -------------------------------------------------------------------------------------------------------------
  // Accumulator row of each sum of the array, in issue order.
  logic                        token_ready, token_valid, token_last, token_accumulate, mac_last;
  logic                        token_block;
  logic [15:0]                 token_row;
  logic [$clog2(TokenDepth):0] token_level;

  tpu_fifo #(.Width(TokenWidth), .Depth(TokenDepth)) u_tokens (
    .clk_i, .rst_ni,
    .wr_valid_i(issue), .wr_ready_o(token_ready),
    .wr_data_i({block, last, accumulate, acc_row}),
    .rd_valid_o(token_valid), .rd_ready_i(sum_valid),
    .rd_data_o({token_block, token_last, token_accumulate, token_row}), .level_o(token_level)
  );
  `TPU_ASSERT_WHEN(TokenRoom, issue, token_ready)
  `TPU_ASSERT_WHEN(TokenPerSum, sum_valid, token_valid)

  // In block floating point: the exponent of each position, and its place in tile and block; the exponents of the tiles
  // from the weight ring to their last sum.
  localparam int TilesAhead = 4;
  logic                        act_ready, act_valid, act_tile_last, weight_ready, weight_valid, unused_levels;
  logic [$clog2(TokenDepth):0] act_level;
  logic [$clog2(TilesAhead):0] weight_level;

  tpu_fifo #(.Width(11), .Depth(TokenDepth)) u_act_exponents (
    .clk_i, .rst_ni,
    .wr_valid_i(issue_d1_q && block_d1_q), .wr_ready_o(act_ready),
    .wr_data_i({place_d1_q,
                pad_d1_q ? 8'd0 : Parts > 1 && part_d1_q ? rd_exponents_i[8*Parts-1 -: 8] : rd_exponents_i[7:0]}),
    .rd_valid_o(act_valid), .rd_ready_i(mac_block_o),
    .rd_data_o({act_tile_last, mac_begin_o, mac_complete_o, mac_act_exponent_o}), .level_o(act_level)
  );
  tpu_fifo #(.Width(Width), .Depth(TilesAhead)) u_weight_exponents (
    .clk_i, .rst_ni,
    .wr_valid_i(exponents_valid), .wr_ready_o(weight_ready), .wr_data_i(wt_data),
    .rd_valid_o(weight_valid), .rd_ready_i(mac_block_o && act_tile_last),
    .rd_data_o(mac_weight_exponents_o), .level_o(weight_level)
  );
  assign unused_levels = ^{act_level, weight_level};
  `TPU_ASSERT_WHEN(ActExponentRoom, issue_d1_q && block_d1_q, act_ready)
  `TPU_ASSERT_WHEN(WeightExponentRoom, exponents_valid, weight_ready)
  `TPU_ASSERT_WHEN(ExponentsPerSum, mac_block_o, act_valid && weight_valid)

  assign mac_block_o = sum_valid && token_block;

  // Branches simulate faster than masks, because the sums are nearly always those of the array.
  always_comb begin
    mac_valid_o = sum_valid || lanes_mac_valid;
    if (lanes_mac_valid) begin
      mac_row_o = lanes_mac_row;
      mac_accumulate_o = lanes_mac_accumulate;
      mac_last = lanes_mac_last;
      mac_data_o = lanes_mac_data;
    end else begin
      mac_row_o = token_row;
      mac_accumulate_o = token_accumulate;
      mac_last = token_last;
      mac_data_o = sum_data;
    end
  end

  // A command commits when its last row is in memory: two cycles after its sum, in block floating point BlockCycles.
  logic [1:0]             retire_q;
  logic [BlockCycles-3:0] block_retire_q;
  logic [3:0]             block_flight_q; // cycles until no such sum is on its way
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      retire_q <= '0;
      block_retire_q <= '0;
      block_flight_q <= '0;
    end else begin
      retire_q <= {retire_q[0], mac_valid_o && mac_last && !mac_block_o};
      if (mac_block_o || block_flight_q != '0) begin
        if (block_retire_q[BlockCycles-3]) retire_q[0] <= 1'b1;
        block_retire_q <= {block_retire_q[BlockCycles-4:0], mac_block_o && mac_last};
        block_flight_q <= mac_block_o ? 4'(BlockCycles) : block_flight_q - 1'b1;
      end
    end
  end
  assign retire_o = retire_q[1];

  // A fault is reported when all earlier sums have been written.
  logic flushed;
  assign flushed = token_level == '0 && retire_q == '0 && block_flight_q == '0 && !lanes_busy;
  assign fault_valid_o = fault && flushed && !halted_q;
  assign fault_code_o = lanes_fault ? lanes_code : stream_code;
  assign fault_addr_o = lanes_fault ? lanes_addr : stream_addr;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) halted_q <= 1'b0;
    else if (fault_valid_o) halted_q <= 1'b1;
  end

  assign padded_vector_o = (issue && pad) || (lanes_step && !lanes_rd_valid);
  always_comb begin
    cause_o = '0;
    if (issue || lanes_step) cause_o[tpu_pkg::CAUSE_WORKING] = 1'b1;
    else if (wait_weights || lanes_wait_weights) cause_o[tpu_pkg::CAUSE_WEIGHT_LOAD] = 1'b1;
    else if (hold_i && (stream_active || lanes_active)) cause_o[tpu_pkg::CAUSE_BANK_CONFLICT] = 1'b1;
    // A command is set up, or the last sums are in the pipeline.
    else if (stream_active || pend_valid_q || !setup_ready || lanes_active || lanes_waiting || !flushed)
      cause_o[tpu_pkg::CAUSE_OPERAND_WAIT] = 1'b1;
    else cause_o[tpu_pkg::CAUSE_IDLE] = 1'b1;
  end
endmodule
