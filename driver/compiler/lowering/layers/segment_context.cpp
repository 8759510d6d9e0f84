// SPDX-License-Identifier: Apache-2.0
#include "segment_context.hpp"

#include <algorithm>

#include "layer_listing.hpp"

namespace systole::network {

using graph::TensorId;

namespace {

bool contains(const std::vector<TensorId>& ids, TensorId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

bool SegmentContext::wants(TensorId id) const { return contains(wanted(), id); }

bool SegmentContext::stays_plain(const Layer& layer) const {
  return std::any_of(layer.operators.begin(), layer.operators.end(), [&](int op) { return plain.count(op) != 0; });
}

Layer* SegmentContext::maker(TensorId id) const {
  const auto found =
      std::find_if(layers().begin(), layers().end(), [&](const Layer& layer) { return layer.output == id; });
  return found == layers().end() ? nullptr : &*found;
}

Layer* SegmentContext::sole_maker(TensorId id) const { return wants(id) || reads(id) != 1 ? nullptr : maker(id); }

Layer* SegmentContext::only_reader(TensorId id) const {
  if (wants(id) || reads(id) != 1) {
    return nullptr;
  }
  return &*std::find_if(layers().begin(), layers().end(), [&](const Layer& layer) {
    return layer.output != graph::kNoTensor && contains(layer.inputs, id);
  });
}

std::size_t SegmentContext::reads(TensorId id) const {
  std::ptrdiff_t reads = 0;
  for (const Layer& layer : layers()) {
    reads += layer.output == graph::kNoTensor ? 0 : std::count(layer.inputs.begin(), layer.inputs.end(), id);
  }
  return static_cast<std::size_t>(reads);
}

std::string SegmentContext::listing() const { return network::listing(segment, graph); }

void SegmentContext::finish() const {
  const auto gone = [](const Layer& layer) { return layer.output == graph::kNoTensor; };
  layers().erase(std::remove_if(layers().begin(), layers().end(), gone), layers().end());
}

void absorb_behind(Layer& whole, Layer& part) {
  whole.operators.insert(whole.operators.end(), part.operators.begin(), part.operators.end());
  part.output = graph::kNoTensor;
}

void absorb_before(Layer& whole, Layer& part) {
  whole.operators.insert(whole.operators.begin(), part.operators.begin(), part.operators.end());
  part.output = graph::kNoTensor;
}

std::int64_t remove_unread(SegmentContext& context) {
  std::int64_t removed = 0;
  std::set<TensorId> read(context.wanted().begin(), context.wanted().end());
  for (auto layer = context.layers().rbegin(); layer != context.layers().rend(); ++layer) {  // readers follow
    if (layer->macs != 0 || read.count(layer->output) != 0 || read.count(layer->words_output) != 0) {
      read.insert(layer->inputs.begin(), layer->inputs.end());
    } else {
      layer->output = graph::kNoTensor;
      ++removed;
    }
  }
  return removed;
}

}  // namespace systole::network
