// SPDX-License-Identifier: Apache-2.0
#include "network_builder.hpp"
#include "systole/zoo.hpp"

namespace systole::zoo {
namespace {

/// 1x1 to few channels, from which 1x1 and 3x3 make the same number each.
TensorId fire(NetworkBuilder& net, TensorId from, int squeezed, int expanded) {
  const TensorId x = net.conv(from, squeezed, 1, 1, Border::kValid, Activation::kRelu);
  return net.concat(net.conv(x, expanded, 1, 1, Border::kValid, Activation::kRelu),
                    net.conv(x, expanded, 3, 1, Border::kSame, Activation::kRelu));
}

}  // namespace

graph::Graph squeezenet(std::uint64_t seed) {
  NetworkBuilder net("squeezenet", seed);
  TensorId x = net.conv(net.float_picture(224), 64, 3, 2, Border::kValid, Activation::kRelu);
  for (const int width : {16, 32}) {
    x = net.max_pool(x, 3, 2, Border::kCeil);
    for (int block = 0; block < 2; ++block) {
      x = fire(net, x, width, 4 * width);
    }
  }
  x = net.max_pool(x, 3, 2, Border::kCeil);
  for (const int width : {48, 48, 64, 64}) {
    x = fire(net, x, width, 4 * width);
  }
  x = net.conv(x, 1000, 1, 1, Border::kValid, Activation::kRelu);
  return net.finish(net.softmax(net.flatten(net.global_average_pool(x))));
}

}  // namespace systole::zoo
