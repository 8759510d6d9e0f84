// SPDX-License-Identifier: Apache-2.0
// What `systole train` reads: samples, and the network of a file.
#pragma once

#include <string>

#include "problem.hpp"
#include "train_options.hpp"

namespace systole::cli {

/// The options' problem, and what is to be printed before the training.
struct TrainInputs {
  training::Problem problem;
  std::string note;
  graph::Bytes tokenizer;  ///< of texts; empty without
};

/// Reads the files. Throws what reading and training::Problem throw.
TrainInputs read_train_inputs(const TrainOptions& options);

}  // namespace systole::cli
