// SPDX-License-Identifier: Apache-2.0
// Elements of arrays of any type, and their places for messages.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "systole/training.hpp"

namespace systole::training {

/// Rows of the first axis; 0 for a single number.
std::size_t rows_of(const graph::Value& value);

/// Whether the elements are integers or truth values.
bool is_whole(graph::ElementType type);

/// All elements as doubles, row-major.
std::vector<double> numbers_of(const graph::Value& value);

/// Where an element is: "line 4, column 2 ('age')" of a table, "row 3, element [0,2]" of another array.
std::string place_of(const NamedArray& array, std::size_t element);

/// What messages call the columns of an array [N, columns]: "t.csv: column 2 ('age')" of a table, "x.npy: element [1]"
/// of another array. Empty for arrays of more axes.
std::vector<std::string> column_names(const NamedArray& array);

/// Throws InvalidArgument, naming the place and the value, for the first element that is not finite.
void check_finite(const NamedArray& array);

/// The rows from `first` on, which leave the array.
graph::Value split_off(graph::Value& from, std::size_t first);

}  // namespace systole::training
