// SPDX-License-Identifier: Apache-2.0
// What an exchange would cost between chips: cycles at a stated link. Every chip is joined with the next by a link of
// some bandwidth in each direction and some latency; a message of b bytes over it takes latency + b / bandwidth (the
// postal or alpha-beta model, as in E. Chan, M. Heimlich, A. Purkayastha, R. van de Geijn, "Collective communication:
// theory, practice, and experience", Concurrency and Computation 19(13), 2007).
//
// The ordered sum of n bytes (ordered_sum.hpp) in s pieces over p chips is a chain forward and back. With
// h = latency + (n / s) / bandwidth for one hop of a piece, and a for a chip's additions to it, the first piece is
// complete after p a + (p - 1) h, each further one max(a, h) later, and the last goes back in (p - 1) h:
//
//   p a + 2 (p - 1) h + (s - 1) max(a, h)
//
// For comparison, the sum in a ring, whose pieces are summed in an order that depends on p (P. Patarasu, X. Yuan,
// "Bandwidth optimal all-reduce algorithms for clusters of workstations", Journal of Parallel and Distributed Computing
// 69(2), 2009): reduce-scatter and all-gather, p - 1 hops of n / p bytes each:
//
//   2 (p - 1) (latency + (n / p) / bandwidth)
#pragma once

#include <cstddef>

namespace systole::ranks {

/// The defaults are those of a link of TPU v3. The chips' clock is 1 GHz, so that a nanosecond is a cycle.
struct Link {
  double gigabytes_per_second = 80;  ///< in each direction
  double latency_ns = 1000;

  /// Cycles of a message of so many bytes from one chip to the next.
  double hop(double bytes) const { return latency_ns + bytes / gigabytes_per_second; }
};

/// Cycles of an ordered sum over `chips`, from the moment when all have their vectors of `bytes` until all have the
/// sum; `additions` are the cycles in which a chip adds all its vectors. With one chip these alone.
double ordered_sum_cycles(const Link& link, int chips, double bytes, std::size_t pieces, double additions);

/// The number of pieces, from 1 to 64, with which an ordered sum takes the fewest cycles, without additions.
std::size_t best_pieces(const Link& link, int chips, double bytes);

/// Cycles of the sum in a ring, without additions.
double ring_sum_cycles(const Link& link, int chips, double bytes);

}  // namespace systole::ranks
