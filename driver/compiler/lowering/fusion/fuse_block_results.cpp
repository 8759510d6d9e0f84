// SPDX-License-Identifier: Apache-2.0
#include "fuse_block_results.hpp"

#include <algorithm>
#include <cstring>

#include "element_formulas.hpp"

namespace systole::network {
namespace {

/// The product's results, if it computes binary32 that may still change, and its output channels.
struct Results {
  compiler::BlockResults* of = nullptr;
  int channels = 0;
  bool adds_input = false;
  bool* adds_tensor = nullptr;
};

Results results_of(Layer& layer) {
  if (auto* conv = std::get_if<BlockConvLayer>(&layer.kind); conv != nullptr && !conv->results.blocks) {
    return {&conv->results, conv->filter.outputs, conv->adds_input, &conv->adds_tensor};
  }
  auto* product = std::get_if<BlockProductLayer>(&layer.kind);
  if (product == nullptr || product->result.first.size() != 1 || product->results.blocks) {
    return {};
  }
  return {&product->results, product->result.columns, product->adds_input, &product->adds_tensor};
}

bool adds(const KernelLayer& kernel) { return kernel.call.function != nullptr && is_sum(*kernel.call.function); }

class Fusion {
 public:
  explicit Fusion(SegmentContext& context)
      : context_(context), layers_(context.layers()), configuration_(context.configuration) {}

  std::int64_t run() {
    for (Layer& layer : layers_) {
      if (converts_whole(layer) && layer.output != graph::kNoTensor) {
        join_conversions(layer);
      }
    }
    for (Layer& layer : layers_) {
      const Results results = results_of(layer);
      while (results.of != nullptr && layer.output != graph::kNoTensor && fuse_next(layer, results)) {}
      if (results.of != nullptr && layer.output != graph::kNoTensor && !results.of->blocks) {
        leave_in_both_forms(layer, results);
      }
    }
    return fused_;
  }

 private:
  void join_conversions(const Layer& first) {
    for (Layer& other : layers_) {
      const auto* blocks = std::get_if<BlocksLayer>(&other.kind);
      if (&other == &first || !converts_whole(other) || other.output == graph::kNoTensor ||
          context_.wants(other.output) || other.inputs[0] != first.inputs[0] ||
          other.output_image != first.output_image || blocks->channels != std::get<BlocksLayer>(first.kind).channels ||
          blocks->windows || std::get<BlocksLayer>(first.kind).windows) {
        continue;
      }
      for (Layer& reader : layers_) {
        std::replace(reader.inputs.begin(), reader.inputs.end(), other.output, first.output);
      }
      other.output = graph::kNoTensor;
      ++fused_;
    }
  }

  /// Whether the layer that follows is now part of the product.
  bool fuse_next(Layer& layer, const Results& results) {
    Layer* next = context_.only_reader(layer.output);
    if (next == nullptr || results.of->blocks) {
      return false;
    }
    const auto* kernel = std::get_if<KernelLayer>(&next->kind);
    const auto* blocks = converts_whole(*next) ? std::get_if<BlocksLayer>(&next->kind) : nullptr;
    const bool fits = kernel != nullptr ? takes_bias(*kernel, results) || takes_limits(*kernel, results) ||
                                              takes_tensor(layer, *next, results)
                      : blocks != nullptr ? takes_blocks(*blocks, results)
                                          : false;
    if (!fits) {
      return false;
    }
    layer.output = next->output;
    layer.output_image = next->output_image;
    absorb_behind(layer, *next);
    ++fused_;
    return true;
  }

  /// An addition of one number to each channel, before any limits.
  static bool takes_bias(const KernelLayer& kernel, const Results& results) {
    const auto constant = kernel.constants.find(1);
    if (!adds(kernel) || results.adds_input || results.of->changes() || constant == kernel.constants.end()) {
      return false;
    }
    // A kernel's positions may hold several of the product's: their numbers must be the same for each.
    const graph::Bytes& bytes = constant->second.bytes;
    const std::size_t each = static_cast<std::size_t>(results.channels) * sizeof(float);
    if (bytes.size() % each != 0 ||
        !std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(each), bytes.end(), bytes.begin())) {
      return false;
    }
    results.of->bias.resize(static_cast<std::size_t>(results.channels));
    std::memcpy(results.of->bias.data(), bytes.data(), each);
    return true;
  }

  /// An addition, before any limits, of a tensor that is there before the product. Small results stay in the
  /// scratchpad, where the addition finds them.
  bool takes_tensor(Layer& layer, const Layer& next, const Results& results) const {
    const auto& kernel = std::get<KernelLayer>(next.kind);
    const bool limited = results.of->has_low() || results.of->has_high();
    if (!adds(kernel) || !kernel.constants.empty() || next.inputs.size() != 2 || !next.input_parts.empty() || limited ||
        *results.adds_tensor || is_small(layer.output_image, configuration_)) {
      return false;
    }
    const std::size_t other = next.inputs[0] == layer.output ? 1 : 0;
    const auto later = std::any_of(layers_.begin() + (&layer - layers_.data()), layers_.end(),
                                   [&](const Layer& made) { return made.makes(next.inputs[other]); });
    if (later || next.input_images[other].bytes() != layer.output_image.bytes()) {
      return false;
    }
    layer.inputs.push_back(next.inputs[other]);
    layer.input_images.push_back(next.input_images[other]);
    *results.adds_tensor = true;
    return true;
  }

  /// A function that only limits.
  static bool takes_limits(const KernelLayer& kernel, const Results& results) {
    const auto limits = kernel.call.function == nullptr ? std::nullopt : limits_of(*kernel.call.function);
    if (!limits || results.of->has_low() || results.of->has_high()) {
      return false;
    }
    results.of->low = limits->low;
    results.of->high = limits->high;
    return true;
  }

  /// Lanes beyond the last channel must be zeros.
  bool takes_blocks(const BlocksLayer& blocks, const Results& results) const {
    const bool zeros = results.of->low <= 0 && results.of->high >= 0;
    results.of->blocks =
        configuration_.dim >= kBlockElements && zeros && !blocks.windows && blocks.channels == results.channels;
    return results.of->blocks;
  }

  /// A conversion of what others read as well becomes part of the product.
  void leave_in_both_forms(Layer& layer, const Results& results) {
    const auto converts = [&](const Layer& reader) {
      const auto* blocks = std::get_if<BlocksLayer>(&reader.kind);
      return reader.output != graph::kNoTensor && converts_whole(reader) && reader.inputs[0] == layer.output &&
             takes_blocks(*blocks, results);
    };
    if (is_small(layer.output_image, configuration_)) {
      return;
    }
    const auto conversion = std::find_if(layers_.begin(), layers_.end(), converts);
    if (conversion == layers_.end()) {
      return;
    }
    layer.words_output = layer.output;
    layer.words_image = layer.output_image;
    layer.output = conversion->output;
    layer.output_image = conversion->output_image;
    conversion->output = graph::kNoTensor;
    ++fused_;
  }

  SegmentContext& context_;
  std::vector<Layer>& layers_;
  const Configuration& configuration_;
  std::int64_t fused_ = 0;
};

}  // namespace

std::int64_t fuse_block_results(SegmentContext& context) { return Fusion(context).run(); }

}  // namespace systole::network
