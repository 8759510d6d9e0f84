// SPDX-License-Identifier: Apache-2.0
// Splits spans of bytes into AXI4 bursts: full-width INCR beats, aligned to the beat, at most 32 of them, never across
// 4 KiB.
//
// Latency: two cycles from a span to its first address. Throughput: one burst per cycle; a span of one burst takes one
// cycle. Back-pressure: addr_ready_i, hold_i, and room_i: a burst of more than room_i beats waits.
//
// Protocol: span_* and addr_* are valid/ready streams. issue_* describe a burst in the cycle in which it enters the
// output register, where it stays until taken; span_done_o is high with the last burst of each span.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a beat; BytesWidth, bits of a span's length.
module tpu_burst_split #(
  parameter int Dim = 16,
  parameter int BytesWidth = 24
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // Spans: at least one byte.
  input  logic                  span_valid_i,
  output logic                  span_ready_o,
  input  logic [31:0]           span_addr_i,
  input  logic [BytesWidth-1:0] span_bytes_i,
  input  logic                  span_last_i,
  // Conditions.
  input  logic                  hold_i,
  input  logic [9:0]            room_i,
  // The burst being issued; issue_last_o: the last one of a span with span_last_i.
  output logic                  issue_o,
  output logic [5:0]            issue_beats_o,
  output logic [31:0]           issue_addr_o,
  output logic                  issue_last_o,
  output logic                  span_done_o,
  output logic                  pending_o,
  // Addresses.
  output logic                  addr_valid_o,
  input  logic                  addr_ready_i,
  output logic [31:0]           addr_o,
  output logic [7:0]            addr_len_o
);
  localparam int Log = $clog2(Dim);
  localparam int BeatsWidth = BytesWidth + 1 - Log; // a span and a partial beat
  localparam int PageWidth = 12 - Log;
  localparam int MaxBurst = 32;

  // Current span: next beat and beats left.
  logic                  valid_q, last_q;
  logic [31-Log:0]       beat_q;
  logic [BeatsWidth-1:0] left_q;
  // The address at the output.
  logic                  addr_valid_q;
  logic [31-Log:0]       addr_beat_q;
  logic [4:0]            addr_len_q;

  logic [PageWidth-1:0]  page_left;           // beats after this one in its page
  logic [PageWidth:0]    page_end;            // first beat after the span, counted from the start of
                                              // this page; valid if at most 32 beats are left
  logic                  room, done;
  always_comb begin
    issue_o = 1'b0;
    issue_beats_o = '0;
    issue_last_o = 1'b0;
    done = 1'b0;
    room = 1'b0;
    page_left = '0;
    page_end = '0;
    if (valid_q) begin
      page_left = ~beat_q[PageWidth-1:0];
      issue_beats_o = 6'(MaxBurst);
      if (left_q < BeatsWidth'(MaxBurst)) issue_beats_o = left_q[5:0];
      if (32'(page_left) < 32'(issue_beats_o)) issue_beats_o = 6'(page_left) + 6'd1;
      // The three terms are compared instead of their minimum issue_beats_o, which is known later.
      room = room_i >= 10'(MaxBurst) || 32'(left_q) <= 32'(room_i) || 32'(page_left) < 32'(room_i);
      page_end = {1'b0, beat_q[PageWidth-1:0]} + (PageWidth+1)'(left_q[5:0]);
      issue_o = (!addr_valid_q || addr_ready_i) && room && !hold_i;
      done = issue_o && left_q <= BeatsWidth'(MaxBurst) && (!page_end[PageWidth] || page_end[PageWidth-1:0] == '0);
      issue_last_o = done && last_q;
    end
  end

  assign span_ready_o = !valid_q || done;
  assign issue_addr_o = {beat_q, Log'(0)};
  assign span_done_o  = done;
  assign pending_o    = valid_q || addr_valid_q;
  assign addr_valid_o = addr_valid_q;
  assign addr_o       = {addr_beat_q, Log'(0)};
  assign addr_len_o   = {3'd0, addr_len_q};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      addr_valid_q <= 1'b0;
    end else begin
      if (span_ready_o) valid_q <= span_valid_i;
      if (issue_o) addr_valid_q <= 1'b1;
      else if (addr_ready_i) addr_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (span_valid_i && span_ready_o) begin
      last_q <= span_last_i;
      beat_q <= span_addr_i[31:Log];
      left_q <= BeatsWidth'(((BytesWidth+1)'(span_addr_i[Log-1:0]) + {1'b0, span_bytes_i} + (BytesWidth+1)'(Dim - 1))
                            >> Log);
    end else if (issue_o) begin
      beat_q <= beat_q + (32-Log)'(issue_beats_o);
      left_q <= left_q - BeatsWidth'(issue_beats_o);
    end
    if (issue_o) begin
      addr_beat_q <= beat_q;
      addr_len_q <= 5'(issue_beats_o - 6'd1);
    end
  end
endmodule
