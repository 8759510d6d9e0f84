// SPDX-License-Identifier: Apache-2.0
#include "systole/pass_log.hpp"

#include <algorithm>

#include "systole/transformations.hpp"

namespace systole {

PassLog::PassLog(std::vector<std::string> listed) : listed_(std::move(listed)) { require_passes(listed_); }

bool PassLog::lists(std::string_view pass) const {
  return std::find(listed_.begin(), listed_.end(), pass) != listed_.end();
}

void PassLog::restart(std::size_t runs, std::string reason) {
  runs_.resize(std::min(runs, runs_.size()));
  restarts_.push_back(std::move(reason));
}

}  // namespace systole
