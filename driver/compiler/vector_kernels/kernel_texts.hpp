// SPDX-License-Identifier: Apache-2.0
// The sources of the library's kernels, compiled in.
#pragma once

#include <string_view>
#include <vector>

namespace systole::compiler {

struct KernelText {
  std::string_view name;  ///< of the file, without .tpuk
  std::string_view text;
};

const std::vector<KernelText>& kernel_texts();

}  // namespace systole::compiler
