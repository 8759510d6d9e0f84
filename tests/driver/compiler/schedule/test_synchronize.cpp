// SPDX-License-Identifier: Apache-2.0
// Random dependencies, executed by four engines of random speed that synchronize only by semaphores: every dependency
// must hold, no counter may exceed its maximum, nothing may hang, and all semaphores must be zero at the end.
#include "synchronize.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <random>

#include "row_footprint.hpp"
#include "seed.hpp"

namespace systole::compiler {
namespace {

isa::Instruction instruction_of(int engine) {
  switch (engine) {
    case 0: return isa::Load{}.encode();
    case 1: return isa::Conv{}.encode();
    case 2: return isa::Drain{}.encode();
    default: return isa::Store{}.encode();
  }
}

/// Runs the instructions: in each step some engine, chosen at random, either starts its next instruction, if its waits
/// are satisfied, or commits its oldest one.
class Engines {
 public:
  Engines(const std::vector<isa::Instruction>& program, std::mt19937_64& random) : random_(random) {
    for (std::size_t i = 0; i < program.size(); ++i) {
      const auto engine = static_cast<std::size_t>(engine_of(program[i]));
      queue_[engine].push_back(static_cast<int>(i));
      waits_.push_back(isa::decode_semaphores(program[i]));
    }
    started.assign(program.size(), -1);
    committed.assign(program.size(), -1);
  }

  /// Returns false if it hangs.
  bool run() {
    while (true) {
      std::array<int, 8> choices{};
      int count = 0;
      for (int engine = 0; engine < 4; ++engine) {
        const auto& queue = queue_[static_cast<std::size_t>(engine)];
        if (!queue.empty() && can_start(queue.front())) {
          choices[static_cast<std::size_t>(count++)] = engine;
        }
        if (!flight_[static_cast<std::size_t>(engine)].empty()) {
          choices[static_cast<std::size_t>(count++)] = engine + 4;
        }
      }
      if (count == 0) {
        break;
      }
      const int choice = choices[static_cast<std::size_t>(std::uniform_int_distribution<int>(0, count - 1)(random_))];
      choice < 4 ? start(choice) : commit(choice - 4);
      ++time_;
    }
    for (const auto& queue : queue_) {
      if (!queue.empty()) {
        return false;
      }
    }
    return true;
  }

  bool all_zero() const {
    return std::all_of(values_.begin(), values_.end(), [](int v) { return v == 0; });
  }

  std::vector<int> started, committed;
  int highest = 0;

 private:
  bool can_start(int i) const {
    const auto& s = waits_[static_cast<std::size_t>(i)];
    return values_[s.wait0_sem] >= s.wait0_amount && values_[s.wait1_sem] >= s.wait1_amount;
  }

  void start(int engine) {
    auto& queue = queue_[static_cast<std::size_t>(engine)];
    const int i = queue.front();
    queue.pop_front();
    const auto& s = waits_[static_cast<std::size_t>(i)];
    values_[s.wait0_sem] -= s.wait0_amount;
    values_[s.wait1_sem] -= s.wait1_amount;
    started[static_cast<std::size_t>(i)] = time_;
    flight_[static_cast<std::size_t>(engine)].push_back(i);
  }

  void commit(int engine) {
    auto& flight = flight_[static_cast<std::size_t>(engine)];
    const int i = flight.front();
    flight.pop_front();
    const auto& s = waits_[static_cast<std::size_t>(i)];
    values_[s.signal0_sem] += s.signal0_amount;
    values_[s.signal1_sem] += s.signal1_amount;
    highest = std::max({highest, values_[s.signal0_sem], values_[s.signal1_sem]});
    committed[static_cast<std::size_t>(i)] = time_;
  }

