// SPDX-License-Identifier: Apache-2.0
#include "precision.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "exit_codes.hpp"
#include "systole/quantizer.hpp"

namespace systole::cli {

void add_precision_option(CLI::App& command, Precision& precision, const char* help) {
  command.add_option("--precision", precision, help)
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, Precision>{{"int8", Precision::kInt8}, {"mx", Precision::kMx}}))
      ->default_str("as the file has it")
      ->type_name("int8|mx");
}

void add_float_precision_option(CLI::App& command, Precision& precision) {
  command
      .add_option_function<std::string>(
          "--precision", [&precision](const std::string&) { precision = Precision::kMx; },
          "mx: products in block floating point, int8 with shared exponents; default: float32")
      ->check(CLI::IsMember({"mx"}))
      ->type_name("mx");
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
    return op.arithmetic == graph::Arithmetic::kBlocks;
  });
  return fmt::format("{} of {} operators to block floating point, the others are binary32", products, operators.size());
}

}  // namespace systole::cli
