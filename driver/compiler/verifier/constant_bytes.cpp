// SPDX-License-Identifier: Apache-2.0
#include "constant_bytes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace systole::verifier {

ConstantBytes::ConstantBytes(const Program& program) {
  const std::int64_t base = program.windows()[kConstantsWindow].base;
  for (const Program::Constant& constant : program.constants) {
    if (constant.bytes.empty()) {
      continue;
    }
    constants_.push_back({base + static_cast<std::int64_t>(constant.offset), &constant.bytes});
  }
  std::sort(constants_.begin(), constants_.end(),
            [](const Constant& a, const Constant& b) { return a.address < b.address; });
}

const std::uint8_t* ConstantBytes::find(std::int64_t address, std::size_t count) const {
  const auto next = std::upper_bound(constants_.begin(), constants_.end(), address,
                                     [](std::int64_t at, const Constant& constant) { return at < constant.address; });
  if (next == constants_.begin()) {
    return nullptr;
  }
  const Constant& found = *std::prev(next);
  const auto first = static_cast<std::size_t>(address - found.address);
  return first + count <= found.bytes->size() ? found.bytes->data() + first : nullptr;
}

ByteRanges ConstantBytes::ranges() const {
  ByteRanges ranges;
  for (const Constant& constant : constants_) {
    ranges.push_back({constant.address, constant.address + static_cast<std::int64_t>(constant.bytes->size())});
  }
  return united(std::move(ranges));
}

}  // namespace systole::verifier
