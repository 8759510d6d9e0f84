// SPDX-License-Identifier: Apache-2.0
#include "scratch_folder.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "exit_codes.hpp"

namespace systole::cli {

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "systole-XXXXXX").string();
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
