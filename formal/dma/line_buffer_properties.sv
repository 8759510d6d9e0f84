// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_line_buffer. What holds for the beat with the number `any_beat_i` holds for every beat. As LOAD
// does, the surroundings keep beats until they were read, and bring no more than the ring holds.
`include "properties.svh"
module line_buffer_properties #(
  parameter int Dim = 4,
  parameter int Beats = 8,
  parameter int SeqWidth = 10,
  localparam int AddrWidth = $clog2(Beats)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input tpu_axi_pkg::answer_t wr_i,
  input logic [8*Dim-1:0]     wr_data_i,
  input logic [SeqWidth-1:0]  keep_seq_i,
  input logic                 rd_en_i,
  input logic [AddrWidth-1:0] rd_addr_i,
  input logic [SeqWidth-1:0]  any_beat_i
);
  logic [SeqWidth-1:0] write_seq_o, last_seq_o, error_seq_o;
  logic [AddrWidth:0]  release_seq_o;
  logic                error_o;
  logic [8*Dim-1:0]    rd_first_o, rd_second_o;
  tpu_line_buffer #(.Dim(Dim), .Beats(Beats), .SeqWidth(SeqWidth)) u_buffer (.*);
  `CHECKED_OUTSIDE_RESET
  `CONSTANT(beat, any_beat_i)

  // The chosen beat is in the ring until another one takes its place; beats that arrived, and the first error.
  logic                arrives, here_q, first_q, second_q, bad_q;
  logic [8*Dim-1:0]    data_q, read_q;
  logic [SeqWidth-1:0] count_q, bad_seq_q;
  assign arrives = wr_i.valid && count_q == beat;
  always_ff @(posedge clk_i) begin
    if (rd_en_i) begin
      first_q  <= here_q && rd_addr_i == beat[AddrWidth-1:0];
      second_q <= here_q && AddrWidth'(rd_addr_i + 1'b1) == beat[AddrWidth-1:0];
      read_q   <= data_q;
    end
    if (arrives) data_q <= wr_data_i;
    if (!rst_ni) begin
      {here_q, first_q, second_q, bad_q} <= '0;
      count_q <= '0;
    end else if (wr_i.valid) begin
      count_q <= count_q + 1'b1;
      here_q  <= arrives || here_q && count_q[AddrWidth-1:0] != beat[AddrWidth-1:0];
      if (!bad_q) begin
        bad_q     <= wr_i.error;
        bad_seq_q <= count_q;
      end
    end
  end
  logic replaced;
  assign replaced = wr_i.valid && count_q[AddrWidth-1:0] == beat[AddrWidth-1:0];
  `ASSUMPTION(NotReadWhileReplaced, !(rd_en_i && replaced))
  logic [AddrWidth:0] held;
  assign held = write_seq_o[AddrWidth:0] - release_seq_o;
  `ASSUMPTION(RoomIsReserved, !wr_i.valid || 32'(held) < Beats)

  `PROPERTY(FirstAsWritten, first_q, rd_first_o == read_q)
  `PROPERTY(SecondAsWritten, second_q, rd_second_o == read_q)
  `PROPERTY(Counted, count_q > SeqWidth'(2), write_seq_o == count_q && last_seq_o == count_q - 1'b1)
  `PROPERTY(FirstError, bad_q && count_q > bad_seq_q + 1'b1, error_o && error_seq_o == bad_seq_q)
  `PROPERTY(NoOtherError, !bad_q, !error_o)
  `PROPERTY(HeldInRing, held != '0, 32'(held) <= Beats)

  // The beat is in one of two memories.
  logic [8*Dim-1:0] stored;
  assign stored = beat[0] ? u_buffer.u_odd.mem[beat[AddrWidth-1:1]] : u_buffer.u_even.mem[beat[AddrWidth-1:1]];
  `INVARIANT(Stored, !here_q || stored == data_q)
  `INVARIANT(Count, write_seq_o == count_q && last_seq_o == count_q - 1'b1 && error_o == bad_q &&
             (!bad_q || error_seq_o == bad_seq_q) && 32'(held) <= Beats)
  `INVARIANT(Odd, (!first_q || u_buffer.odd_q == beat[0]) && (!second_q || u_buffer.odd_q != beat[0]))
endmodule
