// SPDX-License-Identifier: Apache-2.0
#include "train_inputs.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "exit_codes.hpp"
#include "mlp.hpp"
#include "model_files.hpp"
#include "networks.hpp"
#include "read_arrays.hpp"
#include "terminal.hpp"

namespace systole::cli {
namespace {

bool is_built(const std::string& network) {
  const std::vector<std::string>& names = training::network_names();
  return training::is_mlp(network) || std::find(names.begin(), names.end(), network) != names.end();
}

training::Data read_files(const TrainFiles& files) {
  training::Data data = training::read_data(files.data, files.targets);
  data.count = files.count;
  return data;
}

/// The network with the graph of its file, if it is one.
training::NetworkChoice read_network(const TrainOptions& options, std::string& note) {
  training::NetworkChoice choice = options.network;
  for (const auto& [name, function] : options.operators) {
    choice.operators += (choice.operators.empty() ? "" : ", ") + name;
  }
  if (is_built(choice.name)) {
    if (!options.operators.empty()) {
      throw InputError(fmt::format("--kernel {}: {} has no operators of one's own; give it with an ONNX file",
                                   choice.operators, choice.name));
    }
    return choice;
  }
  graph::ImportOptions import;
  import.operators = options.operators;
  graph::ModelContents contents = read_contents(choice.name, import);
  if (!contents.obstacles.empty()) {
    throw InputError(fmt::format("{}: {}", choice.name, summary(contents.obstacles)));
  }
  if (!contents.dropouts.empty()) {
    note = fmt::format("{} of {} not trained with: networks of files are trained without dropout\n",
                       counted(contents.dropouts.size(), "Dropout operator"), choice.name);
  }
  choice.graph = std::move(contents.graph);
  return choice;
}

}  // namespace

TrainInputs read_train_inputs(const TrainOptions& options) {
  std::string note;
  training::Options training = options.training;
  training.seed = options.device.seed;
  training.blocks = options.precision == Precision::kMx;
  training::NetworkChoice network = read_network(options, note);
  const training::Data data = read_files(options.files);
  std::optional<training::Data> validation;
  if (!options.validation.targets.empty()) {
    validation = read_files(options.validation);
  }
  training::Problem problem(std::move(network), data, validation ? &*validation : nullptr, training);
  if (const std::string& text = problem.source().text(); !text.empty()) {
    note += fmt::format("loss: {}\n", text);
  }
  return {std::move(problem), std::move(note)};
}

}  // namespace systole::cli
