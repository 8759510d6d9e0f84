// SPDX-License-Identifier: Apache-2.0
#include "input_samples.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "convert.hpp"
#include "element_visit.hpp"
#include "exit_codes.hpp"
#include "index_limit.hpp"
#include "npy.hpp"
#include "quantized_types.hpp"
#include "terminal.hpp"

namespace systole::cli {
namespace {

using graph::Shape;
using graph::Value;

Shape without_ones(Shape shape) {
  shape.erase(std::remove(shape.begin(), shape.end(), 1), shape.end());
  return shape;
}

std::size_t bytes_of(const graph::Tensor& tensor) {
  return static_cast<std::size_t>(graph::count(tensor.shape)) * graph::element_size(tensor.type);
}

/// Number of samples of the tensor in the array, 0 if it does not fit.
std::size_t samples_in(const Value& array, const graph::Tensor& tensor) {
  const std::int64_t of_one = graph::count(tensor.shape), of_all = graph::count(array.shape);
  if (of_one == 0 && !array.shape.empty()) {
    const bool has_axis = Shape(array.shape.begin() + 1, array.shape.end()) == tensor.shape;
    return has_axis ? static_cast<std::size_t>(array.shape[0]) : array.shape == tensor.shape ? 1 : 0;
  }
  const bool no_axis = array.shape == tensor.shape && (tensor.shape.empty() || tensor.shape[0] != 1);
  if (!no_axis && !array.shape.empty() && array.shape[0] * of_one == of_all) {
    return static_cast<std::size_t>(array.shape[0]);
  }
  return of_one == of_all ? 1 : 0;
}

/// Whether one of `samples` has the tensor's shape, ignoring axes of 1.
bool has_shape_of(const Value& array, const graph::Tensor& tensor, std::size_t samples) {
  const bool has_axis = !array.shape.empty() && static_cast<std::size_t>(array.shape[0]) == samples;
  const Shape wanted = without_ones(tensor.shape);
  return without_ones(array.shape) == wanted ||
         (has_axis && without_ones(Shape(array.shape.begin() + 1, array.shape.end())) == wanted);
}

void check_number(const char* option, std::size_t files, std::size_t tensors) {
  if (files != tensors) {
    throw InputError(fmt::format("{}: {} files for {} tensors; name one file for each, in the order of the network",
                                 option, files, tensors));
  }
}

std::string element_text(const Value& value, std::size_t index) {
  if (value.type == graph::ElementType::kBool) {
    return value.data[index] != 0 ? "true" : "false";
  }
  return graph::with_element(value.type, [&](auto element) {
    std::memcpy(&element, value.data.data() + index * sizeof element, sizeof element);
    if constexpr (std::is_arithmetic_v<decltype(element)>) {
      return fmt::format("{}", element);
    } else {
      return fmt::format("{}", static_cast<float>(element));
    }
  });
}

std::vector<std::size_t> place_of(std::size_t index, const Shape& shape) {
  std::vector<std::size_t> place(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; index /= static_cast<std::size_t>(shape[axis])) {
    place[axis] = index % static_cast<std::size_t>(shape[axis]);
  }
  return place;
}

/// Quantizes real numbers with the tensor's scale.
Value as_steps(Value array, const graph::Tensor& tensor) {
  graph::Tensor real;
  real.type = array.type;
  real.shape = array.shape;
  graph::Tensor result = tensor;
  result.shape = array.shape;
  graph::Operator convert;
  convert.name = "quantize";
  convert.kind = graph::Convert{};
  convert.inputs = {0};
  convert.outputs = {1};
  graph::Graph one;
  one.tensors = {std::move(real), std::move(result)};
  return graph::execute_operator(one, convert, {&array}).front();
}

bool is_quantized_byte(const graph::Tensor& tensor) {
  return graph::is_byte(tensor.type) && tensor.quantization.has_value();
}

/// Converts NumPy's default types float64 and int64 to the type of the network's input, if that represents every value.
void take_type(Value& array, const graph::Tensor& tensor, Reals reals, const std::string& file) {
  const bool real = array.type == graph::ElementType::kFloat32 || array.type == graph::ElementType::kFloat64;
  const graph::ElementType wanted =
      real && reals == Reals::kQuantized && is_quantized_byte(tensor) ? graph::ElementType::kFloat32 : tensor.type;
  const bool by_default = array.type == graph::ElementType::kFloat64 || array.type == graph::ElementType::kInt64 ||
                          array.type == graph::ElementType::kInt32;
  const bool to_integers = real && wanted != graph::ElementType::kFloat32 && wanted != graph::ElementType::kFloat64;
  if (array.type == graph::ElementType::kUint16 && wanted == graph::ElementType::kBfloat16) {
    array.type = wanted;  // which NumPy does not have
  }
  if (array.type == wanted || !by_default || to_integers) {  // the caller decides how real numbers become integers
    return;
  }
  const graph::ElementType from = array.type;
  array = npy::as_type(array, wanted, file);
  fmt::print(stderr, "note: {} is {} and was converted to {}, which can represent all of its values\n", file,
             graph::name_of(from), graph::name_of(wanted));
}

/// Number of different integers to draw, starting at 0; 0 for the full range.
std::uint64_t integers_drawn(const graph::Graph& graph, graph::TensorId id) {
  const graph::Tensor& tensor = graph.tensor(id);
  if (tensor.type == graph::ElementType::kBool) {
    return 2;
  }
  if (const auto limit = graph::index_limit(graph, id)) {
    return static_cast<std::uint64_t>(*limit);
  }
  constexpr std::uint64_t kSmall = 128;
  return tensor.quantization || graph::element_size(tensor.type) == 1 ? 0 : kSmall;
}

/// Reals are in -1 .. 1, integers below `integers`.
Value random_value(const graph::Tensor& tensor, std::uint64_t integers, std::mt19937_64& random) {
  const auto count = static_cast<std::size_t>(graph::count(tensor.shape));
  return graph::with_element(tensor.type, [&](auto first) {
    using Element = decltype(first);
    std::vector<Element> elements(count);
    for (Element& element : elements) {
      if constexpr (graph::kIsReal<Element>) {
        element = static_cast<Element>(static_cast<float>(random() % 20001) / 10000 - 1);
      } else {
        element = static_cast<Element>(integers == 0 ? random() : random() % integers);
      }
    }
    return graph::make_value(tensor.type, tensor.shape, elements);
  });
}

double number_at(const Value& value, std::size_t index) {
  return graph::with_element(value.type, [&](auto element) {
    std::memcpy(&element, value.data.data() + index * sizeof element, sizeof element);
    return static_cast<double>(element);
  });
}

/// Distance of two elements; 0 if both are NaN.
double distance(const Value& expected, const Value& actual, std::size_t index) {
  const double a = number_at(expected, index), b = number_at(actual, index);
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) && std::isnan(b) ? 0 : std::numeric_limits<double>::infinity();
  }
  return a == b ? 0 : std::abs(a - b);  // also if both are infinite
}

}  // namespace

