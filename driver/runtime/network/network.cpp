// SPDX-License-Identifier: Apache-2.0
#include "systole/network.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <variant>

#include "bindings.hpp"
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
  using Observer = std::function<void(TensorId, const Value&)>;

  /// `arena` may be null.
  State(Device& device, std::shared_ptr<Arena> arena, CompiledNetwork network)
      : device_(device), arena_(std::move(arena)), network_(std::move(network)), kept_(network_.graph) {
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

  std::vector<Value> run(const std::vector<Value>& sample, const RunOptions& options, const Observer& observer) {
    std::vector<Value> values = kept_.with_states(sample);
    graph::check_inputs(graph(), values);
    std::vector<SharedDeviceValue> inputs;
    for (Value& value : values) {
      inputs.push_back(std::make_shared<const DeviceValue>(std::move(value)));
    }
    std::vector<Value> outputs;
    for (const SharedDeviceValue& output : run_steps(inputs, options, observer)) {
      outputs.push_back(output->on_host());
    }
    return kept_.without_states(std::move(outputs));
  }

  std::vector<SharedDeviceValue> run_in_arena(const std::vector<SharedDeviceValue>& inputs, const RunOptions& options) {
    if (!arena_ || !graph().states.empty()) {
      throw InvalidArgument(fmt::format("network '{}' {}: run it with values in the host's memory", graph().name,
                                        arena_ ? "has states" : "was made without an arena"));
    }
    graph::check_input_count(graph(), inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const DeviceValue& given = *inputs[i];
      graph::check_value("input", graph().tensor(graph().inputs[i]), given.type(), given.shape(), given.bytes());
    }
    return run_steps(inputs, options, {});
  }

  const Graph& graph() const { return network_.graph; }
  const std::vector<StepReport>& reports() const { return reports_; }
  const TransformationCounts& transformations() const { return network_.transformations; }

 private:
  using Values = std::map<TensorId, SharedDeviceValue>;

  std::vector<SharedDeviceValue> run_steps(const std::vector<SharedDeviceValue>& inputs, const RunOptions& options,
                                           const Observer& observer) {
    Values values;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      values[graph().inputs[i]] = inputs[i];
    }
    graph::check_roots(graph(), [&](TensorId id) -> const Value& { return values.at(id)->on_host(); });
    std::size_t programs = 0;
    for (std::size_t i = 0; i < network_.steps.size(); ++i) {
      if (options.cancel && options.cancel()) {
        throw Cancelled("run: cancelled");
      }
      Values made;
      if (auto* step = std::get_if<DeviceStep>(&network_.steps[i])) {
        RunOptions named = options;
        named.name = options.name.empty() ? run_name(*step, programs++) : options.name;
        made = on_device(i, values, named);
      } else {
        made = on_host(std::get<HostStep>(network_.steps[i]), values);
      }
      for (auto& [id, value] : made) {
        if (observer) {
          observer(id, value->on_host());
        }
        values[id] = std::move(value);
      }
    }
    std::vector<SharedDeviceValue> outputs;
    for (const TensorId id : graph().outputs) {
      outputs.push_back(value_of(id, values));
    }
    return outputs;
  }

  void add(DeviceStep& step) {
    if (arena_) {
      bindings_.push_back(std::make_unique<network::Bindings>(step, device_.configuration()));
      device_.place(step.program, {arena_, &arena_->range()});
    } else {
      bindings_.push_back(nullptr);
      device_.place(step.program);
    }
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
    bindings_.push_back(nullptr);
    clocks_.push_back(nullptr);
  }

  /// The value of a tensor. The value of a constant is created once for all samples.
  const SharedDeviceValue& value_of(TensorId id, const Values& values) {
    if (const auto found = values.find(id); found != values.end()) {
      return found->second;
    }
    auto& constant = constants_[id];
    if (!constant) {
      constant = std::make_shared<const DeviceValue>(graph::constant_value(graph().tensor(id)));
    }
    return constant;
  }

  Values on_device(std::size_t number, const Values& values, const RunOptions& options) {
    auto& step = std::get<DeviceStep>(network_.steps[number]);
    const auto run = [&] {
      StepReport& report = reports_[number];
      report.stats = device_.run(step.program, options);
      clocks_[number]->report(report.layers, report.stats.cycles);
      network::check_balance(report, clocks_[number]->vectors(), device_.configuration().dim);
    };
    return arena_ ? in_arena(step, *bindings_[number], values, run) : in_own_range(step, values, run);
  }

  /// Runs a program on tensors that are anywhere in the arena.
  template <class Run>
  Values in_arena(DeviceStep& step, network::Bindings& bindings, const Values& values, const Run& run) {
    const auto move = [&](TensorId id, const Buffer& buffer) {
      bindings.move(id, buffer.address() - arena_->range().address());
    };
    for (const auto& [id, range] : step.inputs) {
      const SharedDeviceValue& value = value_of(id, values);
      const auto tiles = step.tiles.find(id);
      move(id, tiles == step.tiles.end() ? value->on_device(arena_) : value->as_tiles(arena_, tiles->second));
    }
    Values made;
    for (const auto& [id, range] : step.outputs) {
      const graph::Tensor& tensor = graph().tensor(id);
      Buffer buffer = arena_->allocate(range.bytes);
      move(id, buffer);
      made[id] = std::make_shared<const DeviceValue>(arena_, std::move(buffer), tensor.type, tensor.shape);
    }
    run();
    return made;
  }

  /// Runs a program on copies of the tensors in the range of its bindings.
  template <class Run>
  Values in_own_range(DeviceStep& step, const Values& values, const Run& run) {
    for (const auto& [id, range] : step.inputs) {
      const Value& value = value_of(id, values)->on_host();
      const auto tiles = step.tiles.find(id);
      const graph::Bytes bytes = tiles == step.tiles.end()
                                     ? network::stored(value)
                                     : network::bytes_of(tiles->second, value, device_.configuration().dim);
      device_.write(step.program.bindings(), bytes.data(), bytes.size(), range.offset);
    }
    run();
    Values made;
    for (const auto& [id, range] : step.outputs) {
      const graph::Tensor& tensor = graph().tensor(id);
      Value value{tensor.type, tensor.shape, graph::Bytes(range.bytes)};
      device_.read(step.program.bindings(), value.data.data(), value.data.size(), range.offset);
      network::toggle(value.type, value.data);
      made[id] = std::make_shared<const DeviceValue>(std::move(value));
    }
    return made;
  }

  Values on_host(const HostStep& step, const Values& values) {
    const graph::Operator& op = graph().operators.at(static_cast<std::size_t>(step.op));
    std::vector<const Value*> inputs;
    for (const TensorId id : op.inputs) {
      inputs.push_back(id == graph::kNoTensor ? nullptr : &value_of(id, values)->on_host());
    }
    std::vector<Value> results = graph::execute_operator(graph(), op, inputs);
    Values made;
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
      made[op.outputs[i]] = std::make_shared<const DeviceValue>(std::move(results[i]));
    }
    return made;
  }

  Device& device_;
  std::shared_ptr<Arena> arena_;  // null if each program has bindings of its own
  CompiledNetwork network_;       // must not move: clocks and bindings hold references to its programs
  graph::GraphState kept_;
  std::vector<StepReport> reports_;
  Values constants_;
  std::vector<std::unique_ptr<network::Bindings>> bindings_;  // one per step, null where there is no arena
  std::vector<std::shared_ptr<network::LayerClock>> clocks_;  // one per step, null for steps on the host
};

Network::Network(Device& device, CompiledNetwork network)
    : state_(std::make_unique<State>(device, nullptr, std::move(network))) {}
Network::Network(std::shared_ptr<Arena> arena, CompiledNetwork network) {
  Device& device = arena->device();
  state_ = std::make_unique<State>(device, std::move(arena), std::move(network));
}
Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;
Network::~Network() = default;

std::vector<Value> Network::run(const std::vector<Value>& inputs, const RunOptions& options,
                                const std::function<void(TensorId, const Value&)>& observer) {
  return state_->run(inputs, options, observer);
}
std::vector<SharedDeviceValue> Network::run_in_arena(const std::vector<SharedDeviceValue>& inputs,
                                                     const RunOptions& options) {
  return state_->run_in_arena(inputs, options);
}
void Network::reset_state() { state_->reset_state(); }
const graph::Graph& Network::graph() const { return state_->graph(); }
const std::vector<StepReport>& Network::steps() const { return state_->reports(); }
const TransformationCounts& Network::transformations() const { return state_->transformations(); }

}  // namespace systole
