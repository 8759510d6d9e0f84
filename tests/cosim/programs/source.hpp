// SPDX-License-Identifier: Apache-2.0
// Random numbers of the program generator.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace systole::programs {

class Source {
 public:
  explicit Source(std::uint64_t seed) : engine_(seed) {}
  /// Uniform in [low, high].
  long long range(long long low, long long high) {
    return std::uniform_int_distribution<long long>(low, high)(engine_);
  }
  bool chance(int percent) { return range(0, 99) < percent; }
  std::uint64_t word() { return engine_(); }
  template <class T>
  const T& of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(range(0, static_cast<long long>(list.size()) - 1))];
  }
  std::vector<std::uint8_t> bytes(std::size_t count) {
    std::vector<std::uint8_t> list(count);
    for (auto& byte : list) byte = static_cast<std::uint8_t>(engine_());
    return list;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace systole::programs
