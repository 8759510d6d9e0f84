// SPDX-License-Identifier: Apache-2.0
#include "attributes.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace systole::graph {
namespace {

/// Joins words with spaces.
class Words {
 public:
  Words& add(const std::string& word) {
    if (!word.empty()) {
      text_ += text_.empty() ? "" : " ";
      text_ += word;
    }
    return *this;
  }
  std::string text() const { return text_; }

 private:
  std::string text_;
};

template <class Kind, std::size_t kCount>
const char* pick(const std::array<const char*, kCount>& names, Kind kind) {
  return names.at(static_cast<std::size_t>(kind));
}

std::string pair_text(const char* what, int a, int b) {
  return a == 1 && b == 1 ? "" : fmt::format("{} {}x{}", what, a, b);
}

std::string text(const Window& s) {
  Words words;
  words.add(fmt::format("{}x{}", s.kernel_h, s.kernel_w));
  words.add(pair_text("stride", s.stride_h, s.stride_w)).add(pair_text("dilation", s.dilation_h, s.dilation_w));
  if (s.pad_top != 0 || s.pad_bottom != 0 || s.pad_left != 0 || s.pad_right != 0) {
    words.add(fmt::format("pad {},{},{},{}", s.pad_top, s.pad_bottom, s.pad_left, s.pad_right));
  }
  return words.text();
}

std::string text(const Conv2d& op) {
  return Words()
      .add(text(op.window))
      .add(op.groups == 1 ? "" : fmt::format("groups {}", op.groups))
      .add(name_of(op.activation))
      .text();
}
std::string text(const Dense& op) { return name_of(op.activation); }
std::string text(const MatMul& op) {
  return Words().add(op.transpose_a ? "a transposed" : "").add(op.transpose_b ? "b transposed" : "").text();
}
std::string text(const Binary& op) { return Words().add(name_of(op.kind)).add(name_of(op.activation)).text(); }
std::string text(const Unary& op) {
  Words words;
  words.add(name_of(op.kind));
  if (op.kind == UnaryKind::kLeakyRelu || op.kind == UnaryKind::kElu) {
    words.add(fmt::format("{}", op.alpha));
  } else if (op.kind == UnaryKind::kHardSigmoid || op.kind == UnaryKind::kClip) {
    words.add(fmt::format("{} {}", op.alpha, op.beta));
  }
  return words.text();
}
std::string text(const Pool& op) {
  return Words()
      .add(op.kind == PoolKind::kMax ? "max" : "average")
      .add(text(op.window))
      .add(op.count_padding ? "padding counted" : "")
      .add(name_of(op.activation))
      .text();
}
std::string text(const Reduce& op) {
  return fmt::format("{} over axes {}{}", name_of(op.kind), fmt::join(op.axes, ","),
                     op.keep_dimensions ? "" : ", dimensions removed");
}
std::string text(const Pad& op) {
  const char* mode = pick(std::array{"", " reflected", " repeating the edge", " reflected with the edge"}, op.mode);
  return fmt::format("before {} after {}{}{}", fmt::join(op.before, ","), fmt::join(op.after, ","), mode,
                     op.value == 0 ? "" : fmt::format(" with {}", op.value));
}
std::string text(const Reshape&) { return {}; }
std::string text(const Transpose& op) { return fmt::format("{}", fmt::join(op.permutation, ",")); }
std::string text(const Concat& op) { return fmt::format("axis {}", op.axis); }
std::string text(const Split& op) { return fmt::format("axis {}", op.axis); }
std::string text(const Slice& op) {
  return fmt::format("from {} by {}", fmt::join(op.begin, ","), fmt::join(op.step, ","));
}
std::string text(const ResizeNearest& op) {
  return Words()
      .add(op.align_corners ? "corners aligned" : "")
      .add(op.half_pixel_centers ? "half-pixel centers" : "")
      .text();
}
std::string text(const Softmax& op) {
  return Words()
      .add(op.logarithm ? "logarithm" : "")
      .add(op.axis == -1 ? "" : fmt::format("axis {}", op.axis))
      .add(op.beta == 1 ? "" : fmt::format("beta {}", op.beta))
      .text();
}
std::string text(const ResizeBilinear& op) { return text(ResizeNearest{op.align_corners, op.half_pixel_centers}); }
std::string text(const L2Normalize&) { return {}; }
std::string text(const LayerNormalize& op) { return fmt::format("epsilon {}", op.epsilon); }
std::string text(const Convert&) { return {}; }
std::string text(const Select&) { return {}; }
std::string text(const ArgExtreme& op) {
  return fmt::format("{} along axis {}{}{}", op.largest ? "max" : "min", op.axis, op.last ? ", the last" : "",
                     op.keep_dimensions ? "" : ", dimensions removed");
}
std::string text(const CumulativeSum& op) {
  return fmt::format("axis {}{}{}", op.axis, op.exclusive ? " exclusive" : "", op.reverse ? " from the end" : "");
}
std::string text(const Gather& op) { return fmt::format("axis {}", op.axis); }
std::string text(const FlatIndex& op) { return fmt::format("of {}", to_string(op.shape)); }
std::string text(const Scatter& op) {
  return pick(std::array{"", "add", "multiply", "maximum", "minimum"}, op.combine);
}
std::string text(const TopK& op) { return fmt::format("{} axis {}", op.largest ? "largest" : "smallest", op.axis); }
std::string text(const Determinant&) { return {}; }
std::string text(const Lstm& op) {
  return Words()
      .add(op.time_major ? "time major" : "")
      .add(op.cell_clip == 0 ? "" : fmt::format("cell clip {}", op.cell_clip))
      .text();
}
std::string text(const Svdf& op) { return fmt::format("rank {}", op.rank); }
std::string text(const MaxIndices& op) {
  return Words().add(text(op.window)).add(op.columns_first ? "columns first" : "").text();
}

}  // namespace

