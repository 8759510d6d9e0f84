// SPDX-License-Identifier: Apache-2.0
#include "fit_inputs.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "element_visit.hpp"
#include "named_array.hpp"
#include "systole/errors.hpp"

namespace systole::training {
namespace {

using graph::ElementType;
using graph::Shape;
using graph::Value;

bool is_real(ElementType type) { return type == ElementType::kFloat32 || type == ElementType::kFloat64; }

Shape sample_shape(const Value& value) { return {value.shape.begin() + 1, value.shape.end()}; }

Shape without_ones(Shape shape) {
  shape.erase(std::remove(shape.begin(), shape.end(), 1), shape.end());
  return shape;
}

bool fits(const Shape& sample, const Shape& wanted) {
  const bool flat = sample.size() == 1 || wanted.size() == 1;
  return without_ones(sample) == without_ones(wanted) || (flat && graph::count(sample) == graph::count(wanted));
}

/// Whether pictures [H,W,C] are given where [C,H,W] are taken.
bool has_channels_last(const Shape& sample, const Shape& wanted) {
  return sample.size() == 3 && wanted.size() == 3 && Shape{sample[2], sample[0], sample[1]} == wanted;
}

/// [N,H,W,C] as [N,C,H,W].
Value channels_first(const Value& value) {
  const std::size_t size = graph::element_size(value.type);
  const auto channels = static_cast<std::size_t>(value.shape[3]);
  const auto pixels = static_cast<std::size_t>(value.shape[1] * value.shape[2]);
  Value result{value.type, {value.shape[0], value.shape[3], value.shape[1], value.shape[2]}, value.data};
  for (std::size_t i = 0; i < value.data.size() / size; ++i) {
    const std::size_t sample = i / (pixels * channels), pixel = i / channels % pixels, channel = i % channels;
    const std::size_t to = (sample * channels + channel) * pixels + pixel;
    std::copy_n(value.data.begin() + static_cast<std::ptrdiff_t>(i * size), size,
                result.data.begin() + static_cast<std::ptrdiff_t>(to * size));
  }
  return result;
}

/// Of a type of integers, as doubles.
std::pair<double, double> range_of(ElementType type) {
  return graph::with_element(type, [](auto element) {
    using Limits = std::numeric_limits<decltype(element)>;
    return std::pair{static_cast<double>(Limits::min()), static_cast<double>(Limits::max())};
  });
}

void check_values(const NamedArray& array, const InputKind& input) {
  check_finite(array);
  const bool whole = is_whole(array.value.type);
  if (!whole && !is_real(input.type)) {
    throw InvalidArgument(
        fmt::format("{}: holds {}; input '{}' takes integers ({}): save the array with these, as "
                    "array.astype('int64')",
                    array.name, graph::name_of(array.value.type), input.name, graph::name_of(input.type)));
  }
  if (array.value.type != ElementType::kFloat64 && is_real(input.type)) {
    return;
  }
  const double most = is_real(input.type) ? std::numeric_limits<float>::max() : 0;
  const std::vector<double> numbers = numbers_of(array.value);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (is_real(input.type)) {
      if (std::abs(numbers[i]) > most && input.type == ElementType::kFloat32) {
        throw InvalidArgument(fmt::format("{}: {}: {} is beyond float32, {:.3g} to {:.3g}; scale the column",
                                          array.name, place_of(array, i), numbers[i], -most, most));
      }
    } else if (input.limit && (numbers[i] < 0 || numbers[i] >= static_cast<double>(*input.limit))) {
      throw InvalidArgument(fmt::format("{}: {}: {} is beyond 0 to {}, the rows that input '{}' chooses from",
                                        array.name, place_of(array, i), numbers[i], *input.limit - 1, input.name));
    } else if (const auto [least, greatest] = range_of(input.type);
               array.value.type != input.type && (numbers[i] < least || numbers[i] >= greatest + 1)) {
      throw InvalidArgument(fmt::format("{}: {}: {:.0f} is beyond {}, {:.0f} to {:.0f}, which input '{}' takes",
                                        array.name, place_of(array, i), numbers[i], graph::name_of(input.type), least,
                                        greatest, input.name));
    }
  }
}

InputSamples fitted(const NamedArray& array, const InputKind& input, const std::string& network) {
  if (rows_of(array.value) == 0) {
    throw InvalidArgument(fmt::format("{}: holds no samples; its first axis is theirs, of 1 or more", array.name));
  }
  const Shape sample = sample_shape(array.value);
  const bool turned = !fits(sample, input.shape) && has_channels_last(sample, input.shape);
  if (!turned && !fits(sample, input.shape)) {
    throw InvalidArgument(
        fmt::format("{}: {} samples of shape {}; input '{}' of {} takes samples of shape {}: reshape "
                    "the array, or leave columns out",
                    array.name, rows_of(array.value), graph::to_string(sample), input.name, network,
                    graph::to_string(input.shape)));
  }
  check_values(array, input);
  const bool rows = input.type == ElementType::kFloat32 && input.shape.size() == 1;
  return {turned ? channels_first(array.value) : array.value, input.type, input.shape,
          rows ? column_names(array) : std::vector<std::string>()};
}

std::string names_of(const std::vector<InputKind>& inputs) {
  std::vector<std::string> names;
  for (const InputKind& input : inputs) {
    names.push_back(fmt::format("'{}'", input.name));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

const NamedArray& array_for(const InputKind& input, const std::vector<Data::Input>& given,
                            const std::vector<InputKind>& inputs, const std::string& network) {
  const NamedArray* found = nullptr;
  for (const Data::Input& one : given) {
    if (one.name == input.name || (one.name.empty() && inputs.size() == 1)) {
      if (found != nullptr) {
        throw InvalidArgument(fmt::format("{} and {}: both are for input '{}' of {}; give one", found->name,
                                          one.array.name, input.name, network));
      }
      found = &one.array;
    }
  }
  if (found == nullptr) {
    throw InvalidArgument(fmt::format("{} takes {}: there is no array for '{}'; give it as {}=FILE", network,
                                      names_of(inputs), input.name, input.name));
  }
  return *found;
}

}  // namespace

std::vector<InputSamples> fitted_inputs(const std::vector<Data::Input>& given, const std::vector<InputKind>& inputs,
                                        const std::string& network) {
  for (const Data::Input& one : given) {
    const bool known =
        (one.name.empty() && inputs.size() == 1) ||
        std::any_of(inputs.begin(), inputs.end(), [&](const auto& input) { return input.name == one.name; });
    if (!known) {
      throw InvalidArgument(one.name.empty() ? fmt::format("{}: {} has several inputs, {}; say which, as NAME={}",
                                                           one.array.name, network, names_of(inputs), one.array.name)
                                             : fmt::format("{}: {} has no input '{}'; there is {}", one.array.name,
                                                           network, one.name, names_of(inputs)));
    }
  }
  std::vector<InputSamples> samples;
  const NamedArray* first = nullptr;
  for (const InputKind& input : inputs) {
    const NamedArray& array = array_for(input, given, inputs, network);
    samples.push_back(fitted(array, input, network));
    first = first == nullptr ? &array : first;
    if (rows_of(array.value) != rows_of(first->value)) {
      throw InvalidArgument(fmt::format("{} has {} samples, {} has {}; all inputs have the same number", array.name,
                                        rows_of(array.value), first->name, rows_of(first->value)));
    }
  }
  return samples;
}

}  // namespace systole::training
