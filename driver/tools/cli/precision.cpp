// SPDX-License-Identifier: Apache-2.0
#include "precision.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "enum_option.hpp"
#include "exit_codes.hpp"
#include "infer.hpp"
#include "systole/quantizer.hpp"

namespace systole::cli {

void add_precision_option(CLI::App& command, Precision& precision, const char* help) {
  add_enum_option(command, "--precision", precision, {{"int8", Precision::kInt8}, {"mx", Precision::kMx}}, help)
      ->default_str("as the file has it");
}

void add_float_precision_option(CLI::App& command, Precision& precision) {
  add_enum_option(command, "--precision", precision, {{"mx", Precision::kMx}},
                  "mx: products in block floating point, int8 with shared exponents; default: float32");
}

std::string apply_precision(Precision precision, Model& model) {
  if (precision != Precision::kMx) {
    return {};
  }
  if (model.compiled) {
    throw InputError("--precision mx: the file is compiled already; systole compile takes this option and the network");
  }
  model.graph = quantizer::to_blocks(model.graph);
  const auto& operators = model.graph.operators;
  const auto products = std::count_if(operators.begin(), operators.end(), [](const graph::Operator& op) {
    return op.arithmetic == graph::Arithmetic::kBlocks && graph::takes_bias(op.kind);
  });
  return fmt::format("{} of {} operators to block floating point, the others are binary32", products, operators.size());
}

}  // namespace systole::cli
