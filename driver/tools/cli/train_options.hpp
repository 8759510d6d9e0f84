// SPDX-License-Identifier: Apache-2.0
// The options of `systole train`.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "link.hpp"
#include "model_files.hpp"
#include "network_source.hpp"
#include "options.hpp"
#include "precision.hpp"
#include "systole/training.hpp"

namespace systole::cli {

/// Files of samples.
struct TrainFiles {
  std::vector<std::string> data;  ///< "FILE" or "NAME=FILE"
  std::string targets;
  std::string text;  ///< instead of both
  std::size_t count = 0;
};

struct TrainOptions {
  training::NetworkChoice network;  ///< a file's graph is read later
  OperatorFunctions operators;      ///< of the network's file
  training::Options training;       ///< its seed is the device's, its blocks those of the precision
  Precision precision = Precision::kOfFile;
  TrainFiles files, validation;
  std::string tokenizer;           ///< of texts; empty: the bytes
  ranks::Link link;                ///< between the devices of several ranks
  std::string topology = "chain";  ///< of these links
  std::int64_t checkpoint_every = 0;
  std::string checkpoint, resume, plot, output, log, tensorboard;
  bool layers = false;  ///< print those of a step
  DeviceOptions device;
};

void add_train_options(CLI::App& command, TrainOptions& options);

}  // namespace systole::cli
