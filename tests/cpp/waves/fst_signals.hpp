// SPDX-License-Identifier: Apache-2.0
// Names of the signals in a waveform.
#pragma once

#include <set>
#include <string>

namespace systole::test {

/// Every signal of an FST file with its scopes and, for vectors, its range: "TOP.tpu_core.head[31:0]". Throws
/// std::runtime_error when the file is no waveform.
std::set<std::string> fst_signals(const std::string& file);

}  // namespace systole::test
