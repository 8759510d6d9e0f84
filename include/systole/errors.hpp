// SPDX-License-Identifier: Apache-2.0
// Errors. Whatever a public call throws for a mistake of its caller, a file that is wrong or a device that fails is a
// systole::Error, and one of the standard exceptions as well:
//
//   try {
//     device.run(program);
//   } catch (const systole::Error& error) {  // or std::invalid_argument, std::runtime_error, ..., std::exception
//     fmt::print(stderr, "{}\n", error.what());
//   }
//
// Its text names the thing, its value, what is legal and what to do. Beside these only std::bad_alloc leaves the
// library, when the host has no memory left, and what a function of the caller's throws that the library calls.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace systole {

/// Base of all errors of the library. It is no std::exception itself, so that each error has one of these only.
class Error {
 public:
  virtual ~Error() = default;
  /// Never null; as long as the error lives.
  virtual const char* what() const noexcept = 0;

 protected:
  Error() = default;
  Error(const Error&) = default;
  Error& operator=(const Error&) = default;
};

/// An Error that is a standard exception, too.
template <class Standard>
class ErrorOf : public Standard, public Error {
 public:
  using Standard::Standard;
  const char* what() const noexcept override { return Standard::what(); }
};

/// An argument or option that is not legal, or does not fit the others.
class InvalidArgument : public ErrorOf<std::invalid_argument> {
 public:
  using ErrorOf::ErrorOf;
};

/// A place that the thing named does not have: bytes beyond a buffer, a value that its field cannot hold.
class OutOfRange : public ErrorOf<std::out_of_range> {
 public:
  using ErrorOf::ErrorOf;
};

/// What could not be done although the call was right: device memory is full, a copy failed, a bus error.
class Failure : public ErrorOf<std::runtime_error> {
 public:
  using ErrorOf::ErrorOf;
};

/// The library contradicts itself: a fault of Systole, not of its caller.
class InternalError : public ErrorOf<std::logic_error> {
 public:
  using ErrorOf::ErrorOf;
};

/// The core's counters contradict each other: the causes of an engine do not add up to the cycles, or its semaphores
/// not to their cause. The results of the run are not affected; the hardware is wrong.
class AccountingError : public ErrorOf<std::logic_error> {
 public:
  using ErrorOf::ErrorOf;
};

/// The layers of a program do not add up to it, or one is beyond what the core can do: said of the first that is wrong.
/// `layers` names those concerned. Checked after every run; the results are not affected.
class LayerAccountingError : public AccountingError {
 public:
  LayerAccountingError(const std::string& text, std::vector<std::string> rows)
      : AccountingError(text), layers(std::move(rows)) {}
  std::vector<std::string> layers;
};

}  // namespace systole
