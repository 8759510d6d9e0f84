// SPDX-License-Identifier: Apache-2.0
// Matrix unit: executes CONV and DEPTHWISE. A set-up stage prepares the commands of both kinds. For a CONV, the weight
// feeder keeps the shadow registers of the array one tile ahead, the streamer sends the activations, and each sum of
// the array is sent to its accumulator row. DEPTHWISE is executed by a separate unit beside the array (tpu_depthwise);
// both share the ports.
//
// Latency: 5 cycles from a command to its first scratchpad read, then 2 to the array, 2*Dim through it, 2 until the sum
// is in the accumulator (DEPTHWISE: see tpu_depthwise). Throughput: one activation row per cycle, without a gap between
// commands or between weight tiles of at least Dim positions. A shorter tile takes Dim cycles.
// Back-pressure: scratchpad, weight ring and accumulators never refuse the matrix unit, but no position is issued while
// hold_i is high, because STORE then reads the scratchpad.
//
// Order: one command is taken ahead; commands retire in order, when their last accumulator row is written. A command is
// set up, and its weights are loaded, while the one before is in progress, of whatever kind. A DEPTHWISE begins so that
// its first sum follows the last sum of the array. A CONV begins after the last position of a DEPTHWISE; its sums take
// longer, so they follow those of the DEPTHWISE.
//
// Block floating point (a CONV with block_float): the exponents of a row come from the scratchpad with the row, those
// of a tile with its weights; both wait until the sums leave the array, and go with them to the accumulators.
//
// Parameters: Dim (4, 8, 16 or 32), ScratchRows, BlockRows (scratchpad rows that have exponents), WeightRows (power of
// two), AccRows; ClockGating, 0 for FPGAs; BlockFloat and Depthwise, 0 for a core without that part.
`include "tpu_assert.svh"
module tpu_mxu import tpu_mxu_pkg::*; #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int BlockRows = ScratchRows,
  parameter int WeightRows = 4096,
  parameter int AccRows = 1024,
  parameter int ClockGating = 0,
  parameter int BlockFloat = 1,
  parameter int Depthwise = 1,
  localparam int Width = 8 * Dim,
  localparam int Parts = Dim > 16 ? Dim / 16 : 1,
  localparam int WeightAddr = $clog2(WeightRows)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    test_en_i,
  // Commands (valid/ready), retirement and fault (pulses), cause (one-hot), as in every engine.
  input  logic                    cmd_valid_i,
  output logic                    cmd_ready_o,
  input  logic [511:0]            cmd_instr_i,
  output tpu_report_pkg::report_t report_o,
  // High in a WORKING cycle in which the vector consists of pad_value.
  output logic                    padded_vector_o,
  // Scratchpad read: granted in the same cycle, data in the next; no read while hold_i is high.
  input  logic                    hold_i,
  output logic                    rd_valid_o,
  output logic                    rd_blocks_o,  // with the exponents of the row
  output logic [15:0]             rd_row_o,
  input  logic [Width-1:0]        rd_data_i,
  input  logic [8*Parts-1:0]      rd_exponents_i,
  // Weight ring read: granted in the same cycle, data in the next.
  output logic                    wt_rd_valid_o,
  output logic [WeightAddr-1:0]   wt_rd_row_o,
  input  logic [Width-1:0]        wt_rd_data_i,
  // Accumulator: one row of sums. In block floating point (mac_block_o) with the planes of a block that they begin and
  // complete, and with the exponents.
  output logic                    mac_valid_o,
  output logic [15:0]             mac_row_o,
  output logic                    mac_accumulate_o,
  output logic [32*Dim-1:0]       mac_data_o,
  output logic                    mac_block_o,
  output logic                    mac_begin_o,
  output logic                    mac_complete_o,
  output logic [7:0]              mac_act_exponent_o,
  output logic [Width-1:0]        mac_weight_exponents_o
);
  localparam int BlockCycles = 8; // more than a sum of binary32 takes until it is in memory
  localparam int TileBits = tile_bits(Dim, WeightRows);
  localparam int SkipBits = skip_bits(Dim, WeightRows);

  // -------------------------------------------------------------------------------------------------------------
  // Set-up.
  logic                halted_q, broken, stream_fault, lanes_fault, refused;
  logic [7:0]          stream_code, refused_code;
  logic [16:0]         stream_row;
  logic [31:0]         refused_addr;
  logic                setup_ready, feed_valid, feed_ready, feed_block;
  logic [15:0]         feed_row;
  logic [TileBits-1:0] feed_tiles;
  logic [SkipBits-1:0] feed_skip;
  logic                taps_valid, taps_ready, conv_valid, conv_ready, depthwise_valid, depthwise_ready, lanes_waiting;
  taps_t               taps;
  conv_t               conv;
  depthwise_t          depthwise;
  logic                stream_active, lanes_active, lanes_busy;

  assign broken = stream_fault || lanes_fault;
  assign cmd_ready_o = setup_ready && !halted_q && !broken;  // A refused command keeps the set-up from being ready.

  tpu_mxu_setup #(
    .Dim(Dim), .WeightRows(WeightRows), .AccRows(AccRows), .BlockFloat(BlockFloat), .Depthwise(Depthwise)
  ) u_setup (
    .clk_i, .rst_ni,
    .cmd_valid_i(cmd_valid_i && cmd_ready_o), .cmd_ready_o(setup_ready), .cmd_instr_i,
    .feed_valid_o(feed_valid), .feed_ready_i(feed_ready), .feed_block_float_o(feed_block), .feed_row_o(feed_row),
    .feed_tiles_o(feed_tiles), .feed_skip_o(feed_skip),
    .taps_valid_o(taps_valid), .taps_ready_i(taps_ready), .taps_o(taps),
    .conv_valid_o(conv_valid), .conv_ready_i(conv_ready && !lanes_active), .conv_o(conv),
    .depthwise_valid_o(depthwise_valid), .depthwise_ready_i(depthwise_ready), .depthwise_o(depthwise),
    .depthwise_waits_o(lanes_waiting),
    .refused_o(refused), .fault_code_o(refused_code), .fault_addr_o(refused_addr)
  );

  // -------------------------------------------------------------------------------------------------------------
  // CONV: weights, positions, operands, sums.
  logic                   loaded, swap, skips, skipped, feed_rd_valid, wt_valid, exponents_valid;
  logic [WeightAddr-1:0]  feed_rd_row;
  logic [$clog2(Dim)-1:0] wt_row;
  logic [Width-1:0]       wt_data;

  tpu_mxu_feeder #(.Dim(Dim), .WeightRows(WeightRows), .BlockFloat(BlockFloat)) u_feeder (
    .clk_i, .rst_ni,
    .start_valid_i(feed_valid), .start_ready_o(feed_ready),
    .start_block_i(feed_block), .start_row_i(feed_row), .start_tiles_i(feed_tiles),
    .start_skip_i(feed_skip), .loaded_o(loaded), .swap_i(swap), .skips_o(skips), .skipped_i(skipped),
    .rd_valid_o(feed_rd_valid), .rd_row_o(feed_rd_row), .rd_data_i(wt_rd_data_i),
    .wt_valid_o(wt_valid), .wt_row_o(wt_row), .wt_data_o(wt_data), .exponents_valid_o(exponents_valid)
  );

  logic        issue, pad, part, tile_first, tile_last, block_float, wait_weights, act_rd_valid;
  logic [15:0] act_rd_row;
  tile_t       tile;
  logic [7:0]  pad_value;

  tpu_mxu_stream #(
    .Dim(Dim), .ScratchRows(ScratchRows), .BlockRows(BlockRows), .WeightRows(WeightRows), .AccRows(AccRows),
    .BlockCycles(BlockCycles), .BlockFloat(BlockFloat)
  ) u_stream (
    .clk_i, .rst_ni,
    .desc_valid_i(conv_valid && !lanes_active), .desc_ready_o(conv_ready), .desc_i(conv),
    .loaded_i(loaded), .swap_o(swap), .skips_i(skips), .skipped_o(skipped),
    .hold_i, .rd_valid_o(act_rd_valid), .rd_row_o(act_rd_row),
    .issue_o(issue), .pad_o(pad), .pad_value_o(pad_value), .part_o(part),
    .tile_first_o(tile_first), .tile_last_o(tile_last), .block_float_o(block_float), .tile_o(tile),
    .active_o(stream_active), .wait_weights_o(wait_weights),
    .fault_o(stream_fault), .fault_code_o(stream_code), .fault_row_o(stream_row)
  );

  logic             exponent_valid, act_valid, act_swap;
  logic [7:0]       exponent;
  logic [Width-1:0] act_data;

  tpu_mxu_operand #(.Dim(Dim), .BlockFloat(BlockFloat)) u_operand (
    .clk_i, .rst_ni,
    .issue_i(issue), .pad_i(pad), .pad_value_i(pad_value), .block_i(block_float), .part_i(part),
    .swap_i(swap), .rd_data_i, .rd_exponents_i,
    .exponent_valid_o(exponent_valid), .exponent_o(exponent),
    .act_valid_o(act_valid), .act_swap_o(act_swap), .act_data_o(act_data)
  );

  logic              sum_valid;
  logic [32*Dim-1:0] sum_data;

  tpu_array #(.Dim(Dim)) u_array (
    .clk_i, .rst_ni,
    .act_valid_i(act_valid), .act_swap_i(act_swap), .act_data_i(act_data),
    .wt_valid_i(wt_valid), .wt_row_i(wt_row), .wt_data_i(wt_data),
    .sum_valid_o(sum_valid), .sum_data_o(sum_data)
  );

  logic        sum_last, sum_accumulate, sums_busy;
  logic [15:0] sum_row;

  tpu_mxu_sums #(.Dim(Dim), .BlockFloat(BlockFloat)) u_sums (
    .clk_i, .rst_ni,
    .issue_i(issue), .tile_first_i(tile_first), .tile_last_i(tile_last), .tile_i(tile),
    .exponent_valid_i(exponent_valid), .exponent_i(exponent),
    .weights_valid_i(exponents_valid), .weights_i(wt_data),
    .sum_valid_i(sum_valid), .row_o(sum_row), .accumulate_o(sum_accumulate), .last_o(sum_last), .block_o(mac_block_o),
    .begin_o(mac_begin_o), .complete_o(mac_complete_o), .act_exponent_o(mac_act_exponent_o),
    .weight_exponents_o(mac_weight_exponents_o),
    .busy_o(sums_busy)
  );

  // -------------------------------------------------------------------------------------------------------------
  // DEPTHWISE. At the weight ring, the feeder of the array has priority.
  logic                  lanes_step, lanes_wait_weights, lanes_rd_valid, lanes_wt_valid;
  logic [15:0]           lanes_rd_row;
  logic [WeightAddr-1:0] lanes_wt_row;
  logic                  lanes_mac_valid, lanes_mac_accumulate, lanes_mac_last;
  logic [15:0]           lanes_mac_row;
  logic [32*Dim-1:0]     lanes_mac_data;

  // Cycles by which a depthwise sum, 4 cycles from now, would be too early. The last sum of the array comes 2*Dim+2
  // cycles after its position, and the same accumulator row must not be used again within less than four cycles.
  logic [7:0] sums_left_q;
  always_ff @(posedge clk_i) begin
    if (sums_left_q != '0) sums_left_q <= sums_left_q - 1'b1;
    if (issue) sums_left_q <= 8'(2 * Dim + 1 + (block_float ? BlockCycles : 0));
    if (!rst_ni) sums_left_q <= '0;
  end

  if (Depthwise != 0) begin : gen_depthwise
    // The clock is stopped while there is no DEPTHWISE, which saves simulation time in most programs.
    logic lanes_clk;
    tpu_clock_gate #(.Gated(ClockGating)) u_depthwise_clock (
      .clk_i, .rst_ni, .test_en_i, .en_i(lanes_waiting || lanes_active || lanes_busy), .wake_i(1'b0),
      .clk_o(lanes_clk)
    );

    tpu_depthwise #(.Dim(Dim), .ScratchRows(ScratchRows), .WeightRows(WeightRows), .AccRows(AccRows)) u_depthwise (
      .clk_i(lanes_clk), .rst_ni,
      .taps_valid_i(taps_valid), .taps_ready_o(taps_ready), .taps_i(taps),
      .desc_valid_i(depthwise_valid), .desc_ready_o(depthwise_ready), .desc_i(depthwise),
      .go_i(!stream_active), .sums_left_i(sums_left_q),
      .active_o(lanes_active), .busy_o(lanes_busy), .step_o(lanes_step), .wait_weights_o(lanes_wait_weights),
      .fault_o(lanes_fault),
      .hold_i, .rd_valid_o(lanes_rd_valid), .rd_row_o(lanes_rd_row), .rd_data_i,
      .wt_rd_valid_o(lanes_wt_valid), .wt_rd_ready_i(!feed_rd_valid), .wt_rd_row_o(lanes_wt_row), .wt_rd_data_i,
      .mac_valid_o(lanes_mac_valid), .mac_row_o(lanes_mac_row), .mac_accumulate_o(lanes_mac_accumulate),
      .mac_last_o(lanes_mac_last), .mac_data_o(lanes_mac_data)
    );
  end else begin : gen_no_depthwise
    // No DEPTHWISE comes here, so that the unit would always be at rest.
    logic unused_depthwise;
    assign unused_depthwise     = ^{taps_valid, taps, depthwise_valid, depthwise, lanes_waiting, sums_left_q,
                                     test_en_i};
    assign taps_ready           = 1'b0;
    assign depthwise_ready      = 1'b0;
    assign lanes_active         = 1'b0;
    assign lanes_busy           = 1'b0;
    assign lanes_step           = 1'b0;
    assign lanes_wait_weights   = 1'b0;
    assign lanes_fault          = 1'b0;
    assign lanes_rd_valid       = 1'b0;
    assign lanes_rd_row         = '0;
    assign lanes_wt_valid       = 1'b0;
    assign lanes_wt_row         = '0;
    assign lanes_mac_valid      = 1'b0;
    assign lanes_mac_row        = '0;
    assign lanes_mac_accumulate = 1'b0;
    assign lanes_mac_last       = 1'b0;
    assign lanes_mac_data       = '0;
  end

  assign wt_rd_valid_o = feed_rd_valid || lanes_wt_valid;
  assign wt_rd_row_o = feed_rd_valid ? feed_rd_row : lanes_wt_row;
  assign rd_valid_o = act_rd_valid || lanes_rd_valid;
  // The row is chosen before it is known whether it is read.
  assign rd_row_o = stream_active ? act_rd_row : lanes_rd_row;
  assign rd_blocks_o = BlockFloat != 0 && act_rd_valid && block_float;
  `TPU_ASSERT_WHEN(OnePasses, lanes_active, !stream_active)
  `TPU_ASSERT_WHEN(SumsMeetNot, lanes_mac_valid, !sum_valid)

  // -------------------------------------------------------------------------------------------------------------
  // Branches simulate faster than masks, because the sums are nearly always those of the array.
  logic mac_last;
  always_comb begin
    mac_valid_o = sum_valid || lanes_mac_valid;
    if (lanes_mac_valid) begin
      mac_row_o = lanes_mac_row;
      mac_accumulate_o = lanes_mac_accumulate;
      mac_last = lanes_mac_last;
      mac_data_o = lanes_mac_data;
    end else begin
      mac_row_o = sum_row;
      mac_accumulate_o = sum_accumulate;
      mac_last = sum_last;
      mac_data_o = sum_data;
    end
  end

  // A command commits when its last row is in memory: two cycles after its sum, in block floating point BlockCycles.
  logic                   retire_q, retired_q;
  logic [BlockCycles-3:0] block_retire_q;
  logic [3:0]             block_flight_q; // cycles until no such sum is on its way
  always_ff @(posedge clk_i) begin
    retired_q <= retire_q;
    retire_q <= mac_valid_o && mac_last && !mac_block_o;
    if (BlockFloat != 0 && (mac_block_o || block_flight_q != '0)) begin
      if (block_retire_q[BlockCycles-3]) retire_q <= 1'b1;
      block_retire_q <= {block_retire_q[BlockCycles-4:0], mac_block_o && mac_last};
      block_flight_q <= mac_block_o ? 4'(BlockCycles) : block_flight_q - 1'b1;
    end
    if (!rst_ni) begin
      retired_q <= 1'b0;
      retire_q <= 1'b0;
      block_retire_q <= '0;
      block_flight_q <= '0;
    end
  end
  // A fault is reported when all earlier sums have been written. A refused command is behind all others.
  logic                       flushed, fault;
  logic [7:0]                 fault_code;
  logic [31:0]                fault_addr;
  logic [tpu_pkg::CAUSES-1:0] cause;
  assign report_o = '{fault: '{valid: fault, code: fault_code, addr: fault_addr}, retire: retired_q, cause: cause};
  always_comb begin
    flushed = 1'b0;
    fault = 1'b0;
    if (!issue) begin  // As in most cycles: then there is neither a fault nor an end.
      flushed = !sums_busy && !retire_q && !retired_q && block_flight_q == '0 && !lanes_busy;
      if (broken || (refused && !stream_active && !lanes_active)) fault = flushed && !halted_q;
    end
  end
  always_comb begin
    fault_code = refused_code;
    fault_addr = refused_addr;
    if (stream_fault) begin
      fault_code = stream_code;
      fault_addr = 32'(stream_row);
    end else if (lanes_fault) begin
      fault_code = tpu_pkg::ERROR_SCRATCH_RANGE;
      fault_addr = 32'(lanes_rd_row);
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) halted_q <= 1'b0;
    else if (fault) halted_q <= 1'b1;
  end

  assign padded_vector_o = (issue && pad) || (lanes_step && !lanes_rd_valid);
  always_comb begin
    cause = '0;
    if (issue || lanes_step) cause[tpu_pkg::CAUSE_WORKING] = 1'b1;
    else if (wait_weights || lanes_wait_weights) cause[tpu_pkg::CAUSE_WEIGHT_LOAD] = 1'b1;
    else if (hold_i && (stream_active || lanes_active)) cause[tpu_pkg::CAUSE_BANK_CONFLICT] = 1'b1;
    // A command is set up, or the last sums are in the pipeline.
    else if (stream_active || !setup_ready || lanes_active || !flushed)
      cause[tpu_pkg::CAUSE_OPERAND_WAIT] = 1'b1;
    else cause[tpu_pkg::CAUSE_IDLE] = 1'b1;
  end
endmodule
