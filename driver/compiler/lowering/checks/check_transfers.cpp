// SPDX-License-Identifier: Apache-2.0
#include "check_transfers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "verify_transfers.hpp"

namespace systole::network {
namespace {

using graph::TensorId;
using verifier::ByteRange;
using verifier::ByteRanges;
using verifier::Duty;

std::int64_t positions_of(const Image& image) { return std::int64_t{image.batch} * image.height * image.width; }

/// Lines of `bytes` bytes.
ByteRanges lines(std::int64_t first, std::int64_t count, std::int64_t bytes, std::int64_t pitch) {
  if (pitch == bytes) {
    return {{first, first + count * bytes}};
  }
  ByteRanges ranges;
  for (std::int64_t i = 0; i < count; ++i) {
    ranges.push_back({first + i * pitch, first + i * pitch + bytes});
  }
  return ranges;
}

std::int64_t pitch_of(const TensorPlace& place, const Image& image) {
  return place.pitch == 0 ? image.channels : place.pitch;
}

void append(ByteRanges& ranges, const ByteRanges& more) { ranges.insert(ranges.end(), more.begin(), more.end()); }

/// Whether every byte of every operand is read: not where strides pass some over, nor where a kernel chooses.
bool reads_all(const Layer& layer) {
  if (std::holds_alternative<AddLayer>(layer.kind) || std::holds_alternative<MultiplyLayer>(layer.kind) ||
      std::holds_alternative<TableLayer>(layer.kind) || std::holds_alternative<ReshapeLayer>(layer.kind) ||
      std::holds_alternative<ProductLayer>(layer.kind) || std::holds_alternative<NeighbourLayer>(layer.kind)) {
    return true;
  }
  const auto* blocks = std::get_if<BlocksLayer>(&layer.kind);
  const auto* kernel = std::get_if<KernelLayer>(&layer.kind);
  return (blocks != nullptr && !blocks->windows) || (kernel != nullptr && kernel->elementwise);
}

/// Whether a result is written byte by byte, once: blocks and tiles have room for channels that are not there.
bool writes_once(const Layer& layer) {
  const auto* kernel = std::get_if<KernelLayer>(&layer.kind);
  return std::holds_alternative<AddLayer>(layer.kind) || std::holds_alternative<MultiplyLayer>(layer.kind) ||
         std::holds_alternative<TableLayer>(layer.kind) || std::holds_alternative<ReshapeLayer>(layer.kind) ||
         std::holds_alternative<MoveLayer>(layer.kind) || std::holds_alternative<ConvLayer>(layer.kind) ||
         std::holds_alternative<MaxPoolLayer>(layer.kind) || std::holds_alternative<AveragePoolLayer>(layer.kind) ||
         std::holds_alternative<MeanLayer>(layer.kind) || std::holds_alternative<ProductLayer>(layer.kind) ||
         std::holds_alternative<NeighbourLayer>(layer.kind) || (kernel != nullptr && kernel->block_channels == 0);
}

class Duties {
 public:
  Duties(const Segment& segment, const Emitted& emitted) : segment_(segment), emitted_(emitted) {}

  std::vector<Duty> all() const {
    std::vector<Duty> duties;
    for (const Layer& layer : segment_.layers) {
      duties.push_back(duty_of(layer));
    }
    return duties;
  }

 private:
  Duty duty_of(const Layer& layer) const {
    Duty duty;
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      add_operand(layer, i, duty);
    }
    duty.writes_once = writes_once(layer);
    add_result(layer.output, layer.output_image, duty);
    add_result(layer.words_output, layer.words_image, duty);
    if (const auto* moves = std::get_if<MoveLayer>(&layer.kind)) {
      duty.copies = copies_of(layer, *moves);
    }
    return duty;
  }

