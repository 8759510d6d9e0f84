// SPDX-License-Identifier: Apache-2.0
// `--precision`: how the products of a float network are computed.
#pragma once

#include <CLI/CLI.hpp>

#include "model_files.hpp"

namespace systole::cli {

enum class Precision {
  kOfFile,  ///< as the file has them
  kInt8,    ///< quantized with samples
  kMx,      ///< block floating point
};

/// The option of commands whose products are in float32, unless it says mx.
void add_float_precision_option(CLI::App& command, Precision& precision);

/// `help` says what int8 takes.
void add_precision_option(CLI::App& command, Precision& precision, const char* help);

/// Converts the network if the precision is kMx; returns a line on it, else nothing. Throws InputError for a file that
/// is compiled already.
std::string apply_precision(Precision precision, Model& model);

}  // namespace systole::cli
