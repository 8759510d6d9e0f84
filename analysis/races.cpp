// SPDX-License-Identifier: Apache-2.0
// For each location: the last command that wrote it and, for each engine, the last command that read it. The last one
// is enough: earlier accesses were checked against it when it was recorded.
#include "systole/races.hpp"

#include <fmt/core.h>

#include <array>

#include "command_order.hpp"
#include "interval_map.hpp"
#include "kernel_content.hpp"
#include "systole/disassemble.hpp"

namespace systole {
namespace {

using analysis::Clock;
using analysis::kEngines;

struct Row {
  std::uint32_t writer = 0;  ///< number of the command, or 0
  std::uint8_t writer_engine = 0;
  Clock reader{};
};

/// Thrown when a race is found.
struct FoundRace {
  std::size_t engine;  ///< engine of the earlier command
  std::uint32_t number;
  bool wrote;
  bool writes;
  Memory memory;
  std::uint64_t place;
};

class Detector final : public AccessVisitor {
 public:
  Detector(const Configuration& c, const AddressWindows& windows) : windows_(windows) {
    for (const Memory m :
         {Memory::kScratchpad, Memory::kWeights, Memory::kParameters, Memory::kAccumulators, Memory::kKernels}) {
      rows_[static_cast<std::size_t>(m)].resize(static_cast<std::size_t>(rows_of(c, m)));
    }
  }

  /// `in_order`: the accesses of the command take effect one after the other.
  void begin(std::size_t engine, std::uint32_t number, const Clock& before, bool in_order) {
    in_order_ = in_order;
    engine_ = engine;
    number_ = number;
    before_ = before;
  }

  /// Orders everything so far before everything that follows (END).
  void barrier() {
    loaded_.clear();
    stored_.clear();
  }

  void rows(Memory memory, std::uint32_t first, std::uint32_t count, bool write) override {
    auto& all = rows_[static_cast<std::size_t>(memory)];
    for (std::uint32_t r = first; r < first + count && r < all.size(); ++r) {
      touch(all[r], memory, r, write);
    }
  }

  /// Only LOAD reads device memory and only STORE writes it.
  void bytes(int window, std::uint32_t offset, std::uint64_t count, bool write) override {
    const std::uint64_t begin = std::uint64_t{windows_[static_cast<std::size_t>(window)].base} + offset;
    const auto other = static_cast<std::size_t>(write ? isa::Engine::kLoad : isa::Engine::kStore);
    if (const auto hit = (write ? loaded_ : stored_).first_above(begin, begin + count, before_[other])) {
      throw FoundRace{other, hit->number, !write, write, Memory::kDevice, hit->address};
    }
    (write ? stored_ : loaded_).assign(begin, begin + count, number_);
  }

 private:
  void touch(Row& row, Memory memory, std::uint32_t r, bool write) {
    const bool own = row.writer_engine == engine_;
    if (row.writer > before_[row.writer_engine] && (!own || (!write && row.writer == number_ && !in_order_))) {
      throw FoundRace{row.writer_engine, row.writer, true, write, memory, r};
    }
    if (!write) {
      row.reader[engine_] = number_;
      return;
    }
    for (std::size_t e = 0; e < kEngines; ++e) {
      if (e != engine_ && row.reader[e] > before_[e]) {
        throw FoundRace{e, row.reader[e], false, write, memory, r};
      }
    }
    row.writer = number_;
    row.writer_engine = static_cast<std::uint8_t>(engine_);
  }

  const AddressWindows& windows_;
  std::array<std::vector<Row>, 5> rows_;
  analysis::IntervalMap loaded_;
  analysis::IntervalMap stored_;
  std::size_t engine_ = 0;
  std::uint32_t number_ = 0;
  bool in_order_ = false;
  Clock before_{};
};

}  // namespace

std::string Race::text() const {
  const auto did = [](bool writes) { return writes ? "writes" : "reads"; };
  const std::string where = memory == Memory::kDevice ? fmt::format("device memory at 0x{:x}", place)
                                                      : fmt::format("{} row {}", to_string(memory), place);
  if (first == second) {
    return fmt::format("race within command {} ({}): it reads {} after it wrote it\n  {}", first,
                       isa::to_string(first_engine), where, first_command);
  }
  return fmt::format(
      "race on {}: command {} ({}) {} it and command {} ({}) {} it, and no semaphore orders them\n  {}\n  {}", where,
      first, isa::to_string(first_engine), did(first_writes), second, isa::to_string(second_engine), did(second_writes),
      first_command, second_command);
}

std::optional<Race> check_races(const std::vector<isa::Instruction>& program, const Configuration& configuration,
                                const AddressWindows& windows, const KnownMemory& known) {
  const analysis::Order order(program);
  analysis::KernelContent kernels(program, configuration, windows, known);
  Detector detector(configuration, windows);
  for (std::size_t i = 0; i < program.size(); kernels.execute(program[i++])) {
    const auto opcode = static_cast<isa::Opcode>(isa::get(program[i], 0, 8));
    if (order.engine(i) == kEngines) {
      if (opcode == isa::Opcode::kEnd) {
        detector.barrier();
      }
      continue;
    }
    detector.begin(order.engine(i), order.number(i), order.before(i), opcode == isa::Opcode::kVector);
    try {
      visit_accesses(program[i], configuration, detector, kernels.words());
    } catch (const FoundRace& f) {
      const std::size_t first = order.command(f.engine, f.number);
      return Race{first,    i,        static_cast<isa::Engine>(f.engine), static_cast<isa::Engine>(order.engine(i)),
                  f.wrote,  f.writes, isa::disassemble(program[first]),   isa::disassemble(program[i]),
                  f.memory, f.place};
    }
  }
  return std::nullopt;
}

}  // namespace systole
