// SPDX-License-Identifier: Apache-2.0
#include "executable.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "interrupts.hpp"

namespace systole::pjrt {
namespace {

/// Whether there was an interrupt after so many. Not before Python has had the time to raise KeyboardInterrupt in the
/// thread that waits for the result, which would get the error of the call instead; JAX looks five times a second.
class Interruption {
 public:
  explicit Interruption(int before) : before_(before) {}

  bool operator()() {
    if (interrupts() == before_) {
      return false;
    }
    const auto now = std::chrono::steady_clock::now();
    since_ = since_ == std::chrono::steady_clock::time_point() ? now : since_;
    return now - since_ > kWait;
  }

 private:
  static constexpr auto kWait = std::chrono::seconds(1);
  int before_;
  std::chrono::steady_clock::time_point since_;
};

/// A call, from when it was given to the worker to its end.
struct Call {
  std::shared_ptr<LoadedRoutine> routine;
  std::vector<std::shared_ptr<Contents>> arguments, results;
  std::shared_ptr<Completion> ended = std::make_shared<Completion>();
  int interrupts_before = interrupts();

  void end(const std::optional<Error>& error) const {
    for (const std::shared_ptr<Contents>& result : results) {
      result->ready.complete(error);
    }
    ended->complete(error);
  }

  void run(pjrt::Device& device) {
    try {
      std::vector<SharedValue> inputs;
      for (const std::shared_ptr<Contents>& argument : arguments) {
        if (const std::optional<Error> error = argument->ready.wait()) {
          throw CallError(*error);
        }
        inputs.emplace_back(argument, &argument->value);
      }
      arguments.clear();
      device.last_run.begin();
      RunOptions options;
      options.cancel = Interruption(interrupts_before);
      const std::vector<SharedValue> outputs =
          routine->run(inputs, options, [&](const Network& network) { device.last_run.add(network); });
      for (std::size_t i = 0; i < results.size(); ++i) {
        results[i]->value = *outputs.at(i);
      }
    } catch (...) {
      end(current_error());
      return;
    }
    end({});
  }
};

}  // namespace

Executable::Executable(std::shared_ptr<const Translation> program, std::string compile_options)
    : translation(std::move(program)), options(std::move(compile_options)) {
  for (const ArrayType& output : translation->outputs) {
    types.push_back(buffer_type_of(output.type));
    dimensions.insert(dimensions.end(), output.shape.begin(), output.shape.end());
    ranks.push_back(output.shape.size());
    memory_kinds.push_back(kMemoryKind.data());
    memory_kind_sizes.push_back(kMemoryKind.size());
  }
}

LoadedExecutable::LoadedExecutable(std::shared_ptr<pjrt::Executable> program, pjrt::Device& place)
    : executable(std::move(program)),
      devices{&place},
      routine(std::make_shared<LoadedRoutine>(place.core, executable->translation->routine)) {}

// The networks leave the device after the calls that were given to it.
LoadedExecutable::~LoadedExecutable() {
  devices[0]->worker.add([last = std::move(routine), needed = executable]() mutable { last.reset(); });
}

std::shared_ptr<Completion> execute(LoadedExecutable& program, const std::vector<Buffer*>& arguments,
                                    const std::vector<bool>& keep, Buffer** outputs) {
  const Translation& translation = *program.executable->translation;
  if (!program.routine) {
    throw CallError({ErrorCode::kInvalidArgument, fmt::format("systole: {} was deleted", translation.name)});
  }
  if (arguments.size() != translation.routine.inputs.size()) {
    throw CallError(
        {ErrorCode::kInvalidArgument, fmt::format("systole: {} takes {} arguments, {} were given", translation.name,
                                                  translation.routine.inputs.size(), arguments.size())});
  }
  watch_interrupts();
  pjrt::Device& device = *program.devices[0];
  auto call = std::make_shared<Call>();
  call->routine = program.routine;
  for (const Buffer* argument : arguments) {
    call->arguments.push_back(argument->contents());
  }
  for (const std::size_t i : translation.donated) {
    if (!keep[i]) {
      arguments[i]->held.reset();
    }
  }
  for (std::size_t i = 0; i < translation.outputs.size(); ++i) {
    call->results.push_back(std::make_shared<Contents>());
    outputs[i] = new Buffer(device, translation.outputs[i].type, translation.outputs[i].shape, call->results.back());
  }
  device.worker.add([call, &device] {
    call->run(device);
    call->routine.reset();
  });
  return call->ended;
}

}  // namespace systole::pjrt
