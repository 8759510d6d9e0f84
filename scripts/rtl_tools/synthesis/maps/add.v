// SPDX-License-Identifier: Apache-2.0
// For Yosys: each sum and difference as a carry chain.
(* techmap_celltype = "$add $sub" *)
module _add_ (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  parameter _TECHMAP_CELLTYPE_ = "";
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;
  localparam Subtract = _TECHMAP_CELLTYPE_ == "$sub";
  localparam Signed = A_SIGNED && B_SIGNED;
  wire [Y_WIDTH-1:0] X, CO;
  \$alu #(
    .A_SIGNED(Signed), .B_SIGNED(Signed), .A_WIDTH(A_WIDTH), .B_WIDTH(B_WIDTH), .Y_WIDTH(Y_WIDTH)
  ) alu (.A(A), .B(B), .CI(Subtract), .BI(Subtract), .X(X), .Y(Y), .CO(CO));
endmodule
