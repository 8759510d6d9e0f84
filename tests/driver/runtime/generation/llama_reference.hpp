// SPDX-License-Identifier: Apache-2.0
// The transformer of llama2.c in double, straight from the bytes of its file, for a whole text at once.
#pragma once

#include <vector>

#include "../../compiler/frontends/llama2/made_llama.hpp"

namespace systole::generation::test {

/// For each token the logits of the next one.
std::vector<std::vector<double>> reference_logits(const graph::Bytes& file, const std::vector<int>& tokens);

}  // namespace systole::generation::test
