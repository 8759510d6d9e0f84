// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of a network as array files whose first axis is the sample.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files.hpp"
#include "systole/execute.hpp"

namespace systole::cli {

/// How float32 arrays are used for quantized tensors.
enum class Reals {
  kRefused,
  kQuantized,  ///< by the tensor's scale and zero point, rounded to nearest, as a Convert operator does
};

/// Allowed difference from the expected value: absolute + relative * |expected|.
struct Tolerance {
  double absolute = 0, relative = 0;
  bool exact() const { return absolute == 0 && relative == 0; }
};

/// Default tolerance for results of one element type, for programs that compute the same function but sum in another
/// order: zero for integers.
Tolerance usual_tolerance(graph::ElementType type);

/// One array per tensor.
class Samples {
 public:
  /// Reads arrays that fit the tensors and have equal numbers of samples. An array fits if each of its samples, along
  /// its first axis, has as many elements as the tensor. Throws InputError, naming `option`, for files that cannot be
  /// read and arrays that do not fit.
  Samples(const char* option, const std::vector<std::string>& files, const graph::Graph& graph,
          const std::vector<graph::TensorId>& tensors, Reals reals);
  /// Random arrays, the same for the same seed: real numbers in -1 .. 1, quantized integers over their full range,
  /// other integers in 0 .. 127 or, if they are indices, below the size of the axis.
  Samples(std::uint64_t seed, std::size_t count, const graph::Graph& graph,
          const std::vector<graph::TensorId>& tensors);

  std::size_t count() const { return count_; }
  /// Number of arrays that were quantized.
  std::size_t quantized() const { return quantized_; }
  /// One sentence for each array that was reshaped.
  const std::vector<std::string>& reshaped() const { return reshaped_; }
  /// Values of one sample, in the form that Network::run() takes and returns.
  std::vector<graph::Value> at(std::size_t sample) const;

 private:
  std::vector<graph::Value> arrays_;  ///< samples one after another
  std::vector<const graph::Tensor*> tensors_;
  std::vector<std::string> reshaped_;
  std::size_t count_ = 0, quantized_ = 0;
};

/// Writes one array per tensor, of all samples; a tensor's first axis of 1 becomes that of the samples.
void write_samples(const char* option, const std::vector<std::string>& files,
                   const std::vector<std::vector<graph::Value>>& samples, Outputs& outputs);

/// Difference of two arrays.
struct Deviation {
  std::string first;    ///< first one beyond the tolerance: "sample 3, output 'y', index 0,7: expected 12, actual 13 (5
                        ///< of 10 differ)"; empty if none
  bool within = false;  ///< some elements differ, all within the tolerance
  double largest = 0;   ///< the largest of these
};
Deviation deviation(std::size_t sample, const graph::Tensor& tensor, const graph::Value& expected,
                    const graph::Value& actual, const Tolerance& tolerance = {});
/// The same of a single array: "output 'y', index 0,7: ...".
Deviation deviation(const std::string& output, const graph::Value& expected, const graph::Value& actual,
                    const Tolerance& tolerance);

}  // namespace systole::cli
