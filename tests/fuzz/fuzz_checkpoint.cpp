// SPDX-License-Identifier: Apache-2.0
// Arbitrary text as the state in a checkpoint whose arrays and checksums are right: a state, or a Failure.
#include "checkpoint.hpp"
#include "npz.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace systole;
  const graph::Value value = graph::make_value(graph::ElementType::kFloat32, {2}, std::vector<float>{1, 2});
  training::Step step;
  step.variables.push_back({"w", value});
  const graph::Bytes array = npy::serialize(value);
  const graph::Bytes file = npy::serialize_archive(
      {{"training.json", graph::Bytes(data, data + size)}, {"variables/w.npy", array}, {"best/w.npy", array}});
  try {
    training::parse_checkpoint(file, "fuzz", step, step, {}, {4, 16});
  } catch (const Failure&) {}
  return 0;
}
