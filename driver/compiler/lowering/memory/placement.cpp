// SPDX-License-Identifier: Apache-2.0
#include "placement.hpp"

#include <algorithm>

#include "row_chains.hpp"

namespace systole::network {
namespace {

using compiler::Range;
using graph::TensorId;

constexpr int kProductBanks = 3;  // of kScratchBanks, for the lane of products

/// Whose operands and results may be few rows in the scratchpad.
bool multiplies_rows(const Layer& layer) {
  const auto* product = std::get_if<BlockProductLayer>(&layer.kind);
  return product != nullptr && product->a.first.size() == 1 && product->result.first.size() == 1 &&
         product->result.columns == product->result.pitch;
}

/// Whether the positions of the result's image are the product's rows. If a bias is part of it, they may be those of an
/// addition, each several rows.
bool has_own_rows(const Layer& layer) {
  const auto& product = std::get<BlockProductLayer>(layer.kind);
  return product.results.blocks ||
         layer.output_image.channels == product.result.columns * layer.output_image.element_bytes;
}

/// Channels of a result in block floating point; 0 of any other.
int block_channels(const Layer& layer) {
  if (const auto* blocks = std::get_if<BlocksLayer>(&layer.kind)) {
    return blocks->channels;
  }
  if (const auto* kernel = std::get_if<KernelLayer>(&layer.kind)) {
    return kernel->block_channels;
  }
  const auto* product = std::get_if<BlockProductLayer>(&layer.kind);
  return product != nullptr && product->results.blocks ? product->result.columns : 0;
}

/// Whether the lanes of all blocks are channels.
bool fills_blocks(int channels, int dim) { return channels % compiler::BlockLanes(dim).group == 0; }

/// Whether a kernel writes zeros to the lanes beyond the channels of all blocks.
bool clears_lanes(const Layer& layer, int dim) {
  const auto* kernel = std::get_if<KernelLayer>(&layer.kind);
  const int channels = layer.output_image.channels / layer.output_image.element_bytes;
  const compiler::BlockLanes lanes(dim);
  return kernel != nullptr && kernel->call.clears_lanes &&
         compiler::ceil_div(channels, dim) == compiler::ceil_div(channels, lanes.group) * lanes.planes;
}

/// Whether the last channel that the layer reads of its first input is the tensor's last one. Behind that of another
/// part are the tensor's other channels.
bool reads_last_channel(const Layer& layer) {
  const auto part = layer.input_parts.find(0);
  return part == layer.input_parts.end() ||
         part->second.first + layer.input_images[0].channels == part->second.of.channels;
}

std::int64_t positions_of(const Image& image) { return std::int64_t{image.batch} * image.height * image.width; }

/// Whether the part is some whole planes of its tensor, with the same positions.
bool has_planes(const InputPart& part, const Image& seen, int dim) {
  const int line = dim * seen.element_bytes;
  const bool same_positions = part.of.width == seen.width && part.of.height == seen.height &&
                              part.of.batch == seen.batch && part.of.element_bytes == seen.element_bytes &&
                              (part.pitch == part.of.channels || positions_of(seen) == 1);
  return same_positions && part.first % line == 0;
}

/// Whether both have the same planes of the same rows.
bool same_planes(const Image& a, const Image& b) {
  return a.batch == 1 && b.batch == 1 && positions_of(a) == positions_of(b) && a.channels == b.channels &&
         a.element_bytes == b.element_bytes;
}

}  // namespace

Placement::Placement(const Segment& segment, const Configuration& configuration, const std::set<TensorId>& spilled)
    : rows_(configuration.scratch_rows), lanes_(segment.lanes), on_chip_(segment.layers.size()) {
  const std::map<TensorId, LiveRange> live = live_ranges(segment);
  find_dense(segment, configuration);
  const std::map<TensorId, int> parts = parts_within_chains(segment);
  const std::vector<const RowChain*> chains = chain_of_layers(segment.layers.size(), segment.chains);
  bool from_top = false;
  for (std::size_t i = 0; i < segment.layers.size(); ++i) {
    const Layer& layer = segment.layers[i];
    const TensorId id = layer.output;
    const Image& image = layer.output_image;
    if (!segment.keeps_on_chip || dense(id) || spilled.count(id) != 0 || image.batch != 1) {
      continue;
    }
    const auto within = parts.find(id);
    const int some = within == parts.end() ? 0 : within->second;
    const int positions = some == 0 ? image.height * image.width : some * chains[i]->part_rows;
    const int plane = compiler::plane_rows(compiler::plane_form(image.element_bytes), positions);
    const int channels = block_channels(layer);
    const compiler::BlockLanes lanes(configuration.dim);
    const int rows = channels > 0 ? compiler::ceil_div(channels, lanes.group) * lanes.planes * plane
                                  : scratch_rows(image, plane, configuration.dim);
    const Range region = rows_of_lane(i);
    const LiveRange& needed = live.at(id);
    // The tensors placed before are of earlier layers or of the same chain: all that overlap are live at `from`.
    const int first = rows > region.size() ? -1 : find_rows(rows, region, needed.from, from_top);
    if (first >= 0) {
      held_[id] = {{first, first + rows}, plane, some};
      for (int at = needed.from; at <= needed.to; ++at) {
        on_chip_[static_cast<std::size_t>(at)].push_back(id);
      }
      from_top = !from_top;  // alternate ends for consecutive tensors: the free rows stay contiguous
    }
  }
}

void Placement::find_dense(const Segment& segment, const Configuration& configuration) {
  std::map<TensorId, Image> images;
  std::set<TensorId> cleared;
  dense_.insert(segment.inputs.begin(), segment.inputs.end());
  dense_.insert(segment.outputs.begin(), segment.outputs.end());
  for (const Layer& layer : segment.layers) {
    images[layer.output] = layer.output_image;
    if (layer.words_output != graph::kNoTensor) {
      images[layer.words_output] = layer.words_image;
      dense_.insert({layer.output, layer.words_output});
    }
    if (clears_lanes(layer, configuration.dim)) {
      cleared.insert(layer.output);
    }
    if (std::holds_alternative<ReshapeLayer>(layer.kind) || std::holds_alternative<MoveLayer>(layer.kind) ||
        std::holds_alternative<NeighbourLayer>(layer.kind)) {
      dense_.insert(layer.inputs.begin(), layer.inputs.end());
      dense_.insert(layer.output);
    }
    if (const auto* product = std::get_if<ProductLayer>(&layer.kind)) {
      const bool in_place = is_in_place(*product) && !product->raw;
      dense_.insert(layer.inputs[1]);
      if (!in_place || !has_rows_of_positions(product->a, layer.input_images[0].channels, configuration.dim)) {
        dense_.insert(layer.inputs[0]);
      }
      if (!in_place || !has_rows_of_positions(product->result, layer.output_image.channels, configuration.dim)) {
        dense_.insert(layer.output);
      }
    }
    const auto* conversion = std::get_if<BlocksLayer>(&layer.kind);
    if (std::holds_alternative<BlockConvLayer>(layer.kind) || std::holds_alternative<BlockTilesLayer>(layer.kind) ||
        std::holds_alternative<FloatWindowsLayer>(layer.kind) || (conversion != nullptr && conversion->windows) ||
        (std::holds_alternative<BlockProductLayer>(layer.kind) && !multiplies_rows(layer))) {
      dense_.insert(layer.inputs.begin(), layer.inputs.end());
      dense_.insert(layer.output);
    } else if (std::holds_alternative<BlockProductLayer>(layer.kind)) {
      const bool converts = std::get<BlockProductLayer>(layer.kind).converts.has_value();
      dense_.insert(layer.inputs.begin() + (converts ? 0 : 1), layer.inputs.end());
      if (!has_own_rows(layer) || !is_small(layer.output_image, configuration)) {
        dense_.insert(layer.output);
      }
    } else if (conversion != nullptr) {
      const bool fills = fills_blocks(conversion->channels, configuration.dim) ||
                         (cleared.count(layer.inputs[0]) != 0 && reads_last_channel(layer));
      if (layer.inputs.size() + conversion->constants.size() > 1 ||
          !fills) {  // lanes beyond the channels must be zeros
        dense_.insert(layer.inputs.begin(), layer.inputs.end());
      }
      if (!is_small(layer.output_image, configuration)) {
        dense_.insert(layer.inputs.begin(), layer.inputs.end());
        dense_.insert(layer.output);
      }
    }
    if (const auto* conv = std::get_if<ConvLayer>(&layer.kind); conv != nullptr && conv->raw) {
      dense_.insert(layer.output);
    }
  }
  // A tensor whose users see different shapes is kept as bytes in device memory.
  for (const Layer& layer : segment.layers) {
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      const auto part = layer.input_parts.find(i);
      const auto made = images.find(layer.inputs[i]);
      const bool other = part == layer.input_parts.end()
                             ? made != images.end() && made->second != layer.input_images[i]
                             : !has_planes(part->second, layer.input_images[i], configuration.dim) ||
                                   (made != images.end() && !same_planes(made->second, part->second.of));
      if (other) {
        dense_.insert(layer.inputs[i]);
      }
    }
  }
}

