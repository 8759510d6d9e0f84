// SPDX-License-Identifier: Apache-2.0
#include "train_inputs.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "event_file.hpp"
#include "exit_codes.hpp"
#include "export_onnx.hpp"
#include "input_file.hpp"
#include "llama.hpp"
#include "llama2_tokenizer.hpp"
#include "model_files.hpp"
#include "read_arrays.hpp"
#include "terminal.hpp"
#include "text_samples.hpp"

namespace systole::cli {
namespace {

/// Names the option of a file that is not there.
void check_there(const std::string& option, const std::string& source) {
  if (const std::string path = training::path_of(source); !source.empty() && !std::filesystem::exists(path)) {
    throw InputError(fmt::format("{}: {}: {}", option, path, std::strerror(ENOENT)));
  }
}

/// Texts as tokens, for a language model.
class Texts {
 public:
  Texts(const TrainOptions& options, const training::NetworkChoice& network) {
    if (options.files.text.empty() && options.validation.text.empty()) {
      if (!options.tokenizer.empty()) {
        throw InputError("--tokenizer: is for --text; arrays have tokens already");
      }
      return;
    }
    if (!training::is_llama(network.name)) {
      throw InputError(fmt::format("--text: is for language models; {} takes --data and --targets", network.name));
    }
    file_ = options.tokenizer.empty() ? llama2::byte_tokenizer_file() : files::read_file(options.tokenizer);
    try {
      tokenizer_ = llama2::parse_tokenizer(file_, 0);
    } catch (const graph::GraphError& error) {
      throw InputError(fmt::format("{}: {}", options.tokenizer, error.what()));
    }
    context_ = training::parse_llama(network.name, tokenizer_->vocabulary()).context;
  }

  const graph::Bytes& file() const { return file_; }
  int vocabulary() const { return tokenizer_ ? tokenizer_->vocabulary() : 0; }

  /// `prefix` is that of the files' options.
  training::Data read(const TrainFiles& files, const std::string& prefix) const {
    if (files.text.empty() && files.data.empty()) {
      throw InputError("--data: there are no samples; give --data and --targets, or --text for a language model");
    }
    for (const std::string& one : files.data) {
      check_there(prefix + "data", one);
    }
    check_there(prefix + "targets", files.targets);
    check_there(prefix + "text", files.text);
    training::Data data;
    if (files.text.empty()) {
      data = training::read_data(files.data, files.targets);
    } else {
      data = training::text_samples(files.text, files::read_text(files.text), *tokenizer_, context_);
    }
    data.count = files.count;
    return data;
  }

 private:
  graph::Bytes file_;
  std::unique_ptr<const llama2::Tokenizer> tokenizer_;
  std::int64_t context_ = 0;
};

/// The weights of a file that several operators read, which is one parameter: tied ones, or what an exporter made one
/// constant because it began equal. A line, or nothing.
std::string note_of_shared_weights(const graph::Graph& graph) {
  std::map<graph::TensorId, int> readers;
  for (const graph::Operator& op : graph.operators) {
    for (const graph::TensorId id : std::set<graph::TensorId>(op.inputs.begin(), op.inputs.end())) {
      readers[id] += id == graph::kNoTensor ? 0 : 1;
    }
  }
  std::vector<std::string> shared;
  for (const auto& [id, number] : readers) {
    if (number > 1 && graph.tensor(id).constant && graph.tensor(id).type == graph::ElementType::kFloat32 &&
        graph::count(graph.tensor(id).shape) > 1) {
      shared.push_back(fmt::format("'{}', by {}", graph.tensor(id).name, number));
    }
  }
  return shared.empty() ? std::string()
                        : fmt::format("one parameter of several operators: {}\n", fmt::join(shared, "; "));
}

/// The network with the graph of its file, if it is one.
training::NetworkChoice read_network(const TrainOptions& options, std::string& note) {
  training::NetworkChoice choice = options.network;
  for (const auto& [name, function] : options.operators) {
    choice.operators += (choice.operators.empty() ? "" : ", ") + name;
  }
  training::check_network_name(choice.name);
  if (training::is_built(choice.name)) {
    if (!options.operators.empty()) {
      throw InputError(fmt::format("--kernel {}: {} has no operators of one's own; give it with an ONNX file",
                                   choice.operators, choice.name));
    }
    return choice;
  }
  graph::ImportOptions import;
  import.operators = options.operators;
  import.training = true;
  graph::ModelContents contents = read_contents(choice.name, import);
  if (!contents.obstacles.empty()) {
    throw InputError(fmt::format("{}: {}", choice.name, summary(contents.obstacles)));
  }
  note = note_of_shared_weights(contents.graph);
  choice.graph = std::move(contents.graph);
  return choice;
}

}  // namespace

TrainInputs read_train_inputs(const TrainOptions& options) {
  if (!options.output.empty()) {
    try {
      training::check_name_of_network(options.output, training::is_llama(options.network.name));
    } catch (const InvalidArgument& error) {
      throw InputError(fmt::format("--output: {}", error.what()));
    }
  }
  if (const std::string events = training::events_in(options.tensorboard);
      !options.tensorboard.empty() && options.resume.empty() && !events.empty()) {
    throw InputError(fmt::format(
        "--tensorboard: {}: has another training's {}, and TensorBoard would draw both as one; give another "
        "folder, or --resume with its checkpoint",
        options.tensorboard, events));
  }
  std::string note;
  training::Options training = options.training;
  training.seed = options.device.seed;
  training.blocks = options.precision == Precision::kMx;
  training.pruning.tile = configuration_of(options.device).dim;
  training::NetworkChoice network = read_network(options, note);
  const Texts texts(options, network);
  if (texts.vocabulary() > 0) {
    if (network.classes != 0 && network.classes != texts.vocabulary()) {
      throw InputError(
          fmt::format("--classes: {}, but the tokenizer has {} tokens", network.classes, texts.vocabulary()));
    }
    network.classes = texts.vocabulary();
  }
  const training::Data data = texts.read(options.files, "--");
  std::optional<training::Data> validation;
  if (!options.validation.targets.empty() || !options.validation.text.empty()) {
    validation = texts.read(options.validation, "--validation-");
  }
  training::Problem problem(std::move(network), data, validation ? &*validation : nullptr, training);
  if (const std::string& text = problem.source().text(); !text.empty()) {
    note += fmt::format("loss: {}\n", text);
  }
  return {std::move(problem), std::move(note), texts.file()};
}

}  // namespace systole::cli
