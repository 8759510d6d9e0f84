// SPDX-License-Identifier: Apache-2.0
// Movement composed of several operators: space to depth and batch and back, pack and unpack, tile, mirror and reverse.
#include <fmt/core.h>

#include <algorithm>

#include "infer.hpp"
#include "tflite_translation.hpp"

namespace systole::graph::tflite_file {
namespace {

using Code = format::OperatorCodeNumber;

constexpr std::int64_t kMostCopies = 16;  // concatenated at most; more copies are gathered
constexpr std::int64_t kMostPlaces = 1 << 20;

Shape image_shape(Translation& t) {
  Shape shape = t.tensor(t.input(0)).shape;
  if (shape.size() != 4) {
    t.fail(fmt::format("input has shape {}; expected NHWC", to_string(shape)));
  }
  return shape;
}

/// The size of a block, whose power must divide the sizes.
std::int64_t block_of(const Translation& t, std::int64_t block, int power, std::initializer_list<std::int64_t> sizes) {
  constexpr std::int64_t kMost = 1 << 12;
  for (const std::int64_t size : sizes) {
    if (block < 1 || block > kMost || size % (power == 2 ? block * block : block) != 0) {
      t.fail(
          fmt::format("block size {} for a dimension of {}; expected 1 .. {} and a dimension that is a multiple of {}",
                      block, size, kMost, power == 2 ? "its square" : "it"));
    }
  }
  return block;
}

void depth_to_space(Translation& t) {
  const Shape s = image_shape(t);
  const std::int64_t block = block_of(t, t.options<format::DepthToSpaceOptions>().block(), 2, {s[3]});
  const TensorId apart = t.reshape(t.input(0), {s[0], s[1], s[2], block, block, s[3] / (block * block)});
  t.result(
      t.reshape(t.transpose(apart, {0, 1, 3, 2, 4, 5}), {s[0], s[1] * block, s[2] * block, s[3] / (block * block)}));
}

void space_to_depth(Translation& t) {
  const Shape s = image_shape(t);
  const std::int64_t block = block_of(t, t.options<format::SpaceToDepthOptions>().block(), 1, {s[1], s[2]});
  const TensorId apart = t.reshape(t.input(0), {s[0], s[1] / block, block, s[2] / block, block, s[3]});
  t.result(t.reshape(t.transpose(apart, {0, 1, 3, 2, 4, 5}), {s[0], s[1] / block, s[2] / block, s[3] * block * block}));
}

/// Blocks along the first dimensions after the batch, and their padding or cropping.
struct Blocks {
  std::vector<std::int64_t> sizes, edges;
  std::int64_t all = 1;  ///< product of the block sizes
};

Blocks blocks_of(Translation& t) {
  Blocks blocks;
  blocks.sizes = t.integers(1, "the block");
  blocks.edges = t.integers(2, "the edges");
  const Shape shape = t.tensor(t.input(0)).shape;
  constexpr std::int64_t kMost = 1 << 24;
  const auto in_range = [](std::int64_t value, std::int64_t least) { return value >= least && value <= kMost; };
  bool right = blocks.edges.size() == 2 * blocks.sizes.size() && shape.size() > blocks.sizes.size();
  right = right &&
          std::all_of(blocks.edges.begin(), blocks.edges.end(), [&](std::int64_t edge) { return in_range(edge, 0); });
  for (const std::int64_t size : blocks.sizes) {
    right = right && in_range(size, 1) && in_range(blocks.all *= size, 1);
  }
  if (!right) {
    t.fail(
        fmt::format("{} block sizes and {} edges for an input of shape {}; expected, for each of the dimensions "
                    "after the batch that have blocks, a size of at least 1 and two edges of at least 0",
                    blocks.sizes.size(), blocks.edges.size(), to_string(shape)));
  }
  return blocks;
}

void space_to_batch(Translation& t) {
  const Blocks blocks = blocks_of(t);
  const std::size_t spatial = blocks.sizes.size();
  const std::size_t rank = t.tensor(t.input(0)).shape.size();
  Pad pad;
  pad.before.assign(rank, 0);
  pad.after.assign(rank, 0);
  for (std::size_t i = 0; i < spatial; ++i) {
    pad.before[1 + i] = blocks.edges[2 * i];
    pad.after[1 + i] = blocks.edges[2 * i + 1];
  }
  const TensorId padded = t.move(pad, t.input(0));
  const Shape shape = t.tensor(padded).shape;
  // batch, (rows, block) ..., rest to block ..., batch, rows ..., rest
  Shape apart = {shape[0]};
  Shape result = {shape[0] * blocks.all};
  std::vector<int> permutation;
  for (std::size_t i = 0; i < spatial; ++i) {
    if (shape[1 + i] % blocks.sizes[i] != 0) {
      t.fail(fmt::format("padded dimension {} is not a multiple of block size {}", shape[1 + i], blocks.sizes[i]));
    }
    apart.push_back(shape[1 + i] / blocks.sizes[i]);
    apart.push_back(blocks.sizes[i]);
    result.push_back(shape[1 + i] / blocks.sizes[i]);
    permutation.push_back(static_cast<int>(2 + 2 * i));
  }
  permutation.push_back(0);
  for (std::size_t i = 0; i < spatial; ++i) {
    permutation.push_back(static_cast<int>(1 + 2 * i));
  }
  for (std::size_t i = 1 + spatial; i < rank; ++i) {
    permutation.push_back(static_cast<int>(apart.size()));
    apart.push_back(shape[i]);
    result.push_back(shape[i]);
  }
  t.result(t.reshape(t.transpose(t.reshape(padded, apart), permutation), result));
}

void batch_to_space(Translation& t) {
  const Blocks blocks = blocks_of(t);
  const std::size_t spatial = blocks.sizes.size();
  const Shape shape = t.tensor(t.input(0)).shape;
  if (shape[0] % blocks.all != 0) {
    t.fail(fmt::format("batch size {} is not a multiple of {}, the product of the block sizes", shape[0], blocks.all));
  }
  // block ..., batch, rows ..., rest to batch, (rows, block) ..., rest
  Shape apart(blocks.sizes.begin(), blocks.sizes.end());
  apart.push_back(shape[0] / blocks.all);
  apart.insert(apart.end(), shape.begin() + 1, shape.end());
  Shape together = {shape[0] / blocks.all};
  Shape result = together;
  std::vector<int> permutation = {static_cast<int>(spatial)};
  Slice slice{std::vector<std::int64_t>(shape.size(), 0), std::vector<std::int64_t>(shape.size(), 1)};
  for (std::size_t i = 0; i < spatial; ++i) {
    permutation.push_back(static_cast<int>(spatial + 1 + i));
    permutation.push_back(static_cast<int>(i));
    together.push_back(shape[1 + i] * blocks.sizes[i]);
    slice.begin[1 + i] = blocks.edges[2 * i];
    result.push_back(together.back() - blocks.edges[2 * i] - blocks.edges[2 * i + 1]);
  }
  for (std::size_t i = 1 + spatial; i < shape.size(); ++i) {
    permutation.push_back(static_cast<int>(spatial + i));
    together.push_back(shape[i]);
    result.push_back(shape[i]);
  }
  const TensorId whole = t.reshape(t.transpose(t.reshape(t.input(0), apart), permutation), together);
  t.result(result == together ? whole : t.move(slice, whole, result));
}

void pack(Translation& t) {
  const Shape wanted = t.tensor(t.output()).shape;
  const int axis = axis_in(t.options<format::PackOptions>().axis(), wanted);
  std::vector<TensorId> parts;
  for (std::size_t i = 0; i < t.input_count(); ++i) {
    Shape shape = t.tensor(t.input(i)).shape;
    shape.insert(shape.begin() + std::min<std::ptrdiff_t>(axis, static_cast<std::ptrdiff_t>(shape.size())), 1);
    parts.push_back(t.reshape(t.input(i), shape));
  }
  const Tensor like = t.tensor(t.output());
  t.result(t.emit(Concat{axis}, parts, like.type, like.quantization));
}

void unpack(Translation& t) {
  const TensorId input = t.input(0);
  const Shape shape = t.tensor(input).shape;
  const int axis = axis_in(t.options<format::UnpackOptions>().axis(), shape);
  Shape part = shape;
  part[static_cast<std::size_t>(axis)] = 1;
  if (static_cast<std::int64_t>(t.output_count()) != shape[static_cast<std::size_t>(axis)]) {
    t.fail(fmt::format("{} outputs for shape {}; expected one per element of axis {}", t.output_count(),
                       to_string(shape), axis));
  }
  std::vector<TensorId> parts;
  for (std::size_t i = 0; i < t.output_count(); ++i) {
    parts.push_back(t.add_like(input, part, "/part"));
  }
  t.add(Split{axis}, {input}, parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    t.add(Reshape{}, {parts[i]}, {t.output(i)});
  }
}

/// Index i % size along an axis, for `places` elements.
TensorId repeated(Translation& t, TensorId id, std::size_t axis, std::int64_t places) {
  if (places > kMostPlaces) {
    t.fail(fmt::format("{} elements along axis {}; at most {} are supported", places, axis, kMostPlaces));
  }
  const std::int64_t size = t.tensor(id).shape[axis];
  std::vector<std::int64_t> positions(static_cast<std::size_t>(places));
  for (std::size_t i = 0; i < positions.size(); ++i) {
    positions[i] = static_cast<std::int64_t>(i) % size;
  }
  const TensorId indices = t.numbers(ElementType::kInt64, {places}, positions);
  return t.emit(Gather{static_cast<int>(axis)}, {id, indices}, t.tensor(id).type, t.tensor(id).quantization);
}

void tile(Translation& t) {
  TensorId id = t.input(0);
  const std::vector<std::int64_t> repeats = t.integers(1, "the repeats");
  if (repeats.size() != t.tensor(id).shape.size()) {
    t.fail(fmt::format("{} repeats for shape {}; expected one per dimension", repeats.size(),
                       to_string(t.tensor(id).shape)));
  }
  for (std::size_t axis = 0; axis < repeats.size(); ++axis) {
    if (repeats[axis] < 1 || repeats[axis] > kMostPlaces) {
      t.fail(fmt::format("{} repeats; the range is 1 .. {}", repeats[axis], kMostPlaces));
    }
    if (repeats[axis] > kMostCopies) {
      id = repeated(t, id, axis, repeats[axis] * t.tensor(id).shape[axis]);
    } else if (repeats[axis] > 1) {
      const std::vector<TensorId> parts(static_cast<std::size_t>(repeats[axis]), id);
      id = t.emit(Concat{static_cast<int>(axis)}, parts, t.tensor(id).type, t.tensor(id).quantization);
    }
  }
  t.result(id);
}

void broadcast_to(Translation& t) {
  TensorId id = t.input(0);
  const Shape wanted = t.tensor(t.output()).shape;
  Shape own = t.tensor(id).shape;
  if (broadcast(own, wanted) != wanted) {
    t.fail(fmt::format("shape {} cannot be broadcast to {}", to_string(own), to_string(wanted)));
  }
  own.insert(own.begin(), wanted.size() - own.size(), 1);
  id = t.reshape(id, own);
  for (std::size_t axis = 0; axis < wanted.size(); ++axis) {
    id = own[axis] == wanted[axis] ? id : repeated(t, id, axis, wanted[axis]);
  }
  t.result(id);
}

void mirror_pad(Translation& t) {
  const std::size_t rank = t.tensor(t.input(0)).shape.size();
  const std::vector<std::int64_t> amounts = t.integers(1, "the padding");
  const format::Mirroring mode = t.options<format::MirrorPadOptions>().mode();
  if (amounts.size() != 2 * rank ||
      std::any_of(amounts.begin(), amounts.end(), [](std::int64_t amount) { return amount < 0; })) {
    t.fail(
        fmt::format("{} padding values; expected two of at least 0 for each of {} dimensions", amounts.size(), rank));
  }
  if (mode != format::Mirroring::REFLECT && mode != format::Mirroring::SYMMETRIC) {
    t.fail(fmt::format("mode number {}; expected REFLECT or SYMMETRIC", static_cast<int>(mode)));
  }
  Pad pad;
  pad.mode = mode == format::Mirroring::REFLECT ? Pad::Mode::kReflect : Pad::Mode::kSymmetric;
  for (std::size_t i = 0; i < rank; ++i) {
    pad.before.push_back(amounts[2 * i]);
    pad.after.push_back(amounts[2 * i + 1]);
  }
  t.add(pad, 1);
}

void reverse(Translation& t) {
  const Shape shape = t.tensor(t.input(0)).shape;
  Slice slice{std::vector<std::int64_t>(shape.size(), 0), std::vector<std::int64_t>(shape.size(), 1)};
  for (const std::int64_t named : t.integers(1, "the list of axes")) {
    const auto axis = static_cast<std::size_t>(axis_in(named, shape));
    slice.begin[axis] = shape[axis] - 1;
    slice.step[axis] = shape[axis] == 1 ? 1 : -1;
  }
  t.add(slice, 1);
}

}  // namespace

Handler block_handler(Code code) {
  switch (code) {
    case Code::DEPTH_TO_SPACE: return depth_to_space;
    case Code::SPACE_TO_DEPTH: return space_to_depth;
    case Code::SPACE_TO_BATCH_ND: return space_to_batch;
    case Code::BATCH_TO_SPACE_ND: return batch_to_space;
    case Code::PACK: return pack;
    case Code::UNPACK: return unpack;
    case Code::TILE: return tile;
    case Code::BROADCAST_TO: return broadcast_to;
    case Code::MIRROR_PAD: return mirror_pad;
    case Code::REVERSE_V2: return reverse;
    default: return nullptr;
  }
}

}  // namespace systole::graph::tflite_file
