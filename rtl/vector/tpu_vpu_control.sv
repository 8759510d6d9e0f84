// SPDX-License-Identifier: Apache-2.0
// Sequencer of the vector unit: accepts a command, starts the reading of its parameters, issues its reads in the order
// of positions, and checks every row address before it is used. A fault is reported after all earlier rows are written.
//
// A command is accepted while rows of the previous one are still in the data path; its parameters are read meanwhile.
// Its first read waits until those rows are written, so successive commands may pass data through the memories without
// a semaphore.
//
// A read takes two stages: the first checks it and tells where its row goes, the second, a register, asks a port for
// it. So the memories' arbiters see their requests early. The first stage begins before the rows of the previous
// command are written, and costs no cycle.
//
// A VECTOR starts the vector processor when it is accepted; its rows also wait until those of the previous command are
// written. The next command is accepted when the kernel's results are written.
//
// Latency: from acceptance to the first read 3 cycles without parameters, 12 for DRAIN. Throughput: one read per cycle;
// a reciprocal of an average takes three cycles more, four if its window has one tap.
// Back-pressure: a read waits for rd_ready_i or acc_rd_ready_i, and for room_i (tpu_vpu_slots). At most OutDepth rows
// are in flight, because the data path holds no more.
//
// Protocol: commands and both read ports are valid/ready streams. report_o.retire and report_o.fault.valid are pulses.
//
// Causes: WORKING a read (or tap) was issued, or the multiplier is the limit of a row with several requantizations;
// OPERAND_WAIT parameters, pipeline fill and drain; BANK_CONFLICT and ACC_CONFLICT a port was not granted. For a
// VECTOR: WORKING in each cycle of a vector operation's slot that does not wait; OPERAND_WAIT no operation is ready, or
// a load waits for earlier stores; BACK_PRESSURE a store waits for room. report_o.cause is registered.
//
// Parameters: ScratchRows, AccRows (rows of the memories), OutDepth (rows that may be in flight).
`include "tpu_assert.svh"
module tpu_vpu_control #(
  parameter int ScratchRows = 12288,
  parameter int AccRows = 1024,
  parameter int OutDepth = 16
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // Commands.
  input  logic                    cmd_valid_i,
  output logic                    cmd_ready_o,
  output logic                    accept_o,
  input  logic                    vector_i,       // the command at the input is a VECTOR
  // The accepted command, from the cycle after accept_o.
  input  tpu_vpu_pkg::kind_t      kind_i,
  input  logic [15:0]             scalars_i,
  // Parameter reader.
  output tpu_vpu_pkg::request_t   prm_request_o,
  input  tpu_vpu_pkg::reading_t   prm_i,
  // Addresses.
  output tpu_vpu_pkg::walk_t      walk_o,
  input  tpu_vpu_pkg::position_t  position_i,
  // Read ports.
  output logic                    rd_valid_o,
  input  logic                    rd_ready_i,
  output logic [15:0]             rd_row_o,
  output logic                    acc_rd_valid_o,
  input  logic                    acc_rd_ready_i,
  output logic [15:0]             acc_rd_row_o,
  // To the data path.
  input  logic                    room_i,
  input  logic                    waiting_i,      // a row has been read and has not started in tpu_vpu_slots
  output logic                    open_o,         // the first read follows, and no row of an earlier command is left
  output logic                    issue_o,
  output tpu_vpu_pkg::read_t      read_o,
  // Where the row goes that the read completes, if it is the last of its row.
  output logic                    place_valid_o,
  output tpu_vpu_pkg::place_t     place_o,
  // A row was written; commit_last_i is high with the last row of a command.
  input  logic                    commit_i,
  input  logic                    commit_last_i,
  input  logic                    acc_wr_stalled_i,
  // Vector processor: started with accept_o, may issue rows while go is high.
  output logic                    kernel_start_o,
  output logic                    kernel_go_o,
  input  logic                    kernel_done_i,
  input  tpu_report_pkg::fault_t  kernel_fault_i,
  input  logic                    kernel_slot_i,
  input  logic                    kernel_room_wait_i,
  input  logic                    kernel_rd_stalled_i,
  input  logic                    kernel_acc_rd_stalled_i,
  // Report.
  output tpu_report_pkg::report_t report_o
);
  import tpu_pkg::*;
  import tpu_report_pkg::fault_t;

  localparam int CountWidth = $clog2(OutDepth) + 1;

  typedef enum logic [3:0] {StIdle, StSetup, StLoad, StRun, StEntry, StKernel, StFault, StDead} state_e;

  state_e                state_q;
  logic [CountWidth-1:0] outstanding_q;
  logic                  empty_q, running, second_q, kernel_go_q;
  logic [1:0]            load_count_q, plane_q;

  // First stage.
  tpu_vpu_pkg::step_t step;
  logic        first, last, reads_acc, reads_src2, reads_src, skips, wants_entry, need_entry, moves, advance;
  fault_t      fault;
  logic [15:0] missing_q, missing, loaded_q;
  logic        loaded_valid_q;
  // Second stage. It is closed until the rows of the previous command are written.
  logic                valid_q, closed_q, reads_acc_q, reads_q, preload_q, request, issue;
  logic [15:0]         row_q;
  tpu_vpu_pkg::read_t  read_q;
  tpu_vpu_pkg::place_t place_q;

  assign running     = state_q == StRun;
  // The units that a closed command turns on are not at work yet.
  assign cmd_ready_o = state_q == StIdle && !closed_q;
  assign accept_o    = cmd_valid_i && cmd_ready_o;

  assign kernel_start_o = accept_o && vector_i;
  assign kernel_go_o    = kernel_go_q;

  assign first      = position_i.src_first && !second_q;
  assign last       = position_i.src_last && (!kind_i.two || second_q);
  assign reads_acc  = kind_i.acc && (!kind_i.two || second_q);
  assign reads_src2 = kind_i.two && (second_q != kind_i.acc);
  assign reads_src  = !reads_acc && !reads_src2;
  assign skips      = kind_i.pool && !position_i.src_inside;
  assign missing    = missing_q + 16'(!position_i.src_inside && !kind_i.counts_padding);

  // Checks, in the order in which the rows of a position are used.
  logic acc_outside, src_outside, src2_outside, dst_outside;
  assign acc_outside  = {15'd0, position_i.acc} >= AccRows;
  assign src_outside  = {16'd0, position_i.src} >= ScratchRows;
  assign src2_outside = {16'd0, position_i.src2} >= ScratchRows;
  assign dst_outside  = {16'd0, position_i.dst} >= ScratchRows;

  always_comb begin
    fault       = '{valid: 1'b0, code: ERROR_SCRATCH_RANGE, addr: '0};
    wants_entry = 1'b0;
    if (running) begin
      if (kind_i.acc && first && acc_outside) begin
        fault = '{valid: 1'b1, code: ERROR_ACC_RANGE, addr: {15'd0, position_i.acc}};
      end else if (reads_src && !skips && src_outside) begin
        fault = '{valid: 1'b1, code: ERROR_SCRATCH_RANGE, addr: {16'd0, position_i.src}};
      end else if (kind_i.preload && last && acc_outside) begin
        fault = '{valid: 1'b1, code: ERROR_ACC_RANGE, addr: {15'd0, position_i.acc}};
      end else if (kind_i.average && last && !(loaded_valid_q && loaded_q == missing)) begin
        wants_entry = 1'b1;
      end else if (kind_i.two && first && src2_outside) begin
        fault = '{valid: 1'b1, code: ERROR_SCRATCH_RANGE, addr: {16'd0, position_i.src2}};
      end else if (last && !kind_i.preload && dst_outside) begin
        fault = '{valid: 1'b1, code: ERROR_SCRATCH_RANGE, addr: {16'd0, position_i.dst}};
      end
    end
  end

  // A row takes its scale when its last read arrives, so that the next one is read afterwards.
  assign need_entry = wants_entry && !(valid_q && read_q.last);

  always_comb begin
    moves = 1'b0;  // Branches here and below: an idle unit costs a simulation one test.
    if (running) moves = !fault.valid && !wants_entry;
  end
  // Whether the read before is granted is known late.
  assign advance = moves && (!valid_q || issue);
  always_comb begin
    step = '0;
    if (advance) begin
      step = '{src: reads_src, src2: reads_src2, dst: last, acc: last && position_i.dst_last_plane};
    end
  end

  // Issue. The data path has a place for every row in flight, so a read waits for room_i and its port only.
  assign request = valid_q && !closed_q && room_i;
  always_comb begin
    issue         = 1'b0;
    place_valid_o = 1'b0;
    if (request) begin
      issue         = reads_acc_q ? acc_rd_ready_i : !reads_q || rd_ready_i;
      place_valid_o = issue && read_q.last;
    end
  end

  assign rd_valid_o     = request && reads_q;
  assign acc_rd_valid_o = request && reads_acc_q;
  assign rd_row_o       = row_q;
  assign acc_rd_row_o   = row_q;
  assign issue_o        = issue;
  assign read_o         = read_q;
  assign place_o        = place_q;

  // Parameter requests and set-up.
  logic setup_go, load_done, setup, start;
  always_comb begin
    setup = 1'b0;
    if (kind_i.pool) setup = setup_go || state_q == StLoad;
  end
  always_comb begin
    setup_go = 1'b0;
    if (state_q == StSetup) setup_go = !waiting_i && !valid_q && (!kind_i.table_load || empty_q);
  end
  assign load_done     = (!prm_i.busy || prm_i.done) && (!kind_i.pool || load_count_q == 2'd2);
  assign prm_request_o = '{valid: setup_go || need_entry, block: setup_go && kind_i.block,
                           table_load: setup_go && kind_i.table_load, entries: running ? 2'd1 : kind_i.entries,
                           scalar_row: scalars_i + (running ? {missing[14:0], 1'b0} : 16'd0)};
  assign walk_o        = '{setup: setup, setup_step: state_q == StSetup ? 2'd0 : load_count_q, start: start,
                           step: step};
  assign open_o        = closed_q && empty_q;

  // A pool's first row is known with the last product of its set-up. Others may start again while they wait for it.
  always_comb begin
    start = 1'b0;
    if (kind_i.pool) start = state_q == StLoad && load_count_q == 2'd2;
    else if (!kind_i.table_load) start = state_q == StSetup;
  end

  // No row will be in flight in the next cycle, if none is issued in this one. The functions here and below are used in
  // clocked processes alone, so that a simulation calls them only while the clock runs.
  function automatic logic empties();
    empties = outstanding_q == '0 || (commit_i && outstanding_q == CountWidth'(1));
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q       <= StIdle;
      outstanding_q <= '0;
      empty_q       <= 1'b1;
      kernel_go_q   <= 1'b0;
      valid_q       <= 1'b0;
      closed_q      <= 1'b0;
      report_o.retire      <= 1'b0;
      report_o.fault.valid <= 1'b0;
    end else begin
      if (issue || commit_i) outstanding_q <= outstanding_q + CountWidth'(issue && read_q.last) - CountWidth'(commit_i);
      empty_q       <= !(valid_q && !closed_q) && empties();
      // The first words of a kernel are read meanwhile, so that it does not wait for this register.
      kernel_go_q   <= state_q == StKernel && !kernel_done_i && !kernel_fault_i.valid && !valid_q && empties();
      valid_q       <= advance || (valid_q && !issue);
      closed_q      <= (setup_go && !kind_i.table_load) || (closed_q && !empty_q);
      report_o.retire      <= (commit_i && commit_last_i) || (state_q == StLoad && kind_i.table_load && prm_i.done)
                    || kernel_done_i;
      report_o.fault.valid <= state_q == StFault && empty_q && !valid_q;
      case (state_q)
        StIdle:  if (accept_o) state_q <= vector_i ? StKernel : StSetup;
        StSetup: begin
          if (setup_go) begin
            state_q <= kind_i.block || kind_i.entries != 2'd0 || kind_i.pool || kind_i.table_load ? StLoad : StRun;
          end
        end
        StLoad: begin
          if (prm_i.fault) state_q <= StFault;
          else if (load_done) state_q <= kind_i.table_load ? StIdle : StRun;
        end
        StRun: begin
          if (fault.valid) state_q <= StFault;
          else if (need_entry) state_q <= StEntry;
          // The last read of a command; the one before it may be granted late.
          else if (moves && last && position_i.dst_done && (!valid_q || issue)) state_q <= StIdle;
        end
        StEntry: begin
          if (prm_i.fault) state_q <= StFault;
          else if (prm_i.done) state_q <= StRun;
        end
        StKernel: begin
          if (kernel_fault_i.valid) state_q <= StFault;
          else if (kernel_done_i) state_q <= StIdle;
        end
        StFault: if (empty_q && !valid_q) state_q <= StDead;
        default: state_q <= StDead;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (setup_go) load_count_q <= 2'd1;
    else if (state_q == StLoad && load_count_q != 2'd2) load_count_q <= load_count_q + 2'd1;
    if (start) begin
      second_q       <= 1'b0;
      plane_q        <= 2'd0;
      missing_q      <= 16'd0;
      loaded_valid_q <= 1'b0;
    end
    if (advance) begin
      second_q <= kind_i.two && !second_q;
      if (kind_i.drain32) plane_q <= plane_q + 2'd1;
      if (kind_i.average) missing_q <= last ? 16'd0 : missing;
      reads_acc_q <= reads_acc;
      reads_q     <= !reads_acc && !skips;
      preload_q   <= kind_i.preload;
      row_q       <= reads_acc ? position_i.acc[15:0] : reads_src2 ? position_i.src2 : position_i.src;
      read_q      <= '{first: first, last: last, present: position_i.src_inside, plane: plane_q,
                       side: kind_i.acc && reads_src2};
      place_q     <= '{last: position_i.dst_done, row: kind_i.preload ? position_i.acc[15:0] : position_i.dst};
    end
    if (need_entry) begin
      loaded_valid_q <= 1'b1;
      loaded_q       <= missing;
    end
    if (fault.valid) begin
      report_o.fault.code <= fault.code;
      report_o.fault.addr <= fault.addr;
    end else if (prm_i.fault) begin
      report_o.fault.code <= ERROR_PARAM_RANGE;
      report_o.fault.addr <= prm_i.fault_row;
    end else if (kernel_fault_i.valid) begin
      report_o.fault.code <= kernel_fault_i.code;
      report_o.fault.addr <= kernel_fault_i.addr;
    end
  end

  // Cause of the cycle.
  function automatic logic [3:0] cause();
    cause = 4'(CAUSE_OPERAND_WAIT);
    if (valid_q && !closed_q) begin
      if (request && !issue) cause = 4'(reads_acc_q ? CAUSE_ACC_CONFLICT : CAUSE_BANK_CONFLICT);
      else if (!room_i && preload_q) cause = 4'(CAUSE_ACC_CONFLICT);
      else cause = 4'(CAUSE_WORKING);
    end else if (kernel_slot_i) begin
      if (kernel_rd_stalled_i) cause = 4'(CAUSE_BANK_CONFLICT);
      else if (kernel_acc_rd_stalled_i) cause = 4'(CAUSE_ACC_CONFLICT);
      else cause = 4'(CAUSE_WORKING);
    end else if (state_q == StDead || (cmd_ready_o && empty_q)) begin
      cause = 4'(CAUSE_IDLE);
    end else if (acc_wr_stalled_i) begin
      cause = 4'(CAUSE_ACC_CONFLICT);
    end else if (kernel_room_wait_i) begin
      cause = 4'(CAUSE_BACK_PRESSURE);
    end
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) report_o.cause <= CAUSES'(1) << CAUSE_IDLE;
    else report_o.cause <= CAUSES'(1) << cause();
  end

  `TPU_ASSERT_WHEN(CommitIsOwed, commit_i, outstanding_q != '0)
  `TPU_ASSERT_WHEN(KernelIsRunning, kernel_done_i || kernel_fault_i.valid, kernel_go_o)
endmodule
