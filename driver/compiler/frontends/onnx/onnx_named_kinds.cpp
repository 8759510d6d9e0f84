// SPDX-License-Identifier: Apache-2.0
// Generated from driver/compiler/graph/kinds.toml by scripts/gen/generate. Do not edit.
// clang-format off

#include "onnx_kind.hpp"

namespace systole::graph::onnx_file {

Handler kind_handler(std::string_view type) {
  if (type == "Det") return [](Translation& t) { Determinant op; add_kind(t, op); };
  return nullptr;
}

}  // namespace systole::graph::onnx_file
