// SPDX-License-Identifier: Apache-2.0
// Source operands of a row: a vector register, a constant for all lanes, or a row of memory, extended to 32 bits.
//
// Operations over the lanes pair neighbours: a takes the even lanes and b the odd ones, and the upper half of both
// repeats the lower. So after log2(Dim) passes all lanes have the same result. add_lane has the lanes' numbers for b.
//
// Latency: two cycles from issue_i to valid_o; register and memory data arrive after the first. Throughput: one row per
// cycle. Back-pressure: none, never stalls.
//
// Protocol: gather_i, issue_i and together_i mark the grant of a plane and the issue of a row as tpu_strip_issue does;
// data arrive a cycle later. The fields of the operation are read with issue_i; tag_o is the tag of the row with
// valid_o.
//
// Parameters: Dim (lanes), TagWidth (bits that travel with the row); BlockFloat, 0 for a core without blocks.
module tpu_strip_operands #(
  parameter int Dim = 16,
  parameter int TagWidth = 18,
  parameter int BlockFloat = 1,
  localparam int Parts = Dim > 16 ? Dim / 16 : 1,
  localparam int Planes = 4
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // Plane or row whose data arrive in the next cycle.
  input  logic [Planes-2:0]   gather_i,
  input  logic                issue_i,
  input  tpu_strip_pkg::row_t row_i,
  input  logic [TagWidth-1:0] tag_i,
  // Data.
  input  logic [Dim-1:0][31:0] a_register_i,
  input  logic [Dim-1:0][31:0] b_register_i,
  input  logic [Planes-1:0][Dim-1:0][7:0] rd_data_i,         // a row for each plane
  input  logic [Parts-1:0][7:0] rd_exponents_i,
  input  logic [Dim-1:0][31:0] acc_rd_data_i,
  // Operands.
  output logic                valid_o,
  output logic [TagWidth-1:0] tag_o,
  output logic [Dim-1:0][31:0] a_o,
  output logic [Dim-1:0][31:0] b_o
);
  logic [Planes-2:0] gather_q;
  logic              issue_q, together_q, pairs_q, numbers_q;
  logic [1:0]        a_kind_q, b_kind_q;
  logic [2:0]        format_q;
  logic [31:0]       a_value_q, b_value_q;
  logic [TagWidth-1:0] tag_q;
  logic              unused_row;
  assign unused_row = ^row_i;
  logic [Planes-2:0][Dim-1:0][7:0] planes_q;  // earlier planes of the row

  // The functions read wide operands directly from the signals, because a simulator copies arguments.
  // The row of memory. Words lie in its planes one after the other.
  function automatic logic [Dim-1:0][31:0] memory();
    logic [Dim-1:0][31:0] words;
    logic [Dim-1:0][15:0] halves;
    logic [15:0]          half;
    words  = rd_data_i;
    if (!together_q) words[3*Dim/4-1:0] = planes_q;
    halves = rd_data_i[1:0];
    if (!together_q) halves[Dim/2-1:0] = planes_q[0];
    for (int i = 0; i < Dim; i++) begin
      half = halves[i];
      case (format_q)
        tpu_kernel_pkg::FORMAT_I8: memory[i] = {{24{rd_data_i[0][i][7]}}, rd_data_i[0][i]};
        tpu_kernel_pkg::FORMAT_U8: memory[i] = {24'd0, rd_data_i[0][i]};
        tpu_kernel_pkg::FORMAT_I16: memory[i] = {{16{half[15]}}, half};
        tpu_kernel_pkg::FORMAT_I32: memory[i] = words[i];
        default: memory[i] = acc_rd_data_i[i];
      endcase
    end
  endfunction

  // A row of blocks as binary32. The field of a number whose first bit is bit n is the exponent - 6 + n. The greatest
  // number of all, -2^128, is an infinity.
  function automatic logic [Dim-1:0][31:0] blocks();
    logic [Parts-1:0][7:0] next;  // exponents + 1, for all lanes of a block
    logic [7:0] mantissa, magnitude, exponent, field;
    logic [2:0] zeros;
    for (int part = 0; part < Parts; part++) next[part] = rd_exponents_i[part] + 8'd1;
    for (int i = 0; i < Dim; i++) begin
      mantissa  = rd_data_i[0][i];
      exponent  = rd_exponents_i[i*Parts/Dim];
      magnitude = mantissa[7] ? 8'd0 - mantissa : mantissa;
      zeros[2] = magnitude[7:4] == '0;
      if (zeros[2]) magnitude = {magnitude[3:0], 4'd0};
      zeros[1] = magnitude[7:6] == '0;
      if (zeros[1]) magnitude = {magnitude[5:0], 2'd0};
      zeros[0] = !magnitude[7];
      if (zeros[0]) magnitude = {magnitude[6:0], 1'd0};
      field = next[i*Parts/Dim] - 8'(zeros);
      blocks[i] = {mantissa[7], field, magnitude[6:0], 16'd0};
      if (!magnitude[7] || exponent < 8'(zeros)) blocks[i] = '0;
      if (exponent == '1) blocks[i] = 32'h7fc0_0000;
    end
  endfunction

  logic in_blocks;
  assign in_blocks = BlockFloat != 0 && format_q == tpu_kernel_pkg::FORMAT_BLOCKS;

  function automatic logic [Dim-1:0][31:0] pairs(input int odd);
    for (int i = 0; i < Dim; i++) pairs[i] = a_register_i[(2*i + odd) % Dim];
  endfunction

  function automatic logic [Dim-1:0][31:0] numbers();
    for (int i = 0; i < Dim; i++) numbers[i] = 32'(i);
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      gather_q <= '0;
      issue_q  <= 1'b0;
      valid_o  <= 1'b0;
    end else begin
      gather_q <= gather_i;
      issue_q  <= issue_i;
      valid_o  <= issue_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (issue_i) begin
      together_q <= row_i.together;
      pairs_q    <= tpu_kernel_pkg::GROUP_LANES[row_i.operation.op];
      numbers_q  <= row_i.operation.op == tpu_kernel_pkg::KOP_ADD_LANE;
      a_kind_q   <= row_i.operation.a_kind;
      b_kind_q   <= row_i.operation.b_kind;
      format_q   <= row_i.operation.format;
      a_value_q  <= row_i.operation.a_value;
      b_value_q  <= row_i.operation.b_value;
      tag_q      <= tag_i;
    end
    if (gather_q != '0) begin
      for (int p = 0; p < Planes - 1; p++) begin
        if (gather_q[p]) planes_q[p] <= rd_data_i[p];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (issue_q) begin
      tag_o <= tag_q;
      if (pairs_q) begin
        a_o <= pairs(0);
        b_o <= pairs(1);
      end else begin
        case (a_kind_q)
          tpu_kernel_pkg::SOURCE_VECTOR: a_o <= a_register_i;
          tpu_kernel_pkg::SOURCE_MEMORY: a_o <= in_blocks ? blocks() : memory();
          default: a_o <= {Dim{a_value_q}};
        endcase
        case (b_kind_q)
          tpu_kernel_pkg::SOURCE_VECTOR: b_o <= b_register_i;
          tpu_kernel_pkg::SOURCE_MEMORY: b_o <= in_blocks ? blocks() : memory();
          default: b_o <= {Dim{b_value_q}};
        endcase
        if (numbers_q) b_o <= numbers();
      end
    end
  end
endmodule
