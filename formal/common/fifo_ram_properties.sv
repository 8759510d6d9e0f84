// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_fifo_ram: those of queue_promises.
`include "properties.svh"
module fifo_ram_properties #(
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
  tpu_fifo_ram #(.Width(Width), .Depth(Depth)) u_fifo (.*);
  queue_promises #(.Width(Width), .Depth(Depth)) u_promises (.checked(), .*);

  // A word was held in the last cycle, too.
  logic held_q;
  always_ff @(posedge clk_i) held_q <= rst_ni && level_o > (PtrWidth+1)'(rd_valid_o && rd_ready_i);
  `PROPERTY(Offered, held_q, rd_valid_o)

  // The words that are not at the output are those between the pointers of a ring of Depth - 1 words.
  localparam int Words = Depth - 1;
  logic [PtrWidth:0] stored, ahead, slot;
  assign stored = level_o - (PtrWidth+1)'(rd_valid_o);
  assign ahead  = before_q - (PtrWidth+1)'(rd_valid_o);
  assign slot   = (PtrWidth+1)'(u_fifo.rd_ptr_q) + ahead;
  `INVARIANT(Ring, u_fifo.rd_ptr_q < PtrWidth'(Words) && u_fifo.wr_ptr_q < PtrWidth'(Words))
  `INVARIANT(Pointers, stored <= (PtrWidth+1)'(Words) && (PtrWidth+1)'(u_fifo.wr_ptr_q) ==
             ((PtrWidth+1)'(u_fifo.rd_ptr_q) + stored) % (PtrWidth+1)'(Words))
  `INVARIANT(Picked, !tracked_q || (rd_valid_o && before_q == '0 ? rd_data_o :
             u_fifo.u_words.mem[PtrWidth'(slot % (PtrWidth+1)'(Words))]) == picked_q)
  `INVARIANT(Empty, level_o != '0 || !rd_valid_o)
endmodule
