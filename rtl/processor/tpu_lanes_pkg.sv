// SPDX-License-Identifier: Apache-2.0
// What two stages of the lanes share.
package tpu_lanes_pkg;
  // The bits in reverse order: wires in hardware, five steps for a simulator.
  function automatic logic [31:0] reverse(input logic [31:0] word);
    reverse = {word[15:0], word[31:16]};
    reverse = (reverse & 32'h00ff_00ff) << 8 | (reverse >> 8 & 32'h00ff_00ff);
    reverse = (reverse & 32'h0f0f_0f0f) << 4 | (reverse >> 4 & 32'h0f0f_0f0f);
    reverse = (reverse & 32'h3333_3333) << 2 | (reverse >> 2 & 32'h3333_3333);
    reverse = (reverse & 32'h5555_5555) << 1 | (reverse >> 1 & 32'h5555_5555);
  endfunction

  // The ones of a word: sums of neighbours, each as wide as it can get.
  function automatic logic [5:0] ones(input logic [31:0] word);
    logic [15:0][1:0] pairs;
    logic [7:0][2:0]  fours;
    logic [3:0][3:0]  eights;
    logic [1:0][4:0]  halves;
    for (int i = 0; i < 16; i++) pairs[i] = {1'b0, word[2*i]} + {1'b0, word[2*i+1]};
    for (int i = 0; i < 8; i++) fours[i] = {1'b0, pairs[2*i]} + {1'b0, pairs[2*i+1]};
    for (int i = 0; i < 4; i++) eights[i] = {1'b0, fours[2*i]} + {1'b0, fours[2*i+1]};
    for (int i = 0; i < 2; i++) halves[i] = {1'b0, eights[2*i]} + {1'b0, eights[2*i+1]};
    ones = {1'b0, halves[0]} + {1'b0, halves[1]};
  endfunction
endpackage
