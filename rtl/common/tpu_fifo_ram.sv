// SPDX-License-Identifier: Apache-2.0
// First-in first-out queue with valid/ready streams on both sides, for so many bits that they belong into a RAM. It has
// the ports and the handshakes of tpu_fifo, and shows a word one cycle later.
//
// Latency: two cycles from an accepted word to its appearance at the output, which is that of the RAM.
// Throughput: one word in and one word out per cycle.
// Back-pressure: wr_ready_o depends on registers only, so there is no combinational path from rd_ready_i. level_o and
// wr_ready_o count a word from the cycle after it was accepted, before it appears.
//
// Parameters: Width (bits, at least 1), Depth (words, power of two, at least 4).
`include "tpu_assert.svh"
module tpu_fifo_ram #(
  parameter int Width = 64,
  parameter int Depth = 32,
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
  `TPU_ASSERT_INIT(DepthIsPowerOfTwo, Depth >= 4 && (Depth & (Depth - 1)) == 0)

  // The oldest word stays at the output of the RAM, so that one word less has to be stored.
  localparam int Words = Depth - 1;

  logic                valid_q;
  logic [PtrWidth-1:0] wr_ptr_q, rd_ptr_q;
  logic [PtrWidth:0]   level_q;
  logic                push, pop, fetch;

  assign wr_ready_o = level_q != (PtrWidth+1)'(Depth);
  assign rd_valid_o = valid_q;
  assign level_o    = level_q;

  // A stored word moves to the output as soon as there is room.
  assign push = wr_valid_i && wr_ready_o;
  always_comb begin
    pop   = 1'b0;
    fetch = 1'b0;
    if (level_q != '0) begin // An empty queue costs a simulation one test.
      if (!valid_q || rd_ready_i) begin
        pop   = valid_q;
        fetch = level_q != (PtrWidth+1)'(valid_q);
      end
    end
  end

  tpu_ram #(.Width(Width), .Depth(Words)) u_words (
    .clk_i,
    .rd_en_i(fetch), .rd_addr_i(rd_ptr_q), .rd_data_o,
    .wr_en_i(push), .wr_addr_i(wr_ptr_q), .wr_data_i, .wr_mask_i(1'b1)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q  <= 1'b0;
      wr_ptr_q <= '0;
      rd_ptr_q <= '0;
      level_q  <= '0;
    end else if (push || pop || fetch) begin
      valid_q <= fetch || (valid_q && !pop);
      // Two counters and a choice between them, because push and pop are known late.
      if (push != pop) level_q <= push ? level_q + 1'b1 : ~(~level_q + 1'b1);
      if (push) wr_ptr_q <= wr_ptr_q == PtrWidth'(Words - 1) ? '0 : wr_ptr_q + 1'b1;
      if (fetch) rd_ptr_q <= rd_ptr_q == PtrWidth'(Words - 1) ? '0 : rd_ptr_q + 1'b1;
    end
  end
endmodule
