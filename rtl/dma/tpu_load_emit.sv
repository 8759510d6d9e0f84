// SPDX-License-Identifier: Apache-2.0
// Destination side of LOAD: walks runs (tpu_load_run), pieces and rows (tpu_load_row) in the order that the instruction
// defines, decides when a run or a command is over, and finds its errors.
//
// Latency: two cycles from a command that waits to its first row. Throughput: one row per cycle, also across pieces and
// runs; one idle cycle between commands. Back-pressure: row_ready_i. The end of a run waits for all beats of the run,
// the end of a command also for the source to have checked all its runs.
//
// Line buffer: keep_seq_o is the first beat still needed. If pieces overlap (step below length) that is the first beat
// of the piece, otherwise the first beat of the row. At the end of a run all its beats are released, read or not.
//
// Faults are raised when every earlier row has been written, so they belong to the oldest command. The first faulty run
// of the command decides, whatever later runs contain. Within a run a window violation has priority; it is known in
// time, because the source checks a run before the walk reaches it. Then follows a beat with a bus error, then a row
// out of range, which is reported when the rest of the run has arrived.
//
// Protocol: rows are a valid/ready stream; cmd_read_o reads the next command, which is valid from the cycle after it
// on. fault_o.valid pulses once, and code and address stay.
//
// Parameters: Dim (4, 8, 16 or 32); ScratchRows, ParamRows (at most 65536); WeightRows (power of two);
// Windows.
`include "tpu_assert.svh"
module tpu_load_emit #(
  parameter int Dim = 16,
  parameter int Windows = 4,
  parameter int ScratchRows = 12288,
  parameter int WeightRows = 4096,
  parameter int ParamRows = 256,
  localparam int Log = $clog2(Dim),
  localparam int PosWidth = tpu_load_pkg::POS_W,
  localparam int SeqWidth = PosWidth - Log
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  tpu_window_pkg::windows_t windows_i,
  // Commands.
  input  logic                     cmd_waiting_i,
  output logic                     cmd_read_o,
  input  tpu_load_pkg::command_t   command_i,
  // The source.
  input  tpu_load_pkg::check_t     check_i,
  // The line buffer.
  input  logic [SeqWidth-1:0]      write_seq_i,
  input  logic                     error_i,
  input  logic [SeqWidth-1:0]      error_seq_i,
  output logic [SeqWidth-1:0]      keep_seq_o,
  // Rows, for tpu_load_align. arrived_o: all beats of the present run have arrived.
  output tpu_load_pkg::row_t       row_o,
  input  logic                     row_ready_i,
  output logic                     arrived_o,
  input  logic                     row_starved_i,
  output logic                     row_drop_o,
  input  logic                     rows_empty_i,
  // State for the causes, and the fault.
  output logic                     busy_o,
  output logic                     starved_o,
  output logic                     halted_o,
  output tpu_report_pkg::fault_t   fault_o
);
  `TPU_ASSERT_INIT(WeightRowsIsPowerOfTwo, (WeightRows & (WeightRows - 1)) == 0)

  localparam int KernelRows = 8 * tpu_kernel_pkg::MEMORY_WORDS / Dim;

  // Walk: set-up of a command, then its rows. drain_q: all rows of a run are issued, and the run's end is awaited.
  logic                active_q, setup_q, drain_q, halted_q, fault_q, window_q, bus_q;
  logic [3:0]          checked_q;            // commands checked by the source and not finished here
  logic [SeqWidth-1:0] keep_q;

  // The run.
  logic                run_go, run_near, last_run, reads;
  logic [15:0]         n0, left1, next_row;
  logic [PosWidth-1:0] next_start, run_start, run_end;
  logic [SeqWidth-1:0] after;
  logic [31:0]         error_addr;
  tpu_load_run #(.Dim(Dim), .Windows(Windows)) u_run (
    .clk_i, .rst_ni, .windows_i, .runs_i(command_i.runs),
    .setup_i(setup_q), .go_i(run_go), .next_start_o(next_start), .next_row_o(next_row),
    .n0_o(n0), .left1_o(left1), .last_o(last_run), .reads_o(reads), .start_o(run_start), .end_o(run_end),
    .after_o(after), .error_i(bus_q), .error_seq_i, .error_addr_o(error_addr));

  // The row.
  logic                  fire, last_row, keep_valid, row_valid;
  logic [PosWidth-1:0]   pos;
  tpu_load_pkg::target_t target;
  tpu_load_pkg::extent_t extent;
  logic [15:0]         row;
  logic [SeqWidth-1:0] keep;
  tpu_load_row #(.Dim(Dim)) u_row (
    .clk_i, .rows_i(command_i.rows), .reads_i(reads), .run_start_i(run_start), .run_end_i(run_end),
    .run_go_i(run_go), .run_near_i(run_near), .next_start_i(next_start), .next_row_i(next_row), .step_i(fire),
    .pos_o(pos), .keep_o(keep), .keep_valid_o(keep_valid), .row_o(row), .extent_o(extent),
    .last_o(last_row));

  logic       in_range;
  logic [7:0] range_code;
  always_comb begin
    in_range = 32'(row) < ScratchRows;
    range_code = tpu_pkg::ERROR_SCRATCH_RANGE;
    case (command_i.space)
      tpu_pkg::SPACE_WEIGHT: in_range = 1'b1;
      tpu_pkg::SPACE_PARAM: begin
        in_range = 32'(row) < ParamRows;
        range_code = tpu_pkg::ERROR_PARAM_RANGE;
      end
      tpu_pkg::SPACE_KERNEL: begin
        in_range = 32'(row) < KernelRows;
        range_code = tpu_pkg::ERROR_KERNEL_RANGE;
      end
      default: ;
    endcase
  end

  // Errors of the present run, and whether it is complete.
  logic                walking, checked, window_bad, bus_bad, range_bad, stop, fault;
  logic [PosWidth-1:0] arrived_by, error_by; // bytes from the run's end to what has arrived, and to the error; signed
  always_comb begin
    checked    = checked_q != '0;
    walking    = active_q && !setup_q && !drain_q && !halted_q;
    arrived_by = {write_seq_i, Log'(0)} - run_end;
    arrived_o  = !arrived_by[PosWidth-1];
    error_by   = {error_seq_i, Log'(0)} - run_end;
    // The violation is in the present command, and the walk has reached its run.
    window_bad = active_q && !setup_q && check_i.fault && !checked && check_i.n0 == n0 && check_i.left1 == left1;
    bus_bad    = active_q && !setup_q && error_i && error_by[PosWidth-1];
    range_bad  = walking && !in_range;
    stop       = window_bad || bus_bad || range_bad;
    fault      = !halted_q && rows_empty_i && (window_bad || bus_bad || (range_bad && arrived_o));
  end
  // A row that waits for its beats is one of this run.
  assign row_drop_o = window_bad || bus_bad;

  // Steps.
  logic run_over, finish, next_run;
  always_comb begin
    target.write = walking && !stop;
    run_over = ((walking && last_row) || (drain_q && !halted_q)) && !stop && arrived_o && (!last_run || checked);
    target.last = run_over && last_run;
    target.turn = command_i.turn;
    target.space = command_i.space;
    target.row = row;
    if (command_i.space == tpu_pkg::SPACE_WEIGHT) target.row = row & 16'(WeightRows - 1);
    row_valid = target.write || target.last;
    fire = target.write && row_ready_i;
    next_run = run_over && !last_run && (row_ready_i || drain_q);
    finish = target.last && row_ready_i;
    // Does not depend on whether the run ends in this cycle, which is known late.
    run_near = setup_q || drain_q || last_row;
    run_go = setup_q || next_run;
  end
  assign row_o = '{valid: row_valid, target: target, extent: extent, pos: pos};
  assign cmd_read_o = cmd_waiting_i && (!active_q || finish) && !halted_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q  <= 1'b0;
      setup_q   <= 1'b0;
      drain_q   <= 1'b0;
      halted_q  <= 1'b0;
      fault_q   <= 1'b0;
      checked_q <= '0;
    end else if (active_q || cmd_waiting_i || check_i.checked || fault_q) begin
      active_q <= cmd_read_o || (active_q && !finish);
      setup_q  <= cmd_read_o;
      if (next_run || finish) drain_q <= 1'b0;
      else if (fire && last_row) drain_q <= 1'b1;
      fault_q <= fault;
      if (fault) halted_q <= 1'b1;
      if (check_i.checked != finish) checked_q <= check_i.checked ? checked_q + 1'b1 : checked_q - 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (fault) begin
      window_q <= window_bad;
      bus_q    <= bus_bad && !window_bad;
    end
    if (!rst_ni) bus_q <= 1'b0;
  end

  // Beats that a waiting row needs may be released: it reads them in the cycle in which the last one is there,
  // long before they are overwritten.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) keep_q <= '0;
    else if (active_q && (next_run || finish || drain_q || range_bad)) keep_q <= after;
    else if (fire && keep_valid) keep_q <= keep;
  end

  assign keep_seq_o    = keep_q;
  assign busy_o        = (active_q || !rows_empty_i) && !halted_q;
  assign starved_o     = row_starved_i || (drain_q && !arrived_o);
  assign halted_o      = halted_q;
  assign fault_o.valid = fault_q;
  always_comb begin
    fault_o.code = range_code;
    fault_o.addr = {16'd0, row};
    if (bus_q) begin
      fault_o.code = tpu_pkg::ERROR_AXI_READ;
      fault_o.addr = error_addr;
    end
    if (window_q) begin
      fault_o.code = tpu_pkg::ERROR_WINDOW;
      fault_o.addr = check_i.fault_addr;
    end
  end
endmodule
