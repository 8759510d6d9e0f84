// SPDX-License-Identifier: Apache-2.0
// Vector unit: executes DRAIN, DRAIN32, PRELOAD, MAXPOOL, AVGPOOL, ADD, MULTIPLY, TABLE and MAP (isa/spec/isa.toml)
// itself; VECTOR runs on the vector processor (tpu_processor), which shares its ports, multiplier and tables.
//
// Data path: read ports -> gather -> slots -> requantize -> finish -> output queue -> scratchpad write port. It never
// stalls; a read is issued only when the output queue has room for its result.
//
// Latency, from the last read of a row to its write: 10 cycles (DRAIN), 5 (no requantization), 17 (ADD), 23 (residual
// DRAIN).
// Throughput, rows per cycle: DRAIN, MAP 1; MULTIPLY 1/2; ADD, residual DRAIN 1/4; DRAIN32, PRELOAD 1/4 of an
// accumulator row. Pooling: one tap per cycle. TABLE: 64 cycles, 256 for a table of words. Between the last read of a
// command and the first read of the next there are at least 12 cycles if the next is a DRAIN, and always more than the
// latency of the earlier one.
// Back-pressure: the three memory ports may stall at any time. Requests are held until granted.
//
// Within a command, reads run ahead of writes: a row may be written where it was read (in place), but not where the
// same command reads later. A command sees all writes of earlier commands.
//
// Protocol: commands are a valid/ready stream. They retire in order, with one pulse each, when their last row is
// written; a VECTOR when its kernel has ended and all its results are written. fault_valid_o pulses after all earlier
// rows are written; no command is accepted afterwards until reset. Read data are valid in the cycle after the grant
// (scratchpad, accumulators) or the request (parameters, kernel memory). While clear_i is high, word or row clear_row_i
// of the tables and of the vector registers is set to zero, in the cycle after. No command may run then.
//
// Parameters: Dim (lanes, power of two, 4 to 64), ScratchRows, AccRows, ParamRows (rows of the memories, at most
// 65536), BlockRows (scratchpad rows that have exponents).
`include "tpu_assert.svh"
module tpu_vpu #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int BlockRows = ScratchRows,
  parameter int AccRows = 1024,
  parameter int ParamRows = 256,
  localparam int Parts = Dim > 16 ? Dim / 16 : 1,
  localparam int Planes = 4, // of a word
  localparam int WordAddr = $clog2(tpu_kernel_pkg::MEMORY_WORDS)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // Commands.
  input  logic                       cmd_valid_i,
  output logic                       cmd_ready_o,
  input  logic [511:0]               cmd_instr_i,
  output logic                       retire_o,
  output logic                       fault_valid_o,
  output logic [7:0]                 fault_code_o,
  output logic [31:0]                fault_addr_o,
  output logic [tpu_pkg::CAUSES-1:0] cause_o,
  output logic                       nonfinite_o,    // changes when a block that is not a number is written
  // Scratchpad. A request has a valid, a row and its data for each plane; wired commands use the first.
  output logic [Planes-1:0]          rd_valid_o,
  input  logic                       rd_ready_i,
  output logic                       rd_blocks_o,    // with exponents
  output logic [16*Planes-1:0]       rd_rows_o,
  input  logic [32*Dim-1:0]          rd_data_i,
  input  logic [8*Parts-1:0]         rd_exponents_i,
  output logic [Planes-1:0]          wr_valid_o,
  input  logic                       wr_ready_i,
  output logic [16*Planes-1:0]       wr_rows_o,
  output logic [32*Dim-1:0]          wr_data_o,
  output logic                       wr_blocks_o,    // with exponents
  output logic [8*Parts-1:0]         wr_exponents_o,
  // Accumulators.
  output logic                       vec_rd_valid_o,
  input  logic                       vec_rd_ready_i,
  output logic [15:0]                vec_rd_row_o,
  input  logic [32*Dim-1:0]          vec_rd_data_i,
  output logic                       vec_wr_valid_o,
  input  logic                       vec_wr_ready_i,
  output logic [15:0]                vec_wr_row_o,
  output logic [32*Dim-1:0]          vec_wr_data_o,
  // Parameters.
  output logic                       prm_rd_valid_o,
  output logic [15:0]                prm_rd_row_o,
  input  logic [8*Dim-1:0]           prm_rd_data_i,
  // Kernel memory.
  output logic                       word_valid_o,
  output logic [WordAddr-1:0]        word_number_o,
  input  logic [63:0]                word_i,
  // Clearing.
  input  logic                       clear_i,
  input  logic [15:0]                clear_row_i
);
  // Covers the latency of a DRAIN at one row per cycle.
  localparam int OutDepth = 16;

  // Command.
  logic        accept, start, running;
  logic        acc, two, drain32, preload, pool, average, table_load, table_words, vector, block, count_padding;
  logic [1:0]  entries;
  logic [15:0] src, src_stride, src2, src2_stride, dst, dst_stride, plane_stride;
  logic [15:0] out_height, out_width, in_height, in_width, y0, x0, kernel, stride, dilation, params, scalars;
  logic        run_drain, run_drain32, run_residual, run_add, run_multiply, run_preload, run_maxpool, run_average;
  logic        run_map, run_table, run_count_padding;
  logic [1:0]  run_rounding;
  logic [7:0]  run_zero_point, run_clamp_min, run_clamp_max, run_zero1, run_zero2, run_mid_min, run_mid_max;

  tpu_vpu_command u_command (
    .clk_i, .load_i(accept), .start_i(start), .instr_i(cmd_instr_i),
    .acc_o(acc), .two_o(two), .drain32_o(drain32), .preload_o(preload), .pool_o(pool), .average_o(average),
    .table_load_o(table_load), .table_words_o(table_words), .vector_o(vector), .block_o(block),
    .entries_o(entries), .count_padding_o(count_padding),
    .src_o(src), .src_stride_o(src_stride), .src2_o(src2), .src2_stride_o(src2_stride), .dst_o(dst),
    .dst_stride_o(dst_stride), .plane_stride_o(plane_stride), .out_height_o(out_height), .out_width_o(out_width),
    .in_height_o(in_height), .in_width_o(in_width), .y0_o(y0), .x0_o(x0), .kernel_o(kernel), .stride_o(stride),
    .dilation_o(dilation), .params_o(params), .scalars_o(scalars),
    .run_drain_o(run_drain), .run_drain32_o(run_drain32), .run_residual_o(run_residual), .run_add_o(run_add),
    .run_multiply_o(run_multiply), .run_preload_o(run_preload), .run_maxpool_o(run_maxpool),
    .run_average_o(run_average), .run_map_o(run_map), .run_table_o(run_table),
    .run_count_padding_o(run_count_padding), .run_rounding_o(run_rounding), .run_zero_point_o(run_zero_point),
    .run_clamp_min_o(run_clamp_min), .run_clamp_max_o(run_clamp_max), .run_zero1_o(run_zero1),
    .run_zero2_o(run_zero2), .run_mid_min_o(run_mid_min), .run_mid_max_o(run_mid_max)
  );

  // Parameters.
  logic              prm_start, prm_block, prm_table, prm_busy, prm_done, prm_fault;
  logic [1:0]        prm_entries;
  logic [15:0]       prm_scalar_row;
  logic [31:0]       prm_fault_row;
  logic [32*Dim-1:0] bias, lane_multiplier;
  logic [6*Dim-1:0]  lane_shift;
  logic [95:0]       scalar_multiplier;
  logic [17:0]       scalar_shift;
  logic              table_valid;
  logic [8:0]        table_word;
  logic [31:0]       table_data;

  tpu_vpu_params #(.Dim(Dim), .ParamRows(ParamRows)) u_params (
    .clk_i, .rst_ni, .start_i(prm_start), .block_i(prm_block), .entries_i(prm_entries), .table_i(prm_table),
    .words_i(table_words),
    .block_row_i(params), .scalar_row_i(prm_scalar_row), .busy_o(prm_busy), .done_o(prm_done), .fault_o(prm_fault),
    .fault_row_o(prm_fault_row), .prm_rd_valid_o, .prm_rd_row_o, .prm_rd_data_i,
    .bias_o(bias), .multiplier_o(lane_multiplier), .shift_o(lane_shift), .scalar_multiplier_o(scalar_multiplier),
    .scalar_shift_o(scalar_shift), .table_valid_o(table_valid), .table_word_o(table_word), .table_data_o(table_data)
  );

  // Clearing comes from a register of this unit's clock, so that no other cycle costs a simulation anything.
  logic        clear_q;
  logic [15:0] clear_row_q;
  always_ff @(posedge clk_i) begin
    clear_q <= clear_i;
    if (clear_i) clear_row_q <= clear_row_i;
  end

  // Vector processor. It uses the ports only while no other command does, so they need no arbitration.
  logic                 wired_rd_valid, wired_acc_rd_valid, wired_wr_valid, wired_acc_wr_valid;
  logic [15:0]          wired_rd_row, wired_acc_rd_row, wired_wr_row;
  logic [8*Dim-1:0]     wired_wr_data;
  logic [32*Dim-1:0]    value, kernel_wr_data, kernel_acc_wr_data;
  logic                 kernel_start, kernel_ready, kernel_go, kernel_done, kernel_fault;
  logic                 kernel_slot, kernel_store_wait, kernel_room_wait;
  logic                 kernel_acc_rd_valid, kernel_acc_wr_valid;
  logic [Planes-1:0]    kernel_rd_valid, kernel_wr_valid;
  logic [7:0]           kernel_fault_code;
  logic [31:0]          kernel_fault_addr;
  logic                 mul_valid, word_lookup;
  logic [32*Dim-1:0]    mul_a, mul_b, product, upper_product, word;
  logic [8*Dim-1:0]     word_index;
  logic [16*Planes-1:0] kernel_rd_rows, kernel_wr_rows;

  tpu_processor #(
    .Dim(Dim), .ScratchRows(ScratchRows), .BlockRows(BlockRows), .AccRows(AccRows)
  ) u_processor (
    .clk_i, .rst_ni, .start_valid_i(kernel_start), .start_ready_o(kernel_ready),
    .start_entry_i(cmd_instr_i[tpu_pkg::VECTOR_ENTRY_LSB +: 16]),
    .start_args_i(cmd_instr_i[tpu_pkg::VECTOR_ARG0_LSB +: 32*tpu_kernel_pkg::ARGUMENTS]), .done_o(kernel_done),
    .nonfinite_o, .fault_valid_o(kernel_fault), .fault_code_o(kernel_fault_code), .fault_addr_o(kernel_fault_addr),
    .go_i(kernel_go), .word_valid_o, .word_number_o, .word_i, .rd_valid_o(kernel_rd_valid), .rd_ready_i,
    .rd_blocks_o, .rd_rows_o(kernel_rd_rows), .rd_data_i, .rd_exponents_i, .wr_valid_o(kernel_wr_valid),
    .wr_ready_i, .wr_rows_o(kernel_wr_rows), .wr_data_o(kernel_wr_data), .wr_blocks_o, .wr_exponents_o,
    .acc_rd_valid_o(kernel_acc_rd_valid), .acc_rd_ready_i(vec_rd_ready_i),
    .acc_rd_data_i(vec_rd_data_i), .acc_wr_valid_o(kernel_acc_wr_valid), .acc_wr_ready_i(vec_wr_ready_i),
    .acc_wr_data_o(kernel_acc_wr_data), .mul_valid_o(mul_valid), .mul_a_o(mul_a), .mul_b_o(mul_b),
    .product_i(product), .upper_product_i(upper_product), .lookup_o(word_lookup), .index_o(word_index),
    .looked_i(word), .slot_o(kernel_slot), .store_wait_o(kernel_store_wait),
    .room_wait_o(kernel_room_wait), .clear_i(clear_q), .clear_row_i(clear_row_q)
  );

  assign rd_valid_o     = Planes'(wired_rd_valid) | kernel_rd_valid;
  assign vec_rd_valid_o = wired_acc_rd_valid || kernel_acc_rd_valid;
  assign wr_valid_o     = Planes'(wired_wr_valid) | kernel_wr_valid;
  assign vec_wr_valid_o = wired_acc_wr_valid || kernel_acc_wr_valid;

  always_comb begin
    rd_rows_o     = (16*Planes)'(wired_rd_row);
    vec_rd_row_o  = wired_acc_rd_row;
    wr_rows_o     = (16*Planes)'(wired_wr_row);
    vec_wr_row_o  = wired_wr_row;
    wr_data_o     = (32*Dim)'(wired_wr_data);
    vec_wr_data_o = value;
    if (kernel_go) begin
      rd_rows_o     = kernel_rd_rows;
      vec_rd_row_o  = kernel_rd_rows[15:0];
      wr_rows_o     = kernel_wr_rows;
      vec_wr_row_o  = kernel_wr_rows[15:0];
      wr_data_o     = kernel_wr_data;
      vec_wr_data_o = kernel_acc_wr_data;
    end
  end

  // Sequencer and addresses.
  logic        setup, src_step, src2_step, dst_step, acc_step;
  logic        src_inside, src_first, src_last, dst_last_plane, dst_done;
  logic [1:0]  setup_step, issue_plane;
  logic [15:0] src_row, src2_row, dst_row, out_row;
  logic [16:0] acc_row;
  logic        room, issue, issue_first, issue_last, issue_inside, issue_side, out_last, commit, commit_last;
  logic        arriving, full, take;         // operands between gather and slots

  tpu_vpu_control #(.ScratchRows(ScratchRows), .AccRows(AccRows), .OutDepth(OutDepth)) u_control (
    .clk_i, .rst_ni, .cmd_valid_i, .cmd_ready_o, .accept_o(accept),
    .vector_i(vector), .acc_i(acc), .two_i(two), .drain32_i(drain32), .preload_i(preload), .pool_i(pool),
    .average_i(average), .table_load_i(table_load), .block_i(block), .entries_i(entries),
    .count_padding_i(count_padding),
    .scalars_i(scalars), .prm_start_o(prm_start), .prm_block_o(prm_block), .prm_entries_o(prm_entries),
    .prm_table_o(prm_table), .prm_scalar_row_o(prm_scalar_row), .prm_busy_i(prm_busy), .prm_done_i(prm_done),
    .prm_fault_i(prm_fault), .prm_fault_row_i(prm_fault_row),
    .setup_o(setup), .setup_step_o(setup_step), .start_o(start), .src_step_o(src_step), .src2_step_o(src2_step),
    .dst_step_o(dst_step), .acc_step_o(acc_step), .src_i(src_row), .src_inside_i(src_inside),
    .src_first_i(src_first), .src_last_i(src_last), .src2_i(src2_row), .dst_i(dst_row),
    .dst_last_plane_i(dst_last_plane), .dst_done_i(dst_done), .acc_row_i(acc_row),
    .rd_valid_o(wired_rd_valid), .rd_ready_i, .rd_row_o(wired_rd_row), .acc_rd_valid_o(wired_acc_rd_valid),
    .acc_rd_ready_i(vec_rd_ready_i), .acc_rd_row_o(wired_acc_rd_row),
    .room_i(room), .waiting_i(arriving || (full && !take)), .running_o(running),
    .issue_o(issue), .issue_first_o(issue_first), .issue_last_o(issue_last),
    .issue_inside_o(issue_inside), .issue_plane_o(issue_plane), .issue_side_o(issue_side),
    .out_row_o(out_row), .out_last_o(out_last), .commit_i(commit), .commit_last_i(commit_last),
    .wr_stalled_i(wr_valid_o != '0 && !wr_ready_i), .acc_wr_stalled_i(vec_wr_valid_o && !vec_wr_ready_i),
    .kernel_start_o(kernel_start), .kernel_go_o(kernel_go),
    .kernel_done_i(kernel_done),
    .kernel_fault_valid_i(kernel_fault), .kernel_fault_code_i(kernel_fault_code),
    .kernel_fault_addr_i(kernel_fault_addr), .kernel_slot_i(kernel_slot), .kernel_store_wait_i(kernel_store_wait),
    .kernel_room_wait_i(kernel_room_wait),
    .kernel_rd_stalled_i(kernel_rd_valid != '0 && !rd_ready_i),
    .kernel_acc_rd_stalled_i(kernel_acc_rd_valid && !vec_rd_ready_i),
    .retire_o, .fault_valid_o, .fault_code_o, .fault_addr_o, .cause_o
  );

  tpu_vpu_addresses u_addresses (
    .clk_i, .rst_ni, .pool_i(pool), .preload_i(preload), .drain32_i(drain32), .src_i(src), .src_stride_i(src_stride),
    .src2_i(src2), .src2_stride_i(src2_stride), .dst_i(dst), .dst_stride_i(dst_stride),
    .plane_stride_i(plane_stride), .out_height_i(out_height), .out_width_i(out_width), .in_height_i(in_height),
    .in_width_i(in_width), .y0_i(y0), .x0_i(x0), .kernel_i(kernel), .stride_i(stride), .dilation_i(dilation),
    .setup_i(setup), .setup_step_i(setup_step), .start_i(start), .src_step_i(src_step), .src2_step_i(src2_step),
    .dst_step_i(dst_step), .acc_step_i(acc_step), .src_o(src_row), .src_inside_o(src_inside),
    .src_first_o(src_first), .src_last_o(src_last), .src2_o(src2_row), .dst_o(dst_row),
    .dst_last_plane_o(dst_last_plane), .dst_done_o(dst_done), .acc_o(acc_row)
  );

  // Data path.
  logic              side_take, middle_valid, row_valid, bypass;
  logic [32*Dim-1:0] operand, sum, requantized;
  logic [8*Dim-1:0]  side, row, index;
  logic              value_valid, requantized_valid, per_lane, lookup, scale_valid, scale_per_lane;
  logic [1:0]        value_tag, requantized_tag;
  logic [31:0]       multiplier, scale_multiplier;
  logic [32*Dim-1:0] scale_acc;
  logic [5:0]        shift;

  tpu_vpu_gather #(.Dim(Dim)) u_gather (
    .clk_i, .rst_ni, .issue_i(issue), .issue_first_i(issue_first), .issue_last_i(issue_last),
    .issue_inside_i(issue_inside), .issue_plane_i(issue_plane), .issue_side_i(issue_side),
    .rd_data_i(rd_data_i[8*Dim-1:0]), .acc_data_i(vec_rd_data_i), .bias_i(bias), .run_drain_i(run_drain),
    .run_drain32_i(run_drain32), .run_maxpool_i(run_maxpool), .run_average_i(run_average),
    .run_count_padding_i(run_count_padding), .run_clamp_min_i(run_clamp_min), .run_zero1_i(run_zero1),
    .arriving_o(arriving), .full_o(full), .take_i(take), .operand_o(operand), .side_take_i(side_take), .side_o(side)
  );

  tpu_vpu_slots #(.Dim(Dim)) u_slots (
    .clk_i, .rst_ni, .run_drain_i(run_drain), .run_residual_i(run_residual), .run_add_i(run_add),
    .run_multiply_i(run_multiply), .run_preload_i(run_preload), .run_average_i(run_average), .run_zero1_i(run_zero1),
    .run_zero2_i(run_zero2), .running_i(running), .scalar_multiplier_i(scalar_multiplier),
    .scalar_shift_i(scalar_shift), .arriving_i(arriving), .full_i(full), .operand_i(operand), .take_o(take),
    .room_o(room), .side_i(side), .side_take_o(side_take), .middle_valid_i(middle_valid), .middle_i(row),
    .sum_i(sum), .value_valid_o(value_valid), .value_tag_o(value_tag), .value_o(value), .per_lane_o(per_lane),
    .multiplier_o(multiplier), .shift_o(shift), .bypass_o(bypass), .acc_wr_valid_o(wired_acc_wr_valid),
    .acc_wr_ready_i(vec_wr_ready_i)
  );

  tpu_requantize #(.Dim(Dim), .TagWidth(2)) u_requantize (
    .clk_i, .rst_ni, .valid_i(value_valid), .tag_i(value_tag), .acc_i(value), .rounding_i(run_rounding),
    .per_lane_i(per_lane), .lane_shift_i(lane_shift), .multiplier_i(multiplier), .shift_i(shift),
    .mul_valid_o(scale_valid), .mul_acc_o(scale_acc), .mul_per_lane_o(scale_per_lane),
    .mul_multiplier_o(scale_multiplier), .product_i(product), .upper_product_i(upper_product),
    .valid_o(requantized_valid), .tag_o(requantized_tag), .value_o(requantized)
  );

  tpu_multiplier #(.Dim(Dim)) u_multiplier (
    .clk_i, .rst_ni, .scale_valid_i(scale_valid), .scale_acc_i(scale_acc), .scale_per_lane_i(scale_per_lane),
    .scale_lane_multiplier_i(lane_multiplier), .scale_multiplier_i(scale_multiplier), .valid_i(mul_valid),
    .a_i(mul_a), .b_i(mul_b), .product_o(product), .upper_product_o(upper_product)
  );

  tpu_vpu_finish #(.Dim(Dim)) u_finish (
    .clk_i, .rst_ni, .run_residual_i(run_residual), .run_table_i(run_table), .run_clamp_last_i(run_map || run_maxpool),
    .run_zero_point_i(run_zero_point), .run_clamp_min_i(run_clamp_min), .run_clamp_max_i(run_clamp_max),
    .run_zero1_i(run_zero1), .run_mid_min_i(run_mid_min), .run_mid_max_i(run_mid_max),
    .value_valid_i(requantized_valid), .value_tag_i(requantized_tag), .value_i(requantized), .bypass_i(bypass),
    .bypass_row_i(operand[24*Dim +: 8*Dim]), .lookup_o(lookup), .index_o(index), .word_i(word), .sum_o(sum),
    .middle_valid_o(middle_valid), .row_valid_o(row_valid), .row_o(row)
  );

  tpu_vpu_table #(.Dim(Dim)) u_table (
    .clk_i, .rst_ni, .byte_lookup_i(lookup), .byte_index_i(index), .word_lookup_i(word_lookup),
    .word_index_i(word_index), .word_o(word), .wr_valid_i(table_valid), .wr_word_i(table_word),
    .wr_data_i(table_data), .clear_i(clear_q), .clear_row_i(clear_row_q)
  );

  // Output.
  tpu_vpu_output #(.Dim(Dim), .Depth(OutDepth)) u_output (
    .clk_i, .rst_ni, .place_valid_i(issue && issue_last), .place_row_i(out_row), .place_last_i(out_last),
    .row_valid_i(row_valid), .row_i(row), .wr_valid_o(wired_wr_valid), .wr_ready_i, .wr_data_o(wired_wr_data),
    .row_place_o(wired_wr_row),
    .row_last_o(commit_last), .commit_i(commit)
  );

  always_comb begin
    commit = wired_wr_valid && wr_ready_i;
    if (wired_acc_wr_valid) commit = commit || vec_wr_ready_i;
  end

  `TPU_ASSERT_WHEN(KernelCanStart, kernel_start, kernel_ready)
  `TPU_ASSERT_WHEN(KernelMayUsePorts,
                   kernel_rd_valid != '0 || kernel_acc_rd_valid || kernel_wr_valid != '0 || kernel_acc_wr_valid,
                   kernel_go)
  `TPU_ASSERT_WHEN(KernelIsAlone, kernel_go,
                   !wired_rd_valid && !wired_acc_rd_valid && !wired_wr_valid && !wired_acc_wr_valid,
                   ("scratchpad read %b and write %b, accumulators read %b and write %b\n",
                    wired_rd_valid, wired_wr_valid, wired_acc_rd_valid, wired_acc_wr_valid))
endmodule
