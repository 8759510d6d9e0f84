// SPDX-License-Identifier: Apache-2.0
// The accesses of random kernels are those of the functional model: it changes no row that is not reported as written,
// and its results depend on no row that is not reported as read.
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <utility>

#include "model_machine.hpp"
#include "random_vector.hpp"
#include "seed.hpp"
#include "systole/accesses.hpp"
#include "systole/configurations.hpp"
#include "systole/disassemble.hpp"

namespace systole {
namespace {

using Place = std::pair<Memory, std::uint32_t>;

struct Accesses final : AccessVisitor {
  void rows(Memory memory, std::uint32_t first, std::uint32_t count, bool write) override {
    for (std::uint32_t i = 0; i < count; ++i) {
      (write ? written : read).insert({memory, first + i});
    }
  }
  void bytes(int, std::uint32_t, std::uint64_t, bool) override { ADD_FAILURE() << "a kernel has no device memory"; }
  std::set<Place> read, written;
};

/// The memories that kernels access.
class Contents {
 public:
  explicit Contents(model::State& state) : state_(state) {}
  std::size_t bytes(Memory memory) const {
    return static_cast<std::size_t>(state_.dim()) * (memory == Memory::kAccumulators ? 4 : 1);
  }
  std::uint8_t* row(const Place& place) {
    const auto number = static_cast<std::uint16_t>(place.second);
    switch (place.first) {
      case Memory::kScratchpad: return reinterpret_cast<std::uint8_t*>(state_.scratch(number));
      case Memory::kKernels: return reinterpret_cast<std::uint8_t*>(state_.kernel_row(number));
      default: return reinterpret_cast<std::uint8_t*>(state_.accumulator(number));
    }
  }
  template <typename Visit>
  void each(Visit visit) {
    for (const Memory memory : {Memory::kScratchpad, Memory::kAccumulators, Memory::kKernels}) {
      for (int row = 0; row < rows_of(state_.configuration(), memory); ++row) {
        visit(Place{memory, static_cast<std::uint32_t>(row)});
      }
    }
  }

 private:
  model::State& state_;
};

TEST(KernelAccesses, AreThoseOfTheModel) {
  const Configuration& c = kConfigurations[0];
  std::mt19937_64 random(test::seed());
  test::RandomVectors vectors(c, test::seed());
  model::SparseMemory memory(4096);
  std::size_t written = 0, read = 0;
  for (int round = 0; round < 400; ++round) {
    const test::RandomVector drawn = vectors.next();
    model::Machine machine(c, memory), other(c, memory);
    Contents contents(machine.state()), others(other.state());
    contents.each([&](const Place& place) {
      for (std::size_t i = 0; i < contents.bytes(place.first); ++i) {
        contents.row(place)[i] = static_cast<std::uint8_t>(random());
      }
    });
    std::copy(drawn.words.begin(), drawn.words.end(), machine.state().kernels().begin() + drawn.op.entry);
    Accesses accesses;
    visit_accesses(drawn.op.encode(), c, accesses, &machine.state().kernels());
    model::State before = machine.state();
    // The other machine has the same in rows that are read, and different values elsewhere.
    others.each([&](const Place& place) {
      std::memcpy(others.row(place), contents.row(place), contents.bytes(place.first));
      if (accesses.read.count(place) == 0) {
        others.row(place)[random() % contents.bytes(place.first)] ^= 0x55;
      }
    });
    ASSERT_EQ(machine.execute(drawn.op.encode()), model::Machine::Outcome::kDone) << machine.error().text;
    ASSERT_EQ(other.execute(drawn.op.encode()), model::Machine::Outcome::kDone) << other.error().text;
    Contents was(before);
    contents.each([&](const Place& place) {
      const std::size_t bytes = contents.bytes(place.first);
      if (accesses.written.count(place) == 0) {
        ASSERT_EQ(std::memcmp(contents.row(place), was.row(place), bytes), 0)
            << to_string(place.first) << " row " << place.second << " is not reported as written";
      } else {
        ASSERT_EQ(std::memcmp(contents.row(place), others.row(place), bytes), 0)
            << to_string(place.first) << " row " << place.second << " depends on a row that is not reported as read";
      }
    });
    if (HasFatalFailure()) {
      FAIL() << "round " << round << ": " << isa::disassemble(drawn.op.encode());
    }
    written += accesses.written.size();
    read += accesses.read.size();
  }
  EXPECT_GT(written, 400u * 4);
  EXPECT_GT(read, 400u * 8);
}

}  // namespace
}  // namespace systole
