// SPDX-License-Identifier: Apache-2.0
#include "systole/deadlock.hpp"

#include <algorithm>
#include <deque>

#include "command_history.hpp"
#include "systole/isa_check.hpp"

namespace systole {
namespace {

using hang::kEngines;
using hang::kNone;

/// Simulates the synchronization of a program: a command executes when its semaphores hold enough tokens.
class TokenSimulation {
 public:
  enum class Rule {
    kReal,     ///< taking a token removes it
    kRelaxed,  ///< each engine that waits for the semaphore can take every token once
  };
  enum class Outcome {
    kStuck,
    kUndecided,  ///< the program ends, causes an error, or jumps to unknown commands
  };

  TokenSimulation(const Listing& program, Rule rule) : program_(program), rule_(rule) {}

  Outcome run() {
    bool moved = true;
    while (moved) {
      moved = dispatch();
      if (left_) {
        return Outcome::kUndecided;
      }
      moved = fire() || moved;
    }
    return Outcome::kStuck;
  }

  /// True if more than one engine has waited, or waits, for the same semaphore.
  bool competing() const {
    return std::any_of(waiters_.begin(), waiters_.end(),
                       [](unsigned engines) { return (engines & (engines - 1)) != 0; });
  }

  HangState state() const {
    HangState state;
    state.dispatched = next_;
    for (std::size_t e = 0; e < kEngines; ++e) {
      state.engines[e].queued = static_cast<unsigned>(queues_[e].size());
      state.engines[e].oldest = queues_[e].empty() ? 0 : queues_[e].front();
    }
    for (std::size_t s = 0; s < given_.size(); ++s) {
      state.semaphores[s] =
          static_cast<std::uint8_t>(std::min<long long>(given_[s] - taken_by_all(s), isa::kSemaphoreMax));
    }
    return state;
  }

 private:
  /// Dispatches as many commands as the queues accept. Sets left_ where the outcome cannot be decided.
  bool dispatch() {
    bool moved = false;
    for (; next_ < program_.instructions.size() + 1; ++next_, moved = true) {
      const bool appended = next_ == program_.instructions.size();
      const isa::InstructionInfo* info = appended ? nullptr : isa::find_instruction(program_.instructions[next_]);
      if (appended || (info && info->opcode == isa::Opcode::kEnd)) {
        if (std::any_of(queues_.begin(), queues_.end(), [](const auto& queue) { return !queue.empty(); })) {
          return moved;
        }
        for (std::size_t s = 0; s < given_.size(); ++s) {
          if (given_[s] < taken_by_all(s)) {
            return false;  // too few tokens even under the relaxed rule: END is never reached
          }
          if (given_[s] > taken_by_all(s)) {
            left_ = true;  // the error SEMAPHORE_AT_END
          }
        }
        left_ = left_ || appended;
      } else if (!info || info->engine == isa::Engine::kCommand) {
        left_ = true;
      } else {
        auto& queue = queues_[static_cast<std::size_t>(info->engine)];
        if (queue.size() >= isa::kQueueDepth) {
          return moved;
        }
        queue.push_back(next_);
        const isa::Semaphores s = isa::decode_semaphores(program_.instructions[next_]);
        const unsigned engine = 1u << static_cast<unsigned>(info->engine);
        waiters_[s.wait0_sem] |= s.wait0_amount ? engine : 0;
        waiters_[s.wait1_sem] |= s.wait1_amount ? engine : 0;
      }
      if (left_) {
        return true;
      }
    }
    return moved;
  }

  /// Executes the earliest command whose waits are satisfied.
  bool fire() {
    std::size_t engine = kEngines;
    for (std::size_t e = 0; e < kEngines; ++e) {
      if (!queues_[e].empty() && (engine == kEngines || queues_[e].front() < queues_[engine].front()) && enabled(e)) {
        engine = e;
      }
    }
    if (engine == kEngines) {
      return false;
    }
    const isa::Semaphores s = isa::decode_semaphores(program_.instructions[queues_[engine].front()]);
    taken_[engine][s.wait0_sem] += s.wait0_amount;
    taken_[engine][s.wait1_sem] += s.wait1_amount;
    given_[s.signal0_sem] += s.signal0_amount;
    given_[s.signal1_sem] += s.signal1_amount;
    queues_[engine].pop_front();
    return true;
  }

  bool enabled(std::size_t engine) const {
    const isa::Semaphores s = isa::decode_semaphores(program_.instructions[queues_[engine].front()]);
    const auto holds = [&](std::size_t semaphore) {
      return given_[semaphore] - (rule_ == Rule::kReal ? taken_by_all(semaphore) : taken_[engine][semaphore]);
    };
    return holds(s.wait0_sem) >= s.wait0_amount && holds(s.wait1_sem) >= s.wait1_amount;
  }

  long long taken_by_all(std::size_t semaphore) const {
    long long sum = 0;
    for (const auto& engine : taken_) {
      sum += engine[semaphore];
    }
    return sum;
  }

  const Listing& program_;
  Rule rule_;
  bool left_ = false;
  std::size_t next_ = 0;
  std::array<std::deque<std::size_t>, kEngines> queues_;
  std::array<long long, isa::kSemaphores> given_{};
  std::array<std::array<long long, isa::kSemaphores>, kEngines> taken_{};
  std::array<unsigned, isa::kSemaphores> waiters_{};  ///< bit e is set if engine e waits
};

/// True if the hardware would report an illegal instruction before it gets stuck.
bool has_illegal(const Listing& program, std::size_t dispatched) {
  // Except rules about DIM: they concern the lanes of a LOAD, and no hang depends on them.
  return std::any_of(program.instructions.begin(),
                     program.instructions.begin() + static_cast<std::ptrdiff_t>(dispatched),
                     [](const isa::Instruction& i) { return !isa::is_legal(i, 32); });
}

}  // namespace

std::optional<HangReport> find_deadlock(const Listing& program) {
  TokenSimulation real(program, TokenSimulation::Rule::kReal);
  if (real.run() != TokenSimulation::Outcome::kStuck) {
    return std::nullopt;
  }
  const HangState state = real.state();
  if (has_illegal(program, std::min(state.dispatched, program.instructions.size()))) {
    return std::nullopt;
  }
  if (real.competing() &&
      TokenSimulation(program, TokenSimulation::Rule::kRelaxed).run() != TokenSimulation::Outcome::kStuck) {
    return std::nullopt;
  }
  return explain_hang(program, state, HangReport::Origin::kProgram);
}

}  // namespace systole
