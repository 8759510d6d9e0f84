// SPDX-License-Identifier: Apache-2.0
#include "matrix_stack.hpp"

#include <algorithm>

namespace systole::network {

using graph::Shape;

MatrixStack matrices_of(const Shape& operand, const Shape& result) {
  const std::size_t leading = result.size() - 2;
  MatrixStack matrices;
  matrices.rows = static_cast<int>(operand.end()[-2]);
  matrices.columns = static_cast<int>(operand.back());
  matrices.pitch = matrices.columns;
  std::vector<std::int64_t> place(leading, 0);
  const std::int64_t count = graph::count(Shape(result.begin(), result.end() - 2));
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t index = 0;
    for (std::size_t axis = 0; axis < leading; ++axis) {
      const std::size_t missing = result.size() - operand.size();
      if (axis >= missing) {
        const std::int64_t size = operand[axis - missing];
        index = index * size + (size == 1 ? 0 : place[axis]);
      }
    }
    matrices.first.push_back(index * matrices.rows * matrices.pitch);
    for (std::size_t axis = leading; axis-- > 0 && ++place[axis] == result[axis];) {
      place[axis] = 0;
    }
  }
  return matrices;
}

bool has_rows_of_positions(const MatrixStack& matrices, int channels, int dim) {
  return matrices.pitch == channels &&
         std::all_of(matrices.first.begin(), matrices.first.end(), [&](std::int64_t first) {
           const std::int64_t channel = first % channels;
           return channel % dim == 0 && (matrices.columns % dim == 0 || channel + matrices.columns == channels);
         });
}

}  // namespace systole::network
