// SPDX-License-Identifier: Apache-2.0
#include "node_case.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "attributes.hpp"
#include "import_onnx.hpp"
#include "inspection.hpp"
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

/// Operators on the host, by name.
std::set<std::string> on_host(const Network& network) {
  std::set<std::string> names;
  for (const StepReport& step : network.steps()) {
    if (!step.on_device) {
      names.insert(step.name);
    }
  }
  return names;
}

/// Operators on the host as the inspection says.
std::set<std::string> on_host(const cli::Inspection& inspection) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < inspection.plan.size(); ++i) {
    if (!inspection.plan[i].on_device) {
      names.insert(inspection.contents.graph.operators[i].name);
    }
  }
  return names;
}

std::set<std::string> kinds_of(const std::set<std::string>& names, const graph::Graph& graph) {
  std::set<std::string> kinds;
  for (const graph::Operator& op : graph.operators) {
    if (names.count(op.name) != 0) {
      kinds.insert(name_of(op.kind));
    }
  }
  return kinds;
}

bool recorded_coarsely(const std::string& test) {
  constexpr std::array kTests = {"test_averagepool_2d_ceil_last_window_starts_on_pad",
                                 "test_blackmanwindow",
                                 "test_gridsample_bicubic",
                                 "test_hammingwindow",
                                 "test_hannwindow",
                                 "test_roialign"};
  return std::any_of(kTests.begin(), kTests.end(), [&](const char* begin) { return test.rfind(begin, 0) == 0; });
}

/// The inputs that are parameters of operators, such as axes and weights, are given as constants. A test that is
/// refused all the same keeps its values, for its own reason.
graph::OnnxOptions with_parameters(const graph::Bytes& bytes, const std::map<std::string, Value>& values) {
  graph::OnnxOptions options;
  options.values = values;
  const graph::ModelContents contents = graph::read_onnx(bytes, "parameters", options);
  if (!contents.obstacles.empty()) {
    return options;
  }
  options.values.clear();
  options.constants.insert(values.begin(), values.end());
  for (const graph::TensorId id : contents.graph.inputs) {
    options.constants.erase(contents.graph.tensor(id).name);
  }
  return options;
}

/// Recorded with values that were rounded to float16 between the operators; here they are float32 until the end.
bool rounded_between(const std::string& test) { return test.find("_fp16_expanded") != std::string::npos; }

std::string wrong_values(const Value& result, const Value& expected, const std::string& test) {
  switch (expected.type) {
    case graph::ElementType::kFloat16:
      return difference(result, expected, rounded_between(test) ? kOfRoundedFloat16 : kOfOnnx);
    case graph::ElementType::kBfloat16: return difference(result, expected, kOfBfloat16);
    default: break;
  }
  const std::string wrong = difference(result, expected, kOfOnnx);
  return !wrong.empty() || recorded_coarsely(test) ? wrong : difference(result, expected, kTight);
}

/// A test that the inspection refuses: running it has to be refused, too, for the same reason.
Outcome refusal(const cli::Inspection& inspection, const std::function<void()>& run) {
  const std::string reason = inspection.contents.obstacles.front().kind;
  try {
    run();
  } catch (const graph::OnnxNotSupported& refused) {
    const std::string seen = name_of(refused.reason());
    return seen == reason
               ? Outcome{{}, Verdict::kRefused, reason}
               : Outcome{{}, Verdict::kFailed, fmt::format("the inspection refuses: {}; running it: {}", reason, seen)};
  }
  return {{}, Verdict::kFailed, fmt::format("the inspection refuses: {}; it runs", reason)};
}

/// The difference from the expected outputs, or from the inspection; empty if there is none.
std::string complaint(const std::vector<Value>& results, const std::vector<Value>& expected, const std::string& test) {
  if (results.size() != expected.size()) {
    return fmt::format("{} outputs, expected {}", results.size(), expected.size());
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string wrong = wrong_values(results[i], expected[i], test);
    if (!wrong.empty()) {
      return fmt::format("output {}: {}", i, wrong);
    }
  }
  return {};
}

Outcome run(Device& device, const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  const graph::Bytes bytes = read_all(folder / "model.onnx");
  onnx::ModelProto model;
  model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  const std::filesystem::path data = folder / "test_data_set_0";
  const std::map<std::string, Value> values = read_inputs(data, model.graph());
  const graph::OnnxOptions options = with_parameters(bytes, values);
  const cli::Inspection inspection = cli::inspect(graph::read_onnx(bytes, name, options), device.configuration());
  if (!inspection.runs()) {
    return refusal(inspection, [&] { Network(device, graph::import_onnx(bytes, name, options)); });
  }
  Network network(device, graph::import_onnx(bytes, name, options));
  std::vector<Value> inputs;
  for (const graph::TensorId id : network.graph().inputs) {
    inputs.push_back(values.at(network.graph().tensor(id).name));
  }
  std::vector<Value> expected;
  for (int i = 0; i < model.graph().output_size(); ++i) {
    expected.push_back(as_declared(read_value(data / fmt::format("output_{}.pb", i)), model.graph().output(i)));
  }
  const std::string wrong = complaint(network.run(inputs), expected, name);
  if (!wrong.empty()) {
    return {name, Verdict::kFailed, wrong};
  }
  const std::set<std::string> host = on_host(network);
  if (host != on_host(inspection)) {
    return {name, Verdict::kFailed,
            fmt::format("the inspection says that the host computes {}, it computes {}",
                        fmt::join(on_host(inspection), ", "), fmt::join(host, ", "))};
  }
  if (!network.steps().empty() && host.empty()) {
    return {name, Verdict::kDevice, {}};
  }
  return {name, Verdict::kHost,
          host.empty() ? "nothing is left to compute"
                       : fmt::format("{}", fmt::join(kinds_of(host, network.graph()), ", "))};
}

}  // namespace

Outcome run_node_test(Device& device, const std::filesystem::path& folder) {
  Outcome outcome;
  try {
    outcome = run(device, folder);
  } catch (const std::exception& error) {
    outcome.detail = error.what();
  }
  outcome.name = folder.filename().string();
  return outcome;
}

}  // namespace systole::test
