// SPDX-License-Identifier: Apache-2.0
// Writes graphs and programs as tables of a file.
#pragma once

#include <vector>

#include "network_generated.h"
#include "systole/container.hpp"
#include "systole/generated/isa.hpp"
#include "weight_presets.hpp"

namespace systole::container {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

/// Writes the table of an operator kind, for the union member kind_type().
Offset<void> write_kind(FlatBufferBuilder& builder, const graph::OperatorKind& kind);
/// The members of the union are in the order of the variant, after NONE.
inline format::Kind kind_type(const graph::OperatorKind& kind) { return static_cast<format::Kind>(kind.index() + 1); }

Offset<format::Graph> write_graph(FlatBufferBuilder& builder, const graph::Graph& graph);

/// For each program the weights that its constants consist of.
using FoundWeights = std::vector<WeightTiling::Found>;
FoundWeights find_weights(const CompiledNetwork& network);
/// Frees these constants, which follow from the graph.
void drop(CompiledNetwork& network, const FoundWeights& weights);
Offset<format::Compiled> write_compiled(FlatBufferBuilder& builder, const CompiledNetwork& network,
                                        const FoundWeights& weights);

/// The size of constants and instructions in the file, in bytes.
std::size_t bulk_of(const graph::Graph& graph);
std::size_t bulk_of(const CompiledNetwork& network);

}  // namespace systole::container
