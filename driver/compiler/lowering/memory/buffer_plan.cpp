// SPDX-License-Identifier: Apache-2.0
#include "buffer_plan.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "systole/buffer.hpp"

namespace systole::network {
namespace {

using graph::TensorId;

struct Taken {
  std::uint64_t begin, end;
  LiveRange live;
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
  std::vector<Taken> all;
  for (const TensorId id : order) {
    const MemoryPlan::Need& need = needs.at(id);
    std::vector<Taken> taken;
    std::copy_if(all.begin(), all.end(), std::back_inserter(taken),
                 [&](const Taken& other) { return overlap(other.live, need.live); });
    std::sort(taken.begin(), taken.end(), [](const Taken& a, const Taken& b) { return a.begin < b.begin; });
    std::uint64_t offset = 0;
    for (const Taken& range : taken) {
      if (range.begin >= offset + aligned(need.bytes)) {
        break;
      }
      offset = std::max(offset, range.end);
    }
    plan.offsets[id] = offset;
    all.push_back({offset, offset + aligned(need.bytes), need.live});
    plan.bytes = std::max(plan.bytes, offset + aligned(need.bytes));
  }
  return plan;
}

}  // namespace systole::network
