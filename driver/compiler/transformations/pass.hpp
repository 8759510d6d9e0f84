// SPDX-License-Identifier: Apache-2.0
// The compiler's passes. Each changes a subject in place - a graph, the layers of a program, a program - and has a
// name, under which it is switched off, counted, timed and printed.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "systole/pass_log.hpp"
#include "systole/transformations.hpp"

namespace systole {

/// A pass on a Subject, which has amount(), listing() and the number of its `program`, and what is to be done after
/// every pass in finish().
template <class Subject>
struct Pass {
  Transformation which;
  std::int64_t (*run)(Subject& subject);  ///< returns how often it was applied
};

/// Runs the pass unless it is switched off, counts it, and tells the log.
template <class Subject>
void run_pass(const Pass<Subject>& pass, Subject& subject, Transformations& transformations) {
  PassLog* log = transformations.log();
  const auto begin = std::chrono::steady_clock::now();
  const Amount before = subject.amount();
  std::int64_t applied = 0;
  if (transformations.on(pass.which)) {
    applied = pass.run(subject);
    subject.finish();
    transformations.count(pass.which, applied);
  }
  if (log != nullptr) {
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    const std::string_view name = transformation_texts()[static_cast<std::size_t>(pass.which)].name;
    log->add({name, subject.program, before, subject.amount(), applied, took.count(),
              log->lists(name) ? subject.listing() : std::string()});
  }
}

template <class Subject>
void run_passes(const std::vector<Pass<Subject>>& passes, Subject& subject, Transformations& transformations) {
  for (const Pass<Subject>& pass : passes) {
    run_pass(pass, subject, transformations);
  }
}

}  // namespace systole
