// SPDX-License-Identifier: Apache-2.0
// Register slice: cuts all paths of a valid/ready stream, forwards and backwards.
//
// Latency: one cycle. Throughput: one word per cycle. Back-pressure: wr_ready_o is a register; two words are held.
//
// Parameters: Width (bits).
module tpu_slice #(
  parameter int Width = 32
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             wr_valid_i,
  output logic             wr_ready_o,
  input  logic [Width-1:0] wr_data_i,
  output logic             rd_valid_o,
  input  logic             rd_ready_i,
  output logic [Width-1:0] rd_data_o
);
  logic             valid_q, second_q;       // a word is at the output; another waits behind it
  logic [Width-1:0] data_q, second_data_q;

  assign wr_ready_o = !second_q;
  assign rd_valid_o = valid_q;
  assign rd_data_o  = data_q;

  // A task, because a simulator then computes nothing when rd_ready_i changes, and little while no word is here.
  task automatic move;
    logic stays;                             // the word at the output
    stays    = valid_q && !rd_ready_i;
    valid_q  <= stays || second_q || wr_valid_i;
    second_q <= stays && (second_q || wr_valid_i);
    if (!stays && (second_q || wr_valid_i)) data_q <= second_q ? second_data_q : wr_data_i;
    if (stays && !second_q && wr_valid_i) second_data_q <= wr_data_i;
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q  <= 1'b0;
      second_q <= 1'b0;
    end else if (valid_q || wr_valid_i) begin
      move;
    end
  end
endmodule
