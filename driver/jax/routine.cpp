// SPDX-License-Identifier: Apache-2.0
#include "routine.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "profiler.hpp"
#include "systole/errors.hpp"

namespace systole::pjrt {
namespace {

using Registers = std::vector<SharedDeviceValue>;

/// The only element of a bool or an int32.
std::int32_t number_in(const graph::Value& value) {
  if (value.type == graph::ElementType::kBool && value.data.size() == 1) {
    return value.data[0];
  }
  if (value.type != graph::ElementType::kInt32 || value.data.size() != sizeof(std::int32_t)) {
    throw InternalError("a branch's number is neither a bool nor an int32");
  }
  return graph::elements<std::int32_t>(value)[0];
}

std::vector<SharedDeviceValue> taken(const Registers& registers, const std::vector<Register>& which) {
  std::vector<SharedDeviceValue> values;
  for (const Register number : which) {
    values.push_back(registers.at(number));
  }
  return values;
}

void put(Registers& registers, const std::vector<Register>& which, std::vector<SharedDeviceValue> values) {
  for (std::size_t i = 0; i < which.size(); ++i) {
    registers.at(which[i]) = std::move(values.at(i));
  }
}

/// A copy of a program that is on no device yet.
Program unplaced(const Program& program) {
  Program copy;
  static_cast<Listing&>(copy) = program;
  copy.constants = program.constants;
  copy.binding_bytes = program.binding_bytes;
  copy.constant_bytes = program.constant_bytes;
  copy.scratch_bytes = program.scratch_bytes;
  copy.label_cycles = program.label_cycles;
  copy.syncs = program.syncs;
  return copy;
}

CompiledNetwork copy_of(const CompiledNetwork& network) {
  CompiledNetwork copy{network.graph, network.configuration, {}, network.transformations};
  for (const NetworkStep& step : network.steps) {
    if (const auto* program = std::get_if<DeviceStep>(&step)) {
      copy.steps.emplace_back(
          DeviceStep{unplaced(program->program), program->layers, program->inputs, program->outputs, program->tiles});
    } else {
      copy.steps.emplace_back(std::get<HostStep>(step));
    }
  }
  return copy;
}

}  // namespace

Core::Core(systole::Device opened)
    : device(std::move(opened)),
      arena(
          std::make_shared<Arena>(device, device.memory()->free_bytes() / 4 * 3 / kRangeAlignment * kRangeAlignment)) {}

const graph::Value& Core::on_host(const SharedDeviceValue& value) {
  const std::lock_guard<std::mutex> lock(turn);
  return value->on_host();
}

struct LoadedRoutine::State {
  struct LoadedBlock {
    const Block* block;
    std::shared_ptr<const CompiledNetwork> compiled;
    std::unique_ptr<Network> network;  ///< null before the first run
  };
  struct LoadedLoop {
    const Loop* loop;
    LoadedRoutine condition, body;
  };
  struct LoadedChoice {
    const Choice* choice;
    std::vector<LoadedRoutine> branches;
  };
  using LoadedStep = std::variant<LoadedBlock, LoadedLoop, LoadedChoice, const Exchange*>;

  /// Attaches an observer to a device, unless it is null, as long as this exists.
  class Watched {
   public:
    Watched(systole::Device& device, const std::shared_ptr<Observer>& observer) : device_(device), observer_(observer) {
      if (observer_) {
        device_.attach(observer_);
      }
    }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    ~Watched() {
      if (observer_) {
        device_.detach(*observer_);
      }
    }

   private:
    systole::Device& device_;
    std::shared_ptr<Observer> observer_;
  };

  /// What a run needs at each of its steps.
  struct Running {
    Core& core;
    Registers& registers;
    const Surroundings& around;

    void operator()(LoadedBlock& step) const {
      const std::lock_guard<std::mutex> turn(core.turn);
      if (!step.network) {
        step.network = std::make_unique<Network>(core.arena, copy_of(*step.compiled));
      }
      const Watched watched(core.device, around.of_core);
      const std::int64_t began = profile_time();
      put(registers, step.block->outputs,
          step.network->run_in_arena(taken(registers, step.block->inputs), around.options));
      around.observer(*step.network, began);
    }

