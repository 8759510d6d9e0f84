// SPDX-License-Identifier: Apache-2.0
// Rules for the operands and results of each kind of operator, generated from kinds.toml.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "systole/graph.hpp"

namespace systole::graph {

enum class Elements {
  kAny,  ///< or what a rule in type_checks.cpp says
  kBool,
  kInt64,
  kIndex,  ///< int32 or int64
  kReal,
  kScaledOrReal,    ///< int8, uint8, int16 with a scale, or floating-point
  kOneScaleAtMost,  ///< so that they can be compared with each other or put in another order
};

/// An operand or a result.
struct OperandRule {
  const char* name;
  Elements elements;
  int as;             ///< the operand whose type and quantization it has; -1: none
  const char* shape;  ///< letters and ..., separated by commas; "broadcast", of a result; null: by a rule in C++
  bool optional, many;
};

/// Why an operator can compute a batch, whose samples stand along the first axis.
enum class Batch {
  kRows,       ///< each row of the result is made of one sample; the other operands are the same for all
  kAlong,      ///< as kRows, unless the attribute `axis` is the first axis
  kBroadcast,  ///< element by element
  kOwn         ///< by a rule in batch_rules.cpp
};

struct KindRules {
  const char* name;
  std::span<const OperandRule> operands, results;
  Batch batch;
};

const KindRules& rules_of(const OperatorKind& kind);

/// How many operands or results there may be.
struct Number {
  std::size_t least, most;
};
Number number_of(std::span<const OperandRule> rules);

/// The rule of operand or result `i`.
const OperandRule& rule_at(std::span<const OperandRule> rules, std::size_t i);

/// How many axes a row has, if the operand may have any number of rows, which are `...`; else 0.
std::size_t axes_of_rows(const OperandRule& rule);

/// Compares the shapes of the operands with their rules. Returns those of the results, or nothing if a rule in C++ has
/// to infer them. Throws GraphError.
std::vector<Shape> shapes_by_rules(const KindRules& rules, const std::vector<Shape>& inputs);

/// Compares attributes with their smallest values, and axes with the first operand's. Throws GraphError.
void check_attributes(const OperatorKind& kind, const Shape& first);

}  // namespace systole::graph
