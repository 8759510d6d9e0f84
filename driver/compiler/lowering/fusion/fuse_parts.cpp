// SPDX-License-Identifier: Apache-2.0
#include "fuse_parts.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

namespace systole::network {
namespace {

using graph::TensorId;

std::int64_t positions_of(const Image& image) { return std::int64_t{image.batch} * image.height * image.width; }

/// Bytes of a tensor that a move copies to the result, in this order.
struct Copied {
  std::int64_t first = 0, lines = 1, bytes = 0, pitch = 0;
};

std::optional<Copied> copied(const Layer& layer) {
  const auto* moves = std::get_if<MoveLayer>(&layer.kind);
  if (moves == nullptr || moves->parts.size() != 1 || layer.inputs.size() != 1 || moves->border ||
      moves->transposition || moves->words || moves->parts[0].constant >= 0 || moves->parts[0].box.fill) {
    return std::nullopt;
  }
  const compiler::ByteBox& box = moves->parts[0].box;
  const bool in_order = box.outer == 1 && box.to == 0 && (box.inner == 1 || box.to_inner == box.bytes) &&
                        box.inner * box.bytes == layer.output_image.bytes();
  return in_order ? std::optional(Copied{box.from, box.inner, box.bytes, box.from_inner}) : std::nullopt;
}

/// A part of a tensor that is a result of the segment and nothing else.
bool only_result(const SegmentContext& context, const Layer& layer) {
  return copied(layer) && context.wants(layer.output) && context.reads(layer.output) == 0;
}

/// Conversions come directly behind what they wait for: some of several tensors, of which most are ready early, and
/// those whose products wait for other layers than them.
void hoist_conversions(std::vector<Layer>& layers) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (!std::holds_alternative<BlocksLayer>(layers[i].kind)) {
      continue;
    }
    std::size_t first = i;
    const auto& inputs = layers[i].inputs;
    const auto reads = [&](const Layer& made) {
      return std::any_of(inputs.begin(), inputs.end(), [&](TensorId id) { return made.makes(id); });
    };
    while (first > 0 && !reads(layers[first - 1])) {
      --first;
    }
    if (first > 0) {
      std::rotate(layers.begin() + static_cast<std::ptrdiff_t>(first), layers.begin() + static_cast<std::ptrdiff_t>(i),
                  layers.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
  }
}

class Fusion {
 public:
  explicit Fusion(SegmentContext& context)
      : context_(context),
        layers_(context.layers()),
        group_bytes_(std::int64_t{compiler::BlockLanes(context.configuration.dim).group} * kWordBytes) {}

  std::int64_t run() {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (const auto part = copied(layers_[i])) {
        fuse(i, *part);
      }
    }
    for (Layer& layer : layers_) {
      if (std::holds_alternative<BlocksLayer>(layer.kind) && layer.output != graph::kNoTensor) {
        join(layer);
      }
    }
    return fused_;
  }

 private:
  static constexpr std::int64_t kWordBytes = 4;

  /// The inputs of a move that brings whole tensors, or parts of a single position, together.
  void join(Layer& blocks) {
    Layer* made = context_.maker(blocks.inputs[0]);
    const auto* moves = made == nullptr ? nullptr : std::get_if<MoveLayer>(&made->kind);
    if (moves == nullptr || made->inputs.empty() || std::get<BlocksLayer>(blocks.kind).windows ||
        !converts_whole(blocks) || context_.wants(made->output) || moves->border || moves->transposition ||
        moves->parts.size() != made->inputs.size() + moves->constants.size()) {
      return;
    }
    const Image& all = blocks.input_images[0];
    std::vector<std::size_t> order;
    std::vector<Image> images;
    std::map<std::size_t, InputPart> parts;
    std::map<std::size_t, ConstantOperand> constants;
    std::int64_t next = 0;
    for (const MoveLayer::Part& part : moves->parts) {
      const compiler::ByteBox& box = part.box;
      const auto input = static_cast<std::size_t>(part.input);
      const std::int64_t bytes = box.inner * box.bytes;
      const bool in_line = !box.fill && box.outer == 1 && box.to == next &&
                           (box.inner == 1 || box.from_inner == box.bytes) &&
                           (part.constant >= 0 || std::count(order.begin(), order.end(), input) == 0);
      const bool stacked = box.inner == 1 && bytes % all.channels == 0;
      const bool beside = box.inner == positions_of(all) && (box.inner == 1 || box.to_inner == all.channels) &&
                          next % group_bytes_ == 0;
      if (!in_line || !(stacked || beside)) {
        return;
      }
      next += stacked ? bytes : box.bytes;
      const Image image = stacked ? Image{1, 1, static_cast<int>(bytes / all.channels), all.channels, kWordBytes}
                                  : Image{1, 1, all.width, static_cast<int>(box.bytes), kWordBytes};
      if (part.constant >= 0) {
        const graph::Bytes& constant = moves->constants[static_cast<std::size_t>(part.constant)];
        if (static_cast<std::int64_t>(constant.size()) != bytes) {
          return;
        }
        constants[order.size() + constants.size()] = {constant, image};
        continue;
      }
      images.push_back(image);
      Image of = made->input_images[input];
      if (of.bytes() != bytes) {
        if (positions_of(of) != 1) {
          return;
        }
        of.element_bytes = kWordBytes;
        parts[order.size()] = {box.from, image.channels, of};
      }
      order.push_back(input);
    }
    std::vector<TensorId> inputs;
    std::transform(order.begin(), order.end(), std::back_inserter(inputs),
                   [&](std::size_t i) { return made->inputs[i]; });
    const TensorId joined = made->output;
    blocks.inputs = std::move(inputs);
    blocks.input_images = std::move(images);
    blocks.input_parts = std::move(parts);
    std::get<BlocksLayer>(blocks.kind).constants = std::move(constants);
    ++fused_;
    if (context_.reads(joined) == 0) {
      made->output = graph::kNoTensor;
    }
  }

