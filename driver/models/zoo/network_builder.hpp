// SPDX-License-Identifier: Apache-2.0
// Builds quantized graphs layer by layer. Weights and bias are random; scales are chosen so that results fill the range
// of int8 at any depth, so that a wrong bit is visible.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "graph_builder.hpp"

namespace systole::zoo {

using graph::TensorId;

/// Padding at the border of an image.
enum class Border {
  kSame,       ///< results of size / stride, rounded up; padding distributed as in TensorFlow
  kValid,      ///< none
  kSymmetric,  ///< (kernel - 1) / 2 on every side
  kCeil,       ///< at the end, what a last window needs that is not whole: sizes rounded up, as in Caffe
};

/// A kernel that slides over images [N,H,W,C], with its padding.
Window window(const graph::Shape& from, int kernel_h, int kernel_w, int stride, Border border);
/// The shape of its results, of `channels` channels.
graph::Shape slid(const graph::Shape& from, const Window& s, std::int64_t channels);

class NetworkBuilder : private graph::GraphBuilder {
 public:
  NetworkBuilder(std::string name, std::uint64_t seed) : GraphBuilder(std::move(name)), random_(seed) {}

  /// An input of the graph, one sample.
  TensorId input(const graph::Shape& shape);
  /// An input of float32, a picture [1,3,side,side] as ONNX files have it, as int8 [1,side,side,3].
  TensorId float_picture(std::int64_t side);

  /// Names consist of the kind and a running number.
  TensorId conv(TensorId from, int channels, int kernel_h, int kernel_w, int stride, Border border,
                Activation activation);
  TensorId conv(TensorId from, int channels, int kernel, int stride, Border border, Activation activation) {
    return conv(from, channels, kernel, kernel, stride, border, activation);
  }
  /// A 1x1 convolution of each of `groups` groups of channels.
  TensorId grouped(TensorId from, int channels, int groups, Activation activation);
  TensorId depthwise(TensorId from, int kernel, int stride, Activation activation);
  TensorId dense(TensorId from, int outputs, Activation activation);
  TensorId add(TensorId lhs, TensorId rhs, Activation activation);
  TensorId max_pool(TensorId from, int kernel, int stride, Border border);
  TensorId average_pool(TensorId from, int kernel, int stride, Border border);
  TensorId global_average_pool(TensorId from);
  /// The first and the second half of the channels.
  std::pair<TensorId, TensorId> halves(TensorId from);
  /// Concatenates along the axis, the channels if it is -1.
  TensorId concat(const std::vector<TensorId>& parts, int axis = -1);
  TensorId concat(TensorId first, TensorId second, int axis = -1) { return concat(std::vector{first, second}, axis); }
  /// The channels of all groups, one of each in turn: a file's [N,C,H,W] is [N,groups,C/groups,H,W], whose axes 1 and 2
  /// are exchanged.
  TensorId shuffle(TensorId from, int groups);
  /// x / (1 + 1e-4 / 5 * sum of squares of five neighbouring channels)^0.75, computed in float32.
  TensorId local_response(TensorId from);
  /// Of two computed matrices [..., M, K] and [..., K, N], or [..., N, K] if transposed.
  TensorId product(TensorId a, TensorId b, bool transpose_b = false);
  TensorId transpose(TensorId from, std::vector<int> permutation);
  TensorId slice(TensorId from, std::vector<std::int64_t> begin, const graph::Shape& shape);
  TensorId gelu(TensorId from);
  TensorId layer_norm(TensorId from);
  /// A constant with the same quantization.
  TensorId constant_like(TensorId from, const graph::Shape& shape);
  /// Gives the result of the last operator the zero point 0; returns it.
  TensorId symmetric(TensorId from);
  TensorId flatten(TensorId from);
  TensorId reshape(TensorId from, const graph::Shape& shape);
  TensorId softmax(TensorId from, float beta = 1);

  /// The graph, with `output` as its result. The builder is empty afterwards.
  graph::Graph finish(TensorId output) { return GraphBuilder::finish({output}); }

 private:
  std::string operator_name(const std::string& origin) override;
  std::string result_name(const graph::Operator&, std::size_t) override { return constant_name(); }
  std::string constant_name() override;

  TensorId weights(const graph::Shape& shape, int taps, const std::string& name);
  TensorId bias(int channels, float scale, const std::string& name);
  TensorId weighted(TensorId from, TensorId weights, graph::OperatorKind kind, const char* origin,
                    Activation activation);
  TensorId append(const char* origin, graph::OperatorKind kind, std::vector<TensorId> inputs, graph::Tensor result,
                  graph::Arithmetic arithmetic = graph::Arithmetic::kTfLite);
  TensorId pool(const char* origin, graph::PoolKind kind, TensorId from, const Window& window);
  graph::Tensor like(TensorId from, const graph::Shape& shape = {}) const;

  std::mt19937_64 random_;
};

}  // namespace systole::zoo
