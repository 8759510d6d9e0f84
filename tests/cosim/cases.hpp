// SPDX-License-Identifier: Apache-2.0
// The conformance list: operator cases that every back end must compute as the golden model does, bit for bit. Shapes
// are chosen around the size of the array, where tiles have their edges.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "output_stage.hpp"
#include "systole/device.hpp"
#include "systole/operators.hpp"
#include "tensor.hpp"

namespace systole::cosim {

struct Case {
  std::string name;  ///< letters, digits and underscores
  std::string operation;
  std::vector<int> extents;  ///< the extents that are divided into blocks of DIM
  /// Runs the operator on the device and on the golden model; returns the difference, empty if they agree.
  std::function<std::optional<std::string>(Device&, const RunOptions&, std::uint64_t seed)> run;
};

std::vector<Case> matmul_cases(int dim);
std::vector<Case> convolution_cases(int dim);
std::vector<Case> vector_cases(int dim);

/// All of them.
std::vector<Case> operator_cases(int dim);

/// The case of that name. Throws std::invalid_argument if there is none.
Case operator_case(int dim, const std::string& name);

/// Random operands.
class Source {
 public:
  explicit Source(std::uint64_t seed) : engine_(seed) {}
  int range(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  std::vector<std::int8_t> bytes(std::size_t count);
  std::vector<std::int32_t> words(std::size_t count, int magnitude);
  /// Scales that spread sums of `depth` products over the int8 range, one or one per channel.
  std::vector<QuantParam> scales(int depth, int channels);
  QuantParam scale(double low, double high);

 private:
  std::mt19937_64 engine_;
};

/// Golden tensors from host tensors.
template <class Element>
golden::Tensor<Element> to_golden(const HostTensor<Element>& tensor) {
  return {golden::NhwcShape{tensor.batch, tensor.height, tensor.width, tensor.channels}, tensor.data};
}

}  // namespace systole::cosim
