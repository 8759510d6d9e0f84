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

  /// Throws std::runtime_error if the file does not exist or is no waveform.
  explicit WaveFile(const std::string& path);

  std::uint64_t first_time() const;
  std::uint64_t last_time() const;

  /// Every signal with its scopes and, for vectors, its range: "TOP.tpu_core.head[31:0]".
  std::set<std::string> names() const;
  /// Every instance, as in "TOP.tpu_core.u_mxu".
  const std::set<std::string>& scopes() const { return scopes_; }

  /// Value changes in time order, including the values at first_time(). Throws OutOfRange for a name that is not
  /// in the file.
  std::map<std::string, std::vector<Change>> changes(const std::set<std::string>& of) const;

 private:
  /// The signals whose names contain this one, to end an error with.
  std::string like(const std::string& name) const;

  std::unique_ptr<void, void (*)(void*)> reader_;
  std::map<std::string, std::uint32_t> handles_;
  std::set<std::string> scopes_;
};

/// Value at a time, of changes in order; empty before the first.
std::string value_at(const std::vector<WaveFile::Change>& changes, std::uint64_t time);

/// Throws InvalidArgument, listing the existing scopes, if `scope` (without "TOP.") does not exist.
void check_scope(const std::string& scope, const std::set<std::string>& scopes);

}  // namespace systole::sim
