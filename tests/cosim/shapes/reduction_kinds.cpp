// SPDX-License-Identifier: Apache-2.0
// Operators that combine elements along axes.
#include "one_operator.hpp"
#include "random_parameters.hpp"

namespace systole::shapes {
namespace {

using graph::TensorId;

OneOperator builder_of(const Spec& spec) { return OneOperator(static_cast<std::uint64_t>(spec.at("seed"))); }
graph::ElementType type_of(const Spec& spec) {
  return spec.at("uint8") != 0 ? graph::ElementType::kUint8 : graph::ElementType::kInt8;
}
TensorId input_of(OneOperator& one, const Spec& spec) { return one.input(image_of(spec), 0.05F, type_of(spec)); }

/// A result of the input's type whose quantization, as int8, the operator prescribes.
TensorId prescribed(OneOperator& one, const Spec& spec, float scale, int zero_point) {
  return one.output(graph::Quantization{{scale}, {zero_point + 128 * spec.at("uint8")}, 0}, type_of(spec));
}

graph::Graph softmax(const Spec& spec, bool logarithm) {
  OneOperator one = builder_of(spec);
  const TensorId input = input_of(one, spec);
  const auto beta = static_cast<float>(logarithm ? 1 : one.between(0.03, 4));
  const TensorId output = logarithm ? prescribed(one, spec, 1.0F / 16, 127) : prescribed(one, spec, 1.0F / 256, -128);
  return one.finish(graph::Softmax{-1, beta, logarithm}, {input}, output);
}

graph::Graph l2_normalization(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const TensorId input = input_of(one, spec);
  return one.finish(graph::L2Normalize{}, {input}, prescribed(one, spec, 1.0F / 128, 0));
}

/// Powers of quarters, and one that needs a logarithm.
graph::Graph local_response(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const TensorId input = input_of(one, spec);
  const graph::LocalResponse response{spec.at("before"), spec.at("after"), static_cast<float>(one.between(0.01, 1)),
                                      static_cast<float>(one.between(0.5, 2)),
                                      static_cast<float>(spec.at("power")) / 4};
  return one.finish(response, {input}, one.output({}, 0.04, graph::kNoTensor, type_of(spec)));
}

bool is_extreme(graph::ReduceKind kind) { return kind == graph::ReduceKind::kMax || kind == graph::ReduceKind::kMin; }

graph::Reduce reduce_of(const Spec& spec, graph::ReduceKind kind) {
  graph::Reduce reduce{kind, {}, spec.at("keep_dimensions") != 0};
  for (int axis = 0; axis < 4; ++axis) {
    if ((spec.at("axes") >> axis & 1) != 0) {
      reduce.axes.push_back(axis);
    }
  }
  return reduce;
}

/// Any axes; extremes keep the quantization.
graph::Graph reduction(const Spec& spec, graph::ReduceKind kind) {
  OneOperator one = builder_of(spec);
  const TensorId input = input_of(one, spec);
  const double scale = kind == graph::ReduceKind::kMean ? 0.02 : 0.4;
  return one.finish(reduce_of(spec, kind), {input},
                    one.output({}, scale, is_extreme(kind) ? input : graph::kNoTensor, type_of(spec)));
}

/// A reduction whose input is in the scratchpad, and its result, if another operator sees it in the same shape.
graph::Graph reduction_between(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const auto kind = static_cast<graph::ReduceKind>(spec.at("kind"));
  const TensorId before = one.apply(graph::Unary{graph::UnaryKind::kRelu, 0, 0}, {input_of(one, spec)},
                                    one.output({}, 0.05, graph::kNoTensor, type_of(spec)));
  const TensorId reduced = one.apply(reduce_of(spec, kind), {before},
                                     one.output({}, 0.2, is_extreme(kind) ? before : graph::kNoTensor, type_of(spec)));
  return one.finish(graph::Unary{graph::UnaryKind::kRelu6, 0, 0}, {reduced},
                    one.output({}, 0.05, graph::kNoTensor, type_of(spec)));
}

graph::Graph index_of_extreme(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const TensorId input = input_of(one, spec);
  const auto type = spec.at("long") != 0 ? graph::ElementType::kInt64 : graph::ElementType::kInt32;
  return one.finish(graph::ArgExtreme{spec.at("largest") != 0, spec.at("axis"), true, spec.at("last") != 0}, {input},
                    one.plain(type));
}

graph::Graph cumulative_sum(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const TensorId input = input_of(one, spec);
  return one.finish(graph::CumulativeSum{spec.at("axis"), spec.at("exclusive") != 0, spec.at("reverse") != 0}, {input},
                    one.output({}, 0.3, graph::kNoTensor, type_of(spec)));
}

}  // namespace

std::vector<Kind> reduction_kinds() {
  const Parameters rows = {{"batch", 1, 3},      {"height", 1, 6}, {"width", 1, 20},
                           {"channels", 1, 120}, {"uint8", 0, 1},  kSeed};
  const Parameters long_rows = {{"batch", 1, 1},         {"height", 1, 1}, {"width", 1, 9},
                                {"channels", 512, 1500}, {"uint8", 0, 1},  kSeed};
  const Parameters reduced = {{"batch", 1, 3}, {"height", 1, 9},          {"width", 1, 9}, {"channels", 1, 24},
                              {"axes", 1, 15}, {"keep_dimensions", 0, 1}, {"uint8", 0, 1}, kSeed};
  const Parameters summed =
      kImage + Parameters{{"axis", 0, 3}, {"exclusive", 0, 1}, {"reverse", 0, 1}, {"uint8", 0, 1}, kSeed};
  const Parameters indexed =
      kImage + Parameters{{"axis", 0, 3}, {"largest", 0, 1}, {"last", 0, 1}, {"long", 0, 1}, {"uint8", 0, 1}, kSeed};
  const auto reduction_kind = [&](const char* name, const char* title, graph::ReduceKind kind) {
    return Kind{name, title, reduced, [kind](const Spec& spec) { return reduction(spec, kind); }};
  };
  return {{"softmax", "softmax", rows, [](const Spec& spec) { return softmax(spec, false); }},
          {"log_softmax", "logarithm of softmax", rows, [](const Spec& spec) { return softmax(spec, true); }},
          {"long_softmax", "softmax of long rows", long_rows, [](const Spec& spec) { return softmax(spec, false); }},
          {"long_log_softmax", "logarithm of softmax of long rows", long_rows,
           [](const Spec& spec) { return softmax(spec, true); }},
          {"l2_normalization", "L2 normalization", rows, l2_normalization},
          {"local_response", "local response normalization",
           rows + Parameters{{"before", 0, 4}, {"after", 0, 4}, {"power", 1, 5}}, local_response},
          reduction_kind("reduce_max", "greatest along any axes", graph::ReduceKind::kMax),
          reduction_kind("reduce_min", "least along any axes", graph::ReduceKind::kMin),
          reduction_kind("reduce_sum", "sum along any axes", graph::ReduceKind::kSum),
          reduction_kind("reduce_mean", "mean along any axes", graph::ReduceKind::kMean),
          {"reduction_between", "sum, mean or extreme between other operators", reduced + Parameters{{"kind", 0, 3}},
           reduction_between},
          {"arg_extreme", "index of the greatest or least", indexed, index_of_extreme},
          {"cumulative_sum", "cumulative sum", summed, cumulative_sum}};
}

}  // namespace systole::shapes
