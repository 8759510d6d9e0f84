// SPDX-License-Identifier: Apache-2.0
// What an exchange would cost between chips: cycles at a stated link. Every chip is joined with the next by a link of
// some bandwidth in each direction and some latency; a message of b bytes over it takes latency + b / bandwidth (the
// postal or alpha-beta model, as in E. Chan, M. Heimlich, A. Purkayastha, R. van de Geijn, "Collective communication:
// theory, practice, and experience", Concurrency and Computation 19(13), 2007).
//
// The ordered sum of n bytes (ordered_sum.hpp) in s pieces over p chips with v vectors each is a chain forward and
// back. With h = latency + (n / s) / bandwidth for one hop of a piece and a for the addition of one, the first piece is
// complete after (v - 1) a + (p - 1) (h + v a), as the first chip begins with a vector of its own; each further one
// max(v a, h) later, and the last goes back in (p - 1) h:
//
//   (v - 1) a + (p - 1) (2 h + v a) + (s - 1) max(v a, h)
//
// For comparison, the sum in a ring, whose pieces are summed in an order that depends on p (P. Patarasu, X. Yuan,
// "Bandwidth optimal all-reduce algorithms for clusters of workstations", Journal of Parallel and Distributed Computing
// 69(2), 2009): reduce-scatter and all-gather, p - 1 hops of n / p bytes each:
//
//   2 (p - 1) (latency + (n / p) / bandwidth)
//
// A gathering gives the n bytes of each of p chips to all (Chan et al., section 5). In a step, each link carries those
// of one chip in each direction: p - 1 steps in a chain, whose ends need all others' from one side; half as many,
// rounded up, in a ring, where they come from both. In a torus of rows and columns, which are rings, first those of a
// row come together, then those of a column, each the n bytes of a whole row:
//
//   ceil((columns - 1) / 2) (latency + n / bandwidth) + ceil((rows - 1) / 2) (latency + columns n / bandwidth)
//
// A scattered sum has the same order of additions, so the same bits, but each chip adds a p-th of the elements: all
// chips send it their parts of these, for its own sum, and then gather the sums. In a line of c chips, where each has m
// bytes for each other one, a link carries in each step what is on the way over it: in the step k of floor(c / 2) in a
// ring that of ceil(c / 2) - k chips, and half of that of the chip opposite if c is even; in the step k of c - 1 in a
// chain that of c - k chips. In a torus parts go along their rows, then along their columns.
#pragma once

#include <cstddef>
#include <string_view>

namespace systole::ranks {

/// The defaults are those of a link of TPU v3. The chips' clock is 1 GHz, so that a nanosecond is a cycle.
struct Link {
  double gigabytes_per_second = 80;  ///< in each direction
  double latency_ns = 1000;

  /// Cycles of a message of so many bytes from one chip to the next.
  double hop(double bytes) const { return latency_ns + bytes / gigabytes_per_second; }
};

/// How chips are joined: a chain; a ring, whose last one is joined with the first; or a torus, in which number
/// r columns + c is in row r and column c, and rows and columns are rings.
struct Topology {
  int rows = 1, columns = 1;
  bool rings = true;
  int chips() const { return rows * columns; }
};

/// "chain", "ring", "torus", which is as near to a square as possible, or "torus:4x8". Throws InvalidArgument for
/// another text, or one of another number of chips.
Topology topology_named(std::string_view name, int chips);

/// Cycles until all chips have the `bytes` of each, from the moment when each has its own.
double gathering_cycles(const Link& link, const Topology& topology, double bytes);

/// What the chips add.
struct Additions {
  double vectors = 1;  ///< of each chip
  double cycles = 0;   ///< in which a chip adds one of them whole
};

/// Cycles of an ordered sum over `chips`, from the moment when all have their vectors of `bytes` until all have the
/// sum. With one chip, of its additions alone.
double ordered_sum_cycles(const Link& link, int chips, double bytes, std::size_t pieces, const Additions& additions);

/// Cycles of a scattered sum over the topology's chips, from the moment when all have their vectors of `bytes` until
/// all have the sum.
double scattered_sum_cycles(const Link& link, const Topology& topology, double bytes, const Additions& additions);

/// The number of pieces, from 1 to 64, with which an ordered sum takes the fewest cycles, without additions.
std::size_t best_pieces(const Link& link, int chips, double bytes);

/// Cycles of the sum in a ring, without additions.
double ring_sum_cycles(const Link& link, int chips, double bytes);

}  // namespace systole::ranks