  void add_operand(const Layer& layer, std::size_t i, Duty& duty) const {
    const auto place = emitted_.tensors.find(layer.inputs[i]);
    if (place == emitted_.tensors.end()) {
      return;
    }
    const auto part = layer.input_parts.find(i);
    const Image &seen = layer.input_images[i], &whole = part == layer.input_parts.end() ? seen : part->second.of;
    const bool dense = place->second.pitch == 0;
    const std::int64_t address = place->second.address, pitch = pitch_of(place->second, whole);
    duty.operands.push_back({address, address + positions_of(whole) * pitch});
    if (part != layer.input_parts.end()) {
      append(duty.needs, lines(address + part->second.first, positions_of(seen), seen.channels,
                               dense ? part->second.pitch : pitch));
    } else if (reads_all(layer)) {
      append(duty.needs, lines(address, positions_of(seen), seen.channels, pitch));
    }
  }

  void add_result(TensorId id, const Image& image, Duty& duty) const {
    const auto place = id == graph::kNoTensor ? emitted_.tensors.end() : emitted_.tensors.find(id);
    if (place == emitted_.tensors.end()) {
      return;
    }
    const std::int64_t address = place->second.address, pitch = pitch_of(place->second, image);
    if (duty.writes_once) {
      append(duty.results, lines(address, positions_of(image), image.channels, pitch));
    } else {  // blocks, whose exponents follow all mantissas
      duty.results.push_back({address, address + positions_of(image) * pitch});
    }
  }

  verifier::CopiedBytes copies_of(const Layer& layer, const MoveLayer& moves) const {
    verifier::CopiedBytes copies;
    copies.address = emitted_.tensors.at(layer.output).address;
    copies.sources.assign(static_cast<std::size_t>(layer.output_image.bytes()), verifier::CopiedBytes::filled(0));
    for (const MoveLayer::Part& part : moves.parts) {
      const compiler::ByteBox& box = part.box;
      for (std::int64_t outer = 0; outer < box.outer; ++outer) {
        for (std::int64_t inner = 0; inner < box.inner; ++inner) {
          const std::int64_t from = box.from + outer * box.from_outer + inner * box.from_inner;
          const std::int64_t to = box.to + outer * box.to_outer + inner * box.to_inner;
          for (std::int64_t byte = 0; byte < box.bytes; ++byte) {
            const auto at = static_cast<std::size_t>(to + byte);
            if (at < copies.sources.size()) {  // a byte outside of the result is found with all others
              copies.sources[at] = source_of(layer, moves, part, from + byte);
            }
          }
        }
      }
    }
    return copies;
  }

  std::int64_t source_of(const Layer& layer, const MoveLayer& moves, const MoveLayer::Part& part,
                         std::int64_t from) const {
    if (part.constant >= 0) {
      const graph::Bytes& bytes = moves.constants.at(static_cast<std::size_t>(part.constant));
      return verifier::CopiedBytes::filled(bytes.at(static_cast<std::size_t>(from)));
    }
    if (part.box.fill) {
      return verifier::CopiedBytes::filled(static_cast<std::uint8_t>(*part.box.fill));
    }
    return emitted_.tensors.at(layer.inputs.at(static_cast<std::size_t>(part.input))).address + from;
  }

  const Segment& segment_;
  const Emitted& emitted_;
};

/// Memory within layers.
ByteRanges own_memory(const Emitted& emitted) {
  const std::int64_t begin =
      emitted.step.program.windows()[kScratchWindow].base + static_cast<std::int64_t>(emitted.own.offset);
  return {{begin, begin + static_cast<std::int64_t>(emitted.own.bytes)}};
}

}  // namespace

void check_transfers(const Segment& segment, const Emitted& emitted, const graph::Graph& graph,
                     const Configuration& configuration) {
  const auto violation = verifier::verify_transfers(emitted.step.program, configuration, Duties(segment, emitted).all(),
                                                    own_memory(emitted));
  if (violation) {
    const Layer& layer = segment.layers[violation->layer];
    throw not_on_device(layer, graph, fmt::format("a compiler error in layer '{}': {}", layer.name, violation->text));
  }
}

}  // namespace systole::network
