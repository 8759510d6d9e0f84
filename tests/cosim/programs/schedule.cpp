// SPDX-License-Identifier: Apache-2.0
// One semaphore for each ordered pair of engines (or two, alternating at random). The signalling engine commits in
// order and the waiting engine waits in order, so the k-th wait on a semaphore ends with the k-th signal: a token means
// "everything of that engine up to here has committed".
#include "schedule.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <unordered_map>

#include "kernel_set.hpp"
#include "systole/accesses.hpp"
#include "systole/isa_check.hpp"

namespace systole::programs {
namespace {

constexpr int kEngines = 4;
using Clock = std::array<int, kEngines>;  // per engine: its commands up to this index have committed
constexpr Clock kNothing = {-1, -1, -1, -1};

/// The last command of each engine that accessed each location.
class Touches final : public AccessVisitor {
 public:
  Touches(const AddressWindows& windows) : windows_(windows) {}

  /// The commands of other engines that `command` must come after.
  Clock visit(const isa::Instruction& instruction, const Configuration& c, int command, int engine) {
    command_ = command;
    engine_ = engine;
    after_ = kNothing;
    collecting_ = true;
    const std::vector<kernel::Word>* kernels = &kernels_of(c).known.kernels;
    visit_accesses(instruction, c, *this, kernels);
    collecting_ = false;
    visit_accesses(instruction, c, *this, kernels);
    return after_;
  }

  void rows(Memory memory, std::uint32_t first, std::uint32_t count, bool write) override {
    for (std::uint32_t r = 0; r < count; ++r) touch(memory, first + r, write);
  }
  void bytes(int window, std::uint32_t offset, std::uint64_t count, bool write) override {
    const std::uint64_t address = windows_[static_cast<std::size_t>(window)].base + std::uint64_t{offset};
    for (std::uint64_t g = address / kGranule; g <= (address + count - 1) / kGranule; ++g)
      touch(Memory::kDevice, g, write);
  }

 private:
  static constexpr std::uint64_t kGranule = 16;
  struct Last {
    Clock read = kNothing, write = kNothing;
  };

  void touch(Memory memory, std::uint64_t place, bool write) {
    Last& last = last_[static_cast<std::uint64_t>(memory) << 40 | place];
    if (!collecting_) {
      (write ? last.write : last.read)[static_cast<std::size_t>(engine_)] = command_;
      return;
    }
    for (std::size_t e = 0; e < kEngines; ++e) {
      if (static_cast<int>(e) == engine_) continue;
      after_[e] = std::max(after_[e], last.write[e]);
      if (write) after_[e] = std::max(after_[e], last.read[e]);
    }
  }

  const AddressWindows& windows_;
  std::unordered_map<std::uint64_t, Last> last_;
  Clock after_ = kNothing;
  int command_ = 0, engine_ = 0;
  bool collecting_ = true;
};

struct Node {
  isa::Instruction instruction;
  int engine;
  Clock known = kNothing;             // what has committed when it starts
  std::map<int, int> waits, signals;  // semaphore, amount
};

class Synchroniser {
 public:
  Synchroniser(const Configuration& c, const AddressWindows& windows, const Schedule& schedule, Source& source)
      : c_(c), schedule_(schedule), source_(source), touches_(windows) {
    std::iota(names_.begin(), names_.end(), 0);
    for (std::size_t i = names_.size() - 1; i > 0; --i)
      std::swap(names_[i], names_[static_cast<std::size_t>(source.range(0, static_cast<long long>(i)))]);
  }

  void add(const isa::Instruction& instruction) {
    Node node{instruction, static_cast<int>(isa::find_instruction(instruction)->engine), kNothing, {}, {}};
    const int index = static_cast<int>(nodes_.size());
    const auto self = static_cast<std::size_t>(node.engine);
    node.known = running_[self];
    Clock after = touches_.visit(instruction, c_, index, node.engine);
    if (schedule_.chain && index > 0 && nodes_.back().engine != node.engine)
      after[static_cast<std::size_t>(nodes_.back().engine)] = index - 1;
    for (int e = 0; e < kEngines; ++e) {
      const int producer = after[static_cast<std::size_t>(e)];
      const int known = (schedule_.implied ? node.known : synchronised_[self])[static_cast<std::size_t>(e)];
      if (e != node.engine && producer > known) give(producer, node);
    }
    if (index > 0 && source_.chance(schedule_.extra_percent)) {
      const int producer = static_cast<int>(source_.range(std::max(0, index - 6), index - 1));
      if (nodes_[static_cast<std::size_t>(producer)].engine != node.engine &&
          producer > synchronised_[self][static_cast<std::size_t>(nodes_[static_cast<std::size_t>(producer)].engine)]) {
        give(producer, node);
      }
    }
    running_[self] = node.known;
    running_[self][self] = index;
    nodes_.push_back(std::move(node));
  }

