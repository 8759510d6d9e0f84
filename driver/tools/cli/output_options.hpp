// SPDX-License-Identifier: Apache-2.0
// Options that name a file to write.
#pragma once

#include <CLI/CLI.hpp>

#include "output_file.hpp"

namespace systole::cli {

/// How the value of such an option names its file.
enum class OutputForm {
  kFile,
  kFileOrOutput,  ///< "-" is standard output
  kMadeFolder,    ///< a file whose folder the command makes
  kNamedFile,     ///< NAME=FILE:SHAPE:TYPE
};

/// The name of the check that every such option has, for tests that look for all outputs of the program.
inline constexpr const char* kOutputCheck = "output";

/// Makes the option one that names an output: it is checked as soon as the command line is read, so that a command does
/// not work for hours before it finds that a folder does not exist. Returns the option.
CLI::Option* is_output(CLI::Option* option, OutputForm form = OutputForm::kFile);

/// Adds --json to a command.
CLI::Option* add_json_option(CLI::App& command, std::string& path, const std::string& what);

}  // namespace systole::cli
