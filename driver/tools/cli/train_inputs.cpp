// SPDX-License-Identifier: Apache-2.0
#include "train_inputs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "exit_codes.hpp"
#include "imported.hpp"
#include "model_files.hpp"

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

}  // namespace

TrainInputs::TrainInputs(const TrainOptions& options) : options_(options) { load(); }

void TrainInputs::load() {
  data_ = training::load_dataset(options_.images, options_.labels, options_.count);
  if (!options_.validation_images.empty()) {
    validation_ =
        training::load_dataset(options_.validation_images, options_.validation_labels, options_.validation_count);
  } else if (options_.hold_out >= data_.size()) {
    throw InputError(
        fmt::format("--hold-out: {} of {} pictures leave none to train with", options_.hold_out, data_.size()));
  } else if (options_.hold_out > 0) {
    validation_ = training::split_off(data_, data_.size() - options_.hold_out);
  }
  if (validation_ && (validation_->height != data_.height || validation_->width != data_.width)) {
    throw InputError(fmt::format("--validation-images: pictures of {}x{}, those of --images have {}x{}",
                                 validation_->height, validation_->width, data_.height, data_.width));
  }
  if (options_.patience > 0 && !validation_) {
    throw InputError("--patience: needs a validation, --validation-images or --hold-out");
  }
  const auto& names = training::network_names();
  if (std::find(names.begin(), names.end(), options_.network) == names.end()) {
    file_ = load_model(options_.network).graph;
  }
  options_.shape.height = data_.height;
  options_.shape.width = data_.width;
  options_.shape.seed = options_.device.seed;
}

training::Network TrainInputs::network(std::int64_t batch, Purpose purpose) const {
  if (file_) {
    return fitting(training::imported(*file_, batch), options_, data_);
  }
  training::NetworkOptions shape = options_.shape;
  shape.batch = batch;
  shape.training = purpose != Purpose::kEvaluation;
  shape.micro_batch = purpose == Purpose::kMicroBatch;
  return training::network(options_.network, shape);
}

std::uint64_t TrainInputs::digest() const {
  std::uint64_t digest = digest_of(std::array<std::uint8_t, 0>());
  for (const Dataset* set : {&data_, validation()}) {
    for (std::size_t i = 0; set != nullptr && i < set->size(); ++i) {
      digest = digest_of(set->pictures[i], digest_of(std::array{set->labels[i]}, digest));
    }
  }
  return digest;
}

}  // namespace systole::cli
