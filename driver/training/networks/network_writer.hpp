// SPDX-License-Identifier: Apache-2.0
// Layers with parameters. Weights are drawn uniformly from a seeded generator whose numbers do not depend on the
// library: He's bound, sqrt(6 / inputs), before ReLU and GELU, Glorot's, sqrt(6 / (inputs + outputs)), elsewhere.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "trainable_network.hpp"

namespace systole::training {

enum class Initial { kHe, kGlorot };

/// What a batch normalization takes besides its operand.
struct BatchNormalization {
  TensorId scale, bias, mean, variance;  ///< [C]; mean and variance are parameters if they move
  double epsilon = 1e-5, momentum = 0.9;
};

class NetworkWriter : public GraphBuilder {
 public:
  /// `micro_batch`: dropout takes the batch's index of the first sample, too. `prefix` is that of GraphBuilder.
  NetworkWriter(Network& network, std::uint64_t seed, bool micro_batch, std::string prefix = "forward")
      : GraphBuilder(network.graph, std::move(prefix)), network_(network), random_(seed), micro_batch_(micro_batch) {}

  /// Uniform in -bound .. bound.
  TensorId drawn(const std::string& name, const Shape& shape, double bound);
  TensorId filled(const std::string& name, const Shape& shape, float value);

  /// `outputs` channels by a square kernel, without padding, with bias.
  TensorId convolution(const std::string& name, TensorId x, std::int64_t outputs, int kernel, int stride,
                       Initial initial);
  TensorId dense(const std::string& name, TensorId x, std::int64_t outputs, Initial initial);
  TensorId layer_normalization(const std::string& name, TensorId x);
  /// With new parameters.
  TensorId batch_normalization(const std::string& name, TensorId x, bool by_batch);
  /// Of each channel, the last axis, in the network's type. If `by_batch`, by the mean and variance of the batch, which
  /// move the running ones; else by these, as a factor and a summand. The running variance moves towards that of all
  /// samples as the batch's lets expect it, n / (n - 1) of its own (Ioffe and Szegedy, "Batch Normalization", algorithm
  /// 2). Throws GraphError for a batch of one value per channel, and for statistics that have moved already.
  TensorId batch_normalization(const BatchNormalization& norm, TensorId x, bool by_batch);
  /// Declares the inputs that dropout needs at its first use.
  TensorId dropped(TensorId x, double rate);
  TensorId relu(TensorId x) { return unary(graph::UnaryKind::kRelu, x); }
  TensorId max_pool(TensorId x, int size);

 private:
  TensorId parameter(const std::string& name, const graph::Value& value);
  TensorId weights(const std::string& name, const Shape& shape, Initial initial, std::int64_t outputs);
  /// The statistic after the step: `momentum` of itself and the rest of `now`.
  void move(TensorId statistic, TensorId now, double momentum);

  Network& network_;
  std::mt19937_64 random_;
  const bool micro_batch_;
  std::uint32_t dropouts_ = 0;
};

}  // namespace systole::training
