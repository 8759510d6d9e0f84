// SPDX-License-Identifier: Apache-2.0
// Post-training quantization: converts a float graph to an int8 graph with TensorFlow Lite's arithmetic, using samples
// of its inputs. The device then computes exactly what TensorFlow Lite's kernels would.
//
//   const quantizer::Result result = quantizer::quantize(graph::import_model("model.onnx"), samples);
//   Network network(device, result.graph);
//
// Activations have one scale and zero point per tensor. Weights have one scale per output channel and zero points of 0.
// Biases are int32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "systole/execute.hpp"

namespace systole::quantizer {

/// Inputs for one run. They match Graph::inputs in number, order, type and shape.
using Sample = std::vector<graph::Value>;

/// How the range of real numbers that int8 represents is chosen; values outside saturate. Masked inputs of a softmax
/// (values so far below the largest of their row that the result is zero) are ignored.
enum class Calibration {
  kMinMax,           ///< the range of all values
  kPercentile,       ///< from the (100 - p)-th to the p-th percentile of the values
  kMeanSquareError,  ///< the range with the smallest mean square error of rounding and saturation
};

/// The channels of an int8 tensor share one scale, which is too coarse for channels of small values. Equalization
/// scales the channels between two layers, and the second layer's weights inversely (Nagel et al., Data-Free
/// Quantization Through Weight Equalization and Bias Correction, 2019; here samples give the ranges of activations).
enum class Equalization {
  kOff,
  kOn,    ///< for all pairs of layers
  kAuto,  ///< for the pairs whose result is expected to have a smaller mean square error
};

/// The type of inputs and outputs that are float32 in the model.
enum class Border {
  kFloat,  ///< float32, with Convert operators after the inputs and before the outputs
  kInt8,   ///< int8 with a quantization, if the operators there are int8; a final softmax becomes int8
};

/// Progress of quantize(). Most of its time is spent on running networks on the host: the float network once per
/// sample, and for the report both networks once per compared sample.
struct Progress {
  enum class Stage { kCalibration, kComparison } stage = Stage::kCalibration;
  std::size_t done = 0, of = 0;  ///< samples of the stage
};
/// Called after each sample, possibly from different threads, but never concurrently.
using ProgressHook = std::function<void(const Progress&)>;

struct Options {
  Calibration calibration = Calibration::kMeanSquareError;
  double percentile = 99.99;  ///< for kPercentile: above 50, at most 100
  Equalization equalization = Equalization::kAuto;
  Border border = Border::kFloat;
  /// Whether to quantize a softmax that only computes outputs of the network. With steps of 1/256, most of a thousand
  /// classes would be zero, and float32 costs no time there.
  bool int8_softmax = false;
  /// Maximum number of samples compared for the report; 0: none. If these need more than 10^10 multiply-accumulates, at
  /// most a quarter of the samples is compared, so that the report takes less time than the calibration.
  std::size_t compared_samples = 64;
  ProgressHook progress;  ///< may be empty
};

/// One operator of the float graph and its int8 form.
struct LayerReport {
  std::string name, origin;
  bool int8 = false;
  bool blocks = false;       ///< whether it is a product in block floating point
  std::string reason;        ///< why it is not int8
  bool compared = false;     ///< whether the following members were measured
  double low = 0, high = 0;  ///< range of the float result in all compared samples
  float scale = 0;           ///< scale of the int8 result
  std::int32_t zero_point = 0;
  double signal = 0, noise = 0;  ///< mean squares of the float result and of the difference
  double largest_error = 0;      ///< largest magnitude of the difference
  /// The fraction, 0 .. 1, of values that are masked: the following softmax treats them like minus infinity. They are
  /// excluded from the members above.
  double masked = 0;
  /// 10 log10(signal / noise) in dB; infinite without noise.
  double signal_to_noise() const;
};

/// Comparison of the int8 graph with the float graph that it was made from.
struct Report {
  std::vector<LayerReport> layers;     ///< in the order of the float graph, without operators that were folded
  std::vector<std::string> equalized;  ///< "first -> second" for each pair of layers that was equalized
  std::size_t samples = 0;             ///< number of compared samples
  /// 0 .. 1, set by callers that know the labels of the samples; quantize() leaves them empty.
  std::optional<double> accuracy_before, accuracy_after;
};

struct Result {
  graph::Graph graph;  ///< the int8 graph, valid
  /// The float graph that was quantized: the model after folding of operators and equalization of channels.
  graph::Graph prepared;
  Report report;
};

/// Quantizes a model. `samples` should be typical inputs of the network; some hundred are enough. Operators that have
/// no int8 form, or none for the values of the samples, stay float32; the report contains the reason. Throws GraphError
/// for an invalid graph, if there are no samples, for samples that do not match the graph or are not finite (minus
/// infinity is legal in a mask), and for a percentile out of range.
Result quantize(const graph::Graph& model, const std::vector<Sample>& samples, const Options& options = {});

/// A float network whose products are in block floating point (sim/golden/block_float.md), with no calibration: weights
/// are cast now, activations when they are computed. All else, and convolutions with groups, are binary32. Activations
/// within operators become operators of their own. Throws GraphError for an invalid graph, and for a network with
/// integer weights.
graph::Graph to_blocks(const graph::Graph& model);

/// The error of each layer of to_blocks(model) against float, on the first Options::compared_samples samples, which
/// must match the graph. The report lists the operators of the float network, after folding.
Report compare_blocks(const graph::Graph& model, const std::vector<Sample>& samples, const Options& options = {});

/// Converts a sample for the int8 graph: quantizes float32 inputs that are int8 in that graph.
Sample convert_sample(const graph::Graph& graph, const graph::Graph& quantized, const Sample& sample);

}  // namespace systole::quantizer