int Placement::parts_held(TensorId id) const {
  const auto found = held_.find(id);
  return found == held_.end() ? 0 : found->second.parts;
}

/// Of tensors that only layers of the same chain read, as many parts as are computed or read at the same time.
std::map<TensorId, int> Placement::parts_within_chains(const Segment& segment) const {
  std::map<TensorId, int> parts;
  for (const RowChain& chain : segment.chains) {
    for (std::size_t made = chain.begin; made < chain.end; ++made) {
      const TensorId id = segment.layers[made].output;
      std::size_t last = 0;
      int some = 0;
      for (std::size_t i = 0; i < segment.layers.size(); ++i) {
        const std::vector<TensorId>& inputs = segment.layers[i].inputs;
        if (std::count(inputs.begin(), inputs.end(), id) != 0) {
          last = i;
          some = i < chain.end ? std::max(some, chain.depth_of(i) - chain.depth_of(made) + 1) : some;
        }
      }
      if (!dense(id) && last > made && last < chain.end && some < chain.matrices * chain.parts) {
        parts[id] = some;
      }
    }
  }
  return parts;
}

std::optional<compiler::ChipPlanes> Placement::chip(TensorId id) const {
  const auto found = held_.find(id);
  if (found == held_.end()) {
    return std::nullopt;
  }
  return compiler::ChipPlanes{found->second.rows.begin, found->second.plane};
}

