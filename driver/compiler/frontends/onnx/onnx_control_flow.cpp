// SPDX-License-Identifier: Apache-2.0
// If, Loop and Scan. Conditions and numbers of iterations are constant, or become so by folding: the branch is part of
// the network, and loops are unrolled.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "onnx_operators.hpp"
#include "onnx_tensors.hpp"

namespace systole::graph::onnx_file {
namespace {

std::int64_t one_of(const Translation& t, const std::vector<std::int64_t>& values, const char* what) {
  if (values.size() != 1) {
    t.fail(fmt::format("{} has {} values; expected 1", what, values.size()));
  }
  return values[0];
}

void check_outputs(const Translation& t, const Body& body, std::size_t least) {
  const auto outputs = static_cast<std::size_t>(body.graph->output_size());
  if (outputs < least) {
    t.fail(fmt::format("its body has {} outputs; the node needs {}", outputs, least));
  }
}

}  // namespace

void branch(Translation& t) {
  const bool holds = one_of(t, t.integers_of(0, "the condition"), "the condition") != 0;
  const char* const name = holds ? "then_branch" : "else_branch";
  const Body& body = t.body(name);
  check_outputs(t, body, t.output_count());
  const std::vector<FileValue> results = t.inlined(body, {}, name);
  for (std::size_t i = 0; i < t.output_count(); ++i) {
    t.result(results[i], i);
  }
}

namespace {

/// The values of one result in all iterations, which are joined along a new axis.
class Stack {
 public:
  void add(FileValue value) { values_.push_back(std::move(value)); }
  bool is_empty() const { return values_.empty(); }
  void reverse() { std::reverse(values_.begin(), values_.end()); }

  FileValue joined(Translation& t, std::int64_t axis) const {
    const FileValue& first = values_.front();
    const Shape shape = first.empty ? first.empty->shape : t.shape(first.id);
    const auto at = static_cast<std::ptrdiff_t>(t.axis(axis, shape.size() + 1));
    Shape part = shape;
    part.insert(part.begin() + at, 1);
    if (first.empty) {
      Tensor all = *first.empty;
      all.shape = part;
      all.shape[static_cast<std::size_t>(at)] = static_cast<std::int64_t>(values_.size());
      return {kNoTensor, all};
    }
    std::vector<TensorId> parts;
    for (const FileValue& value : values_) {
      if (value.empty || t.shape(value.id) != shape) {
        t.fail(fmt::format("a result of its body has shape {} in one iteration and {} in another; they must be equal",
                           to_string(shape), to_string(value.empty ? value.empty->shape : t.shape(value.id))));
      }
      parts.push_back(t.reshape(t.plain(value.id), part));
    }
    return {parts.size() == 1 ? parts[0] : t.emit(Concat{static_cast<int>(at)}, parts, t.tensor(parts[0]).type)};
  }

