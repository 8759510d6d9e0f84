// SPDX-License-Identifier: Apache-2.0
#include "network_builder.hpp"
#include "systole/zoo.hpp"

namespace systole::zoo {
namespace {

/// 1x1, 3x3 with the stride, 1x1 to four times the width; adds the input or its 1x1 projection.
TensorId bottleneck(NetworkBuilder& net, TensorId from, int width, int stride, bool project) {
  TensorId x = net.conv(from, width, 1, 1, Border::kValid, Activation::kRelu);
  x = net.conv(x, width, 3, stride, Border::kSymmetric, Activation::kRelu);
  const TensorId shortcut = project ? net.conv(from, 4 * width, 1, stride, Border::kValid, Activation::kNone) : from;
  x = net.conv(x, 4 * width, 1, 1, Border::kValid, Activation::kNone);
  return net.add(x, shortcut, Activation::kRelu);
}

}  // namespace

graph::Graph resnet50(std::uint64_t seed) {
  struct Stage {
    int width, blocks, stride;
  };
  NetworkBuilder net("resnet50", seed);
  TensorId x = net.input({1, 224, 224, 3});
  x = net.conv(x, 64, 7, 2, Border::kSymmetric, Activation::kRelu);
  x = net.max_pool(x, 3, 2, Border::kSymmetric);
  for (const Stage& stage : {Stage{64, 3, 1}, Stage{128, 4, 2}, Stage{256, 6, 2}, Stage{512, 3, 2}}) {
    for (int block = 0; block < stage.blocks; ++block) {
      x = bottleneck(net, x, stage.width, block == 0 ? stage.stride : 1, block == 0);
    }
  }
  x = net.flatten(net.global_average_pool(x));
  return net.finish(net.softmax(net.dense(x, 1000, Activation::kNone)));
}

}  // namespace systole::zoo
