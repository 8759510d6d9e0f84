// SPDX-License-Identifier: Apache-2.0
// Collects the reads of one output row into an operand register of 4*DIM bytes:
//   DRAIN            the accumulator row plus bias
//   AVGPOOL          the running sum of the window's taps, int32 per lane
//   MAXPOOL          the running maximum, in the top quarter
//   all others       the row read is shifted in at the top, earlier rows move down by a quarter; DRAIN32 shifts in one
//                    quarter of the accumulator row
// The second operand of a residual DRAIN waits in a separate queue, because it is needed only when the accumulator row
// has been requantized.
//
// Latency: data of a read issued in cycle t arrive in t+1 and are in the register in t+2; full_o rises then if the
// operand is complete. Throughput: one read per cycle. Back-pressure: full_o stays high until take_i; until then no
// read may be issued that would overwrite the operand (asserted).
//
// Protocol: issue_i marks a read, whose data are on rd_data_i or acc_data_i in the next cycle. take_i removes the
// operand, side_take_i the oldest second operand of a residual.
//
// Parameters: Dim (lanes).
`include "tpu_assert.svh"
module tpu_vpu_gather #(
  parameter int Dim = 16
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // Read issued in this cycle.
  input  logic                     issue_i,
  input  tpu_vpu_pkg::read_t       read_i,
  // Data of the read issued in the cycle before.
  input  logic [Dim-1:0][7:0]      rd_data_i,
  input  logic [Dim-1:0][31:0]     acc_data_i,
  input  logic [Dim-1:0][31:0]     bias_i,
  // Operation of the command.
  input  tpu_vpu_pkg::operation_t  run_i,
  // Operand, in quarters of a byte for each lane, or words.
  output logic                     arriving_o,     // complete in the next cycle
  output logic                     full_o,
  input  logic                     take_i,
  output logic [3:0][Dim-1:0][7:0] operand_o,
  // Oldest second operand of a residual.
  input  logic                     side_take_i,
  output logic [Dim-1:0][7:0]      side_o
);
  logic                     valid_q, unused_run;
  tpu_vpu_pkg::read_t       read_q;
  logic [Dim-1:0][31:0]     operand_q;
  logic [3:0][Dim-1:0][7:0] acc_quarters;

  assign unused_run   = ^run_i;
  assign arriving_o   = valid_q && read_q.last;
  assign operand_o    = operand_q;
  assign acc_quarters = acc_data_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      full_o  <= 1'b0;
    end else begin
      valid_q <= issue_i;
      if (arriving_o) full_o <= 1'b1;
      else if (take_i) full_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (issue_i) read_q <= read_i;
  end

  // The functions read wide operands directly from the signals, because a simulator copies arguments.
  // Accumulators plus bias, or the running sum plus a tap.
  function automatic logic [Dim-1:0][31:0] add();
    logic [7:0]  outside, tap;
    logic [31:0] a, b;
    outside = run_i.counts_padding ? run_i.middle.zero : 8'd0;
    for (int i = 0; i < Dim; i++) begin
      tap = read_q.present ? rd_data_i[i] : outside;
      a   = run_i.drain ? acc_data_i[i] : read_q.first ? '0 : operand_q[i];
      b   = run_i.drain ? bias_i[i] : {{24{tap[7]}}, tap};
      add[i] = a + b;
    end
  endfunction

  function automatic logic [Dim-1:0][7:0] greater();
    logic signed [7:0] most, tap;
    for (int i = 0; i < Dim; i++) begin
      most       = read_q.first ? run_i.result.low : operand_o[3][i];
      tap        = rd_data_i[i];
      greater[i] = read_q.present && tap > most ? tap : most;
    end
  endfunction

  function automatic logic [Dim-1:0][7:0] row();
    row = rd_data_i;
    if (run_i.drain32) row = acc_quarters[read_q.plane];
    else if (run_i.maxpool) row = greater();
  endfunction

  always_ff @(posedge clk_i) begin
    if (valid_q && !read_q.side) begin
      if (run_i.drain || run_i.average) operand_q <= add();
      else operand_q <= {row(), operand_o[3:1]};
    end
  end

  // At most three rows wait: rows start at least four cycles apart and use their second operand six cycles later.
  logic       side_ready, side_valid;
  logic [2:0] unused_side_level;

  tpu_fifo #(.Width(8*Dim), .Depth(4)) u_side (
    .clk_i, .rst_ni,
    .wr_valid_i(valid_q && read_q.side), .wr_ready_o(side_ready), .wr_data_i(rd_data_i),
    .rd_valid_o(side_valid), .rd_ready_i(side_take_i), .rd_data_o(side_o),
    .level_o(unused_side_level)
  );

  `TPU_ASSERT_WHEN(OperandNotOverwritten, arriving_o, !(full_o && !take_i))
  `TPU_ASSERT_WHEN(SideHasRoom, valid_q, !(read_q.side && !side_ready))
  `TPU_ASSERT_WHEN(SideIsThere, side_take_i, side_valid)
endmodule
