// SPDX-License-Identifier: Apache-2.0
#include "kernel_planes.hpp"

namespace systole::cli {

Planes::Planes(const KernelOperand& operand, int dim)
    : rows(operand.rows()),
      blocks((operand.channels() + dim - 1) / dim),
      planes(blocks * static_cast<std::int64_t>(graph::element_size(operand.type))),
      dim_(static_cast<std::size_t>(dim)),
      row_bytes_(static_cast<std::size_t>(operand.channels()) * graph::element_size(operand.type)) {}

/// Calls move(byte of the array, byte of the planes).
template <class Move>
void Planes::each(const Move& move) const {
  const auto count = static_cast<std::size_t>(rows);
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t byte = 0; byte < row_bytes_; ++byte) {
      move(row * row_bytes_ + byte, (byte / dim_ * count + row) * dim_ + byte % dim_);
    }
  }
}

graph::Bytes Planes::split(const graph::Bytes& array) const {
  graph::Bytes result(static_cast<std::size_t>(all_rows()) * dim_);
  each([&](std::size_t in_array, std::size_t in_planes) { result[in_planes] = array[in_array]; });
  return result;
}

graph::Bytes Planes::join(const graph::Bytes& split) const {
  graph::Bytes result(static_cast<std::size_t>(rows) * row_bytes_);
  each([&](std::size_t in_array, std::size_t in_planes) { result[in_array] = split[in_planes]; });
  return result;
}

}  // namespace systole::cli
