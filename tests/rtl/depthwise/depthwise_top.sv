// SPDX-License-Identifier: Apache-2.0
// The depthwise unit with the set-up of the matrix unit in front.
module depthwise_top import tpu_mxu_pkg::*; #(
  parameter int Dim = 16,
  parameter int ScratchRows = 768,
  parameter int WeightRows = 256,
  parameter int AccRows = 512,
  parameter int Recoded = 0,
  parameter int OperandBits = 32
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic                          cmd_valid_i,
  output logic                          cmd_ready_o,
  input  logic [511:0]                  cmd_instr_i,
  input  logic                          go_i,
  input  logic [7:0]                    sums_left_i,
  output logic                          active_o,
  output logic                          busy_o,
  output logic                          step_o,
  output logic                          wait_weights_o,
  output logic                          fault_o,
  output logic [7:0]                    fault_code_o,
  output logic [31:0]                   fault_addr_o,
  input  logic                          hold_i,
  output logic                          rd_valid_o,
  output logic [15:0]                   rd_row_o,
  input  logic [8*Dim-1:0]              rd_data_i,
  output logic                          wt_rd_valid_o,
  input  logic                          wt_rd_ready_i,
  output logic [$clog2(WeightRows)-1:0] wt_rd_row_o,
  input  logic [8*Dim-1:0]              wt_rd_data_i,
  output logic                          mac_valid_o,
  output logic [15:0]                   mac_row_o,
  output logic                          mac_accumulate_o,
  output logic                          mac_last_o,
  output logic [32*Dim-1:0]             mac_data_o
);
  localparam int TileBits = tile_bits(Dim, WeightRows);

  logic                taps_valid, taps_ready, desc_valid, desc_ready, refused, fault;
  taps_t               taps;
  depthwise_t          desc;
  logic [7:0]          refused_code;
  logic [31:0]         refused_addr;
  logic                unused_feed_valid, unused_feed_block, unused_conv_valid, unused_waits;
  logic [15:0]         unused_feed_row;
  logic [TileBits-1:0] unused_feed_tiles;
  logic [skip_bits(Dim, WeightRows)-1:0] unused_feed_skip;
  conv_t               unused_conv;

  tpu_mxu_setup #(.Dim(Dim), .WeightRows(WeightRows), .AccRows(AccRows)) u_setup (
    .clk_i, .rst_ni, .cmd_valid_i, .cmd_ready_o, .cmd_instr_i,
    .feed_valid_o(unused_feed_valid), .feed_ready_i(1'b0), .feed_block_float_o(unused_feed_block),
    .feed_row_o(unused_feed_row), .feed_tiles_o(unused_feed_tiles), .feed_skip_o(unused_feed_skip),
    .taps_valid_o(taps_valid), .taps_ready_i(taps_ready), .taps_o(taps),
    .conv_valid_o(unused_conv_valid), .conv_ready_i(1'b0), .conv_o(unused_conv),
    .depthwise_valid_o(desc_valid), .depthwise_ready_i(desc_ready), .depthwise_o(desc),
    .depthwise_waits_o(unused_waits),
    .refused_o(refused), .fault_code_o(refused_code), .fault_addr_o(refused_addr)
  );
  tpu_depthwise #(
    .Dim(Dim), .ScratchRows(ScratchRows), .WeightRows(WeightRows), .AccRows(AccRows), .Recoded(Recoded),
    .OperandBits(OperandBits)
  ) u_depthwise (
    .clk_i, .rst_ni,
    .taps_valid_i(taps_valid), .taps_ready_o(taps_ready), .taps_i(taps),
    .desc_valid_i(desc_valid), .desc_ready_o(desc_ready), .desc_i(desc), .go_i, .sums_left_i,
    .active_o, .busy_o, .step_o, .wait_weights_o, .fault_o(fault),
    .hold_i, .rd_valid_o, .rd_row_o, .rd_data_i, .wt_rd_valid_o, .wt_rd_ready_i, .wt_rd_row_o, .wt_rd_data_i,
    .mac_valid_o, .mac_row_o, .mac_accumulate_o, .mac_last_o, .mac_data_o
  );
  assign fault_o = fault || (refused && !active_o);
  assign fault_code_o = fault ? tpu_pkg::ERROR_SCRATCH_RANGE : refused_code;
  assign fault_addr_o = fault ? 32'(rd_row_o) : refused_addr;
endmodule
