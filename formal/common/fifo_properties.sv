// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_fifo. `pick_i` chooses a word that enters at any time: what holds for it, holds for every word.
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
  logic              wr_ready_o, rd_valid_o;
  logic [Width-1:0]  rd_data_o;
  logic [PtrWidth:0] level_o;

  tpu_fifo #(.Width(Width), .Depth(Depth)) u_fifo (.*);
  `CHECKED_OUTSIDE_RESET

  logic push, pop;
  assign push = wr_valid_i && wr_ready_o;
  assign pop  = rd_valid_o && rd_ready_i;

  // Words that entered and did not leave; the words before the picked one; what the output was, if it was not taken.
  logic              tracked_q, held_q, full_q;
  logic [PtrWidth:0] count_q, before_q;
  logic [Width-1:0]  picked_q, last_q;
  always_ff @(posedge clk_i) begin
    held_q <= rst_ni && rd_valid_o && !rd_ready_i;
    last_q <= rd_data_o;
    if (!rst_ni) begin
      tracked_q <= 1'b0;
      full_q    <= 1'b0;
      count_q   <= '0;
    end else begin
      full_q  <= full_q || !wr_ready_o;
      count_q <= count_q + (PtrWidth+1)'(push) - (PtrWidth+1)'(pop);
      if (!tracked_q) begin
        if (push && pick_i) begin
          tracked_q <= 1'b1;
          picked_q  <= wr_data_i;
          before_q  <= count_q - (PtrWidth+1)'(pop);
        end
      end else if (pop) begin
        if (before_q == '0) tracked_q <= 1'b0;
        else before_q <= before_q - 1'b1;
      end
    end
  end

  `PROPERTY(Level, full_q, level_o == count_q)
  `PROPERTY(NotEmpty, count_q != '0, rd_valid_o)
  `PROPERTY(Empty, count_q == '0 && full_q, !rd_valid_o)
  `PROPERTY(Full, count_q == (PtrWidth+1)'(Depth), !wr_ready_o)
  `PROPERTY(NotFull, count_q == (PtrWidth+1)'(Depth - 1), wr_ready_o)
  `PROPERTY(Order, tracked_q && before_q == '0 && full_q, rd_valid_o && rd_data_o == picked_q)
  `PROPERTY(Stable, held_q, rd_valid_o && rd_data_o == last_q)

  `INVARIANT(Level, level_o == count_q && count_q <= (PtrWidth+1)'(Depth))
endmodule
