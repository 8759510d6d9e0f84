// SPDX-License-Identifier: Apache-2.0
// The vector processor with the kernel memory and with what it shares with the wired vector unit: multiplier and table.
module processor_top #(
  parameter int Dim = 16,
  parameter int ScratchRows = 768,
  parameter int BlockRows = ScratchRows,
  parameter int AccRows = 256
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              start_valid_i,
  output logic              start_ready_o,
  input  logic [15:0]       start_entry_i,
  input  logic [383:0]      start_args_i,
  output logic              done_o,
  output logic              nonfinite_o,
  output tpu_report_pkg::fault_t fault_o,
  input  logic              go_i,
  input  logic              kernel_wr_valid_i,
  input  logic [15:0]       kernel_wr_row_i,
  input  logic [8*Dim-1:0]  kernel_wr_data_i,
  output logic [3:0]        rd_valid_o,
  input  logic              rd_ready_i,
  output logic [63:0]       rd_rows_o,
  input  logic [32*Dim-1:0] rd_data_i,
  input  logic [8*(Dim > 16 ? Dim / 16 : 1)-1:0] rd_exponents_i,
  output logic [3:0]        wr_valid_o,
  output logic [63:0]       wr_rows_o,
  output logic [32*Dim-1:0] wr_data_o,
  output logic              wr_blocks_o,
  output logic [8*(Dim > 16 ? Dim / 16 : 1)-1:0] wr_exponents_o,
  output logic              acc_rd_valid_o,
  input  logic              acc_rd_ready_i,
  input  logic [32*Dim-1:0] acc_rd_data_i,
  output logic              acc_wr_valid_o,
  input  logic              acc_wr_ready_i,
  output logic [32*Dim-1:0] acc_wr_data_o,
  input  logic              table_valid_i,
  input  logic [7:0]        table_word_i,
  input  logic [31:0]       table_data_i,
  output logic              slot_o,
  output logic              room_wait_o,
  input  logic              clear_i,
  input  logic [15:0]       clear_row_i
);
  logic              mul_valid, lookup;
  logic [32*Dim-1:0] mul_a, mul_b, product_low, product_high, word;
  logic              mul_round, mul_unsigned;
  logic [8*Dim-1:0]  index;
  logic              word_valid, unused_rd_blocks;
  logic [9:0]        word_number;
  logic [63:0]       kernel_word;

  tpu_kernel_memory #(.Dim(Dim)) u_memory (
    .clk_i, .rst_ni, .wr_valid_i(kernel_wr_valid_i), .wr_row_i(kernel_wr_row_i), .wr_data_i(kernel_wr_data_i),
    .wr_mask_i('1), .rd_valid_i(word_valid), .rd_word_i(word_number), .rd_data_o(kernel_word), .clear_i, .clear_row_i
  );

  tpu_processor #(
    .Dim(Dim), .ScratchRows(ScratchRows), .BlockRows(BlockRows), .AccRows(AccRows)
  ) u_processor (
    .clk_i, .rst_ni, .start_valid_i, .start_ready_o, .start_entry_i, .start_args_i, .done_o, .nonfinite_o,
    .fault_o, .go_i, .word_valid_o(word_valid), .word_number_o(word_number),
    .word_i(kernel_word),
    .rd_valid_o, .rd_ready_i, .rd_blocks_o(unused_rd_blocks), .rd_rows_o, .rd_data_i, .rd_exponents_i, .wr_valid_o,
    .wr_rows_o, .wr_data_o, .wr_blocks_o, .wr_exponents_o, .acc_rd_valid_o,
    .acc_rd_ready_i, .acc_rd_data_i, .acc_wr_valid_o, .acc_wr_ready_i, .acc_wr_data_o, .mul_valid_o(mul_valid),
    .mul_a_o(mul_a), .mul_b_o(mul_b), .mul_round_o(mul_round), .mul_unsigned_o(mul_unsigned),
    .product_low_i(product_low),
    .product_high_i(product_high), .lookup_o(lookup), .index_o(index), .looked_i(word), .slot_o, .room_wait_o,
    .clear_i, .clear_row_i
  );

  tpu_multiplier #(.Dim(Dim)) u_multiplier (
    .clk_i, .rst_ni, .scale_valid_i(1'b0), .scale_operand_i('0), .scale_round_i('0), .scale_factors_i(1'b0),
    .scale_factor_i('0), .scale_per_lane_i(1'b0), .scale_lane_multiplier_i('0), .scale_multiplier_i('0),
    .valid_i(mul_valid), .a_i(mul_a), .b_i(mul_b), .round_i(mul_round), .unsigned_i(mul_unsigned),
    .product_low_o(product_low), .product_high_o(product_high)
  );

  for (genvar i = 0; i < Dim; i++) begin : gen_table
    tpu_ram #(.Width(32), .Depth(tpu_kernel_pkg::TABLE_WORDS)) u_ram (
      .clk_i, .rd_en_i(lookup), .rd_addr_i(index[i*8 +: 8]), .rd_data_o(word[i*32 +: 32]),
      .wr_en_i(table_valid_i), .wr_addr_i(table_word_i), .wr_data_i(table_data_i), .wr_mask_i(1'b1)
    );
  end
endmodule
