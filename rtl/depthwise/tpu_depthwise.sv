// SPDX-License-Identifier: Apache-2.0
// Depthwise unit: executes DEPTHWISE. It is part of the matrix unit and works beside the array. The input of a channel
// block is read once, row by row, through two line buffers into a window of 3x3 vectors. All taps of an output are
// multiplied and added at the same time.
//
// A 6x6 block with a 3x3 kernel and a padding of 1 takes 43 cycles: 36 positions of the input, and 7 positions of
// padding (a row and one more) until the last tap of the last output has passed.
//
// Latency: from a descriptor to its first position 1 cycle, from its weights 1 plus the number of taps; then 4 cycles
// from the position of an output's last tap to its sum.
// Throughput: one position per cycle, so one output vector per cycle at stride 1. There is no gap between blocks that
// take at least as long as loading the next taps, nor between commands that take at least as long as a set-up.
// Back-pressure: waits for go_i at the start of a command and for the weight ring at the start of a block. The
// scratchpad refuses no read, but no position is issued while hold_i is high. The accumulators refuse no sum.
//
// Protocol: weights, descriptors and weight reads are valid/ready streams; scratchpad reads and sums have no ready.
// go_i and hold_i may change in every cycle. The set-up of tpu_mxu_setup belongs to it: the weights of a command come
// first, and no command that has too many weights or sums.
//
// Parameters: Dim (4, 8, 16 or 32), ScratchRows, WeightRows (power of two), AccRows;
// Recoded, OperandBits (32: sums of whole words): see tpu_depthwise_lanes. No effect on results: tpu_forms.svh.
`include "tpu_assert.svh"
`include "tpu_forms.svh"
module tpu_depthwise import tpu_mxu_pkg::*; #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int WeightRows = 4096,
  parameter int AccRows = 1024,
  parameter int Recoded = `TPU_RECODED,
  parameter int OperandBits = `TPU_OPERAND_BITS,
  localparam int Width = 8 * Dim,
  localparam int WeightAddr = $clog2(WeightRows)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // Weights of a command, then the command.
  input  logic                  taps_valid_i,
  output logic                  taps_ready_o,
  input  taps_t                 taps_i,
  input  logic                  desc_valid_i,
  output logic                  desc_ready_o,
  input  depthwise_t            desc_i,
  // While go_i is high a command may begin, if its first sum comes no sooner than sums_left_i + 4 cycles later.
  input  logic                  go_i,
  input  logic [7:0]            sums_left_i,
  // State: a command is in progress (active), has sums in the pipeline (busy); a position is issued (step), or waits
  // for its weights.
  output logic                  active_o,
  output logic                  busy_o,
  output logic                  step_o,
  output logic                  wait_weights_o,
  // Fault: the scratchpad has no row rd_row_o. High until reset, no command begins meanwhile.
  output logic                  fault_o,
  // Scratchpad read: granted in the same cycle, data in the next; no read while hold_i is high.
  input  logic                  hold_i,
  output logic                  rd_valid_o,
  output logic [15:0]           rd_row_o,
  input  logic [Width-1:0]      rd_data_i,
  // Weight ring read: granted by ready, data in the next cycle.
  output logic                  wt_rd_valid_o,
  input  logic                  wt_rd_ready_i,
  output logic [WeightAddr-1:0] wt_rd_row_o,
  input  logic [Width-1:0]      wt_rd_data_i,
  // Accumulator: one row of sums; the last of a command is marked.
  output logic                  mac_valid_o,
  output logic [15:0]           mac_row_o,
  output logic                  mac_accumulate_o,
  output logic                  mac_last_o,
  output logic [Dim-1:0][31:0]  mac_data_o
);
  localparam int Columns = 256;

  `TPU_ASSERT_INIT(DimIsSupported, Dim == 4 || Dim == 8 || Dim == 16 || Dim == 32)
  // A line has at most the columns from the first to the last output of a row, and two more for the other taps.
  `TPU_ASSERT_INIT(LinesHoldEveryCommand, tpu_pkg::DEPTHWISE_COLUMNS + 2 <= Columns)

  logic desc_ready, go;
  always_comb begin
    go = 1'b0;
    if (desc_valid_i) go = go_i && 10'(sums_left_i) <= desc_i.extent.lead;
  end
  assign desc_ready_o = go && desc_ready;

  logic                     loaded, swap;
  logic [8:0][Dim-1:0][7:0] shadow;

  tpu_depthwise_weights #(.Dim(Dim), .WeightRows(WeightRows)) u_weights (
    .clk_i, .rst_ni,
    .start_valid_i(taps_valid_i), .start_ready_o(taps_ready_o), .start_i(taps_i),
    .loaded_o(loaded), .swap_i(swap),
    .rd_valid_o(wt_rd_valid_o), .rd_ready_i(wt_rd_ready_i), .rd_row_o(wt_rd_row_o), .rd_data_i(wt_rd_data_i),
    .shadow_o(shadow)
  );

  logic       emit;
  logic [7:0] column;
  output_t    out;

  tpu_depthwise_raster #(.ScratchRows(ScratchRows), .AccRows(AccRows)) u_raster (
    .clk_i, .rst_ni,
    .desc_valid_i(go), .desc_ready_o(desc_ready), .desc_i,
    .loaded_i(loaded), .swap_o(swap),
    .hold_i, .rd_valid_o, .rd_row_o,
    .step_o, .column_o(column), .emit_o(emit), .output_o(out),
    .active_o, .wait_weights_o, .fault_o
  );

  tpu_depthwise_lanes #(
    .Dim(Dim), .Columns(Columns), .Recoded(Recoded), .SumBits(OperandBits == 32 ? 32 : 20)
  ) u_lanes (
    .clk_i, .rst_ni,
    .step_i(step_o), .swap_i(swap), .column_i(column), .rd_data_i, .emit_i(emit), .output_i(out), .shadow_i(shadow),
    .mac_valid_o, .mac_row_o, .mac_accumulate_o, .mac_last_o, .mac_data_o, .busy_o
  );
endmodule