    void operator()(LoadedLoop& step) const {
      std::vector<SharedDeviceValue> values = taken(registers, step.loop->inputs);
      while (number_in(core.on_host(step.condition.run(values, around).at(0))) != 0) {
        values = step.body.run(values, around);
      }
      put(registers, step.loop->outputs, std::move(values));
    }

    void operator()(LoadedChoice& step) const {
      const std::int32_t number = number_in(core.on_host(registers.at(step.choice->number)));
      const auto last = static_cast<std::int32_t>(step.branches.size()) - 1;
      const auto branch = static_cast<std::size_t>(number < 0 || number > last ? last : number);
      put(registers, step.choice->outputs, step.branches[branch].run(taken(registers, step.choice->inputs), around));
    }

    void operator()(const Exchange* step) const {
      const SharedDeviceValue& own = registers.at(step->input);
      around.exchanged(own->bytes());
      std::vector<SharedDeviceValue> parts;
      for (const std::vector<SharedValue>& values :
           around.meeting->exchange(around.number, {SharedValue(own, &core.on_host(own))})) {
        const bool is_own = parts.size() == around.number;
        parts.push_back(is_own ? own : std::make_shared<const DeviceValue>(*values.at(0)));
      }
      put(registers, step->outputs, std::move(parts));
    }
  };

  static LoadedStep loaded(Core& core, const Block& block) {
    const systole::Device& device = core.device;
    return LoadedBlock{&block,
                       std::make_shared<const CompiledNetwork>(
                           compile_network(block.graph, device.configuration(), {{}, device.memory_timing()})),
                       nullptr};
  }
  static LoadedStep loaded(Core& core, const Loop& loop) {
    return LoadedLoop{&loop, {core, *loop.condition}, {core, *loop.body}};
  }
  static LoadedStep loaded(Core& core, const Choice& choice) {
    LoadedChoice step{&choice, {}};
    for (const std::shared_ptr<Routine>& branch : choice.branches) {
      step.branches.emplace_back(core, *branch);
    }
    return step;
  }
  static LoadedStep loaded(Core&, const Exchange& exchange) { return &exchange; }

  static LoadedStep copied(Core&, const LoadedBlock& step) { return LoadedBlock{step.block, step.compiled, nullptr}; }
  static LoadedStep copied(Core& core, const LoadedLoop& step) {
    return LoadedLoop{step.loop, {core, step.condition}, {core, step.body}};
  }
  static LoadedStep copied(Core& core, const LoadedChoice& step) {
    LoadedChoice copy{step.choice, {}};
    for (const LoadedRoutine& branch : step.branches) {
      copy.branches.emplace_back(core, branch);
    }
    return copy;
  }
  static LoadedStep copied(Core&, const Exchange* step) { return step; }

  Core& core;
  const Routine& routine;
  std::vector<LoadedStep> steps;
};

LoadedRoutine::LoadedRoutine(Core& core, const Routine& routine) : state_(new State{core, routine, {}}) {
  for (const Step& step : routine.steps) {
    state_->steps.push_back(std::visit([&](const auto& s) { return State::loaded(core, s); }, step));
  }
}
LoadedRoutine::LoadedRoutine(Core& core, const LoadedRoutine& compiled)
    : state_(new State{core, compiled.state_->routine, {}}) {
  for (const State::LoadedStep& step : compiled.state_->steps) {
    state_->steps.push_back(std::visit([&](const auto& s) { return State::copied(core, s); }, step));
  }
}
LoadedRoutine::LoadedRoutine(LoadedRoutine&&) noexcept = default;
LoadedRoutine::~LoadedRoutine() = default;

std::vector<SharedDeviceValue> LoadedRoutine::run(const std::vector<SharedDeviceValue>& inputs,
                                                  const Surroundings& surroundings) {
  Registers registers(state_->routine.registers);
  put(registers, state_->routine.inputs, inputs);
  for (State::LoadedStep& step : state_->steps) {
    std::visit(State::Running{state_->core, registers, surroundings}, step);
  }
  return taken(registers, state_->routine.outputs);
}

}  // namespace systole::pjrt
