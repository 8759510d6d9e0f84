// SPDX-License-Identifier: Apache-2.0
#include "network_builder.hpp"
#include "systole/zoo.hpp"

namespace systole::zoo {
namespace {

constexpr int kGroups = 4;

/// 1x1 to a quarter of the results' channels, shuffled, depthwise 3x3, 1x1; the input is added, or at stride 2 its
/// average pool is concatenated.
TensorId unit(NetworkBuilder& net, TensorId from, int in, int out, int stride, int first_groups) {
  TensorId x = net.shuffle(net.grouped(from, out / 4, first_groups, Activation::kRelu), kGroups);
  x = net.depthwise(x, 3, stride, Activation::kNone);
  if (stride == 1) {
    return net.add(from, net.grouped(x, out, kGroups, Activation::kNone), Activation::kRelu);
  }
  x = net.grouped(x, out - in, kGroups, Activation::kRelu);
  return net.concat(net.average_pool(from, 3, stride, Border::kSymmetric), x);
}

}  // namespace

graph::Graph shufflenet(std::uint64_t seed) {
  struct Stage {
    int channels, units;
  };
  NetworkBuilder net("shufflenet", seed);
  int channels = 24;
  TensorId x = net.conv(net.float_picture(224), channels, 3, 2, Border::kSymmetric, Activation::kRelu);
  x = net.max_pool(x, 3, 2, Border::kSymmetric);
  for (const Stage& stage : {Stage{272, 4}, Stage{544, 8}, Stage{1088, 4}}) {
    for (int i = 0; i < stage.units; ++i) {
      const int first_groups = channels == 24 ? 1 : kGroups;  // the picture's few channels are not divided
      x = unit(net, x, channels, stage.channels, i == 0 ? 2 : 1, first_groups);
      channels = stage.channels;
    }
  }
  x = net.flatten(net.global_average_pool(x));
  return net.finish(net.softmax(net.dense(x, 1000, Activation::kNone)));
}

}  // namespace systole::zoo
