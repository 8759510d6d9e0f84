// SPDX-License-Identifier: Apache-2.0
// Properties of STORE's way out of the core. With those of tpu_window_check (WholeBeats: what is allowed lies in its
// window) and of tpu_burst_split (InOrder, NotABeatMore, NothingOfADroppedSpan: bursts are the beats of allowed spans)
// no byte outside of a window with permission is written: what the splitter takes is what the check allowed, and what
// leaves the core is what the splitter offers.
`include "properties.svh"
module store_properties #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int BlockRows = ScratchRows
) (
  input logic                           clk_i,
  input logic                           rst_ni,
  input tpu_window_pkg::windows_t       windows_i,
  input logic                           cmd_valid_i,
  input logic [tpu_pkg::INSTR_W-1:0]    cmd_instr_i,
  input logic                           rd_ready_i,
  input logic [8*Dim-1:0]               rd_data_i,
  input logic                           aw_ready_i,
  input logic                           w_ready_i,
  input tpu_axi_pkg::answer_t           b_i
);
  logic                       cmd_ready_o, rd_claim_o, rd_valid_o, w_valid_o;
  logic                       w_last_o;
  tpu_axi_pkg::request_t      aw_o;
  tpu_report_pkg::report_t    report_o;
  logic [15:0]                rd_row_o;
  logic [8*Dim-1:0]           w_data_o;
  logic [Dim-1:0]             w_strb_o;
  tpu_store #(.Dim(Dim), .ScratchRows(ScratchRows), .BlockRows(BlockRows)) u_store (.*);
  `CHECKED_OUTSIDE_RESET

  // The span that the splitter takes, and the access that the check allows.
  logic        taken;
  logic [33:0] span, allowed;
  assign taken   = u_store.u_split.span_i.valid && u_store.u_split.span_ready_o && u_store.u_split.span_i.allowed;
  assign span    = 34'(u_store.u_split.span_i.addr) + 34'(u_store.u_split.span_bytes_i);
  assign allowed = 34'(u_store.u_walk.u_check.address_o) + 34'(u_store.u_walk.u_check.length_i);
  `PROPERTY(SpanIsAllowed, taken, u_store.u_walk.u_check.allowed_o &&
            u_store.u_split.span_i.addr == u_store.u_walk.u_check.address_o && span == allowed)
  `PROPERTY(MayWrite, taken, windows_i[u_store.u_walk.u_check.window_i].permission[tpu_pkg::PERMISSION_WRITE])
  `PROPERTY(AddressOfTheSplitter, aw_o.valid, u_store.u_split.addr_o.valid &&
            aw_o == u_store.u_split.addr_o)

  logic           held_q;
  logic [9*Dim:0] beat_q;
  always_ff @(posedge clk_i) begin
    held_q <= rst_ni && w_valid_o && !w_ready_i;
    beat_q <= {w_data_o, w_strb_o, w_last_o};
  end
  `PROPERTY(DataStable, held_q, w_valid_o && {w_data_o, w_strb_o, w_last_o} == beat_q)
endmodule
