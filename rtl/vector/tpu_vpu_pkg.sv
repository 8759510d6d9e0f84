// SPDX-License-Identifier: Apache-2.0
// The destinations of a requantized row in the vector unit.
package tpu_vpu_pkg;
  localparam logic [1:0] RESULT = 2'd0; // output row, after zero point, clamp and table (if used)
  localparam logic [1:0] MIDDLE = 2'd1; // first operand of a residual DRAIN, after zero1, middle clamp and table
  localparam logic [1:0] SECOND = 2'd2; // second operand of an addition; arrives before the first
  localparam logic [1:0] FIRST  = 2'd3; // first operand: added to the second
endpackage
