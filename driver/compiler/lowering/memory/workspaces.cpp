// SPDX-License-Identifier: Apache-2.0
#include "workspaces.hpp"

#include <algorithm>
#include <cstdint>
#include <variant>

namespace systole::network {
namespace {

using compiler::Range;
using graph::TensorId;

constexpr int kWordPlanes = 4;   // through which a kernel's constants are loaded
constexpr int kRoom = 2;         // times what the tensors of a small kernel need
constexpr int kLeastRows = 256;  // for one, also for its constants

}  // namespace

int Workspaces::rows_off_chip(std::size_t index) const {
  const Layer& layer = segment_.layers[index];
  const auto planes = [&](TensorId id, const Image& image) {
    return placement_.chip(id) ? 0 : compiler::ceil_div(image.channels, dim_);
  };
  int all = planes(layer.output, layer.output_image);
  for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
    const bool weights = i > 0 && std::holds_alternative<ProductLayer>(layer.kind);
    all += weights ? 0 : planes(layer.inputs[i], layer.input_images[i]);
  }
  const auto* kernel = std::get_if<KernelLayer>(&layer.kind);
  const int words = kernel == nullptr || kernel->call.channel_words.empty() ? 0 : kWordPlanes;
  return (all + words) * chains_[index]->part_rows;
}

Range Workspaces::free(std::size_t index) const {
  const Range free = placement_.workspace(static_cast<int>(index));
  const RowChain* chain = chains_[index];
  if (chain == nullptr || rows_off_chip(index) == 0) {
    return free;
  }
  std::int64_t all = 0, before = 0;
  for (std::size_t i = chain->begin; i < chain->end; ++i) {
    before += i < index ? rows_off_chip(i) : 0;
    all += rows_off_chip(i);
  }
  const auto share = [&](std::int64_t rows) { return free.begin + static_cast<int>(free.size() * rows / all); };
  return {share(before), share(before + rows_off_chip(index))};
}

Range Workspaces::own(std::size_t index, const compiler::Builder& builder) const {
  const Range free = this->free(index);
  const Layer& layer = segment_.layers[index];
  if (!segment_.spread_kernels || !std::holds_alternative<KernelLayer>(layer.kind)) {
    return free;
  }
  const auto rows_of = [&](TensorId id, const Image& image) {
    const int planes = compiler::ceil_div(image.channels, dim_ * image.element_bytes) * image.element_bytes;
    return placement_.chip(id) ? 0 : std::int64_t{planes} * image.batch * image.height * image.width;
  };
  std::int64_t rows = rows_of(layer.output, layer.output_image);
  for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
    rows += rows_of(layer.inputs[i], layer.input_images[i]);
  }
  const std::int64_t needed = std::max<std::int64_t>(kRoom * rows, kLeastRows);
  if (2 * needed > free.size()) {
    return free;
  }
  const auto need = static_cast<int>(needed);
  int begin = free.begin, last = builder.last_access(begin, need);
  for (int first = begin + need; first + need <= free.end && last >= 0; first += need) {
    if (const int access = builder.last_access(first, need); access < last) {
      begin = first;
      last = access;
    }
  }
  return {begin, begin + need};
}

}  // namespace systole::network
