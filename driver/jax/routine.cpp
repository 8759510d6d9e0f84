// SPDX-License-Identifier: Apache-2.0
#include "routine.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "systole/errors.hpp"

namespace systole::pjrt {
namespace {

using Registers = std::vector<SharedValue>;

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

std::vector<SharedValue> taken(const Registers& registers, const std::vector<Register>& which) {
  std::vector<SharedValue> values;
  for (const Register number : which) {
    values.push_back(registers.at(number));
  }
  return values;
}

void put(Registers& registers, const std::vector<Register>& which, std::vector<SharedValue> values) {
  for (std::size_t i = 0; i < which.size(); ++i) {
    registers.at(which[i]) = std::move(values.at(i));
  }
}

}  // namespace

struct LoadedRoutine::State {
  struct LoadedBlock {
    const Block* block;
    std::unique_ptr<CompiledNetwork> compiled;  ///< until it is loaded
    std::unique_ptr<Network> network;           ///< afterwards
  };
  struct LoadedLoop {
    const Loop* loop;
    LoadedRoutine condition, body;
  };
  struct LoadedChoice {
    const Choice* choice;
    std::vector<LoadedRoutine> branches;
  };
  using LoadedStep = std::variant<LoadedBlock, LoadedLoop, LoadedChoice>;

  /// What a run needs at each of its steps.
  struct Running {
    systole::Device& device;
    Registers& registers;
    const RunOptions& options;
    const Observer& observer;

    void operator()(LoadedBlock& step) const {
      if (!step.network) {
        step.network = std::make_unique<Network>(device, std::move(*step.compiled));
        step.compiled.reset();
      }
      std::vector<graph::Value> inputs;
      for (const SharedValue& value : taken(registers, step.block->inputs)) {
        inputs.push_back(*value);
      }
      std::vector<SharedValue> outputs;
      for (graph::Value& value : step.network->run(inputs, options)) {
        outputs.push_back(std::make_shared<const graph::Value>(std::move(value)));
      }
      observer(*step.network);
      put(registers, step.block->outputs, std::move(outputs));
    }

    void operator()(LoadedLoop& step) const {
      std::vector<SharedValue> values = taken(registers, step.loop->inputs);
      while (number_in(*step.condition.run(values, options, observer).at(0)) != 0) {
        values = step.body.run(values, options, observer);
      }
      put(registers, step.loop->outputs, std::move(values));
    }

    void operator()(LoadedChoice& step) const {
      const std::int32_t number = number_in(*registers.at(step.choice->number));
      const auto last = static_cast<std::int32_t>(step.branches.size()) - 1;
      const auto branch = static_cast<std::size_t>(number < 0 || number > last ? last : number);
      put(registers, step.choice->outputs,
          step.branches[branch].run(taken(registers, step.choice->inputs), options, observer));
    }
  };

  static LoadedStep loaded(systole::Device& device, const Block& block) {
    return LoadedBlock{&block,
                       std::make_unique<CompiledNetwork>(
                           compile_network(block.graph, device.configuration(), {{}, device.memory_timing()})),
                       nullptr};
  }
  static LoadedStep loaded(systole::Device& device, const Loop& loop) {
    return LoadedLoop{&loop, {device, *loop.condition}, {device, *loop.body}};
  }
  static LoadedStep loaded(systole::Device& device, const Choice& choice) {
    LoadedChoice step{&choice, {}};
    for (const std::shared_ptr<Routine>& branch : choice.branches) {
      step.branches.emplace_back(device, *branch);
    }
    return step;
  }

  systole::Device& device;
  const Routine& routine;
  std::vector<LoadedStep> steps;
};

LoadedRoutine::LoadedRoutine(systole::Device& device, const Routine& routine) : state_(new State{device, routine, {}}) {
  for (const Step& step : routine.steps) {
    state_->steps.push_back(std::visit([&](const auto& s) { return State::loaded(device, s); }, step));
  }
}
LoadedRoutine::LoadedRoutine(LoadedRoutine&&) noexcept = default;
LoadedRoutine::~LoadedRoutine() = default;

std::vector<SharedValue> LoadedRoutine::run(const std::vector<SharedValue>& inputs, const RunOptions& options,
                                            const Observer& observer) {
  Registers registers(state_->routine.registers);
  put(registers, state_->routine.inputs, inputs);
  for (State::LoadedStep& step : state_->steps) {
    std::visit(State::Running{state_->device, registers, options, observer}, step);
  }
  return taken(registers, state_->routine.outputs);
}

}  // namespace systole::pjrt
