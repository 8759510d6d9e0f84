// SPDX-License-Identifier: Apache-2.0
// Reads parameter rows into the registers of the vector unit: the nine rows of a channel block, scalar entries of two
// rows each, or the rows of a table.
//
// A request asks for the block and scalar entries (either or both) or for the table. Rows are read in ascending order,
// the block before the scalars.
//
// Biases and multipliers are shifted in row by row, which saves wide multiplexers. The last row of the previous command
// may still need the old values. They are not overwritten too early: that row has used its bias before the request, and
// uses its multipliers and shifts within the next two and four cycles, before the fifth and the ninth row arrive.
// Scalar entries are shifted in, too: the last one read is entry 2, the one before it entry 1.
//
// Latency: the last value is in its register two cycles after `done`. Throughput: one row per cycle. Back-pressure:
// none, the parameter port always grants.
//
// Protocol: a request is loaded while `busy` is low; `done` pulses with its last read. A row beyond the memory stops
// the request: `fault` stays high. Read data are valid in the cycle after prm_rd_valid_o.
//
// Parameters: Dim (lanes, power of two, 4 to 64), ParamRows (rows of the parameter buffer).
`include "tpu_assert.svh"
module tpu_vpu_params #(
  parameter int Dim = 16,
  parameter int ParamRows = 256
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  // Request. words_i: the table is the one that kernels read.
  input  tpu_vpu_pkg::request_t     request_i,
  input  logic                      words_i,
  input  logic [15:0]               block_row_i,
  output tpu_vpu_pkg::reading_t     reading_o,
  // Parameter buffer.
  output logic                      prm_rd_valid_o,
  output logic [15:0]               prm_rd_row_o,
  input  logic [Dim-1:0][7:0]       prm_rd_data_i,
  // Registers.
  output logic [Dim-1:0][31:0]      bias_o,
  output logic [Dim-1:0][31:0]      multiplier_o,
  output logic [Dim-1:0][5:0]       shift_o,
  output tpu_vpu_pkg::scale_t [2:0] scales_o,
  // Words for the tables.
  output tpu_vpu_pkg::table_write_t table_o
);
  localparam int WordsPerRow = Dim / 4;
  localparam int WordBits = $clog2(WordsPerRow);

  `TPU_ASSERT_INIT(DimInRange, Dim >= 4 && Dim <= 64 && (Dim & (Dim - 1)) == 0)

  typedef enum logic [1:0] {PartBlock, PartScalars, PartTable} part_e;

  logic              busy_q;
  part_e             part_q;
  logic [15:0]       row_q, scalar_row_q, row; // rows wrap at 16 bits
  logic [1:0]        entries_q;
  logic [7:0]        word_q, last_q, got_word_q;
  logic              words_q;
  logic              got_block_q, got_scalars_q, got_table_q, in_range, part_done, done;
  logic [32*Dim-1:0] bias_q, multiplier_q;

  always_comb begin
    row = row_q;
    if (busy_q) row = row_q + {8'd0, part_q == PartTable ? word_q >> WordBits : word_q};
  end

  assign in_range       = {16'd0, row} < ParamRows;
  assign part_done      = word_q == last_q;
  assign done           = busy_q && in_range && part_done && (part_q != PartBlock || entries_q == 2'd0);
  assign reading_o      = '{busy: busy_q, done: done, fault: busy_q && !in_range, fault_row: {16'd0, row}};
  assign prm_rd_valid_o = busy_q && in_range;
  assign prm_rd_row_o   = row;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q        <= 1'b0;
      got_block_q   <= 1'b0;
      got_scalars_q <= 1'b0;
      got_table_q   <= 1'b0;
    end else begin
      got_block_q   <= prm_rd_valid_o && part_q == PartBlock;
      got_scalars_q <= prm_rd_valid_o && part_q == PartScalars;
      got_table_q   <= prm_rd_valid_o && part_q == PartTable;
      if (request_i.valid) busy_q <= request_i.block || request_i.table_load || request_i.entries != 2'd0;
      else if (done) busy_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (request_i.valid) begin
      word_q       <= 8'd0;
      entries_q    <= request_i.entries;
      scalar_row_q <= request_i.scalar_row;
      words_q      <= words_i;
      if (request_i.table_load) begin
        part_q <= PartTable;
        row_q  <= block_row_i;
        last_q <= words_i ? 8'd255 : 8'd63;
      end else if (request_i.block) begin
        part_q <= PartBlock;
        row_q  <= block_row_i;
        last_q <= 8'd8;
      end else begin
        part_q <= PartScalars;
        row_q  <= request_i.scalar_row;
        last_q <= {5'd0, request_i.entries, 1'b0} - 8'd1;
      end
    end else if (prm_rd_valid_o) begin
      word_q <= word_q + 8'd1;
      if (part_done && part_q == PartBlock) begin
        part_q <= PartScalars;
        word_q <= 8'd0;
        row_q  <= scalar_row_q;
        last_q <= {5'd0, entries_q, 1'b0} - 8'd1;
      end
    end
    if (prm_rd_valid_o) got_word_q <= word_q;
  end

  always_ff @(posedge clk_i) begin
    if (got_block_q) begin
      if (got_word_q[3]) begin
        for (int i = 0; i < Dim; i++) shift_o[i] <= prm_rd_data_i[i][5:0];
      end else if (got_word_q[2]) multiplier_q <= {prm_rd_data_i, multiplier_q[32*Dim-1:8*Dim]};
      else bias_q <= {prm_rd_data_i, bias_q[32*Dim-1:8*Dim]};
    end
    if (got_scalars_q) begin
      if (got_word_q[0]) begin
        scales_o[2].shift <= prm_rd_data_i[0][5:0];
        scales_o[1].shift <= scales_o[2].shift;
        scales_o[0].shift <= scales_o[1].shift;
      end else begin
        scales_o[2].multiplier <= prm_rd_data_i[3:0];
        scales_o[1].multiplier <= scales_o[2].multiplier;
        scales_o[0].multiplier <= scales_o[1].multiplier;
      end
    end
  end

  assign bias_o        = bias_q;
  assign multiplier_o  = multiplier_q;

  logic [31:0] table_word;
  if (WordsPerRow == 1) begin : gen_row_is_word
    assign table_word = prm_rd_data_i;
  end else begin : gen_word_of_row
    logic [WordsPerRow-1:0][31:0] words;
    assign words      = prm_rd_data_i;
    assign table_word = words[got_word_q[WordBits-1:0]];
  end

  always_comb begin
    table_o = '0;
    if (got_table_q) begin  // Another cycle costs a simulation one test.
      table_o = '{valid: 1'b1, word: {!words_q, got_word_q}, data: table_word};
    end
  end
endmodule
