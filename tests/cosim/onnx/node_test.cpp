// SPDX-License-Identifier: Apache-2.0
#include "node_test.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

#include "graph/attributes.hpp"
#include "import/onnx/import_onnx.hpp"
#include "import/onnx/not_supported.hpp"
#include "import/onnx/tensors.hpp"

namespace systole::test {
namespace {

using graph::GraphError;
using graph::Value;

graph::Bytes read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw GraphError(fmt::format("{} cannot be read", path.string()));
  }
  return graph::Bytes(std::istreambuf_iterator<char>(file), {});
}

Value read_value(const std::filesystem::path& path) {
  const graph::Bytes bytes = read_all(path);
  onnx::TensorProto tensor;
  if (!tensor.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    throw GraphError(fmt::format("{} is no tensor", path.string()));
  }
  return graph::constant_value(graph::onnx_file::constant_tensor(tensor, path.filename().string()));
}

/// Values of the model's inputs by name. Those that are no dense tensors are left out: the importer says why.
std::map<std::string, Value> read_inputs(const std::filesystem::path& folder, const onnx::GraphProto& graph) {
  std::map<std::string, Value> values;
  for (int i = 0; i < graph.input_size(); ++i) {
    try {
      values[graph.input(i).name()] = read_value(folder / fmt::format("input_{}.pb", i));
    } catch (const GraphError&) {
      continue;
    }
  }
  return values;
}

template <class Element>
std::string first_difference(const Value& result, const Value& expected) {
  const auto a = graph::elements<Element>(result);
  const auto b = graph::elements<Element>(expected);
  for (std::size_t i = 0; i < a.size(); ++i) {
    bool same = a[i] == b[i];
    if constexpr (std::is_floating_point_v<Element>) {
      const auto x = static_cast<double>(a[i]);
      const auto y = static_cast<double>(b[i]);
      same = same || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= kAbsolute + kRelative * std::abs(y);
    }
    if (!same) {
      return fmt::format("element {} is {}, expected {}", i, a[i], b[i]);
    }
  }
  return {};
}

/// Empty when they are the same.
std::string difference(const Value& result, const Value& expected) {
  if (result.type != expected.type || result.shape != expected.shape) {
    return fmt::format("a result {} {}, expected {} {}", graph::to_string(result.shape), graph::name_of(result.type), graph::to_string(expected.shape),
                       graph::name_of(expected.type));
  }
  switch (result.type) {
    case graph::ElementType::kFloat32: return first_difference<float>(result, expected);
    case graph::ElementType::kFloat64: return first_difference<double>(result, expected);
    case graph::ElementType::kInt32: return first_difference<std::int32_t>(result, expected);
    case graph::ElementType::kInt64: return first_difference<std::int64_t>(result, expected);
    case graph::ElementType::kInt16:
    case graph::ElementType::kUint16: return first_difference<std::uint16_t>(result, expected);
    default: return first_difference<std::uint8_t>(result, expected);
  }
}

/// Kinds of operators on the host.
std::set<std::string> on_host(const Network& network) {
  std::set<std::string> kinds;
  for (const StepReport& step : network.steps()) {
    if (step.on_device) {
      continue;
    }
    for (const graph::Operator& op : network.graph().operators) {
      if (op.name == step.name) {
        kinds.insert(name_of(op.kind));
      }
    }
  }
  return kinds;
}

Outcome run(Device& device, const std::filesystem::path& folder) {
  Outcome outcome{folder.filename().string(), Verdict::kFailed, {}};
  const graph::Bytes bytes = read_all(folder / "model.onnx");
  onnx::ModelProto model;
  model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  const std::filesystem::path data = folder / "test_data_set_0";
  graph::OnnxOptions options;
  options.values = read_inputs(data, model.graph());
  Network network(device, graph::import_onnx(bytes, outcome.name, options));
  std::vector<Value> inputs;
  for (const graph::TensorId id : network.graph().inputs) {
    inputs.push_back(options.values.at(network.graph().tensor(id).name));
  }
  const std::vector<Value> results = network.run(inputs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string wrong = difference(results[i], read_value(data / fmt::format("output_{}.pb", i)));
    if (!wrong.empty()) {
      outcome.detail = fmt::format("output {}: {}", i, wrong);
      return outcome;
    }
  }
  const std::set<std::string> host = on_host(network);
  const bool device_ran = !network.steps().empty() && host.empty();
  outcome.verdict = device_ran ? Verdict::kDevice : Verdict::kHost;
  outcome.detail = device_ran ? "" : host.empty() ? "nothing is left to compute" : fmt::format("{}", fmt::join(host, ", "));
  return outcome;
}

}  // namespace

Outcome run_node_test(Device& device, const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  try {
    return run(device, folder);
  } catch (const graph::OnnxNotSupported& refused) {
    return {name, Verdict::kRefused, name_of(refused.reason())};
  } catch (const std::exception& error) {
    return {name, Verdict::kFailed, error.what()};
  }
}

}  // namespace systole::test
