// SPDX-License-Identifier: Apache-2.0
// The file, device or descriptor that the path of an output leads to.
#pragma once

#include <string>

#include "systole/file_error.hpp"

namespace systole::files {

struct OutputTarget {
  enum class Kind {
    kFile,        ///< a regular file, existing or new: it is replaced
    kDevice,      ///< a device, pipe or socket: it is written and never replaced
    kDescriptor,  ///< an open descriptor of this process, as /dev/stdout names one: it is written
  };
  Kind kind = Kind::kFile;
  std::string path;     ///< behind symbolic links, which stay
  int descriptor = -1;  ///< for kDescriptor
  int mode = -1;        ///< permissions of an existing regular file; -1: the file is new
};

/// Throws FileError if the path is a folder, or lies below something that is none.
OutputTarget find_target(const std::string& path);

/// Throws FileError: "cannot write PATH: " and the text of this errno.
[[noreturn]] void cannot_write(const std::string& path, int error);

}  // namespace systole::files
