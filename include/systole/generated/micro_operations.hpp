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
};

/// Name of a value in the specification, or "?".
constexpr const char* to_string(Format value) {
  switch (value) {
    case Format::kI8: return "I8";
    case Format::kU8: return "U8";
    case Format::kI16: return "I16";
    case Format::kI32: return "I32";
    case Format::kAcc: return "ACC";
  }
  return "?";
}

/// Groups of operations that use the same fields.
enum class Group : std::uint8_t {
  kControl = 0,  ///< fields beside `op`: see the operation
  kScalarWide = 1,  ///< fields beside `op`: d, wide
  kScalar = 2,  ///< fields beside `op`: d, a, b
  kVector1 = 3,  ///< fields beside `op`: d, a, a_kind
  kVector2 = 4,  ///< fields beside `op`: d, a, b, a_kind, b_kind
  kLanes = 5,  ///< fields beside `op`: d, a
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
  kFadd = 48,  ///< binary32 a + b
  kFsub = 49,  ///< binary32 a - b
  kFmul = 50,  ///< binary32 a * b
  kFmin = 51,  ///< the lesser binary32, -0 below 0; NaN where one is a NaN
  kFmax = 52,  ///< the greater binary32, -0 below 0; NaN where one is a NaN
  kFless = 53,  ///< -1 where binary32 a < b, else 0
  kSumLanes = 56,  ///< sum of a's lanes modulo 2^32, in every lane
  kMaxLanes = 57,  ///< greatest of a's lanes, in every lane
  kFsumLanes = 58,  ///< FADD of a's lanes, neighbours first, then neighbouring sums, in every lane
  kFmaxLanes = 59,  ///< FMAX of a's lanes, in every lane
};

/// Name of a value in the specification, or "?".
constexpr const char* to_string(Op value) {
  switch (value) {
    case Op::kEnd: return "END";
    case Op::kLoop: return "LOOP";
    case Op::kRows: return "ROWS";
    case Op::kSet: return "SET";
    case Op::kAddWide: return "ADD_WIDE";
    case Op::kAdd: return "ADD";
    case Op::kSub: return "SUB";
    case Op::kMove: return "MOVE";
    case Op::kCountZeros: return "COUNT_ZEROS";
    case Op::kTable: return "TABLE";
    case Op::kToFloat: return "TO_FLOAT";
    case Op::kToInt: return "TO_INT";
    case Op::kIadd: return "IADD";
    case Op::kIsub: return "ISUB";
    case Op::kImul: return "IMUL";
    case Op::kMulHigh: return "MUL_HIGH";
    case Op::kMin: return "MIN";
    case Op::kMax: return "MAX";
    case Op::kAnd: return "AND";
    case Op::kOr: return "OR";
    case Op::kXor: return "XOR";
    case Op::kShiftLeft: return "SHIFT_LEFT";
    case Op::kShiftSaturate: return "SHIFT_SATURATE";
    case Op::kShiftRight: return "SHIFT_RIGHT";
    case Op::kShiftLogical: return "SHIFT_LOGICAL";
    case Op::kShiftRound: return "SHIFT_ROUND";
    case Op::kLess: return "LESS";
    case Op::kEqual: return "EQUAL";
    case Op::kFadd: return "FADD";
    case Op::kFsub: return "FSUB";
    case Op::kFmul: return "FMUL";
    case Op::kFmin: return "FMIN";
    case Op::kFmax: return "FMAX";
    case Op::kFless: return "FLESS";
    case Op::kSumLanes: return "SUM_LANES";
    case Op::kMaxLanes: return "MAX_LANES";
    case Op::kFsumLanes: return "FSUM_LANES";
    case Op::kFmaxLanes: return "FMAX_LANES";
  }
  return "?";
}

struct OpInfo {
  Op op;
  std::string_view name;
  Group group;
};

inline constexpr OpInfo kOperations[] = {
    {Op::kEnd, "END", Group::kControl},
    {Op::kLoop, "LOOP", Group::kControl},
    {Op::kRows, "ROWS", Group::kControl},
    {Op::kSet, "SET", Group::kScalarWide},
    {Op::kAddWide, "ADD_WIDE", Group::kScalarWide},
    {Op::kAdd, "ADD", Group::kScalar},
    {Op::kSub, "SUB", Group::kScalar},
    {Op::kMove, "MOVE", Group::kVector1},
    {Op::kCountZeros, "COUNT_ZEROS", Group::kVector1},
    {Op::kTable, "TABLE", Group::kVector1},
    {Op::kToFloat, "TO_FLOAT", Group::kVector1},
    {Op::kToInt, "TO_INT", Group::kVector1},
    {Op::kIadd, "IADD", Group::kVector2},
    {Op::kIsub, "ISUB", Group::kVector2},
    {Op::kImul, "IMUL", Group::kVector2},
    {Op::kMulHigh, "MUL_HIGH", Group::kVector2},
    {Op::kMin, "MIN", Group::kVector2},
    {Op::kMax, "MAX", Group::kVector2},
    {Op::kAnd, "AND", Group::kVector2},
    {Op::kOr, "OR", Group::kVector2},
    {Op::kXor, "XOR", Group::kVector2},
    {Op::kShiftLeft, "SHIFT_LEFT", Group::kVector2},
    {Op::kShiftSaturate, "SHIFT_SATURATE", Group::kVector2},
    {Op::kShiftRight, "SHIFT_RIGHT", Group::kVector2},
    {Op::kShiftLogical, "SHIFT_LOGICAL", Group::kVector2},
    {Op::kShiftRound, "SHIFT_ROUND", Group::kVector2},
    {Op::kLess, "LESS", Group::kVector2},
    {Op::kEqual, "EQUAL", Group::kVector2},
    {Op::kFadd, "FADD", Group::kVector2},
    {Op::kFsub, "FSUB", Group::kVector2},
    {Op::kFmul, "FMUL", Group::kVector2},
    {Op::kFmin, "FMIN", Group::kVector2},
    {Op::kFmax, "FMAX", Group::kVector2},
    {Op::kFless, "FLESS", Group::kVector2},
    {Op::kSumLanes, "SUM_LANES", Group::kLanes},
    {Op::kMaxLanes, "MAX_LANES", Group::kLanes},
    {Op::kFsumLanes, "FSUM_LANES", Group::kLanes},
    {Op::kFmaxLanes, "FMAX_LANES", Group::kLanes},
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
