// SPDX-License-Identifier: Apache-2.0
// What `systole train` writes while it runs, for other programs: lines of JSON, and a folder for TensorBoard.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "event_file.hpp"
#include "trainer.hpp"

namespace systole::cli {

class TrainLog {
 public:
  /// Empty names: nothing is written there. "-" is standard output. `append` to the lines of a training that this one
  /// goes on with. Throws InputError or FileError if a file cannot be made.
  TrainLog(const std::string& lines, const std::string& tensorboard, bool append);

  /// After a step, and after an epoch.
  void step(const training::State& state, double loss, double rate, double samples_per_second);
  void epoch(const training::State& state, double samples_per_second);

 private:
  void line(const std::string& text);

  const std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;  ///< null: standard output, or nothing
  std::optional<training::EventFile> events_;
};

}  // namespace systole::cli
