// SPDX-License-Identifier: Apache-2.0
// Decides whether a micro-instruction is legal, by itself, and what it asks for. The rules are those of the reference
// page (isa/spec/pages/kernel.md): a known operation, zeros in all bits that it does not use, one memory operand at
// most, and of a known format.
//
// Latency: combinational; costs nothing while valid_i is low.
//
// Parameters: BlockFloat, 0 for a core that does not know the format of blocks.
module tpu_kernel_legal #(
  parameter int BlockFloat = 1
) (
  input  logic        valid_i,
  input  logic [63:0] word_i,
  output logic        legal_o,
  // For the lanes, and one operand is in memory. Of a legal word; of another they say nothing.
  output logic        vector_o,
  output logic        memory_o
);
  localparam logic [63:0] ScalarWide = tpu_kernel_pkg::GROUP_SCALAR_WIDE;
  localparam logic [63:0] Scalar = tpu_kernel_pkg::GROUP_SCALAR;
  localparam logic [63:0] ByKind = tpu_kernel_pkg::GROUP_VECTOR1 | tpu_kernel_pkg::GROUP_VECTOR2;
  localparam logic [63:0] TwoSources = tpu_kernel_pkg::GROUP_VECTOR2;
  localparam logic [63:0] Lanes = tpu_kernel_pkg::GROUP_LANES;
  localparam logic [63:0] Known = tpu_kernel_pkg::GROUP_CONTROL | ScalarWide | Scalar | ByKind | Lanes;

  // A task, because a simulator runs it only when it is called.
  task automatic judge(input tpu_kernel_pkg::word_t word, output logic legal, output logic vector, output logic memory);
    logic [5:0]  op;
    logic [2:0]  format;
    logic        a_register, b_register, a_memory, b_memory, store, immediate;
    tpu_kernel_pkg::word_t used;
    op     = word.op;
    format = word.format;
    store  = word.store;

    // The sources: in a register (a vector or a scalar), the constant, or in memory.
    a_register = 1'b0;
    b_register = 1'b0;
    a_memory   = 1'b0;
    b_memory   = 1'b0;
    immediate  = 1'b0;
    if (ByKind[op]) begin
      case (word.a_kind)
        tpu_kernel_pkg::SOURCE_IMMEDIATE: immediate = 1'b1;
        tpu_kernel_pkg::SOURCE_MEMORY:    a_memory = 1'b1;
        default:                          a_register = 1'b1;
      endcase
    end
    if (TwoSources[op]) begin
      case (word.b_kind)
        tpu_kernel_pkg::SOURCE_IMMEDIATE: immediate = 1'b1;
        tpu_kernel_pkg::SOURCE_MEMORY:    b_memory = 1'b1;
        default:                          b_register = 1'b1;
      endcase
    end
    vector = ByKind[op] || Lanes[op];
    memory = vector && (store || a_memory || b_memory);

    used = '0;
    used.op = '1;
    if (ScalarWide[op] || Scalar[op] || (vector && !store)) used.d = '1;
    if (op == tpu_kernel_pkg::KOP_LOOP || op == tpu_kernel_pkg::KOP_ROWS || op == tpu_kernel_pkg::KOP_ADD_WIDE ||
        Scalar[op] || Lanes[op] || a_register) begin
      used.a = '1;
    end
    if (Scalar[op] || b_register) used.b = '1;
    if (ByKind[op]) used.a_kind = '1;
    if (TwoSources[op]) used.b_kind = '1;
    if (ByKind[op]) used.store = 1'b1;
    if (op == tpu_kernel_pkg::KOP_SHIFT_ROUND) used.rounding = 1'b1;
    if (memory) begin
      used.format         = '1;
      used.base             = '1;
      used.row_stride = '1;
      if (format == tpu_kernel_pkg::FORMAT_I16 || format == tpu_kernel_pkg::FORMAT_I32) begin
        used.plane_stride = '1;
      end
    end
    if (op == tpu_kernel_pkg::KOP_LOOP || immediate) begin
      used.immediate = '1;
    end
    if (ScalarWide[op]) used[tpu_kernel_pkg::WIDE_LSB +: tpu_kernel_pkg::WIDE_W] = '1;

    legal = Known[op] && (word & ~used) == '0
         && !(store && (a_memory || b_memory)) && !(a_memory && b_memory)
         && !(memory && (format > tpu_kernel_pkg::FORMAT_BLOCKS
                         || (BlockFloat == 0 && format == tpu_kernel_pkg::FORMAT_BLOCKS)));
  endtask

  always_comb begin
    legal_o  = 1'b0;
    vector_o = 1'b0;
    memory_o = 1'b0;
    if (valid_i) judge(word_i, legal_o, vector_o, memory_o);
  end
endmodule
