// SPDX-License-Identifier: Apache-2.0
#include "classify.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "compare.hpp"

namespace systole::digits {
namespace {

golden::Tensor8 to_golden(const HostTensor8& t) {
  return {golden::NhwcShape{t.batch, t.height, t.width, t.channels}, t.data};
}

/// Images [first, first + count) of a batch.
HostTensor8 part(const HostTensor8& tensor, int first, int count) {
  const std::size_t image = tensor.data.size() / static_cast<std::size_t>(tensor.batch);
  const auto at = [&](int i) {
    return tensor.data.begin() + static_cast<std::ptrdiff_t>(image * static_cast<std::size_t>(i));
  };
  return {count, tensor.height, tensor.width, tensor.channels, {at(first), at(first + count)}};
}

/// Compares pictures of one layer's output with the golden model; the message names the first picture of the part.
std::optional<std::string> compare(const Layer& layer, const HostTensor8& input, const HostTensor8& output,
                                   std::size_t first) {
  const auto difference = golden::difference(to_golden(reference(layer, input)), to_golden(output));
  if (!difference) {
    return std::nullopt;
  }
  return fmt::format("layer {}, pictures from {}: {}", layer.name, first, *difference);
}

/// Comparisons in progress, and their layers.
class Comparisons {
 public:
  Comparisons(const ClassifyOptions& options, std::vector<LayerOutcome>& layers)
      : threads_(static_cast<int>(options.golden_threads)), differs_(options.differs), layers_(layers) {}

  /// Starts a comparison, or runs it at once if there are no threads; input and output are shared with the threads.
  void start(std::size_t layer_index, const Layer& layer, std::shared_ptr<const HostTensor8> input,
             std::shared_ptr<const HostTensor8> output, std::size_t first_picture) {
    const int batch = input->batch;
    const int parts = std::clamp(threads_, 1, batch);
    for (int i = 0; i < parts; ++i) {
      const int from = batch * i / parts;
      const int count = batch * (i + 1) / parts - from;
      pending_.emplace_back(layer_index,
                            std::async(threads_ > 0 ? std::launch::async : std::launch::deferred, [=, &layer] {
                              return compare(layer, part(*input, from, count), part(*output, from, count),
                                             first_picture + static_cast<std::size_t>(from));
                            }));
    }
    if (threads_ == 0) {
      finish();
    }
  }

  void finish() {
    for (auto& [layer, future] : pending_) {
      if (const auto difference = future.get(); difference && layers_[layer].difference.empty()) {
        layers_[layer].difference = *difference;
        if (differs_) {
          differs_();
        }
      }
    }
    pending_.clear();
  }

 private:
  int threads_;
  std::function<void()> differs_;
  std::vector<LayerOutcome>& layers_;
  std::vector<std::pair<std::size_t, std::future<std::optional<std::string>>>> pending_;
};

}  // namespace

bool Outcome::bit_exact() const {
  return std::all_of(layers.begin(), layers.end(), [](const LayerOutcome& layer) { return layer.bit_exact(); });
}

Outcome classify(const RunLayer& run_layer, const Network& network, const Pictures& pictures,
                 const ClassifyOptions& options) {
  Outcome outcome;
  const std::size_t pictures_count = pictures.pixels.size();
  for (const Layer& layer : network.layers) {
    outcome.layers.push_back({layer.name, layer.output_shape, {}, 0, {}});
  }
  Comparisons comparisons(options, outcome.layers);
  const std::size_t most = std::max<std::size_t>(1, options.batch);
  for (std::size_t first = 0; first < pictures_count; first += most) {
    const std::size_t count = std::min(most, pictures_count - first);
    auto values = std::make_shared<const HostTensor8>(as_input(network, pictures, first, count));
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      const Layer& layer = network.layers[i];
      const auto input = std::make_shared<const HostTensor8>(shaped(*values, layer.input_shape));
      auto computed = run_layer(layer, *input, first / most);
      computed.stats.useful_macs = layer.macs() * count;
      outcome.layers[i].stats += computed.stats;
      values = std::make_shared<const HostTensor8>(std::move(computed.tensor));
      outcome.layers[i].values += values->data.size();
      comparisons.start(i, layer, input, values, first);
    }
    comparisons.finish();
    const std::vector<int> answers = answers_of(*values);
    outcome.answers.insert(outcome.answers.end(), answers.begin(), answers.end());
  }
  return outcome;
}

Outcome classify(Device& device, const Network& network, const Pictures& pictures, const ClassifyOptions& options) {
  return classify(
      [&](const Layer& layer, const HostTensor8& input, std::size_t batch) {
        RunOptions run = options.run;
        run.name = layer.name;
        if (options.progress) {
          run.progress = options.progress(layer.name, batch);
        }
        return offload(device, layer, input, run);
      },
      network, pictures, options);
}

}  // namespace systole::digits
