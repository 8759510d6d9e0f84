// SPDX-License-Identifier: Apache-2.0
// An element-wise function as a part of a product in block floating point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "expression.hpp"

namespace systole::compiler {

/// A function of a product's results and of what is in the same places of other tensors.
struct ResultsFunction {
  std::shared_ptr<const ElementFunction> function;   ///< of binary32
  std::size_t result = 0;                            ///< the operand that is the product's result
  std::size_t numbers = 0;                           ///< the last operands, which are single elements
  std::map<std::string, std::int64_t> values = {};   ///< of the function's parameters
  std::vector<std::uint32_t> operands = {};          ///< where the other operands are, dense
  std::optional<std::uint32_t> also = std::nullopt;  ///< where the second result goes, if there is one

  /// Other operands of as many elements as the results.
  std::size_t tensors() const { return function->operands.size() - 1 - numbers; }
};

}  // namespace systole::compiler
