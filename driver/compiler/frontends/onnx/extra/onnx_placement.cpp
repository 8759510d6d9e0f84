// SPDX-License-Identifier: Apache-2.0
// Elements put into their places: CenterCropPad, Col2Im, TensorScatter.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {
namespace {

constexpr std::int64_t kMaxPieces = 4096;  // limit on the operators that one node may become

/// A value for each spatial dimension; `otherwise` where the node gives none.
std::vector<std::int64_t> per_dimension(const Translation& t, const char* attribute, std::size_t count,
                                        std::int64_t otherwise, std::int64_t least) {
  const auto given = t.integers(attribute).value_or(std::vector<std::int64_t>(count, otherwise));
  if (given.size() != count ||
      std::any_of(given.begin(), given.end(), [&](auto value) { return value < least || value > kMaxTensorBytes; })) {
    t.fail(fmt::format("{} has {} values; expected {} from {} to {}", attribute, given.size(), count, least,
                       kMaxTensorBytes));
  }
  return given;
}

/// Zeros between the elements along an axis, `step` - 1 of them.
TensorId spread(Translation& t, TensorId id, std::size_t axis, std::int64_t step) {
  const Shape shape = t.shape(id);
  if (step == 1 || shape[axis] == 1) {
    return id;
  }
  Shape apart = shape;
  apart.insert(apart.begin() + static_cast<std::ptrdiff_t>(axis) + 1, 1);
  Pad pad{std::vector<std::int64_t>(apart.size(), 0), std::vector<std::int64_t>(apart.size(), 0)};
  pad.after[axis + 1] = step - 1;
  Shape together = shape;
  together[axis] *= step;
  id = t.reshape(t.move(pad, t.reshape(id, apart)), together);
  Slice slice{std::vector<std::int64_t>(shape.size(), 0), std::vector<std::int64_t>(shape.size(), 1)};
  together[axis] -= step - 1;
  return t.move(slice, id, together);
}

/// The attributes and inputs of Col2Im.
struct Blocks {
  std::vector<std::int64_t> image, block, strides, dilations, before, after;
  std::vector<std::int64_t> grid;  ///< number of blocks along each dimension

  std::size_t dimensions() const { return image.size(); }
};

Blocks blocks_of(Translation& t) {
  Blocks b;
  b.image = t.integers_of(1, "the shape of the image");
  b.block = t.integers_of(2, "the shape of a block");
  const std::size_t n = b.dimensions();
  b.strides = per_dimension(t, "strides", n, 1, 1);
  b.dilations = per_dimension(t, "dilations", n, 1, 1);
  const auto pads = per_dimension(t, "pads", 2 * n, 0, 0);
  b.before.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(n));
  b.after.assign(pads.begin() + static_cast<std::ptrdiff_t>(n), pads.end());
  if (b.block.size() != n || n == 0) {
    t.fail(fmt::format("a block of {} dimensions in an image of {}", b.block.size(), n));
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (b.image[i] < 1 || b.block[i] < 1 || b.image[i] > kMaxTensorBytes ||
        b.block[i] > b.image[i] + pads[i] + pads[n + i]) {
      t.fail(
          fmt::format("a block of {} in an image of {} along dimension {}; expected 1 or more, and no more than the "
                      "image has",
                      b.block[i], b.image[i], i));
    }
    const std::int64_t rest = b.image[i] + b.before[i] + b.after[i] - (b.dilations[i] * (b.block[i] - 1) + 1);
    if (rest < 0) {
      t.fail(fmt::format("dilated blocks do not fit the image along dimension {}", i));
    }
    b.grid.push_back(rest / b.strides[i] + 1);
  }
  return b;
}

/// The elements at one place of every block [N,C,grid...], at their places in the padded image.
TensorId placed(Translation& t, TensorId id, const Blocks& b, const std::vector<std::int64_t>& place) {
  for (std::size_t i = 0; i < b.dimensions(); ++i) {
    id = spread(t, id, i + 2, b.strides[i]);
  }
  const Shape shape = t.shape(id);
  Pad pad{std::vector<std::int64_t>(shape.size(), 0), std::vector<std::int64_t>(shape.size(), 0)};
  for (std::size_t i = 0; i < b.dimensions(); ++i) {
    pad.before[i + 2] = place[i] * b.dilations[i];
    pad.after[i + 2] = b.image[i] + b.before[i] + b.after[i] - pad.before[i + 2] - shape[i + 2];
  }
  return t.move(pad, id);
}

}  // namespace

/// Cuts from both ends, or adds zeros at both.
void center_crop_pad(Translation& t) {
  const TensorId input = t.plain(t.input(0));
  const Shape shape = t.shape(input);
  const std::vector<std::int64_t> sizes = t.integers_of(1, "the shape");
  std::vector<std::int64_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), std::int64_t{0});
  axes = t.integers("axes").value_or(axes);
  if (sizes.size() != axes.size()) {
    t.fail(fmt::format("{} sizes for {} axes; expected one per axis", sizes.size(), axes.size()));
  }
  Pad pad{std::vector<std::int64_t>(shape.size(), 0), std::vector<std::int64_t>(shape.size(), 0)};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = t.axis(axes[i], shape.size());
    if (sizes[i] < 1 || sizes[i] > kMaxTensorBytes) {
      t.fail(fmt::format("size {} for axis {}; the range is 1 .. {}", sizes[i], axis, kMaxTensorBytes));
    }
    const std::int64_t more = sizes[i] - shape[axis];  // less than 0: cuts
    pad.before[axis] = more / 2;
    pad.after[axis] = more - more / 2;
  }
  t.result(t.move(pad, input));
}

