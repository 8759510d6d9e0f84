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

/// How far a value may be from what is expected: by absolute + relative * |expected|.
struct Tolerance {
  double absolute = 0, relative = 0;
  bool exact() const { return absolute == 0 && relative == 0; }
};

/// What the results of one element type may differ in when two programs compute them in the same way, but sum in
/// another order: nothing for integers.
Tolerance usual_tolerance(graph::ElementType type);

/// One array per tensor.
class Samples {
 public:
  /// Arrays that fit the tensors and are of as many samples. An array fits whose samples, along its first axis, have as
  /// many elements as the tensor. Throws InputError, which names `option`, for files that cannot be read and arrays
  /// that do not fit.
  Samples(const char* option, const std::vector<std::string>& files, const graph::Graph& graph,
          const std::vector<graph::TensorId>& tensors, Reals reals);
  /// Random ones, the same for the same seed: real numbers of -1 .. 1, steps of a scale of all sizes, other integers of
  /// 0 .. 127, or as many as an axis has elements that they can be indices of.
  Samples(std::uint64_t seed, std::size_t count, const graph::Graph& graph,
          const std::vector<graph::TensorId>& tensors);

  std::size_t count() const { return count_; }
  /// How many arrays were quantized.
  std::size_t quantized() const { return quantized_; }
  /// What arrays in another shape were taken as, a sentence each.
  const std::vector<std::string>& reshaped() const { return reshaped_; }
  /// Values of one sample, as Network::run() takes and gives them.
  std::vector<graph::Value> at(std::size_t sample) const;

 private:
  std::vector<graph::Value> arrays_;  ///< samples one behind the other
  std::vector<const graph::Tensor*> tensors_;
  std::vector<std::string> reshaped_;
  std::size_t count_ = 0, quantized_ = 0;
};

/// Writes one array per tensor, of all samples; a tensor's first axis of 1 becomes that of the samples. Throws
/// InputError.
void write_samples(const char* option, const std::vector<std::string>& files,
                   const std::vector<std::vector<graph::Value>>& samples);

/// What two arrays differ in.
struct Deviation {
  std::string first;    ///< beyond the tolerance: "sample 3, output 'y', index 0,7: expected 12, actual 13 (5 of 10
                        ///< differ)"; empty for none
  bool within = false;  ///< some elements differ, and by no more than that
  double largest = 0;   ///< of these
};
Deviation deviation(std::size_t sample, const graph::Tensor& tensor, const graph::Value& expected,
                    const graph::Value& actual, const Tolerance& tolerance = {});

}  // namespace systole::cli
