// SPDX-License-Identifier: Apache-2.0
// Operators of one's own as files. `systole.kernel(function).save(path)` writes a formula, the steps of a function of
// arrays, and ImportOptions::operators takes it:
//
//   options.operators["my.Softsign"] = read_formula("softsign.json");
//
// A formula is JSON (driver/compiler/frontends/README.md): names of operands, attributes with their defaults, steps,
// the names of the steps that are results, and, if it has one of its own, the derivative.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "systole/array.hpp"
#include "systole/file_error.hpp"

namespace systole {

/// A training has the derivative of the formula; elsewhere its steps would be computed for nothing.
enum class FormulaUse { kInference, kTraining };

/// The function that a formula says. Throws FileError for a file that cannot be read or is no formula, with the path
/// and the place in it. The function throws graph::GraphError for other numbers of operands and other attributes than
/// the formula has.
OperatorFunction read_formula(const std::string& path, FormulaUse use = FormulaUse::kInference);

/// `value`, a function of the operands element by element, with a derivative of its own: in a training operand i has
/// the gradient of `value` times slopes[i], none where that is empty. Throws graph::GraphError for a value that is not
/// real, and for shapes that do not broadcast to its shape.
Array with_derivative(const Array& value, const std::vector<Array>& operands,
                      const std::vector<std::optional<Array>>& slopes);

}  // namespace systole
