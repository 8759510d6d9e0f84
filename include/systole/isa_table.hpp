// SPDX-License-Identifier: Apache-2.0
// Types of the instruction tables that scripts/gen/generate writes. They contain what checkers, disassemblers and
// random generators need to know about instructions.
#pragma once

#include <cstdint>

#include "systole/generated/isa.hpp"

namespace systole::isa {

struct FieldInfo {
  const char* name;
  int lsb;
  int width;
  bool is_signed;
  long long min;  ///< smallest legal value
  long long max;  ///< largest legal value
  int align;      ///< the value is a multiple of this
  const char* enum_name;
  const char* doc;
};

/// Violated when both amounts are non-zero and the two selectors are equal.
struct HeaderRule {
  const char* amount0;
  const char* amount1;
  const char* selector0;
  const char* selector1;
  const char* doc;
};

/// `left op right` must hold (if a condition `when_left when_op when_right` is given: when that holds). An operand is a
/// field of the instruction, a number, one of the symbols DIM, WORK_LOG2 and WINDOW_PIECE_BYTES (window_piece_beats *
/// DIM), a fraction of DEPTHWISE_COLUMNS ("DEPTHWISE_COLUMNS/2"), or the base-2 logarithm of a product of fields, each
/// rounded up to a power of two so that the hardware needs no multiplier ("LOG2(count0*count1)").
struct Rule {
  const char* left;
  const char* op;
  const char* right;
  const char* when_left;
  const char* when_op;
  const char* when_right;
  const char* doc;
  int without;  ///< the number of the part without which it must hold; -1: it must always
};

struct InstructionInfo {
  const char* name;
  Opcode opcode;
  Engine engine;
  bool has_semaphores;
  const FieldInfo* fields;
  int field_count;
  const Rule* rules;
  int rule_count;
  int part;  ///< the number of the part that it needs; -1: none
};

}  // namespace systole::isa
