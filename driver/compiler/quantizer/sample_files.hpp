// SPDX-License-Identifier: Apache-2.0
// Calibration and test data from files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systole/quantizer.hpp"

namespace systole::quantizer {

/// The first `count` samples (0: all) of a graph from one file for each of its inputs: INPUT=FILE by the input's name,
/// FILE for the next input, in the order of the graph, that no other names. A file is
///   FILE.npy            the first axis the sample, the others the input's, dimensions of 1 aside; of the input's type
///   FILE, FILE.gz       IDX pictures, MNIST's format
///   FOLDER              its binary PGM and PPM pictures (*.pgm, *.ppm), in the order of their names
/// Pixels are 0 .. 255, as they are. Fewer than `count` are no error, none are. Throws GraphError or std::runtime_error
/// with the path for what cannot be read or does not fit, for an input without a file or with two, and for files of
/// different numbers of samples.
std::vector<Sample> read_samples(const std::vector<std::string>& files, const graph::Graph& graph, std::size_t count);

/// As many labels as the file has, at most `count` (0: all): IDX labels, or integers in a .npy file.
std::vector<std::int64_t> read_labels(const std::string& path, std::size_t count);

/// The part, 0 .. 1, of samples whose largest element of the graph's first output has the label as its index; of equal
/// ones the first counts. `samples` are as `model`'s inputs, of which `graph` may be the int8 form. There are as many
/// labels, and some.
double accuracy(const graph::Graph& model, const graph::Graph& graph, const std::vector<Sample>& samples,
                const std::vector<std::int64_t>& labels);

}  // namespace systole::quantizer
