// SPDX-License-Identifier: Apache-2.0
// The rule of every valid/ready stream: once valid, valid and payload hold until ready.
#pragma once

#include "violation.hpp"

namespace systole::check {

/// One valid/ready channel. `Payload` is compared with ==.
template <class Payload>
class ChannelHold {
 public:
  /// Samples one rising edge. `payload` is a callable, evaluated only on edges with a stall. `report(rule)` is called
  /// for each violated rule.
  template <class GetPayload, class Report>
  void observe(bool valid, bool ready, GetPayload&& payload, Report&& report) {
    if (stalled_) {
      if (!valid) {
        report(Rule::kValidDropped);
      } else if (!(payload() == held_)) {
        report(Rule::kPayloadChanged);
      }
    }
    stalled_ = valid && !ready;
    if (stalled_) held_ = payload();
  }

  bool stalled() const { return stalled_; }
  void reset() { stalled_ = false; }

 private:
  bool stalled_ = false;
  Payload held_{};
};

/// A stream by itself, for block tests.
template <class Payload>
class StreamChecker {
 public:
  StreamChecker(const char* name, ViolationLog& log) : name_(name), log_(&log) {}

  void observe(bool valid, bool ready, const Payload& payload) {
    hold_.observe(
        valid, ready, [&]() -> const Payload& { return payload; },
        [&](Rule rule) {
          log_->add({rule, Channel::kStream, cycle_, 0, name_});
        });
    ++cycle_;
  }
  void reset() { hold_.reset(); }

 private:
  const char* name_;
  ViolationLog* log_;
  ChannelHold<Payload> hold_;
  std::uint64_t cycle_ = 0;
};

}  // namespace systole::check
