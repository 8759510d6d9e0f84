// SPDX-License-Identifier: Apache-2.0
#include "systole/network.hpp"

#include <fmt/core.h>

#include <map>
#include <utility>
#include <variant>

#include "network/emit.hpp"
#include "network/layer_clock.hpp"
#include "network/segments.hpp"

namespace systole {
namespace {

using graph::Graph;
using graph::TensorId;
using graph::Value;
using network::CompiledSegment;
using network::HostStep;
using network::Segment;

/// A segment on the device.
struct DeviceStep {
  CompiledSegment compiled;
  std::shared_ptr<network::LayerClock> clock;
};

void check_input(const graph::Tensor& tensor, const Value& value) {
  if (value.type != tensor.type || value.shape != tensor.shape) {
    throw graph::GraphError(fmt::format("input '{}' is {} {}, given is {} {}", tensor.name, graph::to_string(tensor.shape),
                                        graph::name_of(tensor.type), graph::to_string(value.shape), graph::name_of(value.type)));
  }
}

}  // namespace

class Network::State {
 public:
  State(Device& device, const Graph& graph) : device_(device), graph_(graph) {
    graph::validate(graph_);
    for (network::Step& step : network::make_steps(graph_)) {
      std::visit([&](auto& s) { add(s); }, step);
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    for (const auto& step : steps_) {
      if (const auto* segment = std::get_if<std::unique_ptr<DeviceStep>>(&step)) {
        device_.detach(*(*segment)->clock);
      }
    }
  }

  std::vector<Value> run(const std::vector<Value>& inputs, const RunOptions& options,
                         const std::function<void(TensorId, const Value&)>& observer) {
    if (inputs.size() != graph_.inputs.size()) {
      throw graph::GraphError(fmt::format("{} inputs given, the network has {}", inputs.size(), graph_.inputs.size()));
    }
    std::map<TensorId, Value> values;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      check_input(graph_.tensor(graph_.inputs[i]), inputs[i]);
      values[graph_.inputs[i]] = inputs[i];
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      std::map<TensorId, Value> made;
      if (auto* segment = std::get_if<std::unique_ptr<DeviceStep>>(&steps_[i])) {
        made = on_device(**segment, values, options, reports_[i]);
      } else {
        made = on_host(graph_.operators[static_cast<std::size_t>(std::get<HostStep>(steps_[i]).op)], values);
      }
      for (auto& [id, value] : made) {
        if (observer) {
          observer(id, value);
        }
        values[id] = std::move(value);
      }
    }
    std::vector<Value> outputs;
    for (const TensorId id : graph_.outputs) {
      outputs.push_back(value_of(id, values));
    }
    return outputs;
  }

  const Graph& graph() const { return graph_; }
  const std::vector<StepReport>& reports() const { return reports_; }

 private:
  void add(Segment& segment) {
    network::fuse(segment.layers, segment.outputs, device_.configuration().dim);
    StepReport report;
    report.on_device = true;
    auto step = std::make_unique<DeviceStep>(
        DeviceStep{network::compile(segment, device_.configuration(), device_.memory()), nullptr});
    const Program& program = step->compiled.program;
    step->clock = std::make_shared<network::LayerClock>(program);
    device_.attach(step->clock);
    report.predicted_cycles = program.estimated_cycles;
    for (std::size_t i = 0; i < segment.layers.size(); ++i) {
      const network::Layer& layer = segment.layers[i];
      report.layers.push_back({layer.name, graph::to_string(graph_.tensor(layer.output).shape), layer.macs,
                               program.label_cycles.at(i), 0});
    }
    reports_.push_back(std::move(report));
    steps_.emplace_back(std::move(step));
  }

  void add(HostStep& step) {
    StepReport report;
    report.reason = step.reason;
    report.name = graph_.operators[static_cast<std::size_t>(step.op)].name;
    reports_.push_back(std::move(report));
    steps_.emplace_back(std::move(step));
  }

  Value value_of(TensorId id, const std::map<TensorId, Value>& values) const {
    const auto found = values.find(id);
    return found != values.end() ? found->second : graph::constant_value(graph_.tensor(id));
  }

  std::map<TensorId, Value> on_device(DeviceStep& step, const std::map<TensorId, Value>& values, const RunOptions& options,
                                      StepReport& report) {
    for (const auto& [id, buffer] : step.compiled.inputs) {
      const Value value = value_of(id, values);
      device_.write(buffer, value.data.data(), value.data.size());
    }
    report.stats = device_.run(step.compiled.program, options);
    const std::vector<std::uint64_t> cycles = step.clock->cycles();
    for (std::size_t i = 0; i < report.layers.size(); ++i) {
      report.layers[i].cycles = cycles.at(i);
    }
    std::map<TensorId, Value> made;
    for (const auto& [id, buffer] : step.compiled.outputs) {
      const graph::Tensor& tensor = graph_.tensor(id);
      Value value{tensor.type, tensor.shape, graph::Bytes(static_cast<std::size_t>(graph::count(tensor.shape)))};
      device_.read(buffer, value.data.data(), value.data.size());
      made[id] = std::move(value);
    }
    return made;
  }

  std::map<TensorId, Value> on_host(const graph::Operator& op, const std::map<TensorId, Value>& values) const {
    std::vector<Value> operands;
    operands.reserve(op.inputs.size());
    std::vector<const Value*> inputs;
    for (const TensorId id : op.inputs) {
      if (id == graph::kNoTensor) {
        inputs.push_back(nullptr);
        continue;
      }
      operands.push_back(value_of(id, values));
      inputs.push_back(&operands.back());
    }
    std::vector<Value> results = graph::execute_operator(graph_, op, inputs);
    std::map<TensorId, Value> made;
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
      made[op.outputs[i]] = std::move(results[i]);
    }
    return made;
  }

  Device& device_;
  const Graph graph_;
  std::vector<std::variant<std::unique_ptr<DeviceStep>, HostStep>> steps_;  // pointers: a clock knows its program's place
  std::vector<StepReport> reports_;
};

Network::Network(Device& device, const graph::Graph& graph) : state_(std::make_unique<State>(device, graph)) {}
Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;
Network::~Network() = default;

std::vector<Value> Network::run(const std::vector<Value>& inputs, const RunOptions& options,
                                const std::function<void(TensorId, const Value&)>& observer) {
  return state_->run(inputs, options, observer);
}
const graph::Graph& Network::graph() const { return state_->graph(); }
const std::vector<StepReport>& Network::steps() const { return state_->reports(); }

}  // namespace systole
