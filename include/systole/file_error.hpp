// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systole/errors.hpp"

namespace systole {

/// A file cannot be opened, read or written, or is damaged. The text has the path and the reason.
class FileError : public Failure {
 public:
  using Failure::Failure;
};

}  // namespace systole
