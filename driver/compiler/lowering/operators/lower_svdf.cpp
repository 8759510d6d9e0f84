// SPDX-License-Identifier: Apache-2.0
#include "lower_svdf.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "bytes.hpp"
#include "constant_weights.hpp"
#include "quantized_values.hpp"
#include "refused.hpp"
#include "systole/execute.hpp"
#include "tensor.hpp"

namespace systole::network {
namespace {

using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::Svdf;
using graph::Tensor;

constexpr int kWord = 4;  // bytes of a feature

class Lowering {
 public:
  Lowering(const Graph& graph, const Operator& op, const Svdf& svdf)
      : graph_(graph),
        op_(op),
        rank_(static_cast<std::size_t>(svdf.rank)),
        units_(static_cast<std::size_t>(tensor(Svdf::kFeatureWeights).shape[0]) / rank_),
        inputs_(static_cast<std::size_t>(tensor(0).shape[1])),
        batches_(static_cast<std::size_t>(tensor(0).shape[0])),
        memory_(static_cast<std::size_t>(tensor(Svdf::kTimeWeights).shape[1])) {}

  std::vector<Layer> run() {
    require(!tensor(0).constant, "a constant operand");
    for (std::size_t i = 1; i < op_.inputs.size(); ++i) {
      require(op_.inputs[i] == graph::kNoTensor || tensor(i).constant != nullptr,
              "weights, a bias or a state that are not constant");
    }
    return {features(), result()};
  }

 private:
  const Tensor& tensor(std::size_t i) const { return graph_.tensor(op_.inputs.at(i)); }
  float scale(std::size_t i) const { return tensor(i).quantization->scale.at(0); }
  std::int32_t state_zero_point() const { return tensor(Svdf::kState).quantization->zero_point.at(0); }

  static Image rows(std::size_t rows, std::size_t elements, int bytes) {
    return {1, 1, static_cast<int>(rows), static_cast<int>(elements) * bytes, bytes};
  }

  /// The filter of a unit that is number `of_unit` of its features.
  std::size_t filter(std::size_t unit, std::size_t of_unit) const { return unit * rank_ + of_unit; }

  /// All first features of the units, then all second ones, and so on.
  Layer features() const {
    ConvLayer conv;
    conv.raw = true;
    conv.options.input_zero_point = graph::zero_point_of(tensor(0));
    const auto weights = shared_bytes(tensor(Svdf::kFeatureWeights));
    graph::Bytes in_order;
    for (std::size_t of_unit = 0; of_unit < rank_; ++of_unit) {
      for (std::size_t unit = 0; unit < units_; ++unit) {
        const auto first = weights->begin() + static_cast<std::ptrdiff_t>(filter(unit, of_unit) * inputs_);
        in_order.insert(in_order.end(), first, first + static_cast<std::ptrdiff_t>(inputs_));
      }
    }
    conv.weights = std::make_shared<const graph::Bytes>(std::move(in_order));
    Layer layer;
    layer.name = op_.name + "/features";
    layer.kind = std::move(conv);
    layer.inputs = {op_.inputs[0]};
    layer.input_images = {rows(batches_, inputs_, 1)};
    layer.output = between_layers(op_.outputs[0], 0);
    layer.output_image = rows(batches_, rank_ * units_, kWord);
    layer.macs = graph::useful_macs(graph_, op_);
    return layer;
  }

  Layer result() const {
    const QuantParam to_state =
        quantize_multiplier(double{scale(0) * scale(Svdf::kFeatureWeights) / scale(Svdf::kState)});
    const Tensor& output = graph_.tensor(op_.outputs[0]);
    const QuantParam to_result =
        quantize_multiplier(double{scale(Svdf::kState) * scale(Svdf::kTimeWeights) / output.quantization->scale.at(0)});
    const bool wide = tensor(Svdf::kState).type == ElementType::kInt16;
    const std::int32_t least = wide ? -32768 : -128;
    KernelLayer kernel{{"svdf"}};
    kernel.call.by_block = true;
    kernel.call.table.emplace();
    std::size_t word = 0;
    for (const std::int32_t value :
         {to_state.multiplier, to_state.shift, least - state_zero_point(), -least - 1 - state_zero_point(),
          to_result.multiplier, to_result.shift, graph::zero_point_of(output)}) {
      kernel.call.table->at(word++) = static_cast<std::uint32_t>(value);
    }
    kernel.constants = {{1, new_weights()}, {2, sums_of_past()}};
    Layer layer;
    layer.name = op_.name;
    layer.kind = std::move(kernel);
    layer.inputs = {between_layers(op_.outputs[0], 0)};
    layer.input_images = {rows(batches_ * rank_, units_, kWord)};
    layer.output = op_.outputs[0];
    layer.output_image = rows(batches_, units_, 1);
    return layer;
  }

  /// Elements of int8 or int16.
  std::vector<std::int32_t> values(std::size_t i) const {
    const graph::Value value = graph::constant_value(tensor(i));
    if (value.type == ElementType::kInt16) {
      const std::vector<std::int16_t> elements = graph::elements<std::int16_t>(value);
      return {elements.begin(), elements.end()};
    }
    const std::vector<std::int8_t> elements = graph::elements<std::int8_t>(value);
    return {elements.begin(), elements.end()};
  }

  /// The weights of the features that enter the state, for each batch.
  ConstantOperand new_weights() const {
    const std::vector<std::int32_t> weights = values(Svdf::kTimeWeights);
    std::vector<std::int32_t> words;
    for (std::size_t batch = 0; batch < batches_; ++batch) {
      for (std::size_t of_unit = 0; of_unit < rank_; ++of_unit) {
        for (std::size_t unit = 0; unit < units_; ++unit) {
          words.push_back(weights[(filter(unit, of_unit) + 1) * memory_ - 1]);
        }
      }
    }
    return {bytes_of_words(words), rows(batches_ * rank_, units_, kWord)};
  }

  /// The bias, and what the rest of the state contributes: its elements move one step towards the past.
  ConstantOperand sums_of_past() const {
    const std::vector<std::int32_t> weights = values(Svdf::kTimeWeights), state = values(Svdf::kState);
    std::vector<std::int32_t> bias(units_, 0);
    if (op_.inputs.size() > Svdf::kBias && op_.inputs[Svdf::kBias] != graph::kNoTensor) {
      bias = graph::elements<std::int32_t>(graph::constant_value(tensor(Svdf::kBias)));
    }
    std::vector<std::int32_t> words;
    for (std::size_t batch = 0; batch < batches_; ++batch) {
      const std::int32_t* past = &state[batch * units_ * rank_ * memory_];
      for (std::size_t unit = 0; unit < units_; ++unit) {
        std::int64_t sum = bias[unit];
        for (std::size_t i = filter(unit, 0) * memory_; i < filter(unit + 1, 0) * memory_; ++i) {
          sum += (i + 1) % memory_ == 0 ? 0 : std::int64_t{past[i + 1] - state_zero_point()} * weights[i];
        }
        words.push_back(golden::wrap_to_int32(sum));
      }
    }
    return {bytes_of_words(words), rows(batches_, units_, kWord)};
  }

  const Graph& graph_;
  const Operator& op_;
  const std::size_t rank_, units_, inputs_, batches_, memory_;
};

}  // namespace

std::vector<Layer> lower_svdf(const Graph& graph, const Operator& op, const Svdf& svdf) {
  return Lowering(graph, op, svdf).run();
}

}  // namespace systole::network
