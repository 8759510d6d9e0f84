// SPDX-License-Identifier: Apache-2.0
// Child processes of several ranks.
#pragma once

#include "child.hpp"
#include "ranks.hpp"

namespace systole::cli {

/// run_all() with the commands divided among the ranks: number i on rank i % size, `jobs` at a time on each. All ranks
/// have all results. `done` is called with the number of finished ones of this rank.
std::vector<Finished> run_shared(ranks::Ranks& ranks, const std::vector<Words>& commands, unsigned jobs,
                                 const std::function<void(std::size_t)>& done);

/// Of `jobs` for a machine, those of each of its ranks; one or more.
unsigned jobs_of_rank(const ranks::Ranks& ranks, unsigned jobs);

}  // namespace systole::cli
