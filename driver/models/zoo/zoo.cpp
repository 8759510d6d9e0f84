// SPDX-License-Identifier: Apache-2.0
#include "systole/zoo.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <utility>

#include "systole/errors.hpp"

namespace systole::zoo {
namespace {

using Make = graph::Graph (*)(std::uint64_t);

const std::vector<std::pair<std::string, Make>>& makers() {
  static const std::vector<std::pair<std::string, Make>> list = {{"resnet50", resnet50},
                                                                 {"mobilenetv2", mobilenetv2},
                                                                 {"squeezenet", squeezenet},
                                                                 {"shufflenet", shufflenet},
                                                                 {"inception_v1", inception_v1},
                                                                 {"resnet8", resnet8},
                                                                 {"vww", vww},
                                                                 {"kws", kws},
                                                                 {"ad", ad},
                                                                 {"bert_base_128", bert_base_128},
                                                                 {"vit_tiny", vit_tiny},
                                                                 {"kwt1", kwt1},
                                                                 {"resnet50_pruned", resnet50_pruned},
                                                                 {"resnet50_mx", resnet50_mx},
                                                                 {"matmul_512_mx", matmul_512_mx},
                                                                 {"conv3x3_28x28x128_mx", conv3x3_28x28x128_mx},
                                                                 {"llama_15m", llama_15m},
                                                                 {"llama_110m", llama_110m}};
  return list;
}

}  // namespace

const std::vector<std::string>& names() {
  static const std::vector<std::string> list = [] {
    std::vector<std::string> all;
    for (const auto& [name, make] : makers()) {
      all.push_back(name);
    }
    return all;
  }();
  return list;
}

graph::Graph network(const std::string& name, std::uint64_t seed) {
  for (const auto& [known, make] : makers()) {
    if (known == name) {
      return make(seed);
    }
  }
  throw InvalidArgument(fmt::format("no network '{}'; available: {}", name, fmt::join(names(), ", ")));
}

}  // namespace systole::zoo
