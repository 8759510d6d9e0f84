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
`include "tpu_instr.svh"
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

  // The instruction by its kinds, which have their common fields in the same places.
  drain_instr_t   of_drain;
  drain32_instr_t of_drain32;
  maxpool_instr_t of_pool;
  avgpool_instr_t of_average;
  table_instr_t   of_table;

  logic [7:0]              opcode;
  logic                    drain, drain32, residual, add, multiply, preload, maxpool, average, maps;
  tpu_vpu_pkg::operation_t front_q;
  logic                    unused_instr;

  // Waits and signals are used by the issue stage only; reserved bits by nobody.
  assign unused_instr = ^{instr_i, of_drain, of_drain32, of_pool, of_average, of_table};
  assign of_drain     = instr_i;
  assign of_drain32   = instr_i;
  assign of_pool      = instr_i;
  assign of_average   = instr_i;
  assign of_table     = instr_i;

  assign opcode   = of_drain.opcode;
  assign drain    = opcode == OP_DRAIN;
  assign drain32  = opcode == OP_DRAIN32;
  assign residual = drain && of_drain.residual;
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
        counts_padding: of_average.count_padding,
        table_load:     opcode == OP_TABLE,
        block:          drain,
        entries:        residual || add ? 2'd3 : multiply ? 2'd1 : 2'd0
      };
      geometry_o <= '{
        src:          of_pool.src,
        src_stride:   of_pool.src_stride,
        src2:         of_drain.src2,
        src2_stride:  of_drain.src2_stride,
        dst:          of_drain.dst,
        dst_stride:   of_drain.dst_stride,
        plane_stride: of_drain32.plane_stride,
        out_height:   of_drain.out_height,
        out_width:    of_drain.out_width,
        in_height:    of_pool.in_height,
        in_width:     of_pool.in_width,
        y0:           of_pool.y0,
        x0:           of_pool.x0,
        kernel_h:     of_pool.kernel_h,
        kernel_w:     of_pool.kernel_w,
        stride_h:     of_pool.stride_h,
        stride_w:     of_pool.stride_w,
        dilation_h:   of_pool.dilation_h,
        dilation_w:   of_pool.dilation_w
      };
      params_o      <= of_drain.params;
      scalars_o     <= of_drain.scalars;
      table_words_o <= of_table.words;
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
        looks_up:       (drain || maps) && of_drain.table_,
        counts_padding: of_average.count_padding,
        rounding:       of_drain.rounding[1:0],
        result:         '{zero: of_drain.zero_point, low: of_drain.clamp_min,
                          high: of_drain.clamp_max},
        middle:         '{zero: of_drain.zero1, low: of_drain.mid_min,
                          high: of_drain.mid_max},
        second_zero:    of_drain.zero2
      };
    end
    if (start_i) run_o <= front_q;
  end
endmodule
