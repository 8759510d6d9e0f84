// SPDX-License-Identifier: Apache-2.0
// When the layers of a program end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "systole/observer.hpp"
#include "systole/program.hpp"

namespace systole::network {

/// Watches the runs of one program; attached to a device.
class LayerClock final : public Observer {
 public:
  explicit LayerClock(const Program& program) : program_(program), ends_(program.labels.size(), 0) {}

  void run_begins(const Program& program, std::uint32_t first_index, const std::string&, std::uint64_t cycle) override {
    watching_ = &program == &program_;
    if (watching_) {
      first_index_ = first_index;
      begin_ = cycle;
      std::fill(ends_.begin(), ends_.end(), cycle);
    }
  }
  void run_ended(std::uint64_t) override { watching_ = false; }
  void retired(std::uint64_t cycle, unsigned, std::uint32_t index) override {
    const std::uint32_t instruction = index - first_index_;
    if (watching_ && instruction < program_.label_of.size()) {
      ends_[program_.label_of[instruction]] = cycle;
    }
  }

  /// Cycles of each label: from when all before it were done until it was.
  std::vector<std::uint64_t> cycles() const {
    std::vector<std::uint64_t> result;
    std::uint64_t before = begin_;
    for (const std::uint64_t end : ends_) {
      result.push_back(end > before ? end - before : 0);
      before = std::max(before, end);
    }
    return result;
  }

 private:
  const Program& program_;
  std::vector<std::uint64_t> ends_;
  std::uint64_t begin_ = 0;
  std::uint32_t first_index_ = 0;
  bool watching_ = false;
};

}  // namespace systole::network
