// SPDX-License-Identifier: Apache-2.0
// Exponents of blocks: the greatest exponent field of each 16 words of binary32 in a row, or of a row's words where
// they are fewer. It is 0 for zeros and subnormal numbers and 255 for infinities and NaNs.
//
// Latency: combinational; costs a simulation nothing while valid_i is low. Throughput: one row per cycle.
// Back-pressure: none.
//
// Protocol: the outputs belong to row_i, while valid_i is high.
//
// Parameters: Dim (lanes, power of two).
module tpu_block_exponent #(
  parameter int Dim = 16,
  localparam int BlockLanes = Dim < 16 ? Dim : 16,
  localparam int Parts = Dim / BlockLanes
) (
  input  logic               valid_i,
  input  logic [Dim-1:0][31:0]  row_i,
  output logic [Parts-1:0][7:0] exponents_o
);
  // A process for each block.
  for (genvar part = 0; part < Parts; part++) begin : gen_part
    task automatic find;
      logic [7:0] greatest [0:BlockLanes-1];
      for (int i = 0; i < BlockLanes; i++) greatest[i] = row_i[part*BlockLanes + i][30:23];
      // A tree: of neighbours, then of neighbouring results.
      for (int step = 1; step < BlockLanes; step *= 2) begin
        for (int i = 0; i < BlockLanes; i += 2 * step) begin
          if (greatest[i+step] > greatest[i]) greatest[i] = greatest[i+step];
        end
      end
      exponents_o[part] = greatest[0];
    endtask

    always_comb begin
      exponents_o[part] = 'x;
      if (valid_i) find;
    end
  end
endmodule
