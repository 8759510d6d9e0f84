// SPDX-License-Identifier: Apache-2.0
// Operands of the array: the scratchpad row of a position, or padding. In block floating point the exponent of the row,
// too, and of a row of 32 lanes one half, for which the upper rows of the array multiply zeros.
//
// Latency: two cycles from a position to the operand, because a register in front of the array shortens the path from
// the scratchpad; one to the exponent. Throughput: one position per cycle. Back-pressure: none.
//
// Protocol: the row and its exponents come in the cycle after issue_i.
//
// Parameters: Dim (4, 8, 16 or 32); BlockFloat, 0 for a core whose positions are never a block's.
module tpu_mxu_operand import tpu_mxu_pkg::*; #(
  parameter int Dim = 16,
  parameter int BlockFloat = 1,
  localparam int Parts = Dim > 16 ? Dim / 16 : 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // A position, whether it is padding, a block's, one that begins with new weights.
  input  logic                  issue_i,
  input  logic                  pad_i,
  input  logic [7:0]            pad_value_i,
  input  logic                  block_i,
  input  logic                  part_i,
  input  logic                  swap_i,
  // Scratchpad.
  input  logic [Dim-1:0][7:0]   rd_data_i,
  input  logic [Parts-1:0][7:0] rd_exponents_i,
  // Exponent of a position of a block.
  output logic                  exponent_valid_o,
  output logic [7:0]            exponent_o,
  // Array.
  output logic                  act_valid_o,
  output logic                  act_swap_o,
  output logic [Dim-1:0][7:0]   act_data_o
);
  logic       issue_d1_q, pad_d1_q, swap_d1_q, block_d1_q, part_d1_q;
  logic [7:0] pad_value_d1_q;

  always_ff @(posedge clk_i) begin
    issue_d1_q <= issue_i && rst_ni;
    act_valid_o <= issue_d1_q && rst_ni;
    if (issue_i) begin
      pad_d1_q <= pad_i;
      swap_d1_q <= swap_i;
      pad_value_d1_q <= pad_value_i;
      block_d1_q <= BlockFloat != 0 && block_i;
      part_d1_q <= part_i;
    end
    if (issue_d1_q) begin
      act_swap_o <= swap_d1_q;
      act_data_o <= pad_d1_q ? {Dim{pad_value_d1_q}} : rd_data_i;
      if (Parts > 1 && block_d1_q) begin
        for (int i = 0; i < Dim; i++) begin
          act_data_o[i] <= i >= 16 ? 8'd0 : pad_d1_q ? pad_value_d1_q
                                : rd_data_i[(i + (part_d1_q ? 16 : 0)) % Dim];
        end
      end
    end
  end

  assign exponent_valid_o = issue_d1_q && block_d1_q;
  assign exponent_o = pad_d1_q ? 8'd0
                    : Parts > 1 && part_d1_q ? rd_exponents_i[Parts-1] : rd_exponents_i[0];
endmodule
