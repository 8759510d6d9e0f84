// SPDX-License-Identifier: Apache-2.0
#include "node_case.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

#include "attributes.hpp"
#include "import_onnx.hpp"
#include "onnx_not_supported.hpp"
#include "onnx_tensors.hpp"
#include "value_difference.hpp"

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

/// The value in the declared type: bfloat16 is stored as uint16, and one element may represent all.
Value as_declared(Value value, const onnx::ValueInfoProto& declared) {
  const onnx::TypeProto::Tensor& type = declared.type().tensor_type();
  if (type.elem_type() == onnx::TensorProto::BFLOAT16 && value.type == graph::ElementType::kUint16) {
    value.type = graph::ElementType::kBfloat16;
  }
  graph::Shape shape;
  for (const auto& dimension : type.shape().dim()) {
    shape.push_back(dimension.dim_value());
  }
  if (value.shape == graph::Shape{1} && value.shape != shape &&
      std::find(shape.begin(), shape.end(), 0) == shape.end()) {
    graph::Bytes repeated;
    for (std::int64_t i = 0; i < graph::count(shape); ++i) {
      repeated.insert(repeated.end(), value.data.begin(), value.data.end());
    }
    value.data = std::move(repeated);
    value.shape = shape;
  }
  return value;
}

/// Values of the model's inputs by name, without those that are not dense tensors: the importer reports them.
std::map<std::string, Value> read_inputs(const std::filesystem::path& folder, const onnx::GraphProto& graph) {
  std::map<std::string, Value> values;
  for (int i = 0; i < graph.input_size(); ++i) {
    try {
      values[graph.input(i).name()] = as_declared(read_value(folder / fmt::format("input_{}.pb", i)), graph.input(i));
    } catch (const GraphError&) {
      continue;
    }
  }
  return values;
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

bool recorded_coarsely(const std::string& test) {
  constexpr std::array kTests = {"test_blackmanwindow", "test_hammingwindow", "test_hannwindow",
                                 "test_gridsample_bicubic", "test_roialign"};
  return std::any_of(kTests.begin(), kTests.end(), [&](const char* begin) { return test.rfind(begin, 0) == 0; });
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
  const double relative = recorded_coarsely(outcome.name) ? kRelativeOfCoarse : kRelative;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Value expected =
        as_declared(read_value(data / fmt::format("output_{}.pb", i)), model.graph().output(static_cast<int>(i)));
    const std::string wrong = difference(results[i], expected, {kAbsolute, relative});
    if (!wrong.empty()) {
      outcome.detail = fmt::format("output {}: {}", i, wrong);
      return outcome;
    }
  }
  const std::set<std::string> host = on_host(network);
  const bool device_ran = !network.steps().empty() && host.empty();
  outcome.verdict = device_ran ? Verdict::kDevice : Verdict::kHost;
  outcome.detail = device_ran     ? ""
                   : host.empty() ? "nothing is left to compute"
                                  : fmt::format("{}", fmt::join(host, ", "));
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
