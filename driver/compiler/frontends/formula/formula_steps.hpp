// SPDX-License-Identifier: Apache-2.0
// A formula as it was read.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "systole/formula.hpp"

namespace systole::formula {

struct AttributeName {
  std::string name;
};
/// An operand or a step by its index, an attribute, or a number.
using Source = std::variant<std::size_t, AttributeName, double>;
using Operation = std::function<Array(const std::vector<Array>&)>;

struct Step {
  std::string name;
  std::vector<Source> sources;
  Operation operation;
  std::size_t first_value = 0;  ///< the first source whose type numbers take
};

struct Formula {
  std::string path;
  std::vector<std::string> operands;
  std::map<std::string, double> attributes;
  std::vector<Step> steps;  ///< step i is value operands.size() + i
  std::vector<std::size_t> results;
  std::vector<std::optional<Source>> derivative;  ///< of each operand; empty if the steps give it
};

/// A formula from its text; `name` is that of the file in messages. Throws FileError.
Formula parse(const std::string& text, const std::string& name);

/// The results for these operands; numbers of the formula that a node gives are in `given`. Throws graph::GraphError.
std::vector<Array> run(const Formula& formula, FormulaUse use, const std::vector<Array>& operands,
                       const Attributes& given);

}  // namespace systole::formula
