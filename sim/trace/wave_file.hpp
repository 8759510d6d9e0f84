// SPDX-License-Identifier: Apache-2.0
// Reads FST waveforms.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace systole::sim {

class WaveFile {
 public:
  struct Change {
    std::uint64_t time;  ///< ps; clock cycle n begins at 1000 n
    std::string value;   ///< binary, the most significant bit first
  };

  /// Throws std::runtime_error when there is no such file or it is no waveform.
  explicit WaveFile(const std::string& path);

  std::uint64_t first_time() const;
  std::uint64_t last_time() const;

  /// Every signal with its scopes and, for vectors, its range: "TOP.tpu_core.head[31:0]".
  std::set<std::string> names() const;
  /// Every instance, as in "TOP.tpu_core.u_mxu".
  const std::set<std::string>& scopes() const { return scopes_; }

  /// Value changes in the order of time, the values at first_time() included. Throws std::out_of_range for a name that
  /// is not in the file.
  std::map<std::string, std::vector<Change>> changes(const std::set<std::string>& of) const;

 private:
  std::unique_ptr<void, void (*)(void*)> reader_;
  std::map<std::string, std::uint32_t> handles_;
  std::set<std::string> scopes_;
};

/// Value at a time, of changes in order; empty before the first.
std::string value_at(const std::vector<WaveFile::Change>& changes, std::uint64_t time);

/// Throws std::invalid_argument, listing what there is in its place, when `scope` (without "TOP.") is not among the
/// scopes.
void check_scope(const std::string& scope, const std::set<std::string>& scopes);

}  // namespace systole::sim
