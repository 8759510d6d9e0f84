// SPDX-License-Identifier: Apache-2.0
#include "signal_to_noise.hpp"

#include <cmath>
#include <limits>

#include "element_visit.hpp"

namespace systole::cli {

double signal_to_noise(const graph::Value& expected, const graph::Value& actual) {
  return graph::with_element(expected.type, [&](auto element) {
    using Element = decltype(element);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::vector<Element> wanted = graph::elements<Element>(expected), found = graph::elements<Element>(actual);
    double signal = 0, noise = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto a = static_cast<double>(wanted[i]), b = static_cast<double>(found[i]);
      if (a == b || (std::isnan(a) && std::isnan(b))) {
        signal += std::isfinite(a) ? a * a : 0;
        continue;
      }
      if (!std::isfinite(a) || !std::isfinite(b)) {
        return -kInfinity;
      }
      signal += a * a;
      noise += (a - b) * (a - b);
    }
    return noise == 0 ? kInfinity : 10 * std::log10(signal / noise);
  });
}

}  // namespace systole::cli
