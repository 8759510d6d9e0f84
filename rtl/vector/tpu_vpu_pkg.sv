// SPDX-License-Identifier: Apache-2.0
// The destinations of a requantized row in the vector unit.
package tpu_vpu_pkg;
  localparam logic [1:0] RESULT = 2'd0; // zero point, clamp, perhaps the table: an output row
  localparam logic [1:0] MIDDLE = 2'd1; // the same with the residual's middle clamp: first operand of the addition
  localparam logic [1:0] SECOND = 2'd2; // second operand of an addition; comes before the first
  localparam logic [1:0] FIRST  = 2'd3; // first operand: added to the second
endpackage
