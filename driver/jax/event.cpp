// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

#include <new>
#include <utility>

#include "systole/errors.hpp"
#include "systole/file_error.hpp"
#include "systole/graph.hpp"
#include "systole/memory_error.hpp"

namespace systole::pjrt {

Error current_error() {
  try {
    throw;
  } catch (const CallError& error) {
    return error.error();
  } catch (const graph::GraphError& error) {
    return {ErrorCode::kUnimplemented, error.what()};
  } catch (const InvalidArgument& error) {
    return {ErrorCode::kInvalidArgument, error.what()};
  } catch (const OutOfRange& error) {
    return {ErrorCode::kOutOfRange, error.what()};
  } catch (const Cancelled& error) {
    return {ErrorCode::kCancelled, error.what()};
  } catch (const MemoryError& error) {
    return {ErrorCode::kResourceExhausted,
            "systole: " + error.problem() + "; delete arrays, or give the device more memory (SYSTOLE_JAX_MEMORY)"};
  } catch (const FileError& error) {
    return {ErrorCode::kInvalidArgument, error.what()};
  } catch (const Failure& error) {
    return {ErrorCode::kResourceExhausted, error.what()};
  } catch (const std::bad_alloc&) {
    return {ErrorCode::kResourceExhausted, "systole: the host is out of memory"};
  } catch (const std::exception& error) {
    return {ErrorCode::kInternal, error.what()};
  } catch (const systole::Error& error) {
    return {ErrorCode::kInternal, error.what()};
  }
}

void Completion::complete(std::optional<Error> error) {
  std::vector<Callback> callbacks;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (done_) {
      return;
    }
    done_ = true;
    error_ = std::move(error);
    callbacks.swap(callbacks_);
  }
  ended_.notify_all();
  for (const Callback& callback : callbacks) {
    callback(error_);
  }
}

bool Completion::done() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return done_;
}

std::optional<Error> Completion::wait() const {
  std::unique_lock<std::mutex> lock(mutex_);
  ended_.wait(lock, [this] { return done_; });
  return error_;
}

void Completion::on_done(Callback callback) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!done_) {
      callbacks_.push_back(std::move(callback));
      return;
    }
  }
  callback(error_);
}

Event* ended_event() {
  auto completion = std::make_shared<Completion>();
  completion->complete();
  return new Event{std::move(completion)};
}

}  // namespace systole::pjrt
