// SPDX-License-Identifier: Apache-2.0
// Pools, reductions and softmax of int16.
#include <utility>

#include "one_operator.hpp"
#include "random_parameters.hpp"

namespace systole::shapes {
namespace {

using graph::TensorId;

constexpr float kScale = 0.0005F;
constexpr auto kWide = graph::ElementType::kInt16;

graph::Graph pool(const Spec& spec, graph::PoolKind kind) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const TensorId input = one.input(image_of(spec), kScale, kWide);
  const graph::Pool op{kind, sliding_of(spec), false, static_cast<Activation>(spec.at("activation"))};
  return one.finish(op, {input}, one.output({}, 0, input));
}

graph::Graph reduction(const Spec& spec, graph::ReduceKind kind) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const TensorId input = one.input(image_of(spec), kScale, kWide);
  const bool extreme = kind == graph::ReduceKind::kMax || kind == graph::ReduceKind::kMin;
  graph::Reduce reduce{kind, {}, spec.at("keep_dimensions") != 0};
  for (int axis = 0; axis < 4; ++axis) {
    if ((spec.at("axes") >> axis & 1) != 0) {
      reduce.axes.push_back(axis);
    }
  }
  const double scale = kind == graph::ReduceKind::kSum ? 8 * kScale : kScale;
  return one.finish(std::move(reduce), {input}, one.output({}, scale, extreme ? input : graph::kNoTensor, kWide));
}

/// Of int16 or, with `bytes`, of int8.
graph::Graph softmax(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const bool bytes = spec.at("bytes") != 0;
  const TensorId input = bytes ? one.input(image_of(spec)) : one.input(image_of(spec), kScale, kWide);
  const graph::Quantization prescribed =
      bytes ? graph::Quantization{{1.0F / 65536}, {-32768}, 0} : graph::Quantization{{1.0F / 32768}, {0}, 0};
  return one.finish(graph::Softmax{-1, static_cast<float>(one.between(0.1, 4)), false}, {input},
                    one.output(prescribed, kWide));
}

}  // namespace

std::vector<Kind> wide_window_kinds() {
  const Parameters image = {{"batch", 1, 3}, {"height", 1, 12}, {"width", 1, 12}, {"channels", 1, 24}};
  const Parameters pooled = image + kWindow + kBorder + Parameters{kActivation, kSeed};
  const Parameters large = Parameters{{"batch", 1, 2},     {"height", 16, 20},
                                      {"width", 16, 20},   {"channels", 1, 12},
                                      {"kernel_h", 8, 16}, {"kernel_w", 8, 16},
                                      {"stride_h", 1, 3},  {"stride_w", 1, 3},
                                      {"pad_top", 0, 0},   {"pad_bottom", 0, 0},
                                      {"pad_left", 0, 0},  {"pad_right", 0, 0},
                                      kActivation,         kSeed};
  const Parameters reduced = {{"batch", 1, 3},          {"height", 1, 9}, {"width", 1, 9},
                              {"channels", 1, 24},      {"axes", 1, 15},  kSeed,
                              {"keep_dimensions", 0, 1}};
  const auto reduction_kind = [&](const char* name, const char* title, graph::ReduceKind kind) {
    return Kind{name, title, reduced, [kind](const Spec& spec) { return reduction(spec, kind); }};
  };
  return {
      {"int16_max_pool", "int16: max pool", pooled, [](const Spec& spec) { return pool(spec, graph::PoolKind::kMax); }},
      {"int16_average_pool", "int16: average pool", pooled,
       [](const Spec& spec) { return pool(spec, graph::PoolKind::kAverage); }},
      {"int16_large_average", "int16: average pool of large windows", large,
       [](const Spec& spec) { return pool(spec, graph::PoolKind::kAverage); }},
      {"int16_softmax", "softmax with a result of int16",
       Parameters{{"batch", 1, 3}, {"height", 1, 6}, {"width", 1, 20}, {"channels", 1, 120}, {"bytes", 0, 1}, kSeed},
       softmax},
      reduction_kind("int16_reduce_max", "int16: greatest along any axes", graph::ReduceKind::kMax),
      reduction_kind("int16_reduce_min", "int16: least along any axes", graph::ReduceKind::kMin),
      reduction_kind("int16_reduce_sum", "int16: sum along any axes", graph::ReduceKind::kSum),
      reduction_kind("int16_reduce_mean", "int16: mean along any axes", graph::ReduceKind::kMean)};
}

}  // namespace systole::shapes
