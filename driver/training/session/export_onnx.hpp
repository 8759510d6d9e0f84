// SPDX-License-Identifier: Apache-2.0
// Float graphs as ONNX files.
#pragma once

#include <string>

#include "trainable_network.hpp"

namespace systole::training {

/// The network with these values for its parameters, as constants; what is computed of constants alone is one itself,
/// such as the factor and the summand of a batch normalization.
graph::Graph with_values(const Network& network, const std::vector<graph::Value>& parameters);

/// The bytes of an ONNX file (operator set 20) with the graph's inputs and outputs. Convolutions and pools, whose
/// images are NHWC here and NCHW there, get transpositions around them, which readers remove. Where samples can stand
/// along the first axis (batch_tensors()), that of the file's inputs and outputs has any size, "batch". Throws
/// GraphError, naming the operator, for kinds that are not translated: those of integers and of recurrent networks, and
/// reductions but sums, means, maxima and minima.
graph::Bytes onnx_file(const graph::Graph& graph);

/// Throws InvalidArgument, with the remedy, for the name of a file that would not say what is in it: that of a network
/// ends in .onnx, that of a language model's checkpoint for llama2.c in .bin. Devices and pipes have no such names.
void check_name_of_network(const std::string& path, bool language_model);

}  // namespace systole::training
