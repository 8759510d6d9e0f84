// SPDX-License-Identifier: Apache-2.0
// Request side of LOAD: walks the runs of a command, checks each against its window and requests its beats as bursts
// (tpu_burst_split). It runs ahead of the emitter by whole commands, so that the
// memory latency of one command overlaps with the rows of the previous one.
//
// Latency: two cycles from an accepted command to its first address.
// Throughput: one run per cycle and one burst per cycle; runs of one burst are requested in successive cycles.
// Back-pressure: ar_ready_i; a burst is requested only when the line buffer has room for the longest one.
//
// Protocol: cmd_* and ar_* are valid/ready streams. check_o.checked pulses once per command, in the cycle after the
// last of its runs has passed its check. The walk ends at the first run that fails: check_o.fault stays high, check_o
// identify the run, and fault_addr_o is its offset in the window. While halted_i is high, the walk stops and nothing is
// requested.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a beat; Windows.
`include "tpu_instr.svh"
module tpu_load_source #(
  parameter int Dim = 16,
  parameter int Windows = 4,
  localparam int SeqWidth = $clog2(tpu_pkg::LINE_BUFFER_BEATS) + 1
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  tpu_window_pkg::windows_t    windows_i,
  // Commands.
  input  logic                        cmd_valid_i,
  output logic                        cmd_ready_o,
  input  logic [tpu_pkg::INSTR_W-1:0] cmd_instr_i,
  // Progress of the checks, in command order.
  output tpu_load_pkg::check_t        check_o,
  // The engine has stopped: check and request nothing.
  input  logic                        halted_i,
  // Read addresses.
  input  logic                        ar_ready_i,
  output tpu_axi_pkg::request_t       ar_o,
  // Beats requested and beats released by the line buffer, both counted from reset, modulo twice the line buffer.
  output logic [SeqWidth-1:0]         issue_seq_o,
  input  logic [SeqWidth-1:0]         release_seq_i
);
  load_instr_t instr;
  assign instr = cmd_instr_i;

  // The command being walked.
  logic        active_q;
  tpu_window_pkg::index_t window_q;
  logic [23:0] run_bytes_q;
  logic [15:0] count0_q, valid_from_q, valid_to_q;
  logic [31:0] stride0_q, stride1_q;
  logic [31:0] outer_q, run_q;               // offsets of run (i1, 0) and of run (i1, i0)
  logic [15:0] i0_q, n0_q, left1_q;          // inner iteration, and those up to this one
  logic        inside_q;                     // the iteration before reads memory

  logic                fault_q, checked_q;
  logic [SeqWidth-1:0] issue_seq_q;

  logic        allowed;
  logic [31:0] address;
  tpu_window_check #(.Permission(tpu_pkg::PERMISSION_READ), .LengthWidth(24), .Windows(Windows)) u_check (
    .windows_i,
    .window_i(window_q), .offset_i(run_q), .length_i(run_bytes_q),
    .allowed_o(allowed), .address_o(address));

  // Room for whole bursts is reserved when they are issued.
  localparam int Full = tpu_pkg::LINE_BUFFER_BEATS - tpu_axi_pkg::MAX_BEATS;
  logic                  reads, skips, ready, step, wanted, last0, last, span_ready, pending;
  tpu_axi_pkg::span_t    span;
  tpu_axi_pkg::issue_t   issue;
  assign span = '{valid: wanted, allowed: allowed, last: last, addr: address};
  logic [SeqWidth-1:0]   held;
  assign held = issue_seq_q - release_seq_i;
  tpu_burst_split #(.Dim(Dim), .BytesWidth(24)) u_split (
    .clk_i, .rst_ni,
    .span_i(span), .span_ready_o(span_ready), .span_bytes_i(run_bytes_q),
    .go_i(held <= SeqWidth'(Full) && !halted_i), .issue_o(issue), .pending_o(pending),
    .addr_ready_i(ar_ready_i), .addr_o(ar_o));

  // The run walker.
  logic [31:0] next_run;
  assign next_run = (last0 ? outer_q : run_q) + (last0 ? stride1_q : stride0_q);
  always_comb begin
    reads = 1'b0;
    skips = 1'b0;
    ready = 1'b0;
    wanted = 1'b0;
    last0 = 1'b0;
    last = 1'b0;
    if (active_q && !halted_i) begin
      reads = (inside_q || i0_q == valid_from_q) && i0_q != valid_to_q;
      skips = !reads;
      ready = span_ready;
      wanted = reads;
      last0 = n0_q == count0_q;
      last = last0 && left1_q == 16'd1;
    end
  end

  // Whether a run is allowed is known late. One that is not stops the walk.
  assign step = skips || (allowed && ready);

  assign cmd_ready_o  = !active_q && !fault_q && !halted_i;
  assign check_o      = '{checked: checked_q, fault: fault_q, fault_addr: run_q, n0: n0_q, left1: left1_q};
  assign issue_seq_o  = issue_seq_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      fault_q <= 1'b0;
      checked_q <= 1'b0;
    end else if (active_q || checked_q || cmd_valid_i) begin
      checked_q <= step && last;
      if (active_q) begin
        if ((step && last) || (reads && !allowed)) active_q <= 1'b0;
        if (reads && !allowed) fault_q <= 1'b1;
      end else if (cmd_ready_o) begin
        active_q <= cmd_valid_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (cmd_valid_i && cmd_ready_o) begin
      window_q <= instr.window;
      run_bytes_q <= instr.run_bytes;
      count0_q <= instr.count0;
      valid_from_q <= instr.valid_from;
      valid_to_q <= instr.valid_to;
      stride0_q <= instr.src_stride0;
      stride1_q <= instr.src_stride1;
      outer_q <= instr.src;
      run_q <= instr.src;
      i0_q <= '0;
      n0_q <= 16'd1;
      inside_q <= 1'b0;
      left1_q <= instr.count1;
    end else if (step) begin
      i0_q <= last0 ? '0 : n0_q;
      n0_q <= last0 ? 16'd1 : n0_q + 16'd1;
      inside_q <= reads && !last0;
      run_q <= next_run;
      if (last0) begin
        left1_q <= left1_q - 16'd1;
        outer_q <= next_run;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) issue_seq_q <= '0;
    else if (issue.valid) issue_seq_q <= issue_seq_q + SeqWidth'(issue.beats);
  end

  logic unused;
  assign unused = ^{instr, issue, pending};
endmodule
