// SPDX-License-Identifier: Apache-2.0
// Output of Verilated models. Verilator's run-time library is compiled with VL_PRINTF set to the function below, so
// that the text of a failed assertion can be put into an exception.
#pragma once

extern "C" int systole_verilated_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));

#include <string>

namespace systole::sim {

/// During its lifetime, the output of models on this thread is appended to `sink` instead of written to stdout.
class PrintCapture {
 public:
  explicit PrintCapture(std::string& sink);
  ~PrintCapture();
  PrintCapture(const PrintCapture&) = delete;
  PrintCapture& operator=(const PrintCapture&) = delete;

 private:
  std::string* outer_;
};

}  // namespace systole::sim
