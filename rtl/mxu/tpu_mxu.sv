// SPDX-License-Identifier: Apache-2.0
// Matrix unit: runs CONV. A set-up stage multiplies strides out, the weight feeder keeps the shadow registers of the
// array one tile ahead, the streamer sends activations, and the sums meet their accumulator rows at the far end.
//
// Latency: about 6 cycles from a command to its first scratchpad read, then 2 to the array, 2*Dim through it, 2 to the
// accumulator. Throughput: one activation row per cycle, without a gap between weight tiles of at least Dim positions
// and between commands. A shorter tile takes Dim cycles.
// Back-pressure: none inside; scratchpad, weight ring and accumulators never refuse the matrix unit.
// Commands are taken up to two ahead and retire in order, when their last accumulator row is written.
//
// Parameters: Dim (4, 8, 16 or 32), ScratchRows, WeightRows (power of two), AccRows.
`include "tpu_assert.svh"
module tpu_mxu #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int WeightRows = 4096,
  parameter int AccRows = 1024,
  parameter int Width = 8 * Dim,
  parameter int WeightAddr = $clog2(WeightRows)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // Command stream, retirement, fault, cause (as every engine).
  input  logic                  cmd_valid_i,
  output logic                  cmd_ready_o,
  input  logic [511:0]          cmd_instr_i,
  output logic                  retire_o,
  output logic                  fault_valid_o,
  output logic [7:0]            fault_code_o,
  output logic [31:0]           fault_addr_o,
  output logic [tpu_pkg::CAUSES-1:0] cause_o,
  // Pulse in a WORKING cycle whose vector is made of pad_value.
  output logic                  padded_vector_o,
  // Scratchpad read: granted in the same cycle, data in the next.
  output logic                  rd_valid_o,
  output logic [15:0]           rd_row_o,
  input  logic [Width-1:0]      rd_data_i,
  // Weight ring read: granted in the same cycle, data in the next.
  output logic                  wt_rd_valid_o,
  output logic [WeightAddr-1:0] wt_rd_row_o,
  input  logic [Width-1:0]      wt_rd_data_i,
  // Accumulator: one row of sums.
  output logic                  mac_valid_o,
  output logic [15:0]           mac_row_o,
  output logic                  mac_accumulate_o,
  output logic [32*Dim-1:0]     mac_data_o
);
  localparam int DescWidth = 282;
  localparam int TokenDepth = 4 * Dim; // more than the positions between issue and sum

  // -------------------------------------------------------------------------------------------------------------
  // Set-up, then one descriptor waits for the streamer while the feeder already loads its weights.
  logic                 setup_ready, desc_valid, desc_ready, too_many, feeder_ready;
  logic [DescWidth-1:0] setup_desc, pend_desc_q;
  logic [15:0]          weight_row;
  logic [31:0]          tiles;
  logic                 pend_valid_q, pend_ready;
  logic                 halted_q, stream_fault;

  assign cmd_ready_o = setup_ready && !halted_q && !stream_fault;
  assign desc_ready = (!pend_valid_q || pend_ready) && (feeder_ready || too_many);

  tpu_mxu_setup #(.Dim(Dim), .WeightRows(WeightRows), .DescWidth(DescWidth)) u_setup (
    .clk_i, .rst_ni,
    .cmd_valid_i(cmd_valid_i && cmd_ready_o), .cmd_ready_o(setup_ready), .cmd_instr_i,
    .desc_valid_o(desc_valid), .desc_ready_i(desc_ready), .desc_o(setup_desc),
    .weight_row_o(weight_row), .tiles_o(tiles), .too_many_o(too_many)
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
  logic                   wt_valid;
  logic [$clog2(Dim)-1:0] wt_row;
  logic [Width-1:0]       wt_data;

  tpu_mxu_feeder #(.Dim(Dim), .WeightRows(WeightRows)) u_feeder (
    .clk_i, .rst_ni,
    .start_valid_i(desc_valid && desc_ready && !too_many), .start_ready_o(feeder_ready),
    .start_row_i(weight_row), .start_tiles_i(tiles),
    .loaded_o(loaded), .swap_i(swap),
    .rd_valid_o(wt_rd_valid_o), .rd_row_o(wt_rd_row_o), .rd_data_i(wt_rd_data_i),
    .wt_valid_o(wt_valid), .wt_row_o(wt_row), .wt_data_o(wt_data)
  );

  logic        issue, pad, accumulate, last, stream_active, wait_weights;
  logic [7:0]  pad_value;
  logic [15:0] acc_row;

  tpu_mxu_stream #(.ScratchRows(ScratchRows), .AccRows(AccRows), .DescWidth(DescWidth)) u_stream (
    .clk_i, .rst_ni,
    .desc_valid_i(pend_valid_q), .desc_ready_o(pend_ready), .desc_i(pend_desc_q),
    .loaded_i(loaded), .swap_o(swap),
    .rd_valid_o, .rd_row_o,
    .issue_o(issue), .pad_o(pad), .pad_value_o(pad_value),
    .acc_row_o(acc_row), .accumulate_o(accumulate), .last_o(last),
    .active_o(stream_active), .wait_weights_o(wait_weights),
    .fault_o(stream_fault), .fault_code_o, .fault_addr_o
  );

  // Scratchpad data come one cycle after the issue; a register in front of the array shortens the path.
  logic             issue_d1_q, pad_d1_q, swap_d1_q, act_valid_q, act_swap_q;
  logic [7:0]       pad_value_d1_q;
  logic [Width-1:0] act_data_q;

  always_ff @(posedge clk_i) begin
    issue_d1_q <= issue && rst_ni;
    act_valid_q <= issue_d1_q && rst_ni;
    if (issue) begin
      pad_d1_q <= pad;
      swap_d1_q <= swap;
      pad_value_d1_q <= pad_value;
    end
    if (issue_d1_q) begin
      act_swap_q <= swap_d1_q;
      act_data_q <= pad_d1_q ? {Dim{pad_value_d1_q}} : rd_data_i;
    end
  end

  tpu_array #(.Dim(Dim)) u_array (
    .clk_i, .rst_ni,
    .act_valid_i(act_valid_q), .act_swap_i(act_swap_q), .act_data_i(act_data_q),
    .wt_valid_i(wt_valid), .wt_row_i(wt_row), .wt_data_i(wt_data),
    .sum_valid_o(mac_valid_o), .sum_data_o(mac_data_o)
  );

  // -------------------------------------------------------------------------------------------------------------
  // Where each sum goes, in issue order.
  logic                        token_ready, token_valid, token_last;
  logic [$clog2(TokenDepth):0] token_level;

  tpu_fifo #(.Width(18), .Depth(TokenDepth)) u_tokens (
    .clk_i, .rst_ni,
    .wr_valid_i(issue), .wr_ready_o(token_ready), .wr_data_i({last, accumulate, acc_row}),
    .rd_valid_o(token_valid), .rd_ready_i(mac_valid_o), .rd_data_o({token_last, mac_accumulate_o, mac_row_o}),
    .level_o(token_level)
  );
  `TPU_ASSERT(TokenRoom, !issue || token_ready)
  `TPU_ASSERT(TokenPerSum, !mac_valid_o || token_valid)

  // A row is in memory two cycles after its sum; only then is the command committed.
  logic [1:0] retire_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) retire_q <= '0;
    else retire_q <= {retire_q[0], mac_valid_o && token_last};
  end
  assign retire_o = retire_q[1];

  // A fault is reported when everything before it has been committed.
  logic flushed;
  assign flushed = token_level == '0 && retire_q == '0;
  assign fault_valid_o = stream_fault && flushed && !halted_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) halted_q <= 1'b0;
    else if (fault_valid_o) halted_q <= 1'b1;
  end

  assign padded_vector_o = issue && pad;
  always_comb begin
    cause_o = '0;
    if (issue) cause_o[tpu_pkg::CAUSE_WORKING] = 1'b1;
    else if (wait_weights) cause_o[tpu_pkg::CAUSE_WEIGHT_LOAD] = 1'b1;
    // Set-up of a command, or the last sums on their way.
    else if (stream_active || pend_valid_q || !setup_ready || !flushed) cause_o[tpu_pkg::CAUSE_OPERAND_WAIT] = 1'b1;
    else cause_o[tpu_pkg::CAUSE_IDLE] = 1'b1;
  end
endmodule
