// SPDX-License-Identifier: Apache-2.0
// Fields of the vector unit's commands, in two sets of registers. The first set is loaded with load_i and holds the
// command whose reads are being issued. The second set (run_*) holds the fields that the data path needs. It is loaded
// with start_i, just before the first read, because rows of the previous command are still in the data path while the
// parameters of this one are read.
//
// Latency: one cycle from load_i to the first set, one cycle from start_i to run_*. Throughput: one command per cycle.
// Back-pressure: none, tpu_vpu_control decides when to load.
//
// Protocol: load_i and start_i are pulses; instr_i is read with load_i.
//
// Parameters: none.
module tpu_vpu_command (
  input  logic         clk_i,
  input  logic         load_i,
  input  logic         start_i,
  input  logic [511:0] instr_i,
  // Kind of the command being issued.
  output logic         acc_o,       // reads accumulators: DRAIN, DRAIN32
  output logic         two_o,       // two reads per position: residual DRAIN, ADD, MULTIPLY
  output logic         drain32_o,
  output logic         preload_o,
  output logic         pool_o,
  output logic         average_o,
  output logic         table_load_o,
  output logic         table_words_o,
  output logic         vector_o,    // of instr_i: the command is a VECTOR
  output logic         block_o,     // needs the parameters of a channel block
  output logic [1:0]   entries_o,   // scalar entries needed at the start
  output logic         count_padding_o,
  // Geometry of the command being issued.
  output logic [15:0]  src_o,
  output logic [15:0]  src_stride_o,
  output logic [15:0]  src2_o,
  output logic [15:0]  src2_stride_o,
  output logic [15:0]  dst_o,
  output logic [15:0]  dst_stride_o,
  output logic [15:0]  plane_stride_o,
  output logic [15:0]  out_height_o,
  output logic [15:0]  out_width_o,
  output logic [15:0]  in_height_o,
  output logic [15:0]  in_width_o,
  output logic [15:0]  y0_o,
  output logic [15:0]  x0_o,
  output logic [15:0]  kernel_o,    // {rows, columns}
  output logic [15:0]  stride_o,
  output logic [15:0]  dilation_o,
  output logic [15:0]  params_o,
  output logic [15:0]  scalars_o,
  // Operation of the data path on the rows in flight.
  output logic         run_drain_o,
  output logic         run_drain32_o,
  output logic         run_residual_o,
  output logic         run_add_o,
  output logic         run_multiply_o,
  output logic         run_preload_o,
  output logic         run_maxpool_o,
  output logic         run_average_o,
  output logic         run_map_o,
  output logic         run_table_o,
  output logic         run_count_padding_o,
  output logic [1:0]   run_rounding_o,
  output logic [7:0]   run_zero_point_o,
  output logic [7:0]   run_clamp_min_o,
  output logic [7:0]   run_clamp_max_o,
  output logic [7:0]   run_zero1_o,
  output logic [7:0]   run_zero2_o,
  output logic [7:0]   run_mid_min_o,
  output logic [7:0]   run_mid_max_o
);
  localparam int KindBits = 11;
  localparam int RunBits = KindBits + 2 + 7*8;

  logic [7:0]         opcode;
  logic               drain, drain32, residual, add, product, preload, maxpool, average, map;
  logic [RunBits-1:0] front_q, run_q;
  logic               unused_instr;

  assign unused_instr = ^instr_i; // waits and signals are used by the issue stage only; reserved bits by nobody

  assign opcode   = instr_i[tpu_pkg::OPCODE_LSB +: tpu_pkg::OPCODE_W];
  assign drain    = opcode == tpu_pkg::OP_DRAIN;
  assign drain32  = opcode == tpu_pkg::OP_DRAIN32;
  assign residual = drain && instr_i[tpu_pkg::DRAIN_RESIDUAL_LSB];
  assign add      = opcode == tpu_pkg::OP_ADD;
  assign product  = opcode == tpu_pkg::OP_MULTIPLY;
  assign preload  = opcode == tpu_pkg::OP_PRELOAD;
  assign maxpool  = opcode == tpu_pkg::OP_MAXPOOL;
  assign average  = opcode == tpu_pkg::OP_AVGPOOL;
  assign map      = opcode == tpu_pkg::OP_MAP;
  assign vector_o = opcode == tpu_pkg::OP_VECTOR;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      acc_o           <= drain || drain32;
      two_o           <= residual || add || product;
      drain32_o       <= drain32;
      preload_o       <= preload;
      pool_o          <= maxpool || average;
      average_o       <= average;
      table_load_o    <= opcode == tpu_pkg::OP_TABLE;
      table_words_o   <= instr_i[tpu_pkg::TABLE_WORDS_LSB];
      block_o         <= drain;
      entries_o       <= residual || add ? 2'd3 : product ? 2'd1 : 2'd0;
      count_padding_o <= instr_i[tpu_pkg::AVGPOOL_COUNT_PADDING_LSB];
      src_o           <= instr_i[tpu_pkg::MAXPOOL_SRC_LSB +: 16];
      src_stride_o    <= instr_i[tpu_pkg::MAXPOOL_SRC_STRIDE_LSB +: 16];
      src2_o          <= instr_i[tpu_pkg::DRAIN_SRC2_LSB +: 16];
      src2_stride_o   <= instr_i[tpu_pkg::DRAIN_SRC2_STRIDE_LSB +: 16];
      dst_o           <= instr_i[tpu_pkg::DRAIN_DST_LSB +: 16];
      dst_stride_o    <= instr_i[tpu_pkg::DRAIN_DST_STRIDE_LSB +: 16];
      plane_stride_o  <= instr_i[tpu_pkg::DRAIN32_PLANE_STRIDE_LSB +: 16];
      out_height_o    <= instr_i[tpu_pkg::DRAIN_OUT_HEIGHT_LSB +: 16];
      out_width_o     <= instr_i[tpu_pkg::DRAIN_OUT_WIDTH_LSB +: 16];
      in_height_o     <= instr_i[tpu_pkg::MAXPOOL_IN_HEIGHT_LSB +: 16];
      in_width_o      <= instr_i[tpu_pkg::MAXPOOL_IN_WIDTH_LSB +: 16];
      y0_o            <= instr_i[tpu_pkg::MAXPOOL_Y0_LSB +: 16];
      x0_o            <= instr_i[tpu_pkg::MAXPOOL_X0_LSB +: 16];
      kernel_o        <= {instr_i[tpu_pkg::MAXPOOL_KERNEL_H_LSB +: 8], instr_i[tpu_pkg::MAXPOOL_KERNEL_W_LSB +: 8]};
      stride_o        <= {instr_i[tpu_pkg::MAXPOOL_STRIDE_H_LSB +: 8], instr_i[tpu_pkg::MAXPOOL_STRIDE_W_LSB +: 8]};
      dilation_o      <= {instr_i[tpu_pkg::MAXPOOL_DILATION_H_LSB +: 8], instr_i[tpu_pkg::MAXPOOL_DILATION_W_LSB +: 8]};
      params_o        <= instr_i[tpu_pkg::DRAIN_PARAMS_LSB +: 16];
      scalars_o       <= instr_i[tpu_pkg::DRAIN_SCALARS_LSB +: 16];
      front_q         <= {drain, drain32, residual, add, product, preload, maxpool, average, map,
                          (drain || map) && instr_i[tpu_pkg::DRAIN_TABLE_LSB],
                          instr_i[tpu_pkg::AVGPOOL_COUNT_PADDING_LSB],
                          instr_i[tpu_pkg::DRAIN_ROUNDING_LSB +: 2],
                          instr_i[tpu_pkg::DRAIN_ZERO_POINT_LSB +: 8],
                          instr_i[tpu_pkg::DRAIN_CLAMP_MIN_LSB +: 8], instr_i[tpu_pkg::DRAIN_CLAMP_MAX_LSB +: 8],
                          instr_i[tpu_pkg::DRAIN_ZERO1_LSB +: 8], instr_i[tpu_pkg::DRAIN_ZERO2_LSB +: 8],
                          instr_i[tpu_pkg::DRAIN_MID_MIN_LSB +: 8], instr_i[tpu_pkg::DRAIN_MID_MAX_LSB +: 8]};
    end
    if (start_i) run_q <= front_q;
  end

  assign {run_drain_o, run_drain32_o, run_residual_o, run_add_o, run_multiply_o, run_preload_o, run_maxpool_o,
          run_average_o, run_map_o, run_table_o, run_count_padding_o, run_rounding_o, run_zero_point_o,
          run_clamp_min_o, run_clamp_max_o, run_zero1_o, run_zero2_o, run_mid_min_o, run_mid_max_o} = run_q;
endmodule