  std::mt19937_64& random_;
  std::array<std::deque<int>, 4> queue_, flight_;
  std::vector<isa::Semaphores> waits_;
  std::array<int, isa::kSemaphores> values_{};
  int time_ = 0;
};

struct Dependency {
  int producer, consumer;
};

/// Synchronizes and executes several times.
void check(const std::vector<int>& engines, const std::vector<Event>& events, std::mt19937_64& random) {
  Synchronizer synchronizer;
  std::vector<int> number;
  for (std::size_t i = 0; i < events.size(); ++i) {
    Event event = events[i];
    for (int& producer : event.after) {
      producer = producer < 0 ? -1 : number[static_cast<std::size_t>(producer)];
    }
    number.push_back(synchronizer.append(instruction_of(engines[i]), event, static_cast<std::uint16_t>(i)));
  }
  const Synchronizer::Result result = synchronizer.finish();
  // Instructions carry their number as label; SYNC instructions repeat one.
  std::vector<std::size_t> place(events.size());
  for (std::size_t i = 0; i < result.instructions.size(); ++i) {
    const bool sync = (result.instructions[i].words[0] & 0xF) == 0xF;
    if (!sync) {
      place[result.labels[i]] = i;
    }
  }
  for (int round = 0; round < 5; ++round) {
    Engines machine(result.instructions, random);
    ASSERT_TRUE(machine.run()) << "hangs";
    EXPECT_TRUE(machine.all_zero());
    EXPECT_LE(machine.highest, Synchronizer::kMaxAhead);
    for (std::size_t i = 0; i < events.size(); ++i) {
      for (const int producer : events[i].after) {
        if (producer >= 0) {
          ASSERT_LT(machine.committed[place[static_cast<std::size_t>(producer)]], machine.started[place[i]])
              << producer << " before " << i;
        }
      }
    }
  }
}

Event event_on(int engine) {
  Event event;
  event.work.engine = static_cast<isa::Engine>(engine);
  return event;
}

TEST(Synchronizer, HoldsRandomDependencies) {
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 60; ++round) {
    std::vector<int> engines;
    std::vector<Event> events;
    std::array<std::vector<int>, 4> of;
    const int density = std::uniform_int_distribution<int>(1, 9)(random);
    for (int i = 0; i < 150; ++i) {
      const int engine = std::uniform_int_distribution<int>(0, 3)(random);
      Event event = event_on(engine);
      for (int other = 0; other < 4; ++other) {
        const auto& list = of[static_cast<std::size_t>(other)];
        if (other != engine && !list.empty() && std::uniform_int_distribution<int>(0, 9)(random) < density) {
          const int back =
              std::min<int>(static_cast<int>(list.size()) - 1, std::uniform_int_distribution<int>(0, 6)(random));
          event.after[static_cast<std::size_t>(other)] = list[list.size() - 1 - static_cast<std::size_t>(back)];
        }
      }
      of[static_cast<std::size_t>(engine)].push_back(i);
      engines.push_back(engine);
      events.push_back(event);
    }
    check(engines, events, random);
  }
}

TEST(Synchronizer, BoundsLookahead) {
  // Five hundred LOADs, each with a consumer that comes after all of them.
  std::mt19937_64 random(test::seed());
  std::vector<int> engines;
  std::vector<Event> events;
  for (int i = 0; i < 500; ++i) {
    engines.push_back(0);
    events.push_back(event_on(0));
  }
  for (int i = 0; i < 500; ++i) {
    engines.push_back(1);
    Event event = event_on(1);
    event.after[0] = i;
    events.push_back(event);
  }
  check(engines, events, random);
}

/// A SYNC that lets signals be taken in time has the label of the instruction that needs it, not of the first one.
TEST(Synchronizer, AddsSyncWhereNeeded) {
  Synchronizer synchronizer;
  std::vector<int> loads;
  for (int i = 0; i < 500; ++i) {
    loads.push_back(synchronizer.append(instruction_of(0), event_on(0), 3));
  }
  for (const int load : loads) {
    Event event = event_on(1);
    event.after[0] = load;
    synchronizer.append(instruction_of(1), event, 7);
  }
  const auto result = synchronizer.finish();
  int syncs = 0;
  for (std::size_t i = 0; i < result.instructions.size(); ++i) {
    if ((result.instructions[i].words[0] & 0xF) == 0xF) {
      ++syncs;
      EXPECT_EQ(result.labels[i], 7);
    }
  }
  EXPECT_GT(syncs, 0);
}

TEST(Synchronizer, OmitsImpliedWaits) {
  Synchronizer synchronizer;
  const int load = synchronizer.append(instruction_of(0), event_on(0), 0);
  Event conv = event_on(1);
  conv.after[0] = load;
  const int product = synchronizer.append(instruction_of(1), conv, 1);
  Event drain = event_on(2);
  drain.after[0] = load;
  drain.after[1] = product;  // the CONV has already waited for the LOAD
  synchronizer.append(instruction_of(2), drain, 2);
  const auto result = synchronizer.finish();
  ASSERT_EQ(result.instructions.size(), 3u);
  const auto sem = isa::decode_semaphores(result.instructions[2]);
  EXPECT_EQ(sem.wait0_amount, 1);
  EXPECT_EQ(sem.wait0_sem, 4 * 1 + 2);
  EXPECT_EQ(sem.wait1_amount, 0);
  EXPECT_EQ(isa::decode_semaphores(result.instructions[0]).signal1_amount, 0);
}

TEST(Synchronizer, CarriesAThirdWaitAndSignalInASync) {
  Synchronizer synchronizer;
  std::array<int, 4> producers{};
  for (int engine = 1; engine < 4; ++engine) {
    producers[static_cast<std::size_t>(engine)] =
        synchronizer.append(instruction_of(engine), event_on(engine), static_cast<std::uint16_t>(engine));
  }
  Event all = event_on(0);
  std::copy(producers.begin() + 1, producers.end(), all.after.begin() + 1);
  const int load = synchronizer.append(instruction_of(0), all, 0);
  for (int engine = 1; engine < 4; ++engine) {
    Event event = event_on(engine);
    event.after[0] = load;
    synchronizer.append(instruction_of(engine), event, 0);
  }
  const auto result = synchronizer.finish();
  EXPECT_EQ(result.syncs, 2);
  std::mt19937_64 random(test::seed());
  Engines machine(result.instructions, random);
  EXPECT_TRUE(machine.run());
  EXPECT_TRUE(machine.all_zero());
}

}  // namespace
}  // namespace systole::compiler
