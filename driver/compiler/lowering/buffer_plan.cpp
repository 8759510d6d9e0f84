// SPDX-License-Identifier: Apache-2.0
#include "buffer_plan.hpp"

#include <algorithm>
#include <vector>

#include "systole/buffer.hpp"

namespace systole::network {
namespace {

using graph::TensorId;

struct Taken {
  std::uint64_t begin, end;
};

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

}  // namespace

MemoryPlan plan_memory(const std::map<TensorId, MemoryPlan::Need>& needs) {
  std::vector<TensorId> order;
  for (const auto& [id, need] : needs) {
    order.push_back(id);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](TensorId a, TensorId b) { return needs.at(a).bytes > needs.at(b).bytes; });
  MemoryPlan plan;
  for (const TensorId id : order) {
    const MemoryPlan::Need& need = needs.at(id);
    std::vector<Taken> taken;
    for (const auto& [other, offset] : plan.offsets) {
      if (overlap(needs.at(other).live, need.live)) {
        taken.push_back({offset, offset + aligned(needs.at(other).bytes)});
      }
    }
    std::sort(taken.begin(), taken.end(), [](const Taken& a, const Taken& b) { return a.begin < b.begin; });
    std::uint64_t offset = 0;
    for (const Taken& range : taken) {
      if (range.begin >= offset + aligned(need.bytes)) {
        break;
      }
      offset = std::max(offset, range.end);
    }
    plan.offsets[id] = offset;
    plan.bytes = std::max(plan.bytes, offset + aligned(need.bytes));
  }
  return plan;
}

}  // namespace systole::network
