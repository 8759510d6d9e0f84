// SPDX-License-Identifier: Apache-2.0
// First-in first-out queue with valid/ready streams on both sides.
//
// Latency: one cycle from an accepted word to its appearance at the output, which is a register: the memory is read
// only when a word leaves, so a waiting word costs no simulation time.
// Throughput: one word in and one word out per cycle.
// Back-pressure: wr_ready_o depends on registers only, so there is no combinational path from rd_ready_i.
//
// Parameters: Width (bits, at least 1), Depth (words, power of two, at least 2).
`include "tpu_assert.svh"
module tpu_fifo #(
  parameter int Width = 32,
  parameter int Depth = 4,
  localparam int PtrWidth = $clog2(Depth)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // Input stream.
  input  logic              wr_valid_i,
  output logic              wr_ready_o,
  input  logic [Width-1:0]  wr_data_i,
  // Output stream.
  output logic              rd_valid_o,
  input  logic              rd_ready_i,
  output logic [Width-1:0]  rd_data_o,
  // Number of words held.
  output logic [PtrWidth:0] level_o
);
  `TPU_ASSERT_INIT(DepthIsPowerOfTwo, Depth >= 2 && (Depth & (Depth - 1)) == 0)

  // The oldest word is in out_q, the others are in mem: on an FPGA in LUTs that are RAMs, which answer at once.
  (* ram_style = "distributed" *)
  logic [Width-1:0]    mem [0:Depth-1];
  logic [Width-1:0]    out_q;
  logic [PtrWidth-1:0] wr_ptr_q, rd_ptr_q;
  logic [PtrWidth:0]   level_q;

  assign wr_ready_o = level_q != (PtrWidth+1)'(Depth);
  assign rd_valid_o = level_q != '0;
  assign rd_data_o  = out_q;
  assign level_o    = level_q;

  // A task, and the input read once: a simulator then computes all of this only when a word comes or leaves.
  task automatic move;
    logic             push, pop, few, direct;
    logic [Width-1:0] word;

    push = wr_valid_i && wr_ready_o;
    pop  = rd_valid_o && rd_ready_i;
    if (push) word = wr_data_i;
    // A word that enters an empty queue goes directly to the output. That a word leaves is known late.
    few    = level_q <= (PtrWidth+1)'(1);
    direct = push && few && (level_q == '0 || pop);
    if (few) begin
      if (direct) out_q <= word;
    end else if (pop) begin
      out_q    <= mem[rd_ptr_q];
      rd_ptr_q <= rd_ptr_q + 1'b1;
    end
    if (push && !direct) begin
`ifndef SYNTHESIS
      // Blocking, behind the read: as in tpu_ram.
      /* verilator lint_off BLKSEQ */
      mem[wr_ptr_q] = word;
      /* verilator lint_on BLKSEQ */
`endif
      wr_ptr_q <= wr_ptr_q + 1'b1;
    end
    // Two counters and a choice between them, because push and pop are known late.
    if (push != pop) level_q <= push ? level_q + 1'b1 : ~(~level_q + 1'b1);
  endtask

`ifdef SYNTHESIS
  // A process of its own, so that tools find a RAM. A word that goes directly to the output is written, too: to a place
  // that no other has.
  always_ff @(posedge clk_i) begin
    if (wr_valid_i && wr_ready_o) mem[wr_ptr_q] <= wr_data_i;
  end
`endif

  // One process with one test: all that an idle queue costs a simulation.
  always_ff @(posedge clk_i) begin
    if (wr_valid_i || (rd_ready_i && rd_valid_o)) move;
    if (!rst_ni) begin
      wr_ptr_q <= '0;
      rd_ptr_q <= '0;
      level_q  <= '0;
    end
  end
endmodule
