// SPDX-License-Identifier: Apache-2.0
// Tables of the file from graphs and programs.
#pragma once

#include "network_generated.h"
#include "systole/container.hpp"
#include "systole/generated/isa.hpp"

namespace systole::container {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

/// The kind's table, for the union whose type is kind_type().
Offset<void> write_kind(FlatBufferBuilder& builder, const graph::OperatorKind& kind);
format::Kind kind_type(const graph::OperatorKind& kind);

Offset<format::Graph> write_graph(FlatBufferBuilder& builder, const graph::Graph& graph);
Offset<format::Compiled> write_compiled(FlatBufferBuilder& builder, const CompiledNetwork& network);

/// What the file will have of constants and instructions, in bytes.
std::size_t bulk_of(const graph::Graph& graph);
std::size_t bulk_of(const CompiledNetwork& network);

}  // namespace systole::container