Samples::Samples(const char* option, const std::vector<std::string>& files, const graph::Graph& graph,
                 const std::vector<graph::TensorId>& tensors, Reals reals) {
  check_number(option, files.size(), tensors.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    const graph::Tensor& tensor = graph.tensor(tensors[i]);
    try {
      const bool empty = graph::count(tensor.shape) == 0;
      arrays_.push_back(npy::read(files[i], empty ? npy::Empty::kAccepted : npy::Empty::kRefused));
      take_type(arrays_.back(), tensor, reals, files[i]);
    } catch (const npy::NpyError& error) {
      throw InputError(fmt::format("{}: {}", option, error.what()));
    }
    if (reals == Reals::kQuantized && arrays_.back().type == graph::ElementType::kFloat32 &&
        is_quantized_byte(tensor)) {
      arrays_.back() = as_steps(std::move(arrays_.back()), tensor);
      ++quantized_;
    }
    const Value& array = arrays_.back();
    const std::size_t samples = samples_in(array, tensor);
    if (array.type != tensor.type || samples == 0) {
      throw InputError(fmt::format("{}: {} is {} {}; '{}' takes samples x {} {}", option, files[i],
                                   graph::to_string(array.shape), graph::name_of(array.type), tensor.name,
                                   graph::to_string(tensor.shape), graph::name_of(tensor.type)));
    }
    if (i > 0 && samples != count_) {
      throw InputError(fmt::format("{}: {} has {} samples, {} has {}; all must have the same number", option, files[i],
                                   samples, files[0], count_));
    }
    if (!has_shape_of(array, tensor, samples)) {
      reshaped_.push_back(fmt::format("{} is {}: reshaped to {} of {}", files[i], graph::to_string(array.shape),
                                      counted(samples, "sample"), graph::to_string(tensor.shape)));
    }
    count_ = samples;
    tensors_.push_back(&tensor);
  }
}

