// SPDX-License-Identifier: Apache-2.0
// The types of the numbers of tensors, and tensors as float32.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gguf_file.hpp"
#include "llama2_checkpoint.hpp"

namespace systole::gguf {

/// Of a type that is read.
struct TensorType {
  std::uint64_t elements;  ///< that are stored together
  std::uint64_t bytes;     ///< that they take
};

/// Throws graph::GraphError that names the tensor and the type, unless it is F32, F16, BF16 or Q8_0.
TensorType tensor_type(const std::string& tensor, std::uint32_t type);

/// A tensor as float32. Throws graph::GraphError if there is none of this name, or if it has other dimensions or a
/// number that is not finite.
llama2::Weights numbers(const File& file, const std::string& tensor, const std::vector<std::uint64_t>& dimensions);

/// "4 x 32", the slowest dimension first, as in a matrix.
std::string shape_text(const std::vector<std::uint64_t>& dimensions);

}  // namespace systole::gguf
