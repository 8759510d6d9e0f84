// SPDX-License-Identifier: Apache-2.0
// For Yosys: comparisons with a constant as gates, halves first, in place of a carry chain: of 16 bits about 5 LUTs, not
// 18.
(* techmap_celltype = "$lt $le $gt $ge" *)
module _compare_ (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  parameter _TECHMAP_CELLTYPE_ = "";
  parameter _TECHMAP_CONSTMSK_A_ = 0;
  parameter _TECHMAP_CONSTMSK_B_ = 0;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;
  localparam W = A_WIDTH > B_WIDTH ? A_WIDTH : B_WIDTH;
  localparam N = 1 << $clog2(W);
  localparam IsSigned = A_SIGNED && B_SIGNED;
  localparam Swap = _TECHMAP_CELLTYPE_ == "$gt" || _TECHMAP_CELLTYPE_ == "$le";
  localparam Invert = _TECHMAP_CELLTYPE_ == "$ge" || _TECHMAP_CELLTYPE_ == "$le";
  wire _TECHMAP_FAIL_ = !(&_TECHMAP_CONSTMSK_A_ || &_TECHMAP_CONSTMSK_B_);
  wire [N-1:0] a, b, x, y;
  generate
    if (IsSigned) begin
      assign a = $signed(A);
      assign b = $signed(B);
    end else begin
      assign a = A;
      assign b = B;
    end
  endgenerate
  assign x = (Swap ? b : a) ^ (IsSigned << (N - 1));
  assign y = (Swap ? a : b) ^ (IsSigned << (N - 1));
  // Bits 1, 2 to 3, 4 to 7 and so on: of the whole, of its halves, of their halves; the last are the bits themselves.
  wire [2*N-1:1] less, same;
  assign less[2*N-1:N] = ~x & y;
  assign same[2*N-1:N] = ~(x ^ y);
  genvar i;
  generate
    for (i = 1; i < N; i = i + 1) begin
      assign less[i] = less[2*i+1] | (same[2*i+1] & less[2*i]);
      assign same[i] = same[2*i+1] & same[2*i];
    end
  endgenerate
  assign Y = less[1] ^ Invert;
endmodule
