// SPDX-License-Identifier: Apache-2.0
// Where rows of the scratchpad lie: of each its bank, and its row in the bank.
//
// Latency: combinational. Throughput: Count rows per cycle. Back-pressure: none.
// Protocol: while the valid of a row is low, its banks_o are zero, and its other outputs are undefined.
//
// Parameters: Rows (of eight banks; those behind them are exponents, a quarter as many at the most); Count;
// BlockFloat, 0 for a core without exponents.
module tpu_scratchpad_place
  import tpu_scratchpad_pkg::*;
#(
  parameter int Rows = 12288,
  parameter int Count = 1,
  parameter int BlockFloat = 1,
  localparam int RowWidth = $clog2(Rows / Banks)
) (
  input  logic   [Count-1:0]               valid_i,
  /* verilator lint_off UNUSEDSIGNAL */  // Bits that no row of this memory has.
  input  logic   [Count-1:0][15:0]         row_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output bank_t  [Count-1:0]               bank_o,
  output banks_t [Count-1:0]               banks_o,
  output logic   [Count-1:0][RowWidth-1:0] row_o     // also among the exponents
);
  // A bank has 3 * 2^k rows or 2^k. What is left of a row number without its k low bits is divided by three.
  localparam bit HasThirds = (Rows / Banks) % 3 == 0;
  localparam int LowWidth = $clog2(Rows / Banks / (HasThirds ? 3 : 1));
  localparam int HighWidth = HasThirds ? 5 : 4;

  typedef logic [HighWidth-1:0] high_t;
  typedef logic [RowWidth-1:0] row_t;

  // Bit b of a quotient by three for each dividend, because a table of single bits is an integer in a simulation.
  function automatic logic [31:0] quotients(input int b);
    for (int i = 0; i < 32; i++) quotients[i] = 1'((i / 3) >> b);
  endfunction
  function automatic logic [31:0][1:0] remainders();
    for (int i = 0; i < 32; i++) remainders[i] = 2'(i % 3);
  endfunction
  localparam logic [31:0] Quotient0 = quotients(0);
  localparam logic [31:0] Quotient1 = quotients(1);
  localparam logic [31:0] Quotient2 = quotients(2);
  localparam logic [31:0][1:0] Remainder = remainders();

  // A process for each row: its index is a constant, which a simulation does not test.
  for (genvar i = 0; i < Count; i++) begin : gen_row
    high_t high;
    assign high = row_i[i][LowWidth+HighWidth-1:LowWidth];

    always_comb begin
      bank_o[i]  = 'x;
      banks_o[i] = '0;
      row_o[i]   = 'x;
      if (valid_i[i]) begin  // An idle port costs a simulation one test.
        if (HasThirds) begin
          // The 24 parts of the banks come before those of the exponents.
          bank_o[i] = '{
            exponents: BlockFloat != 0 && high >= high_t'(24),
            number: {Quotient2[5'(high)], Quotient1[5'(high)], Quotient0[5'(high)]}};
          row_o[i] = row_t'({Remainder[5'(high)], row_i[i][LowWidth-1:0]});
        end else begin
          bank_o[i] = '{exponents: BlockFloat != 0 && high[HighWidth-1], number: high[2:0]};
          row_o[i]  = row_t'(row_i[i][LowWidth-1:0]);
        end
        banks_o[i] = bank_o[i].exponents ? banks_t'(1) << Banks : banks_t'(1) << bank_o[i].number;
      end
    end
  end
endmodule
