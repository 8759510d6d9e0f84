// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_scratchpad_bank, in both of its bodies: that of synthesis and that of a simulator. What holds for
// the row `chosen_i` holds for every row.
`include "properties.svh"
module scratchpad_bank_properties #(
  parameter int Dim = 2,
  parameter int Rows = 8,
  localparam int Width = 8 * Dim,
  localparam int Rams = 4,
  localparam int RowWidth = $clog2(Rows),
  localparam int IndexWidth = RowWidth - 2
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  input logic                       rd_en_i,
  input logic [RowWidth-1:0]        rd_row_i,
  input logic                       rd_wide_i,
  input logic [Rams-1:0]            wide_rd_rams_i,
  input logic [Rams*IndexWidth-1:0] wide_rd_index_i,
  input logic                       wr_en_i,
  input logic [RowWidth-1:0]        wr_row_i,
  input logic [Width-1:0]           wr_data_i,
  input logic [Dim-1:0]             wr_mask_i,
  input logic                       wr_wide_i,
  input logic [Rams-1:0]            wide_wr_rams_i,
  input logic [Rams*IndexWidth-1:0] wide_wr_index_i,
  input logic [Rams*Width-1:0]      wide_wr_data_i,
  input logic [RowWidth-1:0]        chosen_i
);
  logic [Width-1:0]      rd_data_o, simulated_data;
  logic [Rams*Width-1:0] wide_rd_data_o, simulated_wide_data;
  tpu_scratchpad_bank #(.Dim(Dim), .Rows(Rows)) u_bank (.*);
  tpu_scratchpad_bank_simulated #(.Dim(Dim), .Rows(Rows)) u_simulated (
    .rd_data_o(simulated_data), .wide_rd_data_o(simulated_wide_data), .*);
  `CHECKED_OUTSIDE_RESET
  `CONSTANT(chosen, chosen_i)
  `ASSUMPTION(RowExists, 32'(chosen) < Rows)

  // The chosen row is written, its bytes and their values; read through the wide port, and through the narrow one.
  logic [1:0]            ram;
  logic [IndexWidth-1:0] index;
  logic                  wide_write, row_write, wide_read, row_read;
  logic [Dim-1:0]        mask;
  logic [Width-1:0]      data, bits;
  assign {index, ram} = chosen;
  assign wide_write = wr_en_i && wr_wide_i && wide_wr_rams_i[ram] &&
                      wide_wr_index_i[ram*IndexWidth +: IndexWidth] == index;
  assign row_write  = wr_en_i && !wr_wide_i && wr_row_i == chosen;
  assign wide_read  = rd_en_i && rd_wide_i && wide_rd_rams_i[ram] &&
                      wide_rd_index_i[ram*IndexWidth +: IndexWidth] == index;
  assign row_read   = rd_en_i && !rd_wide_i && rd_row_i == chosen;
  assign mask       = wide_write ? '1 : row_write ? wr_mask_i : '0;
  assign data       = wide_write ? wide_wr_data_i[ram*Width +: Width] : wr_data_i;
  always_comb for (int i = 0; i < Dim; i++) bits[8*i +: 8] = {8{mask[i]}};

  // The row as it was written, and which of its bytes were; the last read, if it defined the data of a port.
  logic [Width-1:0] row_q, expected_q;
  logic [Dim-1:0]   known_q;
  logic             wide_defined_q, row_defined_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      known_q        <= '0;
      wide_defined_q <= 1'b0;
      row_defined_q  <= 1'b0;
    end else begin
      row_q   <= (row_q & ~bits) | (data & bits);
      known_q <= known_q | mask;
      if (rd_en_i) begin
        wide_defined_q <= wide_read && known_q == '1 && !wide_write && !row_write;
        row_defined_q  <= row_read && known_q == '1 && !wide_write && !row_write;
        expected_q     <= row_q;
      end
    end
  end

  logic [Width-1:0] of_wide, simulated_of_wide;
  assign of_wide           = wide_rd_data_o[ram*Width +: Width];
  assign simulated_of_wide = simulated_wide_data[ram*Width +: Width];
  `PROPERTY(RowAsWritten, row_defined_q, rd_data_o == expected_q)
  `PROPERTY(WideAsWritten, wide_defined_q, of_wide == expected_q)
  `PROPERTY(SimulatedRow, row_defined_q, simulated_data == rd_data_o)
  `PROPERTY(SimulatedWide, wide_defined_q, simulated_of_wide == of_wide)

  logic [Width-1:0] known, stored;
  always_comb for (int i = 0; i < Dim; i++) known[8*i +: 8] = {8{known_q[i]}};
  always_comb begin
    case (ram)
      2'd0: stored = u_bank.gen_ram[0].u_ram.mem[index];
      2'd1: stored = u_bank.gen_ram[1].u_ram.mem[index];
      2'd2: stored = u_bank.gen_ram[2].u_ram.mem[index];
      default: stored = u_bank.gen_ram[3].u_ram.mem[index];
    endcase
  end
  `INVARIANT(Row, ((stored ^ row_q) & known) == '0)
  `INVARIANT(SimulatedRow, ((u_simulated.mem[chosen] ^ row_q) & known) == '0)
endmodule
