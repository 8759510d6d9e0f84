// SPDX-License-Identifier: Apache-2.0
#include "model_files.hpp"

#include <fmt/core.h>

#include <charconv>
#include <memory>
#include <string_view>

#include "exit_codes.hpp"
#include "graph_listing.hpp"
#include "npy.hpp"
#include "terminal.hpp"

namespace systole::cli {

namespace {

/// NAME=VALUE, a value or the name of a file of one.
void take_constant(const std::string& text, graph::ImportOptions& options) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw InputError(fmt::format(
        "--constant: '{}'; it is NAME=VALUE, such as axes=[0,2], limit=1.5 or scales=FILE.npy, for an input NAME",
        text));
  }
  const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
  if (options.constants.count(name) != 0) {
    throw InputError(fmt::format("--constant: '{}' is given twice", name));
  }
  constexpr std::string_view kExtension = ".npy";
  const bool is_file = value.size() > kExtension.size() && value.substr(value.size() - kExtension.size()) == kExtension;
  try {
    options.constants.emplace(name, is_file ? graph::GivenConstant(npy::read(value)) : graph::GivenConstant(value));
  } catch (const npy::NpyError& error) {
    throw InputError(fmt::format("--constant {}: {}", name, error.what()));
  }
}

/// NAME=FILE, the formula of an operator of one's own.
void take_kernel(const std::string& text, OperatorFunctions& functions, FormulaUse use) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw InputError(fmt::format(
        "--kernel: '{}'; it is DOMAIN.TYPE=FILE, such as my.Softsign=softsign.json, for an operator that ONNX does not "
        "have",
        text));
  }
  const std::string name = text.substr(0, equals), file = text.substr(equals + 1);
  if (functions.count(name) != 0) {
    throw InputError(fmt::format("--kernel: '{}' is given twice; an operator has one file", name));
  }
  try {
    functions.emplace(name, read_formula(file, use));
  } catch (const FileError& error) {
    throw InputError(fmt::format("--kernel {}: {}", name, error.what()));
  }
}

/// Import options that notice which operators of one's own a file has.
class NoticedOptions {
 public:
  explicit NoticedOptions(const graph::ImportOptions& options) : options_(options) {
    for (auto& [name, function] : options_.operators) {
      const auto met = met_.emplace(name, std::make_shared<bool>(false)).first->second;
      function = [met, inner = function](const std::vector<Array>& operands, const Attributes& attributes) {
        *met = true;
        return inner(operands, attributes);
      };
    }
  }

  const graph::ImportOptions& options() const { return options_; }

  /// After the file was read.
  void check(const std::string& path) const {
    for (const auto& [name, met] : met_) {
      if (!*met) {
        throw InputError(
            fmt::format("--kernel {}: {} has no operator of this domain and type; compare it with what `systole "
                        "inspect` lists, or leave the option out",
                        name, path));
      }
    }
  }

 private:
  graph::ImportOptions options_;
  std::map<std::string, std::shared_ptr<bool>> met_;
};

}  // namespace

void add_kernel_option(CLI::App& command, OperatorFunctions& functions, FormulaUse use) {
  command
      .add_option_function<std::vector<std::string>>(
          "--kernel",
          [&functions, use](const std::vector<std::string>& all) {
            for (const std::string& text : all) {
              take_kernel(text, functions, use);
            }
          },
          "an operator of an ONNX file that ONNX does not have, by domain and type: its formula, which "
          "systole.kernel(function).save(FILE) writes in Python; once per operator")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false)
      ->group("Import");
}

void add_import_options(CLI::App& command, graph::ImportOptions& options) {
  const auto take = [&options](const std::vector<std::string>& all) {
    for (const std::string& text : all) {
      const std::size_t equals = text.rfind('=');
      std::int64_t size = 0;
      const char* end = text.data() + text.size();
      const bool number = equals != std::string::npos && equals > 0 &&
                          std::from_chars(text.data() + equals + 1, end, size).ptr == end && equals + 1 < text.size();
      if (!number || size < 1) {
        throw InputError(fmt::format(
            "--dimension: '{}'; it is NAME=SIZE or INPUT:AXIS=SIZE, such as batch=1, with a size of 1 or more", text));
      }
      options.dimensions[text.substr(0, equals)] = size;
    }
  };
  constexpr const char* kGroup = "Import";
  command
      .add_option_function<std::vector<std::string>>("--dimension", take,
                                                     "size of a dynamic dimension of an ONNX file, by name or as "
                                                     "INPUT:AXIS; once per dimension; a first one is 1 by default")
      ->type_name("NAME=SIZE")
      ->allow_extra_args(false)
      ->group(kGroup);
  command
      .add_option_function<std::vector<std::string>>(
          "--constant",
          [&options](const std::vector<std::string>& all) {
            for (const std::string& text : all) {
              take_constant(text, options);
            }
          },
          "value of an input of an ONNX file that is to be a constant of the network: a number, a list such as [0,2], "
          "or "
          "a .npy file; once per input")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group(kGroup);
  command
      .add_option_function<std::int64_t>(
          "--constant-memory", [&options](std::int64_t mib) { options.constant_bytes = mib << 20; },
          "limit in MiB for constants computed while reading an ONNX file, in addition to four times the file size; "
          "default 64")
      ->type_name("MIB")
      ->check(CLI::Range(1, 1 << 20))
      ->group(kGroup);
  add_kernel_option(command, options.operators, FormulaUse::kInference);
}