/// Row ranges that tensors occupy during the layer, rounded outwards to multiples of `unit`, in order, with an empty
/// range at the end of the scratchpad.
std::vector<Range> Placement::taken(int layer, int unit) const {
  std::vector<Range> ranges;
  for (const TensorId id : on_chip_[static_cast<std::size_t>(layer)]) {
    const Range& rows = held_.at(id).rows;
    ranges.push_back({rows.begin / unit * unit, compiler::ceil_div(rows.end, unit) * unit});
  }
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  ranges.push_back({rows_, rows_});
  return ranges;
}

/// Lanes overlap, so that each has banks of its own.
Range Placement::rows_of_lane(std::size_t layer) const {
  if (lanes_.empty()) {
    return {0, rows_};
  }
  const int products = rows_ / compiler::kScratchBanks * kProductBanks;
  return lanes_[layer] == 0 ? Range{0, products} : Range{products, rows_};
}

/// Prefers banks of its own, where engines that access other tensors do not conflict; otherwise any free rows; -1 if
/// there are none.
int Placement::find_rows(int rows, const Range& within, int layer, bool from_top) const {
  const int in_banks = find_gap(rows, within, layer, from_top, rows_ / compiler::kScratchBanks);
  return in_banks >= 0 ? in_banks : find_gap(rows, within, layer, from_top, 1);
}

int Placement::find_gap(int rows, const Range& within, int layer, bool from_top, int unit) const {
  int found = -1;
  int free_from = within.begin;
  for (const Range& range : taken(layer, unit)) {
    const int end = std::min(range.begin, within.end);
    if (end - free_from >= rows) {
      if (!from_top) {
        return free_from;
      }
      found = (end - rows) / unit * unit;
    }
    free_from = std::max(free_from, range.end);
  }
  return found;
}

/// Whole banks, where loads and staged results do not conflict with the tensors, unless that would leave much unused.
Range Placement::workspace(int layer) const {
  const Range within = rows_of_lane(static_cast<std::size_t>(layer));
  const Range in_banks = largest_gap(layer, within, rows_ / compiler::kScratchBanks);
  const Range anywhere = largest_gap(layer, within, 1);
  return 2 * in_banks.size() >= anywhere.size() ? in_banks : anywhere;
}

Range Placement::largest_gap(int layer, const Range& within, int unit) const {
  Range best{within.begin, within.begin};
  int free_from = within.begin;
  for (const Range& range : taken(layer, unit)) {
    if (std::min(range.begin, within.end) - free_from > best.size()) {
      best = {free_from, std::min(range.begin, within.end)};
    }
    free_from = std::max(free_from, range.end);
  }
  return best;
}

std::optional<TensorId> Placement::largest(int layer) const {
  std::optional<TensorId> best;
  for (const TensorId id : on_chip_[static_cast<std::size_t>(layer)]) {
    const int rows = held_.at(id).rows.size();
    const int most = best ? held_.at(*best).rows.size() : 0;
    if (rows > most || (best && rows == most && id < *best)) {
      best = id;
    }
  }
  return best;
}

}  // namespace systole::network
