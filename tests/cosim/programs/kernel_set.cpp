// SPDX-License-Identifier: Apache-2.0
#include "kernel_set.hpp"

#include <fmt/format.h>

#include <map>

#include "kernel_use.hpp"
#include "random_vector.hpp"
#include "seed.hpp"
#include "systole/kernel.hpp"

namespace systole::programs {
namespace {

/// So many kernels that use micro-instructions in no new way are left out before one is taken.
constexpr int kMostOld = 200;

KernelSet draw(const Configuration& configuration) {
  KernelSet set;
  if (!configuration.has(Part::kVectorProcessor)) {
    set.known.kernels.resize(kernel::kMemoryWords);
    return set;
  }
  test::RandomVectors generate(configuration, test::quiet_seed());
  std::string fill = "kernel fill(from)\n";
  for (int v = 0; v < kernel::kVectors; ++v) {
    fill += fmt::format("move v{}, i8[from]\nadd from, from, {}\n", v, kernel::kStripRows);
  }
  set.known.kernels = kernel::assemble(fill + "end\n").words;
  test::KernelUses uses;
  int old = 0;  // kernels in a row that are like those before
  for (;;) {
    test::RandomVector kernel = generate.next();
    const std::size_t at = set.known.kernels.size();
    if (at + kernel.words.size() > kernel::kMemoryWords) {
      break;
    }
    std::vector<kernel::Word> alone(kernel.op.entry);
    alone.insert(alone.end(), kernel.words.begin(), kernel.words.end());
    const std::size_t before = uses.size();
    uses.merge(test::uses_of(alone, kernel.op.entry, kernel::arguments_of(kernel.op)));
    if (uses.size() == before && ++old <= kMostOld) {
      continue;
    }
    old = 0;
    set.known.kernels.insert(set.known.kernels.end(), kernel.words.begin(), kernel.words.end());
    kernel.op.entry = static_cast<std::uint16_t>(at);
    set.starts.push_back(kernel.op);
  }
  set.known.kernels.resize(kernel::kMemoryWords);
  return set;
}

}  // namespace

const KernelSet& kernels_of(const Configuration& configuration) {
  static std::map<std::string_view, KernelSet> sets;
  const auto found = sets.find(configuration.name);
  return found != sets.end() ? found->second : sets.emplace(configuration.name, draw(configuration)).first->second;
}

}  // namespace systole::programs
