// SPDX-License-Identifier: Apache-2.0
// From a float graph and samples of its inputs to an int8 graph in TensorFlow Lite's arithmetic: what the device runs, exactly as
// TensorFlow Lite's kernels would.
//
//   const quantizer::Result result = quantizer::quantize(import_model("model.onnx"), samples);
//   Network network(device, result.graph);
//
// Activations have a scale and a zero point for the tensor, weights a scale for each output and zero points 0, biases are int32.
#pragma once

#include "quantizer/emit.hpp"
#include "quantizer/equalize.hpp"
#include "quantizer/report.hpp"

namespace systole::quantizer {

struct Options {
  Calibration calibration = Calibration::kMeanSquareError;
  double percentile = 99.99;  ///< of kPercentile; above 50, at most 100
  Equalization equalization = Equalization::kAuto;
  Border border = Border::kFloat;
  std::size_t compared_samples = 64;  ///< how many samples at most the report compares; 0: none
};

struct Result {
  graph::Graph graph;     ///< int8, valid
  graph::Graph prepared;  ///< the float graph that was quantized: the model, with operators folded and channels equalized
  Report report;
};

/// `samples` are inputs such as the network will see; some hundred are enough. Throws GraphError for a graph that is not valid,
/// without samples, for samples that do not fit, for a tensor that is not finite and a percentile out of range.
Result quantize(const graph::Graph& model, const std::vector<Sample>& samples, const Options& options = {});

}  // namespace systole::quantizer
