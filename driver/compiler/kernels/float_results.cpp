// SPDX-License-Identifier: Apache-2.0
#include "float_results.hpp"

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "element_kernel.hpp"
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

/// The function with what is done before it.
std::pair<ElementFunction, ElementRows> elements_of(const ResultsForm& form, const ResultsFunction& of) {
  ElementFunction function = *of.function;
  ElementRows rows;
  rows.operands.assign(function.operands.size() - of.numbers, Reading::kRows);
  rows.operands.resize(function.operands.size(), Reading::kNumber);
  function.operands[of.result] = kernel::Format::kAcc;
  const auto another = [&](Reading reading) {
    rows.operands.push_back(reading);
    function.operands.push_back(kernel::Format::kI32);
    return operand(static_cast<std::uint32_t>(function.operands.size() - 1));
  };
  ExpressionPtr x = parameter("sums");  // which the function's operand becomes, and which becomes that operand
  if (form.bias) {
    x = operation(kernel::Op::kFadd, another(Reading::kRepeated), x);
  }
  if (form.addend) {
    x = operation(kernel::Op::kFadd, x, another(Reading::kRows));
  }
  if (form.low) {
    x = operation(kernel::Op::kFmax, x, parameter("low"));
  }
  if (form.high) {
    x = operation(kernel::Op::kFmin, x, parameter("high"));
  }
  const ExpressionPtr sums = operand(static_cast<std::uint32_t>(of.result));
  Substitution of_results([&](const Expression& e) {
    return e.kind == Expression::Kind::kOperand && e.value == sums->value ? x : nullptr;
  });
  Substitution of_sums(
      [&](const Expression& e) { return e.kind == Expression::Kind::kParameter && e.name == "sums" ? sums : nullptr; });
  function.value = of_sums(of_results(function.value));
  function.also = of_sums(of_results(function.also));
  return {std::move(function), std::move(rows)};
}

}  // namespace

const kernel::Kernel& results_kernel(const ResultsForm& form) { return made_kernel(source_of(form)); }

const kernel::Kernel& function_kernel(const ResultsForm& form, const ResultsFunction& of) {
  const auto [function, rows] = elements_of(form, of);
  return made_kernel(function, rows);
}

bool has_function_kernel(const ResultsForm& form, const ResultsFunction& of) {
  const auto [function, rows] = elements_of(form, of);
  return element_kernel(function, rows).has_value();
}

}  // namespace systole::compiler
