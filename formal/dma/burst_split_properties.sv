// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_burst_split: the bursts of a span are its beats, each once, in order.
`include "properties.svh"
module burst_split_properties #(
  parameter int Dim = 16,
  parameter int BytesWidth = 24
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input tpu_axi_pkg::span_t    span_i,
  input logic [BytesWidth-1:0] span_bytes_i,
  input logic                  go_i,
  input logic                  addr_ready_i
);
  localparam int Log = $clog2(Dim);

  logic                  span_ready_o, pending_o;
  tpu_axi_pkg::issue_t   issue_o;
  tpu_axi_pkg::request_t addr_o;
  tpu_burst_split #(.Dim(Dim), .BytesWidth(BytesWidth)) u_split (.*);
  `CHECKED_OUTSIDE_RESET
  `ASSUMPTION(AtLeastOneByte, !span_i.valid || span_bytes_i != '0)

  // The span at work: its next beat and the one behind its last, in bytes, and with so many bits that nothing wraps.
  logic        busy_q, last_q;
  logic [33:0] next_q, after_q, end_of_burst;
  assign end_of_burst = next_q + (34'(issue_o.beats) << Log);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
    end else begin
      if (busy_q && issue_o.valid) begin
        next_q <= end_of_burst;
        if (end_of_burst >= after_q) busy_q <= 1'b0;
      end
      if (span_i.valid && span_i.allowed && span_ready_o) begin
        busy_q  <= 1'b1;
        last_q  <= span_i.last;
        next_q  <= 34'(span_i.addr) >> Log << Log;
        after_q <= (34'(span_i.addr) + 34'(span_bytes_i) + 34'(Dim - 1)) >> Log << Log;
      end
    end
  end

  // Address offered in the previous cycle and not accepted.
  logic                  waits_q;
  tpu_axi_pkg::request_t waiting_q;
  always_ff @(posedge clk_i) begin
    waits_q   <= rst_ni && addr_o.valid && !addr_ready_i;
    waiting_q <= addr_o;
  end

  logic [31:0] last_byte;
  assign last_byte = addr_o.addr + (32'(issue_o.beats) << Log) - 32'd1;

  `PROPERTY(WithinPage, addr_o.valid && issue_o.beats > 6'd1, addr_o.addr[31:12] == last_byte[31:12])
  `PROPERTY(AtMost32Beats, addr_o.valid, issue_o.beats >= 6'd1 && issue_o.beats <= 6'd32)
  `PROPERTY(Length, addr_o.valid, 9'(addr_o.len) + 9'd1 == 9'(issue_o.beats))
  `PROPERTY(InOrder, addr_o.valid, busy_q && addr_o.addr == next_q[31:0])
  `PROPERTY(NotABeatMore, addr_o.valid, end_of_burst <= after_q)
  `PROPERTY(DoneWithTheLast, issue_o.valid, issue_o.span_done == (end_of_burst == after_q))
  `PROPERTY(LastOfLast, issue_o.valid && issue_o.span_done, issue_o.last == last_q)
  `PROPERTY(OnlyDoneWhenIssued, !issue_o.valid && busy_q, !issue_o.span_done && !issue_o.last)
  `PROPERTY(Longest, issue_o.valid && !issue_o.span_done, end_of_burst[Log+4:0] == '0)
  `PROPERTY(IssuedWhenTaken, addr_o.valid || addr_ready_i, issue_o.valid == (addr_o.valid && addr_ready_i))
  `PROPERTY(Hold, !go_i && !waits_q && busy_q, !addr_o.valid)
  `PROPERTY(WorkConserving, busy_q && go_i, addr_o.valid)
  `PROPERTY(AddressStable, waits_q, addr_o.valid && addr_o == waiting_q)
  `PROPERTY(Pending, busy_q, pending_o)
  `PROPERTY(NothingOfADroppedSpan, !busy_q, !addr_o.valid && !pending_o)
  `PROPERTY(SpanTakenInTime, !busy_q, span_ready_o)

  `INVARIANT(Busy, u_split.valid_q == busy_q)
  `INVARIANT(Offered, u_split.offered_q == waits_q && (!waits_q || busy_q && waiting_q == addr_o))
  `INVARIANT(Left, !busy_q || u_split.last_q == last_q && addr_o.addr == next_q[31:0] && next_q < after_q &&
                   34'(u_split.end_q) << Log == after_q - (next_q >> (Log + 5) << (Log + 5)) &&
                   next_q[Log-1:0] == '0 && after_q[Log-1:0] == '0)
endmodule
