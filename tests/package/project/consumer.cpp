// SPDX-License-Identifier: Apache-2.0
// A matrix product on the functional model, and on the cores whose configurations are named, against three loops:
// product [CONFIGURATION...]
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "systole/operators.hpp"

namespace {

constexpr int kRows = 5, kDepth = 9, kColumns = 7;

std::vector<std::int8_t> numbers(int count, int step) {
  std::vector<std::int8_t> values;
  for (int i = 0; i < count; ++i) {
    values.push_back(static_cast<std::int8_t>(i * step % 255 - 127));
  }
  return values;
}

std::int32_t element(const std::vector<std::int8_t>& a, const std::vector<std::int8_t>& b, int row, int column) {
  std::int32_t sum = 0;
  for (int k = 0; k < kDepth; ++k) {
    sum += a[static_cast<std::size_t>(row * kDepth + k)] * b[static_cast<std::size_t>(k * kColumns + column)];
  }
  return sum;
}

/// False when a value differs.
bool run(const std::string& configuration, const std::string& backend) {
  systole::BackendOptions options;
  options.configuration = configuration;
  systole::Device device = systole::Device::open(options, backend);
  const auto a = numbers(kRows * kDepth, 37), b = numbers(kDepth * kColumns, 59);
  const auto product = systole::matmul_raw(device, a, b, kRows, kDepth, kColumns);
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      if (product.tensor.data[static_cast<std::size_t>(row * kColumns + column)] != element(a, b, row, column)) {
        std::printf("%s %s: row %d, column %d differs\n", configuration.c_str(), backend.c_str(), row, column);
        return false;
      }
    }
  }
  std::printf("%s %s: exact, %llu cycles\n", configuration.c_str(), backend.c_str(),
              static_cast<unsigned long long>(product.stats.cycles));
  return true;
}

}  // namespace

int main(int count, char** configurations) {
  bool exact = run("default", "model");
  for (int i = 1; i < count; ++i) {
    exact = run(configurations[i], "rtl") && exact;
  }
  return exact ? 0 : 1;
}
