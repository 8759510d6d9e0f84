// SPDX-License-Identifier: Apache-2.0
// AffineGrid: the product of a matrix for each sample and the positions of an image.
#include <fmt/core.h>

#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {
namespace {

/// The coordinate of an element along a dimension, -1 to 1: the middles of the first and the last, or their outer
/// edges.
double position(std::int64_t at, std::int64_t size, bool align_corners) {
  const auto x = static_cast<double>(at), n = static_cast<double>(size);
  return !align_corners ? (2 * x + 1) / n - 1 : size == 1 ? -1.0 : 2 * x / (n - 1) - 1;
}

/// For each element of an image: its positions, the last dimension first, and a 1.
std::vector<double> positions(const Shape& image, bool align_corners) {
  std::vector<double> all;
  for (std::int64_t at = 0; at < count(image); ++at) {
    std::int64_t rest = at;
    for (std::size_t i = image.size(); i-- > 0;) {
      all.push_back(position(rest % image[i], image[i], align_corners));
      rest /= image[i];
    }
    all.push_back(1);
  }
  return all;
}

}  // namespace

void affine_grid(Translation& t) {
  const TensorId theta = t.input(0);
  const std::vector<std::int64_t> size = t.integers_of(1, "the size");
  if (size.size() != 4 && size.size() != 5) {
    t.fail(fmt::format("a size of {} dimensions; expected N,C,H,W or N,C,D,H,W", size.size()));
  }
  const Shape image(size.begin() + 2, size.end());
  const auto rank = static_cast<std::int64_t>(image.size());
  if (t.shape(theta) != Shape{size[0], rank, rank + 1}) {
    t.fail(fmt::format("matrices of shape {}; expected {}", to_string(t.shape(theta)),
                       to_string(Shape{size[0], rank, rank + 1})));
  }
  std::int64_t elements = 1;
  for (const std::int64_t side : image) {
    constexpr std::int64_t kMaxElements = 1 << 24;
    if (side < 1 || side > kMaxElements / elements) {
      t.refuse(OnnxRefusal::kTooLarge,
               fmt::format("an image of {}; every dimension is at least 1, and all have at most {} "
                           "elements",
                           to_string(image), kMaxElements));
    }
    elements *= side;
  }
  const TensorId places =
      t.numbers(t.tensor(theta).type, {1, elements, rank + 1}, positions(image, t.integer("align_corners", 0) != 0));
  const TensorId product = t.emit(MatMul{}, {places, t.transpose(theta, {0, 2, 1})}, t.tensor(theta).type);
  Shape grid = {size[0]};
  grid.insert(grid.end(), image.begin(), image.end());
  grid.push_back(rank);
  t.result(t.reshape(product, grid));
}

}  // namespace systole::graph::onnx_file
