// SPDX-License-Identifier: Apache-2.0
#include "wave_output.hpp"

#include <cstdio>

#include "fst_files.hpp"

namespace systole::sim {

WaveOutput::WaveOutput(const std::string& path) : target_(path), file_(path), temporary_(file_.hand_over()) {
  take_fst_error();  // of an earlier waveform
}

WaveOutput::~WaveOutput() {
  std::remove((temporary_ + ".hier").c_str());  // the writer's own; it stays if the writer has failed
}

void WaveOutput::finish() {
  if (const int error = take_fst_error(); error != 0) {
    files::cannot_write(target_, error);
  }
  file_.finish();
}

}  // namespace systole::sim
