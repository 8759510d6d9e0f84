// SPDX-License-Identifier: Apache-2.0
// Files that hold a network: TensorFlow Lite and ONNX models, and Systole containers, compiled or not.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "systole/container.hpp"
#include "systole/formula.hpp"
#include "systole/import_model.hpp"
#include "systole/network.hpp"

namespace systole::cli {

struct Model {
  std::string path;
  graph::Graph graph;
  std::optional<container::Container> compiled;  ///< present if the file contains programs
  std::int64_t batch = 1;                        ///< samples that the graph computes at a time
  std::vector<std::string> remarks = {};         ///< graph::ModelContents::remarks
};

/// Operators of one's own, by domain and type: "my.Softsign".
using OperatorFunctions = std::map<std::string, OperatorFunction>;

/// --kernel
void add_kernel_option(CLI::App& command, OperatorFunctions& functions, FormulaUse use);

/// --dimension, --constant, --constant-memory and --kernel, for commands that read a model.
void add_import_options(CLI::App& command, graph::ImportOptions& options);

/// --without, for commands that compile.
void add_without_option(CLI::App& command, std::vector<std::string>& without);

/// Throws InputError, beginning with the path, and for operators of one's own that the file does not have.
Model load_model(const std::string& path, const graph::ImportOptions& options = {});

/// Reads a file, even one that cannot run completely. Throws InputError, beginning with the path, if it cannot be read,
/// and for operators of one's own that a file that can be read completely does not have.
graph::ModelContents read_contents(const std::string& path, const graph::ImportOptions& options);

/// The model's programs if it is compiled; throws InputError if that was for another configuration, or transformations
/// are to be left `without`. Otherwise compiles it.
CompiledNetwork programs_of(const Model& model, const Configuration& configuration, const CompileOptions& options = {});

/// Reserves memory of the device for the model's programs. Throws InputError if it has no room.
Network placed(const Model& model, Device& device, CompiledNetwork network);

/// "13 operators, 2,656,768 MACs, 52,936 bytes of constants".
std::string graph_text(const graph::Graph& graph);

/// "2 programs of 412 instructions, 1 operator on the host".
std::string programs_text(const CompiledNetwork& network);

}  // namespace systole::cli
