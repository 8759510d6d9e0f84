// SPDX-License-Identifier: Apache-2.0
// A SystemC kernel of its own for each machine. SystemC keeps one current simulation context per process; a machine
// makes its context current while it is built, runs and is destroyed, and puts the former one back. So machines of any
// configuration live beside each other and with a SystemC program around them. Machines of several threads take turns:
// a kernel's work holds a lock of the process.
#pragma once

#include <memory>
#include <mutex>
#include <systemc>

namespace systole::sim {

class Kernel {
 public:
  Kernel() {
    const std::lock_guard<std::recursive_mutex> turn(mutex());
    context_ = std::make_unique<sc_core::sc_simcontext>();
  }
  ~Kernel() {
    const Scope scope(*this);
    context_.reset();
  }

  /// Makes the kernel current while it lives, and keeps other threads out of SystemC. Scopes nest.
  class Scope {
   public:
    explicit Scope(Kernel& kernel) : turn_(mutex()), outer_(sc_core::sc_curr_simcontext) {
      sc_core::sc_curr_simcontext = kernel.context_.get();
    }
    ~Scope() { sc_core::sc_curr_simcontext = outer_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const std::lock_guard<std::recursive_mutex> turn_;
    sc_core::sc_simcontext* outer_;
  };

 private:
  /// SystemC's state belongs to the process, so its lock does as well: shared libraries that contain a machine each
  /// export it.
  static std::recursive_mutex& mutex() {
    static std::recursive_mutex mutex;
    return mutex;
  }

  std::unique_ptr<sc_core::sc_simcontext> context_;
};

}  // namespace systole::sim
