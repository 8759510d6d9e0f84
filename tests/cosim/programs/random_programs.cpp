// SPDX-License-Identifier: Apache-2.0
#include "random_programs.hpp"

#include <algorithm>

#include "kernel_set.hpp"
#include "systole/legality.hpp"
#include "systole/races.hpp"

namespace systole::programs {

std::vector<isa::Instruction> random_programs(const ProgramOptions& options, const Configuration& c,
                                              const AddressWindows& windows, Source& source) {
  Commands commands(c, windows, source);
  std::vector<isa::Instruction> all;
  for (int p = 0; p < options.programs; ++p) {
    Style style;
    style.rows = static_cast<int>(source.chance(50) ? source.range(32, 128) : source.range(128, c.scratch_rows));
    style.first_row = static_cast<int>(source.range(0, std::max(0, c.scratch_rows - style.rows)));
    style.large = source.chance(20);
    commands.set_style(style);
    Schedule schedule;
    schedule.chain = options.chain || source.chance(10);
    schedule.implied = source.chance(50);
    schedule.extra_percent = source.chance(50) ? 0 : 30;
    schedule.sync_percent = source.chance(50) ? 0 : 20;
    std::vector<isa::Instruction> list;
    const auto count = source.range(1, options.commands);
    for (long long i = 0; i < count; ++i) list.push_back(commands.any());
    const auto program = synchronise(list, static_cast<std::uint32_t>(source.word()), c, windows, schedule, source);
    all.insert(all.end(), program.begin(), program.end());
  }
  return all;
}

std::string refusal(const std::vector<isa::Instruction>& program, const Configuration& c,
                    const AddressWindows& windows) {
  if (const auto refused = check_program(program, c, windows, kernels_of(c).known)) return refused->text();
  if (const auto race = check_races(program, c, windows, kernels_of(c).known)) return race->text();
  return {};
}

Batch pack(const std::vector<isa::Instruction>& commands, bool jumps, const Setting& setting, Source& source,
           std::vector<isa::Instruction>& dispatch) {
  constexpr auto kEnd = static_cast<std::uint32_t>(isa::Opcode::kEnd);
  Batch batch;
  const auto window_base = setting.windows[static_cast<std::size_t>(setting.ring_window)].base;
  // JUMP targets are placed after the ring, which has at most 128 entries.
  std::uint32_t body = window_base + setting.ring_base + 256 * isa::kInstructionBytes;
  for (std::size_t i = 0; i < commands.size();) {
    const std::size_t left = commands.size() - i;
    // The last command stays in the ring: the device is busy until the ring's last END.
    const auto count =
        jumps && left > 1 && source.chance(15)
            ? static_cast<std::size_t>(source.range(1, static_cast<long long>(std::min<std::size_t>(left - 1, 20))))
            : 0;
    if (count == 0) {
      batch.ring.push_back(commands[i]);
      dispatch.push_back(commands[i]);
      batch.ends += isa::get(commands[i], 0, 8) == kEnd;
      ++i;
      continue;
    }
    body += static_cast<std::uint32_t>(source.range(0, 9)) * isa::kInstructionBytes;
    isa::Jump jump;
    jump.target = body - window_base;
    jump.count = static_cast<std::uint32_t>(count);
    jump.window = static_cast<std::uint8_t>(setting.ring_window);
    batch.ring.push_back(jump.encode());
    dispatch.push_back(jump.encode());
    Batch::Body part{body, {}};
    for (std::size_t k = 0; k < count; ++k, ++i) {
      part.commands.push_back(commands[i]);
      dispatch.push_back(commands[i]);
      batch.ends += isa::get(commands[i], 0, 8) == kEnd;
    }
    body += static_cast<std::uint32_t>(count) * isa::kInstructionBytes;
    batch.bodies.push_back(std::move(part));
  }
  return batch;
}

BackendOptions quick_timing(const std::string& configuration, std::uint64_t seed) {
  BackendOptions o;
  o.configuration = configuration;
  o.memory_bytes = kMemoryBytes;
  o.memory.read_latency = o.memory.write_latency = 5;
  o.host_latency = 1;
  o.host_bytes_per_cycle = 4096;
  o.seed = seed;
  return o;
}

BackendOptions random_timing(const std::string& configuration, Source& source) {
  BackendOptions o = quick_timing(configuration, source.word());
  const auto latency = [&] {
    return static_cast<unsigned>(source.chance(50) ? source.range(1, 20) : source.range(1, 300));
  };
  const auto interval = [&] { return static_cast<unsigned>(source.chance(60) ? 1 : source.range(2, 5)); };
  o.memory.read_latency = latency();
  o.memory.write_latency = latency();
  o.memory.read_interval = interval();
  o.memory.write_interval = interval();
  o.stall_percent = static_cast<unsigned>(source.chance(40) ? 0 : source.range(1, 70));
  o.order = source.chance(50) ? ResponseOrder::kRandom : ResponseOrder::kInOrder;
  return o;
}

}  // namespace systole::programs
