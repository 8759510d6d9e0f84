// SPDX-License-Identifier: Apache-2.0
#include "kernel_set.hpp"

#include <algorithm>
#include <map>

#include "random_vector.hpp"
#include "seed.hpp"

namespace systole::programs {
namespace {

KernelSet draw(const Configuration& configuration) {
  test::RandomVectors generate(configuration, test::quiet_seed());
  KernelSet set;
  for (;;) {
    test::RandomVector kernel = generate.next();
    const std::size_t at = set.known.kernels.size();
    if (at + kernel.words.size() > kernel::kMemoryWords) {
      break;
    }
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
