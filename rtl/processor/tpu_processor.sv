// SPDX-License-Identifier: Apache-2.0
// Vector processor: runs kernels of micro-instructions (isa/spec/pages/kernel.md) from the kernel memory.
//
// Data path: vector registers and memory -> operands -> lanes -> registers, or results -> memory. A row takes seven
// cycles from its issue to its register and never stalls on the way; rows wait before they are issued, in
// tpu_strip_issue.
//
// Latency: four cycles from the start to the issue of the first row, if the first word is a vector operation and go_i
// is high.
// Throughput: a row per cycle and so eight cycles an operation; i16 and i32 operands and results take two and four
// cycles a row where the scratchpad cannot serve their planes together (tpu_strip_planes). Control and scalar
// operations run beside vector operations, one in two cycles.
// Back-pressure: the read ports and the accumulators' write port may stall at any time. Requests are held until
// granted. While go_i is low no row is issued and no kernel ends, but the kernel's first words are read.
//
// Protocol: starts are a valid/ready stream. done_o is a pulse when the kernel has ended and its results are written,
// fault_o.valid in its place when it cannot go on, after all earlier results are written; nothing is accepted
// afterwards until reset. Memory data are valid in the cycle after the grant; kernel words and table words in the cycle
// after the request, products two cycles after it. While clear_i is high, row clear_row_i of the vector registers is
// set to zero; no kernel may run.
//
// Parameters: Dim (lanes, power of two, 4 to 64), ScratchRows, AccRows (rows of the memories), BlockRows (scratchpad
// rows that have exponents); BlockFloat, 0 for a core without blocks, where a kernel that names them is illegal.
`include "tpu_assert.svh"
module tpu_processor #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int BlockRows = ScratchRows,
  parameter int AccRows = 1024,
  parameter int BlockFloat = 1,
  localparam int Parts = Dim > 16 ? Dim / 16 : 1,
  localparam int Planes = 4, // of a word
  localparam int Args = tpu_kernel_pkg::ARGUMENTS,
  localparam int WordAddr = $clog2(tpu_kernel_pkg::MEMORY_WORDS)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // Kernels.
  input  logic                   start_valid_i,
  output logic                   start_ready_o,
  input  logic [15:0]            start_entry_i,
  input  logic [32*Args-1:0]     start_args_i,
  output logic                   done_o,
  output logic                   nonfinite_o,       // changes when a block that is not a number is written
  output tpu_report_pkg::fault_t fault_o,
  input  logic                   go_i,
  // Kernel memory.
  output logic                   word_valid_o,
  output logic [WordAddr-1:0]    word_number_o,
  input  logic [63:0]            word_i,
  // Scratchpad. A request has a valid, a row and its data for each plane.
  output logic [Planes-1:0]      rd_valid_o,
  input  logic                   rd_ready_i,
  output logic                   rd_blocks_o,       // with exponents
  output logic [16*Planes-1:0]   rd_rows_o,         // the first of the accumulators, too
  input  logic [32*Dim-1:0]      rd_data_i,
  input  logic [8*Parts-1:0]     rd_exponents_i,
  output logic [Planes-1:0]      wr_valid_o,
  output logic [16*Planes-1:0]   wr_rows_o,         // the first of the accumulators, too
  output logic [32*Dim-1:0]      wr_data_o,
  output logic                   wr_blocks_o,       // with exponents
  output logic [8*Parts-1:0]     wr_exponents_o,
  // Accumulators.
  output logic                   acc_rd_valid_o,
  input  logic                   acc_rd_ready_i,
  input  logic [32*Dim-1:0]      acc_rd_data_i,
  output logic                   acc_wr_valid_o,
  input  logic                   acc_wr_ready_i,
  output logic [32*Dim-1:0]      acc_wr_data_o,
  // Multiplier.
  output logic                   mul_valid_o,
  output logic [Dim-1:0][31:0]   mul_a_o,
  output logic [Dim-1:0][31:0]   mul_b_o,
  output logic                   mul_round_o,
  output logic                   mul_unsigned_o,
  input  logic [Dim-1:0][31:0]   product_low_i,
  input  logic [Dim-1:0][31:0]   product_high_i,
  // Table.
  output logic                   lookup_o,
  output logic [8*Dim-1:0]       index_o,
  input  logic [32*Dim-1:0]      looked_i,
  // Observation: the cycle belongs to an operation's slot, or to none because a store waits for room.
  output logic                   slot_o,
  output logic                   room_wait_o,
  // Clearing.
  input  logic                   clear_i,
  input  logic [15:0]            clear_row_i
);
  // Rows on their way to memory: eight in the pipeline, two in its queues, and some that wait.
  localparam int StoreRows = 16;

  // Sequencer.
  tpu_strip_pkg::step_t step;
  logic                 step_valid, step_ready, ended, kernel_fault, ready, unused_busy;
  logic [15:0]          kernel_fault_word;

  tpu_kernel_sequencer #(.BlockFloat(BlockFloat)) u_sequencer (
    .clk_i, .rst_ni, .busy_o(unused_busy), .start_valid_i(start_valid_i && start_ready_o), .start_ready_o(ready),
    .start_entry_i, .start_args_i, .rd_valid_o(word_valid_o), .rd_word_o(word_number_o), .rd_data_i(word_i),
    .step_valid_o(step_valid), .step_ready_i(step_ready), .step_o(step),
    .done_o(ended), .fault_o(kernel_fault), .fault_word_o(kernel_fault_word)
  );

  // Issue.
  tpu_strip_pkg::row_t       row;
  tpu_strip_pkg::operation_t operation;
  logic                      issue, requesting, stored, storing, over_lanes, unused_bits;
  tpu_report_pkg::fault_t    load_fault, store_fault;
  logic [Planes-2:0]         gather;

  assign unused_bits = ^{row, operation, load_fault, store_fault};
  assign operation  = row.operation;
  assign over_lanes = tpu_kernel_pkg::GROUP_LANES[operation.op];
  assign rd_rows_o  = row.plane_rows;

  tpu_strip_issue #(
    .Dim(Dim), .ScratchRows(ScratchRows), .BlockRows(BlockRows), .AccRows(AccRows), .StoreRows(StoreRows),
    .BlockFloat(BlockFloat)
  ) u_issue (
    .clk_i, .rst_ni, .go_i, .step_valid_i(step_valid), .step_ready_o(step_ready), .step_i(step),
    .rd_planes_o(rd_valid_o), .rd_ready_i, .rd_blocks_o, .acc_rd_valid_o, .acc_rd_ready_i, .gather_o(gather),
    .issue_o(issue), .row_o(row), .stored_i(stored), .busy_o(requesting), .storing_o(storing), .slot_o,
    .room_wait_o, .fault_o(load_fault)
  );

  // Registers and operands. The tag of a row: operation, and where its result goes.
  localparam int TagWidth = 18;

  logic [5:0]          lane_op;
  logic [TagWidth-1:0] operands_tag;
  logic [32*Dim-1:0]   a_register, b_register, a, b, result;
  logic                operands_valid, result_valid, result_store;
  logic [2:0]          result_format, result_row;
  logic [3:0]          result_d;

  // A row that is stored has no register, so that the number of one carries whether the row ends a block.
  logic [3:0] target;
  assign target = operation.store ? {3'd0, row.ends_block} : operation.d;

  // Operations over the lanes are passes of operations between two lanes.
  always_comb begin
    case (operation.op)
      tpu_kernel_pkg::KOP_SUM_LANES: lane_op = tpu_kernel_pkg::KOP_IADD;
      tpu_kernel_pkg::KOP_MAX_LANES: lane_op = tpu_kernel_pkg::KOP_MAX;
      tpu_kernel_pkg::KOP_FSUM_LANES: lane_op = tpu_kernel_pkg::KOP_FADD;
      tpu_kernel_pkg::KOP_FMAX_LANES: lane_op = tpu_kernel_pkg::KOP_FMAX;
      default: lane_op = operation.op;
    endcase
  end

  tpu_strip_registers #(.Dim(Dim)) u_registers (
    .clk_i, .rst_ni, .rd_valid_i(issue), .rd_row_i(row.number), .a_i(row.first_pass ? operation.a : operation.d),
    .b_i(operation.b), .a_o(a_register), .b_o(b_register), .wr_valid_i(result_valid && !result_store),
    .wr_row_i(result_row), .d_i(result_d), .wr_data_i(result), .clear_i, .clear_row_i
  );

  tpu_strip_operands #(.Dim(Dim), .TagWidth(TagWidth), .BlockFloat(BlockFloat)) u_operands (
    .clk_i, .rst_ni, .gather_i(gather), .issue_i(issue), .row_i(row),
    .tag_i({lane_op, operation.even, operation.store, operation.format, target, row.number}),
    .a_register_i(a_register), .b_register_i(b_register), .rd_data_i, .rd_exponents_i, .acc_rd_data_i,
    .valid_o(operands_valid), .tag_o(operands_tag), .a_o(a), .b_o(b)
  );

  tpu_lanes #(.Dim(Dim), .TagWidth(11)) u_lanes (
    .clk_i, .rst_ni, .valid_i(operands_valid), .op_i(operands_tag[17:12]), .even_i(operands_tag[11]),
    .tag_i(operands_tag[10:0]), .a_i(a), .b_i(b), .mul_valid_o, .mul_a_o, .mul_b_o, .mul_round_o, .mul_unsigned_o,
    .product_low_i, .product_high_i, .lookup_o, .index_o, .word_i(looked_i), .valid_o(result_valid),
    .tag_o({result_store, result_format, result_d, result_row}), .result_o(result)
  );

  // Results that go to memory.
  tpu_strip_results #(
    .Dim(Dim), .ScratchRows(ScratchRows), .BlockRows(BlockRows), .AccRows(AccRows), .Depth(StoreRows),
    .BlockFloat(BlockFloat)
  ) u_results (
    .clk_i, .rst_ni, .place_valid_i(issue && operation.store), .place_ready_i(requesting && operation.store),
    .place_format_i(operation.format),
    .place_rows_i(rd_rows_o), .place_ends_block_i(row.ends_block),
    .row_valid_i(result_valid && result_store), .row_format_i(result_format), .row_ends_block_i(result_d[0]),
    .row_i(result), .wr_planes_o(wr_valid_o), .wr_data_o, .wr_blocks_o, .wr_exponents_o, .acc_wr_valid_o,
    .acc_wr_ready_i, .acc_wr_data_o, .wr_rows_o, .stored_o(stored), .nonfinite_o, .fault_o(store_fault)
  );

  // End of the kernel, when its last result is in memory or in its register. A kernel without rows also waits for go_i.
  logic        ending_q, wrong_q, stopped_q, over, fault_valid_q;
  logic [7:0]  fault_code_q;
  logic [15:0] fault_row_q;  // or the number of a word
  logic [2:0]  flight_q;     // cycles until the last row that was issued is written

  assign over = ending_q && !requesting && !storing && flight_q == '0 && go_i;

  assign start_ready_o = ready && !ended && !kernel_fault && !ending_q && !stopped_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ending_q      <= 1'b0;
      flight_q      <= '0;
      stopped_q     <= 1'b0;
      done_o        <= 1'b0;
      fault_valid_q <= 1'b0;
    end else begin
      if (ended || kernel_fault) ending_q <= 1'b1;
      else if (over) ending_q <= 1'b0;
      done_o        <= over && !wrong_q;
      fault_valid_q <= load_fault.valid || store_fault.valid || (over && wrong_q);
      if (load_fault.valid || store_fault.valid || (over && wrong_q)) stopped_q <= 1'b1;
      if (issue) flight_q <= 3'd7;
      else if (flight_q != '0) flight_q <= flight_q - 3'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (ended || kernel_fault) wrong_q <= kernel_fault;
    if (store_fault.valid) begin
      fault_code_q <= store_fault.code;
      fault_row_q  <= store_fault.addr[15:0];
    end else if (load_fault.valid) begin
      fault_code_q <= load_fault.code;
      fault_row_q  <= load_fault.addr[15:0];
    end else if (ending_q && wrong_q) begin
      fault_code_q <= tpu_pkg::ERROR_KERNEL;
      fault_row_q  <= kernel_fault_word;
    end
  end
  assign fault_o = '{valid: fault_valid_q, code: fault_code_q, addr: 32'(fault_row_q)};

  `TPU_ASSERT_INIT(DimInRange, Dim >= 4 && Dim <= 64 && (Dim & (Dim - 1)) == 0)
  `TPU_ASSERT_WHEN(RowIsInFlight, result_valid, flight_q != '0)
  `TPU_ASSERT_WHEN(OverLanesToRegisters, issue, !(over_lanes && operation.store))
  `TPU_ASSERT_WHEN(OneFault, load_fault.valid, !store_fault.valid)
endmodule
