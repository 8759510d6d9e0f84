// SPDX-License-Identifier: Apache-2.0
// The operation of every engine instruction. Functions named fast_... do the same faster if they can tell in advance
// that nothing faults; otherwise they return false.
#pragma once

#include "model_state.hpp"

namespace systole::model {

void run(State& state, const isa::Load& op);
void run(State& state, const isa::Store& op);
void run(State& state, const isa::Conv& op);
void run_blocks(State& state, const isa::Conv& op);  ///< of a CONV in block floating point
void run(State& state, const isa::Depthwise& op);
void run(State& state, const isa::Drain& op);
void run(State& state, const isa::Drain32& op);
void run(State& state, const isa::Preload& op);
void run(State& state, const isa::Maxpool& op);
void run(State& state, const isa::Avgpool& op);
void run(State& state, const isa::Add& op);
void run(State& state, const isa::Multiply& op);
void run(State& state, const isa::Table& op);
void run(State& state, const isa::Map& op);
void run(State& state, const isa::Vector& op);

bool fast_load(State& state, const isa::Load& op);
bool fast_store(State& state, const isa::Store& op);
bool fast_conv(State& state, const isa::Conv& op);
bool fast_block_conv(State& state, const isa::Conv& op);

}  // namespace systole::model
