// SPDX-License-Identifier: Apache-2.0
// Where the rows of a request of the VPU lie, sorted by RAMs: each bank has four (tpu_scratchpad_bank).
//
// Latency: combinational. Throughput: one request per cycle. Back-pressure: none.
// Protocol: the rows with a valid have different low bits. Without one, outputs are zero, but for banks of RAMs.
//
// Parameters: Rows (of eight banks).
module tpu_scratchpad_planes #(
  parameter int Rows = 12288,
  localparam int Planes = 4,
  localparam int Banks = 8,
  localparam int Rams = 4,
  localparam int IndexWidth = $clog2(Rows / Banks) - 2
) (
  input  logic [Planes-1:0]          valid_i,
  input  logic [16*Planes-1:0]       rows_i,
  output logic [Planes-1:0]          exponents_o, // rows of exponents
  output logic [Banks:0]             banks_o,     // that the request uses
  // For each RAM number the bank of the row, 8 without one, and the row in the RAM; for each bank its RAMs in use.
  output logic [4*Rams-1:0]          ram_bank_o,
  output logic [Rams*IndexWidth-1:0] index_o,
  output logic [Banks*Rams-1:0]      rams_o
);
  localparam int RowWidth = IndexWidth + 2;

  logic                        any;
  logic [4*Planes-1:0]         bank;
  logic [(Banks+1)*Planes-1:0] banks;
  logic [RowWidth*Planes-1:0]  row;

  assign any = valid_i != '0;
  for (genvar p = 0; p < Planes; p++) begin : gen_plane
    tpu_scratchpad_place #(.Rows(Rows)) u_place (
      .valid_i(valid_i[p]), .row_i(rows_i[16*p +: 16]), .bank_o(bank[4*p +: 4]),
      .banks_o(banks[(Banks+1)*p +: Banks+1]), .row_o(row[RowWidth*p +: RowWidth])
    );
  end

  always_comb begin
    exponents_o = '0;
    banks_o     = '0;
    ram_bank_o  = {Rams{4'd8}};
    index_o     = '0;
    rams_o      = '0;
    if (any) begin  // An idle port costs a simulation one test.
      for (int p = 0; p < Planes; p++) begin
        exponents_o[p] = bank[4*p+3];
        banks_o        = banks_o | banks[(Banks+1)*p +: Banks+1];
      end
      for (int r = 0; r < Rams; r++) begin
        for (int p = 0; p < Planes; p++) begin
          if (valid_i[p] && rows_i[16*p +: 2] == 2'(r)) begin
            ram_bank_o[4*r +: 4]                 = bank[4*p +: 4];
            index_o[r*IndexWidth +: IndexWidth] = row[RowWidth*p+2 +: IndexWidth];
          end
        end
        for (int b = 0; b < Banks; b++) rams_o[b*Rams+r] = ram_bank_o[4*r +: 4] == 4'(b);
      end
    end
  end
endmodule
