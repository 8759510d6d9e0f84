// SPDX-License-Identifier: Apache-2.0
// Generated from isa/spec by scripts/gen/generate. Do not edit.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

/// Micro-instructions of the vector processor. Page: isa/spec/pages/kernel.md
namespace systole::kernel {

inline constexpr int kMemoryWords = 1024;
inline constexpr int kVectors = 16;
inline constexpr int kStripRows = 8;
inline constexpr int kScalars = 16;
inline constexpr int kArguments = 12;
inline constexpr int kLoopDepth = 4;
inline constexpr int kTableWords = 256;
inline constexpr int kWorkLog2 = 20;

/// What a source operand is.
enum class Source : std::uint8_t {
  kVector = 0,  ///< a vector register
  kScalar = 1,  ///< a scalar, the same in all rows and lanes
  kImmediate = 2,  ///< the field `immediate`, the same in all rows and lanes
  kMemory = 3,  ///< the memory operand: of one source at most, and of none where the result is stored
};

/// Name of a value in the specification, or "?".
constexpr const char* to_string(Source value) {
  switch (value) {
    case Source::kVector: return "VECTOR";
    case Source::kScalar: return "SCALAR";
    case Source::kImmediate: return "IMMEDIATE";
    case Source::kMemory: return "MEMORY";
  }
  return "?";
}

/// What a row of a memory operand is.
enum class Format : std::uint8_t {
  kI8 = 0,  ///< int8: a scratchpad row; a store saturates
  kU8 = 1,  ///< uint8: a scratchpad row; a store saturates
  kI16 = 2,  ///< int16: rows of two scratchpad planes, one after the other; a store saturates
  kI32 = 3,  ///< 32 bits: rows of four scratchpad planes, one after the other
  kAcc = 4,  ///< 32 bits: an accumulator row
  kBlocks = 5,  ///< binary32 in block floating point: a scratchpad row of mantissas and its exponent; for a store 16/DIM rows of the strip, one after the other, form a block, or each 16 lanes of a row
};

/// Name of a value in the specification, or "?".
constexpr const char* to_string(Format value) {
  switch (value) {
    case Format::kI8: return "i8";
    case Format::kU8: return "u8";
    case Format::kI16: return "i16";
    case Format::kI32: return "i32";
    case Format::kAcc: return "acc";
    case Format::kBlocks: return "blocks";
  }
  return "?";
}

/// Groups of operations that use the same fields.
enum class Group : std::uint8_t {
  kControl = 0,  ///< what the sequencer does next
  kScalarWide = 1,  ///< a scalar from a constant, and from another scalar
  kScalar = 2,  ///< a scalar from two scalars
  kVector1 = 3,  ///< a strip from one source
  kVector2 = 4,  ///< a strip from two sources
  kLanes = 5,  ///< a register from a register, over the lanes of each row; the result is not stored to memory
};

/// Name of a value in the specification, or "?".
constexpr const char* to_string(Group value) {
  switch (value) {
    case Group::kControl: return "CONTROL";
    case Group::kScalarWide: return "SCALAR_WIDE";
    case Group::kScalar: return "SCALAR";
    case Group::kVector1: return "VECTOR1";
    case Group::kVector2: return "VECTOR2";
    case Group::kLanes: return "LANES";
  }
  return "?";
}

/// Operations.
enum class Op : std::uint8_t {
  kEnd = 0,  ///< ends the kernel
  kLoop = 1,  ///< runs the next `immediate` words as many times as scalar `a` says; not at all for 0 or less
  kRows = 2,  ///< sets the rows of a strip: the lesser of scalar `a` and 8, and 0 for a negative scalar
  kSet = 3,  ///< d = wide
  kAddWide = 4,  ///< d = a + wide
  kAdd = 5,  ///< d = a + b
  kSub = 6,  ///< d = a - b
  kMove = 16,  ///< a
  kCountZeros = 17,  ///< leading zeros of a's 32 bits; 32 for 0
  kTable = 18,  ///< the table's word number a modulo 256
  kToFloat = 19,  ///< int32 to binary32
  kToInt = 20,  ///< binary32 to int32, ties to even, saturated; 0 for a NaN
  kAddLane = 21,  ///< a plus the number of the lane, modulo 2^32
  kCountOnes = 22,  ///< ones among a's 32 bits
  kIadd = 24,  ///< a + b modulo 2^32
  kIsub = 25,  ///< a - b modulo 2^32
  kImul = 26,  ///< low 32 bits of a * b
  kMulHigh = 27,  ///< floor((a * b + 2^30) / 2^31), saturated
  kMin = 28,  ///< the lesser, signed
  kMax = 29,  ///< the greater, signed
  kAnd = 30,  ///< a and b, bit by bit
  kOr = 31,  ///< a or b, bit by bit
  kXor = 32,  ///< a exclusive-or b, bit by bit
  kShiftLeft = 33,  ///< a * 2^n modulo 2^32
  kShiftSaturate = 34,  ///< a * 2^n, saturated
  kShiftRight = 35,  ///< floor(a / 2^n)
  kShiftLogical = 36,  ///< floor(a / 2^n) of a without a sign
  kShiftRound = 37,  ///< a / 2^n, rounded to nearest, ties by `rounding`
  kLess = 38,  ///< -1 where a < b, else 0
  kEqual = 39,  ///< -1 where a = b, else 0
  kMaxMagnitude = 40,  ///< the greater of a and b without their bits 31
  kRotateLeft = 41,  ///< a's bits moved to the left by b modulo 32, around the end
  kMulHighUnsigned = 42,  ///< floor(a * b / 2^32) of a and b without a sign
  kFadd = 48,  ///< binary32 a + b
  kFsub = 49,  ///< binary32 a - b
  kFmul = 50,  ///< binary32 a * b
  kFmin = 51,  ///< the lesser binary32, -0 below 0; NaN where one is a NaN
  kFmax = 52,  ///< the greater binary32, -0 below 0; NaN where one is a NaN
  kFless = 53,  ///< -1 where binary32 a < b, else 0
  kMantissa = 54,  ///< a * 2^(133 - the exponent field of b), ties to even, limited to -127 .. 127; 0 if a is a NaN or b is not finite
  kSumLanes = 56,  ///< sum of a's lanes modulo 2^32, in every lane
  kMaxLanes = 57,  ///< greatest of a's lanes, in every lane
  kFsumLanes = 58,  ///< fadd of a's lanes, neighbours first, then neighbouring sums, in every lane
  kFmaxLanes = 59,  ///< fmax of a's lanes, in every lane
};

/// Name of a value in the specification, or "?".
constexpr const char* to_string(Op value) {
  switch (value) {
    case Op::kEnd: return "end";
    case Op::kLoop: return "loop";
    case Op::kRows: return "rows";
    case Op::kSet: return "set";
    case Op::kAddWide: return "add_wide";
    case Op::kAdd: return "add";
    case Op::kSub: return "sub";
    case Op::kMove: return "move";
    case Op::kCountZeros: return "count_zeros";
    case Op::kTable: return "table";
    case Op::kToFloat: return "to_float";
    case Op::kToInt: return "to_int";
    case Op::kAddLane: return "add_lane";
    case Op::kCountOnes: return "count_ones";
    case Op::kIadd: return "iadd";
    case Op::kIsub: return "isub";
    case Op::kImul: return "imul";
    case Op::kMulHigh: return "mul_high";
    case Op::kMin: return "min";
    case Op::kMax: return "max";
    case Op::kAnd: return "and";
    case Op::kOr: return "or";
    case Op::kXor: return "xor";
    case Op::kShiftLeft: return "shift_left";
    case Op::kShiftSaturate: return "shift_saturate";
    case Op::kShiftRight: return "shift_right";
    case Op::kShiftLogical: return "shift_logical";
    case Op::kShiftRound: return "shift_round";
    case Op::kLess: return "less";
    case Op::kEqual: return "equal";
    case Op::kMaxMagnitude: return "max_magnitude";
    case Op::kRotateLeft: return "rotate_left";
    case Op::kMulHighUnsigned: return "mul_high_unsigned";
    case Op::kFadd: return "fadd";
    case Op::kFsub: return "fsub";
    case Op::kFmul: return "fmul";
    case Op::kFmin: return "fmin";
    case Op::kFmax: return "fmax";
    case Op::kFless: return "fless";
    case Op::kMantissa: return "mantissa";
    case Op::kSumLanes: return "sum_lanes";
    case Op::kMaxLanes: return "max_lanes";
    case Op::kFsumLanes: return "fsum_lanes";
    case Op::kFmaxLanes: return "fmax_lanes";
  }
  return "?";
}

struct OpInfo {
  Op op;
  std::string_view name;
  Group group;
};

inline constexpr OpInfo kOperations[] = {
    {Op::kEnd, "end", Group::kControl},
    {Op::kLoop, "loop", Group::kControl},
    {Op::kRows, "rows", Group::kControl},
    {Op::kSet, "set", Group::kScalarWide},
    {Op::kAddWide, "add_wide", Group::kScalarWide},
    {Op::kAdd, "add", Group::kScalar},
    {Op::kSub, "sub", Group::kScalar},
    {Op::kMove, "move", Group::kVector1},
    {Op::kCountZeros, "count_zeros", Group::kVector1},
    {Op::kTable, "table", Group::kVector1},
    {Op::kToFloat, "to_float", Group::kVector1},
    {Op::kToInt, "to_int", Group::kVector1},
    {Op::kAddLane, "add_lane", Group::kVector1},
    {Op::kCountOnes, "count_ones", Group::kVector1},
    {Op::kIadd, "iadd", Group::kVector2},
    {Op::kIsub, "isub", Group::kVector2},
    {Op::kImul, "imul", Group::kVector2},
    {Op::kMulHigh, "mul_high", Group::kVector2},
    {Op::kMin, "min", Group::kVector2},
    {Op::kMax, "max", Group::kVector2},
    {Op::kAnd, "and", Group::kVector2},
    {Op::kOr, "or", Group::kVector2},
    {Op::kXor, "xor", Group::kVector2},
    {Op::kShiftLeft, "shift_left", Group::kVector2},
    {Op::kShiftSaturate, "shift_saturate", Group::kVector2},
    {Op::kShiftRight, "shift_right", Group::kVector2},
    {Op::kShiftLogical, "shift_logical", Group::kVector2},
    {Op::kShiftRound, "shift_round", Group::kVector2},
    {Op::kLess, "less", Group::kVector2},
    {Op::kEqual, "equal", Group::kVector2},
    {Op::kMaxMagnitude, "max_magnitude", Group::kVector2},
    {Op::kRotateLeft, "rotate_left", Group::kVector2},
    {Op::kMulHighUnsigned, "mul_high_unsigned", Group::kVector2},
    {Op::kFadd, "fadd", Group::kVector2},
    {Op::kFsub, "fsub", Group::kVector2},
    {Op::kFmul, "fmul", Group::kVector2},
    {Op::kFmin, "fmin", Group::kVector2},
    {Op::kFmax, "fmax", Group::kVector2},
    {Op::kFless, "fless", Group::kVector2},
    {Op::kMantissa, "mantissa", Group::kVector2},
    {Op::kSumLanes, "sum_lanes", Group::kLanes},
    {Op::kMaxLanes, "max_lanes", Group::kLanes},
    {Op::kFsumLanes, "fsum_lanes", Group::kLanes},
    {Op::kFmaxLanes, "fmax_lanes", Group::kLanes},
};

/// A field of the 64-bit word.
struct Field {
  std::string_view name;
  int lsb;
  int width;
};

inline constexpr Field kOpField{"op", 0, 6};
inline constexpr Field kDField{"d", 6, 4};
inline constexpr Field kAField{"a", 10, 4};
inline constexpr Field kBField{"b", 14, 4};
inline constexpr Field kAKindField{"a_kind", 18, 2};
inline constexpr Field kBKindField{"b_kind", 20, 2};
inline constexpr Field kStoreField{"store", 22, 1};
inline constexpr Field kRoundingField{"rounding", 23, 1};
inline constexpr Field kFormatField{"format", 24, 3};
inline constexpr Field kBaseField{"base", 27, 4};
inline constexpr Field kRowStrideField{"row_stride", 31, 4};
inline constexpr Field kPlaneStrideField{"plane_stride", 35, 4};
inline constexpr Field kImmediateField{"immediate", 48, 16};
inline constexpr Field kWideField{"wide", 32, 32};

}  // namespace systole::kernel
