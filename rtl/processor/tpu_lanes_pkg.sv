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
endpackage
