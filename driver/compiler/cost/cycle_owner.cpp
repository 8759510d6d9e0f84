// SPDX-License-Identifier: Apache-2.0
#include "cycle_owner.hpp"

#include <algorithm>
#include <utility>

namespace systole::compiler {

CycleOwner::CycleOwner(std::vector<std::uint16_t> label_of, std::size_t labels)
    : label_of_(std::move(label_of)), left_(labels, 0) {
  for (const std::uint16_t label : label_of_) {
    ++left_.at(label);
    last_ = std::max<std::size_t>(last_, label);
  }
  skip_done();
}

void CycleOwner::retired(std::size_t instruction) {
  if (instruction < label_of_.size()) {
    --left_[label_of_[instruction]];
    skip_done();
  }
}

void CycleOwner::skip_done() {
  while (first_ < last_ && left_[first_] == 0) {
    ++first_;
  }
}

}  // namespace systole::compiler
