// SPDX-License-Identifier: Apache-2.0
// Look-up tables: 256 words that kernels read, and 256 bytes for DRAIN and MAP. There is one copy per lane, so that all
// lanes look up their values in the same cycle. The bytes lie four to a word behind the words, so loading them takes 64
// cycles for every array width.
//
// Latency: the word, or the word with the byte, is valid one cycle after the look-up and holds until the next; the user
// selects byte index[1:0] of it. Throughput: one row of look-ups and one write per cycle. Back-pressure: none, never
// stalls.
//
// Protocol: byte_lookup_i and word_lookup_i read one word per lane; never both. write_i writes a word to all copies;
// there is no look-up meanwhile. While clear_i is high, word clear_row_i is set to zero, if there is one.
//
// Parameters: Dim (lanes); VectorProcessor, 0 for a core without the words.
`include "tpu_assert.svh"
module tpu_vpu_table #(
  parameter int Dim = 16,
  parameter int VectorProcessor = 1
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  // Look-up: one index per lane.
  input  logic                      byte_lookup_i,
  input  logic [Dim-1:0][7:0]       byte_index_i,
  input  logic                      word_lookup_i,
  input  logic [Dim-1:0][7:0]       word_index_i,
  output logic [Dim-1:0][31:0]      word_o,
  // Load: the same word into every copy.
  input  tpu_vpu_pkg::table_write_t write_i,
  // Clearing.
  input  logic                      clear_i,
  input  logic [15:0]               clear_row_i
);
  localparam int KernelWords = VectorProcessor != 0 ? tpu_kernel_pkg::TABLE_WORDS : 0;
  localparam int Words = KernelWords + 64;
  localparam int AddrWidth = $clog2(Words);

  logic             wr_en;
  logic [AddrWidth-1:0] wr_addr;
  logic [31:0]      wr_data;
  logic [Dim-1:0][1:0] unused_byte;

  always_comb begin
    wr_en   = 1'b0;
    wr_addr = '0;
    wr_data = '0;
    if (clear_i || write_i.valid) begin  // Another cycle costs a simulation one test.
      wr_en   = 1'b1;
      wr_addr = write_i.word[AddrWidth-1:0];
      wr_data = write_i.data;
      if (clear_i) begin
        wr_en   = 32'(clear_row_i) < Words;
        wr_addr = clear_row_i[AddrWidth-1:0];
        wr_data = '0;
      end
    end
  end

  for (genvar i = 0; i < Dim; i++) begin : gen_copy
    assign unused_byte[i] = byte_index_i[i][1:0];
    tpu_ram #(.Width(32), .Depth(Words)) u_ram (
      .clk_i,
      .rd_en_i(byte_lookup_i || word_lookup_i),
      .rd_addr_i(KernelWords != 0 && word_lookup_i ? AddrWidth'(word_index_i[i])
                                                   : AddrWidth'(KernelWords + 32'(byte_index_i[i][7:2]))),
      .rd_data_o(word_o[i]),
      .wr_en_i(wr_en), .wr_addr_i(wr_addr), .wr_data_i(wr_data), .wr_mask_i(1'b1)
    );
  end

  `TPU_ASSERT_WHEN(OneLookUp, byte_lookup_i, !word_lookup_i)
endmodule
