// SPDX-License-Identifier: Apache-2.0
// Reads calibration and test data from files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systole/quantizer.hpp"

namespace systole::quantizer {

/// The first `count` samples (0: all) of a graph from one file per input: INPUT=FILE for the input of that name, or
/// FILE for the next input in graph order that has none. A file is
///   FILE.npy            the first axis is the sample, the others the input's, ignoring dimensions of 1; the input's
///   type FILE, FILE.gz       IDX pictures, MNIST's format FOLDER              its binary PGM and PPM pictures (*.pgm,
///   *.ppm), in the order of their names
/// Pixels are 0 .. 255, unscaled. Fewer than `count` samples are no error, none are. Throws GraphError or
/// std::runtime_error with the path for unreadable or unsuitable files, for an input without a file or with two, and
/// for files with different numbers of samples.
std::vector<Sample> read_samples(const std::vector<std::string>& files, const graph::Graph& graph, std::size_t count);

/// All labels of the file, at most `count` (0: all): IDX labels, or integers in a .npy file.
std::vector<std::int64_t> read_labels(const std::string& path, std::size_t count);

/// Top-1 accuracy, 0 .. 1, on the graph's first output; ties go to the lowest index. `samples` are inputs of `model`;
/// `graph` may be its int8 form. There are as many labels as samples, and at least one.
double accuracy(const graph::Graph& model, const graph::Graph& graph, const std::vector<Sample>& samples,
                const std::vector<std::int64_t>& labels);

}  // namespace systole::quantizer
