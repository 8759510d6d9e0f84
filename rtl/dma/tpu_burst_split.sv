// SPDX-License-Identifier: Apache-2.0
// Splits spans of bytes into AXI4 bursts: full-width INCR beats, aligned to the beat. A burst ends with its span, or at
// a multiple of 32 beats, so that it has at most 32 beats and never crosses 4 KiB.
//
// Latency: one cycle from a span to its first address. Throughput: one burst per cycle; a span of one burst takes one
// cycle. Back-pressure: addr_ready_i, and go_i: while it is low, no new burst is offered.
//
// Protocol: span_* and addr_* are valid/ready streams; a span without span_i.allowed, which is known late, is dropped.
// issue_o.valid is high when an address is taken, issue_o.span_done when it is the last of its span.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a beat; BytesWidth, bits of a span's length.
module tpu_burst_split #(
  parameter int Dim = 16,
  parameter int BytesWidth = 24
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // Spans: at least one byte.
  input  tpu_axi_pkg::span_t    span_i,
  output logic                  span_ready_o,
  input  logic [BytesWidth-1:0] span_bytes_i,
  // Bursts; issue_o.last: the last one of a span with span_i.last.
  input  logic                  go_i,
  output tpu_axi_pkg::issue_t   issue_o,
  output logic                  pending_o,
  input  logic                  addr_ready_i,
  output tpu_axi_pkg::request_t addr_o
);
  localparam int Log = $clog2(Dim);
  localparam int BlockLog = $clog2(tpu_axi_pkg::MAX_BEATS);
  localparam int Block = Log + BlockLog;     // address bits within 32 beats
  localparam int CountWidth = BytesWidth + 1 - Log;

  // The current span: its next 32 beats, the first beat there, and the beats from there to the end of the span.
  logic                  valid_q, last_q, offered_q;
  logic [31-Block:0]     block_q;
  logic [BlockLog-1:0]   beat_q;
  logic [CountWidth-1:0] end_q;

  logic       final_burst;
  logic [5:0] stop;                          // beat after the burst
  always_comb begin
    final_burst   = end_q <= CountWidth'(tpu_axi_pkg::MAX_BEATS);
    stop          = final_burst ? end_q[5:0] : 6'(tpu_axi_pkg::MAX_BEATS);
    issue_o.beats = stop - 6'(beat_q);
    addr_o.valid  = valid_q && (go_i || offered_q);
    issue_o.valid = addr_o.valid && addr_ready_i;
    issue_o.span_done = issue_o.valid && final_burst;
    issue_o.last  = issue_o.span_done && last_q;
  end

  assign span_ready_o = !valid_q || issue_o.span_done;
  assign pending_o    = valid_q;
  assign addr_o.addr  = {block_q, beat_q, Log'(0)};
  assign addr_o.len   = 8'(issue_o.beats) - 8'd1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q   <= 1'b0;
      offered_q <= 1'b0;
    end else if (valid_q || span_i.valid) begin
      if (span_ready_o) valid_q <= span_i.valid && span_i.allowed;
      offered_q <= addr_o.valid && !addr_ready_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (span_i.valid && span_ready_o) begin
      last_q            <= span_i.last;
      {block_q, beat_q} <= span_i.addr[31:Log];
      end_q             <= CountWidth'(((BytesWidth+1)'(span_i.addr[Block-1:0]) + (BytesWidth+1)'(span_bytes_i)
                                        + (BytesWidth+1)'(Dim - 1)) >> Log);
    end else if (issue_o.valid) begin
      block_q <= block_q + 1'b1;
      beat_q  <= '0;
      end_q   <= end_q - CountWidth'(tpu_axi_pkg::MAX_BEATS);
    end
  end
endmodule
