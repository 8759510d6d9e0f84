// SPDX-License-Identifier: Apache-2.0
#include "network_builder.hpp"
#include "systole/zoo.hpp"

namespace systole::zoo {
namespace {

/// 1x1 to `expansion` times the channels, depthwise 3x3, 1x1 without activation; adds the input if it has the result's
/// shape.
TensorId inverted_residual(NetworkBuilder& net, TensorId from, int in, int out, int expansion, int stride) {
  TensorId x = from;
  if (expansion != 1) {
    x = net.conv(x, in * expansion, 1, 1, Border::kValid, Activation::kRelu6);
  }
  x = net.depthwise(x, 3, stride, Activation::kRelu6);
  x = net.conv(x, out, 1, 1, Border::kValid, Activation::kNone);
  return stride == 1 && in == out ? net.add(x, from, Activation::kNone) : x;
}

}  // namespace

graph::Graph mobilenetv2(std::uint64_t seed) {
  struct Stage {
    int expansion, channels, blocks, stride;
  };
  NetworkBuilder net("mobilenetv2", seed);
  int channels = 32;
  TensorId x = net.conv(net.input({1, 224, 224, 3}), channels, 3, 2, Border::kSame, Activation::kRelu6);
  for (const Stage& stage : {Stage{1, 16, 1, 1}, Stage{6, 24, 2, 2}, Stage{6, 32, 3, 2}, Stage{6, 64, 4, 2},
                             Stage{6, 96, 3, 1}, Stage{6, 160, 3, 2}, Stage{6, 320, 1, 1}}) {
    for (int block = 0; block < stage.blocks; ++block) {
      x = inverted_residual(net, x, channels, stage.channels, stage.expansion, block == 0 ? stage.stride : 1);
      channels = stage.channels;
    }
  }
  x = net.conv(x, 1280, 1, 1, Border::kValid, Activation::kRelu6);
  x = net.flatten(net.global_average_pool(x));
  return net.finish(net.softmax(net.dense(x, 1000, Activation::kNone)));
}

}  // namespace systole::zoo
