// SPDX-License-Identifier: Apache-2.0
// A specification on a device, compared with the host.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "kinds.hpp"
#include "systole/device.hpp"

namespace systole::shapes {

/// Attributes that do not go together, or scales that the device does not have.
class NoCase : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Bench {
 public:
  /// `planted` spoils what is expected of results of at least kSpoiled bytes, so that the search for failures can be
  /// watched.
  Bench(std::string device, std::string configuration, bool planted)
      : name_(std::move(device)), configuration_(std::move(configuration)), planted_(planted) {}
  static constexpr std::size_t kSpoiled = 7;

  /// Empty when every byte agrees; else what differs, that the operator went to the host, or what was thrown. The
  /// device is then opened anew for the next trial. Throws NoCase.
  std::string fault_of(const Kind& kind, const Spec& spec);

  /// Of the last trial; 0 on the functional model.
  std::uint64_t cycles() const { return cycles_; }

 private:
  std::string compare(const Kind& kind, const graph::Graph& graph, const Spec& spec);

  std::string name_, configuration_;
  bool planted_;
  std::uint64_t cycles_ = 0;
  std::optional<Device> device_;
};

}  // namespace systole::shapes
