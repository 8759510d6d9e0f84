// SPDX-License-Identifier: Apache-2.0
// A published keyword transformer, float with its audio features inside: models/kwt1 of SYSTOLE_SHARED.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "sample_files.hpp"
#include "systole/import_model.hpp"
#include "systole/quantizer.hpp"

namespace systole::quantizer {
namespace {

std::ptrdiff_t class_of(const std::vector<float>& scores) {
  return std::max_element(scores.begin(), scores.end()) - scores.begin();
}

TEST(KeywordTransformer, IsInt8BehindItsFeatures) {
  const std::filesystem::path folder = std::filesystem::path(SYSTOLE_SHARED) / "models/kwt1";
  if (!exists(folder)) {
    GTEST_SKIP() << folder.string() << " is not there; -DSYSTOLE_SHARED=FOLDER names another place";
  }
  const graph::Graph model = graph::import_model((folder / "model.tflite").string());
  const std::vector<Sample> clips = read_samples({(folder / "inputs.npy").string()}, model, 0);
  ASSERT_EQ(clips.size(), 4U);
  const Result result = quantize(model, clips);
  std::size_t normalizations = 0, layers = 0;
  for (const LayerReport& layer : result.report.layers) {
    normalizations += layer.origin == "LayerNormalize" ? 1 : 0;
    layers += layer.int8 ? 1 : 0;
    EXPECT_EQ(layer.int8, layer.name.find("speech_features") != 0 || layer.name.find("speech_features/dct") == 0)
        << layer.name << ": " << layer.reason;
  }
  EXPECT_EQ(normalizations, 24U);
  LayerReport all;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    const std::vector<float> wanted = graph::elements<float>(execute(model, clips[i]).at(0));
    const std::vector<float> got = graph::elements<float>(execute(result.graph, clips[i]).at(0));
    EXPECT_EQ(class_of(got), class_of(wanted)) << "clip " << i;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      all.signal += std::pow(double{wanted[k]}, 2);
      all.noise += std::pow(double{got[k]} - double{wanted[k]}, 2);
    }
  }
  fmt::print("{} layers in int8, scores with {:.1f} dB\n", layers, all.signal_to_noise());
  EXPECT_GT(all.signal_to_noise(), 18);
}

}  // namespace
}  // namespace systole::quantizer
