// SPDX-License-Identifier: Apache-2.0
// Gather, scatter and flat-index operators.
#include <fmt/core.h>

#include <algorithm>
#include <type_traits>

#include "attributes.hpp"
#include "binary32.hpp"
#include "element_visit.hpp"
#include "execute_kinds.hpp"
#include "indices.hpp"
#include "infer.hpp"

namespace systole::graph {
namespace {

std::vector<std::int64_t> indices_of(const Value& value) {
  if (value.type == ElementType::kInt64) {
    return elements<std::int64_t>(value);
  }
  const auto narrow = elements<std::int32_t>(value);
  return {narrow.begin(), narrow.end()};
}

std::int64_t checked(const Call& call, std::int64_t index, std::size_t axis, std::int64_t size) {
  if (index < -size || index >= size) {
    throw IndexError(fmt::format("{}: {}", title(call.op), index_out_of_range(index, axis, size)));
  }
  return index < 0 ? index + size : index;
}

float combined(Scatter::Combine how, float before, float update) {
  switch (how) {
    case Scatter::Combine::kAdd: return golden::binary32::add(before, update);
    case Scatter::Combine::kMultiply: return golden::binary32::multiply(before, update);
    case Scatter::Combine::kMaximum: return golden::binary32::maximum(before, update);
    case Scatter::Combine::kMinimum: return golden::binary32::minimum(before, update);
    case Scatter::Combine::kReplace: break;
  }
  return update;
}

template <class Element>
Element combined(Scatter::Combine how, Element before, Element update) {
  switch (how) {
    case Scatter::Combine::kAdd:
      if constexpr (kIsReal<Element>) {
        return static_cast<Element>(static_cast<double>(before) + static_cast<double>(update));
      } else {
        return static_cast<Element>(static_cast<std::uint64_t>(before) + static_cast<std::uint64_t>(update));
      }
    case Scatter::Combine::kMultiply:
      if constexpr (kIsReal<Element>) {
        return static_cast<Element>(static_cast<double>(before) * static_cast<double>(update));
      } else {
        return static_cast<Element>(static_cast<std::uint64_t>(before) * static_cast<std::uint64_t>(update));
      }
    case Scatter::Combine::kMaximum: return before < update ? update : before;
    case Scatter::Combine::kMinimum: return update < before ? update : before;
    case Scatter::Combine::kReplace: break;
  }
  return update;
}

}  // namespace

Value run(const Call& call, const Gather& op) {
  const Value& data = call.input(0);
  const std::size_t axis = axis_of(op.axis, data.shape.size());
  const std::int64_t size = data.shape[axis];
  const auto rest = data.shape.begin() + static_cast<std::ptrdiff_t>(axis);
  const auto outer = static_cast<std::size_t>(count(Shape(data.shape.begin(), rest)));
  const std::size_t row = static_cast<std::size_t>(count(Shape(rest + 1, data.shape.end()))) * element_size(data.type);
  std::vector<std::int64_t> indices = indices_of(call.input(1));
  for (std::int64_t& index : indices) {
    index = checked(call, index, axis, size);
  }
  Value result{data.type, call.output_tensor().shape, Bytes(outer * indices.size() * row)};
  std::uint8_t* to = result.data.data();
  for (std::size_t i = 0; i < outer; ++i) {
    const std::uint8_t* from = data.data.data() + i * static_cast<std::size_t>(size) * row;
    for (const std::int64_t index : indices) {
      std::memcpy(to, from + static_cast<std::size_t>(index) * row, row);
      to += row;
    }
  }
  return result;
}

Value run(const Call& call, const FlatIndex& op) {
  const std::vector<std::int64_t> indices = indices_of(call.input(0));
  std::vector<std::int64_t> result(static_cast<std::size_t>(count(call.output_tensor().shape)));
  std::size_t next = 0;
  for (std::int64_t& position : result) {
    for (std::size_t axis = 0; axis < op.shape.size(); ++axis) {
      position = position * op.shape[axis] + checked(call, indices[next++], axis, op.shape[axis]);
    }
  }
  return make_value(ElementType::kInt64, call.output_tensor().shape, result);
}

Value run(const Call& call, const Scatter& op) {
  const std::vector<std::int64_t> rows = indices_of(call.input(1));
  return with_element(call.input(0).type, [&](auto element) {
    using Element = decltype(element);
    auto data = elements<Element>(call.input(0));
    if constexpr (std::is_same_v<Element, float>) {
      if (op.combine == Scatter::Combine::kAdd) {
        std::transform(data.begin(), data.end(), data.begin(),
                       [](float x) { return combined(Scatter::Combine::kAdd, x, -0.0F); });
      }
    }
    const auto updates = elements<Element>(call.input(2));
    const std::size_t length = updates.size() / rows.size();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(checked(call, rows[i], 0, call.input(0).shape[0]));
      for (std::size_t at = 0; at < length; ++at) {
        Element& target = data[row * length + at];
        target = combined(op.combine, target, updates[i * length + at]);
      }
    }
    return make_value(call.input(0).type, call.input(0).shape, data);
  });
}

}  // namespace systole::graph
