// SPDX-License-Identifier: Apache-2.0
#include "mlp.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "network_writer.hpp"
#include "sizes_text.hpp"
#include "systole/errors.hpp"

namespace systole::training {
namespace {

using graph::UnaryKind;

constexpr std::string_view kPrefix = "mlp:";

const std::vector<std::pair<std::string, UnaryKind>>& functions() {
  static const std::vector<std::pair<std::string, UnaryKind>> all = {{"relu", UnaryKind::kRelu},
                                                                     {"sigmoid", UnaryKind::kSigmoid},
                                                                     {"tanh", UnaryKind::kTanh},
                                                                     {"gelu", UnaryKind::kGelu},
                                                                     {"softplus", UnaryKind::kSoftplus}};
  return all;
}

std::optional<UnaryKind> function_named(const std::string& name) {
  for (const auto& [known, kind] : functions()) {
    if (known == name) {
      return kind;
    }
  }
  return std::nullopt;
}

[[noreturn]] void refuse(const std::string& name, const std::string& part) {
  std::vector<std::string> names;
  for (const auto& [known, kind] : functions()) {
    names.push_back(known);
  }
  throw InvalidArgument(
      fmt::format("{}: '{}' is neither a size from 1 to 1048576 nor a function after a layer: {}, or "
                  "softmax after the last; write mlp:INPUTS-SIZE-...-OUTPUTS",
                  name, part, fmt::join(names, ", ")));
}

}  // namespace

bool is_mlp(const std::string& name) { return name.compare(0, kPrefix.size(), kPrefix) == 0; }

Mlp parse_mlp(const std::string& name) {
  const std::vector<std::string> parts = parts_of(std::string_view(name).substr(kPrefix.size()));
  Mlp mlp;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (const auto size = size_in(parts[i])) {
      if (i == 0) {
        mlp.inputs = *size;
      } else {
        mlp.layers.push_back({*size, {}});
      }
      continue;
    }
    const bool is_last = i + 1 == parts.size() && parts[i] == "softmax";
    const bool follows = !mlp.layers.empty() && mlp.layers.back().function.empty();
    if (!follows || (!function_named(parts[i]) && !is_last)) {
      refuse(name, parts[i]);
    }
    mlp.layers.back().function = parts[i];
  }
  if (mlp.layers.empty()) {
    throw InvalidArgument(fmt::format(
        "{}: has the size of the inputs alone; write that of the outputs, too: {}-1, or mlp:INPUTS-SIZE-...-OUTPUTS",
        name, name));
  }
  for (std::size_t i = 0; i + 1 < mlp.layers.size(); ++i) {
    std::string& function = mlp.layers[i].function;
    function = function.empty() ? "relu" : function;
  }
  return mlp;
}

Network mlp(const Mlp& layers, const NetworkOptions& options, bool whole) {
  Network network;
  network.graph.name = "mlp";
  NetworkWriter w(network, options.seed, options.micro_batch);
  network.inputs = {w.input("x", ElementType::kFloat32, {options.batch, layers.inputs})};
  TensorId x = network.inputs[0];
  for (std::size_t i = 0; i < layers.layers.size(); ++i) {
    const auto& [outputs, function] = layers.layers[i];
    const bool he = function == "relu" || function == "gelu";
    x = w.dense(fmt::format("dense{}", i + 1), x, outputs, he ? Initial::kHe : Initial::kGlorot);
    if (function.empty() || (i + 1 == layers.layers.size() && !whole)) {
      continue;
    }
    const auto kind = function_named(function);
    x = kind ? w.unary(*kind, x) : w.append(graph::Softmax{}, {x});
  }
  network.scores = x;
  return network;
}

LastOperator last_of(const Mlp& layers) {
  const std::string& function = layers.layers.back().function;
  return function == "softmax"   ? LastOperator::kSoftmax
         : function == "sigmoid" ? LastOperator::kSigmoid
                                 : LastOperator::kOther;
}

}  // namespace systole::training
