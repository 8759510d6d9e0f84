// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a formula: a function that makes a valid graph of small arrays, or an error.
#include "formula_steps.hpp"
#include "systole/errors.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace systole;
  try {
    const formula::Formula read = formula::parse({reinterpret_cast<const char*>(data), size}, "fuzz");
    for (const FormulaUse use : {FormulaUse::kInference, FormulaUse::kTraining}) {
      const std::vector<ArrayType> types(read.operands.size(), {graph::ElementType::kFloat32, {2, 2}});
      record("fuzz", types, [&](const std::vector<Array>& arrays) { return formula::run(read, use, arrays, {}); });
    }
  } catch (const FileError&) {
  } catch (const graph::GraphError&) {}
  return 0;
}
