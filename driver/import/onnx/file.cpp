// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/file.hpp"

#include <fmt/core.h>

#include <limits>

#include "import/onnx/import_onnx.hpp"
#include "import/onnx/not_supported.hpp"

namespace systole::graph::onnx_file {
namespace {

constexpr std::int64_t kNewestIr = 8;      // of ONNX 1.12
constexpr std::int64_t kNewestOpset = 17;  // operators of later sets may mean something else

}  // namespace

File::File(const Bytes& bytes) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw GraphError(fmt::format("{} bytes; a file of this format has at most 2^31 - 1", bytes.size()));
  }
  if (!model_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    throw GraphError(fmt::format("no ONNX file, or truncated or damaged: its {} bytes are no sequence of the format's fields", bytes.size()));
  }
  if (!model_.has_graph()) {
    throw GraphError("no ONNX file, or damaged: there is no graph in it");
  }
  if (model_.ir_version() < 1 || model_.ir_version() > kNewestIr) {
    throw GraphError(fmt::format("version {} of the format; 1 .. {} can be read: export the model again for one of these", model_.ir_version(), kNewestIr));
  }
  opset_ = model_.opset_import_size() == 0 ? 1 : 0;  // files older than operator sets
  for (const auto& opset : model_.opset_import()) {
    if (opset.domain().empty() || opset.domain() == "ai.onnx") {
      opset_ = opset.version();
    }
  }
  if (opset_ > kNewestOpset || opset_ < 0) {
    throw GraphError(fmt::format("operator set {}; 1 .. {} can be read: export the model for one of these", opset_, kNewestOpset));
  }
  if (!model_.training_info().empty()) {
    throw OnnxNotSupported(OnnxRefusal::kTraining, "the file holds training information; export the model for inference");
  }
}

}  // namespace systole::graph::onnx_file

namespace systole::graph {

bool looks_like_onnx(const Bytes& bytes) {
  constexpr std::uint8_t kVersionField = 0x08;  // field 1, a number: the version of the format, written first
  constexpr std::uint8_t kMostLikely = 32;
  return bytes.size() >= 4 && bytes[0] == kVersionField && bytes[1] >= 1 && bytes[1] <= kMostLikely;
}

}  // namespace systole::graph
