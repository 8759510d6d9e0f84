// SPDX-License-Identifier: Apache-2.0
// Values that a user gives for inputs of a file (ImportOptions::constants).
#pragma once

#include <optional>
#include <string>

#include "systole/import_model.hpp"

namespace systole::graph::onnx_file {

/// An input as the file declares it. A dimension without a size is open; without a shape any shape may be given.
struct DeclaredInput {
  std::string name;
  ElementType type = ElementType::kFloat32;
  std::optional<std::vector<std::optional<std::int64_t>>> shape;
};

/// The constant that `given` is for this input. Throws GraphError, naming both, unless type and shape agree.
Tensor constant_of(const GivenConstant& given, const DeclaredInput& input);

}  // namespace systole::graph::onnx_file
