// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

#include <cmath>
#include <stdexcept>

namespace systole::cosim {

std::vector<std::int8_t> Source::bytes(std::size_t count) {
  std::vector<std::int8_t> values(count);
  for (auto& value : values) {
    value = static_cast<std::int8_t>(range(-128, 127));
  }
  return values;
}

std::vector<std::int32_t> Source::words(std::size_t count, int magnitude) {
  std::vector<std::int32_t> values(count);
  for (auto& value : values) {
    value = range(-magnitude, magnitude);
  }
  return values;
}

QuantParam Source::scale(double low, double high) {
  return quantize_multiplier(std::uniform_real_distribution<double>(low, high)(engine_));
}

std::vector<QuantParam> Source::scales(int depth, int channels) {
  const double typical = 60.0 / (5400.0 * std::sqrt(static_cast<double>(depth)));
  std::vector<QuantParam> list(static_cast<std::size_t>(range(0, 3) == 0 ? 1 : channels));
  for (auto& item : list) {
    item = scale(0.4 * typical, 1.6 * typical);
  }
  return list;
}

std::vector<Case> operator_cases(int dim) {
  std::vector<Case> all;
  for (auto list : {matmul_cases(dim), convolution_cases(dim), vector_cases(dim)}) {
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

Case operator_case(int dim, const std::string& name) {
  for (const Case& test : operator_cases(dim)) {
    if (test.name == name) {
      return test;
    }
  }
  throw std::invalid_argument("no case " + name + " in the conformance list");
}

}  // namespace systole::cosim
