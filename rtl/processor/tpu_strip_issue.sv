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
// Two stages: the first finds out where a row lies and whether it has to wait for stores, the second, a register, reads
// it. So the memories' arbiters see their requests early.
//
// Latency: one cycle from a step to its first read or row, if none is ahead. A row is issued in the cycle in which its
// last read is granted, or at once if it reads no memory. Throughput: one row per cycle, or one plane of a row that
// takes several. Back-pressure: a read waits for rd_ready_i or acc_rd_ready_i; a row that is stored waits for room in
// the result queue of StoreRows rows. A row that is loaded waits until all rows that are stored are written if it may
// be one of them (tpu_strip_hazard), and one outside its memory before the fault. While go_i is low nothing is read or
// issued.
//
// Protocol: step_* is a valid/ready stream; a step is accepted in the last cycle of its slot in the first stage. rd_*
// and acc_rd_* are valid/ready streams whose data follow the grant by one cycle; rd_planes_o has a valid for each
// plane. gather_o marks the grant of a plane that is not the last of its row, issue_o the issue of row_o. stored_i
// marks the write of a row's last plane. busy_o tells that a row is in the second stage. fault_o.valid is a pulse; no
// row is issued afterwards until reset.
//
// Parameters: Dim (lanes), ScratchRows, AccRows (rows of the memories), BlockRows (scratchpad rows that have
// exponents), StoreRows (rows of the result queue); BlockFloat, 0 for a core without blocks.
`include "tpu_assert.svh"
module tpu_strip_issue #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int BlockRows = ScratchRows,
  parameter int AccRows = 1024,
  parameter int StoreRows = 8,
  parameter int BlockFloat = 1,
  localparam int Planes = tpu_strip_pkg::Planes
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // Vector operation.
  input  logic                   go_i,
  input  logic                   step_valid_i,
  output logic                   step_ready_o,
  input  tpu_strip_pkg::step_t   step_i,
  // Reads of memory operands, at row_o.plane_rows.
  output logic [Planes-1:0]      rd_planes_o,  // of the scratchpad
  input  logic                   rd_ready_i,
  output logic                   rd_blocks_o,  // with the exponents of the row
  output logic                   acc_rd_valid_o,
  input  logic                   acc_rd_ready_i,
  // Rows.
  output logic [Planes-2:0]      gather_o,     // one bit for each plane
  output logic                   issue_o,
  output tpu_strip_pkg::row_t    row_o,
  input  logic                   stored_i,
  // State.
  output logic                   busy_o,
  output logic                   storing_o,    // rows that are stored are on their way
  output logic                   slot_o,       // this cycle belongs to a slot
  output logic                   room_wait_o,  // it belongs to none, because a row that is stored waits for room
  output tpu_report_pkg::fault_t fault_o
);
  import tpu_strip_pkg::*;

  localparam int Passes = $clog2(Dim);
  localparam int CountWidth = $clog2(StoreRows) + 1;
  // The last row of a block, counted from 0.
  localparam int BlockRow = Dim < 16 ? 16 / Dim - 1 : 0;

  // First stage.
  logic [2:0]              number_q, pass_q;
  logic                    first_q;           // number_q is 0
  logic [1:0]              plane_q;
  logic [Planes-1:0][15:0] plane_rows_q, plane_rows;
  logic [15:0]             row;
  logic [CountWidth-1:0]   storing_q;
  logic                    stopped_q;
  logic                    load, store, over_lanes, in_acc, in_blocks, present, last_pass;
  logic                    valid, outside, hazard, store_waits, load_waits, free, fault, leaves, advance, to_store;
  row_t                    next;
  // Second stage.
  logic                    valid_q, granted, done;
  row_t                    row_q;

  assign load       = step_i.operation.load;
  assign store      = step_i.operation.store;
  assign over_lanes = tpu_kernel_pkg::GROUP_LANES[step_i.operation.op];
  assign in_acc     = step_i.operation.format == tpu_kernel_pkg::FORMAT_ACC;
  assign in_blocks  = BlockFloat != 0 && step_i.operation.format == tpu_kernel_pkg::FORMAT_BLOCKS;
  assign valid      = step_valid_i && !stopped_q;
  assign present    = {1'b0, number_q} < step_i.rows;
  assign last_pass  = !over_lanes || pass_q == 3'(Passes - 1);
  assign storing_o  = storing_q != '0;

  // Where the row's planes lie.
  assign plane_rows = first_q ? step_i.plane_rows : plane_rows_q;
  always_ff @(posedge clk_i) begin
    if (advance) begin
      for (int p = 0; p < Planes; p++) plane_rows_q[p] <= plane_rows[p] + step_i.row_stride;
    end
  end

  logic [Planes-1:0] planes;
  logic              together, last_plane;

  tpu_strip_planes #(.BlockRows(BlockRows)) u_planes (
    .valid_i(step_valid_i && load), .format_i(step_i.operation.format), .rows_i(plane_rows), .plane_i(plane_q),
    .planes_o(planes), .row_o(row), .together_o(together), .last_o(last_plane)
  );

  tpu_strip_hazard #(.ScratchRows(ScratchRows), .BlockRows(BlockRows), .AccRows(AccRows)) u_hazard (
    .clk_i, .load_i(step_valid_i && load), .store_i(step_valid_i && store), .issue_i(to_store),
    .storing_i(storing_o), .format_i(step_i.operation.format), .rows_i(plane_rows), .hazard_o(hazard)
  );

  always_comb begin
    store_waits = 1'b0;
    load_waits  = 1'b0;
    outside     = 1'b0;
    if (valid && present) begin  // Branches here and below: an idle unit costs a simulation one test.
      store_waits = store && storing_q == CountWidth'(StoreRows) && !stored_i;
      if (load) begin
        outside    = in_acc ? 32'(row) >= AccRows : in_blocks ? 32'(row) >= BlockRows : 32'(row) >= ScratchRows;
        load_waits = outside || hazard;
      end
    end
  end
  assign fault = outside && !storing_o && !valid_q && go_i;

  // What the second stage does is known late, so it decides only whether a row moves on.
  always_comb begin
    free     = 1'b0;
    leaves   = 1'b0;
    advance  = 1'b0;
    to_store = 1'b0;
    if (valid) begin
      free     = !valid_q || done;
      leaves   = !store_waits && !load_waits && free;
      advance  = leaves && (!present || !load || last_plane);
      to_store = present && store && !store_waits && free;
    end
  end
  assign step_ready_o = advance && number_q == '1 && last_pass;

  assign next = '{
    operation:  step_i.operation,
    present:    present,
    number:     number_q,
    ends_block: (number_q & 3'(BlockRow)) == 3'(BlockRow) || {1'b0, number_q} + 4'd1 == step_i.rows,
    first_pass: !over_lanes || pass_q == '0,
    plane_rows: plane_rows,
    planes:     planes,
    together:   together,
    last_plane: last_plane
  };

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      number_q <= '0;
      first_q  <= 1'b1;
      pass_q   <= '0;
      plane_q  <= '0;
    end else if (advance) begin
      number_q <= number_q + 3'd1;
      first_q  <= number_q == '1;
      plane_q  <= '0;
      if (number_q == '1) pass_q <= last_pass ? '0 : pass_q + 3'd1;
    end else if (leaves) begin
      plane_q <= plane_q + 2'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) storing_q <= '0;
    else if (to_store || stored_i) storing_q <= storing_q + CountWidth'(to_store) - CountWidth'(stored_i);
  end

  // A load outside its memory. Earlier rows are issued and earlier stores written then.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      stopped_q     <= 1'b0;
      fault_o.valid <= 1'b0;
    end else begin
      fault_o.valid <= fault;
      if (fault) stopped_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (fault) begin
      fault_o.code <= in_acc ? tpu_pkg::ERROR_ACC_RANGE : tpu_pkg::ERROR_SCRATCH_RANGE;
      fault_o.addr <= 32'(row);
    end
  end

  // Second stage.
  logic reads, reads_acc;
  assign reads     = valid_q && go_i && row_q.present && row_q.operation.load;
  assign reads_acc = row_q.operation.format == tpu_kernel_pkg::FORMAT_ACC;

  assign rd_planes_o    = reads && !reads_acc ? row_q.planes : '0;
  assign acc_rd_valid_o = reads && reads_acc;
  assign rd_blocks_o    = BlockFloat != 0 && reads && row_q.operation.format == tpu_kernel_pkg::FORMAT_BLOCKS;

  always_comb begin
    granted  = 1'b0;
    done     = 1'b0;
    issue_o  = 1'b0;
    gather_o = '0;
    if (slot_o) begin
      granted = reads && (reads_acc ? acc_rd_ready_i : rd_ready_i);
      done    = granted || !reads;
      issue_o = done && row_q.present && (!reads || row_q.last_plane);
      if (granted && !row_q.last_plane) gather_o = row_q.planes[Planes-2:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (leaves) valid_q <= 1'b1;
    else if (done) valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (leaves) row_q <= next;
  end

  assign row_o       = row_q;
  assign busy_o      = valid_q;
  assign slot_o      = valid_q && go_i;
  assign room_wait_o = store_waits && !valid_q && go_i;

  `TPU_ASSERT_INIT(StripHasEightRows, tpu_kernel_pkg::STRIP_ROWS == 8)
  `TPU_ASSERT_WHEN(StoredWasIssued, stored_i, storing_o)
endmodule
