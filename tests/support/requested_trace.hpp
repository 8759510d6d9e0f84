// SPDX-License-Identifier: Apache-2.0
// The waveform that the environment asks a test for, of a core (cosim.hpp) or of a block (block_model.hpp):
//
//   SYSTOLE_TRACE=FILE writes it, narrowed by
//   SYSTOLE_TRACE_FROM=n, _TO=n, _LAYER=name, _SCOPE=instance, or _ON_ERROR=n: the cycles before the first failure
//   alone
// scripts/waves sets them and opens the waveform.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "systole/trace.hpp"

namespace systole::test {

inline std::uint64_t cycles_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

/// The file is empty where no waveform is asked for.
inline TraceOptions requested_trace() {
  TraceOptions trace;
  const char* file = std::getenv("SYSTOLE_TRACE");
  if (!file) return trace;
  trace.file = file;
  trace.from = cycles_from("SYSTOLE_TRACE_FROM", trace.from);
  trace.to = cycles_from("SYSTOLE_TRACE_TO", trace.to);
  trace.on_error = cycles_from("SYSTOLE_TRACE_ON_ERROR", trace.on_error);
  if (const char* layer = std::getenv("SYSTOLE_TRACE_LAYER")) trace.layer = layer;
  if (const char* scope = std::getenv("SYSTOLE_TRACE_SCOPE")) trace.scope = scope;
  return trace;
}

/// Whether a model of this process has written the file already. The first call removes what an earlier process left.
inline bool already_recorded(const std::string& file) {
  static const bool cleared [[maybe_unused]] = std::filesystem::remove(file);
  return std::filesystem::exists(file);
}

}  // namespace systole::test
