// SPDX-License-Identifier: Apache-2.0
// Address side of STORE: walks the runs of a command, checks each against its window and issues its bursts.
//
// Latency: three cycles from an accepted command to its first address, if go_i is high.
// Throughput: one run and one burst per cycle. Back-pressure: aw_ready_i; no burst is issued while go_i is low.
//
// Protocol: cmd_* and aw_* are valid/ready streams; a command is accepted with the last run of the previous one.
// issue_* describe a burst in the cycle before it is offered. checked_o pulses once per command when the last of its
// runs has passed its check. The walk ends at the first run that fails: fault_o stays high. While halted_i is high, the
// walk stops and nothing is issued.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a beat.
`include "tpu_instr.svh"
module tpu_store_address #(
  parameter int Dim = 16
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic [32*tpu_pkg::WINDOWS-1:0] win_base_i,
  input  logic [32*tpu_pkg::WINDOWS-1:0] win_size_i,
  input  logic [3*tpu_pkg::WINDOWS-1:0]  win_perm_i,
  // Commands.
  input  logic                           cmd_valid_i,
  output logic                           cmd_ready_o,
  input  logic [tpu_pkg::INSTR_W-1:0]    cmd_instr_i,
  // Progress of the checks, in command order.
  output logic                           checked_o,
  output logic                           fault_o,
  output logic [31:0]                    fault_addr_o,
  input  logic                           halted_i,
  // Runs that pass their check, and runs whose last burst is issued.
  output logic                           step_o,
  output logic                           span_done_o,
  // The burst being issued; issue_last_o: last one of its command.
  input  logic                           go_i,
  output logic                           issue_o,
  output logic [5:0]                     issue_beats_o,
  output logic [31:0]                    issue_addr_o,
  output logic                           issue_last_o,
  output logic                           busy_o,
  output logic                           pending_o,
  // Write addresses.
  output logic                           aw_valid_o,
  input  logic                           aw_ready_i,
  output logic [31:0]                    aw_addr_o,
  output logic [7:0]                     aw_len_o
);
  store_instr_t instr;
  assign instr = cmd_instr_i;

  logic        active_q, fault_q;
  logic [1:0]  window_q;
  logic [31:0] run_bytes_q, stride0_q, stride1_q;
  logic [31:0] outer_q, run_q;               // offsets of run (i1, 0) and of run (i1, i0)
  logic [15:0] count0_q, left0_q, left1_q;

  logic        allowed;
  logic [31:0] address;
  tpu_window_check #(.Permission(tpu_pkg::PERMISSION_WRITE)) u_check (
    .win_base_i, .win_size_i, .win_perm_i,
    .window_i(window_q), .offset_i(run_q), .length_i(run_bytes_q),
    .allowed_o(allowed), .address_o(address));

  logic step, last0, last, span_ready;
  assign step  = active_q && allowed && span_ready && !halted_i;
  assign last0 = left0_q == 16'd1;
  assign last  = last0 && left1_q == 16'd1;
  tpu_burst_split #(.Dim(Dim), .BytesWidth(32)) u_split (
    .clk_i, .rst_ni,
    .span_valid_i(step), .span_ready_o(span_ready), .span_addr_i(address), .span_bytes_i(run_bytes_q),
    .span_last_i(last),
    .hold_i(halted_i), .room_i(go_i ? 10'd32 : 10'd0),
    .issue_o, .issue_beats_o, .issue_addr_o, .issue_last_o, .span_done_o, .pending_o,
    .addr_valid_o(aw_valid_o), .addr_ready_i(aw_ready_i), .addr_o(aw_addr_o), .addr_len_o(aw_len_o));

  // The next command is accepted with the last run of this one, so that its first burst is not delayed.
  assign cmd_ready_o  = (!active_q || checked_o) && !fault_q && !halted_i;
  assign checked_o    = step && last;
  assign fault_o      = fault_q;
  assign fault_addr_o = run_q;
  assign busy_o       = active_q || pending_o;
  assign step_o       = step;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      fault_q <= 1'b0;
    end else begin
      if (active_q && !allowed) fault_q <= 1'b1;
      if (cmd_valid_i && cmd_ready_o) active_q <= 1'b1;
      else if (!allowed || checked_o) active_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (cmd_valid_i && cmd_ready_o) begin
      window_q <= instr.window;
      run_bytes_q <= 32'(instr.pieces) * 32'(instr.piece_bytes);
      stride0_q <= instr.dst_stride0;
      stride1_q <= instr.dst_stride1;
      outer_q <= instr.dst;
      run_q <= instr.dst;
      count0_q <= instr.count0;
      left0_q <= instr.count0;
      left1_q <= instr.count1;
    end else if (step) begin
      if (last0) begin
        left0_q <= count0_q;
        left1_q <= left1_q - 16'd1;
        outer_q <= outer_q + stride1_q;
        run_q <= outer_q + stride1_q;
      end else begin
        left0_q <= left0_q - 16'd1;
        run_q <= run_q + stride0_q;
      end
    end
  end

  logic unused;
  assign unused = ^instr;
endmodule
