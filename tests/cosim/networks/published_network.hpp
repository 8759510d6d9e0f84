// SPDX-License-Identifier: Apache-2.0
// A published int8 network with recorded samples: models/NAME of SYSTOLE_SHARED has model.tflite, inputs.npy,
// outputs.npy, and outputs_1.npy if there is a second output; the first axis is the sample.
#pragma once

#include <filesystem>
#include <vector>

#include "npy.hpp"
#include "systole/import_model.hpp"

namespace systole::test {

inline const std::vector<const char*> kPublishedNetworks = {
    "made_transformer_encoder", "mlperf_tiny_ad",    "mlperf_tiny_kws",   "mlperf_tiny_resnet8",
    "mlperf_tiny_vww",          "tflm_hello_world",  "tflm_micro_speech", "tflm_micro_speech_lstm",
    "tflm_mnist_lstm",          "tflm_person_detect"};

struct PublishedNetwork {
  explicit PublishedNetwork(const std::filesystem::path& folder)
      : graph(graph::import_model((folder / "model.tflite").string())),
        inputs(npy::read((folder / "inputs.npy").string())),
        outputs{npy::read((folder / "outputs.npy").string())} {
    if (exists(folder / "outputs_1.npy")) {
      outputs.push_back(npy::read((folder / "outputs_1.npy").string()));
    }
  }

  static std::filesystem::path folder(const char* name) {
    return std::filesystem::path(SYSTOLE_SHARED) / "models" / name;
  }

  graph::Graph graph;
  graph::Value inputs;
  std::vector<graph::Value> outputs;
};

}  // namespace systole::test
