// SPDX-License-Identifier: Apache-2.0
#include "page.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace systole::test {
namespace {

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kDevice: return "device";
    case Verdict::kHost: return "host";
    case Verdict::kRefused: return "refused";
    case Verdict::kFailed: return "FAILED";
  }
  return "";
}

}  // namespace

std::string page_of(const std::vector<Outcome>& outcomes) {
  std::map<std::string, int> reasons;
  const auto number = [&](Verdict verdict) {
    return std::count_if(outcomes.begin(), outcomes.end(), [&](const Outcome& o) { return o.verdict == verdict; });
  };
  for (const Outcome& outcome : outcomes) {
    if (outcome.verdict == Verdict::kRefused) {
      ++reasons[outcome.detail];
    }
  }
  std::string page;
  auto out = std::back_inserter(page);
  fmt::format_to(
      out,
      "# ONNX's tests of operators\n\n"
      "Written by `test_onnx_nodes`; the tests `onnx_nodes_*` compare it with what they see, on the functional model "
      "and on the core.\n"
      "The models and values are those of Debian's libonnx-testdata (ONNX 1.12). Integers are equal; reals are within\n"
      "{:g} + {:g} x |expected|, where it was recorded with four digits (windows, test_gridsample_bicubic,\n"
      "test_roialign_*) {:g} x |expected|. Parameters that these models take as inputs (scales, zero points, shapes, "
      "axes, weights of\n"
      "convolutions) are constants here. \"Host\" names the kinds of operators that ran there. Float32 follows\n"
      "the rules of [the lowering](../../lowering/README.md#float32), on the device and on the host.\n\n"
      "| tests | |\n| --- | --- |\n| {} | all |\n| {} | right, on the device alone |\n| {} | right, with operators on "
      "the host |\n"
      "| {} | wrong |\n| {} | refused |\n\n| refused | because of |\n| --- | --- |\n",
      kAbsolute, kRelative, kRelativeOfCoarse, outcomes.size(), number(Verdict::kDevice), number(Verdict::kHost),
      number(Verdict::kFailed), number(Verdict::kRefused));
  for (const auto& [reason, times] : reasons) {
    fmt::format_to(out, "| {} | {} |\n", times, reason);
  }
  fmt::format_to(out, "\n| test | outcome | host or reason |\n| --- | --- | --- |\n");
  for (const Outcome& outcome : outcomes) {
    fmt::format_to(out, "| {} | {} | {} |\n", outcome.name, name_of(outcome.verdict), outcome.detail);
  }
  return page;
}

}  // namespace systole::test
