// SPDX-License-Identifier: Apache-2.0
// The options of `systole train`.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "checkpoint.hpp"
#include "learning_rate.hpp"
#include "link.hpp"
#include "model_files.hpp"
#include "networks.hpp"
#include "optimizer.hpp"
#include "options.hpp"
#include "precision.hpp"

namespace systole::cli {

struct TrainOptions {
  std::string network = "cnn";
  OperatorFunctions operators;             ///< of the network's file
  training::NetworkOptions shape;          ///< what the network is built with; the data give height, width and classes
  std::int64_t classes = 0;                ///< outputs of a network that is built; 0: as many as the labels need
  std::optional<training::LossKind> loss;  ///< none: the one that goes with the network's last operator
  std::string images, labels;
  std::size_t count = 0;
  std::string validation_images, validation_labels;
  std::size_t validation_count = 0, hold_out = 0;
  std::int64_t epochs = 1, micro_batches = 1;
  ranks::Link link;  ///< between the devices of several ranks
  training::Optimizer optimizer;
  training::Schedule schedule;
  std::int64_t patience = 0, checkpoint_every = 0;
  std::string checkpoint, resume, plot, output;
  Precision precision = Precision::kOfFile;
  bool layers = false;  ///< print those of a step
  DeviceOptions device;
};

void add_train_options(CLI::App& command, TrainOptions& options);

/// The options that the steps depend on.
training::Settings settings_of(const TrainOptions& options);

}  // namespace systole::cli
