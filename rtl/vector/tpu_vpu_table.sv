// SPDX-License-Identifier: Apache-2.0
// Look-up table of 256 bytes, one copy per lane so that all lanes look up their values in the same cycle. A copy stores
// words of four bytes, so loading takes 64 cycles for every array width.
//
// Latency: the word that contains the result is valid one cycle after lookup_i and holds until the next look-up; the
// user selects byte index[1:0] of it. Throughput: one row of look-ups and one write per cycle. Back-pressure: none,
// never stalls.
//
// Protocol: lookup_i reads one word per lane. wr_valid_i writes a word to all copies; there is no look-up meanwhile.
//
// Parameters: Dim (lanes).
module tpu_vpu_table #(
  parameter int Dim = 16
) (
  input  logic              clk_i,
  // Look-up: one index per lane.
  input  logic              lookup_i,
  input  logic [8*Dim-1:0]  index_i,
  output logic [32*Dim-1:0] word_o,
  // Load: the same word into every copy.
  input  logic              wr_valid_i,
  input  logic [5:0]        wr_word_i,
  input  logic [31:0]       wr_data_i
);
  logic [2*Dim-1:0] unused_byte;

  for (genvar i = 0; i < Dim; i++) begin : gen_copy
    assign unused_byte[i*2 +: 2] = index_i[i*8 +: 2];
    tpu_ram #(.Width(32), .Depth(64)) u_ram (
      .clk_i,
      .rd_en_i(lookup_i),
      .rd_addr_i(index_i[i*8+2 +: 6]),
      .rd_data_o(word_o[i*32 +: 32]),
      .wr_en_i(wr_valid_i),
      .wr_addr_i(wr_word_i),
      .wr_data_i(wr_data_i),
      .wr_mask_i(1'b1)
    );
  end
endmodule
