// SPDX-License-Identifier: Apache-2.0
// What JAX waits for, and the errors that it is told.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pjrt.hpp"

namespace systole::pjrt {

struct Error {
  ErrorCode code = ErrorCode::kUnknown;
  std::string message;
};

/// What a call cannot do, and work that failed before, with the code that JAX is told.
class CallError : public std::exception {
 public:
  explicit CallError(Error error) : error_(std::move(error)) {}
  const Error& error() const { return error_; }
  const char* what() const noexcept override { return error_.message.c_str(); }

 private:
  Error error_;
};

/// The exception that is being handled as an error of JAX's.
Error current_error();

/// The end of some work, successful or not. Thread-safe.
class Completion {
 public:
  using Callback = std::function<void(const std::optional<Error>&)>;

  /// The work has ended, the first call counts.
  void complete(std::optional<Error> error = {});
  bool done() const;
  /// Waits, and returns the error of the work.
  std::optional<Error> wait() const;
  /// Calls `callback` when the work has ended, or at once if it has.
  void on_done(Callback callback);

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  bool done_ = false;
  std::optional<Error> error_;
  std::vector<Callback> callbacks_;
};

struct Event {
  std::shared_ptr<Completion> completion;
};

/// An event of work that has ended.
Event* ended_event();

}  // namespace systole::pjrt
