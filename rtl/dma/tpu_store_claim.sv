// SPDX-License-Identifier: Apache-2.0
// When STORE claims the scratchpad. Refused reads are counted; after too many of them, STORE claims the cycle after
// each refusal: while a burst is open, until it is sent, because the bus must not wait for data that do not come; while
// no burst is open, until a read is not refused. Exponents are claimed soon, because the MXU reads them in every cycle
// of block floating point.
//
// Latency: claim_o follows a refusal by one cycle. Throughput: at most every other cycle is claimed.
// Back-pressure: none; a read must be granted while claim_o is high.
//
// Parameters: BlockRows, the rows from there on are exponents.
`include "tpu_assert.svh"
module tpu_store_claim #(
  parameter int BlockRows = 12288
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        rd_valid_i,
  input  logic        rd_ready_i,
  input  logic [15:0] rd_row_i,
  // Beats are issued and not sent; a burst is sent.
  input  logic        open_i,
  input  logic        burst_i,
  output logic        claim_o
);
  localparam int Patience = 512;             // refused reads before STORE claims, while a burst is open
  localparam int LongPatience = 1024;        // the same while no burst is open
  localparam int ExponentPatience = 16;      // of exponents

  logic [$clog2(LongPatience):0] refused_q;
  logic exponents, waited, claim_q;
  assign exponents = 32'(rd_row_i) >= BlockRows;
  assign waited    = 32'(refused_q) >= (exponents ? ExponentPatience : open_i ? Patience : LongPatience);
  assign claim_o   = claim_q;

  // A task, because a simulator then computes nothing when rd_ready_i changes.
  task automatic count(input logic refused);
    if (refused && !waited) refused_q <= refused_q + 1'b1;
    else if (open_i ? burst_i : !refused) refused_q <= '0;
    claim_q <= refused && waited;
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      refused_q <= '0;
      claim_q   <= 1'b0;
    end else if (rd_valid_i || refused_q != '0 || claim_q) begin
      count(rd_valid_i && !rd_ready_i);
    end
  end

  `TPU_ASSERT_WHEN(ClaimIsGranted, claim_q, rd_valid_i && rd_ready_i)
endmodule
