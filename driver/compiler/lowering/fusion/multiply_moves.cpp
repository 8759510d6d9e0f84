// SPDX-License-Identifier: Apache-2.0
#include "multiply_moves.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "moves.hpp"

namespace systole::network {
namespace {

using Sources = std::vector<std::int32_t>;

constexpr int kMostSide = 32767;  // of an image that is convolved

/// The channel of the operand that is each channel of the result, at every position.
using Channels = std::vector<std::int32_t>;

/// A product, and the images in which it sees operand and result.
struct Product {
  ConvLayer conv;
  Image input, output;
  std::int64_t cycles = 0;  ///< of the array, or of loading the weights if that takes longer
};

/// If the channels of each position are some of those of the operand's.
std::optional<Channels> picked_channels(const Sources& sources, const Image& input, const Image& output) {
  const auto results = static_cast<std::size_t>(output.channels);
  const std::int64_t positions = output.bytes() / output.channels, channels = input.bytes() / positions;
  if (input.bytes() != positions * channels) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::int64_t channel = sources[i % results];
    if (channel >= channels || sources[i] != static_cast<std::int64_t>(i / results) * channels + channel) {
      return std::nullopt;
    }
  }
  return Channels(sources.begin(), sources.begin() + static_cast<std::ptrdiff_t>(results));
}

std::optional<Product> of_channels(const Channels& picked, const Image& input, const Image& output, int dim) {
  constexpr std::size_t kMostChannels = 1024;  // whose weights are a megabyte
  const auto channels =
      static_cast<std::size_t>(input.bytes()) * picked.size() / static_cast<std::size_t>(output.bytes());
  if (channels > kMostChannels || picked.size() > kMostChannels) {
    return std::nullopt;
  }
  Product product;
  product.input = product.output = output;
  product.input.channels = static_cast<int>(channels);
  graph::Bytes weights(channels * picked.size(), 0);
  std::set<std::pair<int, int>> tiles;
  for (std::size_t i = 0; i < picked.size(); ++i) {
    weights[i * channels + static_cast<std::size_t>(picked[i])] = 1;
    tiles.insert({static_cast<int>(i) / dim, picked[i] / dim});
  }
  std::int64_t loaded = 0;  // from the first to the last tile of a column that is not of zeros
  for (auto tile = tiles.begin(); tile != tiles.end();) {
    const auto next = tiles.upper_bound({tile->first, std::numeric_limits<int>::max()});
    loaded += std::prev(next)->second - tile->second + 1;
    tile = next;
  }
  product.conv.weights = std::make_shared<const graph::Bytes>(std::move(weights));
  product.cycles = std::max(output.bytes() / output.channels * static_cast<std::int64_t>(tiles.size()), loaded * dim);
  return product;
}

/// If each plane of the operand becomes a channel: DIM positions of a plane are channels of an image whose lines are
/// the planes, and a window of all lines is what a position of the product combines.
std::optional<Product> of_planes(const Sources& sources, int dim) {
  constexpr std::int64_t kMostPlanes = 16;
  const auto bytes = static_cast<std::int64_t>(sources.size()), positions = std::int64_t{sources[1]};
  if (bytes < 2 || sources[0] != 0 || positions <= 0 || bytes % positions != 0 || positions % dim != 0) {
    return std::nullopt;
  }
  const std::int64_t planes = bytes / positions;
  if (planes < 2 || planes > kMostPlanes) {
    return std::nullopt;
  }
  for (std::int64_t i = 0; i < bytes; ++i) {
    if (sources[static_cast<std::size_t>(i)] != i % planes * positions + i / planes) {
      return std::nullopt;
    }
  }
  const auto lanes = static_cast<std::size_t>(dim), channels = static_cast<std::size_t>(planes);
  Product product;
  product.input = {1, static_cast<int>(planes), static_cast<int>(positions / dim), dim};
  product.output = {1, 1, product.input.width, dim * product.input.height};
  product.conv.options.window.kernel_h = product.input.height;
  graph::Bytes weights(lanes * channels * channels * lanes, 0);
  for (std::size_t position = 0; position < lanes; ++position) {
    for (std::size_t plane = 0; plane < channels; ++plane) {
      weights[((position * channels + plane) * channels + plane) * lanes + position] = 1;
    }
  }
  product.conv.weights = std::make_shared<const graph::Bytes>(std::move(weights));
  product.cycles = std::max(positions / dim, std::int64_t{dim}) * planes * planes;
  return product;
}

/// Elements in another order, those of the result for each of `picked`; `each` belong together.
template <class Element>
std::vector<Element> in_order(const std::vector<Element>& elements, const Channels& picked, std::size_t each) {
  std::vector<Element> result;
  for (const std::int32_t channel : picked) {
    const auto first = elements.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(channel) * each);
    result.insert(result.end(), first, first + static_cast<std::ptrdiff_t>(each));
  }
  return result;
}

