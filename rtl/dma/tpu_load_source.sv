// SPDX-License-Identifier: Apache-2.0
// Request side of LOAD: walks the runs of a command, checks each against its window and requests its beats as aligned
// INCR bursts of at most 32 beats that never cross 4 KiB. It runs ahead of the emitter by whole commands, so that the
// latency of one command hides behind the rows of the one before it.
//
// Latency: three cycles from an accepted command to its first address.
// Throughput: one run per cycle and one burst per cycle, so runs of one beat are requested every cycle.
// Back-pressure: a burst is requested only when the line buffer has room for all of it, so read data never wait.
//
// Protocol: cmd_* and ar_* are valid/ready streams. checked_o pulses once per command when the last of its runs has
// passed its check. fault_o stays high from the first run that fails on; nothing is requested after it.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a beat; SeqWidth, bits of a beat number.
module tpu_load_source #(
  parameter int Dim = 16,
  parameter int SeqWidth = 26
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic [32*tpu_pkg::WINDOWS-1:0]  win_base_i,
  input  logic [32*tpu_pkg::WINDOWS-1:0]  win_size_i,
  input  logic [3*tpu_pkg::WINDOWS-1:0]   win_perm_i,
  // Commands.
  input  logic                            cmd_valid_i,
  output logic                            cmd_ready_o,
  input  logic [tpu_pkg::INSTR_W-1:0]     cmd_instr_i,
  // Progress of the checks, in command order.
  output logic                            checked_o,
  output logic                            fault_o,
  output logic [31:0]                     fault_addr_o,
  // Check the remaining runs without requesting them: their data have no taker any more.
  input  logic                            check_only_i,
  // The engine has stopped: request nothing.
  input  logic                            halted_i,
  // Read addresses.
  output logic                            ar_valid_o,
  input  logic                            ar_ready_i,
  output logic [31:0]                     ar_addr_o,
  output logic [7:0]                      ar_len_o,
  // Beats requested so far and beats given back by the emitter, both counted from reset.
  output logic [SeqWidth-1:0]             issue_seq_o,
  input  logic [SeqWidth-1:0]             release_seq_i
);
  localparam int Log = $clog2(Dim);
  localparam int BeatsWidth = 25 - Log;      // beats of a run: at most 2**24 bytes and a partial one
  localparam int PageWidth = 12 - Log;       // beats of a 4 KiB page
  localparam int MaxBurst = 32;
  localparam int FreeWidth = $clog2(tpu_pkg::LINE_BUFFER_BEATS) + 1;

  // The command being walked.
  logic        active_q;
  logic [1:0]  window_q;
  logic [23:0] run_bytes_q;
  logic [15:0] count0_q, valid_from_q, valid_to_q;
  logic [31:0] stride0_q, stride1_q;
  logic [31:0] outer_q, run_q;               // offsets of run (i1, 0) and of run (i1, i0)
  logic [15:0] i0_q, left1_q;

  // The run being requested: next beat and beats left.
  logic                  span_valid_q;
  logic [31-Log:0]       span_beat_q;
  logic [BeatsWidth-1:0] span_left_q;

  logic                ar_valid_q;
  logic [31-Log:0]     ar_beat_q;
  logic [5:0]          ar_beats_q;
  logic [SeqWidth-1:0] issue_seq_q;
  logic                fault_q;

  logic        allowed;
  logic [31:0] address;
  tpu_window_check #(.Permission(tpu_pkg::PERMISSION_READ)) u_check (
    .win_base_i, .win_size_i, .win_perm_i,
    .window_i(window_q), .offset_i(run_q), .length_i({8'd0, run_bytes_q}),
    .allowed_o(allowed), .address_o(address));

  // The next burst of the current run.
  logic [5:0]           burst;
  logic                 burst_go, span_done;
  logic [PageWidth-1:0] page_left;           // beats after this one in its page
  logic [FreeWidth-1:0] room;
  always_comb begin
    burst = '0;
    burst_go = 1'b0;
    span_done = 1'b0;
    page_left = '0;
    room = '0;
    if (span_valid_q) begin
      page_left = ~span_beat_q[PageWidth-1:0];
      burst = 6'(MaxBurst);
      if (span_left_q < BeatsWidth'(MaxBurst)) burst = span_left_q[5:0];
      if (32'(page_left) < 32'(burst)) burst = 6'(page_left) + 6'd1;
      room = FreeWidth'(tpu_pkg::LINE_BUFFER_BEATS) - FreeWidth'(issue_seq_q - release_seq_i);
      burst_go = (!ar_valid_q || ar_ready_i) && 32'(burst) <= 32'(room) && !halted_i && !check_only_i;
      span_done = check_only_i || (burst_go && span_left_q == BeatsWidth'(burst));
    end
  end

  // The run walker.
  logic reads, step, take, last0, last;
  always_comb begin
    reads = 1'b0;
    step = 1'b0;
    take = 1'b0;
    last0 = 1'b0;
    last = 1'b0;
    if (active_q) begin
      reads = i0_q >= valid_from_q && i0_q < valid_to_q;
      step = !reads || (allowed && (!span_valid_q || span_done));
      take = reads && step;
      last0 = i0_q == count0_q - 16'd1;
      last = last0 && left1_q == 16'd1;
    end
  end

  assign cmd_ready_o  = !active_q && !fault_q && !halted_i;
  assign checked_o    = step && last;
  assign fault_o      = fault_q;
  assign fault_addr_o = run_q;
  assign ar_valid_o   = ar_valid_q;
  assign ar_addr_o    = {ar_beat_q, Log'(0)};
  assign ar_len_o     = {2'd0, ar_beats_q - 6'd1};
  assign issue_seq_o  = issue_seq_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      fault_q <= 1'b0;
    end else if (active_q) begin
      if (step && last) active_q <= 1'b0;
      if (reads && !allowed) begin
        active_q <= 1'b0;
        fault_q <= 1'b1;
      end
    end else if (cmd_valid_i && cmd_ready_o) begin
      active_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (cmd_valid_i && cmd_ready_o) begin
      window_q <= cmd_instr_i[tpu_pkg::LOAD_WINDOW_LSB +: tpu_pkg::LOAD_WINDOW_W];
      run_bytes_q <= cmd_instr_i[tpu_pkg::LOAD_RUN_BYTES_LSB +: tpu_pkg::LOAD_RUN_BYTES_W];
      count0_q <= cmd_instr_i[tpu_pkg::LOAD_COUNT0_LSB +: tpu_pkg::LOAD_COUNT0_W];
      valid_from_q <= cmd_instr_i[tpu_pkg::LOAD_VALID_FROM_LSB +: tpu_pkg::LOAD_VALID_FROM_W];
      valid_to_q <= cmd_instr_i[tpu_pkg::LOAD_VALID_TO_LSB +: tpu_pkg::LOAD_VALID_TO_W];
      stride0_q <= cmd_instr_i[tpu_pkg::LOAD_SRC_STRIDE0_LSB +: tpu_pkg::LOAD_SRC_STRIDE0_W];
      stride1_q <= cmd_instr_i[tpu_pkg::LOAD_SRC_STRIDE1_LSB +: tpu_pkg::LOAD_SRC_STRIDE1_W];
      outer_q <= cmd_instr_i[tpu_pkg::LOAD_SRC_LSB +: tpu_pkg::LOAD_SRC_W];
      run_q <= cmd_instr_i[tpu_pkg::LOAD_SRC_LSB +: tpu_pkg::LOAD_SRC_W];
      i0_q <= '0;
      left1_q <= cmd_instr_i[tpu_pkg::LOAD_COUNT1_LSB +: tpu_pkg::LOAD_COUNT1_W];
    end else if (step) begin
      if (last0) begin
        i0_q <= '0;
        left1_q <= left1_q - 16'd1;
        outer_q <= outer_q + stride1_q;
        run_q <= outer_q + stride1_q;
      end else begin
        i0_q <= i0_q + 16'd1;
        run_q <= run_q + stride0_q;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      span_valid_q <= 1'b0;
      ar_valid_q <= 1'b0;
      issue_seq_q <= '0;
    end else begin
      if (take) begin
        span_valid_q <= 1'b1;
      end else if (span_done) begin
        span_valid_q <= 1'b0;
      end
      if (burst_go) begin
        ar_valid_q <= 1'b1;
        issue_seq_q <= issue_seq_q + SeqWidth'(burst);
      end else if (ar_ready_i) begin
        ar_valid_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      span_beat_q <= address[31:Log];
      span_left_q <= BeatsWidth'((25'(address[Log-1:0]) + {1'b0, run_bytes_q} + 25'(Dim - 1)) >> Log);
    end else if (burst_go) begin
      span_beat_q <= span_beat_q + (32-Log)'(burst);
      span_left_q <= span_left_q - BeatsWidth'(burst);
    end
    if (burst_go) begin
      ar_beat_q <= span_beat_q;
      ar_beats_q <= burst;
    end
  end

  logic unused;
  assign unused = ^cmd_instr_i;
endmodule
