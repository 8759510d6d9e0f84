// SPDX-License-Identifier: Apache-2.0
// The formulas of exchanges, against numbers by hand and simulations, step by step.
#include "link.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "systole/errors.hpp"

namespace systole::ranks {
namespace {

TEST(Link, AMessage) {
  EXPECT_DOUBLE_EQ(Link{}.hop(80'000), 2000);
  EXPECT_DOUBLE_EQ((Link{8, 50}.hop(80)), 60);
}

TEST(Link, ByHand) {
  const Link link;
  EXPECT_DOUBLE_EQ(ordered_sum_cycles(link, 1, 80'000, 4, {3, 500}), 2 * 500);
  EXPECT_DOUBLE_EQ(ordered_sum_cycles(link, 2, 80'000, 1, {}), 2 * 2000);
  EXPECT_DOUBLE_EQ(ordered_sum_cycles(link, 2, 80'000, 1, {1, 500}), 500 + 2 * 2000);
  EXPECT_DOUBLE_EQ(ordered_sum_cycles(link, 2, 80'000, 1, {3, 500}), 5 * 500 + 2 * 2000);
  EXPECT_DOUBLE_EQ(ordered_sum_cycles(link, 4, 80'000, 4, {}), 2 * 3 * 1250 + 3 * 1250);
  EXPECT_DOUBLE_EQ(ring_sum_cycles(link, 1, 80'000), 0);
  EXPECT_DOUBLE_EQ(ring_sum_cycles(link, 4, 80'000), 2 * 3 * 1250);
}

/// When the first chip has the last piece of the sum: each chip adds to one piece at a time, each link carries one
/// message at a time in each direction.
double simulated(const Link& link, std::size_t chips, double bytes, std::size_t pieces, const Additions& additions) {
  const auto cut = static_cast<double>(pieces);
  const double hop = link.hop(bytes / cut);
  std::vector<double> added(chips), forward(chips), back(chips);
  double end = 0;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    double at = 0;
    for (std::size_t chip = 0; chip < chips; ++chip) {
      const double summands = additions.vectors - (chip == 0 ? 1 : 0);
      at = added[chip] = std::max(at, added[chip]) + summands * additions.cycles / cut;
      if (chip + 1 < chips) {
        at = forward[chip] = std::max(at, forward[chip]) + hop;
      }
    }
    for (std::size_t chip = chips - 1; chip > 0; --chip) {
      at = back[chip] = std::max(at, back[chip]) + hop;
    }
    end = at;
  }
  return end;
}

TEST(Link, OrderedSumAsSimulated) {
  for (const std::size_t chips : {2, 3, 8, 256}) {
    for (const std::size_t pieces : {1, 2, 7, 64}) {
      for (const Additions& additions : {Additions{}, Additions{1, 1000}, Additions{4, 100}, Additions{2, 1e6}}) {
        for (const Link& link : {Link{}, Link{1, 10}}) {
          const double cycles = ordered_sum_cycles(link, static_cast<int>(chips), 900'000, pieces, additions);
          EXPECT_NEAR(cycles, simulated(link, chips, 900'000, pieces, additions), 1e-9 * cycles)
              << chips << " chips, " << pieces << " pieces, " << additions.vectors << " additions of "
              << additions.cycles << " cycles";
        }
      }
    }
  }
}

/// When every chip of a line has the bytes of all: in a step each link carries those of one chip, in each direction,
/// the nearest that the other end has not.
int simulated_steps(int chips, bool ring) {
  const auto count = static_cast<std::size_t>(chips);
  std::vector<std::vector<bool>> has(count, std::vector<bool>(count));
  for (std::size_t chip = 0; chip < count; ++chip) {
    has[chip][chip] = true;
  }
  const auto complete = [](const std::vector<bool>& of) { return std::find(of.begin(), of.end(), false) == of.end(); };
  int steps = 0;
  for (; !std::all_of(has.begin(), has.end(), complete); ++steps) {
    const auto before = has;
    for (std::size_t from = 0; from < count; ++from) {
      for (const bool forward : {true, false}) {
        const std::size_t to = (from + (forward ? 1 : count - 1)) % count;
        if (!ring && (forward ? to == 0 : from == 0)) {
          continue;
        }
        for (std::size_t back = 0; back < count; ++back) {  // whose bytes they are, the nearest behind `from` first
          const std::size_t of = (from + (forward ? count - back : back)) % count;
          if (before[from][of] && !before[to][of]) {
            has[to][of] = true;
            break;
          }
        }
      }
    }
  }
  return steps;
}

TEST(Link, GatheringAsSimulated) {
  const Link link;
  for (const int chips : {1, 2, 3, 4, 5, 8, 16, 31, 256}) {
    for (const char* name : {"chain", "ring"}) {
      EXPECT_DOUBLE_EQ(gathering_cycles(link, topology_named(name, chips), 80'000),
                       simulated_steps(chips, name == std::string("ring")) * 2000.0)
          << chips << " chips in a " << name;
    }
  }
  for (const auto& [rows, columns] : {std::pair{2, 4}, {1, 7}, {3, 5}, {16, 16}}) {
    const double expected =
        simulated_steps(columns, true) * link.hop(800) + simulated_steps(rows, true) * link.hop(800.0 * columns);
    EXPECT_DOUBLE_EQ(gathering_cycles(link, {rows, columns, true}, 800), expected) << rows << " x " << columns;
  }
}

/// When every chip of a line has what each other one has for it: in a step a link carries, in each direction, all that
/// is on the way over it, by the shorter way; of two equal ones half.
double simulated_exchange(const Link& link, int chips, bool ring, double bytes) {
  struct Message {
    int at, to, direction;
    double bytes;
  };
  std::vector<Message> messages;
  for (int from = 0; from < chips; ++from) {
    for (int to = 0; to < chips; ++to) {
      const int right = (to - from + chips) % chips, left = chips - right;
      if (from == to) {
        continue;
      }
      if (!ring || right != left) {
        const bool rightwards = ring ? right < left : to > from;
        messages.push_back({from, to, rightwards ? 1 : -1, bytes});
      } else {
        messages.push_back({from, to, 1, bytes / 2});
        messages.push_back({from, to, -1, bytes / 2});
      }
    }
  }
  double cycles = 0;
  while (!messages.empty()) {
    std::map<std::pair<int, int>, double> loads;
    for (Message& message : messages) {
      loads[{message.at, message.direction}] += message.bytes;
      message.at = (message.at + message.direction + chips) % chips;
    }
    double most = 0;
    for (const auto& [place, load] : loads) {
      most = std::max(most, load);
    }
    cycles += link.hop(most);
    messages.erase(std::remove_if(messages.begin(), messages.end(), [](const Message& m) { return m.at == m.to; }),
                   messages.end());
  }
  return cycles;
}

TEST(Link, ScatteredSumAsSimulated) {
  const Link link{10, 100};
  for (const auto& [rows, columns, rings] : {std::tuple{1, 1, true},
                                             {1, 2, true},
                                             {1, 2, false},
                                             {1, 7, true},
                                             {1, 8, true},
                                             {1, 8, false},
                                             {3, 4, true},
                                             {16, 16, true}}) {
    const Topology topology{rows, columns, rings};
    const int chips = rows * columns;
    for (const Additions& additions : {Additions{1, 0}, Additions{1, 1000}, Additions{4, 100}}) {
      const double sent = 9000 * additions.vectors;
      const double expected = simulated_exchange(link, columns, rings, sent / columns) +
                              simulated_exchange(link, rows, rings, sent / rows) +
                              (additions.vectors * chips - 1) * additions.cycles / chips +
                              gathering_cycles(link, topology, 9000.0 / chips);
      EXPECT_NEAR(scattered_sum_cycles(link, topology, 9000, additions), expected, 1e-9 * expected + 1e-9)
          << rows << " x " << columns << (rings ? "" : " in a chain");
    }
  }
}

TEST(Link, NamesOfTopologies) {
  const auto shape = [](const char* name, int chips) {
    const Topology topology = topology_named(name, chips);
    return std::pair{topology.rows, topology.columns};
  };
  EXPECT_EQ(shape("torus", 256), (std::pair{16, 16}));
  EXPECT_EQ(shape("torus", 12), (std::pair{3, 4}));
  EXPECT_EQ(shape("torus", 7), (std::pair{1, 7}));
  EXPECT_EQ(shape("torus:2x6", 12), (std::pair{2, 6}));
  EXPECT_FALSE(topology_named("chain", 4).rings);
  for (const char* name : {"", "line", "torus:", "torus:2x", "torus:2x6x1", "torus:0x12", "torus:-2x-6", "torus:5x2"}) {
    EXPECT_THROW(topology_named(name, 12), InvalidArgument) << name;
  }
}

TEST(Link, TheBestNumberOfPieces) {
  const Link link;
  EXPECT_EQ(best_pieces(link, 1, 1e6), 1U);
  EXPECT_EQ(best_pieces(link, 2, 1000), 1U);  // the latency is all
  const std::size_t best = best_pieces(link, 4, 900'000);
  EXPECT_GT(best, 1U);
  const double cycles = ordered_sum_cycles(link, 4, 900'000, best, {});
  EXPECT_LE(cycles, ordered_sum_cycles(link, 4, 900'000, best - 1, {}));
  EXPECT_LE(cycles, ordered_sum_cycles(link, 4, 900'000, best + 1, {}));
}

}  // namespace
}  // namespace systole::ranks
