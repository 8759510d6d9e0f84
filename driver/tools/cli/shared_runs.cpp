// SPDX-License-Identifier: Apache-2.0
#include "shared_runs.hpp"

#include <algorithm>
#include <utility>

#include "packing.hpp"
#include "shared_work.hpp"

namespace systole::cli {
namespace {

ranks::Bytes packed(const Finished& finished) {
  return ranks::pack({ranks::bytes_of(finished.code),
                      {finished.output.begin(), finished.output.end()},
                      {finished.errors.begin(), finished.errors.end()}});
}

Finished unpacked(const ranks::Bytes& bytes) {
  const std::vector<ranks::Bytes> parts = ranks::unpack(bytes);
  const auto text = [&](std::size_t i) { return std::string(parts.at(i).begin(), parts.at(i).end()); };
  return {ranks::value_of<int>(parts.at(0)), text(1), text(2)};
}

}  // namespace

std::vector<Finished> run_shared(ranks::Ranks& ranks, const std::vector<Words>& commands, unsigned jobs,
                                 const std::function<void(std::size_t)>& done) {
  const auto size = static_cast<std::size_t>(ranks.size()), rank = static_cast<std::size_t>(ranks.rank());
  std::vector<Words> mine;
  for (std::size_t i = rank; i < commands.size(); i += size) {
    mine.push_back(commands[i]);
  }
  const std::vector<Finished> own = run_all(ranks, mine, jobs, done);
  std::vector<Finished> all;
  for (const ranks::Bytes& bytes :
       ranks::spread(ranks, commands.size(), [&](std::size_t i) { return packed(own.at(i / size)); })) {
    all.push_back(unpacked(bytes));
  }
  return all;
}

unsigned jobs_of_rank(const ranks::Ranks& ranks, unsigned jobs) {
  return std::max(1U, jobs / static_cast<unsigned>(ranks.on_this_machine()));
}

}  // namespace systole::cli
