// SPDX-License-Identifier: Apache-2.0
// Weights and sizes of architecture llama. Of each head, pairs of rows that are rotated together are neighbours in the
// matrices of queries and keys, as in files of llama2.c.
#pragma once

#include <string>

#include "gguf_file.hpp"
#include "llama2_checkpoint.hpp"

namespace systole::gguf {

/// Throws graph::GraphError that names key or tensor, value, legal range and remedy, also for every key of the model's
/// and every tensor that would change its numbers and is not known here.
llama2::Checkpoint checkpoint_of(const File& file, const std::string& name);

}  // namespace systole::gguf
