// SPDX-License-Identifier: Apache-2.0
// Tells whether a row that is loaded may be one that is on its way to memory. Of the rows on their way it keeps a
// range, which begins anew with a store when there are none, and whether blocks are among them, whose exponents share
// rows. A row of blocks that is loaded may have its exponents in any row of exponents. While one of them is outside its
// memory, nothing is loaded, since the kernel will end with it.
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
  input  logic [Planes-1:0][15:0] rows_i,
  output logic                 hazard_o
);
  // Rows of the accumulators lie behind those of the scratchpad.
  logic [16:0]       low_q, high_q, low, high, last;
  logic              down;
  logic [Planes-1:0] planes, reached;
  logic              acc, blocks_q, blocks, outside_q, outside;

  assign acc    = format_i == tpu_kernel_pkg::FORMAT_ACC;
  assign blocks = format_i == tpu_kernel_pkg::FORMAT_BLOCKS;
  always_comb begin
    case (format_i)
      tpu_kernel_pkg::FORMAT_I32: planes = 4'b1111;
      tpu_kernel_pkg::FORMAT_I16: planes = 4'b0011;
      default: planes = 4'b0001;
    endcase
  end

  function automatic logic [16:0] place(input int plane);
    place = {acc, rows_i[plane]};
  endfunction
  function automatic logic [16:0] lesser(input logic [16:0] a, input logic [16:0] b);
    lesser = a < b ? a : b;
  endfunction
  function automatic logic [16:0] greater(input logic [16:0] a, input logic [16:0] b);
    greater = a > b ? a : b;
  endfunction

  // Loads.
  always_comb begin
    reached  = '0;
    hazard_o = 1'b0;
    if (load_i && storing_i) begin  // Branches here and below: an idle unit costs a simulation one test.
      for (int p = 0; p < Planes; p++) begin
        reached[p] = planes[p] && ((place(p) >= low_q && place(p) <= high_q)
                                  || (blocks_q && !acc && 32'(rows_i[p]) >= BlockRows));
      end
      hazard_o = outside_q || reached != '0 || (blocks && (blocks_q || 32'(high_q) >= BlockRows));
    end
  end

  // Stores.
  always_comb begin
    low     = '0;
    high    = '0;
    last    = '0;
    down    = 1'b0;
    outside = 1'b0;
    if (store_i) begin
      // Planes are equally far apart, so the first and the last are the ends of their range, unless rows have wrapped.
      down = place(1) < place(0);
      low  = place(0);
      high = place(0);
      if (planes[1]) begin
        last = planes[3] ? place(3) : place(1);
        low  = down ? last : place(0);
        high = down ? place(0) : last;
      end
      if (planes[3] && ((place(2) < place(1)) != down || (place(3) < place(2)) != down)) begin
        low  = {acc, 16'd0};
        high = {acc, 16'hffff};
      end
      for (int p = 0; p < Planes; p++) begin
        if (planes[p] && 32'(rows_i[p]) >= (acc ? AccRows : blocks ? BlockRows : ScratchRows)) outside = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (issue_i) begin
      low_q     <= storing_i ? lesser(low, low_q) : low;
      high_q    <= storing_i ? greater(high, high_q) : high;
      blocks_q  <= blocks || (storing_i && blocks_q);
      outside_q <= outside || (storing_i && outside_q);
    end
  end
endmodule
