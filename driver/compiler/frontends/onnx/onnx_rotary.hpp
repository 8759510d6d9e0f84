// SPDX-License-Identifier: Apache-2.0
// Rotary position embeddings, which attention operators include.
#pragma once

#include "onnx_translation.hpp"

namespace systole::graph::onnx_file {

/// Tables with a row for each position and a column for each pair of elements. `positions` are [B,S]; without them the
/// tables are [B,S,R/2].
struct RotaryAngles {
  TensorId cosine = kNoTensor, sine = kNoTensor, positions = kNoTensor;
};

/// Heads [B,N,S,H] of which the first R elements are turned; a pair is two neighbours if `interleaved`, otherwise an
/// element of the first half and one of the second.
TensorId turned(Translation& t, TensorId heads, const RotaryAngles& by, bool interleaved);

/// The positions [1,S] from `offset`, one number, on.
TensorId positions_from(Translation& t, TensorId offset, std::int64_t sequence);

}  // namespace systole::graph::onnx_file
