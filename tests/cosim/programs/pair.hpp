// SPDX-License-Identifier: Apache-2.0
// The functional model and the RTL side by side.
#pragma once

#include <gtest/gtest.h>

#include "compare_states.hpp"
#include "cosim.hpp"
#include "model_backend.hpp"
#include "random_programs.hpp"
#include "systole/generated/registers.hpp"

namespace systole::programs {

/// The fields on which both sides must agree. Behind an error the core may have begun less than the model.
struct Record {
  std::uint32_t code, index, address;
  bool interrupt, halted, nonfinite;
  explicit Record(const Outcome& o)
      : code(o.error_code),
        index(o.error_index),
        address(o.error_address),
        interrupt(o.irq & reg::kIrqStatusError),
        halted(o.status & reg::kStatusHalted),
        nonfinite(code == 0 && (o.status & reg::kStatusNonfinite)) {}
};
inline bool operator==(const Record& a, const Record& b) {
  return a.code == b.code && a.index == b.index && a.address == b.address && a.interrupt == b.interrupt &&
         a.halted == b.halted && a.nonfinite == b.nonfinite;
}

/// The model and the RTL, and a legal program to check that they work.
class Pair {
 public:
  Pair(const BackendOptions& timing, const Setting& setting, Source& source)
      : setting_(setting),
        source_(source),
        model(model::open_model(timing), setting),
        rtl(test::open_rtl(timing), setting) {}

  void fill() {
    const std::uint64_t contents = source_.word();
    model.fill(contents);
    rtl.fill(contents);
  }

  void expect_sound() {
    ASSERT_TRUE(model.reset());
    ASSERT_TRUE(rtl.reset());
    fill();
    const auto commands = random_programs({10, 2, true, false}, model.configuration(), setting_.windows, source_);
    std::vector<isa::Instruction> dispatch;
    const Batch batch = pack(commands, true, setting_, source_, dispatch);
    const Outcome expected = model.run(batch), actual = rtl.run(batch);
    EXPECT_EQ(expected, actual);
    EXPECT_TRUE(actual.good()) << actual.text();
    EXPECT_EQ(difference(model.dump(), rtl.dump(), model.configuration()), "");
  }

 private:
  Setting setting_;
  Source& source_;

 public:
  Session model, rtl;
};

}  // namespace systole::programs
