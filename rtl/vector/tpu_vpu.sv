// SPDX-License-Identifier: Apache-2.0
// Vector unit: executes DRAIN, DRAIN32, PRELOAD, MAXPOOL, AVGPOOL, ADD, MULTIPLY, TABLE and MAP (isa/spec/isa.toml)
// itself; VECTOR runs on the vector processor (tpu_processor), which shares its ports, multiplier and tables.
//
// Data path: read ports -> gather -> slots -> requantize -> finish -> output register -> scratchpad write port. It
// never stalls.
//
// Latency, from the last read of a row to its write: 10 cycles (DRAIN), 5 (no requantization), 17 (ADD, MULTIPLY), 23
// (residual DRAIN).
// Throughput, rows per cycle: DRAIN, MAP 1; MULTIPLY 1/2; ADD, residual DRAIN 1/4; DRAIN32, PRELOAD 1/4 of an
// accumulator row. Pooling: one tap per cycle. TABLE: 64 cycles, 256 for a table of words. Between the last read of a
// command and the first read of the next there are at least 12 cycles if the next is a DRAIN, and always more than the
// latency of the earlier one.
// Back-pressure: the read ports and the accumulators' write port may stall at any time. Requests are held until
// granted. The scratchpad grants every write.
//
// Within a command, reads run ahead of writes: a row may be written where it was read (in place), but not where the
// same command reads later. A command sees all writes of earlier commands.
//
// Protocol: commands are a valid/ready stream. They retire in order, with one pulse each, when their last row is
// written; a VECTOR when its kernel has ended and all its results are written. report_o.fault.valid pulses after all
// earlier rows are written; no command is accepted afterwards until reset. Read data are valid in the cycle after the
// grant (scratchpad, accumulators) or the request (parameters, kernel memory). While clear_i is high, word or row
// clear_row_i of the tables and of the vector registers is set to zero, in the cycle after. No command may run then.
//
// Parameters: Dim (lanes, power of two, 4 to 64), ScratchRows, AccRows, ParamRows (rows of the memories, at most
// 65536), BlockRows (scratchpad rows that have exponents); VectorProcessor and BlockFloat, 0 for a core without that
// part.
`include "tpu_assert.svh"
`include "tpu_instr.svh"
module tpu_vpu #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int BlockRows = ScratchRows,
  parameter int AccRows = 1024,
  parameter int ParamRows = 256,
  parameter int VectorProcessor = 1,
  parameter int BlockFloat = 1,
  localparam int Parts = Dim > 16 ? Dim / 16 : 1,
  localparam int Planes = 4, // of a word
  localparam int WordAddr = $clog2(tpu_kernel_pkg::MEMORY_WORDS)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // Commands.
  input  logic                    cmd_valid_i,
  output logic                    cmd_ready_o,
  input  logic [511:0]            cmd_instr_i,
  output tpu_report_pkg::report_t report_o,
  output logic                    nonfinite_o,       // changes when a block that is not a number is written
  // Scratchpad. A request has a valid, a row and its data for each plane; wired commands use the first.
  output logic [Planes-1:0]       rd_valid_o,
  input  logic                    rd_ready_i,
  output logic                    rd_blocks_o,       // with exponents
  output logic [16*Planes-1:0]    rd_rows_o,
  input  logic [32*Dim-1:0]       rd_data_i,
  input  logic [8*Parts-1:0]      rd_exponents_i,
  output logic [Planes-1:0]       wr_valid_o,
  output logic [16*Planes-1:0]    wr_rows_o,
  output logic [32*Dim-1:0]       wr_data_o,
  output logic                    wr_blocks_o,       // with exponents
  output logic [8*Parts-1:0]      wr_exponents_o,
  // Accumulators.
  output logic                    vec_rd_valid_o,
  input  logic                    vec_rd_ready_i,
  output logic [15:0]             vec_rd_row_o,
  input  logic [32*Dim-1:0]       vec_rd_data_i,
  output logic                    vec_wr_valid_o,
  input  logic                    vec_wr_ready_i,
  output logic [15:0]             vec_wr_row_o,
  output logic [32*Dim-1:0]       vec_wr_data_o,
  // Parameters.
  output logic                    prm_rd_valid_o,
  output logic [15:0]             prm_rd_row_o,
  input  logic [8*Dim-1:0]        prm_rd_data_i,
  // Kernel memory.
  output logic                    word_valid_o,
  output logic [WordAddr-1:0]     word_number_o,
  input  logic [63:0]             word_i,
  // Clearing.
  input  logic                    clear_i,
  input  logic [15:0]             clear_row_i
);
  // Rows in flight: more than the latency of a DRAIN at one row per cycle.
  localparam int OutDepth = 16;

  import tpu_vpu_pkg::*;

  // Command.
  logic        accept, open, vector, table_words;
  logic [15:0] params, scalars;
  kind_t       kind;
  geometry_t   geometry;
  operation_t  run;

  tpu_vpu_command u_command (
    .clk_i, .load_i(accept), .start_i(open), .instr_i(cmd_instr_i), .vector_o(vector), .kind_o(kind),
    .geometry_o(geometry), .params_o(params), .scalars_o(scalars), .table_words_o(table_words), .run_o(run)
  );

  // Parameters.
  request_t             prm_request;
  reading_t             prm_reading;
  logic [Dim-1:0][31:0] bias, lane_multiplier;
  logic [Dim-1:0][5:0]  lane_shift;
  scale_t [2:0]         scales;
  table_write_t         table_write;

  tpu_vpu_params #(.Dim(Dim), .ParamRows(ParamRows)) u_params (
    .clk_i, .rst_ni, .request_i(prm_request), .words_i(table_words), .block_row_i(params),
    .reading_o(prm_reading), .prm_rd_valid_o,
    .prm_rd_row_o, .prm_rd_data_i, .bias_o(bias), .multiplier_o(lane_multiplier), .shift_o(lane_shift),
    .scales_o(scales), .table_o(table_write)
  );

  // Clearing comes from a register of this unit's clock, so that no other cycle costs a simulation anything.
  logic        clear_q;
  logic [15:0] clear_row_q;
  always_ff @(posedge clk_i) begin
    clear_q <= clear_i;
    if (clear_i) clear_row_q <= clear_row_i;
  end

  vector_instr_t kernel;
  logic          unused_kernel;
  assign kernel        = cmd_instr_i;
  assign unused_kernel = ^kernel;

  // Vector processor. It uses the ports only while no other command does, so they need no arbitration.
  logic                 wired_rd_valid, wired_acc_rd_valid, wired_wr_valid, wired_acc_wr_valid;
  logic [15:0]          wired_rd_row, wired_acc_rd_row;
  place_t               wired_place;
  logic [Dim-1:0][7:0]  wired_wr_data;
  logic [Dim-1:0][31:0] operand;
  logic [32*Dim-1:0]    kernel_wr_data, kernel_acc_wr_data;
  logic                 kernel_start, kernel_ready, kernel_go, kernel_done;
  logic                 kernel_slot, kernel_room_wait;
  logic                 kernel_acc_rd_valid, kernel_acc_wr_valid;
  logic [Planes-1:0]    kernel_rd_valid, kernel_wr_valid;
  tpu_report_pkg::fault_t kernel_fault;
  logic                 mul_valid, mul_round, mul_unsigned, word_lookup;
  logic [Dim-1:0][31:0] mul_a, mul_b, product_low, product_high, word;
  logic [8*Dim-1:0]     word_index;
  logic [16*Planes-1:0] kernel_rd_rows, kernel_wr_rows;

  if (VectorProcessor != 0) begin : gen_processor
    tpu_processor #(
      .Dim(Dim), .ScratchRows(ScratchRows), .BlockRows(BlockRows), .AccRows(AccRows), .BlockFloat(BlockFloat)
    ) u_processor (
      .clk_i, .rst_ni, .start_valid_i(kernel_start), .start_ready_o(kernel_ready),
      .start_entry_i(kernel.entry),
      .start_args_i(cmd_instr_i[tpu_pkg::VECTOR_ARG0_LSB +: 32*tpu_kernel_pkg::ARGUMENTS]), .done_o(kernel_done),
      .nonfinite_o, .fault_o(kernel_fault), .go_i(kernel_go), .word_valid_o, .word_number_o, .word_i,
      .rd_valid_o(kernel_rd_valid), .rd_ready_i, .rd_blocks_o, .rd_rows_o(kernel_rd_rows), .rd_data_i, .rd_exponents_i,
      .wr_valid_o(kernel_wr_valid), .wr_rows_o(kernel_wr_rows), .wr_data_o(kernel_wr_data), .wr_blocks_o,
      .wr_exponents_o, .acc_rd_valid_o(kernel_acc_rd_valid), .acc_rd_ready_i(vec_rd_ready_i),
      .acc_rd_data_i(vec_rd_data_i), .acc_wr_valid_o(kernel_acc_wr_valid), .acc_wr_ready_i(vec_wr_ready_i),
      .acc_wr_data_o(kernel_acc_wr_data), .mul_valid_o(mul_valid), .mul_a_o(mul_a), .mul_b_o(mul_b),
      .mul_round_o(mul_round), .mul_unsigned_o(mul_unsigned), .product_low_i(product_low),
      .product_high_i(product_high), .lookup_o(word_lookup),
      .index_o(word_index), .looked_i(word), .slot_o(kernel_slot), .room_wait_o(kernel_room_wait), .clear_i(clear_q),
      .clear_row_i(clear_row_q)
    );
  end else begin : gen_no_processor
    // No VECTOR comes here, so that the processor would always be at rest.
    logic unused_processor;
    assign unused_processor    = ^{kernel_start, word_i, rd_data_i, rd_exponents_i, word, clear_row_q};
    assign kernel_ready        = 1'b1;
    assign kernel_done         = 1'b0;
    assign kernel_fault        = '0;
    assign kernel_rd_valid     = '0;
    assign kernel_rd_rows      = '0;
    assign kernel_wr_valid     = '0;
    assign kernel_wr_rows      = '0;
    assign kernel_wr_data      = '0;
    assign kernel_acc_rd_valid = 1'b0;
    assign kernel_acc_wr_valid = 1'b0;
    assign kernel_acc_wr_data  = '0;
    assign kernel_slot         = 1'b0;
    assign kernel_room_wait    = 1'b0;
    assign mul_valid           = 1'b0;
    assign mul_a               = '0;
    assign mul_b               = '0;
    assign mul_round           = 1'b0;
    assign mul_unsigned        = 1'b0;
    assign word_lookup         = 1'b0;
    assign word_index          = '0;
    assign nonfinite_o         = 1'b0;
    assign word_valid_o        = 1'b0;
    assign word_number_o       = '0;
    assign rd_blocks_o         = 1'b0;
    assign wr_blocks_o         = 1'b0;
    assign wr_exponents_o      = '0;
  end

  assign rd_valid_o     = Planes'(wired_rd_valid) | kernel_rd_valid;
  assign vec_rd_valid_o = wired_acc_rd_valid || kernel_acc_rd_valid;
  assign wr_valid_o     = Planes'(wired_wr_valid) | kernel_wr_valid;
  assign vec_wr_valid_o = wired_acc_wr_valid || kernel_acc_wr_valid;

  always_comb begin
    rd_rows_o     = (16*Planes)'(wired_rd_row);
    vec_rd_row_o  = wired_acc_rd_row;
    wr_rows_o     = (16*Planes)'(wired_place.row);
    vec_wr_row_o  = wired_place.row;
    wr_data_o     = (32*Dim)'(wired_wr_data);
    vec_wr_data_o = operand;
    if (VectorProcessor != 0 && kernel_go) begin
      rd_rows_o     = kernel_rd_rows;
      vec_rd_row_o  = kernel_rd_rows[15:0];
      wr_rows_o     = kernel_wr_rows;
      vec_wr_row_o  = kernel_wr_rows[15:0];
      wr_data_o     = kernel_wr_data;
      vec_wr_data_o = kernel_acc_wr_data;
    end
  end

  // Sequencer and addresses.
  logic       room, issue, place_valid, commit;
  walk_t      walk;
  position_t  position;
  read_t      read;
  place_t     place;
  logic       arriving, full, take;         // operands between gather and slots

  tpu_vpu_control #(.ScratchRows(ScratchRows), .AccRows(AccRows), .OutDepth(OutDepth)) u_control (
    .clk_i, .rst_ni, .cmd_valid_i, .cmd_ready_o, .accept_o(accept),
    .vector_i(VectorProcessor != 0 && vector), .kind_i(kind), .scalars_i(scalars),
    .prm_request_o(prm_request), .prm_i(prm_reading), .walk_o(walk), .position_i(position),
    .rd_valid_o(wired_rd_valid), .rd_ready_i, .rd_row_o(wired_rd_row), .acc_rd_valid_o(wired_acc_rd_valid),
    .acc_rd_ready_i(vec_rd_ready_i), .acc_rd_row_o(wired_acc_rd_row),
    .room_i(room), .waiting_i(arriving || (full && !take)), .open_o(open), .issue_o(issue), .read_o(read),
    .place_valid_o(place_valid), .place_o(place), .commit_i(commit), .commit_last_i(wired_place.last),
    .acc_wr_stalled_i(vec_wr_valid_o && !vec_wr_ready_i),
    .kernel_start_o(kernel_start), .kernel_go_o(kernel_go), .kernel_done_i(kernel_done),
    .kernel_fault_i(kernel_fault), .kernel_slot_i(kernel_slot), .kernel_room_wait_i(kernel_room_wait),
    .kernel_rd_stalled_i(kernel_rd_valid != '0 && !rd_ready_i),
    .kernel_acc_rd_stalled_i(kernel_acc_rd_valid && !vec_rd_ready_i),
    .report_o
  );

  tpu_vpu_addresses u_addresses (
    .clk_i, .rst_ni, .kind_i(kind), .geometry_i(geometry), .walk_i(walk), .position_o(position)
  );

  // Data path.
  logic                     side_take, middle_valid, row_valid, bypass, lookup;
  logic                     load, value_valid, requantized_valid, per_lane, scale_valid, scale_per_lane;
  destination_e             value_to, requantized_to;
  scale_t                   scale;
  logic [3:0][Dim-1:0][7:0] gathered;
  logic [Dim-1:0][31:0]     value, sum, requantized;
  logic [Dim-1:0][7:0]      side, middle, row, index;
  logic                     factors, scale_factors;
  logic [Dim-1:0][8:0]      factor, scale_factor;
  logic [31:0]              scale_multiplier;
  logic [Dim-1:0]           scale_round;

  tpu_vpu_gather #(.Dim(Dim)) u_gather (
    .clk_i, .rst_ni, .issue_i(issue), .read_i(read), .rd_data_i(rd_data_i[8*Dim-1:0]), .acc_data_i(vec_rd_data_i),
    .bias_i(bias), .run_i(run), .arriving_o(arriving), .full_o(full), .take_i(take), .operand_o(gathered),
    .side_take_i(side_take), .side_o(side)
  );

  tpu_vpu_slots #(.Dim(Dim)) u_slots (
    .clk_i, .rst_ni, .run_i(run), .scales_i(scales), .arriving_i(arriving), .full_i(full),
    .operand_i(gathered), .take_o(take), .room_o(room), .side_i(side), .side_take_o(side_take),
    .middle_valid_i(middle_valid), .middle_i(middle), .sum_i(sum), .load_o(load), .valid_o(value_valid),
    .to_o(value_to), .row_o(value), .per_lane_o(per_lane), .scale_o(scale), .factors_o(factors), .factor_o(factor),
    .bypass_o(bypass), .acc_wr_valid_o(wired_acc_wr_valid),
    .acc_wr_ready_i(vec_wr_ready_i)
  );

  tpu_requantize #(.Dim(Dim)) u_requantize (
    .clk_i, .rst_ni, .load_i(load), .valid_i(value_valid), .to_i(value_to), .row_i(value), .rounding_i(run.rounding),
    .per_lane_i(per_lane), .lane_shift_i(lane_shift), .scale_i(scale), .factors_i(factors), .factor_i(factor),
    .operand_o(operand), .mul_valid_o(scale_valid), .mul_factors_o(scale_factors), .mul_factor_o(scale_factor),
    .mul_per_lane_o(scale_per_lane), .mul_multiplier_o(scale_multiplier), .mul_round_o(scale_round),
    .product_low_i(product_low), .product_high_i(product_high), .valid_o(requantized_valid), .to_o(requantized_to),
    .row_o(requantized)
  );

  tpu_multiplier #(.Dim(Dim), .VectorProcessor(VectorProcessor)) u_multiplier (
    .clk_i, .rst_ni, .scale_valid_i(scale_valid), .scale_operand_i(operand), .scale_round_i(scale_round),
    .scale_factors_i(scale_factors), .scale_factor_i(scale_factor), .scale_per_lane_i(scale_per_lane),
    .scale_lane_multiplier_i(lane_multiplier),
    .scale_multiplier_i(scale_multiplier), .valid_i(mul_valid), .a_i(mul_a), .b_i(mul_b), .round_i(mul_round),
    .unsigned_i(mul_unsigned), .product_low_o(product_low), .product_high_o(product_high)
  );

  tpu_vpu_finish #(.Dim(Dim)) u_finish (
    .clk_i, .rst_ni, .run_i(run), .value_valid_i(requantized_valid), .value_to_i(requantized_to),
    .value_i(requantized), .bypass_i(bypass), .bypass_row_i(gathered[3]), .lookup_o(lookup), .index_o(index),
    .word_i(word), .sum_o(sum), .middle_valid_o(middle_valid), .middle_o(middle), .row_valid_o(row_valid), .row_o(row)
  );

  tpu_vpu_table #(.Dim(Dim), .VectorProcessor(VectorProcessor)) u_table (
    .clk_i, .rst_ni, .byte_lookup_i(lookup), .byte_index_i(index), .word_lookup_i(word_lookup),
    .word_index_i(word_index), .word_o(word), .write_i(table_write), .clear_i(clear_q), .clear_row_i(clear_row_q)
  );

  // Output.
  tpu_vpu_output #(.Dim(Dim), .Depth(OutDepth)) u_output (
    .clk_i, .rst_ni, .place_valid_i(place_valid), .place_i(place), .row_valid_i(row_valid), .row_i(row),
    .wr_valid_o(wired_wr_valid), .wr_data_o(wired_wr_data), .place_o(wired_place), .commit_i(commit)
  );

  always_comb begin
    commit = wired_wr_valid;
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
