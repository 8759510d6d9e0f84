// SPDX-License-Identifier: Apache-2.0
//
// Exact comparison that reports the place of a difference.
#pragma once

#include <optional>
#include <string>

#include "tensor.hpp"

namespace systole::golden {

// Empty if shapes and all elements are equal; otherwise one sentence with the number of differing elements and the
// coordinates, expected and actual value of the first.
std::optional<std::string> difference(const Tensor8& expected, const Tensor8& actual);
std::optional<std::string> difference(const Tensor32& expected, const Tensor32& actual);
std::optional<std::string> difference(const Matrix8& expected, const Matrix8& actual);
std::optional<std::string> difference(const Matrix32& expected, const Matrix32& actual);

}  // namespace systole::golden
