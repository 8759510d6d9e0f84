// SPDX-License-Identifier: Apache-2.0
#include "occupancy.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace systole::report {
namespace {

std::optional<OnChip> on_chip(Memory memory) {
  switch (memory) {
    case Memory::kScratchpad: return OnChip::kScratchpad;
    case Memory::kWeights: return OnChip::kWeights;
    case Memory::kParameters: return OnChip::kParameters;
    case Memory::kAccumulators: return OnChip::kAccumulators;
    case Memory::kKernels:
    case Memory::kDevice: return std::nullopt;
  }
  return std::nullopt;
}

/// Without the rows of exponents, which are beside those of their blocks.
std::vector<compiler::Span> shown(std::vector<compiler::Span> spans, const Configuration& configuration) {
  const auto rows = static_cast<std::uint64_t>(configuration.scratch_rows);
  const auto hidden = [&](const compiler::Span& span) {
    return span.memory == Memory::kScratchpad && span.begin >= rows;
  };
  spans.erase(std::remove_if(spans.begin(), spans.end(), hidden), spans.end());
  for (compiler::Span& span : spans) {
    span.end = span.memory == Memory::kScratchpad ? std::min(span.end, rows) : span.end;
  }
  return spans;
}

Operand operand_of(OnChip memory, isa::Engine writer) {
  switch (memory) {
    case OnChip::kScratchpad: return writer == isa::Engine::kLoad ? Operand::kActivations : Operand::kResults;
    case OnChip::kWeights: return Operand::kWeights;
    case OnChip::kParameters: return Operand::kParameters;
    case OnChip::kAccumulators: return Operand::kSums;
  }
  return Operand::kActivations;
}

template <class Number>
Number distance(Number a, Number b) {
  return a > b ? a - b : b - a;
}

bool same_kind(const Occupied& a, const Occupied& b) { return a.memory == b.memory && a.operand == b.operand; }

void join(Occupied& into, const Occupied& other) {
  into.row = std::min(into.row, other.row);
  into.row_end = std::max(into.row_end, other.row_end);
  into.from = std::min(into.from, other.from);
  into.until = std::max(into.until, other.until);
  into.instruction = std::min(into.instruction, other.instruction);
  into.writers += other.writers;
}

/// Merges neighbours of the sorted list for which `touch` holds.
template <class Key, class Touch>
void join_neighbours(std::vector<Occupied>& list, const Key& key, const Touch& touch) {
  std::stable_sort(list.begin(), list.end(), [&](const Occupied& a, const Occupied& b) { return key(a) < key(b); });
  std::vector<Occupied> result;
  for (const Occupied& next : list) {
    if (!result.empty() && same_kind(result.back(), next) && touch(result.back(), next)) {
      join(result.back(), next);
    } else {
      result.push_back(next);
    }
  }
  list = std::move(result);
}

/// Merges vertically adjacent rectangles of about the same cycles.
void join_rows(std::vector<Occupied>& list, std::uint64_t cycles, std::uint32_t rows) {
  const auto key = [&](const Occupied& o) { return std::tuple(o.memory, o.operand, o.from / (cycles + 1), o.row); };
  join_neighbours(list, key, [&](const Occupied& a, const Occupied& b) {
    return b.row <= std::uint64_t{a.row_end} + rows && distance(a.from, b.from) <= cycles &&
           distance(a.until, b.until) <= cycles;
  });
}

/// Merges consecutive rectangles of about the same rows, except long ones.
void join_cycles(std::vector<Occupied>& list, std::uint64_t cycles, std::uint32_t rows) {
  const auto key = [&](const Occupied& o) { return std::tuple(o.memory, o.operand, o.row / (rows + 1), o.from); };
  join_neighbours(list, key, [&](const Occupied& a, const Occupied& b) {
    return distance(a.row, b.row) <= rows && distance(a.row_end, b.row_end) <= rows && b.from <= a.until + cycles &&
           std::min(a.until - a.from, b.until - b.from) <= 8 * cycles;
  });
}

}  // namespace

/// Splits ranges at `at`, so that rows before and after it have separate live ranges.
void Occupancy::split(Rows& rows, std::uint32_t at) {
  const auto next = rows.upper_bound(at);
  if (next == rows.begin()) {
    return;
  }
  Occupied& before = *std::prev(next)->second;
  if (before.row < at && at < before.row_end) {
    all_.push_back(std::make_unique<Occupied>(before));
    all_.back()->row = at;
    before.row_end = at;
    rows.emplace(at, all_.back().get());
  }
}

void Occupancy::read(OnChip memory, const compiler::Span& span, const Interval& when) {
  Rows& rows = live_[static_cast<std::size_t>(memory)];
  auto next = rows.upper_bound(static_cast<std::uint32_t>(span.begin));
  if (next != rows.begin()) {
    --next;
  }
  for (; next != rows.end() && next->first < span.end; ++next) {
    if (Occupied& held = *next->second; held.row_end > span.begin) {
      held.until = std::max(held.until, when.until);
    }
  }
}

void Occupancy::write(OnChip memory, const compiler::Span& span, isa::Engine engine, std::uint32_t index,
                      const Interval& when) {
  Rows& rows = live_[static_cast<std::size_t>(memory)];
  const auto begin = static_cast<std::uint32_t>(span.begin), end = static_cast<std::uint32_t>(span.end);
  split(rows, begin);
  split(rows, end);
  rows.erase(rows.lower_bound(begin), rows.lower_bound(end));
  all_.push_back(std::make_unique<Occupied>(Occupied{memory, operand_of(memory, engine), begin, end, when.from,
                                                     std::max(when.until, when.from + 1), index, 1}));
  rows.emplace(begin, all_.back().get());
}

void Occupancy::add(const isa::Instruction& instruction, std::uint32_t index, const Interval& when) {
  const std::vector<compiler::Span> spans = shown(compiler::footprint(instruction, configuration_), configuration_);
  for (const compiler::Span& span : spans) {
    if (const auto memory = on_chip(span.memory); memory && !span.is_write) {
      read(*memory, span, when);
    }
  }
  for (const compiler::Span& span : spans) {
    const auto memory = on_chip(span.memory);
    // An instruction that also reads what it writes accumulates: the rows keep their contents.
    const bool adds = std::any_of(spans.begin(), spans.end(), [&](const compiler::Span& other) {
      return !other.is_write && other.memory == span.memory && other.begin == span.begin && other.end == span.end;
    });
    if (memory && span.is_write && !adds) {
      write(*memory, span, compiler::engine_of(instruction), index, when);
    }
  }
}

std::vector<Occupied> Occupancy::take() {
  std::vector<Occupied> result;
  for (const auto& occupied : all_) {
    result.push_back(*occupied);
  }
  live_ = {};
  all_.clear();
  return result;
}

void bound_size(MemoryPlan& plan, std::size_t most) {
  most = std::max<std::size_t>(most, kOnChipCount * kOperandCount);
  std::uint64_t cycles = 0;
  std::uint32_t rows = 0;
  join_rows(plan.occupied, cycles, rows);
  while (plan.occupied.size() > most) {
    cycles = std::max<std::uint64_t>(2 * cycles, plan.cycles / 4096 + 1);
    rows = cycles > plan.cycles / 512 ? 2 * rows + 1 : 0;  // first up to a pixel of cycles; rows only if that does not
                                                           // suffice
    join_rows(plan.occupied, cycles, rows);
    join_cycles(plan.occupied, cycles, rows);
  }
  plan.merged_cycles = cycles;
}

}  // namespace systole::report