  std::vector<isa::Instruction> emit() {
    std::vector<isa::Instruction> program;
    for (Node& node : nodes_) {
      const bool alone = source_.chance(schedule_.sync_percent);
      while (node.waits.size() > 2 || (alone && !node.waits.empty())) {
        isa::Semaphores s;
        take(node.waits, s.wait0_sem, s.wait0_amount);
        take(node.waits, s.wait1_sem, s.wait1_amount);
        program.push_back(sync(node.engine, s));
      }
      isa::Semaphores s = unused();
      take(node.waits, s.wait0_sem, s.wait0_amount);
      take(node.waits, s.wait1_sem, s.wait1_amount);
      if (!alone || node.signals.size() > 2) {
        take(node.signals, s.signal0_sem, s.signal0_amount);
        take(node.signals, s.signal1_sem, s.signal1_amount);
      }
      isa::encode(s, node.instruction);
      program.push_back(node.instruction);
      while (!node.signals.empty()) {
        isa::Semaphores more;
        take(node.signals, more.signal0_sem, more.signal0_amount);
        if (source_.chance(50)) take(node.signals, more.signal1_sem, more.signal1_amount);
        program.push_back(sync(node.engine, more));
      }
    }
    return program;
  }

 private:
  /// A token from an earlier command to `node`. It must be the latest one on its semaphore, which holds as long as the
  /// producers of a pair of engines are in ascending order.
  void give(int producer, Node& node) {
    Node& from = nodes_[static_cast<std::size_t>(producer)];
    const auto e = static_cast<std::size_t>(from.engine);
    const int semaphore = names_[static_cast<std::size_t>(2 * (kEngines * from.engine + node.engine)) +
                                 static_cast<std::size_t>(source_.range(0, 1))];
    const int amount = static_cast<int>(source_.range(1, 3));
    from.signals[semaphore] += amount;
    node.waits[semaphore] += amount;
    synchronised_[static_cast<std::size_t>(node.engine)][e] = producer;
    for (std::size_t i = 0; i < kEngines; ++i) node.known[i] = std::max(node.known[i], from.known[i]);
    node.known[e] = std::max(node.known[e], producer);
  }

  void take(std::map<int, int>& from, std::uint8_t& semaphore, std::uint8_t& amount) {
    if (from.empty()) return;
    semaphore = static_cast<std::uint8_t>(from.begin()->first);
    amount = static_cast<std::uint8_t>(from.begin()->second);
    from.erase(from.begin());
  }

  /// Selectors with amount zero may have any value.
  isa::Semaphores unused() {
    isa::Semaphores s;
    s.wait0_sem = static_cast<std::uint8_t>(source_.range(0, 31));
    s.wait1_sem = static_cast<std::uint8_t>(source_.range(0, 31));
    s.signal0_sem = static_cast<std::uint8_t>(source_.range(0, 31));
    s.signal1_sem = static_cast<std::uint8_t>(source_.range(0, 31));
    return s;
  }

  static isa::Instruction sync(int engine, const isa::Semaphores& semaphores) {
    constexpr isa::Opcode kSync[kEngines] = {isa::Opcode::kSyncLoad, isa::Opcode::kSyncMxu, isa::Opcode::kSyncVpu,
                                             isa::Opcode::kSyncStore};
    isa::Instruction instruction;
    isa::put(instruction, 0, 8, static_cast<std::uint32_t>(kSync[engine]));
    isa::encode(semaphores, instruction);
    return instruction;
  }

  const Configuration& c_;
  const Schedule& schedule_;
  Source& source_;
  Touches touches_;
  std::array<int, 32> names_{};
  std::vector<Node> nodes_;
  std::array<Clock, kEngines> running_{kNothing, kNothing, kNothing, kNothing};       // what each engine knows to have
                                                                                      // committed
  std::array<Clock, kEngines> synchronised_{kNothing, kNothing, kNothing, kNothing};  // through its own tokens
};

}  // namespace

std::vector<isa::Instruction> synchronise(const std::vector<isa::Instruction>& commands, std::uint32_t tag,
                                          const Configuration& configuration, const AddressWindows& windows,
                                          const Schedule& schedule, Source& source) {
  Synchroniser synchroniser(configuration, windows, schedule, source);
  for (const isa::Instruction& command : commands) synchroniser.add(command);
  auto program = synchroniser.emit();
  isa::End end;
  end.tag = tag;
  end.clear = source.chance(10);
  program.push_back(end.encode());
  return program;
}

}  // namespace systole::programs
