// SPDX-License-Identifier: Apache-2.0
#include "fuse_second_results.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "fused_elements.hpp"

namespace systole::network {
namespace {

using graph::TensorId;

class SecondResults {
 public:
  SecondResults(std::vector<Layer>& layers, const std::vector<TensorId>& wanted, const graph::IndexedGraph& graph)
      : layers_(layers), wanted_(wanted), graph_(graph) {}

  /// How many there are now.
  int run() {
    int fused = 0;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const auto* kernel = is_elementwise(layers_[i]) && wanted(layers_[i].output)
                               ? std::get_if<KernelLayer>(&layers_[i].kind)
                               : nullptr;
      if (kernel == nullptr || kernel->call.kernel != kFused) {
        continue;
      }
      for (const TensorId id : layers_[i].inputs) {
        if (wanted(id) && fuse(id, i)) {
          --i;  // it has the place of what was before it
          ++fused;
          break;
        }
      }
    }
    return fused;
  }

 private:
  bool wanted(TensorId id) const { return std::find(wanted_.begin(), wanted_.end(), id) != wanted_.end(); }

  static bool is_elementwise(const Layer& layer) {
    const auto* kernel = std::get_if<KernelLayer>(&layer.kind);
    return kernel != nullptr && kernel->elementwise && layer.operators.size() == 1 &&
           layer.words_output == graph::kNoTensor;
  }

  /// Whether there was room for all that the two layers compute.
  static bool reads_only(const ElementChain& chain, std::vector<TensorId> inputs, const std::vector<TensorId>& more) {
    inputs.insert(inputs.end(), more.begin(), more.end());
    const auto is_input = [&](TensorId id) { return std::find(inputs.begin(), inputs.end(), id) != inputs.end(); };
    return std::all_of(chain.tensors.begin(), chain.tensors.end(), is_input) &&
           std::all_of(chain.numbers.begin(), chain.numbers.end(), is_input);
  }

  /// Whether layer number `at` now computes the tensor, too. Nothing may read it before.
  bool fuse(TensorId id, std::size_t at) {
    const auto end = layers_.begin() + static_cast<std::ptrdiff_t>(at);
    const auto made = std::find_if(layers_.begin(), end, [&](const Layer& layer) { return layer.output == id; });
    const auto reads = [&](const Layer& layer) {
      return std::find(layer.inputs.begin(), layer.inputs.end(), id) != layer.inputs.end();
    };
    if (made == end || !is_elementwise(*made) || std::any_of(made, end, reads)) {
      return false;
    }
    const auto chain = element_chain(graph_, graph_.op(static_cast<std::size_t>(end->operators[0])), id);
    if (!chain || !reads_only(*chain, made->inputs, end->inputs)) {
      return false;
    }
    Layer both = std::move(layers_of(graph_, *chain).front());
    both.words_output = id;
    both.words_image = both.output_image;
    both.operators = {made->operators[0], end->operators[0]};
    *end = std::move(both);
    layers_.erase(made);
    return true;
  }

  std::vector<Layer>& layers_;
  const std::vector<TensorId>& wanted_;
  const graph::IndexedGraph& graph_;
};

}  // namespace

std::int64_t fuse_second_results(SegmentContext& context) {
  return SecondResults(context.layers(), context.wanted(), context.graph).run();
}

}  // namespace systole::network
