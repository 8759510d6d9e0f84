// SPDX-License-Identifier: Apache-2.0
// Operators that a training computes otherwise, as they are outside of one.
#include <cmath>
#include <type_traits>
#include <vector>

#include "element_visit.hpp"
#include "execute_kinds.hpp"

namespace systole::graph {

/// A factor and a summand for each channel, in the steps of the operators that an importer makes of it.
Value run(const Call& call, const BatchNormalize& op) {
  return with_element(call.input(0).type, [&](auto element) {
    using Element = decltype(element);
    using Number = std::conditional_t<std::is_same_v<Element, float>, float, double>;
    auto values = elements<Element>(call.input(0));
    const auto scale = elements<Element>(call.input(1)), bias = elements<Element>(call.input(2)),
               mean = elements<Element>(call.input(3)), variance = elements<Element>(call.input(4));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t channel = i % scale.size();
      const auto number = [channel](const auto& of) { return static_cast<Number>(of[channel]); };
      const Number factor = number(scale) / std::sqrt(number(variance) + static_cast<Number>(op.epsilon));
      const Number summand = number(bias) - number(mean) * factor;
      values[i] = static_cast<Element>(static_cast<Number>(values[i]) * factor + summand);
    }
    return make_value(call.output_tensor().type, call.output_tensor().shape, values);
  });
}

Value run(const Call& call, const Dropout&) { return call.input(0); }

}  // namespace systole::graph
