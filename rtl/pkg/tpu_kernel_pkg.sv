// SPDX-License-Identifier: Apache-2.0
// Generated from isa/spec by scripts/gen/generate. Do not edit.
// Micro-instructions of the vector processor: sizes, fields, operations.
package tpu_kernel_pkg;
  localparam int WORD_W = 64;
  localparam int MEMORY_WORDS = 1024;
  localparam int VECTORS = 16;
  localparam int STRIP_ROWS = 8;
  localparam int SCALARS = 16;
  localparam int ARGUMENTS = 12;
  localparam int LOOP_DEPTH = 4;
  localparam int TABLE_WORDS = 256;
  localparam int WORK_LOG2 = 20;

  // Fields of a word.
  localparam int OP_LSB = 0, OP_W = 6; // operation
  localparam int D_LSB = 6, D_W = 4; // destination: a vector register, or a scalar in a scalar operation
  localparam int A_LSB = 10, A_W = 4; // first source; the count of `loop` and `rows`
  localparam int B_LSB = 14, B_W = 4; // second source
  localparam int A_KIND_LSB = 18, A_KIND_W = 2; // what the first source is (Source)
  localparam int B_KIND_LSB = 20, B_KIND_W = 2; // what the second source is (Source)
  localparam int STORE_LSB = 22, STORE_W = 1; // the result goes to memory, not to register `d`
  localparam int ROUNDING_LSB = 23, ROUNDING_W = 1; // ties of `shift_round`: 0 away from zero, 1 to even
  localparam int FORMAT_LSB = 24, FORMAT_W = 3; // of the memory operand (Format)
  localparam int BASE_LSB = 27, BASE_W = 4; // scalar with the first row of the memory operand
  localparam int ROW_STRIDE_LSB = 31, ROW_STRIDE_W = 4; // scalar with the distance from one row of the strip to the next; 0: the distance is 1
  localparam int PLANE_STRIDE_LSB = 35, PLANE_STRIDE_W = 4; // scalar with the distance of the scratchpad planes of i16 and i32; 0: the distance is 1
  localparam int IMMEDIATE_LSB = 48, IMMEDIATE_W = 16; // the source IMMEDIATE, sign-extended; the length of a loop's body in words
  localparam int WIDE_LSB = 32, WIDE_W = 32; // constant of `set` and `add_wide`

  // A word, without `wide`, whose bits are those of other fields.
  typedef struct packed {
    logic [15:0] immediate;
    logic [8:0]  reserved_39;
    logic [3:0]  plane_stride;
    logic [3:0]  row_stride;
    logic [3:0]  base;
    logic [2:0]  format;
    logic        rounding;
    logic        store;
    logic [1:0]  b_kind;
    logic [1:0]  a_kind;
    logic [3:0]  b;
    logic [3:0]  a;
    logic [3:0]  d;
    logic [5:0]  op;
  } word_t;

  // Source: what a source operand is.
  localparam logic [1:0] SOURCE_VECTOR = 2'd0; // a vector register
  localparam logic [1:0] SOURCE_SCALAR = 2'd1; // a scalar, the same in all rows and lanes
  localparam logic [1:0] SOURCE_IMMEDIATE = 2'd2; // the field `immediate`, the same in all rows and lanes
  localparam logic [1:0] SOURCE_MEMORY = 2'd3; // the memory operand: of one source at most, and of none where the result is stored

  // Format: what a row of a memory operand is.
  localparam logic [2:0] FORMAT_I8 = 3'd0; // int8: a scratchpad row; a store saturates
  localparam logic [2:0] FORMAT_U8 = 3'd1; // uint8: a scratchpad row; a store saturates
  localparam logic [2:0] FORMAT_I16 = 3'd2; // int16: rows of two scratchpad planes, one after the other; a store saturates
  localparam logic [2:0] FORMAT_I32 = 3'd3; // 32 bits: rows of four scratchpad planes, one after the other
  localparam logic [2:0] FORMAT_ACC = 3'd4; // 32 bits: an accumulator row
  localparam logic [2:0] FORMAT_BLOCKS = 3'd5; // binary32 in block floating point: a scratchpad row of mantissas and its exponent; for a store 16/DIM rows of the strip, one after the other, form a block, or each 16 lanes of a row

  // Operations.
  localparam logic [5:0] KOP_END = 6'd0; // ends the kernel
  localparam logic [5:0] KOP_LOOP = 6'd1; // runs the next `immediate` words as many times as scalar `a` says; not at all for 0 or less
  localparam logic [5:0] KOP_ROWS = 6'd2; // sets the rows of a strip: the lesser of scalar `a` and 8, and 0 for a negative scalar
  localparam logic [5:0] KOP_SET = 6'd3; // d = wide
  localparam logic [5:0] KOP_ADD_WIDE = 6'd4; // d = a + wide
  localparam logic [5:0] KOP_ADD = 6'd5; // d = a + b
  localparam logic [5:0] KOP_SUB = 6'd6; // d = a - b
  localparam logic [5:0] KOP_MOVE = 6'd16; // a
  localparam logic [5:0] KOP_COUNT_ZEROS = 6'd17; // leading zeros of a's 32 bits; 32 for 0
  localparam logic [5:0] KOP_TABLE = 6'd18; // the table's word number a modulo 256
  localparam logic [5:0] KOP_TO_FLOAT = 6'd19; // int32 to binary32
  localparam logic [5:0] KOP_TO_INT = 6'd20; // binary32 to int32, ties to even, saturated; 0 for a NaN
  localparam logic [5:0] KOP_ADD_LANE = 6'd21; // a plus the number of the lane, modulo 2^32
  localparam logic [5:0] KOP_COUNT_ONES = 6'd22; // ones among a's 32 bits
  localparam logic [5:0] KOP_IADD = 6'd24; // a + b modulo 2^32
  localparam logic [5:0] KOP_ISUB = 6'd25; // a - b modulo 2^32
  localparam logic [5:0] KOP_IMUL = 6'd26; // low 32 bits of a * b
  localparam logic [5:0] KOP_MUL_HIGH = 6'd27; // floor((a * b + 2^30) / 2^31), saturated
  localparam logic [5:0] KOP_MIN = 6'd28; // the lesser, signed
  localparam logic [5:0] KOP_MAX = 6'd29; // the greater, signed
  localparam logic [5:0] KOP_AND = 6'd30; // a and b, bit by bit
  localparam logic [5:0] KOP_OR = 6'd31; // a or b, bit by bit
  localparam logic [5:0] KOP_XOR = 6'd32; // a exclusive-or b, bit by bit
  localparam logic [5:0] KOP_SHIFT_LEFT = 6'd33; // a * 2^n modulo 2^32
  localparam logic [5:0] KOP_SHIFT_SATURATE = 6'd34; // a * 2^n, saturated
  localparam logic [5:0] KOP_SHIFT_RIGHT = 6'd35; // floor(a / 2^n)
  localparam logic [5:0] KOP_SHIFT_LOGICAL = 6'd36; // floor(a / 2^n) of a without a sign
  localparam logic [5:0] KOP_SHIFT_ROUND = 6'd37; // a / 2^n, rounded to nearest, ties by `rounding`
  localparam logic [5:0] KOP_LESS = 6'd38; // -1 where a < b, else 0
  localparam logic [5:0] KOP_EQUAL = 6'd39; // -1 where a = b, else 0
  localparam logic [5:0] KOP_MAX_MAGNITUDE = 6'd40; // the greater of a and b without their bits 31
  localparam logic [5:0] KOP_ROTATE_LEFT = 6'd41; // a's bits moved to the left by b modulo 32, around the end
  localparam logic [5:0] KOP_MUL_HIGH_UNSIGNED = 6'd42; // floor(a * b / 2^32) of a and b without a sign
  localparam logic [5:0] KOP_FADD = 6'd48; // binary32 a + b
  localparam logic [5:0] KOP_FSUB = 6'd49; // binary32 a - b
  localparam logic [5:0] KOP_FMUL = 6'd50; // binary32 a * b
  localparam logic [5:0] KOP_FMIN = 6'd51; // the lesser binary32, -0 below 0; NaN where one is a NaN
  localparam logic [5:0] KOP_FMAX = 6'd52; // the greater binary32, -0 below 0; NaN where one is a NaN
  localparam logic [5:0] KOP_FLESS = 6'd53; // -1 where binary32 a < b, else 0
  localparam logic [5:0] KOP_MANTISSA = 6'd54; // a * 2^(133 - the exponent field of b), ties to even, limited to -127 .. 127; 0 if a is a NaN or b is not finite
  localparam logic [5:0] KOP_SUM_LANES = 6'd56; // sum of a's lanes modulo 2^32, in every lane
  localparam logic [5:0] KOP_MAX_LANES = 6'd57; // greatest of a's lanes, in every lane
  localparam logic [5:0] KOP_FSUM_LANES = 6'd58; // fadd of a's lanes, neighbours first, then neighbouring sums, in every lane
  localparam logic [5:0] KOP_FMAX_LANES = 6'd59; // fmax of a's lanes, in every lane

  // Groups: the bit of an operation's code is set.
  localparam logic [63:0] GROUP_CONTROL = 64'h0000000000000007; // what the sequencer does next
  localparam logic [63:0] GROUP_SCALAR_WIDE = 64'h0000000000000018; // a scalar from a constant, and from another scalar
  localparam logic [63:0] GROUP_SCALAR = 64'h0000000000000060; // a scalar from two scalars
  localparam logic [63:0] GROUP_VECTOR1 = 64'h00000000007f0000; // a strip from one source
  localparam logic [63:0] GROUP_VECTOR2 = 64'h007f07ffff000000; // a strip from two sources
  localparam logic [63:0] GROUP_LANES = 64'h0f00000000000000; // a register from a register, over the lanes of each row; the result is not stored to memory
endpackage
