// SPDX-License-Identifier: Apache-2.0
#include "float_results.hpp"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "library.hpp"

namespace systole::compiler {
namespace {

/// An operation and its operands, without what it writes.
struct Step {
  std::string operation, operands;
};

std::vector<Step> steps_of(const ResultsForm& form) {
  std::vector<Step> steps;
  steps.push_back(form.bias ? Step{"fadd", "summand, acc[sums]"} : Step{"move", "acc[sums]"});
  if (form.addend) {
    steps.push_back({"fadd", "x, i32[addend, 1, addend_plane]"});
  }
  if (form.low) {
    steps.push_back({"fmax", "x, low"});
  }
  if (form.high) {
    steps.push_back({"fmin", "x, high"});
  }
  return steps;
}

std::string source_of(const ResultsForm& form) {
  constexpr const char* kWords = "i32[to, 1, to_plane]";
  constexpr const char* kBlocks = "blocks[blocks, 1]";
  std::string text = "kernel float_results(sums";
  const auto line = [&](const std::string& statement) { text += statement + '\n'; };
  const auto argument = [&](bool used, const char* name) { text += used ? std::string(", ") + name : ""; };
  argument(form.bias, "bias");
  argument(form.addend, "addend, addend_plane");
  argument(form.low, "low");
  argument(form.high, "high");
  argument(form.words, "to, to_plane");
  argument(form.blocks, "blocks");
  line(", rows, strips)");
  line("vector x");
  if (form.bias) {
    line("scalar repeat");
    line("vector summand");
    line("rows rows");
    line("move summand, i32[bias, repeat]");
  }
  line("loop strips");
  line("rows rows");
  std::vector<const char*> results;
  for (const auto& [used, result] : {std::pair{form.blocks, kBlocks}, {form.words, kWords}}) {
    if (used) {
      results.push_back(result);
    }
  }
  std::vector<Step> steps = steps_of(form);
  if (!form.low && !form.high) {  // the others read memory, and only one operand may be there
    steps.push_back({"move", "x"});
  }
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    line(fmt::format("{} x, {}", steps[i].operation, steps[i].operands));
  }
  for (const char* result : results) {
    line(fmt::format("{} {}, {}", steps.back().operation, result, steps.back().operands));
  }
  line("add sums, sums, 8");
  for (const auto& [used, name] : {std::pair{form.addend, "addend"}, {form.words, "to"}, {form.blocks, "blocks"}}) {
    if (used) {
      line(fmt::format("add {0}, {0}, 8", name));
    }
  }
  line("sub rows, rows, 8");
  line("end");
  line("end");
  return text;
}

}  // namespace

const kernel::Kernel& results_kernel(const ResultsForm& form) { return made_kernel(source_of(form)); }

}  // namespace systole::compiler
