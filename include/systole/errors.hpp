// SPDX-License-Identifier: Apache-2.0
// Errors. All exceptions that public functions throw because of wrong arguments, invalid files or failures of a device
// are derived from systole::Error and from a standard exception:
//
//   try {
//     device.run(program);
//   } catch (const systole::Error& error) {  // or std::invalid_argument, std::runtime_error, ..., std::exception
//     fmt::print(stderr, "{}\n", error.what());
//   }
//
// The text names the thing, its value, the legal range and a remedy. The only other exceptions that leave the library
// are std::bad_alloc, when the host is out of memory, and those of the caller's own functions (observers, callbacks).
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace systole {

/// Base of all errors of the library. Not derived from std::exception, so that every error has that base only once.
class Error {
 public:
  virtual ~Error() = default;
  /// The text of the error: never null, valid during the lifetime of the error.
  virtual const char* what() const noexcept = 0;

 protected:
  Error() = default;
  Error(const Error&) = default;
  Error& operator=(const Error&) = default;
};

/// An Error that is also the standard exception `Standard`.
template <class Standard>
class ErrorOf : public Standard, public Error {
 public:
  using Standard::Standard;
  const char* what() const noexcept override { return Standard::what(); }
};

/// An argument or option is illegal or does not fit the others.
class InvalidArgument : public ErrorOf<std::invalid_argument> {
 public:
  using ErrorOf::ErrorOf;
};

/// An index, address or value is out of range: bytes beyond the end of a buffer, a value too large for its field.
class OutOfRange : public ErrorOf<std::out_of_range> {
 public:
  using ErrorOf::ErrorOf;
};

/// A correct call could not be completed: device memory is full, a copy failed, or a bus error occurred.
class Failure : public ErrorOf<std::runtime_error> {
 public:
  using ErrorOf::ErrorOf;
};

/// The caller asked to stop the run (RunOptions::cancel). The device has been reset and can be used again.
class Cancelled : public ErrorOf<std::runtime_error> {
 public:
  using ErrorOf::ErrorOf;
};

/// The library detected an inconsistency of its own: a bug in Systole, not an error of the caller.
class InternalError : public ErrorOf<std::logic_error> {
 public:
  using ErrorOf::ErrorOf;
};

/// The core's counters are inconsistent: the causes of an engine do not add up to the cycles of the run, or its waits
/// for semaphores do not add up to the cause SEMAPHORE. A bug of the hardware. The results of the run are not affected.
class AccountingError : public ErrorOf<std::logic_error> {
 public:
  using ErrorOf::ErrorOf;
};

/// The cycles or multiply-accumulates of a program's layers do not add up to those of the program, or a layer exceeds
/// the speed of the core. `layers` names those concerned. Checked after every run; the results are not affected.
class LayerAccountingError : public AccountingError {
 public:
  LayerAccountingError(const std::string& text, std::vector<std::string> rows)
      : AccountingError(text), layers(std::move(rows)) {}
  std::vector<std::string> layers;
};

}  // namespace systole
