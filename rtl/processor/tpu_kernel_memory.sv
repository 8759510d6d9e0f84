// SPDX-License-Identifier: Apache-2.0
// Kernel memory: the micro-instructions of the vector processor, 1024 words of 64 bits. It is written in rows of Dim
// bytes, as LOAD delivers them; byte 0 of row 0 is the lowest of word 0. A row holds Dim / 8 words, or half a word.
//
// Latency: a word follows rd_valid_i by one cycle and holds until the next read. Throughput: one word read and one row
// written per cycle. Back-pressure: none, never stalls.
//
// Protocol: a row that is written in the cycle in which one of its words is read gives undefined data (tpu_ram). While
// clear_i is high, row clear_row_i of the RAM is set to zero and writes are lost; rows beyond the RAM are
// ignored.
//
// Parameters: Dim (bytes of a row, power of two, 4 to 64); VectorProcessor, 0 for a core without kernels, where nothing
// is here.
`include "tpu_assert.svh"
module tpu_kernel_memory #(
  parameter int Dim = 16,
  parameter int VectorProcessor = 1,
  localparam int WordAddr = $clog2(tpu_kernel_pkg::MEMORY_WORDS)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // Rows; a byte is written where its mask bit is set.
  input  logic                wr_valid_i,
  input  logic [15:0]         wr_row_i,
  input  logic [8*Dim-1:0]    wr_data_i,
  input  logic [Dim-1:0]      wr_mask_i,
  // Words.
  input  logic                rd_valid_i,
  input  logic [WordAddr-1:0] rd_word_i,
  output logic [63:0]         rd_data_o,
  // Clearing.
  input  logic                clear_i,
  input  logic [15:0]         clear_row_i
);
  // A row of the RAM is a row of the memory, but a whole word at least.
  localparam int Bytes = Dim < 8 ? 8 : Dim;
  localparam int RowBits = $clog2(Bytes / Dim);
  localparam int WordBits = $clog2(Bytes / 8);
  localparam int Depth = tpu_kernel_pkg::MEMORY_WORDS * 8 / Bytes;
  localparam int AddrWidth = $clog2(Depth);

  `TPU_ASSERT_INIT(DimInRange, Dim >= 4 && Dim <= 64 && (Dim & (Dim - 1)) == 0)
  `TPU_ASSERT_WHEN(RowIsThere, wr_valid_i, 32'(wr_row_i) < tpu_kernel_pkg::MEMORY_WORDS * 8 / Dim,
                   ("row %0d of %0d\n", wr_row_i, tpu_kernel_pkg::MEMORY_WORDS * 8 / Dim))

  logic                     wr_en;
  logic [AddrWidth-1:0]     wr_addr;
  logic [8*Bytes-1:0]       wr_data;
  logic [Bytes/8-1:0][63:0] rd_row;
  logic [Bytes-1:0]         wr_mask;

  always_comb begin
    wr_en   = 1'b0;
    wr_addr = '0;
    wr_data = '0;
    wr_mask = '1;
    if (clear_i) begin
      wr_en   = 32'(clear_row_i) < Depth;
      wr_addr = clear_row_i[AddrWidth-1:0];
    end else if (wr_valid_i) begin
      wr_en   = 1'b1;
      wr_addr = AddrWidth'(wr_row_i >> RowBits);
      wr_data = {(Bytes / Dim){wr_data_i}};
      wr_mask = (Bytes)'(wr_mask_i);
      if (RowBits != 0 && wr_row_i[0]) wr_mask = (Bytes)'(wr_mask_i) << Dim;
    end
  end

  if (VectorProcessor != 0) begin : gen_memory
    tpu_ram #(.Width(8 * Bytes), .Depth(Depth), .LaneWidth(8)) u_ram (
      .clk_i,
      .rd_en_i(rd_valid_i), .rd_addr_i(rd_word_i[WordAddr-1:WordBits]), .rd_data_o(rd_row),
      .wr_en_i(wr_en), .wr_addr_i(wr_addr), .wr_data_i(wr_data), .wr_mask_i(wr_mask)
    );

    if (WordBits == 0) begin : gen_row_is_word
      assign rd_data_o = rd_row;
    end else begin : gen_word_of_row
      logic [WordBits-1:0] word_q;
      always_ff @(posedge clk_i) begin
        if (rd_valid_i) word_q <= rd_word_i[WordBits-1:0];
      end
      // A tree: one of each two words, then one of each two of those.
      always_comb begin
        logic [63:0] words [0:Bytes/8-1];
        for (int i = 0; i < Bytes / 8; i++) words[i] = rd_row[i];
        for (int b = 0; b < WordBits; b++) begin
          for (int i = 0; i < Bytes / 16 >> b; i++) words[i] = word_q[b] ? words[2*i+1] : words[2*i];
        end
        rd_data_o = words[0];
      end
    end
  end else begin : gen_none
    logic unused;
    assign unused    = ^{clk_i, rst_ni, rd_valid_i, rd_word_i, wr_en, wr_addr, wr_data, wr_mask, rd_row};
    assign rd_row    = '0;
    assign rd_data_o = '0;  // Nobody asks for a word.
  end
endmodule
