// SPDX-License-Identifier: Apache-2.0
#include "random_network.hpp"

#include <fmt/core.h>

#include <random>

#include "network_builder.hpp"

namespace systole::test {
namespace {

using graph::TensorId;
using zoo::Border;
using zoo::NetworkBuilder;

class RandomNetwork {
 public:
  explicit RandomNetwork(std::uint64_t seed) : net_(fmt::format("random_{}", seed), seed), random_(seed) {}

  graph::Graph make() {
    size_ = 6 + 2 * below(4);
    channels_ = 4 * (1 + below(5));
    at_ = net_.conv(net_.input({1, size_, size_, 3}), channels_, 3, 1, Border::kSame, Activation::kRelu);
    const int steps = 4 + below(6);
    for (int i = 0; i < steps; ++i) {
      step();
    }
    if (below(2) == 0) {
      product();
    }
    return net_.finish(at_);
  }

 private:
  int below(int end) { return static_cast<int>(random_() % static_cast<std::uint64_t>(end)); }

  void step() {
    switch (below(7)) {
      case 0:
        channels_ = 4 * (1 + below(8));
        at_ = net_.conv(at_, channels_, 1, 1, Border::kSame, Activation::kNone);
        break;
      case 1: at_ = net_.conv(at_, channels_, 3, 1, Border::kSame, Activation::kRelu); break;
      case 2: at_ = net_.depthwise(at_, 3, 1, Activation::kRelu6); break;
      case 3:
        at_ = net_.add(net_.conv(at_, channels_, 1, 1, Border::kSame, Activation::kNone), at_, Activation::kRelu);
        break;
      case 4: shuffled(); break;
      default: pool();
    }
  }

  void pool() {
    if (size_ < 4) {
      return;
    }
    const int stride = 1 + below(2);
    at_ = below(3) == 0 ? net_.max_pool(at_, 2, stride, Border::kValid)
                        : net_.average_pool(at_, 2, stride, Border::kValid);
    size_ = (size_ - 2) / stride + 1;
  }

  /// One half passes through layers, the other is unchanged.
  void shuffled() {
    const auto [kept, worked] = net_.halves(at_);
    const TensorId first = net_.conv(worked, channels_ / 2, 1, 1, Border::kSame, Activation::kNone);
    at_ = net_.concat(kept, net_.depthwise(first, 3, 1, Activation::kNone));
  }

  void product() {
    const TensorId left = net_.conv(at_, channels_, 1, 1, Border::kSame, Activation::kNone);
    const TensorId right = net_.conv(at_, channels_, 1, 1, Border::kSame, Activation::kNone);
    at_ = net_.product(net_.reshape(left, {1, std::int64_t{size_} * size_, channels_}),
                       net_.reshape(right, {1, channels_, std::int64_t{size_} * size_}));
  }

  NetworkBuilder net_;
  std::mt19937_64 random_;
  TensorId at_ = graph::kNoTensor;
  int size_ = 0, channels_ = 0;
};

}  // namespace

graph::Graph random_network(std::uint64_t seed) { return RandomNetwork(seed).make(); }

}  // namespace systole::test
