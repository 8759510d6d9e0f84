// SPDX-License-Identifier: Apache-2.0
#include "tflite_translation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>

#include "attributes.hpp"
#include "check_operator.hpp"
#include "dependency_order.hpp"
#include "infer.hpp"

namespace systole::graph::tflite_file {
namespace {

constexpr std::array kHandlers = {weighted_handler, arithmetic_handler, movement_handler,
                                  block_handler,    index_handler,      recurrent_handler};

}  // namespace

Translation::Translation(const File& file, const std::string& name) : file_(file) { graph_.name = name; }

void Translation::fail(const std::string& what) const {
  throw GraphError(fmt::format("operator {} ({}): {}", index_, file_.name(*op_), what));
}

namespace {

/// Calls the function for the indices of present tensors: -1 is an omitted one.
template <class Function>
void each(const flatbuffers::Vector<std::int32_t>* indices, Function function) {
  for (flatbuffers::uoffset_t i = 0; indices != nullptr && i < indices->size(); ++i) {
    if (indices->Get(i) >= 0) {
      function(indices->Get(i));
    }
  }
}

}  // namespace

/// The format requires topological order; a file in another order is accepted.
std::vector<std::size_t> Translation::order() const {
  const std::size_t operators = file_.subgraph().operators() == nullptr ? 0 : file_.subgraph().operators()->size();
  std::unordered_map<std::int32_t, std::size_t> makers;
  for (std::size_t i = 0; i < operators; ++i) {
    each(file_.op(i).outputs(), [&](std::int32_t tensor) { makers.emplace(tensor, i); });
  }
  std::vector<std::vector<std::size_t>> dependencies(operators);
  for (std::size_t i = 0; i < operators; ++i) {
    each(file_.op(i).inputs(), [&](std::int32_t tensor) {
      if (const auto maker = makers.find(tensor); maker != makers.end()) {
        dependencies[i].push_back(maker->second);
      }
    });
  }
  DependencyOrder found = dependency_order(dependencies);
  if (!found.cycle.empty()) {
    throw GraphError("operators form a cycle: " + cycle_text(found.cycle, [&](std::size_t i) {
                       return fmt::format("operator {} ({})", i, file_.name(file_.op(i)));
                     }));
  }
  return std::move(found.order);
}

ModelContents Translation::run() {
  contents_.format = "TensorFlow Lite";
  const format::SubGraph& subgraph = file_.subgraph();
  const auto import_all = [&](const flatbuffers::Vector<std::int32_t>* indices, std::vector<TensorId>& ids) {
    for (flatbuffers::uoffset_t i = 0; indices != nullptr && i < indices->size(); ++i) {
      try {
        if (unknown_.count(indices->Get(i)) == 0) {
          ids.push_back(import_tensor(indices->Get(i)));
        }
      } catch (const GraphError& error) {
        obstacle(error);
        unknown_.insert(indices->Get(i));
      }
    }
  };
  import_all(subgraph.inputs(), graph_.inputs);
  for (const std::size_t i : order()) {
    translate(i);
  }
  op_ = nullptr;
  import_all(subgraph.outputs(), graph_.outputs);
  for (const TensorId id : taken_by_unread_) {
    if (!tensor(id).constant && std::find(graph_.outputs.begin(), graph_.outputs.end(), id) == graph_.outputs.end()) {
      graph_.outputs.push_back(id);
    }
  }
  try {
    validate(graph_);
  } catch (const GraphError&) {
    if (contents_.obstacles.empty()) {
      throw;
    }
    graph_ = Graph{graph_.name, {}, {}, {}, {}};  // what was read is not a consistent graph without the rest
  }
  contents_.graph = std::move(graph_);
  return std::move(contents_);
}

void Translation::charge(std::size_t bytes) {
  constexpr std::size_t kTimes = 4;
  copied_ += bytes;
  if (copied_ > kTimes * file_.size()) {
    throw GraphError("parts of the file overlap: expanded, they are several times its size; the file is damaged");
  }
}

void Translation::translate(std::size_t index) {
  index_ = index;
  op_ = &file_.op(index);
  code_ = file_.code(*op_);
  charge((input_count() + output_count()) * sizeof(TensorId));
  const std::size_t first = graph_.operators.size();
  try {
    if (takes_unknown()) {
      leave_out(true);
      return;
    }
    handle();
    for (std::size_t i = first; i < graph_.operators.size(); ++i) {
      check_operator(graph_, graph_.operators[i]);
    }
  } catch (const GraphError& error) {
    graph_.operators.erase(graph_.operators.begin() + static_cast<std::ptrdiff_t>(first), graph_.operators.end());
    depthwise_.clear();  // may name results of removed operators
    turned_.clear();
    obstacle(error);
    leave_out(false);
  }
}

void Translation::obstacle(const GraphError& error) {
  const bool known = op_ == nullptr ||
                     std::any_of(kHandlers.begin(), kHandlers.end(), [&](auto find) { return find(code_) != nullptr; });
  Obstacle found;
  if (op_ != nullptr) {
    found.place = static_cast<int>(index_);
    found.type = file_.name(*op_);
    found.name = name_of_result();
  }
  found.kind = known ? "not supported" : "unknown operator";
  found.text = error.what();
  found.remedy = known ? "convert the model as the message says"
                       : "convert the model with TensorFlow Lite's built-in operators that "
                         "driver/compiler/frontends/README.md lists";
  contents_.obstacles.push_back(std::move(found));
}

/// The operators after it can be read, since the file has the shapes of all results.
void Translation::leave_out(bool waits) {
  contents_.unread.push_back({static_cast<int>(index_), file_.name(*op_), name_of_result(), waits});
  each(op_->inputs(), [&](std::int32_t tensor) {
    if (const auto found = ids_.find(tensor); found != ids_.end()) {
      taken_by_unread_.push_back(found->second);
    }
  });
  each(op_->outputs(), [&](std::int32_t tensor) {
    try {
      graph_.inputs.push_back(import_tensor(tensor));
    } catch (const GraphError&) {
      unknown_.insert(tensor);
    }
  });
}

bool Translation::takes_unknown() const {
  bool found = false;
  each(op_->inputs(), [&](std::int32_t tensor) { found = found || unknown_.count(tensor) != 0; });
  return found;
}

std::string Translation::name_of_result() const {
  std::string name;
  each(op_->outputs(), [&](std::int32_t tensor) {
    const auto* text = file_.tensor(tensor).name();
    name = name.empty() && text != nullptr ? text->str() : name;
  });
  return name;
}

void Translation::handle() {
  for (const auto find : kHandlers) {
    if (const Handler handler = find(code_)) {
      try {
        handler(*this);
      } catch (const GraphError& error) {
        const std::string text = error.what();
        if (text.rfind("operator ", 0) == 0) {
          throw;
        }
        fail(text);
      }
      return;
    }
  }
  fail("is not supported; driver/compiler/frontends/README.md lists the operators that are");
}

std::size_t Translation::input_count() const { return op_->inputs() == nullptr ? 0 : op_->inputs()->size(); }

TensorId Translation::optional_input(std::size_t i) {
  constexpr std::int32_t kAbsent = -1;
  if (i >= input_count()) {
    return kNoTensor;
  }
  const std::int32_t index = op_->inputs()->Get(static_cast<flatbuffers::uoffset_t>(i));
  return index == kAbsent ? kNoTensor : import_tensor(index);
}

TensorId Translation::input(std::size_t i) {
  const TensorId id = optional_input(i);
  if (id == kNoTensor) {
    fail(fmt::format("input {} is missing", i));
  }
  return id;
}

std::size_t Translation::output_count() const { return op_->outputs() == nullptr ? 0 : op_->outputs()->size(); }

TensorId Translation::output(std::size_t i) {
  if (i >= output_count()) {
    fail(fmt::format("output {} is missing", i));
  }
  return import_tensor(op_->outputs()->Get(static_cast<flatbuffers::uoffset_t>(i)));
}

TensorId Translation::add_tensor(Tensor tensor) {
  graph_.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(graph_.tensors.size() - 1);
}

TensorId Translation::add_like(TensorId other, const Shape& shape, const char* suffix) {
  Tensor tensor = graph_.tensor(other);
  tensor.name += suffix;
  tensor.shape = shape;
  tensor.constant = nullptr;
  return add_tensor(std::move(tensor));
}

std::string Translation::unique(const std::string& wanted) {
  std::string name = wanted;
  while (!names_.insert(name).second) {
    name = fmt::format("{}#{}", wanted, ++repeats_[wanted]);
  }
  return name;
}

void Translation::add(OperatorKind kind, std::vector<TensorId> inputs, std::vector<TensorId> outputs) {
  Operator op;
  op.origin = file_.name(*op_);
  const std::string& made = graph_.tensor(outputs.at(0)).name;
  op.name = unique(made.empty() ? fmt::format("{}_{}", op.origin, index_) : made);
  op.kind = std::move(kind);
  contents_.places[op.name] = static_cast<int>(index_);
  op.arithmetic = Arithmetic::kTfLite;
  op.inputs = std::move(inputs);
  op.outputs = std::move(outputs);
  if (!fold(op)) {
    graph_.operators.push_back(std::move(op));
  }
}

void Translation::add(OperatorKind kind, std::size_t count) {
  std::vector<TensorId> inputs;
  for (std::size_t i = 0; i < count; ++i) {
    inputs.push_back(input(i));
  }
  add(std::move(kind), std::move(inputs), {output()});
}

int axis_in(std::int64_t axis, const Shape& shape) {
  return static_cast<int>(axis_of(static_cast<int>(std::clamp<std::int64_t>(axis, -100, 100)), shape.size()));
}

Activation activation_of(const Translation& translation, format::FusedActivation activation) {
  switch (activation) {
    case format::FusedActivation::NONE: return Activation::kNone;
    case format::FusedActivation::RELU: return Activation::kRelu;
    case format::FusedActivation::RELU6: return Activation::kRelu6;
    case format::FusedActivation::RELU_N1_TO_1: return Activation::kReluN1To1;
    default:
      translation.fail(fmt::format(
          "fused activation number {}; NONE, RELU, RELU_N1_TO_1 and RELU6 are supported, others only as separate "
          "operators",
          static_cast<int>(activation)));
  }
}

namespace {

constexpr std::int64_t kMostSteps = 1 << 24;

int checked(const Translation& translation, const char* what, std::int64_t value) {
  if (value < 1 || value > kMostSteps) {
    translation.fail(fmt::format("{} {}; the range is 1 .. {}", what, value, kMostSteps));
  }
  return static_cast<int>(value);
}

/// SAME: one output for each stride that begins inside; the odd padding element goes to the end.
std::pair<int, int> padding_of(format::Padding padding, std::int64_t input, std::int64_t kernel, std::int64_t stride,
                               std::int64_t dilation) {
  if (padding == format::Padding::VALID) {
    return {0, 0};
  }
  const std::int64_t output = (input + stride - 1) / stride;
  const std::int64_t all = std::max<std::int64_t>(0, (output - 1) * stride + (kernel - 1) * dilation + 1 - input);
  if (all > std::numeric_limits<std::int32_t>::max()) {
    throw GraphError(fmt::format("kernel {} with dilation {} needs padding of more than 2^31 - 1", kernel, dilation));
  }
  return {static_cast<int>(all / 2), static_cast<int>(all - all / 2)};
}

}  // namespace

Window sliding_of(const Translation& translation, const Shape& image, const SlidingOptions& o) {
  if (image.size() != 4) {
    translation.fail(fmt::format("input has shape {}; expected NHWC", to_string(image)));
  }
  if (o.padding != format::Padding::SAME && o.padding != format::Padding::VALID) {
    translation.fail(fmt::format("padding number {}; expected SAME or VALID", static_cast<int>(o.padding)));
  }
  Window s;
  s.kernel_h = checked(translation, "kernel height", o.kernel_h);
  s.kernel_w = checked(translation, "kernel width", o.kernel_w);
  s.stride_h = checked(translation, "vertical stride", o.stride_h);
  s.stride_w = checked(translation, "horizontal stride", o.stride_w);
  s.dilation_h = checked(translation, "vertical dilation", o.dilation_h);
  s.dilation_w = checked(translation, "horizontal dilation", o.dilation_w);
  std::tie(s.pad_top, s.pad_bottom) = padding_of(o.padding, image[1], s.kernel_h, s.stride_h, s.dilation_h);
  std::tie(s.pad_left, s.pad_right) = padding_of(o.padding, image[2], s.kernel_w, s.stride_w, s.dilation_w);
  return s;
}

}  // namespace systole::graph::tflite_file
