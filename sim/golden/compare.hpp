// SPDX-License-Identifier: Apache-2.0
//
// Exact comparison that says where, not only whether.
#pragma once

#include <optional>
#include <string>

#include "tensor.hpp"

namespace systole::golden {

// Empty when equal in shape and in every element; else one sentence with the number of differing
// elements and the coordinates, expected and actual value of the first of them.
std::optional<std::string> difference(const Tensor8& expected, const Tensor8& actual);
std::optional<std::string> difference(const Tensor32& expected, const Tensor32& actual);
std::optional<std::string> difference(const Matrix8& expected, const Matrix8& actual);
std::optional<std::string> difference(const Matrix32& expected, const Matrix32& actual);

}  // namespace systole::golden
