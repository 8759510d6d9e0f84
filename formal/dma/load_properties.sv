// SPDX-License-Identifier: Apache-2.0
// Properties of LOAD's way out of the core. With those of tpu_window_check (WholeBeats: what is allowed lies in its
// window) and of tpu_burst_split (InOrder, NotABeatMore, NothingOfADroppedSpan: bursts are the beats of allowed spans)
// no byte outside of a window with permission is read: what the splitter takes is what the check allowed, and what
// leaves the core is what the splitter offers.
`include "properties.svh"
module load_properties #(
  parameter int Dim = 16
) (
  input logic                           clk_i,
  input logic                           rst_ni,
  input tpu_window_pkg::windows_t       windows_i,
  input logic                           cmd_valid_i,
  input logic [tpu_pkg::INSTR_W-1:0]    cmd_instr_i,
  input logic                           ar_ready_i,
  input tpu_axi_pkg::answer_t           r_i,
  input logic [8*Dim-1:0]               r_data_i,
  input logic                           wr_ready_i
);
  logic                       cmd_ready_o;
  tpu_load_pkg::write_t       wr_o;
  tpu_axi_pkg::request_t      ar_o;
  tpu_report_pkg::report_t    report_o;
  logic [8*Dim-1:0]           wr_data_o;
  logic [Dim-1:0]             wr_mask_o;
  tpu_load #(.Dim(Dim)) u_load (.*);
  `CHECKED_OUTSIDE_RESET

  // The span that the splitter takes, and the access that the check allows.
  logic        taken;
  logic [33:0] span, allowed;
  assign taken   = u_load.u_source.u_split.span_i.valid && u_load.u_source.u_split.span_ready_o &&
                   u_load.u_source.u_split.span_i.allowed;
  assign span    = 34'(u_load.u_source.u_split.span_i.addr) + 34'(u_load.u_source.u_split.span_bytes_i);
  assign allowed = 34'(u_load.u_source.u_check.address_o) + 34'(u_load.u_source.u_check.length_i);
  `PROPERTY(SpanIsAllowed, taken, u_load.u_source.u_check.allowed_o &&
            u_load.u_source.u_split.span_i.addr == u_load.u_source.u_check.address_o && span == allowed)
  `PROPERTY(MayRead, taken, windows_i[u_load.u_source.u_check.window_i].permission[tpu_pkg::PERMISSION_READ])
  `PROPERTY(AddressOfTheSplitter, ar_o.valid, u_load.u_source.u_split.addr_o.valid &&
            ar_o == u_load.u_source.u_split.addr_o)
endmodule
