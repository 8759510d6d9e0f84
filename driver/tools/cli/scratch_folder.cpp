// SPDX-License-Identifier: Apache-2.0
#include "scratch_folder.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "exit_codes.hpp"

namespace systole::cli {

ScratchFolder::ScratchFolder() {
  std::error_code error;
  const std::filesystem::path place = std::filesystem::temp_directory_path(error);
  if (error) {
    throw InputError(fmt::format(
        "the folder for temporary files: {}; let the variable TMPDIR name a folder that exists", error.message()));
  }
  std::string name = (place / "systole-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw InputError(fmt::format("cannot make a folder {}: {}", name, std::strerror(errno)));
  }
  folder_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace systole::cli
