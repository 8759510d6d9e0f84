// SPDX-License-Identifier: Apache-2.0
#include "link.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

#include "systole/errors.hpp"

namespace systole::ranks {

double ordered_sum_cycles(const Link& link, int chips, double bytes, std::size_t pieces, const Additions& additions) {
  if (chips == 1) {
    return (additions.vectors - 1) * additions.cycles;
  }
  const auto cut = static_cast<double>(pieces);
  const double hop = link.hop(bytes / cut), one = additions.cycles / cut, all = additions.vectors * one;
  return all - one + (chips - 1) * (2 * hop + all) + (cut - 1) * std::max(all, hop);
}

namespace {

/// Cycles until every chip of a line has the `bytes` that each other one has for it.
double exchanging_cycles(const Link& link, int chips, bool ring, double bytes) {
  const double steps = ring ? chips / 2 : chips - 1;
  const double half = chips % 2 == 0 ? steps * steps / 2 : steps * (steps + 1) / 2;  // of a ring: to one side
  const double messages = ring ? half : static_cast<double>(chips) * (chips - 1) / 2;
  return steps * link.latency_ns + messages * bytes / link.gigabytes_per_second;
}

}  // namespace

double scattered_sum_cycles(const Link& link, const Topology& topology, double bytes, const Additions& additions) {
  const double sent = bytes * additions.vectors, all = additions.vectors * topology.chips();
  return exchanging_cycles(link, topology.columns, topology.rings, sent / topology.columns) +
         exchanging_cycles(link, topology.rows, topology.rings, sent / topology.rows) +
         (all - 1) * additions.cycles / topology.chips() + gathering_cycles(link, topology, bytes / topology.chips());
}

std::size_t best_pieces(const Link& link, int chips, double bytes) {
  constexpr std::size_t kMost = 64;
  std::size_t best = 1;
  for (std::size_t pieces = 2; chips > 1 && pieces <= kMost; ++pieces) {
    if (ordered_sum_cycles(link, chips, bytes, pieces, {}) < ordered_sum_cycles(link, chips, bytes, best, {})) {
      best = pieces;
    }
  }
  return best;
}

double ring_sum_cycles(const Link& link, int chips, double bytes) {
  return chips > 1 ? 2 * (chips - 1) * link.hop(bytes / chips) : 0;
}

Topology topology_named(std::string_view name, int chips) {
  if (name == "chain" || name == "ring") {
    return {1, chips, name == "ring"};
  }
  int rows = 1;
  if (name == "torus") {
    for (int r = 1; r * r <= chips; ++r) {
      rows = chips % r == 0 ? r : rows;
    }
    return {rows, chips / rows, true};
  }
  int columns = 0, end = 0;
  const std::string text(name);
  if (std::sscanf(text.c_str(), "torus:%dx%d%n", &rows, &columns, &end) != 2 ||
      static_cast<std::size_t>(end) != text.size() || rows < 1 || columns < 1) {
    throw InvalidArgument(fmt::format("topology: '{}'; it is chain, ring, torus, or torus:ROWSxCOLUMNS", name));
  }
  if (std::int64_t{rows} * columns != chips) {
    throw InvalidArgument(
        fmt::format("topology: '{}' has {} chips, there are {}", name, std::int64_t{rows} * columns, chips));
  }
  return {rows, columns, true};
}

double gathering_cycles(const Link& link, const Topology& topology, double bytes) {
  const auto steps = [&](int chips) { return topology.rings ? chips / 2 : chips - 1; };
  return steps(topology.columns) * link.hop(bytes) + steps(topology.rows) * link.hop(bytes * topology.columns);
}

}  // namespace systole::ranks
