// SPDX-License-Identifier: Apache-2.0
// The options of an operator, which the interpreter has as structures, as tables of the file format.
#pragma once

#include "format_generated.h"

namespace systole::litert {

struct NodeOptions {
  tflite::Options type = tflite::Options::NONE;
  flatbuffers::Offset<void> table = {};
};

/// Writes Node::builtin_data of an operator. Without a table for operators without options, for data that is null, and
/// for operators that the importer does not read.
NodeOptions write_options(flatbuffers::FlatBufferBuilder& builder, tflite::OperatorCodeNumber code, const void* data);

}  // namespace systole::litert
