// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_fifo: those of queue_promises.
`include "properties.svh"
module fifo_properties #(
  parameter int Width = 16,
  parameter int Depth = 8,
  localparam int PtrWidth = $clog2(Depth)
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             wr_valid_i,
  input logic [Width-1:0] wr_data_i,
  input logic             rd_ready_i,
  input logic             pick_i
);
  logic              wr_ready_o, rd_valid_o, tracked_q;
  logic [Width-1:0]  rd_data_o, picked_q;
  logic [PtrWidth:0] level_o, before_q;
  `CHECKED_OUTSIDE_RESET
  tpu_fifo #(.Width(Width), .Depth(Depth)) u_fifo (.*);
  queue_promises #(.Width(Width), .Depth(Depth)) u_promises (.checked(), .*);

  `PROPERTY(Offered, level_o != '0, rd_valid_o)

  // The words behind the oldest are those between the pointers.
  logic [PtrWidth-1:0] stored, slot;
  assign stored = u_fifo.wr_ptr_q - u_fifo.rd_ptr_q;
  assign slot   = u_fifo.rd_ptr_q + PtrWidth'(before_q) - 1'b1;
  `INVARIANT(Pointers, stored == (level_o == '0 ? '0 : PtrWidth'(level_o - 1'b1)))
  `INVARIANT(Picked, !tracked_q || (before_q == '0 ? rd_data_o : u_fifo.mem[slot]) == picked_q)
endmodule
