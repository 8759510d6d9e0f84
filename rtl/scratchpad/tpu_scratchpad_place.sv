// SPDX-License-Identifier: Apache-2.0
// Where a row of the scratchpad lies: its bank, and its row in the bank.
//
// Latency: combinational. Throughput: one row per cycle. Back-pressure: none.
// Protocol: while valid_i is low, banks_o is zero, and the other outputs are undefined.
//
// Parameters: Rows (of eight banks; those behind them are exponents, a quarter as many at the most).
module tpu_scratchpad_place
  import tpu_scratchpad_pkg::*;
#(
  parameter int Rows = 12288,
  localparam int RowWidth = $clog2(Rows / Banks)
) (
  input  logic                valid_i,
  /* verilator lint_off UNUSEDSIGNAL */  // Bits that no row of this memory has.
  input  logic [15:0]         row_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output bank_t               bank_o,
  output banks_t              banks_o,
  output logic [RowWidth-1:0] row_o     // also among the exponents
);
  // A bank has 3 * 2^k rows or 2^k. What is left of a row number without its k low bits is divided by three.
  localparam bit HasThirds = (Rows / Banks) % 3 == 0;
  localparam int LowWidth = $clog2(Rows / Banks / (HasThirds ? 3 : 1));
  localparam int HighWidth = HasThirds ? 5 : 4;

  function automatic logic [31:0][2:0] quotients();
    for (int i = 0; i < 32; i++) quotients[i] = 3'(i / 3);
  endfunction
  function automatic logic [31:0][1:0] remainders();
    for (int i = 0; i < 32; i++) remainders[i] = 2'(i % 3);
  endfunction
  localparam logic [31:0][2:0] Quotient = quotients();
  localparam logic [31:0][1:0] Remainder = remainders();

  logic [HighWidth-1:0] high;
  always_comb begin
    high    = 'x;
    bank_o  = 'x;
    banks_o = '0;
    row_o   = 'x;
    if (valid_i) begin  // An idle port costs a simulation one test.
      high = row_i[LowWidth +: HighWidth];
      if (HasThirds) begin
        // The 24 parts of the banks come before those of the exponents.
        bank_o.exponents = high >= HighWidth'(24);
        bank_o.number    = Quotient[high];
        row_o            = RowWidth'({Remainder[high], row_i[LowWidth-1:0]});
      end else begin
        bank_o.exponents = high[HighWidth-1];
        bank_o.number    = high[2:0];
        row_o            = RowWidth'(row_i[LowWidth-1:0]);
      end
      banks_o = bank_o.exponents ? banks_t'(1) << Banks : banks_t'(1) << bank_o.number;
    end
  end
endmodule
