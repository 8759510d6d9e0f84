// SPDX-License-Identifier: Apache-2.0
// Issues the rows of vector operations, and the reads of their memory operands.
//
// An operation takes a slot of eight cycles, one for each row of a strip; cycles of rows that the operation does not
// have pass unused. So the same row of the next operation is issued at least eight cycles later, when the result of
// this one can be read: registers need no interlock. An operation over the lanes takes log2(Dim) slots.
//
// The scratchpad reads and writes the planes of an operand together where their rows have different low bits
// (tpu_scratchpad): the four of i32 if they are an odd number of rows apart, the two of i16 unless it is a multiple of
// four. Otherwise, and where one of them is no row of the eight banks, a row takes a cycle for each plane and is issued
// with its last.
//
// Latency: a row is issued in the cycle in which its last read is granted, or at once if it reads no memory.
// Throughput: one row per cycle, or one plane of a row that takes several. Back-pressure: a read waits for rd_ready_i
// or acc_rd_ready_i; a row that is stored waits for room in the result queue of StoreRows rows. A row that is loaded
// waits until all rows that are stored are written if it may be one of them (tpu_strip_hazard), and one outside its
// memory before the fault.
//
// Protocol: step_* is a valid/ready stream; a step is accepted in the last cycle of its slot. rd_* and acc_rd_* are
// valid/ready streams whose data follow the grant by one cycle; rd_planes_o has a valid for each plane. gather_o marks
// the grant of a plane that is not the last of its row, issue_o the issue of a row. stored_i marks the write of a row's
// last plane. fault_valid_o is a pulse; no row is issued afterwards until reset.
//
// Parameters: Dim (lanes), ScratchRows, AccRows (rows of the memories), BlockRows (scratchpad rows that have
// exponents), StoreRows (rows of the result queue).
`include "tpu_assert.svh"
module tpu_strip_issue #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int BlockRows = ScratchRows,
  parameter int AccRows = 1024,
  parameter int StoreRows = 8,
  localparam int Planes = 4 // bytes of a word
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Vector operation, whose rows may be issued while go_i is high. step_plane_rows_i: of its first row, the rows in
  // memory of its planes.
  input  logic                 go_i,
  input  logic                 step_valid_i,
  output logic                 step_ready_o,
  input  logic                 step_lanes_i,   // over the lanes of a row
  input  logic                 step_load_i,    // an operand is in memory
  input  logic                 step_store_i,
  input  logic [2:0]           step_format_i,
  input  logic [16*Planes-1:0] step_plane_rows_i,
  input  logic [15:0]          step_row_stride_i,
  input  logic [3:0]           step_rows_i,
  // Reads of memory operands.
  output logic [Planes-1:0]    rd_planes_o,    // of the scratchpad
  input  logic                 rd_ready_i,
  output logic                 rd_blocks_o,    // with the exponents of the row
  output logic                 acc_rd_valid_o,
  input  logic                 acc_rd_ready_i,
  output logic [16*Planes-1:0] rows_o,         // of both memories: where the planes lie
  // Rows.
  output logic [Planes-2:0]    gather_o,       // one bit for each plane
  output logic                 issue_o,
  output logic                 together_o,     // with all planes
  output logic [2:0]           row_o,
  output logic                 first_pass_o,   // of an operation over the lanes; always high for others
  input  logic                 stored_i,
  // State.
  output logic                 storing_o,      // rows that are stored are on their way
  output logic                 store_wait_o,   // this cycle waits for them, or for room
  output logic                 room_wait_o,    // it waits for room
  output logic                 slot_o,         // this cycle belongs to a slot
  output logic                 fault_valid_o,
  output logic [7:0]           fault_code_o,
  output logic [15:0]          fault_row_o
);
  localparam int Passes = $clog2(Dim);
  localparam int CountWidth = $clog2(StoreRows) + 1;

  logic [2:0]            row_q, pass_q;
  logic [1:0]            plane_q;
  logic [16*Planes-1:0]  rows_q, rows;
  logic [Planes-1:0]     planes;
  logic [15:0]           row;
  logic [CountWidth-1:0] storing_q;
  logic                  stopped_q;
  logic                  present, in_acc, in_blocks, last_pass, waits, fault, granted, advance, to_store;
  logic                  read, together, last_plane, hazard, outside;

  assign in_acc     = step_format_i == tpu_kernel_pkg::FORMAT_ACC;
  assign in_blocks  = step_format_i == tpu_kernel_pkg::FORMAT_BLOCKS;
  assign present    = {1'b0, row_q} < step_rows_i;
  assign last_pass  = !step_lanes_i || pass_q == 3'(Passes - 1);
  assign storing_o  = storing_q != '0;

  // Where the row's planes lie. The sums are registers, because the memories' arbiters see the rows late.
  assign rows = row_q == '0 ? step_plane_rows_i : rows_q;
  always_ff @(posedge clk_i) begin
    if (advance) begin
      for (int p = 0; p < Planes; p++) rows_q[16*p +: 16] <= rows[16*p +: 16] + step_row_stride_i;
    end
  end

  // The planes that this cycle reads. What go_i allows is known late, so it decides only whether they are read.
  tpu_strip_planes #(.BlockRows(BlockRows)) u_planes (
    .valid_i(step_valid_i && step_load_i), .format_i(step_format_i), .rows_i(rows), .plane_i(plane_q),
    .planes_o(planes), .row_o(row), .together_o(together), .last_o(last_plane)
  );

  tpu_strip_hazard #(.ScratchRows(ScratchRows), .BlockRows(BlockRows), .AccRows(AccRows)) u_hazard (
    .clk_i, .load_i(step_valid_i && step_load_i), .store_i(step_valid_i && step_store_i), .issue_i(to_store),
    .storing_i(storing_o), .format_i(step_format_i), .rows_i(rows), .hazard_o(hazard)
  );

  always_comb begin
    waits   = 1'b0;
    outside = 1'b0;
    read    = 1'b0;
    fault   = 1'b0;
    if (step_valid_i && present) begin  // Branches here and below: an idle unit costs a simulation one test.
      waits = step_store_i && storing_q == CountWidth'(StoreRows) && !stored_i;
      if (step_load_i) begin
        outside = in_acc ? 32'(row) >= AccRows : in_blocks ? 32'(row) >= BlockRows : 32'(row) >= ScratchRows;
        waits   = outside ? storing_o : hazard;
        fault   = outside && !waits && slot_o;
        read    = !outside && !waits && slot_o;
      end
    end
  end
  assign rd_planes_o    = read && !in_acc ? planes : '0;
  assign acc_rd_valid_o = read && in_acc;

  always_comb begin
    granted  = 1'b0;
    issue_o  = 1'b0;
    advance  = 1'b0;
    to_store = 1'b0;
    if (slot_o) begin
      granted = read && (in_acc ? acc_rd_ready_i : rd_ready_i);
      if (present) issue_o = step_load_i ? granted && last_plane : !waits;
      advance  = issue_o || !present;
      to_store = issue_o && step_store_i;
    end
  end

  assign rows_o         = rows;
  assign rd_blocks_o    = read && in_blocks;
  assign gather_o       = granted && !last_plane ? planes[Planes-2:0] : '0;
  assign together_o     = together;
  assign row_o          = row_q;
  assign first_pass_o   = !step_lanes_i || pass_q == '0;
  assign step_ready_o   = advance && row_q == '1 && last_pass;
  assign store_wait_o   = waits && slot_o;
  assign room_wait_o    = waits && slot_o && step_store_i;
  assign slot_o         = step_valid_i && go_i && !stopped_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      row_q   <= '0;
      pass_q  <= '0;
      plane_q <= '0;
    end else if (advance) begin
      row_q   <= row_q + 3'd1;
      plane_q <= '0;
      if (row_q == '1) pass_q <= last_pass ? '0 : pass_q + 3'd1;
    end else if (granted) begin
      plane_q <= plane_q + 2'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) storing_q <= '0;
    else if (to_store || stored_i) storing_q <= storing_q + CountWidth'(to_store) - CountWidth'(stored_i);
  end

  // A load outside its memory. Earlier stores are written then, because the load has waited for them.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      stopped_q     <= 1'b0;
      fault_valid_o <= 1'b0;
    end else begin
      fault_valid_o <= fault;
      if (fault) stopped_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (fault) begin
      fault_code_o <= in_acc ? tpu_pkg::ERROR_ACC_RANGE : tpu_pkg::ERROR_SCRATCH_RANGE;
      fault_row_o  <= row;
    end
  end

  `TPU_ASSERT_INIT(StripHasEightRows, tpu_kernel_pkg::STRIP_ROWS == 8)
  `TPU_ASSERT_WHEN(StoredWasIssued, stored_i, storing_o)
endmodule
