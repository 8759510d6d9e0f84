// SPDX-License-Identifier: Apache-2.0
// Computes the number of weight rows of a command that has too many, which its error names: taps of the kernel x blocks
// x rows of a weight tile. Only a refused command needs it, so one adder does it, one bit of the kernel in a cycle.
//
// Latency: 18 cycles from start_i. Throughput: one number until reset. Back-pressure: none.
// Protocol: start_i stays high; the other inputs are constant meanwhile. done_o is high when rows_o is right.
//
// Parameters: Dim (4, 8, 16 or 32).
module tpu_mxu_weight_rows import tpu_mxu_pkg::*; #(
  parameter int Dim = 16
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,
  input  logic [15:0] kernel_i,      // rows x columns
  input  logic [15:0] blocks_i,
  input  logic        single_i,      // a tile is one row (DEPTHWISE)
  input  logic        block_float_i,
  output logic        done_o,
  output logic [31:0] rows_o
);
  localparam int Parts = Dim > 16 ? Dim / 16 : 1;
  // 0: begin; 1 to 16: bits of the kernel, the highest first; 17: rows of a tile.
  localparam logic [4:0] Tile = 5'd17;

  logic [4:0]  step_q;
  logic        done_q;
  logic [15:0] bits_q;
  logic [31:0] rows_q;

  // In block floating point a tile has one row more for each block of lanes.
  function automatic logic [31:0] next_rows();
    logic [31:0] doubled, more;
    doubled = rows_q << 1;
    more = bits_q[15] ? 32'(blocks_i) : '0;
    if (step_q == Tile) begin
      doubled = single_i ? rows_q : rows_q << $clog2(Dim);
      more = block_float_i ? rows_q << $clog2(Parts) : '0;
    end
    return step_q == '0 ? '0 : doubled + more;
  endfunction

  always_ff @(posedge clk_i) begin
    if (start_i) begin  // A command that is not refused costs a simulation one test.
      if (!done_q) begin
        rows_q <= next_rows();
        bits_q <= step_q == '0 ? kernel_i : bits_q << 1;
        done_q <= step_q == Tile;
        step_q <= step_q + 1'b1;
      end
    end
    if (!rst_ni) begin
      step_q <= '0;
      done_q <= 1'b0;
    end
  end
  assign done_o = done_q;
  assign rows_o = rows_q;
endmodule