  void fuse(std::size_t index, const Copied& part) {
    const Layer move = layers_[index];
    bool read = context_.wants(move.output);
    for (std::size_t i = index + 1; i < layers_.size(); ++i) {
      Layer& layer = layers_[i];
      for (std::size_t k = 0; k < layer.inputs.size() && layer.output != graph::kNoTensor; ++k) {
        if (layer.inputs[k] == move.output) {
          const bool taken = take(layer, k, move, part);
          fused_ += taken ? 1 : 0;
          read = read || !taken;
        }
      }
    }
    if (!read) {
      layers_[index].output = graph::kNoTensor;
    }
  }

  /// Whether the layer now reads the part in place.
  static bool take(Layer& layer, std::size_t input, const Layer& move, const Copied& part) {
    if (auto* moves = std::get_if<MoveLayer>(&layer.kind); moves != nullptr && part.lines == 1) {
      if (moves->border || moves->transposition || layer.input_parts.count(input) != 0 ||
          std::count(layer.inputs.begin(), layer.inputs.end(), move.output) != 1) {
        return false;
      }
      for (MoveLayer::Part& box : moves->parts) {
        if (box.input == static_cast<int>(input) && box.constant < 0 && !box.box.fill) {
          box.box.from += part.first;
        }
      }
      if (moves->words) {
        for (compiler::WordTransposition::Place& matrix : moves->words->matrices) {
          matrix.from += part.first;
        }
      }
      layer.inputs[input] = move.inputs[0];
      layer.input_images[input] = move.input_images[0];
      return true;
    }
    const Image &seen = layer.input_images[input], &whole = move.input_images[0];
    const auto* blocks = std::get_if<BlocksLayer>(&layer.kind);
    const bool in_place = std::holds_alternative<KernelLayer>(layer.kind) || (blocks != nullptr && !blocks->windows);
    // Bytes without gaps may be seen as any positions. Lines that lie apart have to be the positions.
    const bool together = part.lines == 1;
    const bool lines = part.lines == positions_of(seen) && part.bytes == seen.channels && part.pitch == whole.channels;
    if (!in_place || seen.batch != 1 || layer.input_parts.count(input) != 0 || !(together || lines)) {
      return false;
    }
    Image of = whole;
    of.element_bytes = seen.element_bytes;
    if (positions_of(of) == positions_of(seen)) {
      of = {1, seen.height, seen.width, of.channels, of.element_bytes};
    }
    layer.input_parts[input] = {part.first, together ? seen.channels : part.pitch, of};
    layer.inputs[input] = move.inputs[0];
    return true;
  }

  SegmentContext& context_;
  std::vector<Layer>& layers_;
  const std::int64_t group_bytes_;
  std::int64_t fused_ = 0;
};

}  // namespace

std::int64_t fuse_parts(SegmentContext& context) { return Fusion(context).run(); }

std::int64_t order_conversions(SegmentContext& context) {
  hoist_conversions(context.layers());
  std::stable_partition(context.layers().begin(), context.layers().end(),
                        [&](const Layer& layer) { return !only_result(context, layer); });
  return 0;
}

}  // namespace systole::network
