// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "formula_steps.hpp"

namespace systole::formula {
namespace {

/// One use of a formula.
class Call {
 public:
  Call(const Formula& formula, const std::vector<Array>& operands, const Attributes& given)
      : formula_(formula), operands_(operands), attributes_(formula.attributes) {
    if (operands.size() != formula.operands.size()) {
      throw graph::GraphError(fmt::format("has {} operands; {} takes {}: {}", operands.size(), formula.path,
                                          formula.operands.size(), fmt::join(formula.operands, ", ")));
    }
    for (const auto& [name, value] : given) {
      const auto found = attributes_.find(name);
      if (found == attributes_.end()) {
        std::vector<std::string> names;
        for (const auto& known : formula.attributes) {
          names.push_back(known.first);
        }
        throw graph::GraphError(fmt::format("has the attribute '{}'; those of {} are: {}", name, formula.path,
                                            names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
      }
      if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        found->second = static_cast<double>(*integer);
      } else if (const auto* real = std::get_if<double>(&value)) {
        found->second = *real;
      } else {
        throw graph::GraphError(
            fmt::format("attribute '{}' is a text or a list; {} takes a number", name, formula.path));
      }
    }
  }

  std::vector<Array> run(FormulaUse use) {
    const bool derived = use == FormulaUse::kTraining && !formula_.derivative.empty();
    compute(needed(derived));
    std::vector<Array> results;
    for (const std::size_t result : formula_.results) {
      results.push_back(values_.at(result));
    }
    if (derived) {
      std::vector<std::optional<Array>> slopes;
      for (const std::optional<Source>& slope : formula_.derivative) {
        slopes.push_back(slope ? std::optional(array_of(*slope, results[0])) : std::nullopt);
      }
      results[0] = with_derivative(results[0], operands_, slopes);
    }
    return results;
  }

 private:
  /// Marks the steps that the results depend on, and those of the derivative if it is asked for.
  std::vector<bool> needed(bool derived) const {
    std::vector<bool> all(operands_.size() + formula_.steps.size());
    const auto mark = [&](const Source& source) {
      if (const auto* value = std::get_if<std::size_t>(&source)) {
        all[*value] = true;
      }
    };
    std::for_each(formula_.results.begin(), formula_.results.end(), mark);
    for (const std::optional<Source>& slope : formula_.derivative) {
      if (derived && slope) {
        mark(*slope);
      }
    }
    for (std::size_t i = formula_.steps.size(); i-- > 0;) {
      if (all[operands_.size() + i]) {
        std::for_each(formula_.steps[i].sources.begin(), formula_.steps[i].sources.end(), mark);
      }
    }
    return all;
  }

  void compute(const std::vector<bool>& needed) {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      values_.emplace(i, operands_[i]);
    }
    for (std::size_t i = 0; i < formula_.steps.size(); ++i) {
      const Step& step = formula_.steps[i];
      if (!needed[operands_.size() + i]) {
        continue;
      }
      try {
        const Array& like = beside_numbers(step);
        std::vector<Array> sources;
        for (const Source& source : step.sources) {
          sources.push_back(array_of(source, like));
        }
        values_.emplace(operands_.size() + i, step.operation(sources));
      } catch (const graph::GraphError& error) {
        throw graph::GraphError(fmt::format("{}: step '{}': {}", formula_.path, step.name, error.what()));
      }
    }
  }

  /// The array whose type the numbers of a step take.
  const Array& beside_numbers(const Step& step) const {
    for (std::size_t i = step.first_value; i < step.sources.size(); ++i) {
      if (const auto* value = std::get_if<std::size_t>(&step.sources[i])) {
        return values_.at(*value);
      }
    }
    return operands_[0];
  }

  Array array_of(const Source& source, const Array& like) const {
    if (const auto* value = std::get_if<std::size_t>(&source)) {
      return values_.at(*value);
    }
    const auto* attribute = std::get_if<AttributeName>(&source);
    return like.number(attribute != nullptr ? attributes_.at(attribute->name) : std::get<double>(source));
  }

  const Formula& formula_;
  const std::vector<Array>& operands_;
  std::map<std::string, double> attributes_;
  std::map<std::size_t, Array> values_;
};

}  // namespace

std::vector<Array> run(const Formula& formula, FormulaUse use, const std::vector<Array>& operands,
                       const Attributes& given) {
  return Call(formula, operands, given).run(use);
}

}  // namespace systole::formula