 private:
  std::vector<FileValue> values_;
};

/// The result of a loop without iterations: no elements, of the declared type and shape.
FileValue nothing(const Translation& t, const Body& body, std::size_t output, std::int64_t axis) {
  const onnx::ValueInfoProto& value = body.graph->output(static_cast<int>(output));
  const auto& type = value.type().tensor_type();
  Tensor tensor;
  tensor.type = widened(element_type(type.elem_type(), t.title()));
  bool is_open = !type.has_shape();
  for (const auto& dim : type.shape().dim()) {
    is_open = is_open || !dim.has_dim_value() || dim.dim_value() < 0;
    tensor.shape.push_back(dim.dim_value());
  }
  if (is_open) {
    t.refuse(OnnxRefusal::kDynamicShape,
             fmt::format("has no iteration, and the shape of its result '{}' is not in the file", value.name()));
  }
  tensor.shape.insert(tensor.shape.begin() + static_cast<std::ptrdiff_t>(t.axis(axis, tensor.shape.size() + 1)), 0);
  return {kNoTensor, tensor};
}

}  // namespace

/// Ends after the given number of iterations, or when the condition that the body computes is false.
void loop(Translation& t) {
  constexpr std::size_t kFirstState = 2;  // among the inputs, after the number of iterations and the condition
  const char* const kCondition = "the condition";
  std::optional<std::int64_t> most;
  if (t.has_input(0)) {
    most = one_of(t, t.integers_of(0, "the number of iterations"), "the number of iterations");
  }
  bool goes_on = !t.has_input(1) || one_of(t, t.integers_of(1, kCondition), kCondition) != 0;
  const std::size_t states = t.input_count() - std::min(t.input_count(), kFirstState);
  const Body& body = t.body("body");
  check_outputs(t, body, 1 + std::max(states, t.output_count()));
  std::vector<FileValue> values;
  for (std::size_t i = 0; i < states; ++i) {
    values.push_back(t.value(kFirstState + i));
  }
  std::vector<Stack> stacks(t.output_count() - std::min(t.output_count(), states));
  for (std::int64_t i = 0; goes_on && (!most || i < *most); ++i) {
    std::vector<FileValue> inputs = {{t.numbers(ElementType::kInt64, {}, {static_cast<double>(i)})},
                                     {t.numbers(ElementType::kBool, {}, {1})}};
    inputs.insert(inputs.end(), values.begin(), values.end());
    const std::vector<FileValue> results = t.inlined(body, inputs, std::to_string(i));
    if (results[0].empty) {
      t.fail("the condition has no elements; expected 1");
    }
    goes_on = one_of(t, t.integers_at(results[0].id, fmt::format("{} after iteration {}", kCondition, i).c_str()),
                     kCondition) != 0;
    const auto first = results.begin() + 1;
    values.assign(first, first + static_cast<std::ptrdiff_t>(states));
    for (std::size_t s = 0; s < stacks.size(); ++s) {
      stacks[s].add(results[1 + states + s]);
    }
  }
  for (std::size_t i = 0; i < t.output_count(); ++i) {
    if (i < states) {
      t.result(values[i], i);
    } else {
      const Stack& stack = stacks[i - states];
      t.result(stack.is_empty() ? nothing(t, body, 1 + i, 0) : stack.joined(t, 0), i);
    }
  }
}

namespace {

/// Element i of an axis, without that axis.
FileValue element(Translation& t, const FileValue& value, std::size_t axis, std::int64_t i) {
  Shape shape = value.empty ? value.empty->shape : t.shape(value.id);
  if (axis >= shape.size() || i >= shape[axis]) {
    t.fail(fmt::format("an input has shape {}, without index {} of axis {}", to_string(shape), i, axis));
  }
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  if (value.empty) {
    Tensor tensor = *value.empty;
    tensor.shape = shape;
    return {kNoTensor, tensor};
  }
  return {t.reshape(take(t, value.id, axis, {i}), shape)};
}

/// Axes and directions of a Scan, and the attributes that give them: 0 unless the node says otherwise.
std::vector<std::int64_t> each(const Translation& t, const char* attribute, std::size_t size) {
  std::vector<std::int64_t> values = t.integers(attribute).value_or(std::vector<std::int64_t>(size, 0));
  if (values.size() != size) {
    t.fail(fmt::format("attribute '{}' has {} values; expected {}", attribute, values.size(), size));
  }
  return values;
}

struct Scan {
  explicit Scan(Translation& t, std::size_t first_state, const char* directions)
      : body(t.body("body")), parts(static_cast<std::size_t>(t.needed_integer("num_scan_inputs"))) {
    const std::size_t inputs = t.input_count() - std::min(t.input_count(), first_state);
    if (parts < 1 || parts > inputs) {
      t.fail(fmt::format("num_scan_inputs is {}; the range is 1 .. {}", t.needed_integer("num_scan_inputs"), inputs));
    }
    states = inputs - parts;
    check_outputs(t, body, std::max(states, t.output_count()));
    stacks = static_cast<std::size_t>(body.graph->output_size()) - states;
    axes = each(t, "scan_input_axes", parts);
    reversed = each(t, directions, parts);
    stack_axes = each(t, "scan_output_axes", stacks);
    stack_reversed = each(t, "scan_output_directions", stacks);
  }

