// SPDX-License-Identifier: Apache-2.0
// Arrays of samples, as the inputs of a network take them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataset.hpp"
#include "systole/training.hpp"

namespace systole::training {

/// What one sample of a network's input is.
struct InputKind {
  std::string name;
  graph::ElementType type = graph::ElementType::kFloat32;
  graph::Shape shape;                 ///< without the first axis
  std::optional<std::int64_t> limit;  ///< of integers that choose rows: they are below it
};

/// The samples of each input, in the network's order. An array fits if a sample of it has the input's shape, but for
/// axes of 1; if one of the two is flat and has as many elements; or if it is a picture with its channels last where
/// the network takes them first. Integers and truth values become real numbers where the network takes these. Throws
/// InvalidArgument, naming array, place, value, what is legal and the remedy: for inputs that are missing, unknown or
/// given twice, other shapes, arrays of different numbers of samples, values that are not finite or beyond binary32,
/// real numbers for integers, and integers that are no rows.
std::vector<InputSamples> fitted_inputs(const std::vector<Data::Input>& given, const std::vector<InputKind>& inputs,
                                        const std::string& network);

}  // namespace systole::training
