// SPDX-License-Identifier: Apache-2.0
#include "network_builder.hpp"
#include "systole/zoo.hpp"

namespace systole::zoo {

graph::Graph resnet8(std::uint64_t seed) {
  NetworkBuilder net("resnet8", seed);
  TensorId x = net.conv(net.input({1, 32, 32, 3}), 16, 3, 1, Border::kSame, Activation::kRelu);
  for (const int width : {16, 32, 64}) {
    const int stride = width == 16 ? 1 : 2;
    const TensorId from = x;
    x = net.conv(x, width, 3, stride, Border::kSame, Activation::kRelu);
    x = net.conv(x, width, 3, 1, Border::kSame, Activation::kNone);
    const TensorId shortcut = stride == 1 ? from : net.conv(from, width, 1, stride, Border::kSame, Activation::kNone);
    x = net.add(shortcut, x, Activation::kRelu);
  }
  x = net.flatten(net.global_average_pool(x));
  return net.finish(net.softmax(net.dense(x, 10, Activation::kNone)));
}

graph::Graph vww(std::uint64_t seed) {
  struct Block {
    int channels, stride;
  };
  NetworkBuilder net("vww", seed);
  TensorId x = net.conv(net.input({1, 96, 96, 3}), 8, 3, 2, Border::kSame, Activation::kRelu);
  for (const Block& block :
       {Block{16, 1}, Block{32, 2}, Block{32, 1}, Block{64, 2}, Block{64, 1}, Block{128, 2}, Block{128, 1},
        Block{128, 1}, Block{128, 1}, Block{128, 1}, Block{128, 1}, Block{256, 2}, Block{256, 1}}) {
    x = net.depthwise(x, 3, block.stride, Activation::kRelu);
    x = net.conv(x, block.channels, 1, 1, Border::kValid, Activation::kRelu);
  }
  x = net.flatten(net.global_average_pool(x));
  return net.finish(net.softmax(net.dense(x, 2, Activation::kNone)));
}

graph::Graph kws(std::uint64_t seed) {
  NetworkBuilder net("kws", seed);
  TensorId x = net.conv(net.input({1, 49, 10, 1}), 64, 10, 4, 2, Border::kSame, Activation::kRelu);
  for (int block = 0; block < 4; ++block) {
    x = net.depthwise(x, 3, 1, Activation::kRelu);
    x = net.conv(x, 64, 1, 1, Border::kValid, Activation::kRelu);
  }
  x = net.flatten(net.global_average_pool(x));
  return net.finish(net.softmax(net.dense(x, 12, Activation::kNone)));
}

graph::Graph ad(std::uint64_t seed) {
  NetworkBuilder net("ad", seed);
  TensorId x = net.input({1, 640});
  for (const int width : {128, 128, 128, 128, 8, 128, 128, 128, 128}) {
    x = net.dense(x, width, Activation::kRelu);
  }
  return net.finish(net.dense(x, 640, Activation::kNone));
}

}  // namespace systole::zoo
