// SPDX-License-Identifier: Apache-2.0
// Layers with parameters. Weights are drawn uniformly from a seeded generator whose numbers do not depend on the
// library: He's bound, sqrt(6 / inputs), before ReLU and GELU, Glorot's, sqrt(6 / (inputs + outputs)), elsewhere.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "trainable_network.hpp"

namespace systole::training {

enum class Initial { kHe, kGlorot };

class NetworkWriter : public GraphBuilder {
 public:
  /// `micro_batch`: dropout takes the batch's index of the first sample, too.
  NetworkWriter(Network& network, std::uint64_t seed, bool micro_batch)
      : GraphBuilder(network.graph, "forward"), network_(network), random_(seed), micro_batch_(micro_batch) {}

  /// Uniform in -bound .. bound.
  TensorId drawn(const std::string& name, const Shape& shape, double bound);
  TensorId filled(const std::string& name, const Shape& shape, float value);

  /// `outputs` channels by a square kernel, without padding, with bias.
  TensorId convolution(const std::string& name, TensorId x, std::int64_t outputs, int kernel, int stride,
                       Initial initial);
  TensorId dense(const std::string& name, TensorId x, std::int64_t outputs, Initial initial);
  TensorId layer_normalization(const std::string& name, TensorId x);
  /// By the mean and variance of the batch while training, which move the running ones; else by the running ones.
  TensorId batch_normalization(const std::string& name, TensorId x, bool training);
  /// Declares the inputs that dropout needs at its first use.
  TensorId dropped(TensorId x, double rate);
  TensorId relu(TensorId x) { return unary(graph::UnaryKind::kRelu, x); }
  TensorId max_pool(TensorId x, int size);

 private:
  TensorId parameter(const std::string& name, const graph::Value& value);
  TensorId weights(const std::string& name, const Shape& shape, Initial initial, std::int64_t outputs);
  /// A statistic: `momentum` of itself and the rest of `now`.
  TensorId running(const std::string& name, float first, TensorId now, bool training);

  Network& network_;
  std::mt19937_64 random_;
  const bool micro_batch_;
  std::uint32_t dropouts_ = 0;
};

}  // namespace systole::training
