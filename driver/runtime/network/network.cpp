// SPDX-License-Identifier: Apache-2.0
#include "systole/network.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <variant>

#include "bytes.hpp"
#include "layer_accounting.hpp"
#include "layer_clock.hpp"
#include "roots.hpp"
#include "systole/errors.hpp"
#include "systole/execute.hpp"
#include "systole/graph_state.hpp"
#include "written_tiles.hpp"

namespace systole {
namespace {

using graph::Graph;
using graph::TensorId;
using graph::Value;

}  // namespace

const StepReport* first_nonfinite(const std::vector<StepReport>& steps) {
  const auto found =
      std::find_if(steps.begin(), steps.end(), [](const StepReport& step) { return step.stats.nonfinite; });
  return found == steps.end() ? nullptr : &*found;
}

void add(LayerReport& sum, const LayerReport& part) {
  if (sum.last_cycle == 0 || (part.last_cycle > 0 && part.first_cycle < sum.first_cycle)) {
    sum.first_cycle = part.first_cycle;
    sum.last_cycle = part.last_cycle;
  }
  sum.macs += part.macs;
  sum.predicted_cycles += part.predicted_cycles;
  sum.cycles += part.cycles;
  sum.read_bytes += part.read_bytes;
  sum.write_bytes += part.write_bytes;
  add(sum.causes, part.causes);
}

class Network::State {
 public:
  State(Device& device, CompiledNetwork network)
      : device_(device), network_(std::move(network)), kept_(network_.graph) {
    if (network_.configuration.name != device.configuration().name) {
      throw InvalidArgument(
          fmt::format("the network was compiled for configuration {}, the device is {}: compile it again",
                      network_.configuration.name, device.configuration().name));
    }
    for (NetworkStep& step : network_.steps) {
      std::visit([&](auto& s) { add(s); }, step);
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    for (const auto& clock : clocks_) {
      if (clock) {
        device_.detach(*clock);
      }
    }
  }

  void reset_state() { kept_.reset(); }

  std::vector<Value> run(const std::vector<Value>& sample, const RunOptions& options,
                         const std::function<void(TensorId, const Value&)>& observer) {
    const std::vector<Value> inputs = kept_.with_states(sample);
    graph::check_inputs(graph(), inputs);
    std::map<TensorId, Value> values;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      values[graph().inputs[i]] = inputs[i];
    }
    graph::check_roots(graph(), inputs);
    std::size_t programs = 0;
    for (std::size_t i = 0; i < network_.steps.size(); ++i) {
      if (options.cancel && options.cancel()) {
        throw Cancelled("run: cancelled");
      }
      std::map<TensorId, Value> made;
      if (auto* step = std::get_if<DeviceStep>(&network_.steps[i])) {
        RunOptions named = options;
        named.name = options.name.empty() ? run_name(*step, programs++) : options.name;
        made = on_device(*step, *clocks_[i], values, named, reports_[i]);
      } else {
        made = on_host(std::get<HostStep>(network_.steps[i]), values);
      }
      for (auto& [id, value] : made) {
        if (observer) {
          observer(id, value);
        }
        values[id] = std::move(value);
      }
    }
    std::vector<Value> outputs;
    for (const TensorId id : graph().outputs) {
      outputs.push_back(value_of(id, values));
    }
    return kept_.without_states(std::move(outputs));
  }

  const Graph& graph() const { return network_.graph; }
  const std::vector<StepReport>& reports() const { return reports_; }
  const TransformationCounts& transformations() const { return network_.transformations; }

 private:
  void add(DeviceStep& step) {
    device_.place(step.program);
    StepReport report;
    report.on_device = true;
    for (const CompiledLayer& layer : step.layers) {
      report.layers.push_back({layer});
    }
    report.predicted_cycles = step.program.estimated_cycles;
    reports_.push_back(std::move(report));
    clocks_.push_back(std::make_shared<network::LayerClock>(step.program, device_.configuration()));
    device_.attach(clocks_.back());
  }

  void add(const HostStep& step) {
    StepReport report;
    report.name = graph().operators.at(static_cast<std::size_t>(step.op)).name;
    report.reason = step.reason;
    reports_.push_back(std::move(report));
    clocks_.push_back(nullptr);
  }

  /// The value of a tensor. The value of a constant is created once for all samples.
  const Value& value_of(TensorId id, const std::map<TensorId, Value>& values) {
    if (const auto found = values.find(id); found != values.end()) {
      return found->second;
    }
    auto& constant = constants_[id];
    if (!constant) {
      constant = std::make_unique<const Value>(graph::constant_value(graph().tensor(id)));
    }
    return *constant;
  }

  std::map<TensorId, Value> on_device(DeviceStep& step, network::LayerClock& clock,
                                      const std::map<TensorId, Value>& values, const RunOptions& options,
                                      StepReport& report) {
    for (const auto& [id, range] : step.inputs) {
      Value value = value_of(id, values);
      if (const auto tiles = step.tiles.find(id); tiles != step.tiles.end()) {
        value.data = network::bytes_of(tiles->second, value, device_.configuration().dim);
      } else {
        network::toggle(value.type, value.data);
      }
      device_.write(step.program.bindings(), value.data.data(), value.data.size(), range.offset);
    }
    report.stats = device_.run(step.program, options);
    clock.report(report.layers, report.stats.cycles);
    network::check_balance(report, clock.vectors(), device_.configuration().dim);
    std::map<TensorId, Value> made;
    for (const auto& [id, range] : step.outputs) {
      const graph::Tensor& tensor = graph().tensor(id);
      Value value{
          tensor.type, tensor.shape,
          graph::Bytes(static_cast<std::size_t>(graph::count(tensor.shape)) * graph::element_size(tensor.type))};
      device_.read(step.program.bindings(), value.data.data(), value.data.size(), range.offset);
      network::toggle(value.type, value.data);
      made[id] = std::move(value);
    }
    return made;
  }

  std::map<TensorId, Value> on_host(const HostStep& step, const std::map<TensorId, Value>& values) {
    const graph::Operator& op = graph().operators.at(static_cast<std::size_t>(step.op));
    std::vector<const Value*> inputs;
    for (const TensorId id : op.inputs) {
      inputs.push_back(id == graph::kNoTensor ? nullptr : &value_of(id, values));
    }
    std::vector<Value> results = graph::execute_operator(graph(), op, inputs);
    std::map<TensorId, Value> made;
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
      made[op.outputs[i]] = std::move(results[i]);
    }
    return made;
  }

  Device& device_;
  CompiledNetwork network_;  // must not move: the clocks hold references to its programs
  graph::GraphState kept_;
  std::vector<StepReport> reports_;
  std::map<TensorId, std::unique_ptr<const Value>> constants_;
  std::vector<std::shared_ptr<network::LayerClock>> clocks_;  // one per step, null for steps on the host
};

Network::Network(Device& device, CompiledNetwork network)
    : state_(std::make_unique<State>(device, std::move(network))) {}
Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;
Network::~Network() = default;

std::vector<Value> Network::run(const std::vector<Value>& inputs, const RunOptions& options,
                                const std::function<void(TensorId, const Value&)>& observer) {
  return state_->run(inputs, options, observer);
}
void Network::reset_state() { state_->reset_state(); }
const graph::Graph& Network::graph() const { return state_->graph(); }
const std::vector<StepReport>& Network::steps() const { return state_->reports(); }
const TransformationCounts& Network::transformations() const { return state_->transformations(); }

}  // namespace systole
