// SPDX-License-Identifier: Apache-2.0
// One bank of the accumulators: a RAM of one read and one write port, which two sides write.
//
// Latency: a read returns its row in the next cycle. Throughput: one read and one write per cycle. Back-pressure: none;
// tpu_accumulator arbitrates both ports.
//
// Parameters: Dim (lanes of 32 bits, at least 4), Rows (power of two, at least 2).
module tpu_accumulator_bank #(
  parameter int Dim = 16,
  parameter int Rows = 512,
  localparam int AddrWidth = $clog2(Rows)
) (
  input  logic                 clk_i,
  // Read port.
  input  logic                 rd_en_i,
  input  logic [AddrWidth-1:0] rd_row_i,
  output logic [Dim-1:0][31:0] rd_data_o,
  // Write of the matrix side.
  input  logic                 mac_en_i,
  input  logic [AddrWidth-1:0] mac_row_i,
  input  logic [Dim-1:0][31:0] mac_data_i,
  // Write of the vector side, for cycles without mac_en_i.
  input  logic                 wr_en_i,
  input  logic [AddrWidth-1:0] wr_row_i,
  input  logic [Dim-1:0][31:0] wr_data_i,
  // Clearing of a row; no side writes then.
  input  logic                 clear_i,
  input  logic [AddrWidth-1:0] clear_row_i
);
  logic [AddrWidth-1:0] row;
  logic [Dim-1:0][31:0] data;

  // Branches: a simulation copies one row in a cycle.
  always_comb begin
    if (mac_en_i) begin
      row  = mac_row_i;
      data = mac_data_i;
    end else if (clear_i) begin
      row  = clear_row_i;
      data = '0;
    end else begin
      row  = wr_row_i;
      data = wr_data_i;
    end
  end

  tpu_ram #(.Width(32 * Dim), .Depth(Rows)) u_ram (
    .clk_i,
    .rd_en_i,
    .rd_addr_i (rd_row_i),
    .rd_data_o,
    .wr_en_i   (mac_en_i || clear_i || wr_en_i),
    .wr_addr_i (row),
    .wr_data_i (data),
    .wr_mask_i (1'b1)
  );
endmodule
