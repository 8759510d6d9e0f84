// SPDX-License-Identifier: Apache-2.0
// Determinants by Gaussian elimination, in double, rounded once.
#include <cmath>
#include <utility>

#include "element_visit.hpp"
#include "execute_kinds.hpp"

namespace systole::graph {
namespace {

/// Of an n x n matrix, row-major. The pivot is the largest element of a column.
double determinant(std::vector<double> m, std::size_t n) {
  double product = 1;
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t pivot = step;
    for (std::size_t row = step + 1; row < n; ++row) {
      pivot = std::abs(m[row * n + step]) > std::abs(m[pivot * n + step]) ? row : pivot;
    }
    if (m[pivot * n + step] == 0) {
      return 0;
    }
    for (std::size_t column = 0; pivot != step && column < n; ++column) {
      std::swap(m[pivot * n + column], m[step * n + column]);
    }
    product *= (pivot == step ? 1 : -1) * m[step * n + step];
    for (std::size_t row = step + 1; row < n; ++row) {
      const double factor = m[row * n + step] / m[step * n + step];
      for (std::size_t column = step; column < n; ++column) {
        m[row * n + column] -= factor * m[step * n + column];
      }
    }
  }
  return product;
}

}  // namespace

Value run(const Call& call, const Determinant&) {
  const auto n = static_cast<std::size_t>(call.input(0).shape.back());
  return with_element(call.input(0).type, [&](auto element) {
    using Element = decltype(element);
    const auto all = elements<Element>(call.input(0));
    std::vector<Element> result;
    for (std::size_t first = 0; first < all.size(); first += n * n) {
      std::vector<double> matrix;
      for (std::size_t i = 0; i < n * n; ++i) {
        matrix.push_back(static_cast<double>(all[first + i]));
      }
      result.push_back(static_cast<Element>(determinant(std::move(matrix), n)));
    }
    return make_value(call.input(0).type, call.output_tensor().shape, result);
  });
}

}  // namespace systole::graph