  const Body& body;
  std::size_t states = 0, parts = 0, stacks = 0;  ///< values that are kept, split, and joined
  std::vector<std::int64_t> axes, reversed, stack_axes, stack_reversed;
};

/// The last states, then the joined results. `values`: the first states, then what is split.
std::vector<FileValue> scanned(Translation& t, const Scan& scan, std::vector<FileValue> values,
                               const std::string& label) {
  std::int64_t length = 0;
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < scan.parts; ++i) {
    const FileValue& value = values[scan.states + i];
    const Shape shape = value.empty ? value.empty->shape : t.shape(value.id);
    axes.push_back(t.axis(scan.axes[i], shape.size()));
    if (i > 0 && shape[axes[i]] != length) {
      t.fail(fmt::format("its inputs have lengths {} and {}; they must be equal", length, shape[axes[i]]));
    }
    length = shape[axes[i]];
  }
  std::vector<Stack> stacks(scan.stacks);
  for (std::int64_t i = 0; i < length; ++i) {
    std::vector<FileValue> inputs(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(scan.states));
    for (std::size_t p = 0; p < scan.parts; ++p) {
      inputs.push_back(element(t, values[scan.states + p], axes[p], scan.reversed[p] != 0 ? length - 1 - i : i));
    }
    const std::vector<FileValue> results = t.inlined(scan.body, inputs, label + std::to_string(i));
    std::copy(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(scan.states), values.begin());
    for (std::size_t s = 0; s < scan.stacks; ++s) {
      stacks[s].add(results[scan.states + s]);
    }
  }
  values.resize(scan.states);
  for (std::size_t s = 0; s < scan.stacks; ++s) {
    if (scan.stack_reversed[s] != 0) {
      stacks[s].reverse();
    }
    values.push_back(stacks[s].is_empty() ? nothing(t, scan.body, scan.states + s, scan.stack_axes[s])
                                          : stacks[s].joined(t, scan.stack_axes[s]));
  }
  return values;
}

}  // namespace

void scan(Translation& t) {
  const bool batched = t.opset() < 9;
  if (batched && t.has_input(0)) {
    t.refuse(OnnxRefusal::kMode, "lengths of sequences of their own are not supported; export the model for set 9");
  }
  const std::size_t first = batched ? 1 : 0;
  const Scan scan(t, first, batched ? "directions" : "scan_input_directions");
  std::vector<FileValue> values;
  for (std::size_t i = first; i < t.input_count(); ++i) {
    values.push_back(t.value(i));
  }
  std::vector<FileValue> results;
  if (batched) {  // sample by sample
    if (values[0].empty || t.shape(values[0].id).empty()) {
      t.fail("its first input has no samples");
    }
    const std::int64_t samples = t.shape(values[0].id)[0];
    std::vector<Stack> all(scan.states + scan.stacks);
    for (std::int64_t sample = 0; sample < samples; ++sample) {
      std::vector<FileValue> own;
      for (const FileValue& value : values) {
        own.push_back(element(t, value, 0, sample));
      }
      const std::vector<FileValue> made = scanned(t, scan, own, fmt::format("{}.", sample));
      for (std::size_t i = 0; i < made.size(); ++i) {
        all[i].add(made[i]);
      }
    }
    for (const Stack& stack : all) {
      results.push_back(stack.joined(t, 0));
    }
  } else {
    results = scanned(t, scan, std::move(values), "");
  }
  for (std::size_t i = 0; i < t.output_count(); ++i) {
    t.result(results[i], i);
  }
}

}  // namespace systole::graph::onnx_file