const char* name_of(const OperatorKind& kind) {
  static constexpr std::array<const char*, std::variant_size_v<OperatorKind>> kNames = {
      "Conv2d",        "Dense",         "MatMul",    "Binary",         "Unary",       "Pool",
      "Reduce",        "Pad",           "Reshape",   "Transpose",      "Concat",      "Split",
      "Slice",         "ResizeNearest", "Softmax",   "Convert",        "Select",      "ArgExtreme",
      "CumulativeSum", "Gather",        "FlatIndex", "Scatter",        "TopK",        "MaxIndices",
      "Determinant",   "Lstm",          "Svdf",      "ResizeBilinear", "L2Normalize", "LayerNormalize"};
  return kNames.at(kind.index());
}
const char* name_of(BinaryKind kind) {
  return pick(std::array{"add",
                         "subtract",
                         "multiply",
                         "divide",
                         "minimum",
                         "maximum",
                         "power",
                         "modulo",
                         "remainder",
                         "equal",
                         "less",
                         "less or equal",
                         "and",
                         "or",
                         "xor",
                         "shift left",
                         "shift right",
                         "floor divide",
                         "squared difference",
                         "prelu"},
              kind);
}
const char* name_of(UnaryKind kind) {
  return pick(std::array{"relu",        "relu6",
                         "clip",        "leaky relu",
                         "elu",         "hard sigmoid",
                         "hard swish",  "sigmoid",
                         "tanh",        "gelu",
                         "softplus",    "abs",
                         "negate",      "exp",
                         "log",         "sqrt",
                         "reciprocal",  "floor",
                         "ceil",        "round",
                         "sign",        "erf",
                         "sin",         "cos",
                         "identity",    "tan",
                         "acos",        "asin",
                         "atan",        "sinh",
                         "cosh",        "acosh",
                         "asinh",       "atanh",
                         "not",         "is nan",
                         "is infinite", "reciprocal square root"},
              kind);
}
const char* name_of(ReduceKind kind) { return pick(std::array{"sum", "mean", "max", "min", "product"}, kind); }
const char* name_of(Activation activation) { return pick(std::array{"", "relu", "relu6", "relu -1..1"}, activation); }

std::string attributes(const OperatorKind& kind) {
  return std::visit([](const auto& op) { return text(op); }, kind);
}

std::string quantization_text(const Tensor& tensor) {
  if (!tensor.quantization || tensor.quantization->scale.empty()) {
    return {};
  }
  const Quantization& q = *tensor.quantization;
  if (!q.per_channel()) {
    return fmt::format("scale {:.6g}, zero point {}", q.scale[0], q.zero_point.empty() ? 0 : q.zero_point[0]);
  }
  const auto [least, most] = std::minmax_element(q.scale.begin(), q.scale.end());
  return fmt::format("{} scales {:.6g} .. {:.6g} on axis {}", q.scale.size(), *least, *most, q.axis);
}

std::string title(const Operator& op) {
  return fmt::format("operator '{}' ({})", op.name, op.origin.empty() ? name_of(op.kind) : op.origin);
}
std::string title(const Tensor& tensor) {
  return fmt::format("tensor '{}' ({} {})", tensor.name, to_string(tensor.shape), name_of(tensor.type));
}

const Activation* activation_of(const OperatorKind& kind) {
  return std::visit(
      [](const auto& value) -> const Activation* {
        if constexpr (requires { value.activation; }) {
          return &value.activation;
        } else {
          return nullptr;
        }
      },
      kind);
}

Activation* activation_of(OperatorKind& kind) {
  return const_cast<Activation*>(activation_of(static_cast<const OperatorKind&>(kind)));
}

Unary function_of(Activation activation) {
  switch (activation) {
    case Activation::kRelu6: return {UnaryKind::kRelu6};
    case Activation::kReluN1To1: return {UnaryKind::kClip, -1, 1};
    default: return {UnaryKind::kRelu};
  }
}

}  // namespace systole::graph