/// Columns [N, C * block, blocks] as an image: what falls on one place is added.
void columns_to_image(Translation& t) {
  const TensorId input = t.plain(t.input(0));
  const Blocks b = blocks_of(t);
  const Shape shape = t.shape(input);
  const std::int64_t size = count(b.block);
  if (shape.size() != 3 || shape[1] % size != 0 || shape[2] != count(b.grid)) {
    t.fail(fmt::format("columns of shape {}; expected N, a multiple of {}, {}", to_string(shape), size, count(b.grid)));
  }
  if (size > kMaxPieces) {
    t.refuse(OnnxRefusal::kTooLarge, fmt::format("blocks of {} elements; at most {} are supported", size, kMaxPieces));
  }
  const std::int64_t channels = shape[1] / size;
  const TensorId split = t.reshape(input, {shape[0], channels, size, shape[2]});
  Shape grid = {shape[0], channels};
  grid.insert(grid.end(), b.grid.begin(), b.grid.end());
  TensorId sum = kNoTensor;
  for (std::int64_t at = 0; at < size; ++at) {
    std::vector<std::int64_t> place(b.dimensions());
    for (std::size_t i = b.dimensions(), rest = static_cast<std::size_t>(at); i-- > 0;) {
      place[i] = static_cast<std::int64_t>(rest) % b.block[i];
      rest /= static_cast<std::size_t>(b.block[i]);
    }
    const TensorId part = placed(t, t.reshape(take(t, split, 2, {at}), grid), b, place);
    sum = sum == kNoTensor ? part : t.binary(BinaryKind::kAdd, sum, part);
  }
  Slice slice{std::vector<std::int64_t>(grid.size(), 0), std::vector<std::int64_t>(grid.size(), 1)};
  std::copy(b.before.begin(), b.before.end(), slice.begin.begin() + 2);
  std::copy(b.image.begin(), b.image.end(), grid.begin() + 2);
  t.result(t.shape(sum) == grid ? sum : t.move(slice, sum, grid));
}

/// Writes an update into a cache, for each sample of the batch at its own place.
void tensor_scatter(Translation& t) {
  const TensorId cache = t.plain(t.input(0));
  const TensorId update = t.plain(t.input(1));
  const Shape shape = t.shape(cache);
  const std::size_t axis = t.axis(t.integer("axis", -2), shape.size());
  const std::string mode = t.text("mode", "linear");
  if (mode != "linear" && mode != "circular") {
    t.fail(fmt::format("mode '{}'; expected linear or circular", mode));
  }
  if (t.shape(update).size() != shape.size() || axis == 0 || t.shape(update)[axis] > shape[axis]) {
    t.fail(
        fmt::format("an update of shape {} for a cache of shape {}, axis {}; expected the same except a shorter axis, "
                    "which is not the first",
                    to_string(t.shape(update)), to_string(shape), axis));
  }
  const std::int64_t size = shape[axis], length = t.shape(update)[axis];
  std::vector<std::int64_t> first(static_cast<std::size_t>(shape[0]), 0);
  if (t.has_input(2)) {
    first = t.integers_of(2, "the places of the update");
  }
  if (static_cast<std::int64_t>(first.size()) != shape[0] || shape[0] > kMaxPieces) {
    t.fail(
        fmt::format("{} places for {} samples; expected one for each, at most {}", first.size(), shape[0], kMaxPieces));
  }
  std::vector<TensorId> samples;
  for (std::int64_t sample = 0; sample < shape[0]; ++sample) {
    std::int64_t at = first[static_cast<std::size_t>(sample)];
    if (at < 0 || (mode == "linear" && at > size - length)) {
      t.fail(fmt::format("place {} for an update of {} elements; the range is 0 .. {}", at, length, size - length));
    }
    at %= size;
    // The update lies behind the cache: a place in the result comes from one or the other.
    std::vector<std::int64_t> sources(static_cast<std::size_t>(size));
    std::iota(sources.begin(), sources.end(), std::int64_t{0});
    for (std::int64_t i = 0; i < length; ++i) {
      sources[static_cast<std::size_t>((at + i) % size)] = size + i;
    }
    const std::vector<TensorId> both = {take(t, cache, 0, {sample}), take(t, update, 0, {sample})};
    const TensorId together = t.emit(Concat{static_cast<int>(axis)}, both, t.tensor(cache).type);
    samples.push_back(take(t, together, axis, sources));
  }
  t.result(samples.size() == 1 ? samples[0] : t.emit(Concat{0}, samples, t.tensor(cache).type));
}

}  // namespace systole::graph::onnx_file
