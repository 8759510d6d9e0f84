// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_ram, in both of its bodies: that of synthesis and that of a simulator. What holds for the word at
// `chosen_i` holds for every word.
`include "properties.svh"
module ram_properties #(
  parameter int Width = 16,
  parameter int Depth = 6,
  parameter int LaneWidth = 8,
  localparam int AddrWidth = $clog2(Depth),
  localparam int Lanes = Width / LaneWidth
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 rd_en_i,
  input logic [AddrWidth-1:0] rd_addr_i,
  input logic                 wr_en_i,
  input logic [AddrWidth-1:0] wr_addr_i,
  input logic [Width-1:0]     wr_data_i,
  input logic [Lanes-1:0]     wr_mask_i,
  input logic [AddrWidth-1:0] chosen_i
);
  logic [Width-1:0] rd_data_o, simulated_data;
  tpu_ram #(.Width(Width), .Depth(Depth), .LaneWidth(LaneWidth)) u_ram (.*);
  tpu_ram_simulated #(.Width(Width), .Depth(Depth), .LaneWidth(LaneWidth)) u_simulated (
    .rd_data_o(simulated_data), .*);
  `CHECKED_OUTSIDE_RESET
  `CONSTANT(chosen, chosen_i)
  `ASSUMPTION(WordsExist, 32'(rd_addr_i) < Depth && 32'(wr_addr_i) < Depth && 32'(chosen) < Depth)

  // The word as it was written, and its lanes that were; the last read, if it defined the data.
  logic [Width-1:0] word_q, expected_q, written;
  logic [Lanes-1:0] known_q;
  logic             defined_q;
  always_comb begin
    for (int i = 0; i < Lanes; i++) written[i*LaneWidth +: LaneWidth] = {LaneWidth{wr_mask_i[i]}};
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      known_q   <= '0;
      defined_q <= 1'b0;
    end else begin
      if (wr_en_i && wr_addr_i == chosen) begin
        word_q  <= (word_q & ~written) | (wr_data_i & written);
        known_q <= known_q | wr_mask_i;
      end
      if (rd_en_i) begin
        defined_q  <= rd_addr_i == chosen && known_q == '1 && !(wr_en_i && wr_addr_i == chosen);
        expected_q <= word_q;
      end
    end
  end

  `PROPERTY(ReadsWhatWasWritten, defined_q, rd_data_o == expected_q)
  `PROPERTY(SimulatedAsSynthesized, defined_q, simulated_data == rd_data_o)

  logic [Width-1:0] known;
  always_comb for (int i = 0; i < Lanes; i++) known[i*LaneWidth +: LaneWidth] = {LaneWidth{known_q[i]}};
  `INVARIANT(Word, ((u_ram.mem[chosen] ^ word_q) & known) == '0)
  `INVARIANT(SimulatedWord, ((u_simulated.mem[chosen] ^ word_q) & known) == '0)
endmodule
