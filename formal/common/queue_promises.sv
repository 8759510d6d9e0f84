// SPDX-License-Identifier: Apache-2.0
// Properties of every queue, stated on its ports. `pick_i` chooses a word that enters at any time, so what holds for it
// holds for every word. The outputs are for invariants: the picked word is inside, the words before it, and the word
// itself.
`include "properties.svh"
module queue_promises #(
  parameter int Width = 16,
  parameter int Depth = 8,
  localparam int PtrWidth = $clog2(Depth)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              wr_valid_i,
  input  logic              wr_ready_o,
  input  logic [Width-1:0]  wr_data_i,
  input  logic              rd_valid_o,
  input  logic              rd_ready_i,
  input  logic [Width-1:0]  rd_data_o,
  input  logic [PtrWidth:0] level_o,
  input  logic              pick_i,
  output logic              checked,
  output logic              tracked_q,
  output logic [PtrWidth:0] before_q,
  output logic [Width-1:0]  picked_q
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  assign checked = started_q && rst_ni;

  logic push, pop;
  assign push = wr_valid_i && wr_ready_o;
  assign pop  = rd_valid_o && rd_ready_i;

  // Words that entered and did not leave; what the output was, if it was not taken.
  logic              held_q, full_q;
  logic [PtrWidth:0] count_q;
  logic [Width-1:0]  last_q;
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
  `PROPERTY(Empty, count_q == '0 && full_q, !rd_valid_o)
  `PROPERTY(Full, count_q == (PtrWidth+1)'(Depth), !wr_ready_o)
  `PROPERTY(NotFull, count_q == (PtrWidth+1)'(Depth - 1), wr_ready_o)
  `PROPERTY(Order, tracked_q && before_q == '0 && rd_valid_o && full_q, rd_data_o == picked_q)
  `PROPERTY(Stable, held_q, rd_valid_o && rd_data_o == last_q)

  `INVARIANT(Level, level_o == count_q && count_q <= (PtrWidth+1)'(Depth))
  `INVARIANT(Before, !tracked_q || before_q < count_q)
endmodule
