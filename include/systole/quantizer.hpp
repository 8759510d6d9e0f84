// SPDX-License-Identifier: Apache-2.0
// From a float graph and samples of its inputs to an int8 graph in TensorFlow Lite's arithmetic: what the device runs,
// exactly as TensorFlow Lite's kernels would.
//
//   const quantizer::Result result = quantizer::quantize(graph::import_model("model.onnx"), samples);
//   Network network(device, result.graph);
//
// Activations have a scale and a zero point for the tensor, weights a scale for each output and zero points 0, biases
// are int32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "systole/execute.hpp"

namespace systole::quantizer {

/// Inputs for one run, as Graph::inputs in number, order, type and shape.
using Sample = std::vector<graph::Value>;

/// Which range of real numbers the 256 values of int8 stand for; what lies outside saturates. Of what a softmax reads,
/// values so far below the largest of their row that they come out as zero have no say in it: those are masked.
enum class Calibration {
  kMinMax,           ///< all values seen
  kPercentile,       ///< all but the outermost: from the (100 - p)-th to the p-th percentile
  kMeanSquareError,  ///< the range with the least mean square of rounding and saturation together
};

/// Channels of a tensor share one scale when the tensor is int8; small channels then have few steps. Between two layers
/// a channel may be divided by a number, which the second layer's weights are multiplied with (Nagel et al., Data-Free
/// Quantization Through Weight Equalization and Bias Correction, 2019; here with ranges of activations from samples).
enum class Equalization {
  kOff,
  kOn,    ///< every pair of layers
  kAuto,  ///< the pairs whose result is expected to have a lower mean square error
};

/// The type of inputs and outputs that are float32 in the model.
enum class Border {
  kFloat,  ///< float32; Convert operators stand behind inputs and before outputs
  kInt8,   ///< int8 with a quantization, where the operators there are int8; a final softmax is
};

/// How far quantize() is. Its time goes into running networks on the host: the float one once for each sample, then,
/// for the report, both once for each sample compared.
struct Progress {
  enum class Stage { kCalibration, kComparison } stage = Stage::kCalibration;
  std::size_t done = 0, of = 0;  ///< samples of the stage
};
/// Called after each sample, never twice at a time, maybe from threads of quantize().
using ProgressHook = std::function<void(const Progress&)>;

struct Options {
  Calibration calibration = Calibration::kMeanSquareError;
  double percentile = 99.99;  ///< of kPercentile; above 50, at most 100
  Equalization equalization = Equalization::kAuto;
  Border border = Border::kFloat;
  /// Whether a softmax that only makes outputs of the network becomes int8 as well. In steps of 1/256 most of a
  /// thousand classes are zero; float32 costs nothing there.
  bool int8_softmax = false;
  /// How many samples at most the report compares; 0: none. Where these are more than 10^10 multiply-accumulates, at
  /// most a quarter of the samples, so that the report takes less time than the calibration.
  std::size_t compared_samples = 64;
  ProgressHook progress;  ///< may be empty
};

/// One operator of the float graph and its int8 form.
struct LayerReport {
  std::string name, origin;
  bool int8 = false;
  std::string reason;        ///< why not int8
  bool compared = false;     ///< whether what follows was measured
  double low = 0, high = 0;  ///< what the float result was, over all samples compared
  float scale = 0;           ///< of the int8 result
  std::int32_t zero_point = 0;
  double signal = 0, noise = 0;  ///< mean squares of the float result and of the difference
  double largest_error = 0;      ///< largest magnitude of the difference
  /// The part, 0 .. 1, of values that a softmax behind cannot tell from minus infinity: masked. They are left out of
  /// all the above.
  double masked = 0;
  /// 10 log10(signal / noise) in dB; infinite without noise.
  double signal_to_noise() const;
};

/// How far the int8 graph is from the float graph that it was made from.
struct Report {
  std::vector<LayerReport> layers;  ///< in the order of the float graph; operators that were folded away are not there
  std::vector<std::string> equalized;  ///< "first -> second", where channels were equalized
  std::size_t samples = 0;             ///< that were compared
  /// 0 .. 1, for whoever has labels; quantize() leaves them empty.
  std::optional<double> accuracy_before, accuracy_after;
};

struct Result {
  graph::Graph graph;  ///< int8, valid
  /// The float graph that was quantized: the model, with operators folded and channels equalized.
  graph::Graph prepared;
  Report report;
};

/// `samples` are inputs such as the network will see; some hundred are enough. What has no int8 form, or none for the
/// values that came, stays float32, with the reason in the report. Throws GraphError for a graph that is not valid,
/// without samples, for samples that do not fit or have values that are not finite (minus infinity in a mask is legal),
/// and for a percentile out of range.
Result quantize(const graph::Graph& model, const std::vector<Sample>& samples, const Options& options = {});

/// A sample as the int8 graph takes it: float32 inputs become int8 where that graph has them.
Sample convert_sample(const graph::Graph& graph, const graph::Graph& quantized, const Sample& sample);

}  // namespace systole::quantizer
