// SPDX-License-Identifier: Apache-2.0
// The formulas of exchanges, against numbers by hand and a simulation of the chain.
#include "link.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

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
