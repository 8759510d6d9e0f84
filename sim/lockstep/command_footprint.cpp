// SPDX-License-Identifier: Apache-2.0
#include "command_footprint.hpp"

#include <algorithm>
#include <tuple>

#include "systole/kernel_sequencer.hpp"

namespace systole::lockstep {
namespace {

class Collector final : public AccessVisitor {
 public:
  Collector(const Configuration& configuration, const AddressWindows& windows, Footprint& footprint)
      : configuration_(configuration), windows_(windows), footprint_(footprint) {}

  void rows(Memory memory, std::uint32_t first, std::uint32_t count, bool write) override {
    const auto limit = static_cast<std::uint32_t>(rows_of(configuration_, memory));
    if (!write || first >= limit) {
      return;
    }
    const std::uint32_t end = std::min(first + count, limit);
    if (!footprint_.rows.empty() && footprint_.rows.back().memory == memory && footprint_.rows.back().end == first) {
      footprint_.rows.back().end = end;
    } else {
      footprint_.rows.push_back({memory, first, end});
    }
  }

  void bytes(int window, std::uint32_t offset, std::uint64_t count, bool write) override {
    const std::uint64_t first = static_cast<std::uint32_t>(windows_[static_cast<std::size_t>(window)].base + offset);
    (write ? footprint_.stored : footprint_.loaded).push_back({first, first + count});
  }

 private:
  const Configuration& configuration_;
  const AddressWindows& windows_;
  Footprint& footprint_;
};

/// Sorts the spans and merges overlapping and adjacent ones.
template <class Span, class Key>
void normalize(std::vector<Span>& spans, Key key) {
  const auto before = [&](const Span& a, const Span& b) {
    return std::tuple(key(a), a.first) < std::tuple(key(b), b.first);
  };
  if (!std::is_sorted(spans.begin(), spans.end(), before)) {
    std::sort(spans.begin(), spans.end(), before);
  }
  std::size_t last = 0;
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (key(spans[i]) == key(spans[last]) && spans[i].first <= spans[last].end) {
      spans[last].end = std::max(spans[last].end, spans[i].end);
    } else {
      spans[++last] = spans[i];
    }
  }
  if (!spans.empty()) {
    spans.resize(last + 1, spans.front());
  }
}

constexpr auto kNoKey = [](const auto&) { return 0; };

}  // namespace

bool Footprint::writes(Memory memory) const {
  return std::any_of(rows.begin(), rows.end(), [&](const RowSpan& span) { return span.memory == memory; });
}

bool Footprint::writes(Memory memory, std::uint32_t row) const {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const RowSpan& span) { return span.memory == memory && span.first <= row && row < span.end; });
}

bool Footprint::stores(std::uint64_t address) const {
  const auto next = std::upper_bound(stored.begin(), stored.end(), address,
                                     [](std::uint64_t value, const ByteSpan& span) { return value < span.first; });
  return next != stored.begin() && address < std::prev(next)->end;
}

Footprint footprint_of(const isa::Instruction& instruction, const Configuration& configuration,
                       const AddressWindows& windows, const std::vector<kernel::Word>* kernels) {
  Footprint footprint;
  Collector collector(configuration, windows, footprint);
  try {
    visit_accesses(instruction, configuration, collector, kernels);
  } catch (const kernel::KernelFault&) {
    // The error record names it.
  }
  normalize(footprint.rows, [](const RowSpan& span) { return span.memory; });
  normalize(footprint.stored, kNoKey);
  normalize(footprint.loaded, kNoKey);
  const auto word = static_cast<std::uint64_t>(configuration.dim);
  for (const ByteSpan& span : footprint.stored) {
    footprint.touched.push_back({span.first / word * word, (span.end + word - 1) / word * word});
  }
  normalize(footprint.touched, kNoKey);
  return footprint;
}

}  // namespace systole::lockstep
