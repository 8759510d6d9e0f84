// SPDX-License-Identifier: Apache-2.0
// Where a row of the scratchpad lies: its bank, and its row in the bank.
//
// Latency: combinational. Throughput: one row per cycle. Back-pressure: none.
// Protocol: while valid_i is low, outputs are zero.
//
// Parameters: Rows (of eight banks; those behind them are exponents, in bank 8).
module tpu_scratchpad_place #(
  parameter int Rows = 12288,
  localparam int Banks = 8,
  localparam int RowWidth = $clog2(Rows / Banks)
) (
  input  logic                valid_i,
  input  logic [15:0]         row_i,
  output logic [3:0]          bank_o,
  output logic [Banks:0]      banks_o,  // the same, one-hot
  output logic [RowWidth-1:0] row_o
);
  localparam int BankRows = Rows / Banks;
  // For banks of 3 * 2^k rows the bank number is the row number shifted right by k, divided by three; for banks of 2^k
  // rows the shift is enough.
  localparam int Thirds = (BankRows % 3 == 0) ? 3 : 1;
  localparam int LowWidth = $clog2(BankRows / Thirds);

  // hi / 3 equals hi * 11 / 32 for hi below 24, which covers eight banks; above, the result is at least 8. Bit 3 marks
  // the exponents.
  logic [9:0] hi;
  always_comb begin
    hi      = '0;
    bank_o  = '0;
    banks_o = '0;
    row_o   = '0;
    if (valid_i) begin  // An idle port costs a simulation one test.
      hi      = 10'(row_i >> LowWidth);
      bank_o  = 4'((Thirds == 3) ? (hi * 10'd11) >> 5 : hi);
      if (bank_o[3]) bank_o = 4'd8;
      banks_o = (Banks+1)'(1) << bank_o;
      row_o   = RowWidth'(32'(row_i) - 32'(bank_o) * BankRows);
    end
  end
endmodule