class Moves {
 public:
  explicit Moves(SegmentContext& context) : context_(context) {}

  std::int64_t run() {
    std::int64_t applied = 0;
    for (Layer& layer : context_.layers()) {
      if (!is_of_bytes(layer) || context_.stays_plain(layer)) {
        continue;
      }
      if (const auto sources = byte_sources(layer)) {
        const auto picked = picked_channels(*sources, layer.input_images[0], layer.output_image);
        applied += (picked && order_weights(layer, *picked)) || multiply(layer, *sources, picked) ? 1 : 0;
      }
    }
    return applied;
  }

 private:
  static bool is_of_bytes(const Layer& layer) {
    return std::holds_alternative<MoveLayer>(layer.kind) && layer.inputs.size() == 1 &&
           layer.output_image.element_bytes == 1 && layer.input_images[0].element_bytes == 1 &&
           layer.output_image.bytes() > 1;
  }

  /// The convolution before computes its channels in another order.
  bool order_weights(Layer& layer, const Channels& picked) {
    Layer* maker = context_.sole_maker(layer.inputs[0]);
    auto* conv = maker == nullptr ? nullptr : std::get_if<ConvLayer>(&maker->kind);
    if (conv == nullptr || conv->options.groups != 1 || conv->parts != 1 || conv->add || conv->raw) {
      return false;
    }
    const auto channels = static_cast<std::size_t>(maker->output_image.channels);
    if (picked.size() != channels || std::set(picked.begin(), picked.end()).size() != channels ||
        layer.output_image.bytes() != maker->output_image.bytes()) {
      return false;
    }
    conv->weights =
        std::make_shared<const graph::Bytes>(in_order(*conv->weights, picked, conv->weights->size() / channels));
    if (!conv->bias.empty()) {
      conv->bias = in_order(conv->bias, picked, 1);
    }
    if (conv->requantize.scale.size() > 1) {
      conv->requantize.scale = in_order(conv->requantize.scale, picked, 1);
    }
    maker->output = layer.output;
    absorb_behind(*maker, layer);
    return true;
  }

  bool multiply(Layer& layer, const Sources& sources, const std::optional<Channels>& picked) {
    const int dim = context_.configuration.dim;
    const bool whole = layer.input_images[0].bytes() == layer.output_image.bytes();
    auto product = picked  ? of_channels(*picked, layer.input_images[0], layer.output_image, dim)
                   : whole ? of_planes(sources, dim)
                           : std::nullopt;
    if (!product || product->cycles >= transfers(std::get<MoveLayer>(layer.kind)) ||
        std::max(product->input.height, product->input.width) > kMostSide) {
      return false;
    }
    product->conv.bias.assign(static_cast<std::size_t>(product->output.channels), 0);
    layer.kind = std::move(product->conv);
    layer.input_images[0] = product->input;
    layer.output_image = product->output;
    return true;
  }

  SegmentContext& context_;
};

}  // namespace

std::int64_t multiply_moves(SegmentContext& context) { return Moves(context).run(); }

}  // namespace systole::network