void add_without_option(CLI::App& command, std::vector<std::string>& without) {
  const auto take = [&without](const std::vector<std::string>& names) {
    try {
      const Transformations known(names);
    } catch (const InvalidArgument& error) {
      throw InputError(fmt::format("--{}", error.what()));
    }
    without = names;
  };
  command
      .add_option_function<std::vector<std::string>>(
          "--without", take,
          "compile without this transformation; once for each; results stay the same, and an unknown name lists all")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->group("Compiler");
}

namespace {

Model load_container(const std::string& path, const graph::ImportOptions& options) {
  if (!options.dimensions.empty()) {
    throw InputError(fmt::format("--dimension: {} has fixed sizes; give them when it is made from a model", path));
  }
  if (!options.constants.empty()) {
    throw InputError(
        fmt::format("--constant: {} has its constants inside; give them when it is made from a model", path));
  }
  if (!options.operators.empty()) {
    throw InputError(fmt::format("--kernel: {} has its operators inside; give it when it is made from a model", path));
  }
  try {
    container::Container contents = container::open_container(path);
    graph::Graph graph = contents.graph();
    const bool compiled = contents.compiled();
    const std::int64_t batch = contents.batch();
    return {path, std::move(graph), compiled ? std::optional(std::move(contents)) : std::nullopt, batch};
  } catch (const container::ContainerError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace

Model load_model(const std::string& path, const graph::ImportOptions& options) {
  try {
    if (container::is_container_file(path)) {
      return load_container(path, options);
    }
    const NoticedOptions noticed(options);
    graph::ModelContents contents = graph::read_whole_model(path, noticed.options());
    noticed.check(path);
    return {path, std::move(contents.graph), std::nullopt, 1, std::move(contents.remarks)};
  } catch (const graph::GraphError& error) {
    throw InputError(error.what());
  }
}

graph::ModelContents read_contents(const std::string& path, const graph::ImportOptions& options) {
  try {
    if (!container::is_container_file(path)) {
      const NoticedOptions noticed(options);
      graph::ModelContents contents = graph::read_model(path, noticed.options());
      if (contents.obstacles.empty()) {
        noticed.check(path);
      }
      return contents;
    }
    graph::ModelContents contents;
    contents.format = "Systole";
    contents.graph = load_container(path, options).graph;
    return contents;
  } catch (const graph::GraphError& error) {
    throw InputError(error.what());
  }
}

CompiledNetwork programs_of(const Model& model, const Configuration& configuration, const CompileOptions& options) {
  if (model.compiled && !options.without.empty()) {
    throw InputError(fmt::format("--without: {} has programs; give it when the file is compiled", model.path));
  }
  try {
    return model.compiled ? model.compiled->network(configuration)
                          : compile_network(model.graph, configuration, options);
  } catch (const std::runtime_error& error) {  // errors of the graph or the container
    throw InputError(fmt::format("{}: {}", model.path, error.what()));
  }
}

Network placed(const Model& model, Device& device, CompiledNetwork network) {
  try {
    return {device, std::move(network)};
  } catch (const Failure& error) {
    throw InputError(fmt::format("{}: {}", model.path, error.what()));
  }
}

std::string graph_text(const graph::Graph& graph) {
  return fmt::format("{}, {} MACs, {} bytes of constants", counted(graph.operators.size(), "operator"),
                     grouped(graph::total_macs(graph)), grouped(graph::constant_bytes(graph)));
}

std::string programs_text(const CompiledNetwork& network) {
  std::uint64_t programs = 0, instructions = 0, host = 0;
  for (const NetworkStep& step : network.steps) {
    if (const auto* device = std::get_if<DeviceStep>(&step)) {
      ++programs;
      instructions += device->program.instructions.size();
    } else {
      ++host;
    }
  }
  return fmt::format("{} of {}, {} on the host", counted(programs, "program"), counted(instructions, "instruction"),
                     counted(host, "operator"));
}

}  // namespace systole::cli
