// SPDX-License-Identifier: Apache-2.0
#include "run_json.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace systole::report {

nlohmann::ordered_json causes_json(const CauseTable& causes, bool counted) {
  nlohmann::ordered_json engines;
  for (int engine = 0; engine < kEngineCount; ++engine) {
    nlohmann::ordered_json row;
    for (int cause = 0; cause < (counted ? kCauseCount : 1); ++cause) {  // WORKING is the first
      row[isa::to_string(static_cast<isa::Cause>(cause))] =
          causes[static_cast<std::size_t>(engine)][static_cast<std::size_t>(cause)];
    }
    engines[isa::to_string(static_cast<isa::Engine>(engine))] = std::move(row);
  }
  return engines;
}

nlohmann::ordered_json semaphore_waits_json(const RunStats& stats) {
  nlohmann::ordered_json engines;
  for (std::size_t engine = 0; engine < stats.semaphore_waits.size(); ++engine) {
    nlohmann::ordered_json waits = nlohmann::ordered_json::object();
    for (std::size_t semaphore = 0; semaphore < stats.semaphore_waits[engine].size(); ++semaphore) {
      if (const std::uint64_t cycles = stats.semaphore_waits[engine][semaphore]; cycles > 0) {
        waits[std::to_string(semaphore)] = cycles;
      }
    }
    engines[isa::to_string(static_cast<isa::Engine>(engine))] = std::move(waits);
  }
  return engines;
}

}  // namespace systole::report
