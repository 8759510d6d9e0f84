// SPDX-License-Identifier: Apache-2.0
// The file of a waveform while Verilator's writer has it open: under a temporary name, beside the target.
#pragma once

#include <string>

#include "output_file.hpp"

namespace systole::sim {

class WaveOutput {
 public:
  /// Throws FileError, also for devices and pipes: a waveform is written in several places at once.
  explicit WaveOutput(const std::string& path);
  /// Removes the file unless finish() has returned.
  ~WaveOutput();
  WaveOutput(const WaveOutput&) = delete;
  WaveOutput& operator=(const WaveOutput&) = delete;

  /// The path that the writer opens.
  const std::string& path() const { return temporary_; }
  /// After the writer has closed its file: puts it in its place. Throws FileError if a write has failed.
  void finish();

 private:
  std::string target_;
  files::OutputFile file_;
  std::string temporary_;
};

}  // namespace systole::sim
