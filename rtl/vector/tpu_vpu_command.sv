// SPDX-License-Identifier: Apache-2.0
// The vector unit's commands, in two sets of registers. The first set is loaded with load_i and holds the command whose
// reads are being issued. The second set (run_o) is what the command turns on in the data path. It is loaded with
// start_i, just before the first read, because rows of the previous command are still in the data path while the
// parameters of this one are read.
//
// Latency: one cycle from load_i to the first set, one cycle from start_i to run_o. Throughput: one command per cycle.
// Back-pressure: none, tpu_vpu_control decides when to load.
//
// Protocol: load_i and start_i are pulses; instr_i is read with load_i.
//
// Parameters: none.
module tpu_vpu_command (
  input  logic                    clk_i,
  input  logic                    load_i,
  input  logic                    start_i,
  input  logic [511:0]            instr_i,
  // The command at the input is a VECTOR.
  output logic                    vector_o,
  // Command being issued. First rows of a table or of the parameters of a block, and of scalar entries; the table is
  // the one that kernels read.
  output tpu_vpu_pkg::kind_t      kind_o,
  output tpu_vpu_pkg::geometry_t  geometry_o,
  output logic [15:0]             params_o,
  output logic [15:0]             scalars_o,
  output logic                    table_words_o,
  // Command of the rows in flight.
  output tpu_vpu_pkg::operation_t run_o
);
  import tpu_pkg::*;

  logic [7:0]              opcode;
  logic                    drain, drain32, residual, add, multiply, preload, maxpool, average, maps;
  tpu_vpu_pkg::operation_t front_q;
  logic                    unused_instr;

  assign unused_instr = ^instr_i; // waits and signals are used by the issue stage only; reserved bits by nobody

  assign opcode   = instr_i[OPCODE_LSB +: OPCODE_W];
  assign drain    = opcode == OP_DRAIN;
  assign drain32  = opcode == OP_DRAIN32;
  assign residual = drain && instr_i[DRAIN_RESIDUAL_LSB];
  assign add      = opcode == OP_ADD;
  assign multiply = opcode == OP_MULTIPLY;
  assign preload  = opcode == OP_PRELOAD;
  assign maxpool  = opcode == OP_MAXPOOL;
  assign average  = opcode == OP_AVGPOOL;
  assign maps     = opcode == OP_MAP;
  assign vector_o = opcode == OP_VECTOR;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      kind_o <= '{
        acc:            drain || drain32,
        two:            residual || add || multiply,
        drain32:        drain32,
        preload:        preload,
        pool:           maxpool || average,
        average:        average,
        counts_padding: instr_i[AVGPOOL_COUNT_PADDING_LSB],
        table_load:     opcode == OP_TABLE,
        block:          drain,
        entries:        residual || add ? 2'd3 : multiply ? 2'd1 : 2'd0
      };
      geometry_o <= '{
        src:          instr_i[MAXPOOL_SRC_LSB +: 16],
        src_stride:   instr_i[MAXPOOL_SRC_STRIDE_LSB +: 16],
        src2:         instr_i[DRAIN_SRC2_LSB +: 16],
        src2_stride:  instr_i[DRAIN_SRC2_STRIDE_LSB +: 16],
        dst:          instr_i[DRAIN_DST_LSB +: 16],
        dst_stride:   instr_i[DRAIN_DST_STRIDE_LSB +: 16],
        plane_stride: instr_i[DRAIN32_PLANE_STRIDE_LSB +: 16],
        out_height:   instr_i[DRAIN_OUT_HEIGHT_LSB +: 16],
        out_width:    instr_i[DRAIN_OUT_WIDTH_LSB +: 16],
        in_height:    instr_i[MAXPOOL_IN_HEIGHT_LSB +: 16],
        in_width:     instr_i[MAXPOOL_IN_WIDTH_LSB +: 16],
        y0:           instr_i[MAXPOOL_Y0_LSB +: 16],
        x0:           instr_i[MAXPOOL_X0_LSB +: 16],
        kernel_h:     instr_i[MAXPOOL_KERNEL_H_LSB +: 8],
        kernel_w:     instr_i[MAXPOOL_KERNEL_W_LSB +: 8],
        stride_h:     instr_i[MAXPOOL_STRIDE_H_LSB +: 8],
        stride_w:     instr_i[MAXPOOL_STRIDE_W_LSB +: 8],
        dilation_h:   instr_i[MAXPOOL_DILATION_H_LSB +: 8],
        dilation_w:   instr_i[MAXPOOL_DILATION_W_LSB +: 8]
      };
      params_o      <= instr_i[DRAIN_PARAMS_LSB +: 16];
      scalars_o     <= instr_i[DRAIN_SCALARS_LSB +: 16];
      table_words_o <= instr_i[TABLE_WORDS_LSB];
      front_q       <= '{
        drain:          drain,
        drain32:        drain32,
        residual:       residual,
        add:            add,
        multiply:       multiply,
        preload:        preload,
        maxpool:        maxpool,
        average:        average,
        maps:           maps,
        looks_up:       (drain || maps) && instr_i[DRAIN_TABLE_LSB],
        counts_padding: instr_i[AVGPOOL_COUNT_PADDING_LSB],
        rounding:       instr_i[DRAIN_ROUNDING_LSB +: 2],
        result:         '{zero: instr_i[DRAIN_ZERO_POINT_LSB +: 8], low: instr_i[DRAIN_CLAMP_MIN_LSB +: 8],
                          high: instr_i[DRAIN_CLAMP_MAX_LSB +: 8]},
        middle:         '{zero: instr_i[DRAIN_ZERO1_LSB +: 8], low: instr_i[DRAIN_MID_MIN_LSB +: 8],
                          high: instr_i[DRAIN_MID_MAX_LSB +: 8]},
        second_zero:    instr_i[DRAIN_ZERO2_LSB +: 8]
      };
    end
    if (start_i) run_o <= front_q;
  end
endmodule
