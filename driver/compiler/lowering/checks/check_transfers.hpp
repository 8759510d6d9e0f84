// SPDX-License-Identifier: Apache-2.0
// Gives the verifier (driver/compiler/verifier) what each layer of a program is for.
#pragma once

#include "emit_program.hpp"
#include "segment.hpp"

namespace systole::network {

/// Throws NotOnDevice for the first layer whose LOADs and STOREs do not what the layer is for: its operator then runs
/// on the host, where it is right.
void check_transfers(const Segment& segment, const Emitted& emitted, const graph::Graph& graph,
                     const Configuration& configuration);

}  // namespace systole::network
