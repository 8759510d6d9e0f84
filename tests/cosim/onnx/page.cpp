// SPDX-License-Identifier: Apache-2.0
#include "page.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>

namespace systole::test {
namespace {

constexpr const char* kRefusedColumn = " | refused | ";
constexpr const char* kOlderHeading = "\n## In the older set alone\n";

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kDevice: return "device";
    case Verdict::kHost: return "host";
    case Verdict::kRefused: return "refused";
    case Verdict::kFailed: return "FAILED";
  }
  return "";
}

std::set<std::string> refused_among(const std::vector<Outcome>& outcomes) {
  std::set<std::string> names;
  for (const Outcome& outcome : outcomes) {
    if (outcome.verdict == Verdict::kRefused) {
      names.insert(outcome.name);
    }
  }
  return names;
}

std::string introduction() {
  return fmt::format(
      "# ONNX's tests of operators\n\n"
      "Written by `test_onnx_nodes`; the tests `onnx_nodes_*` compare it with what they see, on the functional model "
      "and on the core.\n"
      "The models and values are those of the package `onnx` ([the judges from outside](../../../../tests/judges/"
      "README.md)).\n"
      "Integers are equal; reals are within {:g} + {:g} x |expected|, as ONNX's own tests allow, and float32 and "
      "float64\n"
      "also within {:g} + {:g} x |expected|, except tests recorded with four digits (windows, test_roialign_*,\n"
      "test_gridsample_bicubic, test_averagepool_2d_ceil_last_window_starts_on_pad). bfloat16 is within {:g} x "
      "|expected|,\n"
      "which is ONNX's tolerance of it, and float16 within {:.3g} x |expected| in the tests *_fp16_expanded, which "
      "were\n"
      "recorded with values rounded to float16 between the operators. Parameters that these models take as inputs "
      "(scales,\n"
      "zero points, shapes, axes, weights of convolutions) are given as constants. \"Host\" names the kinds of "
      "operators "
      "that\n"
      "ran there. Float32 follows the rules of [the lowering](../../lowering/README.md#float32), on the device and on "
      "the\n"
      "host.\n\n",
      kOfOnnx.absolute, kOfOnnx.relative, kTight.absolute, kTight.relative, kOfBfloat16.relative,
      kOfRoundedFloat16.relative);
}

std::string totals(const std::vector<Outcome>& outcomes) {
  const auto number = [&](Verdict verdict) {
    return std::count_if(outcomes.begin(), outcomes.end(), [&](const Outcome& o) { return o.verdict == verdict; });
  };
  std::string text = fmt::format(
      "| tests | |\n| --- | --- |\n| {} | all |\n| {} | right, on the device alone |\n"
      "| {} | right, with operators on the host |\n| {} | wrong |\n| {} | refused |\n\n"
      "| refused | because of |\n| --- | --- |\n",
      outcomes.size(), number(Verdict::kDevice), number(Verdict::kHost), number(Verdict::kFailed),
      number(Verdict::kRefused));
  std::map<std::string, int> reasons;
  for (const Outcome& outcome : outcomes) {
    if (outcome.verdict == Verdict::kRefused) {
      ++reasons[outcome.detail];
    }
  }
  for (const auto& [reason, times] : reasons) {
    text += fmt::format("| {} | {} |\n", times, reason);
  }
  return text;
}

std::string table(const std::vector<Outcome>& outcomes) {
  std::string text = "\n| test | outcome | host or reason |\n| --- | --- | --- |\n";
  for (const Outcome& outcome : outcomes) {
    text += outcome.verdict == Verdict::kRefused
                ? fmt::format("| {}{}{} |\n", outcome.name, kRefusedColumn, outcome.detail)
                : fmt::format("| {} | {} | {} |\n", outcome.name, name_of(outcome.verdict), outcome.detail);
  }
  return text;
}

}  // namespace

std::vector<Outcome> refused_beyond(const std::vector<Outcome>& outcomes, const std::set<std::string>& names) {
  std::vector<Outcome> found;
  std::copy_if(outcomes.begin(), outcomes.end(), std::back_inserter(found), [&](const Outcome& outcome) {
    return outcome.verdict == Verdict::kRefused && names.count(outcome.name) == 0;
  });
  return found;
}

std::string page_of(const std::vector<Outcome>& newest, const std::vector<Outcome>& older) {
  return introduction() + totals(newest) + table(newest) + kOlderHeading +
         "\nThe tests of ONNX 1.12, which Debian's libonnx-testdata has, are run as well: "
         "none may be wrong, and these are\nrefused in addition.\n" +
         table(refused_beyond(older, refused_among(newest)));
}

std::string newest_part(const std::string& page) { return page.substr(0, page.find(kOlderHeading)); }

std::set<std::string> refused_on(const std::string& page) {
  std::set<std::string> names;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t end = line.find(kRefusedColumn); end != std::string::npos) {
      names.insert(line.substr(2, end - 2));
    }
  }
  return names;
}

}  // namespace systole::test
