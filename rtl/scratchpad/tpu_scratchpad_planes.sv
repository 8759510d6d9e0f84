// SPDX-License-Identifier: Apache-2.0
// Where the rows of a request of the VPU lie, sorted by RAMs: each bank has four (tpu_scratchpad_bank).
//
// Latency: combinational. Throughput: one request per cycle. Back-pressure: none.
// Protocol: the rows with a valid have different low bits. Without one banks_o is zero, and the other outputs are
// undefined, as is what belongs to a RAM number that no row has, but for rams_o.
//
// Parameters: Rows (of eight banks); BlockFloat, 0 for a core without exponents.
module tpu_scratchpad_planes
  import tpu_scratchpad_pkg::*;
#(
  parameter int Rows = 12288,
  parameter int BlockFloat = 1,
  localparam int IndexWidth = $clog2(Rows / Banks) - 2
) (
  input  logic [Planes-1:0]               valid_i,
  input  logic [Planes-1:0][15:0]         rows_i,
  output banks_t                          banks_o,      // that the request uses
  output bank_t [Planes-1:0]              bank_o,       // of each row
  // For each RAM number the plane and the bank of the row, and the row in the RAM; for each bank its RAMs in use.
  output logic [Rams-1:0][1:0]            ram_plane_o,
  output bank_t [Rams-1:0]                ram_bank_o,
  output logic [Rams-1:0][IndexWidth-1:0] index_o,
  output logic [Banks-1:0][Rams-1:0]      rams_o
);
  localparam int RowWidth = IndexWidth + 2;

  banks_t [Planes-1:0]               banks;
  logic   [Planes-1:0][RowWidth-1:0] row;
  logic   [Rams-1:0][Planes-1:0]     match;  // planes whose row is in a RAM of this number

  tpu_scratchpad_place #(.Rows(Rows), .Count(Planes), .BlockFloat(BlockFloat)) u_place (
    .valid_i, .row_i(rows_i), .bank_o, .banks_o(banks), .row_o(row)
  );

  assign banks_o = banks[0] | banks[1] | banks[2] | banks[3];  // not below: arbitration waits for it

  always_comb begin
    match       = 'x;
    ram_plane_o = 'x;
    ram_bank_o  = 'x;
    index_o     = 'x;
    rams_o      = 'x;
    if (valid_i != '0) begin  // An idle port costs a simulation one test.
      for (int r = 0; r < Rams; r++) begin
        for (int p = 0; p < Planes; p++) match[r][p] = valid_i[p] && rows_i[p][1:0] == 2'(r);
        ram_plane_o[r] = {match[r][3] || match[r][2], match[r][3] || match[r][1]};
        ram_bank_o[r]  = bank_o[ram_plane_o[r]];
        index_o[r]     = row[ram_plane_o[r]][RowWidth-1:2];
        for (int b = 0; b < Banks; b++) begin
          rams_o[b][r] = match[r] != '0 && ram_bank_o[r] == bank_t'(b);
        end
      end
    end
  end
endmodule
