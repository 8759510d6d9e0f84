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
// Latency: one cycle for rows that pass. A turned row leaves when the row of the next group that has its place enters.
// What is left after the last row of a command follows by itself.
// Throughput: one row per cycle; after each command that turns its rows, a group's rows more.
// Back-pressure: while wr_ready_i is low, nothing moves once a group is complete.
//
// Protocol: in_* and wr_* are valid/ready streams. An item without `write` has no row and only carries `last`,
// the end of a command, which comes behind whole groups. retire_o pulses in the cycle after the last row of
// a command is written.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a row; TurningLoads, 0 for a core that turns no rows: all rows pass, and
// no command asks for more.
`include "tpu_assert.svh"
module tpu_load_turn #(
  parameter int Dim = 16,
  parameter int TurningLoads = 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Rows in their order, and how they are turned (tpu_pkg::TURN_*).
  input  tpu_load_pkg::whole_t in_i,
  output logic                 in_ready_o,
  input  logic [8*Dim-1:0]     in_data_i,
  input  logic [Dim-1:0]       in_mask_i,
  // Memory writes.
  output tpu_load_pkg::write_t wr_o,
  input  logic                 wr_ready_i,
  output logic [8*Dim-1:0]     wr_data_o,
  output logic [Dim-1:0]       wr_mask_o,
  output logic                 retire_o,
  output logic                 empty_o
);
  `TPU_ASSERT_INIT(DimIsKnown, Dim == 4 || Dim == 8 || Dim == 16 || Dim == 32)

  localparam int Words = Dim / 4;
  localparam int CountWidth = $clog2(Dim);

  typedef union packed {
    logic [Dim-1:0][7:0]    bytes;
    logic [Words-1:0][31:0] words;
  } row_t;

  function automatic row_t reverse(input row_t row, input logic of_words);
    if (of_words) for (int i = 0; i < Words; i++) reverse.words[i] = row.words[Words-1-i];
    else for (int i = 0; i < Dim; i++) reverse.bytes[i] = row.bytes[Dim-1-i];
  endfunction

  logic                  across_q;           // where the rows of the present group enter
  logic                  held_q;             // the group before is in the array, complete when it was
  logic                  flush_q;            // no more rows of the command
  logic                  words_q;
  logic [1:0]            turned_space_q;
  logic [CountWidth-1:0] count_q;            // rows of the present group, or of the one before when it is flushed
  row_t [Dim-1:0]        cells_q;
  logic [Dim-1:0][15:0]  rows_q;             // where the rows in the array go, the last first
  // The row that is offered to the memory.
  logic                  valid_q, write_q, last_q;
  logic [1:0]            space_q;
  logic [15:0]           row_q;
  logic [8*Dim-1:0]      data_q;
  logic [Dim-1:0]        mask_q;

  logic done, free, turned, enters, step, words, over, torn, retire, retire_q;
  always_comb begin
    done       = 1'b0;
    free       = 1'b0;
    turned     = 1'b0;
    enters     = 1'b0;
    step       = 1'b0;
    words      = 1'b0;
    over       = 1'b0;
    torn       = 1'b0;
    in_ready_o = 1'b0;
    retire     = 1'b0;
    if (valid_q || in_i.valid || flush_q) begin
      // At Dim 4 a row has one word.
      turned     = TurningLoads != 0 && (in_i.target.turn == 2'(tpu_pkg::TURN_BYTES)
                   || (in_i.target.turn == 2'(tpu_pkg::TURN_WORDS) && Dim > 4));
      done       = valid_q && (!write_q || wr_ready_i);
      free       = !valid_q || done;
      retire     = done && last_q;
      in_ready_o = !flush_q && (free || (turned && in_i.target.write && !held_q));
      if (turned || flush_q) begin
        enters = in_i.valid && in_i.target.write && !flush_q;
        step   = flush_q ? free : enters && (!held_q || free);
        words  = flush_q ? words_q : in_i.target.turn == 2'(tpu_pkg::TURN_WORDS);
        over   = count_q == (words ? CountWidth'(Words - 1) : CountWidth'(Dim - 1));
        torn   = in_i.valid && in_ready_o && in_i.target.last && !(in_i.target.write ? over : count_q == '0 && held_q);
      end else begin
        torn   = in_i.valid && in_i.target.write && (held_q || count_q != '0);
      end
    end
  end

  assign wr_o       = '{valid: valid_q && write_q, space: space_q, row: row_q};
  assign wr_data_o  = data_q;
  assign wr_mask_o  = mask_q;
  assign empty_o    = !valid_q && !flush_q;
  assign retire_o   = retire_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      across_q <= 1'b0;
      held_q   <= 1'b0;
      flush_q  <= 1'b0;
      count_q  <= '0;
      valid_q  <= 1'b0;
      retire_q <= 1'b0;
    end else begin
      retire_q <= retire;
      if (step) begin
        count_q <= over ? '0 : count_q + 1'b1;
        if (over) begin
          across_q <= !across_q;
          held_q   <= !flush_q;
        end
      end
      if (TurningLoads == 0) flush_q <= 1'b0;
      else if (flush_q) flush_q <= !(step && over);
      else if (turned && in_i.valid && in_ready_o) flush_q <= in_i.target.last;
      if (free) valid_q <= flush_q || (in_i.valid && (!turned || (in_i.target.write && held_q)));
    end
  end

  // The array after a row has entered. Two conditions, not three cases, because most rows know no words.
  task automatic enter(input row_t row);
    if (across_q && !words) begin
      for (int i = 0; i < Dim; i++) cells_q[i] = (8*Dim)'({cells_q[i], row.bytes[Dim-1-i]});
    end else begin
      for (int i = Dim - 1; i > 0; i--) if (!across_q || i >= Words) cells_q[i] = cells_q[i-1];
      if (!across_q) cells_q[0] = reverse(row, words);
      else for (int i = 0; i < Words; i++) cells_q[i] = (8*Dim)'({cells_q[i], row.words[Words-1-i]});
    end
  endtask

  // The row or column that leaves it then, in the order of the rows that it has elements of.
  function automatic row_t leaving();
    if (!across_q) leaving = reverse(words ? cells_q[Words-1] : cells_q[Dim-1], words);
    else if (words) for (int i = 0; i < Words; i++) leaving.words[i] = cells_q[Words-1-i].words[Words-1];
    else for (int i = 0; i < Dim; i++) leaving.bytes[i] = cells_q[Dim-1-i].bytes[Dim-1];
  endfunction

  // The array is read here alone, before it shifts: assigned at once, it costs a simulation nothing while it rests.
  always_ff @(posedge clk_i) begin
    if (step && held_q) begin
      write_q <= 1'b1;
      last_q  <= flush_q && over;
      space_q <= flush_q ? turned_space_q : in_i.target.space;
      row_q   <= words ? rows_q[Words-1] : rows_q[Dim-1];
      data_q  <= leaving();
      mask_q  <= '1;
    end else if (in_i.valid && free && !turned && !flush_q) begin
      write_q <= in_i.target.write;
      last_q  <= in_i.target.last;
      space_q <= in_i.target.space;
      row_q   <= in_i.target.row;
      data_q  <= in_data_i;
      mask_q  <= in_mask_i;
    end
    if (step) begin
      rows_q = {rows_q[Dim-2:0], in_i.target.row};
      enter(in_data_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (enters) begin
      words_q        <= in_i.target.turn == 2'(tpu_pkg::TURN_WORDS);
      turned_space_q <= in_i.target.space;
    end
  end

  // A command ends with a group, and rows that pass meet no others in the array.
  `TPU_ASSERT_WHEN(GroupsAreWhole, torn, 1'b0)
endmodule
