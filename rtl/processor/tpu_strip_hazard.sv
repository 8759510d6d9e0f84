// SPDX-License-Identifier: Apache-2.0
// Tells whether a row that is loaded may be one that is on its way to memory. Of the rows on their way it keeps a
// range, which begins anew with a store when there are none, and whether blocks are among them, whose exponents share
// rows. While one of them is outside its memory, nothing is loaded, since the kernel will end with it.
//
// Latency: hazard_o is combinational; a store counts from the next cycle on. Throughput: one row per cycle.
// Back-pressure: none, never stalls.
// Protocol: load_i and store_i tell what the operation does whose format and rows these are, the latter one for each
// plane; issue_i marks the issue of a row that is stored. storing_i tells that rows are on their way, without that one.
// While load_i is low, hazard_o is.
//
// Parameters: ScratchRows, AccRows (rows of the memories), BlockRows (scratchpad rows that have exponents).
module tpu_strip_hazard #(
  parameter int ScratchRows = 12288,
  parameter int BlockRows = ScratchRows,
  parameter int AccRows = 1024,
  localparam int Planes = 4
) (
  input  logic                 clk_i,
  input  logic                 load_i,
  input  logic                 store_i,
  input  logic                 issue_i,
  input  logic                 storing_i,
  input  logic [2:0]           format_i,
  input  logic [16*Planes-1:0] rows_i,
  output logic                 hazard_o
);
  // Rows of the accumulators lie behind those of the scratchpad.
  logic [16:0] low_q, high_q, low, high, row;
  logic        blocks_q, blocks, outside_q, outside;

  always_comb begin
    low     = '0;
    high    = '0;
    row     = '0;
    blocks  = 1'b0;
    outside = 1'b0;
    if (store_i || (load_i && storing_i)) begin  // An idle unit costs a simulation one test.
      low    = {format_i == tpu_kernel_pkg::FORMAT_ACC, rows_i[15:0]};
      high   = low;
      blocks = format_i == tpu_kernel_pkg::FORMAT_BLOCKS;
      for (int p = 1; p < Planes; p++) begin
        row = {1'b0, rows_i[16*p +: 16]};
        if (format_i == tpu_kernel_pkg::FORMAT_I32 || (p == 1 && format_i == tpu_kernel_pkg::FORMAT_I16)) begin
          if (row < low) low = row;
          if (row > high) high = row;
        end
      end
      outside = {16'd0, high[15:0]} >= (high[16] ? AccRows : blocks ? BlockRows : ScratchRows);
    end
  end

  always_comb begin
    hazard_o = 1'b0;
    if (load_i && storing_i) begin
      hazard_o = outside_q || (low <= high_q && high >= low_q)
              || (blocks_q && (blocks || (high >= 17'(BlockRows) && !high[16])));
    end
  end

  always_ff @(posedge clk_i) begin
    if (issue_i) begin
      low_q     <= storing_i && low_q < low ? low_q : low;
      high_q    <= storing_i && high_q > high ? high_q : high;
      blocks_q  <= blocks || (storing_i && blocks_q);
      outside_q <= outside || (storing_i && outside_q);
    end
  end
endmodule
