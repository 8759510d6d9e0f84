// SPDX-License-Identifier: Apache-2.0
// A bank of the scratchpad: four RAMs, of which each has the rows whose number has the same two low bits, so that one
// request may name a row in each.
//
// Latency: read data follow the enable by one cycle and hold until the next read of the bank, through either port.
// Throughput: one read and one write request per cycle. Back-pressure: none, never stalls.
// Protocol: rd_en_i and wr_en_i mark a request for one cycle. With rd_wide_i or wr_wide_i it goes through the wide port
// and is for a row in each RAM of *_rams_i, *_index_i the number of that row in its RAM; otherwise it is for one row.
//
// A read defines only the data that it asks for. Undefined (X in simulation) are:
// - the data of the other port, until that port reads;
// - the rows of the wide port in RAMs that wide_rd_rams_i leaves out;
// - a row that is read while it is written; the write is done.
//
// The bank has a body for synthesis and one for simulation. Both follow this contract, and one test checks both
// (tests/rtl/scratchpad_bank). A simulation drives X where the RAMs would still hold or already show another row, so
// that nothing can come to depend on it.
//
// Parameters: Dim (bytes per row), Rows (multiple of 4, at least 8).
module tpu_scratchpad_bank #(
  parameter int Dim = 16,
  parameter int Rows = 1536,
  localparam int Width = 8 * Dim,
  localparam int Rams = 4,
  localparam int RowWidth = $clog2(Rows),
  localparam int IndexWidth = RowWidth - 2
) (
  input  logic                             clk_i,
  // Reads.
  input  logic                             rd_en_i,
  input  logic [RowWidth-1:0]              rd_row_i,
  output logic [Width-1:0]                 rd_data_o,
  input  logic                             rd_wide_i,
  input  logic [Rams-1:0]                  wide_rd_rams_i,
  input  logic [Rams-1:0][IndexWidth-1:0] wide_rd_index_i,
  output logic [Rams-1:0][Width-1:0] wide_rd_data_o,
  // Writes: of bytes of a row under a mask, or of whole rows.
  input  logic                             wr_en_i,
  input  logic [RowWidth-1:0]              wr_row_i,
  input  logic [Width-1:0]                 wr_data_i,
  input  logic [Dim-1:0]                   wr_mask_i,
  input  logic                             wr_wide_i,
  input  logic [Rams-1:0]                  wide_wr_rams_i,
  input  logic [Rams-1:0][IndexWidth-1:0] wide_wr_index_i,
  input  logic [Rams-1:0][Width-1:0] wide_wr_data_i
);
`ifdef SYNTHESIS
  logic [1:0] ram_q;
  always_ff @(posedge clk_i) if (rd_en_i && !rd_wide_i) ram_q <= rd_row_i[1:0];
  assign rd_data_o = wide_rd_data_o[ram_q];

  for (genvar r = 0; r < Rams; r++) begin : gen_ram
    tpu_ram #(.Width(Width), .Depth(Rows / Rams), .LaneWidth(8)) u_ram (
      .clk_i,
      .rd_en_i(rd_en_i && (rd_wide_i ? wide_rd_rams_i[r] : rd_row_i[1:0] == 2'(r))),
      .rd_addr_i(rd_wide_i ? wide_rd_index_i[r] : rd_row_i[RowWidth-1:2]),
      .rd_data_o(wide_rd_data_o[r]),
      .wr_en_i(wr_en_i && (wr_wide_i ? wide_wr_rams_i[r] : wr_row_i[1:0] == 2'(r))),
      .wr_addr_i(wr_wide_i ? wide_wr_index_i[r] : wr_row_i[RowWidth-1:2]),
      .wr_data_i(wr_wide_i ? wide_wr_data_i[r] : wr_data_i),
      .wr_mask_i(wr_wide_i ? '1 : wr_mask_i)
    );
  end
`else
  // The same as one array in the order of the rows and in the way of tpu_ram: a simulation tests a port of the bank,
  // not of each RAM.
  logic [Dim-1:0][7:0] mem [0:Rows-1];

  // Variables of the tasks: wide ones that are declared in a task, a simulator clears in each cycle.
  /* verilator tracing_off */
  logic [Rams-1:0][Width-1:0] rd_data, wr_data;
  logic [Dim-1:0][7:0]        row_data;
  /* verilator tracing_on */

  // Whether this row is written in this cycle.
  function automatic logic written(input logic [RowWidth-1:0] row);
    written = wr_wide_i ? wide_wr_rams_i[row[1:0]] && wide_wr_index_i[row[1:0]] == row[RowWidth-1:2]
                        : wr_row_i == row;
  endfunction

  // Tasks, and each input read once: a simulation then computes nothing for a bank that rests.
  /* verilator lint_off BLKSEQ */
  task automatic read_wide;
    logic [Rams-1:0]                 rams;
    logic [Rams-1:0][IndexWidth-1:0] index;
    rams    = wide_rd_rams_i;
    index   = wide_rd_index_i;
    rd_data = 'x;
    for (int r = 0; r < Rams; r++) begin
      if (rams[r]) begin
        rd_data[r] = mem[{index[r], 2'(r)}];
        if (wr_en_i && written({index[r], 2'(r)})) rd_data[r] = 'x;
      end
    end
    wide_rd_data_o <= rd_data;
    rd_data_o      <= 'x;
  endtask

  task automatic read_row;
    logic [RowWidth-1:0] row;
    row             = rd_row_i;
    rd_data_o      <= mem[row];
    wide_rd_data_o <= 'x;
    if (wr_en_i && written(row)) rd_data_o <= 'x;
  endtask

  task automatic write_wide;
    logic [Rams-1:0]                 rams;
    logic [Rams-1:0][IndexWidth-1:0] index;
    rams    = wide_wr_rams_i;
    index   = wide_wr_index_i;
    wr_data = wide_wr_data_i;
    for (int r = 0; r < Rams; r++) if (rams[r]) mem[{index[r], 2'(r)}] = wr_data[r];
  endtask

  task automatic write_row;
    logic [RowWidth-1:0] row;
    logic [Dim-1:0]      mask;
    row      = wr_row_i;
    mask     = wr_mask_i;
    row_data = wr_data_i;
    if (mask == '1) begin
      mem[row] = row_data;
    end else begin
      for (int i = 0; i < Dim; i++) if (mask[i]) mem[row][i] = row_data[i];
    end
  endtask
  /* verilator lint_on BLKSEQ */

  always_ff @(posedge clk_i) begin
    if (rd_en_i || wr_en_i) begin  // One test while the bank rests.
      if (rd_en_i) begin
        if (rd_wide_i) read_wide;
        else read_row;
      end
      if (wr_en_i) begin
        if (wr_wide_i) write_wide;
        else write_row;
      end
    end
  end
`endif
endmodule
