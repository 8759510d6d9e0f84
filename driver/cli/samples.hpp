// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of a network, sample by sample, as arrays in files whose first axis is the sample.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systole/execute.hpp"

namespace systole::cli {

/// What becomes of float32 arrays for quantized tensors.
enum class Reals {
  kRefused,
  kQuantized,  ///< by the tensor's scale and zero point, to the nearest, as a Convert operator does it
};

/// One array per tensor.
class Samples {
 public:
  /// Arrays that fit the tensors and are of as many samples. Throws InputError, which names `option`, for files that cannot be
  /// read and arrays that do not fit; axes of 1 may be there or not.
  Samples(const char* option, const std::vector<std::string>& files, const graph::Graph& graph, const std::vector<graph::TensorId>& tensors,
          Reals reals);
  /// Random ones, the same for the same seed.
  Samples(std::uint64_t seed, std::size_t count, const graph::Graph& graph, const std::vector<graph::TensorId>& tensors);

  std::size_t count() const { return count_; }
  /// How many arrays were quantized.
  std::size_t quantized() const { return quantized_; }
  /// Values of one sample, as Network::run() takes and gives them.
  std::vector<graph::Value> at(std::size_t sample) const;

 private:
  std::vector<graph::Value> arrays_;  ///< samples one behind the other
  std::vector<const graph::Tensor*> tensors_;
  std::size_t count_ = 0, quantized_ = 0;
};

/// Writes one array per tensor, of all samples; a tensor's first axis of 1 becomes that of the samples. Throws InputError.
void write_samples(const char* option, const std::vector<std::string>& files, const std::vector<std::vector<graph::Value>>& samples);

/// The first element that differs: "sample 3, output 'y', index 0,7: expected 12, actual 13 (5 of 10 differ)". Empty when all are
/// the same, bit for bit.
std::string difference(std::size_t sample, const graph::Tensor& tensor, const graph::Value& expected, const graph::Value& actual);

}  // namespace systole::cli
