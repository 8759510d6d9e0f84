// SPDX-License-Identifier: Apache-2.0
// Samples from files: .npy, .npz, tables (.csv), IDX.
#pragma once

#include <string>
#include <vector>

#include "systole/training.hpp"

namespace systole::training {

/// The array of a file, whose format is told by its content and, for a table, by the ending .csv. "FILE:NAME" is an
/// array of an .npz archive, "FILE:COLUMN,COLUMN" columns of a table, by their names or numbers from 1. Throws
/// FileError or InvalidArgument, naming the file and what there is.
NamedArray read_array(const std::string& source);

/// The file of such a text, or of "NAME=FILE...".
std::string path_of(const std::string& source);

/// Inputs, each "FILE" or "NAME=FILE", and targets. If both are of one table, the inputs that name no columns are those
/// without the targets'. Throws InvalidArgument if the targets name none either, or an input names some of theirs.
Data read_data(const std::vector<std::string>& inputs, const std::string& targets);

}  // namespace systole::training
