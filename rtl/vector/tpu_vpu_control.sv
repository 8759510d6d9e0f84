// SPDX-License-Identifier: Apache-2.0
// Sequencer of the vector unit: accepts a command, starts the reading of its parameters, issues its reads in the order
// of positions, and checks every row address before it is used. A fault is reported after all earlier rows are written.
//
// A command is accepted while rows of the previous one are still in the data path; its parameters are read meanwhile.
// Its first read waits until those rows are written, so successive commands may pass data through the memories without
// a semaphore.
//
// A VECTOR starts the vector processor when it is accepted; its rows also wait until those of the previous command are
// written. The next command is accepted when the kernel's results are written.
//
// Latency: from acceptance to the first read 3 cycles without parameters, 12 for DRAIN. Throughput: one read per cycle.
// Back-pressure: a read waits for rd_ready_i or acc_rd_ready_i, for room_i (tpu_vpu_slots), and for a free place in the
// output queue.
//
// Protocol: commands and both read ports are valid/ready streams. retire_o and fault_valid_o are pulses.
//
// Causes: WORKING a read (or tap) was issued, or the multiplier is the limit of a row with several requantizations;
// OPERAND_WAIT parameters, pipeline fill and drain; BANK_CONFLICT and ACC_CONFLICT a port was not granted;
// BACK_PRESSURE the output queue is full. For a VECTOR: WORKING in each cycle of a vector operation's slot that does
// not wait; OPERAND_WAIT no operation is ready, or a load waits for earlier stores; BACK_PRESSURE a store waits for
// room. cause_o is registered.
//
// Parameters: ScratchRows, AccRows (rows of the memories), OutDepth (rows that may be in flight).
`include "tpu_assert.svh"
module tpu_vpu_control #(
  parameter int ScratchRows = 12288,
  parameter int AccRows = 1024,
  parameter int OutDepth = 16
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // Commands.
  input  logic                       cmd_valid_i,
  output logic                       cmd_ready_o,
  output logic                       accept_o,
  input  logic                       vector_i,   // the command at the input is a VECTOR
  // Kind of the accepted command, from the cycle after accept_o.
  input  logic                       acc_i,
  input  logic                       two_i,
  input  logic                       drain32_i,
  input  logic                       preload_i,
  input  logic                       pool_i,
  input  logic                       average_i,
  input  logic                       table_load_i,
  input  logic                       block_i,
  input  logic [1:0]                 entries_i,
  input  logic                       count_padding_i,
  input  logic [15:0]                scalars_i,
  // Parameter reader.
  output logic                       prm_start_o,
  output logic                       prm_block_o,
  output logic [1:0]                 prm_entries_o,
  output logic                       prm_table_o,
  output logic [15:0]                prm_scalar_row_o,
  input  logic                       prm_busy_i,
  input  logic                       prm_done_i,
  input  logic                       prm_fault_i,
  input  logic [31:0]                prm_fault_row_i,
  // Addresses.
  output logic                       setup_o,
  output logic [1:0]                 setup_step_o,
  output logic                       start_o,
  output logic                       src_step_o,
  output logic                       src2_step_o,
  output logic                       dst_step_o,
  output logic                       acc_step_o,
  input  logic [15:0]                src_i,
  input  logic                       src_inside_i,
  input  logic                       src_first_i,
  input  logic                       src_last_i,
  input  logic [15:0]                src2_i,
  input  logic [15:0]                dst_i,
  input  logic                       dst_last_plane_i,
  input  logic                       dst_done_i,
  input  logic [16:0]                acc_row_i,
  // Read ports.
  output logic                       rd_valid_o,
  input  logic                       rd_ready_i,
  output logic [15:0]                rd_row_o,
  output logic                       acc_rd_valid_o,
  input  logic                       acc_rd_ready_i,
  output logic [15:0]                acc_rd_row_o,
  // To the data path.
  input  logic                       room_i,
  input  logic                       waiting_i,  // a row has been read and has not started in tpu_vpu_slots
  output logic                       running_o,
  output logic                       issue_o,
  output logic                       issue_first_o,
  output logic                       issue_last_o,
  output logic                       issue_inside_o,
  output logic [1:0]                 issue_plane_o,
  output logic                       issue_side_o,
  // Destination of the row that issue_last_o completes, and whether it is the command's last row.
  output logic [15:0]                out_row_o,
  output logic                       out_last_o,
  // A row was written; commit_last_i is high with the last row of a command.
  input  logic                       commit_i,
  input  logic                       commit_last_i,
  input  logic                       wr_stalled_i,
  input  logic                       acc_wr_stalled_i,
  // Vector processor: started with accept_o, may issue rows while go is high.
  output logic                       kernel_start_o,
  output logic                       kernel_go_o,
  input  logic                       kernel_done_i,
  input  logic                       kernel_fault_valid_i,
  input  logic [7:0]                 kernel_fault_code_i,
  input  logic [31:0]                kernel_fault_addr_i,
  input  logic                       kernel_slot_i,
  input  logic                       kernel_store_wait_i,
  input  logic                       kernel_room_wait_i,
  input  logic                       kernel_rd_stalled_i,
  input  logic                       kernel_acc_rd_stalled_i,
  // Report.
  output logic                       retire_o,
  output logic                       fault_valid_o,
  output logic [7:0]                 fault_code_o,
  output logic [31:0]                fault_addr_o,
  output logic [tpu_pkg::CAUSES-1:0] cause_o
);
  localparam int CountWidth = $clog2(OutDepth) + 1;

  typedef enum logic [3:0] {StIdle, StSetup, StLoad, StStart, StRun, StEntry, StKernel, StFault, StDead} state_t;

  state_t                state_q;
  logic [CountWidth-1:0] outstanding_q;
  logic                  empty, running, second_q;
  logic [1:0]            load_count_q, plane_q;

  // Current read.
  logic        first, last, reads_acc, reads_src2, reads_src, skips, request, issue;
  logic        need_entry, fault;
  logic [7:0]  fault_code, fault_code_q;
  logic [31:0] fault_addr, fault_addr_q;
  logic [15:0] missing_q, missing, loaded_q;
  logic        loaded_valid_q;

  assign empty       = outstanding_q == '0;
  assign running     = state_q == StRun;
  assign running_o   = running;
  assign cmd_ready_o = state_q == StIdle;
  assign accept_o    = cmd_valid_i && cmd_ready_o;

  assign kernel_start_o = accept_o && vector_i;
  assign kernel_go_o    = state_q == StKernel && empty;

  assign first      = src_first_i && !second_q;
  assign last       = src_last_i && (!two_i || second_q);
  assign reads_acc  = acc_i && (!two_i || second_q);
  assign reads_src2 = two_i && (second_q != acc_i);
  assign reads_src  = !reads_acc && !reads_src2;
  assign skips      = pool_i && !src_inside_i;
  assign missing    = missing_q + 16'(!src_inside_i && !count_padding_i);

  // Checks, in the order in which the rows of a position are used.
  always_comb begin
    fault      = 1'b0;
    need_entry = 1'b0;
    fault_code = tpu_pkg::ERROR_SCRATCH_RANGE;
    fault_addr = '0;
    if (running) begin
      if (acc_i && first && {15'd0, acc_row_i} >= AccRows) begin
        fault      = 1'b1;
        fault_code = tpu_pkg::ERROR_ACC_RANGE;
        fault_addr = {15'd0, acc_row_i};
      end else if (reads_src && !skips && {16'd0, src_i} >= ScratchRows) begin
        fault      = 1'b1;
        fault_addr = {16'd0, src_i};
      end else if (preload_i && last && {15'd0, acc_row_i} >= AccRows) begin
        fault      = 1'b1;
        fault_code = tpu_pkg::ERROR_ACC_RANGE;
        fault_addr = {15'd0, acc_row_i};
      end else if (average_i && last && !(loaded_valid_q && loaded_q == missing)) begin
        need_entry = 1'b1;
      end else if (two_i && first && {16'd0, src2_i} >= ScratchRows) begin
        fault      = 1'b1;
        fault_addr = {16'd0, src2_i};
      end else if (last && !preload_i && {16'd0, dst_i} >= ScratchRows) begin
        fault      = 1'b1;
        fault_addr = {16'd0, dst_i};
      end
    end
  end

  // Issue.
  logic credit;
  assign credit  = !first || outstanding_q != CountWidth'(OutDepth);
  always_comb begin
    request = 1'b0;  // Branches here and below: an idle unit costs a simulation one test.
    if (running) request = !fault && !need_entry && credit && room_i;
  end
  always_comb begin
    rd_valid_o     = 1'b0;
    acc_rd_valid_o = 1'b0;
    if (request) begin
      rd_valid_o     = !reads_acc && !skips;
      acc_rd_valid_o = reads_acc;
    end
  end
  always_comb begin
    issue = 1'b0;
    if (request) issue = reads_acc ? acc_rd_ready_i : skips || rd_ready_i;
  end

  assign rd_row_o       = reads_src2 ? src2_i : src_i;
  assign acc_rd_row_o   = acc_row_i[15:0];
  assign issue_o        = issue;
  assign issue_first_o  = first;
  assign issue_last_o   = last;
  assign issue_inside_o = src_inside_i;
  assign issue_plane_o  = plane_q;
  assign issue_side_o   = acc_i && reads_src2;
  assign out_row_o      = preload_i ? acc_row_i[15:0] : dst_i;
  assign out_last_o     = dst_done_i;
  always_comb begin
    src_step_o  = 1'b0;
    src2_step_o = 1'b0;
    dst_step_o  = 1'b0;
    acc_step_o  = 1'b0;
    if (issue) begin
      src_step_o  = reads_src;
      src2_step_o = reads_src2;
      dst_step_o  = last;
      acc_step_o  = last && dst_last_plane_i;
    end
  end

  // Parameter requests and set-up.
  logic setup_go, load_done;
  always_comb begin
    setup_o = 1'b0;
    if (pool_i) setup_o = setup_go || state_q == StLoad;
  end
  always_comb begin
    setup_go    = 1'b0;
    prm_block_o = 1'b0;
    prm_table_o = 1'b0;
    if (state_q == StSetup) begin
      setup_go    = !waiting_i && (!table_load_i || empty);
      prm_block_o = setup_go && block_i;
      prm_table_o = setup_go && table_load_i;
    end
  end
  assign load_done        = (!prm_busy_i || prm_done_i) && (!pool_i || load_count_q == 2'd2);
  assign prm_start_o      = setup_go || need_entry;
  assign prm_entries_o    = running ? 2'd1 : entries_i;
  assign prm_scalar_row_o = scalars_i + (running ? {missing[14:0], 1'b0} : 16'd0);
  assign setup_step_o     = state_q == StSetup ? 2'd0 : load_count_q;
  assign start_o          = state_q == StStart && empty;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q       <= StIdle;
      outstanding_q <= '0;
      retire_o      <= 1'b0;
      fault_valid_o <= 1'b0;
    end else begin
      outstanding_q <= outstanding_q + CountWidth'(issue && last) - CountWidth'(commit_i);
      retire_o      <= (commit_i && commit_last_i) || (state_q == StLoad && table_load_i && prm_done_i)
                    || kernel_done_i;
      fault_valid_o <= state_q == StFault && empty;
      case (state_q)
        StIdle:  if (accept_o) state_q <= vector_i ? StKernel : StSetup;
        StSetup: if (setup_go) state_q <= block_i || entries_i != 2'd0 || pool_i || table_load_i ? StLoad : StStart;
        StLoad: begin
          if (prm_fault_i) state_q <= StFault;
          else if (load_done) state_q <= table_load_i ? StIdle : StStart;
        end
        StStart: if (empty) state_q <= StRun;
        StRun: begin
          if (fault) state_q <= StFault;
          else if (need_entry) state_q <= StEntry;
          else if (issue && last && dst_done_i) state_q <= StIdle;
        end
        StEntry: begin
          if (prm_fault_i) state_q <= StFault;
          else if (prm_done_i) state_q <= StRun;
        end
        StKernel: begin
          if (kernel_fault_valid_i) state_q <= StFault;
          else if (kernel_done_i) state_q <= StIdle;
        end
        StFault: if (empty) state_q <= StDead;
        default: state_q <= StDead;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (setup_go) load_count_q <= 2'd1;
    else if (state_q == StLoad && load_count_q != 2'd2) load_count_q <= load_count_q + 2'd1;
    if (start_o) begin
      second_q       <= 1'b0;
      plane_q        <= 2'd0;
      missing_q      <= 16'd0;
      loaded_valid_q <= 1'b0;
    end
    if (issue) begin
      second_q <= two_i && !second_q;
      if (drain32_i) plane_q <= plane_q + 2'd1;
      if (average_i) missing_q <= last ? 16'd0 : missing;
    end
    if (need_entry) begin
      loaded_valid_q <= 1'b1;
      loaded_q       <= missing;
    end
    if (fault) begin
      fault_code_q <= fault_code;
      fault_addr_q <= fault_addr;
    end else if (prm_fault_i) begin
      fault_code_q <= tpu_pkg::ERROR_PARAM_RANGE;
      fault_addr_q <= prm_fault_row_i;
    end else if (kernel_fault_valid_i) begin
      fault_code_q <= kernel_fault_code_i;
      fault_addr_q <= kernel_fault_addr_i;
    end
  end

  assign fault_code_o = fault_code_q;
  assign fault_addr_o = fault_addr_q;

  // Cause of the previous cycle.
  logic [3:0] cause_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cause_q <= 4'(tpu_pkg::CAUSE_IDLE);
    end else if (running && !fault && !need_entry) begin
      if (request && !issue) cause_q <= 4'(reads_acc ? tpu_pkg::CAUSE_ACC_CONFLICT : tpu_pkg::CAUSE_BANK_CONFLICT);
      else if (!credit) cause_q <= 4'(tpu_pkg::CAUSE_BACK_PRESSURE);
      else if (!room_i && preload_i) cause_q <= 4'(tpu_pkg::CAUSE_ACC_CONFLICT);
      else cause_q <= 4'(tpu_pkg::CAUSE_WORKING);
    end else if (kernel_slot_i) begin
      if (kernel_rd_stalled_i) cause_q <= 4'(tpu_pkg::CAUSE_BANK_CONFLICT);
      else if (kernel_acc_rd_stalled_i) cause_q <= 4'(tpu_pkg::CAUSE_ACC_CONFLICT);
      else if (!kernel_store_wait_i) cause_q <= 4'(tpu_pkg::CAUSE_WORKING);
      else if (acc_wr_stalled_i) cause_q <= 4'(tpu_pkg::CAUSE_ACC_CONFLICT);
      else if (wr_stalled_i) cause_q <= 4'(tpu_pkg::CAUSE_BANK_CONFLICT);
      else cause_q <= 4'(kernel_room_wait_i ? tpu_pkg::CAUSE_BACK_PRESSURE : tpu_pkg::CAUSE_OPERAND_WAIT);
    end else if (state_q == StDead || (state_q == StIdle && empty)) begin
      cause_q <= 4'(tpu_pkg::CAUSE_IDLE);
    end else if (wr_stalled_i) begin
      cause_q <= 4'(tpu_pkg::CAUSE_BANK_CONFLICT);
    end else if (acc_wr_stalled_i) begin
      cause_q <= 4'(tpu_pkg::CAUSE_ACC_CONFLICT);
    end else begin
      cause_q <= 4'(tpu_pkg::CAUSE_OPERAND_WAIT);
    end
  end
  assign cause_o = tpu_pkg::CAUSES'(1) << cause_q;

  `TPU_ASSERT_WHEN(CommitIsOwed, commit_i, !empty)
  `TPU_ASSERT_WHEN(KernelIsRunning, kernel_done_i || kernel_fault_valid_i, kernel_go_o)
endmodule
