// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "systole/errors.hpp"

namespace systole {

/// The memory of the host or of the device is too small.
class MemoryError : public Failure {
 public:
  /// The text is both, with a semicolon between them.
  MemoryError(const std::string& problem, const std::string& remedy)
      : Failure(problem + "; " + remedy), problem_(problem) {}
  /// The text without the remedy, which names options of the library.
  const std::string& problem() const { return problem_; }

 private:
  std::string problem_;
};

}  // namespace systole
