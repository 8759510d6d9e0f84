// SPDX-License-Identifier: Apache-2.0
#include "train_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "exit_codes.hpp"
#include "idx.hpp"
#include "imported.hpp"
#include "model_files.hpp"
#include "terminal.hpp"

namespace systole::cli {
namespace {

using training::Dataset;

training::Network fitting(training::Network network, const TrainOptions& options, const Dataset& data) {
  const graph::Shape expected = {network.graph.tensor(network.images).shape[0], 1, data.height, data.width};
  if (network.graph.tensor(network.images).shape != expected) {
    throw InputError(fmt::format("{}: takes pictures of shape {}; those of --images have {}", options.network,
                                 graph::to_string(network.graph.tensor(network.images).shape),
                                 graph::to_string(expected)));
  }
  return network;
}

/// An option that would change nothing about the network is refused.
void check_shape_options(const TrainOptions& options) {
  const std::vector<std::string> cnn = {"cnn"}, built = training::network_names();
  const training::NetworkOptions usual;
  const auto check = [&](const char* option, bool given, const std::vector<std::string>& networks,
                         const char* instead) {
    if (given && std::find(networks.begin(), networks.end(), options.network) == networks.end()) {
      throw InputError(
          fmt::format("{}: for {}; {} is trained {}", option, fmt::join(networks, ", "), options.network, instead));
    }
  };
  check("--dropout", options.shape.dropout != usual.dropout, built, "without");
  check("--scale", options.shape.scale != usual.scale, built, "with the channels of the file");
  check("--batch-normalization", options.shape.batch_normalization, cnn, "without");
}

std::uint64_t digest(const Dataset& data) {
  std::uint64_t digest = digest_of(std::array<std::uint8_t, 0>());
  for (std::size_t i = 0; i < data.size(); ++i) {
    digest = digest_of(data.pictures[i], digest_of(std::array{data.labels[i]}, digest));
  }
  return digest;
}

std::string text_of(std::uint64_t digest) { return fmt::format("of digest {:016x}", digest); }

}  // namespace

TrainInputs::TrainInputs(const TrainOptions& options) : options_(options) {
  load_pictures();
  load_network();
  check_labels(data_, options_.labels);
  if (validation_) {
    check_labels(*validation_, options_.validation_labels);
  } else if (options_.hold_out > 0) {
    validation_ = training::split_off(data_, data_.size() - options_.hold_out);
  }
}

void TrainInputs::load_pictures() {
  data_ = training::load_dataset(options_.images, options_.labels, options_.count);
  if (!options_.validation_images.empty()) {
    validation_ =
        training::load_dataset(options_.validation_images, options_.validation_labels, options_.validation_count);
  } else if (options_.hold_out >= data_.size()) {
    throw InputError(
        fmt::format("--hold-out: {} of {} pictures leave none to train with", options_.hold_out, data_.size()));
  }
  if (validation_ && (validation_->height != data_.height || validation_->width != data_.width)) {
    throw InputError(fmt::format("--validation-images: pictures of {}x{}, those of --images have {}x{}",
                                 validation_->height, validation_->width, data_.height, data_.width));
  }
  if (options_.patience > 0 && !validation_ && options_.hold_out == 0) {
    throw InputError("--patience: needs a validation, --validation-images or --hold-out");
  }
}

graph::Graph TrainInputs::read_network() {
  graph::ImportOptions import;
  import.operators = options_.operators;
  graph::ModelContents contents = read_contents(options_.network, import);
  if (!contents.obstacles.empty()) {
    throw InputError(fmt::format("{}: {}", options_.network, summary(contents.obstacles)));
  }
  if (!contents.dropouts.empty()) {
    note_ = fmt::format("{} of {} not trained with: networks of files are trained without dropout\n",
                        counted(contents.dropouts.size(), "Dropout operator"), options_.network);
  }
  return std::move(contents.graph);
}

void TrainInputs::load_network() {
  check_shape_options(options_);
  const auto& names = training::network_names();
  if (std::find(names.begin(), names.end(), options_.network) == names.end()) {
    ending_ = training::ending_of(read_network(), options_.loss);
    loss_ = ending_->loss;
    outputs_ = ending_->outputs;
    note_ += ending_->text.empty() ? "" : fmt::format("loss: {}\n", ending_->text);
    if (options_.classes != 0 && options_.classes != outputs_) {
      throw InputError(fmt::format("--classes: {}, but {} has {}", options_.classes, options_.network, outputs_text()));
    }
    return;
  }
  if (!options_.operators.empty()) {
    throw InputError(fmt::format("--kernel {}: {} has no operators of one's own; give it with an ONNX file",
                                 options_.operators.begin()->first, options_.network));
  }
  constexpr std::int64_t kFewest = 2;
  outputs_ = options_.classes != 0
                 ? options_.classes
                 : std::max({kFewest, data_.classes, validation_ ? validation_->classes : std::int64_t{0}});
  loss_ = training::loss_after(training::LastOperator::kOther, outputs_, options_.loss, options_.network);
  options_.shape.classes = outputs_;
  options_.shape.height = data_.height;
  options_.shape.width = data_.width;
  options_.shape.seed = options_.device.seed;
}

void TrainInputs::check_labels(const Dataset& data, const std::string& labels) const {
  digits::check_labels(data.labels, labels, training::greatest_label(loss_, outputs_),
                       fmt::format("{} has {}", options_.network, outputs_text()));
}

std::string TrainInputs::outputs_text() const { return fmt::format("{} output{}", outputs_, outputs_ == 1 ? "" : "s"); }

training::Network TrainInputs::network(std::int64_t batch, Purpose purpose) const {
  training::Network network;
  if (ending_) {
    const graph::Graph& graph = purpose == Purpose::kExport ? ending_->network : ending_->scores;
    network = fitting(training::imported(graph, batch), options_, data_);
  } else {
    training::NetworkOptions shape = options_.shape;
    shape.batch = batch;
    shape.training = purpose == Purpose::kWholeBatch || purpose == Purpose::kMicroBatch;
    shape.micro_batch = purpose == Purpose::kMicroBatch;
    network = training::network(options_.network, shape);
  }
  network.loss = loss_;
  return network;
}

training::Settings TrainInputs::settings() const {
  training::Settings settings = settings_of(options_);
  settings["--loss"] = name_of(loss_);
  settings["number of outputs"] = std::to_string(outputs_);
  settings["number of pictures"] = std::to_string(data_.size());
  settings["training data"] = text_of(digest(data_));
  settings["validation data"] = validation_ ? text_of(digest(*validation_)) : "none";
  return settings;
}

}  // namespace systole::cli
