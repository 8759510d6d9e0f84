// SPDX-License-Identifier: Apache-2.0
// A part of the interpreter's graph as a graph of the compiler.
#pragma once

#include <string>

#include "context_model.hpp"
#include "systole/import_model.hpp"

namespace systole::litert {

/// Numbers of operators in the contents count the part's nodes. Throws what read_tflite() and model_of() throw.
graph::ModelContents read_part(Context& context, const Part& part, const std::string& name);

}  // namespace systole::litert
