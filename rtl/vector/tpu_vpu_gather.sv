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
  input  logic              clk_i,
  input  logic              rst_ni,
  // Read issued in this cycle (or a tap outside the input, which reads nothing).
  input  logic              issue_i,
  input  logic              issue_first_i,  // first of its operand
  input  logic              issue_last_i,   // completes its operand
  input  logic              issue_inside_i,
  input  logic [1:0]        issue_plane_i,
  input  logic              issue_side_i,   // second operand of a residual
  // Data of the read issued in the cycle before.
  input  logic [8*Dim-1:0]  rd_data_i,
  input  logic [32*Dim-1:0] acc_data_i,
  input  logic [32*Dim-1:0] bias_i,
  // Operation of the command.
  input  logic              run_drain_i,
  input  logic              run_drain32_i,
  input  logic              run_maxpool_i,
  input  logic              run_average_i,
  input  logic              run_count_padding_i,
  input  logic [7:0]        run_clamp_min_i,
  input  logic [7:0]        run_zero1_i,
  // Operand.
  output logic              arriving_o,     // complete in the next cycle
  output logic              full_o,
  input  logic              take_i,
  output logic [32*Dim-1:0] operand_o,
  // Oldest second operand of a residual.
  input  logic              side_take_i,
  output logic [8*Dim-1:0]  side_o
);
  logic              valid_q, first_q, last_q, inside_q, side_q, full_q;
  logic [1:0]        plane_q;
  logic [32*Dim-1:0] operand_q;
  logic [8*Dim-1:0]  row;

  // The functions read wide operands directly from the signals, because a simulator copies arguments.
  function automatic logic [32*Dim-1:0] add_bias();
    for (int i = 0; i < Dim; i++) add_bias[i*32 +: 32] = acc_data_i[i*32 +: 32] + bias_i[i*32 +: 32];
  endfunction

  function automatic logic [32*Dim-1:0] add_tap(input logic first, input logic present, input logic [7:0] outside);
    logic [7:0] tap;
    for (int i = 0; i < Dim; i++) begin
      tap = present ? rd_data_i[i*8 +: 8] : outside;
      add_tap[i*32 +: 32] = (first ? 32'd0 : operand_q[i*32 +: 32]) + {{24{tap[7]}}, tap};
    end
  endfunction

  function automatic logic [8*Dim-1:0] max_tap(input logic first, input logic present, input logic [7:0] least);
    logic signed [7:0] m, x;
    for (int i = 0; i < Dim; i++) begin
      m = first ? least : operand_q[24*Dim + i*8 +: 8];
      x = rd_data_i[i*8 +: 8];
      max_tap[i*8 +: 8] = present && x > m ? x : m;
    end
  endfunction

  assign arriving_o = valid_q && last_q;
  assign full_o     = full_q;
  assign operand_o  = operand_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      full_q  <= 1'b0;
    end else begin
      valid_q <= issue_i;
      if (arriving_o) full_q <= 1'b1;
      else if (take_i) full_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (issue_i) begin
      first_q  <= issue_first_i;
      last_q   <= issue_last_i;
      inside_q <= issue_inside_i;
      side_q   <= issue_side_i;
      plane_q  <= issue_plane_i;
    end
  end

  always_comb begin
    row = '0;
    if (valid_q) begin
      if (!run_drain_i && !run_average_i) begin
        row = rd_data_i;
        if (run_drain32_i) row = acc_data_i[32'(plane_q)*8*Dim +: 8*Dim];
        if (run_maxpool_i) row = max_tap(first_q, inside_q, run_clamp_min_i);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_q && !side_q) begin
      if (run_drain_i) operand_q <= add_bias();
      else if (run_average_i) operand_q <= add_tap(first_q, inside_q, run_count_padding_i ? run_zero1_i : 8'd0);
      else operand_q <= {row, operand_q[32*Dim-1:8*Dim]};
    end
  end

  // At most three rows wait: rows start at least four cycles apart and use their second operand six cycles later.
  logic       side_ready, side_valid;
  logic [2:0] unused_side_level;

  tpu_fifo #(.Width(8*Dim), .Depth(4)) u_side (
    .clk_i, .rst_ni,
    .wr_valid_i(valid_q && side_q), .wr_ready_o(side_ready), .wr_data_i(rd_data_i),
    .rd_valid_o(side_valid), .rd_ready_i(side_take_i), .rd_data_o(side_o),
    .level_o(unused_side_level)
  );

  `TPU_ASSERT_WHEN(OperandNotOverwritten, arriving_o, !(full_q && !take_i))
  `TPU_ASSERT_WHEN(SideHasRoom, valid_q, !(side_q && !side_ready))
  `TPU_ASSERT_WHEN(SideIsThere, side_take_i, side_valid)
endmodule
