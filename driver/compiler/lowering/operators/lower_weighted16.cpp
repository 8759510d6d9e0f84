// SPDX-License-Identifier: Apache-2.0
#include "lower_weighted16.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "constant_weights.hpp"
#include "int16.hpp"
#include "refused.hpp"
#include "requantize_wide.hpp"
#include "scales.hpp"
#include "systole/execute.hpp"

namespace systole::network {
namespace {

using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::Tensor;
using graph::TensorId;

constexpr int kWord = 4;  // bytes of a sum
constexpr int kByteBits = 8;
constexpr std::int64_t kMostActivation = 32768;
constexpr std::int64_t kMostWeights = std::int64_t{1} << 22;  // of a channel, in sum: those times a byte have 31 bits
constexpr std::int64_t kMostBias = std::int64_t{1} << 38;

class Lowering {
 public:
  Lowering(const Graph& graph, const Operator& op)
      : graph_(graph), op_(op), outputs_(static_cast<std::size_t>(tensor(1).shape.at(0))) {}

  std::vector<Layer> run() {
    require(op_.arithmetic == graph::Arithmetic::kTfLite, "activations of 16 bits in ONNX's arithmetic");
    require_type(output(), {ElementType::kInt16}, "operands and result of one width");
    require(!tensor(0).constant, "a constant operand");
    require(tensor(1).constant != nullptr && tensor(1).type == ElementType::kInt8,
            "weights that are not constant int8");
    conv_.weights = shared_bytes(tensor(1));
    conv_.raw = true;
    Activation activation = Activation::kNone;
    if (const auto* conv = std::get_if<graph::Conv2d>(&op_.kind)) {
      require_sizes(conv->window);
      conv_.options.window = conv->window;
      conv_.options.groups = conv->groups;
      activation = conv->activation;
    } else {
      activation = std::get<graph::Dense>(op_.kind).activation;
    }
    read_bias();
    const TensorId high = split("high", 0, ByteOf16::kHigh);
    const TensorId low = split("low", 1, ByteOf16::kLow);
    const TensorId high_sums = product("high", high, 2, 0);
    const TensorId low_sums = product("low", low, 3, kLowZeroPoint);
    layers_[2].macs = graph::useful_macs(graph_, op_);
    requantize(high_sums, low_sums, graph::clamp16_of(activation, output()));
    return std::move(layers_);
  }

 private:
  const Tensor& tensor(std::size_t i) const { return graph_.tensor(op_.inputs.at(i)); }
  const Tensor& output() const { return graph_.tensor(op_.outputs[0]); }

  /// With elements of `bytes`. The rows of a fully connected layer are the pixels of one image row.
  Image image(const Tensor& tensor, int bytes) const {
    Image image = image_of(tensor);
    if (std::holds_alternative<graph::Dense>(op_.kind)) {
      image = {1, 1, image.batch * image.height * image.width, image.channels, image.element_bytes};
    }
    const std::int64_t channels = std::int64_t{image.channels} / image.element_bytes * bytes;
    require(image.bytes() / image.channels * channels <= std::numeric_limits<std::int32_t>::max(),
            "sums of more than 2^31 - 1 bytes");
    image.channels = static_cast<int>(channels);
    image.element_bytes = bytes;
    return image;
  }

  void read_bias() {
    bias_.assign(outputs_, 0);
    if (op_.inputs.size() < 3 || op_.inputs[2] == graph::kNoTensor) {
      return;
    }
    const Tensor& bias = tensor(2);
    require(bias.constant != nullptr, "a bias that is not constant");
    const graph::Value value = graph::constant_value(bias);
    narrow_ = bias.type == ElementType::kInt32;
    if (narrow_) {
      const std::vector<std::int32_t> words = graph::elements<std::int32_t>(value);
      bias_.assign(words.begin(), words.end());
    } else {
      bias_ = graph::elements<std::int64_t>(value);
    }
    require(std::all_of(bias_.begin(), bias_.end(), [](std::int64_t b) { return std::abs(b) <= kMostBias; }),
            "a bias of more than 2^38");
  }

  /// The layer that makes int8 of one byte of the activations.
  TensorId split(const char* which, int number, ByteOf16 byte) {
    Layer layer;
    layer.name = op_.name + "/" + which;
    layer.kind = KernelLayer{byte_call(byte), true};
    layer.inputs = {op_.inputs[0]};
    layer.input_images = {image(tensor(0), 2)};
    layer.output = between_layers(op_.outputs[0], number);
    layer.output_image = image(tensor(0), 1);
    layers_.push_back(std::move(layer));
    return layers_.back().output;
  }

  /// The layer that multiplies it with the weights; the bias, too, is split.
  TensorId product(const char* which, TensorId input, int number, int zero_point) {
    Layer layer;
    layer.name = op_.name + "/" + which + " sums";
    ConvLayer conv = conv_;
    conv.options.input_zero_point = zero_point;
    for (const std::int64_t bias : bias_) {
      conv.bias.push_back(static_cast<std::int32_t>(zero_point == 0 ? bias >> kByteBits : bias & 0xFF));
    }
    layer.kind = std::move(conv);
    layer.inputs = {input};
    layer.input_images = {image(tensor(0), 1)};
    layer.output = between_layers(op_.outputs[0], number);
    layer.output_image = image(output(), kWord);
    layers_.push_back(std::move(layer));
    return layers_.back().output;
  }

  void requantize(TensorId high, TensorId low, const golden::Clamp16& clamp) {
    const std::vector<QuantParam> scales = scales_of_channels();
    std::vector<ScaledChannel> channels;
    for (std::size_t channel = 0; channel < outputs_; ++channel) {
      channels.push_back({scales[scales.size() == 1 ? 0 : channel], most_sum(channel)});
    }
    Layer layer;
    layer.name = op_.name;
    layer.kind = narrow_ ? requantize_narrow(channels, clamp) : requantize_wide(channels, clamp);
    layer.inputs = {high, low};
    layer.input_images = {image(output(), kWord), image(output(), kWord)};
    layer.output = op_.outputs[0];
    layer.output_image = image(output(), 2);
    layers_.push_back(std::move(layer));
  }

  /// Scales of several channels are multiplied in double, a fully connected layer's single scale in float32.
  std::vector<QuantParam> scales_of_channels() const {
    const float input = graph::scale_of(tensor(0)), result = graph::scale_of(output());
    const std::vector<float>& weights = tensor(1).quantization->scale;
    return std::holds_alternative<graph::Dense>(op_.kind) && weights.size() == 1
               ? std::vector<QuantParam>{golden::dense_scale(input, weights[0], result)}
               : golden::convolution_scales(input, weights, result);
  }

  /// The greatest size of a sum.
  std::int64_t most_sum(std::size_t channel) const {
    const std::size_t depth = conv_.weights->size() / outputs_;
    std::int64_t sum = 0;
    for (std::size_t i = channel * depth; i < (channel + 1) * depth; ++i) {
      sum += std::abs(int{static_cast<std::int8_t>((*conv_.weights)[i])});
    }
    require(sum <= kMostWeights, "weights of a channel whose sizes add up to more than 2^22");
    return kMostActivation * sum + std::abs(bias_[channel]);
  }

  const Graph& graph_;
  const Operator& op_;
  const std::size_t outputs_;
  ConvLayer conv_;
  std::vector<std::int64_t> bias_;
  bool narrow_ = false;  ///< sums of 32 bits, which wrap
  std::vector<Layer> layers_;
};

}  // namespace

std::vector<Layer> lower_weighted16(const Graph& graph, const Operator& op) { return Lowering(graph, op).run(); }

}  // namespace systole::network