Samples::Samples(std::uint64_t seed, std::size_t count, const graph::Graph& graph,
                 const std::vector<graph::TensorId>& tensors)
    : count_(count) {
  std::mt19937_64 random(seed);
  for (const graph::TensorId id : tensors) {
    const graph::Tensor& tensor = graph.tensor(id);
    const std::uint64_t integers = integers_drawn(graph, id);
    Value all{tensor.type, {}, {}};
    for (std::size_t i = 0; i < count; ++i) {
      const Value one = random_value(tensor, integers, random);
      all.data.insert(all.data.end(), one.data.begin(), one.data.end());
    }
    arrays_.push_back(std::move(all));
    tensors_.push_back(&tensor);
  }
}

std::vector<Value> Samples::at(std::size_t sample) const {
  std::vector<Value> values;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    const std::size_t bytes = bytes_of(*tensors_[i]);
    const auto first = arrays_[i].data.begin() + static_cast<std::ptrdiff_t>(sample * bytes);
    values.push_back(
        {tensors_[i]->type, tensors_[i]->shape, graph::Bytes(first, first + static_cast<std::ptrdiff_t>(bytes))});
  }
  return values;
}

void write_samples(const char* option, const std::vector<std::string>& files,
                   const std::vector<std::vector<Value>>& samples, Outputs& outputs) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    Value all = samples.at(0).at(i);
    for (std::size_t sample = 1; sample < samples.size(); ++sample) {
      all.data.insert(all.data.end(), samples[sample][i].data.begin(), samples[sample][i].data.end());
    }
    if (all.shape.empty() || all.shape[0] != 1) {
      all.shape.insert(all.shape.begin(), 1);
    }
    all.shape[0] = static_cast<std::int64_t>(samples.size());
    outputs.add([&] { write_file(option, files[i], npy::serialize(all)); });
  }
}

Tolerance usual_tolerance(graph::ElementType type) {
  switch (type) {
    case graph::ElementType::kFloat32:
    case graph::ElementType::kFloat64: return {1e-5, 1e-4};
    case graph::ElementType::kFloat16: return {1e-3, 1e-2};
    case graph::ElementType::kBfloat16: return {1e-2, 1e-1};
    default: return {};
  }
}

Deviation deviation(std::size_t sample, const graph::Tensor& tensor, const Value& expected, const Value& actual,
                    const Tolerance& tolerance) {
  Deviation result = deviation(tensor.name, expected, actual, tolerance);
  if (!result.first.empty()) {
    result.first = fmt::format("sample {}, {}", sample, result.first);
  }
  return result;
}

Deviation deviation(const std::string& output, const Value& expected, const Value& actual, const Tolerance& tolerance) {
  Deviation result;
  if (expected.data == actual.data) {
    return result;
  }
  const std::size_t size = graph::element_size(actual.type);
  const std::size_t elements = actual.data.size() / size;
  std::size_t first = elements, count = 0;
  double largest = 0;
  for (std::size_t i = 0; i < elements; ++i) {
    if (std::memcmp(expected.data.data() + i * size, actual.data.data() + i * size, size) == 0) {
      continue;
    }
    const double apart = distance(expected, actual, i);
    const bool close =
        apart == 0 ||
        (std::isfinite(apart) && apart <= tolerance.absolute + tolerance.relative * std::abs(number_at(expected, i)));
    if (!tolerance.exact() && close) {
      result.within = true;
      result.largest = std::max(result.largest, apart);
      continue;
    }
    first = std::min(first, i);
    largest = std::max(largest, apart);
    ++count;
  }
  if (count > 0) {
    const std::string allowed = tolerance.exact()
                                    ? std::string()
                                    : fmt::format(" by more than {:g} + {:g} x |expected|, the most by {:.3g}",
                                                  tolerance.absolute, tolerance.relative, largest);
    result.first = fmt::format("output '{}', index {}: expected {}, actual {} ({} of {} differ{})", output,
                               fmt::join(place_of(first, actual.shape), ","), element_text(expected, first),
                               element_text(actual, first), grouped(count), grouped(elements), allowed);
  }
  return result;
}

}  // namespace systole::cli
