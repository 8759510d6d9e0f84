// SPDX-License-Identifier: Apache-2.0
// Transposition stage of LOAD. The rows of a command that turns them are taken in groups: as many rows as a row has
// elements, bytes or words of four. Element i of row k becomes element k of row i. Other rows pass.
//
// An array of bytes shifts by one element with each row. The rows of a group enter it at one edge, so that those of the
// next group, which enter at the neighbouring edge, push out its elements column by column:
//
//      down: rows enter at the top       across: rows enter as columns at the left
//
//        row 2   c b a                       row 2  1  0
//        row 1   c b a                         a    a  a  -> first row of the result
//        row 0   c b a                         b    b  b
//                                              c    c  c
//
// Latency: none for rows that pass. A turned row leaves when the row of the next group that has its place enters. What
// is left after the last row of a command follows by itself.
// Throughput: one row per cycle; after each command that turns its rows, a group's rows more.
// Back-pressure: while wr_ready_i is low, nothing moves once a group is complete.
//
// Protocol: in_* and wr_* are valid/ready streams. An item without in_write_i has no row and only carries in_last_i,
// the end of a command, which comes behind whole groups. retire_o pulses when all rows of a command are written.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a row.
`include "tpu_assert.svh"
module tpu_load_turn #(
  parameter int Dim = 16
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // Rows in their order, and how they are turned (tpu_pkg::TURN_*).
  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic             in_write_i,
  input  logic             in_last_i,
  input  logic [1:0]       in_turn_i,
  input  logic [1:0]       in_space_i,
  input  logic [15:0]      in_row_i,
  input  logic [8*Dim-1:0] in_data_i,
  input  logic [Dim-1:0]   in_mask_i,
  // Memory writes.
  output logic             wr_valid_o,
  input  logic             wr_ready_i,
  output logic [1:0]       wr_space_o,
  output logic [15:0]      wr_row_o,
  output logic [8*Dim-1:0] wr_data_o,
  output logic [Dim-1:0]   wr_mask_o,
  output logic             retire_o,
  output logic             empty_o
);
  `TPU_ASSERT_INIT(DimIsKnown, Dim == 4 || Dim == 8 || Dim == 16 || Dim == 32)

  localparam int Words = Dim / 4;
  localparam int CountWidth = $clog2(Dim);

  function automatic logic [8*Dim-1:0] reverse_bytes(input logic [8*Dim-1:0] row);
    for (int i = 0; i < Dim; i++) reverse_bytes[8*i +: 8] = row[8*(Dim-1-i) +: 8];
  endfunction
  function automatic logic [8*Dim-1:0] reverse_words(input logic [8*Dim-1:0] row);
    for (int i = 0; i < Words; i++) reverse_words[32*i +: 32] = row[32*(Words-1-i) +: 32];
  endfunction

  logic                  across_q;           // where the rows of the present group enter
  logic                  held_q;             // the group before is in the array, complete when it was
  logic                  flush_q;            // no more rows of the command
  logic                  words_q;
  logic [1:0]            space_q;
  logic [CountWidth-1:0] count_q;            // rows of the present group, or of the one before when it is flushed
  logic [8*Dim-1:0]      cells_q [0:Dim-1];
  logic [15:0]           rows_q [0:Dim-1];   // where the rows in the array go, the last first

  logic turned, words, enters, step, over;
  // At Dim 4 a row has one word.
  assign turned     = in_turn_i == 2'(tpu_pkg::TURN_BYTES) || (in_turn_i == 2'(tpu_pkg::TURN_WORDS) && Dim > 4);
  assign words      = flush_q ? words_q : in_turn_i == 2'(tpu_pkg::TURN_WORDS);
  assign enters     = in_valid_i && in_write_i && turned && !flush_q;
  assign over       = count_q == (words ? CountWidth'(Words - 1) : CountWidth'(Dim - 1));
  assign wr_valid_o = flush_q || (in_valid_i && in_write_i && (!turned || held_q));
  assign step       = flush_q ? wr_ready_i : enters && (!held_q || wr_ready_i);
  assign in_ready_o = !flush_q && (!in_write_i || wr_ready_i || (turned && !held_q));
  assign retire_o   = flush_q ? wr_ready_i && over : in_valid_i && in_ready_o && in_last_i && !turned;
  assign empty_o = !flush_q;

  // The column or row that leaves the array, in the order of the rows that it has elements of.
  logic [8*Dim-1:0] leaves;
  always_comb begin
    leaves = '0;
    if (held_q) begin
      if (across_q && words) begin
        for (int i = 0; i < Words; i++) leaves[32*i +: 32] = cells_q[Words-1-i][32*(Words-1) +: 32];
      end else if (across_q) begin
        for (int i = 0; i < Dim; i++) leaves[8*i +: 8] = cells_q[Dim-1-i][8*(Dim-1) +: 8];
      end else begin
        leaves = words ? reverse_words(cells_q[Words-1]) : reverse_bytes(cells_q[Dim-1]);
      end
    end
  end

  assign wr_space_o = flush_q ? space_q : in_space_i;
  assign wr_row_o   = held_q ? (words ? rows_q[Words-1] : rows_q[Dim-1]) : in_row_i;
  assign wr_data_o  = held_q ? leaves : in_data_i;
  assign wr_mask_o  = held_q ? '1 : in_mask_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      across_q <= 1'b0;
      held_q   <= 1'b0;
      flush_q  <= 1'b0;
      count_q  <= '0;
    end else begin
      if (step) begin
        count_q <= over ? '0 : count_q + 1'b1;
        if (over) begin
          across_q <= !across_q;
          held_q   <= !flush_q;
        end
      end
      if (flush_q) flush_q <= !(step && over);
      else if (in_valid_i && in_ready_o) flush_q <= in_last_i && turned;
    end
  end

  always_ff @(posedge clk_i) begin
    if (enters) begin
      words_q <= words;
      space_q <= in_space_i;
    end
    if (step) begin
      rows_q[0] <= in_row_i;
      for (int i = 1; i < Dim; i++) rows_q[i] <= rows_q[i-1];
      if (!across_q) begin
        cells_q[0] <= words ? reverse_words(in_data_i) : reverse_bytes(in_data_i);
        for (int i = 1; i < Dim; i++) cells_q[i] <= cells_q[i-1];
      end else if (words) begin
        for (int i = 0; i < Words; i++)
          cells_q[i] <= (8*Dim)'({cells_q[i], in_data_i[32*(Words-1-i) +: 32]});
      end else begin
        for (int i = 0; i < Dim; i++) cells_q[i] <= {cells_q[i][8*Dim-9:0], in_data_i[8*(Dim-1-i) +: 8]};
      end
    end
  end

  `TPU_ASSERT_WHEN(GroupsAreWhole, in_valid_i && in_ready_o && in_last_i && turned,
                   in_write_i ? over : count_q == '0 && held_q)
  // The rows of a command are turned alike, and follow those of an earlier one when these have left.
  `TPU_ASSERT_WHEN(RowsPassAnEmptyArray, in_valid_i && in_write_i && !turned && !flush_q, !held_q && count_q == '0)
endmodule
