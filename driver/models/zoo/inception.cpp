// SPDX-License-Identifier: Apache-2.0
#include "network_builder.hpp"
#include "systole/zoo.hpp"

namespace systole::zoo {
namespace {

/// The channels of a block's four branches, and of the 1x1 convolutions before its 3x3 and its 5x5.
struct Inception {
  int ones, before_threes, threes, before_fives, fives, pooled;
};

TensorId pointwise(NetworkBuilder& net, TensorId from, int channels) {
  return net.conv(from, channels, 1, 1, Border::kValid, Activation::kRelu);
}

TensorId block(NetworkBuilder& net, TensorId from, const Inception& c) {
  const TensorId ones = pointwise(net, from, c.ones);
  const TensorId threes =
      net.conv(pointwise(net, from, c.before_threes), c.threes, 3, 1, Border::kSame, Activation::kRelu);
  const TensorId fives =
      net.conv(pointwise(net, from, c.before_fives), c.fives, 5, 1, Border::kSame, Activation::kRelu);
  const TensorId pooled = pointwise(net, net.max_pool(from, 3, 1, Border::kSame), c.pooled);
  return net.concat({ones, threes, fives, pooled});
}

}  // namespace

graph::Graph inception_v1(std::uint64_t seed) {
  NetworkBuilder net("inception_v1", seed);
  TensorId x = net.conv(net.float_picture(224), 64, 7, 2, Border::kSymmetric, Activation::kRelu);
  x = net.local_response(net.max_pool(x, 3, 2, Border::kCeil));
  x = net.local_response(net.conv(pointwise(net, x, 64), 192, 3, 1, Border::kSame, Activation::kRelu));
  x = net.max_pool(x, 3, 2, Border::kCeil);
  for (const Inception& c : {Inception{64, 96, 128, 16, 32, 32}, Inception{128, 128, 192, 32, 96, 64}}) {
    x = block(net, x, c);
  }
  x = net.max_pool(x, 3, 2, Border::kCeil);
  for (const Inception& c :
       {Inception{192, 96, 208, 16, 48, 64}, Inception{160, 112, 224, 24, 64, 64}, Inception{128, 128, 256, 24, 64, 64},
        Inception{112, 144, 288, 32, 64, 64}, Inception{256, 160, 320, 32, 128, 128}}) {
    x = block(net, x, c);
  }
  x = net.max_pool(x, 3, 2, Border::kCeil);
  for (const Inception& c : {Inception{256, 160, 320, 32, 128, 128}, Inception{384, 192, 384, 48, 128, 128}}) {
    x = block(net, x, c);
  }
  x = net.flatten(net.global_average_pool(x));
  return net.finish(net.softmax(net.dense(x, 1000, Activation::kNone)));
}

}  // namespace systole::zoo
