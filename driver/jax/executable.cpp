// SPDX-License-Identifier: Apache-2.0
#include "executable.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "interrupts.hpp"
#include "profiler.hpp"

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
  std::string program;
  ranks::Topology links;
  std::shared_ptr<LoadedRoutine> routine;
  std::shared_ptr<Meeting> meeting;  ///< null if only one device takes part
  std::size_t number = 0;            ///< of the device in the meeting
  std::vector<std::shared_ptr<Contents>> arguments, results;
  std::shared_ptr<Completion> ended = std::make_shared<Completion>();
  int interrupts_before = interrupts();

  void end(const std::optional<Error>& error) const {
    for (const std::shared_ptr<Contents>& result : results) {
      result->ready.complete(error);
    }
    ended->complete(error);
  }

  /// An exchange to which all devices have come already succeeds.
  void leave() const {
    if (meeting) {
      meeting->leave();
    }
  }

  void run(pjrt::Device& device) {
    try {
      std::vector<SharedDeviceValue> inputs;
      for (const std::shared_ptr<Contents>& argument : arguments) {
        if (const std::optional<Error> error = argument->ready.wait()) {
          throw CallError(*error);
        }
        inputs.push_back(argument->value);
      }
      arguments.clear();
      if (meeting) {
        const std::vector<std::int32_t> own{static_cast<std::int32_t>(number)};
        inputs.push_back(std::make_shared<const DeviceValue>(graph::make_value(graph::ElementType::kInt32, {}, own)));
      }
      const Configuration& configuration = device.core->device.configuration();
      const Arena& arena = *device.core->arena;
      device.last_run.begin(program, arena.copies());
      Surroundings around;
      around.options.cancel = Interruption(interrupts_before);
      around.observer = [&](const Network& network, std::int64_t began_ns) {
        device.last_run.add(network);
        profile(device.description.id, began_ns, network.steps());
      };
      around.exchanged = [&](std::size_t bytes) {
        device.last_run.add_exchange(ranks::gathering_cycles(device.client.link, links, static_cast<double>(bytes)));
      };
      around.of_core = device.files.begin(program, configuration);
      around.meeting = meeting.get();
      around.number = number;
      const std::vector<SharedDeviceValue> outputs = routine->run(inputs, around);
      device.last_run.end(arena.copies());
      device.files.end(program, configuration, device.last_run.totals().steps);
      for (std::size_t i = 0; i < results.size(); ++i) {
        results[i]->value = outputs.at(i);
      }
    } catch (...) {
      leave();
      end(current_error());
      return;
    }
    leave();
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

namespace {

/// A number of protobuf's wire format: seven bits a byte, the lowest first, the last without the highest bit.
std::string varint(std::size_t number) {
  constexpr std::size_t kMore = 0x80;
  std::string bytes;
  for (; number >= kMore; number /= kMore) {
    bytes += static_cast<char>(number % kMore + kMore);
  }
  return bytes + static_cast<char>(number);
}

/// DeviceAssignmentProto of one replica: replica_count = 1, computation_count = 2, computation_devices = 3, of which
/// each is {replica_device_ids = 1}, packed.
std::string assigned(const std::vector<int>& devices) {
  std::string bytes = "\x08" + varint(1) + "\x10" + varint(devices.size());
  for (const int device : devices) {
    const std::string id = varint(static_cast<std::size_t>(device));
    const std::string ids = "\x0a" + varint(id.size()) + id;
    bytes += "\x1a" + varint(ids.size()) + ids;
  }
  return bytes;
}

}  // namespace

LoadedExecutable::LoadedExecutable(std::shared_ptr<pjrt::Executable> program, Client& place)
    : client(place.shared_from_this()),
      executable(std::move(program)),
      name(client->own_name(executable->translation->name)),
      links(ranks::topology_named(executable->translation->devices.size() > 1 ? place.links : "ring",
                                  static_cast<int>(executable->translation->devices.size()))),
      assignment(assigned(executable->translation->devices)) {
  for (const int id : executable->translation->devices) {
    if (id < 0 || static_cast<std::size_t>(id) >= place.devices.size()) {
      throw CallError({ErrorCode::kInvalidArgument,
                       fmt::format("systole: a program for device {}; there are {}", id, place.devices.size())});
    }
    devices.push_back(place.devices[static_cast<std::size_t>(id)]);
    Core& core = *devices.back()->core;
    routines.push_back(routines.empty() ? std::make_shared<LoadedRoutine>(core, executable->translation->routine)
                                        : std::make_shared<LoadedRoutine>(core, *routines[0]));
  }
}

LoadedExecutable::~LoadedExecutable() { remove(); }

void LoadedExecutable::remove() {
  for (std::size_t i = 0; i < routines.size(); ++i) {
    devices[i]->worker.add([last = std::move(routines[i]), needed = executable, core = devices[i]->core]() mutable {
      const std::lock_guard<std::mutex> turn(core->turn);
      last.reset();
    });
  }
  routines.clear();
}

std::vector<std::shared_ptr<Completion>> execute(LoadedExecutable& program,
                                                 const std::vector<std::vector<Buffer*>>& arguments,
                                                 const std::vector<bool>& keep, Buffer** const* outputs) {
  const Translation& translation = *program.executable->translation;
  const std::size_t number = program.routines.size();
  if (number == 0) {
    throw CallError({ErrorCode::kInvalidArgument, fmt::format("systole: {} was deleted", translation.name)});
  }
  const std::size_t operands = translation.routine.inputs.size() - (number > 1 ? 1 : 0);
  if (arguments.size() != number || arguments[0].size() != operands) {
    throw CallError({ErrorCode::kInvalidArgument,
                     fmt::format("systole: {} takes {} arguments on {} devices, {} on {} were given", translation.name,
                                 operands, number, arguments.empty() ? 0 : arguments[0].size(), arguments.size())});
  }
  watch_interrupts();
  const auto meeting = number > 1 ? std::make_shared<Meeting>(number) : nullptr;
  std::vector<std::shared_ptr<Call>> calls;
  for (std::size_t d = 0; d < number; ++d) {
    auto call = std::make_shared<Call>();
    call->program = program.name;
    call->links = program.links;
    call->routine = program.routines[d];
    call->meeting = meeting;
    call->number = d;
    for (const Buffer* argument : arguments[d]) {
      call->arguments.push_back(argument->contents());
    }
    calls.push_back(std::move(call));
  }
  std::vector<std::shared_ptr<Completion>> ended;
  for (std::size_t d = 0; d < number; ++d) {
    for (const std::size_t i : translation.donated) {
      if (!keep[i]) {
        arguments[d][i]->held.reset();
      }
    }
    for (std::size_t i = 0; i < translation.outputs.size(); ++i) {
      const ArrayType& output = translation.outputs[i];
      calls[d]->results.push_back(std::make_shared<Contents>());
      outputs[d][i] = new Buffer(*program.devices[d], output.type, output.shape, calls[d]->results.back());
    }
    ended.push_back(calls[d]->ended);
  }
  // Devices that meet have their calls in the same order, or they would wait for each other.
  const std::lock_guard<std::mutex> lock(program.devices[0]->client.order);
  for (std::size_t d = 0; d < number; ++d) {
    pjrt::Device& device = *program.devices[d];
    device.worker.add([call = calls[d], &device] {
      call->run(device);
      const std::lock_guard<std::mutex> turn(device.core->turn);
      call->routine.reset();
    });
  }
  return ended;
}

}  // namespace systole::pjrt
