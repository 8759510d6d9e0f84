// SPDX-License-Identifier: Apache-2.0
// Generated from driver/compiler/graph/kinds.toml by scripts/gen/generate. Do not edit.
// clang-format off

#include "attributes.hpp"
#include "attribute_words.hpp"
#include "function_names.hpp"

namespace systole::graph {

namespace {

std::string text(const Conv2d& op) { return Words().add(listed(op.window)).add(op.groups == 1 ? "" : fmt::format("groups {}", listed(op.groups))).add(listed(op.activation)).text(); }
std::string text(const Dense& op) { return Words().add(listed(op.activation)).text(); }
std::string text(const MatMul& op) { return Words().add(op.transpose_a == false ? "" : "a transposed").add(op.transpose_b == false ? "" : "b transposed").text(); }
std::string text(const Binary& op) { return Words().add(listed(op.kind)).add(listed(op.activation)).text(); }
std::string text(const Unary& op) { return Words().add(listed(op.kind)).add(!(parameters_of(op.kind) > 0) ? "" : fmt::format("{}", listed(op.alpha))).add(!(parameters_of(op.kind) > 1) ? "" : fmt::format("{}", listed(op.beta))).text(); }
std::string text(const Pool& op) { return Words().add(listed(op.kind)).add(listed(op.window)).add(op.count_padding == false ? "" : "padding counted").add(listed(op.activation)).text(); }
std::string text(const Reduce& op) { return Words().add(listed(op.kind)).add(fmt::format("over axes {}", listed(op.axes))).add(op.keep_dimensions == true ? "" : ", dimensions removed").text(); }
std::string text(const Pad& op) { return Words().add(fmt::format("before {}", listed(op.before))).add(fmt::format("after {}", listed(op.after))).add(listed(op.mode)).add(op.value == 0.0 ? "" : fmt::format("with {}", listed(op.value))).text(); }
std::string text(const Reshape&) { return Words().text(); }
std::string text(const Transpose& op) { return Words().add(fmt::format("{}", listed(op.permutation))).text(); }
std::string text(const Concat& op) { return Words().add(fmt::format("axis {}", listed(op.axis))).text(); }
std::string text(const Split& op) { return Words().add(fmt::format("axis {}", listed(op.axis))).text(); }
std::string text(const Slice& op) { return Words().add(fmt::format("from {}", listed(op.begin))).add(fmt::format("by {}", listed(op.step))).text(); }
std::string text(const ResizeNearest& op) { return Words().add(op.align_corners == false ? "" : "corners aligned").add(op.half_pixel_centers == false ? "" : "half-pixel centers").text(); }
std::string text(const Softmax& op) { return Words().add(op.axis == -1 ? "" : fmt::format("axis {}", listed(op.axis))).add(op.beta == 1.0F ? "" : fmt::format("beta {}", listed(op.beta))).add(op.logarithm == false ? "" : "logarithm").text(); }
std::string text(const Convert&) { return Words().text(); }
std::string text(const Select&) { return Words().text(); }
std::string text(const ArgExtreme& op) { return Words().add(op.largest ? "max" : "min").add(fmt::format("along axis {}", listed(op.axis))).add(op.keep_dimensions == true ? "" : ", dimensions removed").add(op.last == false ? "" : ", the last").text(); }
std::string text(const CumulativeSum& op) { return Words().add(fmt::format("axis {}", listed(op.axis))).add(op.exclusive == false ? "" : "exclusive").add(op.reverse == false ? "" : "from the end").text(); }
std::string text(const Gather& op) { return Words().add(fmt::format("axis {}", listed(op.axis))).text(); }
std::string text(const FlatIndex& op) { return Words().add(fmt::format("of {}", to_string(op.shape))).text(); }
std::string text(const Scatter& op) { return Words().add(listed(op.combine)).text(); }
std::string text(const TopK& op) { return Words().add(op.axis == -1 ? "" : fmt::format("axis {}", listed(op.axis))).add(op.largest ? "largest" : "smallest").text(); }
std::string text(const MaxIndices& op) { return Words().add(listed(op.window)).add(op.columns_first == false ? "" : "columns first").text(); }
std::string text(const Determinant&) { return Words().text(); }
std::string text(const Lstm& op) { return Words().add(op.time_major == false ? "" : "time major").add(op.cell_clip == 0.0F ? "" : fmt::format("cell clip {}", listed(op.cell_clip))).text(); }
std::string text(const Svdf& op) { return Words().add(op.rank == 1 ? "" : fmt::format("rank {}", listed(op.rank))).text(); }
std::string text(const ResizeBilinear& op) { return Words().add(op.align_corners == false ? "" : "corners aligned").add(op.half_pixel_centers == false ? "" : "half-pixel centers").text(); }
std::string text(const L2Normalize&) { return Words().text(); }
std::string text(const LayerNormalize& op) { return Words().add(op.epsilon == 1e-05F ? "" : fmt::format("epsilon {}", listed(op.epsilon))).text(); }
std::string text(const Reinterpret&) { return Words().text(); }
std::string text(const LocalResponse& op) { return Words().add(fmt::format("{} before", listed(op.before))).add(fmt::format("{} after", listed(op.after))).add(op.factor == 1.0F ? "" : fmt::format("factor {}", listed(op.factor))).add(op.bias == 1.0F ? "" : fmt::format("bias {}", listed(op.bias))).add(op.beta == 0.75F ? "" : fmt::format("beta {}", listed(op.beta))).text(); }
std::string text(const BatchNormalize& op) { return Words().add(op.epsilon == 1e-05F ? "" : fmt::format("epsilon {}", listed(op.epsilon))).add(op.momentum == 0.9F ? "" : fmt::format("momentum {}", listed(op.momentum))).text(); }
std::string text(const Dropout& op) { return Words().add(op.ratio == 0.5F ? "" : fmt::format("ratio {}", listed(op.ratio))).text(); }

}  // namespace

std::string attributes(const OperatorKind& kind) {
  return std::visit([](const auto& op) { return text(op); }, kind);
}

}  // namespace systole::graph
